"""Plain figures for notebooks, of errors and of observables, whose axes can be drawn on."""

import contextlib
import pathlib

from .looks import kit
from .looks.kit import COLUMN, PAGE  # noqa: F401 widths of a journal's column and page, in mm
from .looks.sheet import style
from .pictures.motion import Observed
from .results import Results
from .source import Source


@contextlib.contextmanager
def _figure(width):
    """A figure of pyplot, which notebooks show, in the style of all figures."""
    import matplotlib.pyplot

    with style():
        inches = width / 25.4
        yield matplotlib.pyplot.subplots(figsize=(inches, 0.75 * min(inches, COLUMN / 25.4 * 1.4)), layout="constrained")


def plot_levels(results, kind=None, width=COLUMN, labels=None):
    """Errors of all curves, or of one kind, against the step size with two standard errors; marks are hollow where an
    error is not resolved. `results` may be several files, [a, b], which then have `labels`, or their names. Returns the
    figure and its axes."""
    files, blocks, names = [results] if isinstance(results, Results) else list(results), [], []
    for i, file in enumerate(files):
        before = labels[i] + ", " if labels else pathlib.Path(file.path).stem + ", " if len(files) > 1 else ""
        orders = file.orders().set_index(["kind", "name"])["order"].dropna()
        for (of, name), curve in file.levels().dropna(subset=["error"]).groupby(["kind", "name"], sort=False):
            if kind in (None, of):
                order = f": order {orders[of, name]:.2f}" if (of, name) in orders else ""
                names.append(f"{before}{of}, {name}{order}")
                blocks.append(curve.assign(error=curve["error"].abs(), standard_error=2 * curve["standard_error"])
                              [["step", "error", "standard_error", "resolved"]].to_numpy(float))
    if not blocks:
        raise ValueError("there are no errors" + (f" of kind '{kind}'" if kind else "") + " to draw")
    with _figure(width) as (figure, axes):
        kit.against_steps(axes, "error")
        kit.curves(axes, blocks, kit.doubled, filled=3)
        axes.legend(handles=[kit.entry(name, i, line=False) for i, name in enumerate(names)])
    return figure, axes


def plot_series(results, name, width=COLUMN):
    """An observable or a component of the state of a trajectory, a line a path, or the mean and the quantiles of an ensemble,
    over time."""
    with contextlib.closing(Source(results.path)) as source:
        data = source.group(f"ensemble/{name}")
        series = None if data else Observed(source, name)
        with _figure(width) as (figure, axes):
            if data:
                time, probability = data["time"], data["probability"]
                for i in range(len(probability) // 2):
                    axes.fill_between(time, data["quantile"][:, i], data["quantile"][:, -1 - i], color=kit.colour(0), alpha=0.25,
                                      linewidth=0, label=f"{probability[i]:g} to {probability[-1 - i]:g}")
                axes.errorbar(time, data["mean"], 2 * data["standard_error"], color=kit.colour(1), label="mean")
                axes.legend()
            else:
                axes.plot(series.time, series.value.reshape(series.records, -1))
            kit.label_y(axes, kit.words(name), data.units("mean") if data else series.units)
            kit.time_axis(axes, axes.margins()[0])
    return figure, axes
