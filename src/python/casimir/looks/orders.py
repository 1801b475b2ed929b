"""Errors and distances against the step size."""

import math

import numpy as np

from .kit import (GREY, PALE, SLOPE, Panels, against_steps, area, bars, colour, curves, doubled, entry, interval, legend_above, mark,
                  order_text, plain, powers, raised, slopes, step_text, time_axis, units, words)

LEADING = {"linestyle": (0, (5, 2, 1, 2)), "linewidth": 0.9}
BESIDE = {"linestyle": (0, (1.5, 2)), "linewidth": 1.0}
TERM = "leading term of the law"
INTERVALS = "bars: 95 % intervals"


def _errors(axes, blocks, **look):
    """Errors with two standard errors. Marks far below their bars do not stretch the axis."""
    curves(axes, blocks, doubled, filled=3, **look)
    error, bar, resolved = np.concatenate([rows[:, 1:4] for rows in blocks]).T
    least = 0.6 * np.nanmin(np.where(resolved == 1, error, np.fmax(error, bar / 10)), initial=math.inf)
    axes.set_ylim(bottom=max(axes.get_ylim()[0], least if math.isfinite(least) else 0))


def _resolved(blocks):
    return [rows[(rows[:, 3] == 1) | (np.arange(len(rows)) == 0)] for rows in blocks]


def _error(kind, name=None):
    return "root-mean-square error" if kind == "strong" else "|weak error|" + (f" of {plain(name)}" if name else "")


def _order(data, i, key="order", symbol="order"):
    return order_text(data[key][i], data[key + "_low"][i], data[key + "_high"][i], symbol)


def _orders(data, key="order", symbol="order"):
    return [entry(f"{plain(name)}: {_order(data, i, key, symbol)}", i) for i, name in enumerate(data["name"])]


def _finest(data, names, before, line=True):
    """Entries of curves, with the orders of the finest steps that have one."""
    finest = [f"{before} finest {_order(data, i)}" if math.isfinite(order) else "" for i, order in enumerate(data["order"])]
    return [entry(name + finest[i], i, line) for i, name in enumerate(names)]


def _hollow(text):
    return entry(text, color=GREY, marker="o", markerfacecolor="white", line=False)


def convergence(data, figure, request):
    for p, axes in enumerate(Panels(figure, request, data["panels"])):
        numbers = range(data["first"][p], data["last"][p] + 1)
        points, differences = ([data.block(f"{name}_{i}").rows for i in numbers] for name in ("points", "differences"))
        against_steps(axes, _error(data["kind"][p]), data["units"][p], data["across"])
        fitted = [_law(axes, data, i, colour(k)) for k, i in enumerate(numbers)]
        curves(axes, differences, doubled, size=2.4)
        _errors(axes, points)
        has_floor = _floor(axes, points)
        slopes(axes, _guides(data["order"][numbers[0] - 1], points[0]), _resolved(points) + differences)
        small = f"small marks: |X({data['level']}) − X({data['next']})|, fitted"
        legend_above(axes, [
            *(entry(f"{plain(data['name'][i - 1])}: {_order(data, i - 1)}", k) for k, i in enumerate(numbers)),
            data["unresolved"][p] and _hollow("not resolved"), any(fitted) and entry(TERM, color=GREY, **LEADING),
            data["differences"][p] and entry(small, color=GREY, marker="o", markersize=2.4, line=False),
            has_floor and area("noise floor: two standard errors, as the bars", PALE)])


def _law(axes, data, i, of):
    """A fitted law, where its order is resolved; whether it was drawn."""
    law = data.block(f"law_{i}").rows
    if not math.isfinite(data["order"][i - 1]) or len(law) < 2:
        return False
    axes.plot(law[:, 0], law[:, 2], color=of, zorder=2, **LEADING)
    axes.plot(law[:, 0], law[:, 1], color=of, zorder=2)
    return True


def _floor(axes, points):
    """Shades what is less than two standard errors; whether there are any. There is room for it, but no more than a decade."""
    noise = np.concatenate([rows[rows[:, 2] > 0][:, [0, 2]] for rows in points])
    if not len(noise):
        return False
    low, steps = axes.get_ylim()[0], np.unique(noise[:, 0])
    floor = np.array([noise[noise[:, 0] == h, 1].max() for h in steps])
    low, _ = axes.set_ylim(bottom=min(low, max(floor.min() / 1.6, low / 10)))
    axes.fill_between(steps, low, floor, color=PALE, linewidth=0, zorder=0)
    return True


