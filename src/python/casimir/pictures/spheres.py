"""On spheres: paths, and members of ensembles."""

import math

import numpy as np

from ..data import TIME
from ..errors import Refused
from ..source import Series, snapshots
from .common import nothing, on_sphere, view_from
from .motion import MOST_PATHS, contours_of

TOLERANCE, FINEST, SAG, TOO_FAR, VERTICES, TANGLE = 1e-6, 0.004, 0.03, 0.5, 25000.0, 250.0
XYZ = [("x1", "1"), ("x2", "1"), ("x3", "1")]

# name, axes besides time and paths, title, whether it is seen in space, with the nutation beside it
SPHERICAL = [("state", 1, "", False), ("state", 2, "", False), ("axes", 2, "axes of the body, ", True),
             ("tip", 1, "third axis of the body, ", True), ("gamma", 1, "the vertical seen from the body, ", False)]


def find_view(sets):
    """Azimuth and elevation, in degrees, of a view in which most of these points are on the near side: from a little above
    the equator, or below it if that shows much more."""
    points = np.concatenate([s.reshape(-1, 3)[:: s.size // 15000 + 1] for s in sets])
    least = 0.1 * np.linalg.norm(points, axis=1)
    views = [(azimuth, elevation, share) for elevation, share in ((22.0, 1), (-22.0, 0.85)) for azimuth in range(40, 400, 15)]
    azimuth, elevation, _ = max(views, key=lambda v: v[2] * int((points @ view_from(*v[:2])[2] > least).sum()))
    return float(azimuth % 360), elevation


def _spherical(source):
    found = [(what, source.series.get(what[0], ())) for what in SPHERICAL]
    return next((what for what, dims in found if len(dims) == what[1] and dims[-1] == 3), None)


class Curves:
    """The curves of one file: curve k is point k of the first path, or path k where a state is one point; [records, k, 3]."""

    def __init__(self, source):
        self.source, self.what = source, _spherical(source)
        self.series = s = Series(source, self.what[0])
        self.points, self.paths = (s.dims[0] if self.what[1] == 2 else 1), s.paths
        self.all = s.value.reshape(s.records, -1, 3).copy()  # decides the view
        self.curves = min(MOST_PATHS, self.points if self.points > 1 else self.paths)
        self.value = self._on_unit_sphere(self.all[:, : self.curves])
        self.all[:, : self.curves] = self.value
        step = 2 * np.arcsin(np.minimum(1, np.linalg.norm(np.diff(self.value, axis=0), axis=2) / 2))
        step = step[np.isfinite(step)]
        way = float(step.sum())
        self.way, self.spacing = way / self.curves, max(FINEST, way / VERTICES)
        self.joined = len(step) > 0 and way / len(step) <= TOO_FAR

    def _on_unit_sphere(self, x):
        """Points over their length at first, which all of a curve have; what is not finite becomes a gap."""
        now = np.hypot(np.hypot(x[..., 0], x[..., 1]), x[..., 2])
        there = np.isfinite(now)
        if not there.any():
            raise nothing(self.source, "recorded state")
        radius = np.where(there.any(axis=0), now[there.argmax(axis=0), np.arange(self.curves)], math.nan)
        off = there & ~((np.abs(now - radius) <= TOLERANCE * radius) & (radius > 0))
        for k, i in np.argwhere(off.T)[:1]:
            raise Refused(f"{self.source.file}: the {self.what[0]} is not on a sphere: the length of point {k + 1} is {radius[k]:.9g} "
                          f"at first and {now[i, k]:.9g} at t = {self.series.time[i]:g}")
        self.radius = radius[0]
        return np.where(there[..., None], x / now[..., None], math.nan)

    def vertices(self, k):
        """Along great circles, no closer than `spacing`; the last record is one in any case."""
        x, rows, last = self.value[:, k], [], None
        for i, now in enumerate(x):
            moved = math.nan if last is None or now[0] != now[0] else 2 * math.asin(min(1, math.dist(last, now) / 2))
            if moved < self.spacing and i < len(x) - 1:
                continue
            if self.joined and moved > SAG:
                t = np.arange(1, math.ceil(moved / SAG))[:, None] / math.ceil(moved / SAG)
                rows.append((np.sin((1 - t) * moved) * last + np.sin(t * moved) * now) / math.sin(moved))
            rows.append(now[None])
            last = now if math.isfinite(now[0]) else None
        return np.concatenate(rows)

    def ends(self, k):
        there = np.flatnonzero(np.isfinite(self.value[:, k, 0]))
        return self.value[[there[0], there[-1]], k] if len(there) else np.full((2, 3), math.nan)

    def nutation(self):
        """Angles [records, k] over time of what is seen in space, where they were recorded."""
        seen = self.what[3] and self.source.series.get("nutation") == ()
        return Series(self.source, "nutation") if seen else None


def paths(data, request, sources):
    of = [Curves(s) for s in sources]
    a, z = of[0], of[-1]
    together = "paths of one system only can be drawn together"
    if a.source.system and z.source.system and a.source.system != z.source.system:
        raise Refused(f"{a.source.file} holds a {a.source.system} and {z.source.file} a {z.source.system}; {together}")
    if a.points != z.points:
        raise Refused(f"a state has {a.points} points in {a.source.file} and {z.points} in {z.source.file}; {together}")
    if request.frame:  # the tail of a film
        first = min(int(np.searchsorted(a.series.time, request.frame["from"])), a.series.records - 1)
        a.series.time, a.value, a.all = a.series.time[first:], a.value[first:], a.all[first:]
    angles = [c.nutation() for c in of]
    data["files"] = len(of)
    for c in of:
        data.add(file=c.source.name(), curves=c.curves, joined=int(c.joined), crowded=int(c.spacing > 2 * FINEST))
    data["what"], data["angles"], data["contours_of"] = a.what[2], int(angles[0] is not None), request.contours or ""
    data["points"], data["paths"] = a.points, a.paths
    data["start"], data["end"] = float(a.series.time[0]), float(a.series.time[-1])
    data["azimuth"], data["elevation"] = request.view or find_view([a.all])
    for f, c in enumerate(of, 1):
        for k in range(c.curves):
            data.write(f"path_{f}_{k + 1}", XYZ, c.vertices(k))
            data.write(f"ends_{f}_{k + 1}", XYZ, c.ends(k))
    for f, (c, n) in enumerate(zip(of, angles), 1):
        for k in range(0 if None in (n, angles[0]) else 1 if c.points > 1 else c.curves):
            data.write(f"nutation_{f}_{k + 1}", [("t", TIME), ("angle", "1")],
                       np.column_stack([n.time, n.value[:, k, 0]])[:: n.records // 4000 + 1])
    if request.contours:
        # on the sphere of the first record, every two degrees from the south and from the first axis on
        if a.points > 1 or a.what[0] != "state":
            raise Refused(f"--contours: {a.source.file}: contours are on the sphere of states of three components")
        observable = contours_of(a.source, request)
        across, up = np.meshgrid(np.radians(2.0 * np.arange(181)), np.radians(2.0 * np.arange(-45, 46)))
        values = observable(a.radius * on_sphere(across, up).reshape(-1, 3)).reshape(up.shape)
        if np.isnan(values).all():
            raise Refused(f"{a.source.file}: no state on the sphere has a {observable.name}")
        data.write("contours", [(observable.name, observable.unit)], values)
    if a.way > TANGLE and not request.frame:
        request.remark(f"a path goes round the sphere {a.way / 6.283:.0f} times; --until T draws its beginning")


# ---- members ----

MOST_POINTS = 7


def member_states(source):
    """The states of members, [records, members, ..]; None where there are none."""
    d, time = source.find("/ensemble/members", 3), source.find("/ensemble/time")
    return d if d is not None and time is not None and time.ndim == 1 and d.shape[0] == time.shape[0] else None


def failed_members(source, n):
    d = source.datasets.get("/ensemble/member_failed")
    return d[()] != 0 if d is not None and d.shape == (n,) else np.zeros(n, bool)


FITS = {"paths": lambda source: _spherical(source) is not None,
        "members": lambda source: (d := member_states(source)) is not None and d.dtype.kind != "c" and d.shape[-1] == 3
        and d.ndim <= 4}


def members(data, request, source):
    d = member_states(source)
    n, points = d.shape[1], d.shape[2] if d.ndim == 4 else 1
    time, failed = source.column("/ensemble/time", d.shape[0]), failed_members(source, n)
    shown, states = snapshots(data, request, time, 5, "panels"), []
    for i in shown:
        x = d[i].astype(float).reshape(n, points, 3)
        length = np.where(failed[:, None], math.nan, np.sqrt((x * x).sum(axis=2)))
        states.append(np.where(((length > 0) & np.isfinite(length))[..., None], x / length[..., None], math.nan))
    drawn = min(points, MOST_POINTS)
    data["members"], data["points"] = n, drawn
    data["azimuth"], data["elevation"] = request.view or find_view(states)
    for i, x in enumerate(states, 1):
        for k in range(drawn):
            data.write(f"points_{i}_{k + 1}", XYZ, x[:, k])
    if failed.any():
        request.remark(f"{int(failed.sum())} of {n} members failed and are not drawn")
    if drawn < points:
        request.remark(f"{drawn} of the {points} points of a state are drawn")


def film(picture, source):
    """The times of the frames, and what all frames share."""
    if picture == "members":
        return source.column("/ensemble/time", member_states(source).shape[0]), {"view": (40.0, 22.0)}
    b = Curves(source)
    time = b.series.time
    span = time[-1] - time[0]
    return time, {"tail": span * 3.0 / b.way if b.way > 3.0 else span, "view": find_view([b.all])}
