"""Errors and distances against the step size."""

import math

import numpy as np

from .kit import (GREY, PALE, SLOPE, Panels, against_steps, apart, area, bars, colour, curves, decades, doubled, entry, from_coarse,
                  interval, label_y, legend_above, limits, mark, marks, order_text, outside, plain, positive, slope, step_axis, step_text,
                  time_axis, units, words)

LEADING = {"linestyle": (0, (5, 2, 1, 2)), "linewidth": 0.9}
BESIDE = {"linestyle": (0, (1.5, 2)), "linewidth": 1.0}


def _range(blocks, all_marks=False):
    """What a logarithmic axis has to hold: marks, and the upper ends of bars of two standard errors. Marks far below their bars
    are left out unless all are wanted."""
    every = np.concatenate([rows[:, :4] for rows in blocks])
    y, bar = every[:, 1], np.nan_to_num(every[:, 2])
    return positive(y if all_marks else np.where(every[:, 3] == 1, y, np.fmax(y, bar / 10)), y + bar)


def _resolved(rows):
    return rows[(rows[:, 3] == 1) | (np.arange(len(rows)) == 0)]


def _slopes(axes, wanted, blocks, fine, coarse):
    """Lines of these slopes below all data."""
    for order in wanted:
        low, _ = from_coarse(blocks, order, coarse)
        slope(axes, order, low / apart(axes), fine, coarse, "below" if order == wanted[-1] else "before")


def _order(data, i, key="order", symbol="order"):
    return order_text(data[key][i], data[key + "_low"][i], data[key + "_high"][i], symbol)


def _finest(data, i):
    return plain(data["name"][i]) + (f": finest {_order(data, i)}" if math.isfinite(data["order"][i]) else "")


def _hollow(text):
    return entry(text, color=GREY, marker="o", markerfacecolor="white", line=False)


def _term():
    return entry("leading term of the law", color=GREY, **LEADING)


# ---- one study ----


def convergence(data, figure, request):
    fine, coarse = data["fine"], data["coarse"]
    lines = [data["last"][p] - data["first"][p] + 2 + data["unresolved"][p] + data["fitted"][p] + data["differences"][p]
             for p in range(data["panels"])]
    panels = Panels(figure, request, data["panels"], outside=outside(max(lines)))
    for p, axes in enumerate(panels):
        numbers = range(data["first"][p], data["last"][p] + 1)
        points, differences = ([data.block(f"{name}_{i}").rows for i in numbers] for name in ("points", "differences"))
        low, high = _range(points + differences)
        floor = _floor(points)
        # There is room for the noise floor below, but no more than a decade.
        least = low if floor is None else min(low, max(np.nanmin(floor[:, 1]), low / 10))
        against_steps(axes, fine, coarse, least / 1.6, high * 2.2,
                      "root-mean-square error" if data["kind"][p] == "strong" else "|weak error|", data["units"][p])
        if floor is not None:
            axes.fill_between(floor[:, 0], axes.get_ylim()[0], floor[:, 1], color=PALE, linewidth=0, zorder=0)
        fitted = [_law(axes, data, i, colour(k)) for k, i in enumerate(numbers)]
        curves(axes, differences, doubled, size=2.4)
        curves(axes, points, doubled, filled=3)
        handles = [entry(f"{plain(data['name'][i - 1])}: {_order(data, i - 1)}", k) for k, i in enumerate(numbers)]
        _guides(axes, data["order"][data["first"][p] - 1], points, differences, fine, coarse)
        small = f"small marks: |X(h) − X(h/{data['refinement']})|, fitted"
        others = [(data["unresolved"][p], _hollow("not resolved")), (any(fitted), _term()),
                  (data["differences"][p], entry(small, color=GREY, marker="o", markersize=2.4, line=False)),
                  (floor is not None, area("noise floor: two standard errors, as the bars", PALE))]
        legend_above(axes, handles + [handle for there, handle in others if there])


def _floor(points):
    """Rows (h, the largest noise of all curves); None where nothing is random."""
    rows = np.concatenate([r[:, [0, 2]] for r in points])
    rows = rows[rows[:, 1] > 0]
    return np.array([[h, rows[rows[:, 0] == h, 1].max()] for h in np.unique(rows[:, 0])]) if len(rows) else None


