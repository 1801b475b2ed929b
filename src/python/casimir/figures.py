"""Figures by matplotlib at the width of a journal's column (84 mm) or page (174 mm)."""

import contextlib
import math
import pathlib
import re

from .results import Results

COLUMN, PAGE = 84, 174
# Okabe and Ito's, which the colour-blind tell apart
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
MARKS = ["o", "s", "^", "D", "v"]
STYLE = {"font.size": 8, "axes.labelsize": 8, "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
         "lines.linewidth": 1, "lines.markersize": 4, "axes.linewidth": 0.6}


@contextlib.contextmanager
def _style():
    """Sets the entries of STYLE and puts back these alone: a notebook's backend, which the first figure loads, sets
    others, by which later figures are shown."""
    import matplotlib

    before = {key: matplotlib.rcParams[key] for key in STYLE}
    matplotlib.rcParams.update(STYLE)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


def _figure(width):
    import matplotlib.pyplot

    inches = width / 25.4
    return matplotlib.pyplot.subplots(figsize=(inches, 0.75 * min(inches, COLUMN / 25.4 * 1.4)), layout="constrained")


def _label(name, variable):
    units = re.sub(r"\^([-0-9.]+)", r"$^{\1}$", variable.attrs.get("units", "1").replace("_", " "))
    return name.replace("_", " ") + ("" if units == "1" else f" [{units}]")


def _curves(results, kind, labels):
    """A curve, its label and its order, of one file or of several, whose labels come before those of the curves."""
    files = [results] if isinstance(results, Results) else list(results)
    several = len(files) > 1
    for i, file in enumerate(files):
        table = file.levels()
        table = table[table["error"].notna() & ((table["kind"] == kind) if kind else True)]
        orders = file.orders().set_index(["kind", "name"])["order"]
        before = labels[i] + ", " if labels else pathlib.Path(file.path).stem + ", " if several else ""
        for (of, name), curve in table.groupby(["kind", "name"], sort=False):
            order = orders.get((of, name), float("nan"))
            yield curve, f"{before}{of}, {name}" + (f": order {order:.2f}" if order == order else "")


def plot_levels(results, kind=None, width=COLUMN, labels=None):
    """Errors of all curves, or of one kind, against the step size with two standard errors; marks are hollow where an
    error is not resolved. `results` may be several files, [a, b], which then have `labels`, or their names. Returns the
    figure and its axes."""
    least = math.inf
    with _style():
        figure, axes = _figure(width)
        for i, (curve, label) in enumerate(_curves(results, kind, labels)):
            colour, mark = COLOURS[i % len(COLOURS)], MARKS[i % len(MARKS)]
            error = curve["error"].abs()
            bar = 2 * curve["standard_error"]
            below = bar.where(bar < error, 0.999 * error)
            axes.errorbar(curve["step"], error, [below, bar], fmt="none", ecolor=colour)
            for resolved, part in curve.groupby("resolved"):
                axes.plot(part["step"], part["error"].abs(), mark, color=colour,
                          markerfacecolor=colour if resolved else "white")
            axes.plot([], [], mark, color=colour, label=label)
            least = min(least, error.min())
        if least == math.inf:
            raise ValueError("there are no errors" + (f" of kind '{kind}'" if kind else "") + " to draw")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.3 * least)
        axes.set_xlabel("step size h [time unit]")
        axes.set_ylabel("error")
        axes.legend(frameon=False)
    return figure, axes


def plot_series(results, name, width=COLUMN):
    """A recorded observable of a trajectory, a line a path, or the mean and the quantiles of an ensemble, over time."""
    with _style():
        figure, axes = _figure(width)
        if f"ensemble/{name}" in results.groups:
            data = results[f"ensemble/{name}"]
            time = data["time"].values
            probability = data["probability"].values
            for i in range(len(probability) // 2):
                axes.fill_between(time, data["quantile"][:, i], data["quantile"][:, -1 - i], color=COLOURS[0], alpha=0.25,
                                  linewidth=0, label=f"{probability[i]:g} to {probability[-1 - i]:g}")
            axes.errorbar(time, data["mean"], 2 * data["standard_error"], color=COLOURS[1], label="mean")
            axes.legend(frameon=False)
            axes.set_ylabel(_label(name, data["mean"]))
        else:
            variable = results["trajectory"][name]
            axes.plot(variable["time"], variable)
            axes.set_ylabel(_label(name, variable))
        axes.set_xlabel("time t [time unit]")
    return figure, axes
