"""Trajectories over time, and phase planes."""

import numpy as np

from .kit import Panels, colour, entry, label_y, legend_above, plain, powers, time_axis, tint, units

FEW = 60  # records, so few that each has a mark


def conservation(data, figure, request):
    n, paths = data["panels"], data["paths"]
    panels = Panels(figure, request, n, most=3 if n % 2 else 2, ratio=0.8)
    for p, axes in enumerate(panels):
        rows = data.numbered(f"series_{p + 1}", paths)
        few = data["records"][p] <= FEW
        time_axis(axes, 0.03 * few)
        if data["departure"][p]:
            _departure(axes, data, p, rows)
        else:
            relative = data["relative"][p]
            label_y(axes, f"{'relative' if relative else 'absolute'} change of the {plain(data['quantity'][p])}",
                    "" if relative else data["units"][p])
            for i, r in enumerate(rows):
                axes.plot(r[:, 0], r[:, 1], "o-" if few else "-", color=colour(i), markersize=2, linewidth=0.9)
    if data["paths_recorded"] > paths:
        panels[-1].set_title(f"{paths} of {data['paths_recorded']} paths", loc="right")
    panels.legend([entry(f"path {k}", color=colour(i)) for i, k in enumerate(data["path"])] if data["paths_recorded"] > 1 else [])


def _departure(axes, data, p, rows):
    """What was recorded, zeros on the lower edge, and the greatest so far."""
    values = np.concatenate([r[r[:, 1] > 0, 1] for r in rows])
    low, high = 10.0 ** np.floor(np.log10([values.min() / 1.5, 15 * values.max()] if len(values) else [1e-17, 1e-15]))
    zeros = any(((r[:, 1] == 0) & (r[:, 0] > data["start"][p])).any() for r in rows)
    powers(axes, ("Casimir" if data["quantity"][p] == "casimir departure" else "momentum map") + " departure (relative)")
    axes.set_ylim(low, high)
    records = data["records"][p]
    look = {"marker": "o", "markersize": 2.4 if records <= FEW else 1.5 if records <= 5 * FEW else 0.9, "linestyle": "none",
            "markeredgewidth": 0, "zorder": 1, "clip_on": False, "rasterized": len(rows) * records > 3000}
    for i, r in enumerate(rows):
        axes.plot(r[:, 0], np.where(r[:, 1] == 0, low, r[:, 1]), color=tint(colour(i), 0.45), **look)
        so_far = np.maximum.accumulate(np.nan_to_num(r[:, 1], nan=-1))
        axes.step(r[:, 0], np.where(so_far > low, so_far, np.nan), where="post", color=colour(i), zorder=2)
    legend_above(axes, [entry("recorded (zeros on the lower edge)" if zeros else "recorded", color=tint(colour(0), 0.45), marker="o",
                              markersize=2.4, line=False), entry("greatest so far", color=colour(0))])


def observables(data, figure, request):
    labels = iter(data["label"])
    panels = Panels(figure, request, data["panels"], ratio=0.7)
    for p, axes in enumerate(panels):
        curves, longest = data["curves"][p], 0
        time_axis(axes)
        label_y(axes, plain(data["name"][p]), data["units"][p])
        for c, (r, label) in enumerate(zip(data.numbered(f"curve_{p + 1}", curves), labels)):
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linestyle=("-", (0, (4, 2)), (0, (1, 1)))[c // 7], linewidth=0.9,
                      label=plain(label))
            longest = max(longest, len(label))
        if curves > 1:
            legend_above(axes, columns=max(1, min(3, int(panels.inches / panels.columns / (0.35 + 0.06 * longest)))))


def plane(data, figure, request):
    panels, labels, said = Panels(figure, request, 1, ratio=0.95), data["label"], []
    axes = panels[0]
    axes.use_sticky_edges = False  # of contours
    label_y(axes, plain(data["name"][1]), data["units"][1])
    axes.set_xlabel(plain(data["name"][0]) + units(data["units"][0]))
    if data["section"]:
        said.append(f"where {plain(data['section'])} passes {data['level']:g} upwards")
    if data["contours_of"]:
        said.append(f"contours of {plain(data['contours_of'])}")
        z = data.block("contours").rows
        axes.contour(*(np.linspace(a, b, len(z)) for a, b in zip(data["lowest"], data["highest"])), z, 14, colors="#b0b0b0",
                     linewidths=0.5, linestyles="-", zorder=0)
    axes.set_title(", ".join(said), loc="left", fontsize=7)
    for c, r in enumerate(data.numbered("curve", len(labels))):
        if data["section"]:
            axes.plot(r[:, 0], r[:, 1], ".", color=colour(c), markersize=1.8 if len(r) > 200 else 3.5, markeredgewidth=0)
        else:
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linewidth=0.9)
            axes.plot(r[0, 0], r[0, 1], "o", color=colour(c), markersize=3)
    panels.legend([entry(plain(name), color=colour(c)) for c, name in enumerate(labels) if len(labels) > 1])
