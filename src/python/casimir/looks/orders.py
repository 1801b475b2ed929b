"""Errors and distances against the step size."""

import math

import numpy as np

from .kit import (GREY, PALE, SLOPE, Panels, apart, area, bars, colour, decades, entry, from_coarse, label_y, legend_above,
                  limits, mark, marks, order_text, outside, plain, positive, slope, step_axis, step_text, time_axis, units, words)

LEADING = {"linestyle": (0, (5, 2, 1, 2)), "linewidth": 0.9}
BESIDE = {"linestyle": (0, (1.5, 2)), "linewidth": 1.0}


def _ends(rows, below=math.nan):
    """Ends of bars of two standard errors, and marks: what a logarithmic axis has to hold."""
    y, bar = rows[:, 1], np.nan_to_num(rows[:, 2])
    resolved = rows[:, 3] == 1
    return [np.where(resolved, y, np.fmax(y, bar / 10)), y + bar]


def _slopes(axes, wanted, blocks, fine, coarse, keep=None):
    """Lines of these slopes below all data."""
    for order in wanted:
        low, _ = from_coarse(blocks, order, coarse, keep=keep)
        ends = axes.get_ylim()
        slope(axes, order, low / apart(*ends), fine, coarse)


def convergence(data, figure, request):
    fine, coarse = data["fine"], data["coarse"]
    lines = [data["last"][p] - data["first"][p] + 2 + data["unresolved"][p] + data["fitted"][p] + data["differences"][p]
             for p in range(data["panels"])]
    panels = Panels(figure, request, data["panels"], outside=outside(max(lines)))
    for p, axes in enumerate(panels):
        numbers = range(data["first"][p], data["last"][p] + 1)
        points = [data.block(f"points_{i}").rows for i in numbers]
        differences = [data.block(f"differences_{i}").rows for i in numbers]
        low, high = positive(*(end for rows in points + differences for end in _ends(rows)))
        floor = _floor(points)
        noisy = floor is not None
        # There is room for the noise floor below, but no more than a decade.
        least = max(np.nanmin(floor[:, 1]), low / 10) if noisy else low
        steep = _steepness(data, p, points[0])
        flat = 1.0 if math.isfinite(steep) and abs(2 - steep) < abs(0.5 - steep) else 0.5
        step_axis(axes, fine, coarse)
        decades(axes, min(low, least) / 1.6, high * 2.2)
        label_y(axes, "root-mean-square error" if data["kind"][p] == "strong" else "|weak error|", data["units"][p])
        if noisy:
            axes.fill_between(floor[:, 0], axes.get_ylim()[0], floor[:, 1], color=PALE, linewidth=0, zorder=0)
        handles, fitted = [], False
        for k, i in enumerate(numbers):
            rows, difference, law = points[k], differences[k], data.block(f"law_{i}").rows
            of = colour(k)
            fitted |= _law(axes, law, data["order"][i - 1], of)
            bars(axes, difference[:, 0], difference[:, 1] - difference[:, 2], difference[:, 1] + difference[:, 2], of)
            marks(axes, difference[:, 0], difference[:, 1], k, size=2.4)
            bars(axes, rows[:, 0], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], of)
            marks(axes, rows[:, 0], rows[:, 1], k, rows[:, 3])
            order = order_text(data["order"][i - 1], data["order_low"][i - 1], data["order_high"][i - 1])
            handles.append(entry(f"{plain(data['name'][i - 1])}: {order}", k))
        _guides(axes, flat, steep, points, differences, fine, coarse)
        if data["unresolved"][p]:
            handles.append(entry("not resolved", color=GREY, marker="o", markerfacecolor="white", line=False))
        if fitted:
            handles.append(entry("leading term of the law", color=GREY, **LEADING))
        if data["differences"][p]:
            handles.append(entry(f"small marks: |X(h) − X(h/{data['refinement']})|, fitted", color=GREY, marker="o", markersize=2.4,
                                 line=False))
        if noisy:
            handles.append(area("noise floor: two standard errors, as the bars", PALE))
        legend_above(axes, handles)
    panels.ranges()


def _floor(points):
    """Rows (h, the largest noise of all curves); None where nothing is random."""
    rows = np.concatenate([r[:, [0, 2]] for r in points])
    rows = rows[rows[:, 1] > 0]
    steps = np.unique(rows[:, 0])
    return np.array([[h, rows[rows[:, 0] == h, 1].max()] for h in steps]) if len(rows) else None


