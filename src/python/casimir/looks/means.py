"""Means over paths and over time, and numbers of several runs against the key that differs."""

import math

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import LogLocator, NullLocator

from ..errors import Refused
from .kit import (DARK, GREY, SLOPE, Panels, area, bars, binary, colour, curves, doubled, entry, interval, label_y,
                  legend_above, mark, note, plain, powers, time_axis, tint, words)

MEAN = {"color": colour(1), "linestyle": (0, (5, 2)), "linewidth": 1.2}
EXTREME = {"color": "#606060", "linewidth": 0.6}
MEMBER = {"color": "#606060", "linewidth": 0.35}
POINTS = {"linestyle": "none", "marker": ".", "markersize": 1.5}
MIDDLE = {"color": colour(0), "linewidth": 1.2}
SPOT = {"marker": "o", "markersize": 2.5, "line": False}
SEEN = 1e-12  # of the greatest: what is less is rounding


def ensemble(data, figure, request):
    bands, boxes, half, drawn = (data[key] for key in ("bands", "boxes", "half_width", "members"))
    panels = Panels(figure, request, data["panels"], most=3, ratio=0.75)
    shade = [tint(colour(0), 0.5 - 0.15 * (bands - 1 - k)) for k in range(bands)]
    for i, (axes, rows) in enumerate(zip(panels, data.numbered("panel", len(panels)))):
        t, mean, low, high, least, greatest, median = rows[:, :7].T
        time_axis(axes, 0.02 * boxes if len(t) > 1 else 0.5)
        if not panels.is_lowest(i):
            axes.set_xlabel("")
        label_y(axes, plain(data["name"][i]) + (f" {words(data['number'][i])}" if data["number"][i] else ""), data["units"][i])
        members = data.block(f"members_{i + 1}").rows
        axes.plot(members[:, 0], members[:, 1:], zorder=2, **MEMBER, **(POINTS if boxes else {}))
        for k, of in enumerate(shade):
            edges = rows[:, 7 + 2 * k], rows[:, 8 + 2 * k]
            if boxes:
                axes.bar(t, edges[1] - edges[0], 2 * half, bottom=edges[0], color=of, linewidth=0, zorder=1)
            else:
                axes.fill_between(t, *edges, color=of, linewidth=0, zorder=1)
        if boxes:
            for y, share, look in ((least, 0.5, EXTREME), (greatest, 0.5, EXTREME), (median, 1, MIDDLE)):
                bars(axes, y, t - share * half, t + share * half, look["color"], across=True, width=look["linewidth"])
            axes.errorbar(t, mean, [mean - low, high - mean], fmt="o", color=colour(1), markersize=2.5, elinewidth=1.1, capsize=1.5,
                          zorder=3)
        else:
            axes.plot(t, rows[:, 4:6], zorder=2, **EXTREME)
            axes.plot(t, median, color=colour(0), zorder=2)
            axes.fill_between(t, low, high, color=colour(1), alpha=0.3, linewidth=0, zorder=2)
            axes.plot(t, mean, zorder=3, **MEAN)
    panels.legend([*(area(_share(data["band_low"][k], data["band_high"][k]), of) for k, of in enumerate(shade)),
                   data["has_median"] and entry("median", **MIDDLE),
                   entry("mean, 95 % confidence", **({"color": colour(1), **SPOT} if boxes else MEAN)),
                   entry("least, greatest", **EXTREME),
                   drawn and entry(f"{drawn} members" if drawn > 1 else "a member", **MEMBER)])


def _share(low, high):
    return f"{100 * low:g} to {100 * high:g} % of the paths"


def time_average(data, figure, request):
    n = data["observables"]
    panels = Panels(figure, request, n + 1, most=2 if n in (1, 3) else 3, ratio=0.75)
    long_enough = (data["end"] - data["start"]) / data["batches"] / 20
    for p, rows in enumerate(data.numbered("batches", n)):
        axes = panels[p]
        time_axis(axes)
        axes.set_xlim(data["start"], data["end"])
        label_y(axes, f"average of\n{words(data['name'][p])}", data["units"][p])
        axes.axhspan(data["average_low"][p], data["average_high"][p], color=tint(colour(1), 0.35), linewidth=0, zorder=0)
        axes.axhline(data["average"][p], color=colour(1), linewidth=1.1, zorder=1)
        axes.plot(rows[:, 3], rows[:, 4], color=DARK, zorder=2)
        bars(axes, rows[:, 0], *doubled(rows), colour(0))
        axes.plot(rows[:, 0], rows[:, 1], "o", color=colour(0), markersize=2.5, zorder=3)
    axes, at = panels[n], np.arange(1, n + 1)
    axes.set_xlim(0.5, n + 0.5)
    axes.set_xticks(at, [words(name) for name in data["name"]], rotation=20 if n > 1 else 0, ha="right" if n > 1 else "center")
    axes.tick_params(axis="x", length=0)
    powers(axes, "autocorrelation time", "time_unit")
    axes.axhline(long_enough, zorder=0, **SLOPE)
    note(axes, "batch/20", (0.98, long_enough), (0, 2), xycoords=("axes fraction", "data"), ha="right")
    times = np.column_stack([at, *(data["autocorrelation" + end] for end in ("", "_low", "_high"))])
    curves(axes, times[:, None], interval)
    panels.legend([entry("mean of a batch" + (", two standard errors" if data["paths"] > 1 else ""), color=colour(0), **SPOT),
                   entry("running mean", color=DARK), area("average, 95 % confidence", tint(colour(1), 0.35)),
                   entry("bars of times: 95 % intervals", color=GREY)])


def _shades(n):
    scale = LinearSegmentedColormap.from_list("blues", ["#9ac4e4", "#2263a2", "#041c40"])
    return [scale(i / (n - 1)) if n > 1 else scale(0.6) for i in range(n)]