def _law(axes, data, i, of):
    """A fitted law, where its order is resolved; whether it was drawn."""
    law = data.block(f"law_{i}").rows
    if not math.isfinite(data["order"][i - 1]) or len(law) < 2:
        return False
    axes.plot(law[:, 0], law[:, 2], color=of, zorder=2, **LEADING)
    axes.plot(law[:, 0], law[:, 1], color=of, zorder=2)
    return True


def _guides(axes, order, points, differences, fine, coarse):
    """The two slopes of 1/2, 1, 2 that are nearest to the order, or where none is fitted to that from the first error to the
    last: one at least as steep as that is below all that is resolved, another above."""
    rows = points[0]
    if not math.isfinite(order) and len(rows) > 1:
        with np.errstate(all="ignore"):
            order = math.log(rows[0, 1] / rows[-1, 1]) / math.log(rows[0, 0] / rows[-1, 0])
    flat = 1.0 if math.isfinite(order) and abs(2 - order) < abs(0.5 - order) else 0.5
    blocks = [_resolved(rows) for rows in points] + differences
    starts = [from_coarse(blocks, slope, coarse) for slope in (flat, 2 * flat)]
    below = not math.isfinite(order) or flat > order - 0.15
    steep_start = starts[1][0] / apart(axes)
    flat_start = starts[0][0] / apart(axes) if below else starts[0][1] * apart(axes)
    if below:
        flat_start = steep_start = min(flat_start, steep_start)
    low, high = axes.get_ylim()
    top = max(high, 1.5 * flat_start, 1.5 * steep_start)
    if math.isfinite(top) and top > high:
        decades(axes, low, top)
    slope(axes, flat, flat_start, fine, coarse, "before" if below else "above")
    slope(axes, 2 * flat, steep_start, fine, coarse)


def multilevel(data, figure, request):
    fine, coarse, n = data["fine"], data["coarse"], data["functionals"]
    levels, variances = data.numbered("levels", n), data.numbered("variances", n)
    with_variance = math.isfinite(positive(*(v[:, 1] for v in variances))[0])  # without noise there are none
    panels = Panels(figure, request, 1 + with_variance, outside=outside(n + 1))
    axes = panels[0]
    low, high = _range(levels, all_marks=True)
    against_steps(axes, fine, coarse, low / 3, high * 4, f"|E φ(X(h)) − E φ(X(h/{data['refinement']}))|", data["units"])
    drawn = [_law(axes, data, i + 1, colour(i)) for i in range(n)]
    curves(axes, levels, doubled, filled=3)
    slope(axes, 1, from_coarse(levels, 1, coarse)[1] * apart(axes), fine, coarse, "above")
    _slopes(axes, [2], [_resolved(rows) for rows in levels], fine, coarse)
    legend_above(axes, [entry(f"{plain(data['name'][i])}: {_order(data, i)}", i) for i in range(n)]
                 + ([_term()] if any(drawn) else []))
    if with_variance:
        _variances(panels[1], data, variances)


def _variances(axes, data, variances):
    fine, coarse, columns = data["fine"], data["coarse"], (1, 2) if data["antithetic"] else (1,)
    low, high = positive(*(v[:, c] for v in variances for c in (1, 2)))
    margin = max(3, (high / low) ** 0.12)
    against_steps(axes, fine, coarse, low / margin, high * margin, "variance of a difference", data["units_squared"])
    if data["antithetic"]:
        for i, rows in enumerate(variances):
            axes.plot(rows[:, 0], rows[:, 2], marker=mark(i), color=colour(i), markerfacecolor="white", **BESIDE)
    curves(axes, variances, line=1.1)
    handles = [entry(f"{plain(data['name'][i])}: {_order(data, i, 'decay', 'β =')}", i) for i in range(len(variances))]
    if data["antithetic"]:
        handles.append(entry("with one fine path", color=GREY, marker="o", markerfacecolor="white", **BESIDE))
    above = max(from_coarse(variances, 1, coarse, column)[1] for column in columns)
    slope(axes, 1, above * apart(axes), fine, coarse, "above")
    _slopes(axes, [2], variances, fine, coarse)
    legend_above(axes, handles)