def _law(axes, law, order, of):
    """A fitted law, where its order is resolved; whether it was drawn."""
    if not math.isfinite(order) or len(law) < 2:
        return False
    axes.plot(law[:, 0], law[:, 2], color=of, zorder=2, **LEADING)
    axes.plot(law[:, 0], law[:, 1], color=of, zorder=2)
    return True


def _steepness(data, p, rows):
    """The order, or where none is fitted the slope from the first error to the last."""
    order = data["order"][data["first"][p] - 1]
    if not math.isfinite(order) and len(rows) > 1:
        with np.errstate(all="ignore"):
            order = math.log(rows[0, 1] / rows[-1, 1]) / math.log(rows[0, 0] / rows[-1, 0])
    return order


def _guides(axes, flat, steep, points, differences, fine, coarse):
    """The two slopes of 1/2, 1, 2 that are nearest to the order: one at least as steep as that is below all that is resolved,
    another above."""
    ends = axes.get_ylim()
    blocks = [rows[(rows[:, 3] == 1) | (np.arange(len(rows)) == 0)] for rows in points] + differences
    starts = [from_coarse(blocks, order, coarse) for order in (flat, 2 * flat)]
    below = not math.isfinite(steep) or flat > steep - 0.15
    steep_start = starts[1][0] / apart(*ends)
    flat_start = starts[0][0] / apart(*ends) if below else starts[0][1] * apart(*ends)
    if below:
        flat_start = steep_start = min(flat_start, steep_start)
    top = max(ends[1], 1.5 * flat_start, 1.5 * steep_start)
    if math.isfinite(top) and top > ends[1]:
        decades(axes, ends[0], top)
    slope(axes, flat, flat_start, fine, coarse, below)
    slope(axes, 2 * flat, steep_start, fine, coarse)


def multilevel(data, figure, request):
    fine, coarse, n = data["fine"], data["coarse"], data["functionals"]
    levels = [data.block(f"levels_{i}").rows for i in range(1, n + 1)]
    variances = [data.block(f"variances_{i}").rows for i in range(1, n + 1)]
    with_variance = math.isfinite(positive(*(v[:, 1] for v in variances))[0])  # without noise there are none
    panels = Panels(figure, request, 1 + with_variance, outside=outside(n + 1))
    axes = panels[0]
    low, high = positive(*(end for rows in levels for end in (rows[:, 1], rows[:, 1] + np.nan_to_num(rows[:, 2]))))
    step_axis(axes, fine, coarse)
    decades(axes, low / 3, high * 4)
    label_y(axes, f"|E φ(X(h)) − E φ(X(h/{data['refinement']}))|", data["units"])
    handles, drawn = [], False
    for i, rows in enumerate(levels):
        drawn |= _law(axes, data.block(f"law_{i + 1}").rows, data["order"][i], colour(i))
        bars(axes, rows[:, 0], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], colour(i))
        marks(axes, rows[:, 0], rows[:, 1], i, rows[:, 3])
        handles.append(entry(f"{plain(data['name'][i])}: "
                             + order_text(data["order"][i], data["order_low"][i], data["order_high"][i]), i))
    slope(axes, 1, from_coarse(levels, 1, coarse)[1] * apart(*axes.get_ylim()), fine, coarse, below=False)
    _slopes(axes, [2], levels, fine, coarse, keep=lambda rows: (rows[:, 3] == 1) | (np.arange(len(rows)) == 0))
    legend_above(axes, handles + ([entry("leading term of the law", color=GREY, **LEADING)] if drawn else []))
    if with_variance:
        _variances(panels[1], data, variances)
    panels.ranges()


