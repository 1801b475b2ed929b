"""Errors and distances against the step size."""

import math

import numpy as np

from .kit import (GREY, PALE, SLOPE, Panels, against_steps, area, bars, beside_all, colour, curves, decades, doubled, entry, interval,
                  label_y, legend_above, limits, mark, marks, order_text, plain, positive, slope, slopes_below, step_axis, step_text,
                  time_axis, units, words)

LEADING = {"linestyle": (0, (5, 2, 1, 2)), "linewidth": 0.9}
BESIDE = {"linestyle": (0, (1.5, 2)), "linewidth": 1.0}
TERM = "leading term of the law"
INTERVALS = "bars: 95 % intervals"


def _range(blocks, all_marks=False):
    """What a logarithmic axis has to hold: marks, and the upper ends of bars of two standard errors. Marks far below their bars
    are left out unless all are wanted."""
    every = np.concatenate([rows[:, :4] for rows in blocks])
    y, bar = every[:, 1], np.nan_to_num(every[:, 2])
    return positive(y if all_marks else np.where(every[:, 3] == 1, y, np.fmax(y, bar / 10)), y + bar)


def _resolved(blocks):
    return [rows[(rows[:, 3] == 1) | (np.arange(len(rows)) == 0)] for rows in blocks]


def _error(kind, name=None):
    return "root-mean-square error" if kind == "strong" else "|weak error|" + (f" of {plain(name)}" if name else "")


def _order(data, i, key="order", symbol="order"):
    return order_text(data[key][i], data[key + "_low"][i], data[key + "_high"][i], symbol)


def _with_finest(data, line=True):
    finest = [f": finest {_order(data, i)}" if math.isfinite(order) else "" for i, order in enumerate(data["order"])]
    return [entry(plain(name) + finest[i], i, line) for i, name in enumerate(data["name"])]


def _hollow(text):
    return entry(text, color=GREY, marker="o", markerfacecolor="white", line=False)


# ---- one study ----


def convergence(data, figure, request):
    lines = [data["last"][p] - data["first"][p] + 2 + data["unresolved"][p] + data["fitted"][p] + data["differences"][p]
             for p in range(data["panels"])]
    panels = Panels(figure, request, data["panels"], lines=max(lines))
    for p, axes in enumerate(panels):
        numbers = range(data["first"][p], data["last"][p] + 1)
        points, differences = ([data.block(f"{name}_{i}").rows for i in numbers] for name in ("points", "differences"))
        low, high = _range(points + differences)
        noise = np.concatenate([r[r[:, 2] > 0][:, [0, 2]] for r in points])
        floor = np.array([[h, noise[noise[:, 0] == h, 1].max()] for h in np.unique(noise[:, 0])]).reshape(-1, 2)
        # There is room for the noise floor below, but no more than a decade.
        least = min(low, max(floor[:, 1].min(initial=math.inf), low / 10))
        against_steps(axes, data["fine"], data["coarse"], least / 1.6, high * 2.2, _error(data["kind"][p]), data["units"][p],
                      data["across"])
        axes.fill_between(floor[:, 0], axes.get_ylim()[0], floor[:, 1], color=PALE, linewidth=0, zorder=0)
        fitted = [_law(axes, data, i, colour(k)) for k, i in enumerate(numbers)]
        curves(axes, differences, doubled, size=2.4)
        curves(axes, points, doubled, filled=3)
        _guides(axes, data["order"][data["first"][p] - 1], points, differences)
        handles = [entry(f"{plain(data['name'][i - 1])}: {_order(data, i - 1)}", k) for k, i in enumerate(numbers)]
        small = f"small marks: |X({data['level']}) − X({data['next']})|, fitted"
        others = [(data["unresolved"][p], _hollow("not resolved")), (any(fitted), entry(TERM, color=GREY, **LEADING)),
                  (data["differences"][p], entry(small, color=GREY, marker="o", markersize=2.4, line=False)),
                  (len(floor), area("noise floor: two standard errors, as the bars", PALE))]
        legend_above(axes, handles + [handle for there, handle in others if there])


