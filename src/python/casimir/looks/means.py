"""Means over paths and over time."""

import math

import numpy as np

from .kit import (COLUMN, DARK, GREY, PAGE, SLOPE, Panels, area, bars, colour, decades, entry, label_y, legend_above, limits, mark,
                  marks, outside, plain, positive, room, time_axis, tint, units, words)

MEAN = {"color": colour(1), "linestyle": (0, (5, 2)), "linewidth": 1.2}
EXTREME = {"color": "#606060", "linewidth": 0.6}
MEMBER = {"color": "#606060", "linewidth": 0.35}


def ensemble(data, figure, request):
    n, bands, boxes = data["panels"], data["bands"], data["boxes"]
    panels = Panels(figure, request, n, most=3, ratio=0.75)
    half = data["half_width"]
    shade = [tint(colour(0), 0.5 - 0.15 * (bands - 1 - k)) for k in range(bands)]
    for i, axes in enumerate(panels):
        rows = data.block(f"panel_{i + 1}").rows
        members = data.blocks.get(f"members_{i + 1}")
        t, mean = rows[:, 0], rows[:, 1]
        time_axis(axes, data["start"] - 2 * half * boxes, data["end"] + 2 * half * boxes)
        if not panels.is_lowest(i):
            axes.set_xlabel("")
        axes.set_ylim(*room(*limits(rows[:, 1:7 + 2 * bands])))
        label_y(axes, plain(data["name"][i]) + (f" {words(data['number'][i])}" if data["number"][i] else ""), data["units"][i])
        for k in range(bands):
            low, high = rows[:, 7 + 2 * k], rows[:, 8 + 2 * k]
            if boxes:
                axes.bar(t, high - low, 2 * half, bottom=low, color=shade[k], linewidth=0, zorder=1)
            else:
                axes.fill_between(t, low, high, color=shade[k], linewidth=0, zorder=1)
        if members is not None:
            axes.plot(members.rows[:, 0], members.rows[:, 1:], **({**MEMBER, "linestyle": "none", "marker": ".", "markersize": 1.5}
                                                                 if boxes else MEMBER), zorder=2)
        if boxes:
            for column, share, look in ((4, 0.5, EXTREME), (5, 0.5, EXTREME), (6, 1, {"color": colour(0), "linewidth": 1.2})):
                axes.hlines(rows[:, column], t - share * half, t + share * half, zorder=2, **look)
            axes.errorbar(t, mean, [mean - rows[:, 2], rows[:, 3] - mean], fmt="o", color=colour(1), markersize=2.5, elinewidth=1.1,
                          capsize=1.5, zorder=3)
        else:
            axes.plot(t, rows[:, 4:6], zorder=2, **EXTREME)
            axes.plot(t, rows[:, 6], color=colour(0), zorder=2)
            axes.fill_between(t, rows[:, 2], rows[:, 3], color=colour(1), alpha=0.3, linewidth=0, zorder=2)
            axes.plot(t, mean, zorder=3, **MEAN)
    handles = [area(f"{100 * data['band_low'][k]:g} to {100 * data['band_high'][k]:g} % of the paths", shade[k]) for k in range(bands)]
    handles += [entry("median", color=colour(0), linewidth=1.2)] if data["has_median"] else []
    handles += [entry("mean, 95 % confidence", color=colour(1), marker="o", markersize=2.5, line=False) if boxes else
                entry("mean, 95 % confidence", **MEAN), entry("least, greatest", **EXTREME)]
    if data["members"]:
        handles.append(entry(f"{data['members']} members" if data["members"] > 1 else "a member", **MEMBER))
    panels.legend(handles)
    panels.ranges()