def _variances(axes, data, variances):
    fine, coarse = data["fine"], data["coarse"]
    low, high = positive(*(v[:, c] for v in variances for c in (1, 2)))
    margin = max(3, (high / low) ** 0.12)
    step_axis(axes, fine, coarse)
    decades(axes, low / margin, high * margin)
    label_y(axes, "variance of a difference", data["units_squared"])
    handles = []
    for i, rows in enumerate(variances):
        if data["antithetic"]:
            axes.plot(rows[:, 0], rows[:, 2], marker=mark(i), color=colour(i), markerfacecolor="white", **BESIDE)
        axes.plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i))
        handles.append(entry(f"{plain(data['name'][i])}: "
                             + order_text(data["decay"][i], data["decay_low"][i], data["decay_high"][i], "β ="), i))
    if data["antithetic"]:
        handles.append(entry("with one fine path", color=GREY, marker="o", markerfacecolor="white", **BESIDE))
    above = max(from_coarse(variances, 1, coarse, column)[1] for column in ((1, 2) if data["antithetic"] else (1,)))
    slope(axes, 1, above * apart(*axes.get_ylim()), fine, coarse, below=False)
    _slopes(axes, [2], variances, fine, coarse)
    legend_above(axes, handles)


def quantiles(data, figure, request):
    fine, coarse, n = data["fine"], data["coarse"], data["quantiles"]
    blocks = [data.block(f"quantile_{i}").rows for i in range(1, n + 1)]
    panels = Panels(figure, request, 1, outside=outside(n + 1))
    axes = panels[0]
    low, high = positive(*(rows[:, c] for rows in blocks for c in (1, 2, 3)))
    step_axis(axes, fine, coarse)
    decades(axes, low / 4, high * 2)
    label_y(axes, "quantile of |X(h) − X$_\\mathrm{ref}$|", data["units"])
    handles = []
    for i, rows in reversed(list(enumerate(blocks))):
        bars(axes, rows[:, 0], rows[:, 2], rows[:, 3], colour(i))
        axes.plot(rows[:, 0], rows[:, 1], color=colour(i), linewidth=0.9)
        marks(axes, rows[:, 0], rows[:, 1], i)
        order = data["order"][i], data["order_low"][i], data["order_high"][i]
        found = f", finest {order_text(*order)}" if math.isfinite(order[0]) else ""
        handles.append(entry(f"{100 * data['probability'][i]:g} %{found}", i))
    start = min(from_coarse(blocks, order, coarse, column=2)[0] for order in (0.5, 1)) / apart(*axes.get_ylim())
    for order in (0.5, 1):
        slope(axes, order, start, fine, coarse)
    legend_above(axes, handles + [entry("bars: 95 % intervals", color=GREY)])
    panels.ranges()


def law(data, figure, request):
    n, fine, coarse = data["functionals"], data["fine"], data["coarse"]
    panels = Panels(figure, request, data["panels"], most=2)
    for p, axes in enumerate(panels, 1):
        blocks = [data.block(f"distance_{p}_{i}").rows for i in range(1, n + 1)]
        low, high = positive(*(rows[:, c] for rows in blocks for c in (1, 3)))
        step_axis(axes, fine if p < 3 else data["reference"], coarse)
        decades(axes, low / 4, high * 2)
        name = ("Smirnov" if p % 2 else "Wasserstein") + " distance from\nthe " + ("reference" if p < 3 else "uniform law")
        axes.set_ylabel(name + ("" if p % 2 else units(data["units"])))
        for i, rows in enumerate(blocks):
            bars(axes, rows[:, 0], rows[:, 2], rows[:, 3], colour(i))
            axes.plot(rows[:, 0], rows[:, 1], color=colour(i), linewidth=0.7)
            marks(axes, rows[:, 0], rows[:, 1], i, rows[:, 4] < 0.05)
        if p < 3:
            _slopes(axes, [1], blocks, fine, coarse)
    panels.legend([entry(_finest(data, i), i, line=False) for i in range(n)]
                  + [entry("hollow: equal laws are not rejected", color=GREY, marker="o", markerfacecolor="white", line=False),
                     entry("bars: 95 % intervals", color=GREY)])
    panels.ranges()


def _finest(data, i):
    order = data["order"][i], data["order_low"][i], data["order_high"][i]
    return plain(data["name"][i]) + (f": finest {order_text(*order)}" if math.isfinite(order[0]) else "")


