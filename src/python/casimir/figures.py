"""Figures by matplotlib at the width of a journal's column (84 mm) or page (174 mm)."""

import re

COLUMN, PAGE = 84, 174
# Okabe and Ito's, which the colour-blind tell apart
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
MARKS = ["o", "s", "^", "D", "v"]
STYLE = {"font.size": 8, "axes.labelsize": 8, "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
         "lines.linewidth": 1, "lines.markersize": 4, "axes.linewidth": 0.6}


def _figure(width):
    import matplotlib.pyplot

    inches = width / 25.4
    return matplotlib.pyplot.subplots(figsize=(inches, 0.75 * min(inches, COLUMN / 25.4 * 1.4)), layout="constrained")


def _label(name, variable):
    units = re.sub(r"\^([-0-9.]+)", r"$^{\1}$", variable.attrs.get("units", "1").replace("_", " "))
    return name.replace("_", " ") + ("" if units == "1" else f" [{units}]")


def plot_levels(results, kind=None, width=COLUMN):
    """Errors of all curves, or of one kind, against the step size with two standard errors; marks are hollow where an
    error is not resolved. Returns the figure and its axes."""
    import matplotlib

    table = results.levels()
    table = table[table["error"].notna() & ((table["kind"] == kind) if kind else True)]
    orders = results.orders().set_index(["kind", "name"])
    with matplotlib.rc_context(STYLE):
        figure, axes = _figure(width)
        for i, ((of, name), curve) in enumerate(table.groupby(["kind", "name"], sort=False)):
            colour = COLOURS[i % len(COLOURS)]
            order = orders["order"].get((of, name), float("nan"))
            label = f"{of}, {name}" + (f": order {order:.2f}" if order == order else "")
            error = curve["error"].abs()
            bar = 2 * curve["standard_error"]
            below = bar.where(bar < error, 0.999 * error)
            axes.errorbar(curve["step"], error, [below, bar], fmt="none", ecolor=colour)
            for resolved, part in curve.groupby("resolved"):
                axes.plot(part["step"], part["error"].abs(), MARKS[i % len(MARKS)], color=colour,
                          markerfacecolor=colour if resolved else "white")
            axes.plot([], [], MARKS[i % len(MARKS)], color=colour, label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.3 * table["error"].abs().min())
        axes.set_xlabel("step size h [time unit]")
        axes.set_ylabel("error")
        axes.legend(frameon=False)
    return figure, axes


def plot_series(results, name, width=COLUMN):
    """A recorded observable of a trajectory, a line a path, or the mean and the quantiles of an ensemble, over time."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
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