def time_average(data, figure, request):
    n = data["observables"]
    panels = Panels(figure, request, n + 1, most=2 if n in (1, 3) else 3, ratio=0.75)
    long_enough = (data["end"] - data["start"]) / data["batches"] / 20
    for p in range(n):
        axes, rows = panels[p], data.block(f"batches_{p + 1}").rows
        low, high = data["average_low"][p], data["average_high"][p]
        se = np.nan_to_num(rows[:, 2])
        time_axis(axes, data["start"], data["end"])
        axes.set_ylim(*room(*limits(rows[:, 1] - se, rows[:, 1] + se, [low, high])))
        label_y(axes, f"average of\n{words(data['name'][p])}", data["units"][p])
        axes.axhspan(low, high, color=tint(colour(1), 0.35), linewidth=0, zorder=0)
        axes.axhline(data["average"][p], color=colour(1), linewidth=1.1, zorder=1)
        axes.plot(rows[:, 3], rows[:, 4], color=DARK, zorder=2)
        bars(axes, rows[:, 0], rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2], colour(0))
        axes.plot(rows[:, 0], rows[:, 1], "o", color=colour(0), markersize=2.5, zorder=3)
    axes = panels[n]
    at = np.arange(1, n + 1)
    low, high = positive(data["autocorrelation_low"], data["autocorrelation_high"], [long_enough])
    axes.set_xlim(0.5, n + 0.5)
    axes.set_xticks(at, [words(name) for name in data["name"]], rotation=20 if n > 1 else 0, ha="right" if n > 1 else "center")
    axes.tick_params(axis="x", length=0)
    decades(axes, low / 1.6, high * 1.6)
    label_y(axes, "autocorrelation time", "time_unit")
    axes.axhline(long_enough, zorder=0, **SLOPE)
    axes.annotate("batch/20", (0.98, long_enough), xycoords=("axes fraction", "data"), xytext=(0, 2), textcoords="offset points",
                  ha="right", color="#606060", fontsize=7)
    for i in range(n):
        bars(axes, [at[i]], [data["autocorrelation_low"][i]], [data["autocorrelation_high"][i]], colour(i))
        marks(axes, [at[i]], [data["autocorrelation"][i]], i)
    panels.legend([entry("mean of a batch" + (", two standard errors" if data["paths"] > 1 else ""), color=colour(0), marker="o",
                         markersize=2.5, line=False), entry("running mean", color=DARK),
                   area("average, 95 % confidence", tint(colour(1), 0.35)), entry("bars of times: 95 % intervals", color=GREY)])
    panels.ranges()


# ---- spectra ----


def _shades(n):
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("blues", ["#9ac4e4", "#2263a2", "#041c40"])
    return [scale(i / (n - 1)) if n > 1 else scale(0.6) for i in range(n)]


def _degree_axis(axes, data):
    low, high = max(data["first"], 0.5) / 1.15, max(data["last"], 1) * 1.15
    decades(axes, low, high, "x")
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000) if low <= t <= high]
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.xaxis.set_minor_locator(_no_ticks())
    axes.set_xlabel("wavenumber |n|" if data["torus"] else "degree l")


def _no_ticks():
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _when(t):
    return f"t = {t:g}"


def spectrum(data, figure, request):
    n = data["snapshots"]
    rows = [data.block(f"spectrum_{i}").rows for i in range(1, n + 1)]
    panels = Panels(figure, request, 1)
    axes, shade = panels[0], _shades(n)
    most = positive(*(r[:, 1] for r in rows))[1]
    least = limits(*(np.where(r[:, 1] >= 1e-12 * most, r[:, 1], np.nan) for r in rows))[0]
    _degree_axis(axes, data)
    decades(axes, least / 1.5, most * 4)
    label_y(axes, "energy", data["units"])
    begin, end = max(2, math.sqrt(data["last"]) / 1.5), data["last"] / 1.5
    if end > 2 * begin:
        for y, order, name in ((2.2, -5 / 3, "−5/3"), (1.2, -3, "−3")):
            last = y * most * (end / begin) ** order
            axes.plot([begin, end], [y * most, last], zorder=1, **SLOPE)
            axes.annotate(name, (end, last), xytext=(3, 0), textcoords="offset points", va="center", color="#606060", fontsize=7)
    for r, of in zip(rows, shade):
        axes.plot(r[:, 0], np.where(r[:, 1] >= least, r[:, 1], np.nan), ".-", color=of, markersize=2 if data["degrees"] > 40 else 4)
    panels.legend([entry(_when(t), color=of) for t, of in zip(data["when"], shade)])
    panels.ranges()


def ensemble_spectrum(data, figure, request):
    n, shade = data["snapshots"], _shades(data["snapshots"])
    panels = Panels(figure, request, data["panels"])
    for p, axes in enumerate(panels, 1):
        rows = [data.block(f"spectrum_{p}_{i}").rows for i in range(1, n + 1)]
        most = positive(*(r[:, c] for r in rows for c in (1, 4)))[1]
        seen = [np.where(r[:, 1] >= 1e-12 * most, r[:, 1], np.nan) for r in rows]
        least = limits(*seen, *(np.where((r[:, 1] >= 1e-12 * most) & (r[:, 3] >= 1e-3 * r[:, 1]), r[:, 3], np.nan) for r in rows))[0]
        _degree_axis(axes, data)
        decades(axes, least / 1.5, most * 2)
        label_y(axes, words(data["quantity"][p - 1]), data["units"][p - 1])
        for r, y, of in zip(rows, seen, shade):
            axes.fill_between(r[:, 0], np.maximum(r[:, 3], least / 1.5), np.maximum(r[:, 4], least / 1.5), color=of, alpha=0.3,
                              linewidth=0)
            bars(axes, r[:, 0], r[:, 1] - r[:, 2], r[:, 1] + r[:, 2], of)
            axes.plot(r[:, 0], np.where(y >= least, y, np.nan), ".-", color=of, markersize=2 if data["degrees"] > 40 else 4)
    band = f"{100 * data['band_low']:g} to {100 * data['band_high']:g} % of the paths" if math.isfinite(data["band_low"]) else \
        "two standard errors"
    panels.legend([entry(_when(t), color=of) for t, of in zip(data["when"], shade)]
                  + [area("bands: " + band, tint(shade[-1], 0.3)), entry("bars: two standard errors of the mean", color=GREY)])
    panels.ranges()