def _guides(order, rows):
    """The two slopes of 1/2, 1, 2 that are nearest to the order, or where none is fitted to that from the first error to the last."""
    if not math.isfinite(order) and len(rows) > 1:
        with np.errstate(all="ignore"):
            order = math.log(rows[0, 1] / rows[-1, 1]) / math.log(rows[0, 0] / rows[-1, 0])
    return (1, 2) if math.isfinite(order) and abs(2 - order) < abs(0.5 - order) else (0.5, 1)


def multilevel(data, figure, request):
    n = data["functionals"]
    levels, variances = data.numbered("levels", n), data.numbered("variances", n)
    with_variance = any((rows[:, 1] > 0).any() for rows in variances)  # without noise there are none
    panels = Panels(figure, request, 1 + with_variance)
    axes = panels[0]
    against_steps(axes, f"|E φ(X({data['level']})) − E φ(X({data['next']}))|", data["units"], data["across"])
    drawn = [_law(axes, data, i + 1, colour(i)) for i in range(n)]
    _errors(axes, levels)
    slopes(axes, (1, 2), _resolved(levels))
    legend_above(axes, _orders(data) + [entry(TERM, color=GREY, **LEADING)] * any(drawn))
    if not with_variance:
        return
    axes = panels[1]
    against_steps(axes, "variance of a difference", data["units_squared"], data["across"])
    fine = [rows[:, [0, 2]] for rows in variances] * data["antithetic"]
    for i, rows in enumerate(fine):
        axes.plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i), markerfacecolor="white", **BESIDE)
    curves(axes, variances, line=1.1)
    slopes(axes, (1, 2), variances + fine)
    legend_above(axes, _orders(data, "decay", "β =")
                 + [entry("with one fine path", color=GREY, marker="o", markerfacecolor="white", **BESIDE)] * data["antithetic"])


def quantiles(data, figure, request):
    blocks, axes = data.numbered("quantile", data["quantiles"]), Panels(figure, request, 1)[0]
    against_steps(axes, "quantile of |X(h) − X$_\\mathrm{ref}$|", data["units"])
    curves(axes, blocks, interval, line=0.9)
    slopes(axes, (0.5, 1), blocks, column=2)
    legend_above(axes, _finest(data, [f"{100 * p:g} %" for p in data["probability"]], ",")[::-1] + [entry(INTERVALS, color=GREY)])


