"""Trajectories over time, and phase planes."""

import math

import numpy as np

from .kit import Panels, colour, decades, entry, label_y, legend_above, limits, plain, positive, room, time_axis, tint, units

FEW = 60  # records, so few that each has a mark


def conservation(data, figure, request):
    n, paths = data["panels"], data["paths"]
    panels = Panels(figure, request, n, most=3 if n % 2 else 2, ratio=0.8, lines=2 * any(data["departure"]))
    for p, axes in enumerate(panels):
        rows = data.numbered(f"series_{p + 1}", paths)
        few = data["records"][p] <= FEW
        start, end = data["start"][p], data["end"][p]
        margin = 0.03 * (end - start) if few else 0
        time_axis(axes, start - margin, end + margin)
        if data["departure"][p]:
            _departure(axes, data, p, rows, paths)
        else:
            axes.set_ylim(*room(*limits(*(r[:, 1] for r in rows))))
            relative = data["relative"][p]
            label_y(axes, f"{'relative' if relative else 'absolute'} change of the {plain(data['quantity'][p])}",
                    "" if relative else data["units"][p])
            for i, r in enumerate(rows):
                axes.plot(r[:, 0], r[:, 1], "o-" if few else "-", color=colour(i), markersize=2, linewidth=0.9)
    if data["paths_recorded"] > paths:
        panels[-1].set_title(f"{paths} of {data['paths_recorded']} paths", loc="right")
    panels.legend([entry(f"path {k}", color=colour(i)) for i, k in enumerate(data["path"])] if data["paths_recorded"] > 1 else [])


def _departure(axes, data, p, rows, paths):
    """What was recorded, zeros on the lower edge, and the greatest so far."""
    low, high = np.nan_to_num(positive(*(r[:, 1] for r in rows)), nan=1e-16)
    low, high = 10.0 ** math.floor(math.log10(low / 1.5)), 10.0 ** math.ceil(math.log10(high * 1.5))
    zeros = any(((r[:, 1] == 0) & (r[:, 0] > data["start"][p])).any() for r in rows)
    decades(axes, low, high)
    axes.set_ylabel(("Casimir" if data["quantity"][p] == "casimir departure" else "momentum map") + " departure (relative)")
    records = data["records"][p]
    size = 2.4 if records <= FEW else 1.5 if records <= 5 * FEW else 0.9
    for i, r in enumerate(rows):
        axes.plot(r[:, 0], np.where(r[:, 1] == 0, low, r[:, 1]), "o", color=tint(colour(i), 0.45), markersize=size,
                  markeredgewidth=0, zorder=1, clip_on=False, rasterized=paths * len(r) > 3000)
        so_far = np.maximum.accumulate(np.nan_to_num(r[:, 1], nan=-1))
        axes.step(r[:, 0], np.where(so_far > low, so_far, np.nan), where="post", color=colour(i), zorder=2)
    legend_above(axes, [entry("recorded (zeros on the lower edge)" if zeros else "recorded", color=tint(colour(0), 0.45), marker="o",
                              markersize=2.4, line=False), entry("greatest so far", color=colour(0))])


def observables(data, figure, request):
    labels = iter(data["label"])
    lines = [-(-curves // 3) * (curves > 1) for curves in data["curves"]]
    panels = Panels(figure, request, data["panels"], ratio=0.7, lines=max(lines))
    for p, axes in enumerate(panels):
        curves, longest = data["curves"][p], 0
        rows = data.numbered(f"curve_{p + 1}", curves)
        time_axis(axes, data["start"], data["end"])
        axes.set_ylim(*room(*limits(*(r[:, 1] for r in rows))))
        label_y(axes, plain(data["name"][p]), data["units"][p])
        for c, (r, label) in enumerate(zip(rows, labels)):
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linestyle=("-", (0, (4, 2)), (0, (1, 1)))[c // 7], linewidth=0.9,
                      label=plain(label))
            longest = max(longest, len(label))
        if curves > 1:
            legend_above(axes, columns=max(1, min(3, int(panels.inches / panels.columns / (0.35 + 0.06 * longest)))))


def plane(data, figure, request):
    panels, labels = Panels(figure, request, 1, ratio=0.95), data["label"]
    axes, ends = panels[0], list(zip(data["lowest"], data["highest"]))
    for (a, b), limit in zip(ends, (axes.set_xlim, axes.set_ylim)):
        limit(a - 0.04 * (b - a), b + 0.04 * (b - a))
    label_y(axes, plain(data["name"][1]), data["units"][1])
    axes.set_xlabel(plain(data["name"][0]) + units(data["units"][0]))
    said = []
    if data["section"]:
        said.append(f"where {plain(data['section'])} passes {data['level']:g} upwards")
    if data["contours_of"]:
        said.append(f"contours of {plain(data['contours_of'])}")
        z = data.block("contours").rows
        axes.contour(*(np.linspace(*of, len(z)) for of in ends), z, 14, colors="#b0b0b0", linewidths=0.5, linestyles="-", zorder=0)
    axes.set_title(", ".join(said), loc="left", fontsize=7)
    for c, r in enumerate(data.numbered("curve", len(labels))):
        if data["section"]:
            axes.plot(r[:, 0], r[:, 1], ".", color=colour(c), markersize=1.8 if len(r) > 200 else 3.5, markeredgewidth=0)
        else:
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linewidth=0.9)
            axes.plot(r[0, 0], r[0, 1], "o", color=colour(c), markersize=3)
    panels.legend([entry(plain(name), color=colour(c)) for c, name in enumerate(labels) if len(labels) > 1])
