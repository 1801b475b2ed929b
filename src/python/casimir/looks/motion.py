"""Trajectories over time, phase planes, and paths and members on the sphere, seen from a point."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ..pictures.common import on_sphere, view_from
from .kit import COLUMN, DARK, PAGE, Panels, colour, entry, label_y, legend_above, plain, powers, time_axis, tint, units

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


class Ball:
    """The unit sphere as it is seen from a point; what is on its far side is drawn fainter."""

    def __init__(self, axes, azimuth, elevation):
        self.axes = axes
        self.right, self.up, self.toward = view_from(azimuth, elevation)
        axes.set_axis_off()
        axes.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
        around, half = np.radians(np.arange(0, 361, 5)), np.radians(np.arange(-90, 91, 5))
        lines = [on_sphere(around, b) for b in np.radians([-60, -30, 0, 30, 60])]
        lines += [on_sphere(a, half) for a in np.radians(np.arange(0, 360, 30))]
        self.line(np.concatenate([np.append(line, [[math.nan] * 3], axis=0) for line in lines]), "#b4b4b4", 0.35, "#d2d2d2", 0.35, 3)

    def furnish(self):
        """Shades the ball, and names the axes of space that are not behind it."""
        x = np.linspace(-1, 1, 121)
        grey = 0.98 - 0.14 * np.clip(np.hypot(x[None, :] + 0.3, x[:, None] - 0.3) / 1.3, 0, 1) ** 2
        image = self.axes.imshow(grey, cmap="gray", vmin=0, vmax=1, extent=(-1, 1, -1, 1), origin="lower", zorder=0,
                                 interpolation="bilinear")
        image.set_clip_path(Circle((0, 0), 1, transform=self.axes.transData))
        for i, of in enumerate(np.eye(3)):
            across, depth = np.array([of @ self.right, of @ self.up]), of @ self.toward
            length = float(np.hypot(*across))
            reach = 1.0 if depth >= 0 else 1 / max(1e-3, length)
            if reach < 1.15:
                self.axes.plot(*np.outer(across, [reach, 1.15]), color="#707070", linewidth=0.8, zorder=3)
                at = across * (1.15 + 0.07 / max(0.1, length))
                self.axes.text(*at, f"$x_{i + 1}$", ha="center", va="center", color=DARK, fontsize=7)

    def _project(self, points):
        points = np.asarray(points).reshape(-1, 3)
        return np.column_stack([points @ self.right, points @ self.up]), points @ self.toward >= 0

    def line(self, points, of, width=0.9, far_of=None, far_width=0.63, zorder=4):
        flat, near = self._project(points)
        edge = np.append(False, near[:-1] != near[1:])  # a line goes on to its last point
        for part, shade, thick, order in ((~near, far_of or tint(of, 0.4), far_width, zorder - 2), (near, of, width, zorder)):
            self.axes.plot(*np.where((part | edge)[:, None], flat, math.nan).T, color=shade, linewidth=thick, zorder=order)

    def dots(self, points, of, size, shape="o", rim=False):
        flat, near = self._project(points)
        for part, shade, order in ((~near, tint(of, 0.4), 2.5), (near, of, 5)):
            self.axes.plot(*flat[part].T, shape, color=shade, markersize=size, zorder=order, linestyle="none",
                           markeredgecolor="white" if rim else shade, markeredgewidth=0.7 if rim else 0)

    def contours(self, values):
        """Values every two degrees from the south and from the first axis on."""
        levels = Figure().add_subplot().contour(np.radians(np.arange(0, 361, 2)), np.radians(np.arange(-90, 91, 2)), values, 15)
        for segment in (s for segments in levels.allsegs for s in segments):
            self.line(on_sphere(*segment.T), "#707070", 0.5, "#c8c8c8", 0.4, 3.5)


def paths(data, figure, request):
    files, film, points, n = data["files"], request.frame is not None, data["points"], data["curves"][0]
    panels = Panels(figure, request, 1 + data["angles"], ratio=1.0, width=PAGE if data["angles"] else COLUMN)
    ball = Ball(panels[0], data["azimuth"], data["elevation"])
    ball.furnish()
    title = plain(data["what"]) + (f"t = {data['end']:g}" if film else f"t = {data['start']:g} to {data['end']:g}")
    drawn, what = (points, "points") if points > 1 else (data["paths"], "paths")
    title += f", {n} of {drawn} {what}" if drawn > n else ""
    if data["contours_of"]:
        title += f", contours of {plain(data['contours_of'])}"
        ball.contours(data.block("contours").rows)
    title += f", path 0 of {data['paths']}" if points > 1 and data["paths"] > 1 else ""
    panels[0].set_title(title, fontsize=7)
    for f in range(files, 0, -1):
        curves = data["curves"][f - 1]
        for k, (line, ends) in enumerate(zip(data.numbered(f"path_{f}", curves), data.numbered(f"ends_{f}", curves))):
            of = "#000000" if f > 1 else colour(k)
            if data["joined"][f - 1]:
                width = 0.5 if data["crowded"][f - 1] else 0.9
                ball.line(line, of, width, far_width=0.7 * width)
            else:
                ball.dots(line, of, 1.2)
            if not film:
                ball.dots(ends[:1], of, 4, rim=True)
            ball.dots(ends[1:], of, 4, "o" if film else "s", rim=True)
    if data["angles"]:
        time_axis(panels[1])
        panels[1].set_ylabel("nutation [rad]")
        for name, block in reversed(list(data.blocks.items())):
            what, *numbers = name.split("_")
            if what == "nutation":
                panels[1].plot(*block.rows.T, color="#000000" if numbers[0] != "1" else colour(int(numbers[1]) - 1), linewidth=0.8)
    several = ("", "") if n < 2 else (" (coloured)", " (black)")
    names = [plain(name) + of for name, of in zip(data["file"], several) if files > 1]
    panels.legend([] if film else [entry(name, color="#000000" if f else colour(0)) for f, name in enumerate(names)]
                  + [entry(name, color="#606060", marker=shape, line=False) for name, shape in (("start", "o"), ("end", "s"))])


def members(data, figure, request):
    panels = Panels(figure, request, data["panels"], most=5, ratio=1.0)
    size = 2.4 if data["members"] <= 200 else 1.5 if data["members"] <= 2000 else 0.9
    for i, axes in enumerate(panels, 1):
        ball = Ball(axes, data["azimuth"], data["elevation"])
        ball.furnish()
        axes.set_title(f"t = {data['when'][i - 1]:g}")
        for k, points in enumerate(data.numbered(f"points_{i}", data["points"])):
            ball.dots(points[np.isfinite(points[:, 0])], colour(k), size)
