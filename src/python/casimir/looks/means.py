"""Means over paths and over time."""

import math

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import NullLocator

from .kit import (DARK, GREY, SLOPE, Panels, area, bars, colour, curves, decades, doubled, entry, interval, label_y, legend_above,
                  limits, mark, note, plain, positive, room, time_axis, tint, words)

MEAN = {"color": colour(1), "linestyle": (0, (5, 2)), "linewidth": 1.2}
EXTREME = {"color": "#606060", "linewidth": 0.6}
MEMBER = {"color": "#606060", "linewidth": 0.35}
POINTS = {"linestyle": "none", "marker": ".", "markersize": 1.5}
MIDDLE = {"color": colour(0), "linewidth": 1.2}
SPOT = {"marker": "o", "markersize": 2.5, "line": False}


def ensemble(data, figure, request):
    bands, boxes, half = data["bands"], data["boxes"], data["half_width"]
    panels = Panels(figure, request, data["panels"], most=3, ratio=0.75)
    shade = [tint(colour(0), 0.5 - 0.15 * (bands - 1 - k)) for k in range(bands)]
    for i, (axes, rows) in enumerate(zip(panels, data.numbered("panel", len(panels)))):
        t, mean, low, high, least, greatest, median = rows[:, :7].T
        time_axis(axes, data["start"] - 2 * half * boxes, data["end"] + 2 * half * boxes)
        if not panels.is_lowest(i):
            axes.set_xlabel("")
        axes.set_ylim(*room(*limits(rows[:, 1:7 + 2 * bands])))
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
                seen = np.isfinite(y)
                axes.hlines(y[seen], t[seen] - share * half, t[seen] + share * half, zorder=2, **look)
            axes.errorbar(t, mean, [mean - low, high - mean], fmt="o", color=colour(1), markersize=2.5, elinewidth=1.1, capsize=1.5,
                          zorder=3)
        else:
            axes.plot(t, rows[:, 4:6], zorder=2, **EXTREME)
            axes.plot(t, median, color=colour(0), zorder=2)
            axes.fill_between(t, low, high, color=colour(1), alpha=0.3, linewidth=0, zorder=2)
            axes.plot(t, mean, zorder=3, **MEAN)
    panels.legend([area(_share(data["band_low"][k], data["band_high"][k]), of) for k, of in enumerate(shade)]
                  + [entry("median", **MIDDLE)] * data["has_median"]
                  + [entry("mean, 95 % confidence", **({"color": colour(1), **SPOT} if boxes else MEAN))]
                  + [entry("least, greatest", **EXTREME)]
                  + [entry(f"{data['members']} members" if data["members"] > 1 else "a member", **MEMBER)] * (data["members"] > 0))


def _share(low, high):
    return f"{100 * low:g} to {100 * high:g} % of the paths"


def time_average(data, figure, request):
    n = data["observables"]
    panels = Panels(figure, request, n + 1, most=2 if n in (1, 3) else 3, ratio=0.75)
    long_enough = (data["end"] - data["start"]) / data["batches"] / 20
    for p, rows in enumerate(data.numbered("batches", n)):
        axes, low, high = panels[p], data["average_low"][p], data["average_high"][p]
        se = np.nan_to_num(rows[:, 2])
        time_axis(axes, data["start"], data["end"])
        axes.set_ylim(*room(*limits(rows[:, 1] - se, rows[:, 1] + se, [low, high])))
        label_y(axes, f"average of\n{words(data['name'][p])}", data["units"][p])
        axes.axhspan(low, high, color=tint(colour(1), 0.35), linewidth=0, zorder=0)
        axes.axhline(data["average"][p], color=colour(1), linewidth=1.1, zorder=1)
        axes.plot(rows[:, 3], rows[:, 4], color=DARK, zorder=2)
        bars(axes, rows[:, 0], *doubled(rows), colour(0))
        axes.plot(rows[:, 0], rows[:, 1], "o", color=colour(0), markersize=2.5, zorder=3)
    axes, at = panels[n], np.arange(1, n + 1)
    low, high = positive(data["autocorrelation_low"], data["autocorrelation_high"], [long_enough])
    axes.set_xlim(0.5, n + 0.5)
    axes.set_xticks(at, [words(name) for name in data["name"]], rotation=20 if n > 1 else 0, ha="right" if n > 1 else "center")
    axes.tick_params(axis="x", length=0)
    decades(axes, low / 1.6, high * 1.6)
    label_y(axes, "autocorrelation time", "time_unit")
    axes.axhline(long_enough, zorder=0, **SLOPE)
    note(axes, "batch/20", (0.98, long_enough), (0, 2), xycoords=("axes fraction", "data"), ha="right")
    times = np.column_stack([at, *(data["autocorrelation" + end] for end in ("", "_low", "_high"))])
    curves(axes, times[:, None], interval)
    panels.legend([entry("mean of a batch" + (", two standard errors" if data["paths"] > 1 else ""), color=colour(0), **SPOT),
                   entry("running mean", color=DARK), area("average, 95 % confidence", tint(colour(1), 0.35)),
                   entry("bars of times: 95 % intervals", color=GREY)])