def _law(axes, data, i, of):
    """A fitted law, where its order is resolved; whether it was drawn."""
    law = data.block(f"law_{i}").rows
    if not math.isfinite(data["order"][i - 1]) or len(law) < 2:
        return False
    axes.plot(law[:, 0], law[:, 2], color=of, zorder=2, **LEADING)
    axes.plot(law[:, 0], law[:, 1], color=of, zorder=2)
    return True


def _guides(axes, order, points, differences):
    """The two slopes of 1/2, 1, 2 that are nearest to the order, or where none is fitted to that from the first error to the
    last: one at least as steep as that is below all that is resolved, another above."""
    rows = points[0]
    if not math.isfinite(order) and len(rows) > 1:
        with np.errstate(all="ignore"):
            order = math.log(rows[0, 1] / rows[-1, 1]) / math.log(rows[0, 0] / rows[-1, 0])
    flat = 1.0 if math.isfinite(order) and abs(2 - order) < abs(0.5 - order) else 0.5
    blocks, below = _resolved(points) + differences, not math.isfinite(order) or flat > order - 0.15
    starts = [beside_all(axes, flat, blocks, above=not below), beside_all(axes, 2 * flat, blocks)]
    starts = [min(starts)] * 2 if below else starts
    low, high = axes.get_ylim()
    top = 1.5 * max(starts)
    if math.isfinite(top) and top > high:
        decades(axes, low, top)
    slope(axes, flat, starts[0], "before" if below else "above")
    slope(axes, 2 * flat, starts[1])


def multilevel(data, figure, request):
    n, steps = data["functionals"], (data["fine"], data["coarse"])
    levels, variances = data.numbered("levels", n), data.numbered("variances", n)
    with_variance = math.isfinite(positive(*(v[:, 1] for v in variances))[0])  # without noise there are none
    panels = Panels(figure, request, 1 + with_variance, lines=n + 1)
    axes = panels[0]
    low, high = _range(levels, all_marks=True)
    against_steps(axes, *steps, low / 3, high * 4, f"|E φ(X({data['level']})) − E φ(X({data['next']}))|", data["units"],
                  data["across"])
    drawn = [_law(axes, data, i + 1, colour(i)) for i in range(n)]
    curves(axes, levels, doubled, filled=3)
    slope(axes, 1, beside_all(axes, 1, levels, above=True), "above")
    slopes_below(axes, [2], _resolved(levels))
    legend_above(axes, [entry(f"{plain(name)}: {_order(data, i)}", i) for i, name in enumerate(data["name"])]
                 + [entry(TERM, color=GREY, **LEADING)] * any(drawn))
    if not with_variance:
        return
    axes, columns = panels[1], (1, 2) if data["antithetic"] else (1,)
    low, high = positive(*(v[:, 1:3] for v in variances))
    margin = max(3, (high / low) ** 0.12)
    against_steps(axes, *steps, low / margin, high * margin, "variance of a difference", data["units_squared"], data["across"])
    for i, rows in enumerate(variances if data["antithetic"] else ()):
        axes.plot(rows[:, 0], rows[:, 2], marker=mark(i), color=colour(i), markerfacecolor="white", **BESIDE)
    curves(axes, variances, line=1.1)
    slope(axes, 1, beside_all(axes, 1, variances, columns, above=True), "above")
    slopes_below(axes, [2], variances)
    legend_above(axes, [entry(f"{plain(name)}: {_order(data, i, 'decay', 'β =')}", i) for i, name in enumerate(data["name"])]
                 + [entry("with one fine path", color=GREY, marker="o", markerfacecolor="white", **BESIDE)] * data["antithetic"])


def quantiles(data, figure, request):
    n = data["quantiles"]
    blocks, axes = data.numbered("quantile", n), Panels(figure, request, 1, lines=n + 1)[0]
    low, high = positive(*(rows[:, 1:4] for rows in blocks))
    against_steps(axes, data["fine"], data["coarse"], low / 4, high * 2, "quantile of |X(h) − X$_\\mathrm{ref}$|", data["units"])
    curves(axes, blocks, interval, line=0.9)
    slopes_below(axes, [0.5, 1], blocks, columns=(2,), joint=True)
    found = [f", finest {_order(data, i)}" if math.isfinite(data["order"][i]) else "" for i in range(n)]
    legend_above(axes, [entry(f"{100 * data['probability'][i]:g} %{found[i]}", i) for i in reversed(range(n))]
                 + [entry(INTERVALS, color=GREY)])


