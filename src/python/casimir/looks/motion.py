"""Trajectories over time, phase planes, and spheres."""

import math

import numpy as np

from .kit import COLUMN, PAGE, Panels, colour, decades, entry, label_y, legend_above, limits, outside, plain, room, time_axis, tint

FEW = 60  # records, so few that each has a mark


def conservation(data, figure, request):
    n, paths = data["panels"], data["paths"]
    departures = any(data["departure"])
    panels = Panels(figure, request, n, most=3 if n % 2 else 2, ratio=0.8, outside=outside(2) if departures else 0)
    for p, axes in enumerate(panels):
        rows = [data.block(f"series_{p + 1}_{i}").rows for i in range(1, paths + 1)]
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
    panels.ranges()


def _departure(axes, data, p, rows, paths):
    """What was recorded, zeros on the lower edge, and the greatest so far."""
    low, high = limits(*(np.where(r[:, 1] > 0, r[:, 1], np.nan) for r in rows))
    low, high = (low, high) if math.isfinite(low) else (1e-16, 1e-16)
    low, high = 10.0 ** math.floor(math.log10(low / 1.5)), 10.0 ** math.ceil(math.log10(high * 1.5))
    zeros = any(((r[:, 1] == 0) & (r[:, 0] > data["start"][p])).any() for r in rows)
    decades(axes, low, high)
    axes.set_ylabel(("Casimir" if data["quantity"][p] == "casimir departure" else "momentum map") + " departure (relative)")
    records = data["records"][p]
    size = 2.4 if records <= FEW else 1.5 if records <= 5 * FEW else 0.9
    for i, r in enumerate(rows):
        axes.plot(r[:, 0], np.where(r[:, 1] == 0, low, r[:, 1]), "o", color=tint(colour(i), 0.45), markersize=size,
                  markeredgewidth=0, zorder=1, clip_on=False, rasterized=len(r) > 5000)
        so_far = np.maximum.accumulate(np.nan_to_num(r[:, 1], nan=-1))
        axes.step(r[:, 0], np.where(so_far > low, so_far, np.nan), where="post", color=colour(i), zorder=2)
    legend_above(axes, [entry("recorded (zeros on the lower edge)" if zeros else "recorded", color=tint(colour(0), 0.45), marker="o",
                              markersize=2.4, line=False), entry("greatest so far", color=colour(0))])