# ---- spectra ----

SEEN = 1e-12  # of the greatest: what is less is rounding


def _shades(n):
    scale = LinearSegmentedColormap.from_list("blues", ["#9ac4e4", "#2263a2", "#041c40"])
    return [scale(i / (n - 1)) if n > 1 else scale(0.6) for i in range(n)]


def _spectra(axes, data, blocks, least, most, text, unit):
    """Later spectra are darker."""
    low, high = max(data["first"], 0.5) / 1.15, max(data["last"], 1) * 1.15
    decades(axes, low, high, "x")
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000) if low <= t <= high]
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("wavenumber |n|" if data["torus"] else "degree l")
    decades(axes, least / 1.5, most)
    label_y(axes, text, unit)
    size, shades = 2 if data["degrees"] > 40 else 4, _shades(len(blocks))
    for rows, of in zip(blocks, shades):
        axes.plot(rows[:, 0], np.where(rows[:, 1] >= least, rows[:, 1], np.nan), ".-", color=of, markersize=size)
    return [entry(f"t = {t:g}", color=of) for t, of in zip(data["when"], shades)]


def spectrum(data, figure, request):
    blocks = data.numbered("spectrum", data["snapshots"])
    panels = Panels(figure, request, 1)
    axes, most = panels[0], positive(*(r[:, 1] for r in blocks))[1]
    least = limits(*(np.where(r[:, 1] >= SEEN * most, r[:, 1], np.nan) for r in blocks))[0]
    handles = _spectra(axes, data, blocks, least, most * 4, "energy", data["units"])
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
        most = positive(*(r[:, c] for r in blocks for c in (1, 4)))[1]
        seen = [r[:, 1] >= SEEN * most for r in blocks]
        least = limits(*(np.where(s, r[:, 1], np.nan) for r, s in zip(blocks, seen)),
                       *(np.where(s & (r[:, 3] >= 1e-3 * r[:, 1]), r[:, 3], np.nan) for r, s in zip(blocks, seen)))[0]
        handles = _spectra(axes, data, blocks, least, most * 2, words(data["quantity"][p - 1]), data["units"][p - 1])
        for r, of in zip(blocks, shade):
            axes.fill_between(r[:, 0], *np.maximum(r[:, 3:5].T, least / 1.5), color=of, alpha=0.3, linewidth=0)
            bars(axes, r[:, 0], *doubled(r), of)
    band = _share(data["band_low"], data["band_high"]) if math.isfinite(data["band_low"]) else "two standard errors"
    panels.legend(handles + [area("bands: " + band, tint(shade[-1], 0.3)),
                             entry("bars: two standard errors of the mean", color=GREY)])


# ---- scaling over ranks ----


def scaling(data, figure, request):
    panels, blocks = Panels(figure, request, 2, lines=3), [data.block(kind).rows for kind in ("strong", "weak")]
    ranks = np.array([data["least_ranks"], data["most_ranks"]])
    for p, axes in enumerate(panels):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set(xlim=(ranks[0] / 1.25, ranks[1] * 1.25), xlabel="ranks", ylabel="parallel efficiency" if p else "time of a run [s]")
        ideal = np.ones(2) if p else data["ideal"] / ranks
        low, high = positive(*(rows[:, 1 + 3 * p:4 + 3 * p] for rows in blocks), ideal)
        if p:
            axes.set_ylim(0, 1.05 * high)
        else:
            decades(axes, low / 1.5, high * 1.5)
        axes.plot(ranks, ideal, label="ideal" if p else "ideal, strong", **SLOPE)
        for i, (kind, rows) in enumerate(zip(("strong", "weak"), blocks)):
            y, low, high = rows[:, 1 + 3 * p:4 + 3 * p].T
            bars(axes, rows[:, 0], low, high, colour(i))
            axes.plot(rows[:, 0], y, marker=mark(i), color=colour(i), label=kind + (", 95 %" if p else ": median, least and greatest"))
        legend_above(axes)