# ---- sweeps ----


def parameter(data, figure, request):
    n = data["series"]
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        rows = [data.block(f"panel_{p}_{i}").rows for i in range(1, n + 1)]
        x_low, x_high = limits(*(r[:, 0] for r in rows))
        beside = 0.06 * (x_high - x_low) if x_high > x_low else 1
        axes.set_xlim(x_low - beside, x_high + beside)
        axes.set_ylim(*room(*limits(*(r[:, c] for r in rows for c in (1, 2, 3))), 0.08))
        axes.set_xlabel(plain(data["parameter"]))
        axes.set_ylabel(plain(data["quantity"][p - 1]))
        for i, r in enumerate(rows):
            x = r[:, 0] + (i - 0.5 * (n - 1)) * 0.16 * beside
            low, high = (np.where(np.isfinite(r[:, c]), r[:, c], axes.get_ylim()[c - 2]) for c in (2, 3))
            bars(axes, x, low, high, colour(i))
            axes.plot(x, r[:, 1], color=colour(i), linewidth=0.7)
            marks(axes, x, r[:, 1], i)
    bar = entry("bars: 95 % intervals, or two standard errors", color=GREY)
    panels.legend(([entry(plain(name), i, line=False) for i, name in enumerate(data["label"])] if n > 1 else []) + [bar])
    panels.ranges()


def sensitivity(data, figure, request):
    n = data["series"]
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        rows = [data.block(f"panel_{p}_{i}").rows for i in range(1, n + 1)]
        x_low, x_high = limits(*(r[:, c] for r in rows for c in (4, 5)))
        beside = 0.04 * (x_high - x_low)
        axes.set_xlim(x_low - beside, x_high + beside)
        axes.set_ylim(*room(*limits(*(r[:, c] for r in rows for c in (1, 2, 3)))))
        axes.set_xlabel(plain(data["parameter"]))
        at = f" at {_when(data['when'][0])}" if n == 1 else ""
        axes.set_ylabel(f"derivative of E {plain(data['name'][p - 1])}{at}")
        for i, r in enumerate(rows):
            x = r[:, 0] + (i - 0.5 * (n - 1)) * 0.25 * beside
            axes.hlines(r[:, 1], r[:, 4], r[:, 5], color=tint(colour(i), 0.5), linewidth=0.7, zorder=1)
            bars(axes, x, r[:, 2], r[:, 3], colour(i))
            marks(axes, x, r[:, 1], i)
    panels.legend(([entry(_when(t), i, line=False) for i, t in enumerate(data["when"])] if n > 1 else [])
                  + [entry("bars: 95 % intervals; lines: between which runs", color=GREY)])
    panels.ranges()


def scaling(data, figure, request):
    panels = Panels(figure, request, 2, outside=outside(3))
    for p, axes in enumerate(panels):
        axes.set_xscale("log", base=2)
        axes.set_xlim(data["least_ranks"] / 1.25, data["most_ranks"] * 1.25)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set_xlabel("ranks")
        ranks = np.array([data["least_ranks"], data["most_ranks"]])
        if p == 0:
            axes.set_ylabel("time of a run [s]")
            low, high = positive(*(data.block(k).rows[:, 1:4] for k in ("strong", "weak")), data["ideal"] / ranks)
            decades(axes, low / 1.5, high * 1.5)
            axes.plot(ranks, data["ideal"] / ranks, label="ideal, strong", **SLOPE)
        else:
            axes.set_ylabel("parallel efficiency")
            axes.plot(ranks, [1, 1], label="ideal", **SLOPE)
            axes.set_ylim(0, 1.05 * max(1, limits(*(data.block(k).rows[:, 4:7] for k in ("strong", "weak")))[1]))
        for i, kind in enumerate(("strong", "weak")):
            r = data.block(kind).rows
            y, low, high = r[:, 1 + 3 * p:4 + 3 * p].T
            bars(axes, r[:, 0], low, high, colour(i))
            axes.plot(r[:, 0], y, marker=mark(i), color=colour(i), label=kind + (": median, least and greatest" if p == 0 else ", 95 %"))
        legend_above(axes)
    panels.ranges()