def law(data, figure, request):
    panels = Panels(figure, request, data["panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"distance_{p}", data["functionals"])
        against_steps(axes, "")
        axes.set_ylabel(("Smirnov" if p % 2 else "Wasserstein") + " distance from\nthe " + ("reference" if p < 3 else "uniform law")
                        + ("" if p % 2 else units(data["units"])))
        curves(axes, blocks, interval, filled=lambda rows: rows[:, 4] < 0.05, line=0.7)
        slopes(axes, [1] if p < 3 else [], blocks)
    panels.legend(_finest(data, map(plain, data["name"]), ":", line=False)
                  + [_hollow("hollow: equal laws are not rejected"), entry(INTERVALS, color=GREY)])


def weak_times(data, figure, request):
    n, levels = data["functionals"], data["levels"]
    panels = Panels(figure, request, n + 1, most=2 if n == 3 else 3)
    for p, axes in enumerate(panels[:n]):
        time_axis(axes, 0.06)
        powers(axes, f"|weak error| of {plain(data['name'][p])}", data["units"][p])
        _errors(axes, data.numbered(f"error_{p + 1}", levels), line=0.7)
    axes, blocks = panels[n], data.numbered("supremum", n)
    against_steps(axes, "supremum over the times", data["supremum_units"])
    curves(axes, blocks, interval, line=0.9)
    slopes(axes, (1, 2), blocks)
    legend_above(axes, _finest(data, map(plain, data["name"]), ":"))
    panels.legend([entry(f"h = {raised(step_text(h))}", l, line=False) for l, h in enumerate(data["step"])]
                  + [_hollow("hollow: within two standard errors of 0, the bars")])


def comparison(data, figure, request):
    n, weak = data["studies"], data["errors"] == "weak"
    panels = Panels(figure, request, 1 + weak)
    shift = [2 ** (0.14 * (i - (n - 1) / 2)) for i in range(n)]
    against_steps(panels[0], _error(data["errors"], data["name"]), data["units"])
    _errors(panels[0], data.numbered("study", n), shift=shift)
    if weak:
        axes = panels[1]
        against_steps(axes, "joint standard errors from the first")
        axes.set_yscale("linear")
        axes.axhspan(-3, 3, color=PALE, linewidth=0, zorder=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        curves(axes, data.numbered("distances", n)[1:], first=1, shift=shift)
        most = max(4.5, *np.abs(axes.get_ylim()))
        axes.set(xlim=panels[0].get_xlim(), ylim=(-most, most))
    made = zip(*(data[key] for key in ("file", "kind", "integrator", "paths")))
    panels.legend([entry(f"{plain(file)}: {plain(kind)}, {words(scheme)}, {paths} paths", i, line=False)
                   for i, (file, kind, scheme, paths) in enumerate(made)]
                  + [entry("bars: two standard errors" + ("; shaded: within 3" if weak else ""), color=GREY)])


def work(data, figure, request):
    blocks, panels = data.numbered("study", data["studies"]), Panels(figure, request, 3, most=3, ratio=1.0)
    for p, (axes, x) in enumerate(zip(panels, (0, 4, 5))):
        against_steps(axes, _error(data["kind"], data["name"]) if p % panels.columns == 0 else "", data["units"])
        if p > 0:
            powers(axes, "evaluations of all gradients on a path" if p == 1 else "time of a path on one core [s]", axis="x")
        _errors(axes, blocks, line=0.7, x=x)
        for i, rows in enumerate(blocks if p == 2 else ()):
            bars(axes, rows[:, 1], rows[:, 6], rows[:, 7], colour(i), across=True)
    names = [words(name) + (f", {plain(file)}" if data["integrator"].count(name) > 1 else "")
             for name, file in zip(data["integrator"], data["file"])]
    panels.legend([entry(name, i, line=False) for i, name in enumerate(names)]
                  + [entry("bars: two standard errors; of times quartiles", color=GREY)])


def mlmc(data, figure, request):
    panels, difference = Panels(figure, request, 4, ratio=0.7), "P$_l$ − P$_{l-1}$"
    levels, work_rows = data.block("levels").rows, data.block("work").rows
    first, second = ({"marker": mark(i), "color": colour(i)} for i in (0, 1))
    squared, n = data["units_squared"], data["levels"]
    for axes, text, unit, n in zip(panels, ("variance", "|mean|", "paths", "ε² · work in iterations"),
                                   (squared, data["units"], "", squared), (n, n, data["most_levels"], 0)):
        powers(axes, text, unit)
        if n:
            axes.set(xlim=(-0.3, n - 0.7), xticks=range(n), xlabel="level l")
    decay = ": " + _order(data, 0, "decay", "β =") if math.isfinite(data["decay"][0]) else ""
    panels[0].plot(levels[:, 0], levels[:, 1], label=f"P$_l$ = {plain(data['name'])} at step h$_l$", **first)
    panels[0].plot(levels[:, 0], levels[:, 2], label=difference + decay, **second)
    if data["antithetic"]:
        panels[0].plot(levels[:, 0], levels[:, 3], markerfacecolor="white", label="with one fine path", **second, **BESIDE)
    panels[1].plot(levels[:, 0], levels[:, 4], label="P$_l$", **first)
    bars(panels[1], levels[:, 0], *doubled(levels[:, 4:]), colour(1))
    panels[1].plot(levels[:, 0], levels[:, 5], label=f"{difference}, two standard errors: {_order(data, 0, symbol='q =')}", **second)
    panels[1].axhline(data["bias"], label=f"bias that ε = {data['epsilon'][-1]:g} allows", **SLOPE)
    for i, rows in enumerate(data.numbered("paths", data["files"])):
        reached = "" if data["reached"][i] else ", NOT REACHED"
        panels[2].plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i), label=f"ε = {data['epsilon'][i]:g}{reached}")
    measured = work_rows[:, 3] == 1
    powers(panels[3], "rms error ε", data["units"], axis="x")
    panels[3].plot(work_rows[:, 0], work_rows[:, 1], label="multilevel", **second)
    panels[3].plot(work_rows[:, 0], work_rows[:, 2], color=colour(0))
    for part, how, face in ((~measured, "predicted", "white"), (measured, "measured", colour(0))):
        if part.any():
            panels[3].plot(*work_rows[part][:, [0, 2]].T, **{**first, "linestyle": "none"}, markerfacecolor=face,
                           label=f"plain Monte Carlo, {how}")
    for axes in panels:
        legend_above(axes, columns=2 if axes is panels[2] else 1)