def quantiles(data, figure, request):
    fine, coarse, n = data["fine"], data["coarse"], data["quantiles"]
    blocks = data.numbered("quantile", n)
    axes = Panels(figure, request, 1, outside=outside(n + 1))[0]
    low, high = positive(*(rows[:, 1:4] for rows in blocks))
    against_steps(axes, fine, coarse, low / 4, high * 2, "quantile of |X(h) − X$_\\mathrm{ref}$|", data["units"])
    curves(axes, blocks, interval, line=0.9)
    start = min(from_coarse(blocks, order, coarse, column=2)[0] for order in (0.5, 1)) / apart(axes)
    slope(axes, 0.5, start, fine, coarse, "before")
    slope(axes, 1, start, fine, coarse)
    found = [f", finest {_order(data, i)}" if math.isfinite(data["order"][i]) else "" for i in range(n)]
    legend_above(axes, [entry(f"{100 * data['probability'][i]:g} %{found[i]}", i) for i in reversed(range(n))]
                 + [entry("bars: 95 % intervals", color=GREY)])


def law(data, figure, request):
    n, fine, coarse = data["functionals"], data["fine"], data["coarse"]
    panels = Panels(figure, request, data["panels"], most=2)
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"distance_{p}", n)
        low, high = positive(*(rows[:, c] for rows in blocks for c in (1, 3)))
        name = ("Smirnov" if p % 2 else "Wasserstein") + " distance from\nthe " + ("reference" if p < 3 else "uniform law")
        against_steps(axes, fine if p < 3 else data["reference"], coarse, low / 4, high * 2, "")
        axes.set_ylabel(name + ("" if p % 2 else units(data["units"])))
        curves(axes, blocks, interval, filled=lambda rows: rows[:, 4] < 0.05, line=0.7)
        if p < 3:
            _slopes(axes, [1], blocks, fine, coarse)
    panels.legend([entry(_finest(data, i), i, line=False) for i in range(n)]
                  + [_hollow("hollow: equal laws are not rejected"), entry("bars: 95 % intervals", color=GREY)])


def weak_times(data, figure, request):
    n, levels, steps = data["functionals"], data["levels"], data["step"]
    panels = Panels(figure, request, n + 1, most=2 if n == 3 else 3, outside=outside(n))
    beside = 0.06 * (data["end"] - data["start"]) if data["end"] > data["start"] else 1
    for p, axes in enumerate(panels.axes[:n]):
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
    _slopes(axes, [1, 2], blocks, steps[-1], steps[0])
    legend_above(axes, [entry(_finest(data, i), i) for i in range(n)])
    panels.legend([entry(f"h = {step_text(h)}", l, line=False) for l, h in enumerate(steps)]
                  + [_hollow("hollow: within two standard errors of 0, the bars")])


# ---- several studies ----