def _spectra(axes, data, blocks, text, unit, below, above):
    """Later spectra are darker. What is less than a share of the greatest is left out. below, above: factors of room."""
    powers(axes, "wavenumber |n|" if data["torus"] else "degree l", axis="x")
    powers(axes, text, unit)
    axes.set_xlim(max(data["first"], 0.5) / 1.15, max(data["last"], 1) * 1.15)
    axes.xaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    size, shades = 2 if data["degrees"] > 40 else 4, _shades(len(blocks))
    most = np.nanmax(np.concatenate(blocks)[:, 1])
    if not most > 0:
        raise Refused(f"no {text} is positive: nothing is there to draw")
    for rows, of in zip(blocks, shades):
        axes.plot(rows[:, 0], np.where(rows[:, 1] >= SEEN * most, rows[:, 1], np.nan), ".-", color=of, markersize=size)
    axes.set_ylim(axes.get_ylim()[0] / below, most * above)
    return [entry(f"t = {t:g}", color=of) for t, of in zip(data["when"], shades)]


def spectrum(data, figure, request):
    blocks, panels = data.numbered("spectrum", data["snapshots"]), Panels(figure, request, 1)
    axes, most = panels[0], np.nanmax(np.concatenate(blocks)[:, 1])
    handles = _spectra(axes, data, blocks, "energy", data["units"], 1, 4)
    begin, end = max(2, math.sqrt(data["last"]) / 1.5), data["last"] / 1.5
    for y, order, name in ((2.2, -5 / 3, "−5/3"), (1.2, -3, "−3")) if end > 2 * begin else ():
        last = y * most * (end / begin) ** order
        axes.plot([begin, end], [y * most, last], zorder=1, **SLOPE)
        note(axes, name, (end, last), (3, 0), va="center")
    panels.legend(handles)


def ensemble_spectrum(data, figure, request):
    shade = _shades(data["snapshots"])
    panels = Panels(figure, request, data["panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"spectrum_{p}", len(shade))
        handles = _spectra(axes, data, blocks, words(data["quantity"][p - 1]), data["units"][p - 1], 2, 3)
        for r, of in zip(blocks, shade):
            axes.fill_between(r[:, 0], r[:, 3], r[:, 4], color=of, alpha=0.3, linewidth=0)
            bars(axes, r[:, 0], *doubled(r), of)
    band = _share(data["band_low"], data["band_high"]) if math.isfinite(data["band_low"]) else "two standard errors"
    panels.legend(handles + [area("bands: " + band, tint(shade[-1], 0.3)),
                             entry("bars: two standard errors of the mean", color=GREY)])


def scaling(data, figure, request):
    ranks = np.array([data["least_ranks"], data["most_ranks"]])
    for p, axes in enumerate(Panels(figure, request, 2)):
        binary(axes, "ranks", "{:g}".format, 0.1)
        if p:
            axes.set(ylabel="parallel efficiency")
        else:
            powers(axes, "time of a run [s]")
        axes.plot(ranks, np.ones(2) if p else data["ideal"] / ranks, label="ideal" if p else "ideal, strong", **SLOPE)
        for i, kind in enumerate(("strong", "weak")):
            rows = data.block(kind).rows
            y, low, high = rows[:, 1 + 3 * p:4 + 3 * p].T
            bars(axes, rows[:, 0], low, high, colour(i))
            axes.plot(rows[:, 0], y, marker=mark(i), color=colour(i), label=kind + (", 95 %" if p else ": median, least and greatest"))
        if p:
            axes.set_ylim(0, 1.04 * axes.get_ylim()[1])
        legend_above(axes)


def _swept(data, figure, request, names, series, said, across, line=0.0):
    """A panel for each name, curves moved sideways so that bars stand beside each other; `across`: columns of x."""
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"panel_{p}", data["series"])
        axes.margins(0.06)
        axes.set(xlabel=plain(data["parameter"]), ylabel=plain(names[p - 1]))
        every = np.concatenate([rows[:, across].ravel() for rows in blocks])
        moved = [(i - 0.5 * (len(blocks) - 1)) * 0.01 * (np.nanmax(every) - np.nanmin(every) or 1) for i in range(len(blocks))]
        curves(axes, [np.column_stack([rows[:, 0] + by, rows[:, 1:]]) for rows, by in zip(blocks, moved)], interval, line=line)
        yield axes, blocks, moved
    handles = [entry(plain(name), i, line=False) for i, name in enumerate(series)]
    panels.legend(handles * (len(series) > 1) + [entry(said, color=GREY)])


def parameter(data, figure, request):
    said = "bars: 95 % intervals, or two standard errors"
    for axes, blocks, moved in _swept(data, figure, request, data["quantity"], data["label"], said, [0], line=0.7):
        below, above = axes.get_ylim()
        axes.set_ylim(below, above)
        for i, (rows, by) in enumerate(zip(blocks, moved)):  # intervals without an end reach the edge
            bars(axes, rows[:, 0] + by, np.nan_to_num(rows[:, 2], nan=below, neginf=below),
                 np.nan_to_num(rows[:, 3], nan=above, posinf=above), colour(i))


def sensitivity(data, figure, request):
    when = f" at t = {data['when'][0]:g}" if data["series"] == 1 else ""
    names, series = [f"derivative of E {name}{when}" for name in data["name"]], [f"t = {t:g}" for t in data["when"]]
    said = "bars: 95 % intervals; lines: between which runs"
    for axes, blocks, _ in _swept(data, figure, request, names, series, said, [4, 5]):
        for i, rows in enumerate(blocks):
            bars(axes, rows[:, 1], rows[:, 4], rows[:, 5], tint(colour(i), 0.5), across=True, width=0.7)