def law(data, figure, request):
    panels = Panels(figure, request, data["panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"distance_{p}", data["functionals"])
        low, high = positive(*(rows[:, c] for rows in blocks for c in (1, 3)))
        name = ("Smirnov" if p % 2 else "Wasserstein") + " distance from\nthe " + ("reference" if p < 3 else "uniform law")
        against_steps(axes, data["fine" if p < 3 else "reference"], data["coarse"], low / 4, high * 2, "")
        axes.set_ylabel(name + ("" if p % 2 else units(data["units"])))
        curves(axes, blocks, interval, filled=lambda rows: rows[:, 4] < 0.05, line=0.7)
        slopes_below(axes, [1] if p < 3 else [], blocks)
    panels.legend(_with_finest(data, line=False) + [_hollow("hollow: equal laws are not rejected"), entry(INTERVALS, color=GREY)])


def weak_times(data, figure, request):
    n, levels, steps = data["functionals"], data["levels"], data["step"]
    panels = Panels(figure, request, n + 1, most=2 if n == 3 else 3, lines=n)
    beside = 0.06 * (data["end"] - data["start"]) if data["end"] > data["start"] else 1
    for p, axes in enumerate(panels[:n]):
        blocks = data.numbered(f"error_{p + 1}", levels)
        low, high = _range(blocks, all_marks=True)
        time_axis(axes, data["start"] - beside, data["end"] + beside)
        decades(axes, low / 3, high * 1.6)
        label_y(axes, f"|weak error| of {plain(data['name'][p])}", data["units"][p])
        curves(axes, blocks, doubled, filled=3, line=0.7)
    axes, blocks = panels[n], data.numbered("supremum", n)
    low, high = positive(*(rows[:, 1:4] for rows in blocks))
    against_steps(axes, steps[-1], steps[0], low / 4, high * 2, "supremum over the times", data["supremum_units"])
    curves(axes, blocks, interval, line=0.9)
    slopes_below(axes, [1, 2], blocks)
    legend_above(axes, _with_finest(data))
    panels.legend([entry(f"h = {step_text(h)}", l, line=False) for l, h in enumerate(steps)]
                  + [_hollow("hollow: within two standard errors of 0, the bars")])


# ---- several studies ----


def comparison(data, figure, request):
    n, weak = data["studies"], data["errors"] == "weak"
    blocks, panels = data.numbered("study", n), Panels(figure, request, 1 + weak)
    fine, coarse = limits(*(rows[:, 0] for rows in blocks))
    low, high = _range(blocks)
    shift = [2 ** (0.14 * (i - (n - 1) / 2)) for i in range(n)]
    against_steps(panels[0], fine, coarse, low / 2, high * 2, _error(data["errors"], data["name"]), data["units"])
    curves(panels[0], blocks, doubled, filled=3, shift=shift)
    if weak:
        axes, distances = panels[1], data.numbered("distances", n)
        most = max(1.2 * np.nanmax([0, *np.abs(limits(*(d[:, 1] for d in distances)))]), 4.5)
        step_axis(axes, fine, coarse)
        axes.set(ylim=(-most, most), ylabel="joint standard errors from the first")
        axes.axhspan(-3, 3, color=PALE, linewidth=0, zorder=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        curves(axes, distances[1:], first=1, shift=shift)
    made = [f"{plain(data['file'][i])}: {plain(data['kind'][i])}, {words(data['integrator'][i])}, {data['paths'][i]} paths"
            for i in range(n)]
    panels.legend([entry(text, i, line=False) for i, text in enumerate(made)]
                  + [entry("bars: two standard errors" + ("; shaded: within 3" if weak else ""), color=GREY)])


def work(data, figure, request):
    blocks, panels = data.numbered("study", data["studies"]), Panels(figure, request, 3, most=3, ratio=1.0)
    low, high = _range(blocks)
    for p, (axes, x) in enumerate(zip(panels, (0, 4, 5))):
        least, most = positive(*(rows[:, c] for rows in blocks for c in ((x,) if p < 2 else (5, 6, 7))))
        if p == 0:
            step_axis(axes, least, most)
        else:
            decades(axes, least / 1.5, most * 1.5, "x")
            axes.set_xlabel("evaluations of all gradients on a path" if p == 1 else "time of a path on one core [s]")
        decades(axes, low / 2, high * 2)
        if p % panels.columns == 0:
            label_y(axes, _error(data["kind"], data["name"]), data["units"])
        curves(axes, blocks, doubled, filled=3, line=0.7, x=x)
        for i, rows in enumerate(blocks if p == 2 else ()):
            bars(axes, rows[:, 1], rows[:, 6], rows[:, 7], colour(i), across=True)
    names = [words(name) + (f", {plain(file)}" if data["integrator"].count(name) > 1 else "")
             for name, file in zip(data["integrator"], data["file"])]
    panels.legend([entry(name, i, line=False) for i, name in enumerate(names)]
                  + [entry("bars: two standard errors; of times quartiles", color=GREY)])


def mlmc(data, figure, request):
    files, name = data["files"], plain(data["name"])
    levels, work_rows, paths = data.block("levels").rows, data.block("work").rows, data.numbered("paths", files)
    panels = Panels(figure, request, 4, ratio=0.7, lines=max(3, files) + 1)
    difference = "P$_l$ − P$_{l-1}$"
    first, second = ({"marker": mark(i), "color": colour(i)} for i in (0, 1))
    for axes, shown, text, unit in zip(panels, (levels[:, 1:4 if data["antithetic"] else 3], [*levels[:, 4:6].T, [data["bias"]]],
                                                [rows[:, 1] for rows in paths], work_rows[:, 1:3]),
                                       ("variance", "|mean|", "paths", "ε² · work in iterations"),
                                       (data["units_squared"], data["units"], "", data["units_squared"])):
        low, high = positive(*shown)
        decades(axes, low / 2.5, high * 2.5)
        label_y(axes, text, unit)
    for axes, n in zip(panels, (data["levels"], data["levels"], data["most_levels"])):
        axes.set(xlim=(-0.3, n - 0.7), xticks=range(n), xlabel="level l")

    axes = panels[0]
    axes.plot(levels[:, 0], levels[:, 1], label=f"P$_l$ = {name} at step h$_l$", **first)
    decay = ": " + _order(data, 0, "decay", "β =") if math.isfinite(data["decay"][0]) else ""
    axes.plot(levels[:, 0], levels[:, 2], label=difference + decay, **second)
    if data["antithetic"]:
        axes.plot(levels[:, 0], levels[:, 3], markerfacecolor="white", label="with one fine path", **second, **BESIDE)

    axes = panels[1]
    axes.plot(levels[:, 0], levels[:, 4], label="P$_l$", **first)
    bars(axes, levels[:, 0], *doubled(levels[:, 4:]), colour(1))
    axes.plot(levels[:, 0], levels[:, 5], label=f"{difference}, two standard errors: {_order(data, 0, symbol='q =')}", **second)
    axes.axhline(data["bias"], label=f"bias that ε = {data['epsilon'][-1]:g} allows", **SLOPE)

    for i, rows in enumerate(paths):
        reached = "" if data["reached"][i] else ", NOT REACHED"
        panels[2].plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i), label=f"ε = {data['epsilon'][i]:g}{reached}")

    axes, measured = panels[3], work_rows[:, 3] == 1
    decades(axes, data["epsilon"][-1] / 2.5, data["epsilon"][0] * 2.5, "x")
    axes.set_xlabel("rms error ε" + units(data["units"]))
    axes.plot(work_rows[:, 0], work_rows[:, 1], label="multilevel", **second)
    axes.plot(work_rows[:, 0], work_rows[:, 2], color=colour(0))
    marks(axes, work_rows[:, 0], work_rows[:, 2], 0, measured)
    plain_ones = [entry(f"plain Monte Carlo, {how}", 0, hollow=how == "predicted")
                  for how, there in (("predicted", ~measured), ("measured", measured)) if there.any()]
    for i, axes in enumerate(panels):
        legend_above(axes, axes.get_legend_handles_labels()[0] + (plain_ones if i == 3 else []), columns=2 if i == 2 else 1)