def observables(data, figure, request):
    n, before = data["panels"], 0
    lines = [-(-curves // 3) if curves > 1 else 0 for curves in data["curves"]]
    panels = Panels(figure, request, n, ratio=0.7, outside=outside(max(lines)))
    for p, axes in enumerate(panels):
        curves = data["curves"][p]
        labels = data["label"][before: before + curves]
        before += curves
        rows = [data.block(f"curve_{p + 1}_{c}").rows for c in range(1, curves + 1)]
        time_axis(axes, data["start"], data["end"])
        axes.set_ylim(*room(*limits(*(r[:, 1] for r in rows))))
        label_y(axes, plain(data["name"][p]), data["units"][p])
        for c, r in enumerate(rows):
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linestyle=("-", (0, (4, 2)), (0, (1, 1)))[c // 7], linewidth=0.9,
                      label=plain(labels[c]))
        if curves > 1:
            longest = max(map(len, labels))
            room_for = max(1, min(3, int(panels.inches / panels.columns / (0.35 + 0.06 * longest))))
            legend_above(axes, columns=room_for)
    panels.ranges()


def plane(data, figure, request):
    curves = data["curves"]
    panels = Panels(figure, request, 1, ratio=0.95)
    axes = panels[0]
    (left, right), (low, high) = ((data["lowest"][i], data["highest"][i]) for i in (0, 1))
    for i, (a, b, limit) in enumerate(((left, right, axes.set_xlim), (low, high, axes.set_ylim))):
        limit(a - 0.04 * (b - a), b + 0.04 * (b - a))
    label_y(axes, plain(data["name"][1]), data["units"][1])
    from .kit import units

    axes.set_xlabel(plain(data["name"][0]) + units(data["units"][0]))
    said = []
    if data["section"]:
        said.append(f"where {plain(data['section'])} passes {data['level']:g} upwards")
    if data["contours_of"]:
        said.append(f"contours of {plain(data['contours_of'])}")
        z = data.block("contours").rows
        axes.contour(np.linspace(left, right, z.shape[1]), np.linspace(low, high, z.shape[0]), z, 14, colors="#b0b0b0", linewidths=0.5,
                     linestyles="-", zorder=0)
    axes.set_title(", ".join(said), loc="left", fontsize=7)
    for c in range(curves):
        r = data.block(f"curve_{c + 1}").rows
        if data["section"]:
            axes.plot(r[:, 0], r[:, 1], ".", color=colour(c), markersize=1.8, markeredgewidth=0)
        else:
            axes.plot(r[:, 0], r[:, 1], color=colour(c), linewidth=0.9)
            axes.plot(r[0, 0], r[0, 1], "o", color=colour(c), markersize=3)
    panels.legend([entry(plain(name), color=colour(c)) for c, name in enumerate(data["label"])] if curves > 1 else [])
    panels.ranges()


# ---- the sphere ----


class Ball:
    """The unit sphere as it is seen from a point; what is on its far side is drawn fainter."""

    def __init__(self, axes, azimuth, elevation, names=True):
        self.axes = axes
        a, e = math.radians(azimuth), math.radians(elevation)
        self.right = np.array([-math.sin(a), math.cos(a), 0])
        self.up = np.array([-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)])
        self.toward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_xlim(-1.2, 1.2)
        axes.set_ylim(-1.2, 1.2)
        if names:
            self._shade()
        self.graticule("#d2d2d2", near=False, zorder=1)
        self.graticule("#b4b4b4", near=True, zorder=3)
        if names:
            self._names()

    def _shade(self):
        x = np.linspace(-1, 1, 121)
        grey = 0.98 - 0.14 * np.clip(np.hypot(x[None, :] + 0.3, x[:, None] - 0.3) / 1.3, 0, 1) ** 2
        image = self.axes.imshow(grey, cmap="gray", vmin=0, vmax=1, extent=(-1, 1, -1, 1), origin="lower", zorder=0,
                                 interpolation="bilinear")
        from matplotlib.patches import Circle

        image.set_clip_path(Circle((0, 0), 1, transform=self.axes.transData))

    def _names(self):
        for i, of in enumerate(np.eye(3)):
            across, depth = np.array([of @ self.right, of @ self.up]), of @ self.toward
            reach = 1.0 if depth >= 0 else 1 / max(1e-3, float(np.hypot(*across)))
            if reach < 1.15:
                self.axes.plot(*np.outer(across, [reach, 1.15]), color="#707070", linewidth=0.8, zorder=3)
                self.axes.text(*(across * (1.15 + 0.07 / max(0.1, float(np.hypot(*across))))), f"$x_{i + 1}$", ha="center", va="center",
                               color=DARKER, fontsize=7)

    def split(self, points):
        """Right and up of points on the near side, and on the far side; NaN elsewhere. A line goes on to its last point."""
        points = np.asarray(points).reshape(-1, 3)
        flat, depth = np.column_stack([points @ self.right, points @ self.up]), points @ self.toward
        near = depth >= 0
        edge = np.zeros_like(near)
        edge[1:] = near[:-1] != near[1:]
        return (np.where((near | edge)[:, None], flat, math.nan), np.where((~near | edge)[:, None], flat, math.nan))

    def graticule(self, of, near, zorder, width=0.35):
        degrees = np.radians(np.arange(0, 361, 5))
        lines = [np.column_stack([np.cos(b) * np.cos(degrees), np.cos(b) * np.sin(degrees), np.full(73, np.sin(b))])
                 for b in np.radians([-60, -30, 0, 30, 60])]
        half = degrees[:37] - math.pi / 2
        lines += [np.column_stack([np.cos(half) * np.cos(a), np.cos(half) * np.sin(a), np.sin(half)])
                  for a in np.radians(np.arange(0, 360, 30))]
        gap = np.full((1, 2), math.nan)
        x = np.concatenate([part for line in lines for part in (self.split(line)[0 if near else 1], gap)])
        self.axes.plot(x[:, 0], x[:, 1], color=of, linewidth=width, zorder=zorder)

    def line(self, points, of, width=0.9):
        near, far = self.split(points)
        self.axes.plot(far[:, 0], far[:, 1], color=tint(of, 0.4), linewidth=0.7 * width, zorder=2)
        self.axes.plot(near[:, 0], near[:, 1], color=of, linewidth=width, zorder=4)

    def dots(self, points, of, size, shape="o", rim=False):
        points = np.asarray(points).reshape(-1, 3)
        flat, near = np.column_stack([points @ self.right, points @ self.up]), points @ self.toward >= 0
        for part, shade, order in ((~near, tint(of, 0.4), 2.5), (near, of, 5)):
            if part.any():
                self.axes.plot(flat[part, 0], flat[part, 1], shape, color=shade, markersize=size, zorder=order, linestyle="none",
                               markeredgecolor="white" if rim else shade, markeredgewidth=0.7 if rim else 0)

    def contours(self, values):
        """Values every two degrees from the south and from the first axis on."""
        from matplotlib.figure import Figure

        levels = Figure().add_subplot().contour(np.radians(np.arange(0, 361, 2)), np.radians(np.arange(-90, 91, 2)), values, 15)
        for segments in levels.allsegs:
            for s in segments:
                a, b = s.T
                near, far = self.split(np.column_stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)]))
                self.axes.plot(far[:, 0], far[:, 1], color="#c8c8c8", linewidth=0.4, zorder=1.5)
                self.axes.plot(near[:, 0], near[:, 1], color="#707070", linewidth=0.5, zorder=3.5)