def weak_times(data, figure, request):
    n, levels, steps = data["functionals"], data["levels"], data["step"]
    panels = Panels(figure, request, n + 1, most=2 if n == 3 else 3, outside=outside(n))
    beside = 0.06 * (data["end"] - data["start"]) if data["end"] > data["start"] else 1
    for p in range(n):
        axes = panels[p]
        blocks = [data.block(f"error_{p + 1}_{l}").rows for l in range(1, levels + 1)]
        low, high = positive(*(end for rows in blocks for end in (rows[:, 1], rows[:, 1] + rows[:, 2])))
        time_axis(axes, data["start"] - beside, data["end"] + beside)
        decades(axes, low / 3, high * 1.6)
        label_y(axes, f"|weak error| of {plain(data['name'][p])}", data["units"][p])
        for l, rows in enumerate(blocks):
            bars(axes, rows[:, 0], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], colour(l))
            axes.plot(rows[:, 0], rows[:, 1], color=colour(l), linewidth=0.7)
            marks(axes, rows[:, 0], rows[:, 1], l, rows[:, 3])
    axes = panels[n]
    blocks = [data.block(f"supremum_{i}").rows for i in range(1, n + 1)]
    low, high = positive(*(rows[:, c] for rows in blocks for c in (1, 2, 3)))
    step_axis(axes, steps[-1], steps[0])
    decades(axes, low / 4, high * 2)
    label_y(axes, "supremum over the times", data["supremum_units"])
    for i, rows in enumerate(blocks):
        bars(axes, rows[:, 0], rows[:, 2], rows[:, 3], colour(i))
        axes.plot(rows[:, 0], rows[:, 1], color=colour(i), linewidth=0.9)
        marks(axes, rows[:, 0], rows[:, 1], i)
    _slopes(axes, [1, 2], blocks, steps[-1], steps[0])
    legend_above(axes, [entry(_finest(data, i), i) for i in range(n)])
    panels.legend([entry(f"h = {step_text(h)}", l, line=False) for l, h in enumerate(steps)]
                  + [entry("hollow: within two standard errors of 0, the bars", color=GREY, marker="o", markerfacecolor="white",
                           line=False)])
    panels.ranges()


def comparison(data, figure, request):
    n, weak = data["studies"], data["errors"] == "weak"
    blocks = [data.block(f"study_{i}").rows for i in range(1, n + 1)]
    panels = Panels(figure, request, 1 + weak)
    fine, coarse = limits(*(rows[:, 0] for rows in blocks))
    low, high = positive(*(end for rows in blocks for end in _ends(rows)))
    shift = [2 ** (0.14 * (i - (n - 1) / 2)) for i in range(n)]
    axes = panels[0]
    step_axis(axes, fine, coarse)
    decades(axes, low / 2, high * 2)
    label_y(axes, f"|weak error| of {plain(data['name'])}" if weak else "root-mean-square error", data["units"])
    for i, rows in enumerate(blocks):
        bars(axes, rows[:, 0] * shift[i], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], colour(i))
        marks(axes, rows[:, 0] * shift[i], rows[:, 1], i, rows[:, 3])
    if weak:
        axes = panels[1]
        distances = [data.block(f"distances_{i}").rows for i in range(1, n + 1)]
        most = max(1.2 * np.nanmax([0, *(abs(v) for v in limits(*(d[:, 1] for d in distances)) if math.isfinite(v))]), 4.5)
        step_axis(axes, fine, coarse)
        axes.set_ylim(-most, most)
        axes.set_ylabel("joint standard errors from the first")
        axes.axhspan(-3, 3, color=PALE, linewidth=0, zorder=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        for i in range(1, n):
            marks(axes, distances[i][:, 0] * shift[i], distances[i][:, 1], i)
    made = [f"{plain(data['file'][i])}: {plain(data['kind'][i])}, {words(data['integrator'][i])}, {data['paths'][i]} paths"
            for i in range(n)]
    panels.legend([entry(text, i, line=False) for i, text in enumerate(made)]
                  + [entry("bars: two standard errors" + ("; shaded: within 3" if weak else ""), color=GREY)])
    panels.ranges()


def work(data, figure, request):
    n = data["studies"]
    blocks = [data.block(f"study_{i}").rows for i in range(1, n + 1)]
    twice = [data["integrator"].count(name) > 1 for name in data["integrator"]]
    names = [words(data["integrator"][i]) + (f", {plain(data['file'][i])}" if twice[i] else "") for i in range(n)]
    panels = Panels(figure, request, 3, most=3, ratio=1.0)
    low, high = positive(*(end for rows in blocks for end in _ends(rows)))
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
        for i, rows in enumerate(blocks):
            axes.plot(rows[:, x], rows[:, 1], color=colour(i), linewidth=0.7)
            bars(axes, rows[:, x], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], colour(i))
            if p == 2:
                bars(axes, rows[:, 1], rows[:, 6], rows[:, 7], colour(i), across=True)
            marks(axes, rows[:, x], rows[:, 1], i, rows[:, 3])
    panels.legend([entry(name, i, line=False) for i, name in enumerate(names)]
                  + [entry("bars: two standard errors; of times quartiles", color=GREY)])
    panels.ranges()