def comparison(data, figure, request):
    n, weak = data["studies"], data["errors"] == "weak"
    blocks = data.numbered("study", n)
    panels = Panels(figure, request, 1 + weak)
    fine, coarse = limits(*(rows[:, 0] for rows in blocks))
    low, high = _range(blocks)
    shift = [2 ** (0.14 * (i - (n - 1) / 2)) for i in range(n)]
    against_steps(panels[0], fine, coarse, low / 2, high * 2,
                  f"|weak error| of {plain(data['name'])}" if weak else "root-mean-square error", data["units"])
    curves(panels[0], blocks, doubled, filled=3, shift=shift)
    if weak:
        axes, distances = panels[1], data.numbered("distances", n)
        most = max(1.2 * np.nanmax([0, *np.abs(limits(*(d[:, 1] for d in distances)))]), 4.5)
        step_axis(axes, fine, coarse)
        axes.set_ylim(-most, most)
        axes.set_ylabel("joint standard errors from the first")
        axes.axhspan(-3, 3, color=PALE, linewidth=0, zorder=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        curves(axes, distances[1:], first=1, shift=shift)
    made = [f"{plain(data['file'][i])}: {plain(data['kind'][i])}, {words(data['integrator'][i])}, {data['paths'][i]} paths"
            for i in range(n)]
    panels.legend([entry(text, i, line=False) for i, text in enumerate(made)]
                  + [entry("bars: two standard errors" + ("; shaded: within 3" if weak else ""), color=GREY)])


def work(data, figure, request):
    n = data["studies"]
    blocks = data.numbered("study", n)
    twice = [data["integrator"].count(name) > 1 for name in data["integrator"]]
    names = [words(data["integrator"][i]) + (f", {plain(data['file'][i])}" if twice[i] else "") for i in range(n)]
    panels = Panels(figure, request, 3, most=3, ratio=1.0)
    low, high = _range(blocks)
    what = "root-mean-square error" if data["kind"] == "strong" else f"|weak error| of {plain(data['name'])}"
    for p, (axes, x) in enumerate(zip(panels, (0, 4, 5))):
        least, most = positive(*(rows[:, c] for rows in blocks for c in ((x,) if p < 2 else (5, 6, 7))))
        if p == 0:
            step_axis(axes, least, most)
        else:
            decades(axes, least / 1.5, most * 1.5, "x")
            axes.set_xlabel("evaluations of all gradients on a path" if p == 1 else "time of a path on one core [s]")
        decades(axes, low / 2, high * 2)
        if p % panels.columns == 0:
            label_y(axes, what, data["units"])
        curves(axes, blocks, doubled, filled=3, line=0.7, x=x)
        for i, rows in enumerate(blocks if p == 2 else ()):
            bars(axes, rows[:, 1], rows[:, 6], rows[:, 7], colour(i), across=True)
    panels.legend([entry(name, i, line=False) for i, name in enumerate(names)]
                  + [entry("bars: two standard errors; of times quartiles", color=GREY)])


def _levels_axis(axes, n, columns, text, unit=""):
    axes.set_xlim(-0.3, n - 0.7)
    axes.set_xticks(range(n))
    axes.set_xlabel("level l")
    _decades_of(axes, columns, text, unit)


def _decades_of(axes, columns, text, unit):
    low, high = positive(*columns)
    decades(axes, low / 2.5, high * 2.5)
    label_y(axes, text, unit)


def mlmc(data, figure, request):
    files = data["files"]
    levels, work_rows, paths = data.block("levels").rows, data.block("work").rows, data.numbered("paths", files)
    panels = Panels(figure, request, 4, ratio=0.7, outside=outside(max(3, files) + 1))
    difference, first, second = "P$_l$ − P$_{l-1}$", {"marker": mark(0), "color": colour(0)}, {"marker": mark(1), "color": colour(1)}

    axes = panels[0]
    _levels_axis(axes, data["levels"], [levels[:, 1:4 if data["antithetic"] else 3]], "variance", data["units_squared"])
    axes.plot(levels[:, 0], levels[:, 1], label=f"P$_l$ = {plain(data['name'])} at step h$_l$", **first)
    decay = ": " + _order(data, 0, "decay", "β =") if math.isfinite(data["decay"][0]) else ""
    axes.plot(levels[:, 0], levels[:, 2], label=difference + decay, **second)
    if data["antithetic"]:
        axes.plot(levels[:, 0], levels[:, 3], markerfacecolor="white", label="with one fine path", **second, **BESIDE)

    axes = panels[1]
    _levels_axis(axes, data["levels"], [levels[:, 4:6], [data["bias"]]], "|mean|", data["units"])
    axes.plot(levels[:, 0], levels[:, 4], label="P$_l$", **first)
    bars(axes, levels[:, 0], levels[:, 5] - levels[:, 6], levels[:, 5] + levels[:, 6], colour(1))
    axes.plot(levels[:, 0], levels[:, 5], label=f"{difference}, two standard errors: {_order(data, 0, symbol='q =')}", **second)
    axes.axhline(data["bias"], label=f"bias that ε = {data['epsilon'][-1]:g} allows", **SLOPE)

    axes = panels[2]
    _levels_axis(axes, data["most_levels"], [rows[:, 1] for rows in paths], "paths")
    for i, rows in enumerate(paths):
        reached = "" if data["reached"][i] else ", NOT REACHED"
        axes.plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i), label=f"ε = {data['epsilon'][i]:g}{reached}")

    axes, measured = panels[3], work_rows[:, 3] == 1
    decades(axes, data["epsilon"][-1] / 2.5, data["epsilon"][0] * 2.5, "x")
    _decades_of(axes, [work_rows[:, 1:3]], "ε² · work in iterations", data["units_squared"])
    axes.set_xlabel("rms error ε" + units(data["units"]))
    axes.plot(work_rows[:, 0], work_rows[:, 1], label="multilevel", **second)
    axes.plot(work_rows[:, 0], work_rows[:, 2], color=colour(0))
    marks(axes, work_rows[:, 0], work_rows[:, 2], 0, measured)
    plain_ones = [entry(f"plain Monte Carlo, {how}", 0, hollow=how == "predicted")
                  for how, there in (("predicted", ~measured), ("measured", measured)) if there.any()]
    for i, axes in enumerate(panels):
        legend_above(axes, axes.get_legend_handles_labels()[0] + (plain_ones if i == 3 else []), columns=2 if i == 2 else 1)