DARKER = "#404040"


def paths(data, figure, request):
    files, angles, film = data["files"], data["angles"], request.frame is not None
    panels = Panels(figure, request, 1 + angles, ratio=1.0, width=PAGE if angles else COLUMN)
    ball = Ball(panels[0], data["azimuth"], data["elevation"])
    drawn = data["points"] if data["points"] > 1 else data["paths"]
    title = plain(data["what"]) + (f"t = {data['end']:g}" if film else f"t = {data['start']:g} to {data['end']:g}")
    if drawn > data["curves"][0]:
        title += f", {data['curves'][0]} of {drawn} {'points' if data['points'] > 1 else 'paths'}"
    if data["contours_of"]:
        title += f", contours of {plain(data['contours_of'])}"
        ball.contours(data.block("contours").rows)
    if data["points"] > 1 and data["paths"] > 1:
        title += f", path 0 of {data['paths']}"
    panels[0].set_title(title, fontsize=7)
    for f in range(files, 0, -1):
        for k in range(data["curves"][f - 1]):
            of = "#000000" if f > 1 else colour(k)
            points, ends = data.block(f"path_{f}_{k + 1}").rows, data.block(f"ends_{f}_{k + 1}").rows
            if data["joined"][f - 1]:
                ball.line(points, of, 0.5 if data["crowded"][f - 1] else 0.9)
            else:
                ball.dots(points, of, 1.2)
            if not film:
                ball.dots(ends[:1], of, 4, rim=True)
            ball.dots(ends[1:], of, 4, "o" if film else "s", rim=True)
    if angles:
        _nutation(panels[1], data)
    several = data["curves"][0] > 1
    handles = [entry(plain(data["file"][f]) + ((" (black)" if f else " (coloured)") if several else ""),
                     color="#000000" if f else colour(0)) for f in range(files)] if files > 1 else []
    handles += [entry(name, color="#606060", marker=shape, line=False) for name, shape in (("start", "o"), ("end", "s"))]
    panels.legend([] if film else handles)


def _nutation(axes, data):
    time_axis(axes, data["start"], data["end"])
    axes.set_ylabel("nutation [rad]")
    for name, block in reversed(list(data.blocks.items())):
        if name.startswith("nutation_"):
            f, k = (int(part) for part in name.split("_")[1:])
            axes.plot(block.rows[:, 0], block.rows[:, 1], color="#000000" if f > 1 else colour(k - 1), linewidth=0.8)


def members(data, figure, request):
    panels = Panels(figure, request, data["panels"], most=5, ratio=1.0)
    size = 2.4 if data["members"] <= 200 else 1.5 if data["members"] <= 2000 else 0.9
    for i, axes in enumerate(panels, 1):
        ball = Ball(axes, data["azimuth"], data["elevation"])
        axes.set_title(f"t = {data['when'][i - 1]:g}")
        for k in range(data["points"]):
            points = data.block(f"points_{i}_{k + 1}").rows
            ball.dots(points[np.isfinite(points[:, 0])], colour(k), size)