def mlmc(data, figure, request):
    files = data["files"]
    levels, work_rows = data.block("levels").rows, data.block("work").rows
    paths = [data.block(f"paths_{i}").rows for i in range(1, files + 1)]
    panels = Panels(figure, request, 4, ratio=0.7, outside=outside(max(3, files) + 1))
    difference = "P$_l$ − P$_{l-1}$"

    def axis(axes, n, *columns):
        if n:
            axes.set_xlim(-0.3, n - 0.7)
            axes.set_xticks(range(n))
            axes.set_xlabel("level l")
        low, high = positive(*columns)
        decades(axes, low / 2.5, high * 2.5)

    axes = panels[0]
    axis(axes, data["levels"], *levels[:, 1:3].T, *([levels[:, 3]] if data["antithetic"] else []))
    label_y(axes, "variance", data["units_squared"])
    axes.plot(levels[:, 0], levels[:, 1], marker=mark(0), color=colour(0), label=f"P$_l$ = {plain(data['name'])} at step h$_l$")
    decay = f": β = {data['decay'][0]:.2f} [{data['decay_low'][0]:.2f}, {data['decay_high'][0]:.2f}]" \
        if math.isfinite(data["decay"][0]) else ""
    axes.plot(levels[:, 0], levels[:, 2], marker=mark(1), color=colour(1), label=difference + decay)
    if data["antithetic"]:
        axes.plot(levels[:, 0], levels[:, 3], marker=mark(1), color=colour(1), markerfacecolor="white", label="with one fine path",
                  **BESIDE)
    legend_above(axes)

    axes = panels[1]
    axis(axes, data["levels"], *levels[:, 4:6].T, [data["bias"]])
    label_y(axes, "|mean|", data["units"])
    axes.plot(levels[:, 0], levels[:, 4], marker=mark(0), color=colour(0), label="P$_l$")
    bars(axes, levels[:, 0], levels[:, 5] - levels[:, 6], levels[:, 5] + levels[:, 6], colour(1))
    order = order_text(data["order"][0], data["order_low"][0], data["order_high"][0], "q =")
    axes.plot(levels[:, 0], levels[:, 5], marker=mark(1), color=colour(1), label=f"{difference}, two standard errors: {order}")
    axes.axhline(data["bias"], label=f"bias that ε = {data['epsilon'][-1]:g} allows", **SLOPE)
    legend_above(axes)

    axes = panels[2]
    axis(axes, data["most_levels"], *(rows[:, 1] for rows in paths))
    axes.set_ylabel("paths")
    for i, rows in enumerate(paths):
        reached = "" if data["reached"][i] else ", NOT REACHED"
        axes.plot(rows[:, 0], rows[:, 1], marker=mark(i), color=colour(i), label=f"ε = {data['epsilon'][i]:g}{reached}")
    legend_above(axes, columns=2)

    axes = panels[3]
    decades(axes, data["epsilon"][-1] / 2.5, data["epsilon"][0] * 2.5, "x")
    axis(axes, 0, *work_rows[:, 1:3].T)
    axes.set_xlabel("rms error ε" + units(data["units"]))
    label_y(axes, "ε² · work in iterations", data["units_squared"])
    axes.plot(work_rows[:, 0], work_rows[:, 1], marker=mark(1), color=colour(1), label="multilevel")
    measured = work_rows[:, 3] == 1
    axes.plot(work_rows[:, 0], work_rows[:, 2], color=colour(0))
    marks(axes, work_rows[:, 0], work_rows[:, 2], 0, measured)
    handles = axes.get_legend_handles_labels()[0]
    if (~measured).any():
        handles.append(entry("plain Monte Carlo, predicted", 0, hollow=True))
    if measured.any():
        handles.append(entry("plain Monte Carlo, measured", 0))
    legend_above(axes, handles)
    panels.ranges()
