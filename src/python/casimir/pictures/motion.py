"""Trajectories and members: observables over time, phase planes, paths on spheres."""

import math

import numpy as np

from ..data import TIME
from ..engine import Observable
from ..errors import Refused
from ..source import Series, find_series, snapshots, thinned
from . import common

# ---- what users name: an observable, one number of it as "axes[2]", or a component of the state ----

OTHERS = ("time", "path", "state")


def _axes_of(source, name):
    """The axes of the real series of this name, None where there is none. A vector of a single path comes first."""
    return next((axes for axes in (1, 0, 2) if find_series(source, name, axes) is not None), None)


def component(source, name):
    """The place of a name among the components of the state, None where it is none."""
    names = source.components("/trajectory/state")
    return names.index(name) if name in names and _axes_of(source, "state") == 1 else None


class Observed:
    """What has this name: a series, of which some or all numbers are meant."""

    def __init__(self, source, name):
        series, index = name, None
        axes = _axes_of(source, name)
        if axes is None:
            index = component(source, name)
            if index is not None:
                series, axes = "state", 1
            elif name.endswith("]") and "[" in name and name[name.index("[") + 1:-1].isdigit():
                series, index = name[: name.index("[")], int(name[name.index("[") + 1:-1]) - 1
                axes = _axes_of(source, series) if index >= 0 else None
        if axes is None:
            raise Refused(f"{source.file}: has neither an observable nor a component of the state '{name}' over time; it has: "
                          f"{_names(source) or 'none'}")
        self.name, self.series = name, Series(source, series, axes)
        self.first, self.numbers = (0, self.series.numbers) if index is None else (index, 1)
        if self.first >= self.series.numbers:
            raise Refused(f"{source.file}: '{series}' has {self.series.numbers} numbers only")

    def value(self, path, number=0):
        return self.series.value[:, path, self.first + number]


def _names(source):
    """"x1 x2 x3, hamiltonian, angular_velocity[1] .. [3]": every name."""
    names = []
    if source.components("/trajectory/state") and _axes_of(source, "state") == 1:
        names.append(" ".join(source.components("/trajectory/state")))
    for full, d in source.datasets.items():
        name = full.removeprefix("/trajectory/")
        axes = _axes_of(source, name) if name != full and name not in OTHERS else None
        if axes is not None:
            names.append(name + (f"[1] .. [{d.shape[-1]}]" if axes == 1 else ""))
    return ", ".join(names)


def over_time(source):
    return "/trajectory/time" in source.datasets


# ---- conservation ----

QUANTITIES = {"casimir_departure": "casimir departure", "enstrophy": "enstrophy", "hamiltonian": "energy H"}
MOST_PANELS, MOST_PATHS = 6, 6
OF_MOMENTA = ("sliding_disk", "rigid_bodies", "pendulum_chain")  # they have momentum maps in the place of Casimirs


def _quantities(source):
    if source.show:
        names = source.show.split(",")[:MOST_PANELS]
        return {name: name for name in names} if all(find_series(source, name, 0) is not None for name in names) else {}
    return {name: title for name, title in QUANTITIES.items() if find_series(source, name, 0) is not None}


def has_conservation(source):
    return bool(_quantities(source))


def conservation(data, request, sources):
    source, = sources
    found = _quantities(source)
    first = Series(source, next(iter(found)), 0, read=False)
    drawn = min(first.paths, MOST_PATHS)
    number = source.column("/trajectory/path", first.paths) if first.paths > 1 and "/trajectory/path" in source.datasets \
        else np.arange(first.paths)
    data["paths_recorded"], data["paths"] = first.paths, drawn
    data["path"] = [int(p) for p in number[:drawn]]
    data["panels"] = len(found)
    any_number = False
    for i, (name, title) in enumerate(found.items(), 1):
        s = Series(source, name, 0)
        value, departure, relative = s.value[:, :, 0], name == "casimir_departure", True
        any_number |= bool(np.isfinite(value).any())
        if departure:
            value = np.abs(value)
            title = "momentum map departure" if source.system in OF_MOMENTA else title
        else:
            relative = bool((value[0] != 0).all())
            value = (value - value[0]) / (np.abs(value[0]) if relative else 1)
        data.add(quantity=title, departure=int(departure), relative=int(relative), units=s.units,
                 start=float(s.time[0]), end=float(s.time[-1]), records=s.records)
        for k in range(drawn):
            data.write(f"series_{i}_{k + 1}", [("time", TIME), (name, "1" if relative else s.units)], thinned(s.time, value[:, k]))
    if not any_number:
        raise common.nothing(source, "record of these invariants")


# ---- observables ----

MOST_CURVES = 21


def _panels(source):
    if source.show:
        return source.show.split(",")
    names = []
    for full, d in sorted(source.datasets.items()):
        name = full.removeprefix("/trajectory/")
        if name == full or name in OTHERS:
            continue
        axes = _axes_of(source, name)
        if axes == 0 or (axes == 1 and d.shape[-1] <= 3):
            names.append(name)
    return names or (["state"] if find_series(source, "state", 1) is not None else [])


def has_observables(source):
    return over_time(source) and bool(_panels(source))


def observables(data, request, sources):
    names = _panels(sources[0])
    panels, left_out, any_number = names[:MOST_PANELS], 0, False
    labels, start, end = [], math.inf, -math.inf
    data["panels"] = len(panels)
    for p, name in enumerate(panels, 1):
        drawn = 0
        for f, source in enumerate(sources):
            o = Observed(source, name)
            if f == 0:
                data.add(name=name, units=o.series.units)
            start, end = min(start, o.series.time[0]), max(end, o.series.time[-1])
            paths = min(o.series.paths, 7)
            left_out += (o.series.paths - paths) * o.numbers
            for k in range(paths):
                for j in range(o.numbers):
                    if drawn == MOST_CURVES:
                        left_out += 1
                        continue
                    drawn += 1
                    labels.append(", ".join(([source.name()] if len(sources) > 1 else [])
                                            + ([f"path {k}"] if o.series.paths > 1 else [])
                                            + ([f"number {j + 1}"] if o.numbers > 1 else [])))
                    value = o.value(k, j)
                    any_number |= bool(np.isfinite(value).any())
                    data.write(f"curve_{p}_{drawn}", [("time", TIME), (name, o.series.units)], thinned(o.series.time, value))
        data.add(curves=drawn)
    data["label"], data["start"], data["end"] = labels, float(start), float(end)
    if len(names) > len(panels):
        request.remark(f"the first {len(panels)} of {len(names)} observables are drawn; --show chooses")
    if left_out:
        request.remark(f"{left_out} further curves are not drawn")
    if not any_number:
        raise common.nothing(sources[0], "observable over time")


# ---- planes ----


def has_plane(source):
    return bool(source.show) and "," in source.show and over_time(source)


def _section(request):
    """"x3=0" as a name and a number."""
    if not request.section:
        return "", 0.0
    name, equals, value = request.section.partition("=")
    try:
        level = float(value)
    except ValueError:
        level = math.nan
    if not equals or not math.isfinite(level):
        raise Refused(f"--section: found '{request.section[:60]}', must be NAME=VALUE")
    return name, level


def _passes(third, level, x, y):
    """Where straight lines between records pass the level upwards."""
    a, b = third[:-1] - level, third[1:] - level
    at = np.flatnonzero((a < 0) & (b >= 0))
    t = a[at] / (a[at] - b[at])
    return np.column_stack([(1 - t) * v[at] + t * v[at + 1] for v in (x, y)])


def plane(data, request, sources):
    (section, level), names = _section(request), sources[0].show.split(",")
    low, high, labels = np.full(2, math.inf), np.full(2, -math.inf), []
    blocks, first = {}, None
    for source in sources:
        for up_name in names[1:]:
            across, up = Observed(source, names[0]), Observed(source, up_name)
            third = Observed(source, section) if section else None
            if max(o.numbers for o in (across, up, third) if o) > 1:
                raise Refused(f"{source.file}: a plane is of observables of one number; NAME[2] is one of several")
            first = first or (across, up)
            paths = across.series.paths
            for k in range(min(paths, 7)):
                if len(labels) == MOST_CURVES:
                    break
                labels.append(", ".join(([source.name()] if len(sources) > 1 else []) + ([up_name] if len(names) > 2 else [])
                                        + ([f"path {k}"] if paths > 1 else [])))
                rows = _passes(third.value(k), level, across.value(k), up.value(k)) if section else \
                    np.column_stack([across.value(k), up.value(k)])
                rows[~np.isfinite(rows).all(axis=1)] = math.nan
                if np.isfinite(rows).any():
                    low, high = np.minimum(low, np.nanmin(rows, axis=0)), np.maximum(high, np.nanmax(rows, axis=0))
                blocks[f"curve_{len(labels)}"] = ([(across.name, across.series.units), (up.name, up.series.units)], rows)
            if paths > 7:
                request.remark(f"{source.file}: the first 7 of {paths} paths are drawn")
    if not np.isfinite(low).all():
        raise common.nothing(sources[0], "point of this section" if section else "point")
    for i, o in enumerate(first):
        margin = 0 if high[i] > low[i] else 1
        data.add(name="" if i and len(names) > 2 else o.name, units=o.series.units, lowest=float(low[i] - margin),
                 highest=float(high[i] + margin))
    data["curves"], data["label"] = len(labels), labels
    data["section"], data["level"], data["contours_of"] = section, level, request.contours or ""
    for name, (columns, rows) in blocks.items():
        data.write(name, columns, rows)
    if request.contours:
        _plane_contours(data, request, sources[0], first, low, high)


def _plane_contours(data, request, source, observed, low, high, grid=121):
    """An observable over the ranges of the points, where all other components are those of the first record."""
    place = [component(source, o.name) for o in observed]
    if None in place:
        raise Refused(f"--contours: {source.file}: contours are over the plane of two components of the state")
    of = contours_of(source, request)
    i = np.arange(grid)
    states = np.tile(Series(source, "state", 1, read=False).record(0)[0], (grid, grid, 1))
    states[:, :, place[0]] = (low[0] + (high[0] - low[0]) * i / (grid - 1))[None, :]
    states[:, :, place[1]] = (low[1] + (high[1] - low[1]) * i / (grid - 1))[:, None]
    data.matrix("contours", of.name, of.unit, of(states.reshape(grid * grid, -1)).reshape(grid, grid))


def contours_of(source, request):
    try:
        return Observable(source.file, request.contours)
    except Refused as reason:
        raise Refused(f"--contours: {reason}") from None


# ---- the sphere ----

TOLERANCE, FINEST, SAG, TOO_FAR, VERTICES, TANGLE = 1e-6, 0.004, 0.03, 0.5, 25000.0, 250.0

# name, axes besides time and paths, title, whether it is seen in space, with the nutation beside it
SPHERICAL = [("state", 1, "", False), ("state", 2, "", False), ("axes", 2, "axes of the body, ", True),
             ("tip", 1, "third axis of the body, ", True), ("gamma", 1, "the vertical seen from the body, ", False)]


def find_view(sets):
    """Azimuth and elevation, in degrees, of a view in which most of these points are on the near side: from a little above
    the equator, or below it if that shows much more."""
    points = [s.reshape(-1, 3)[:: len(s.reshape(-1, 3)) // 5000 + 1] for s in sets]
    lengths = [np.linalg.norm(p, axis=1) for p in points]
    best, most = (40.0, 22.0), -1.0
    for k in range(48):
        azimuth, elevation = (15 * k + 40) % 360, 22 if k < 24 else -22
        a, e = np.radians(azimuth), np.radians(elevation)
        toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        score = sum(int((p @ toward > 0.1 * n).sum()) for p, n in zip(points, lengths)) * (0.85 if elevation < 0 else 1)
        if score > most:
            best, most = (float(azimuth), float(elevation)), score
    return best


def _spherical(source):
    for what in SPHERICAL:
        d = find_series(source, what[0], what[1])
        if d is not None and d.shape[-1] == 3:
            return what
    return None


def has_paths(source):
    return _spherical(source) is not None


class Curves:
    """The curves of one file: curve k is point k of the first path, or path k where a state is one point; [records, k, 3]."""

    def __init__(self, source):
        self.source, self.what = source, _spherical(source)
        self.series = s = Series(source, self.what[0], self.what[1])
        self.points, self.paths = (s.dims[0] if self.what[1] == 2 else 1), s.paths
        value = s.value.reshape(s.records, s.paths, self.points, 3)
        self.all = value.reshape(s.records, -1, 3).copy()
        value = value[:, 0] if self.points > 1 else value[:, :, 0]
        self.value = value[:, :MOST_PATHS].copy()
        self.curves = self.value.shape[1]
        self.radius = math.nan
        for k in range(self.curves):
            self._normalise(k)
        if not np.isfinite(self.value).any():
            raise common.nothing(source, "recorded state")
        self.all[:, : self.curves if self.points > 1 else self.curves] = self.value
        chord = np.linalg.norm(np.diff(self.value, axis=0), axis=2)
        step = 2 * np.arcsin(np.minimum(1, chord / 2))
        there = np.isfinite(step)
        way = float(step[there].sum())
        self.way = way / self.curves
        self.spacing = max(FINEST, way / VERTICES)
        self.joined = bool(there.any()) and way / there.sum() <= TOO_FAR

    def _normalise(self, k):
        """Divides by the first length; what is not finite becomes a gap."""
        x = self.value[:, k]
        now = np.hypot(np.hypot(x[:, 0], x[:, 1]), x[:, 2])
        there = np.isfinite(now)
        if not there.any():
            x[:] = math.nan
            return
        radius = now[there][0]
        self.radius = radius if k == 0 else self.radius
        off = there & ~((np.abs(now - radius) <= TOLERANCE * radius) & (radius > 0))
        if off.any():
            i = int(np.flatnonzero(off)[0])
            raise Refused(f"{self.source.file}: the {self.what[0]} is not on a sphere: the length of point {k + 1} is {radius:.9g} "
                          f"at first and {now[i]:.9g} at t = {self.series.time[i]:g}")
        with np.errstate(all="ignore"):
            self.value[:, k] = np.where(there[:, None], x / now[:, None], math.nan)

    def vertices(self, k):
        """Along great circles, no closer than `spacing`; the last record is one in any case."""
        x, rows, last = self.value[:, k], [], None
        for i in range(len(x)):
            moved = 0.0
            if last is not None:
                moved = 2 * math.asin(min(1, math.dist(last, x[i]) / 2)) if x[i, 0] == x[i, 0] else math.nan
                if moved < self.spacing and i < len(x) - 1:
                    continue
            if last is not None and math.isfinite(moved) and self.joined and moved > SAG:
                pieces = math.ceil(moved / SAG)
                t = np.arange(1, pieces)[:, None] / pieces
                rows.append((np.sin((1 - t) * moved) * last + np.sin(t * moved) * x[i]) / math.sin(moved))
            rows.append(x[i][None])
            last = x[i] if math.isfinite(x[i, 0]) else None
        return np.concatenate(rows)

    def ends(self, k):
        there = np.flatnonzero(np.isfinite(self.value[:, k, 0]))
        return self.value[[there[0], there[-1]], k] if len(there) else np.full((2, 3), math.nan)

    def keep_tail(self, begin):
        first = min(int(np.searchsorted(self.series.time, begin)), self.series.records - 1)
        self.series.time, self.value, self.all = self.series.time[first:], self.value[first:], self.all[first:]
        self.series.records -= first

    def has_nutation(self):
        return self.what[3] and find_series(self.source, "nutation", 0) is not None


def paths(data, request, sources):
    of = [Curves(s) for s in sources]
    if len(of) > 1:
        _check_pair(of)
    if request.frame:
        of[0].keep_tail(request.frame["from"])
    b = of[0]
    data["files"] = len(of)
    for c in of:
        data.add(file=c.source.name(), curves=c.curves, joined=int(c.joined), crowded=int(c.spacing > 2 * FINEST))
    data["longest"] = max(len(c.source.name().encode("utf-8", "surrogateescape")) for c in of)
    data["what"], data["angles"] = b.what[2], int(b.has_nutation())
    data["contours_of"] = request.contours or ""
    data["points"], data["paths"] = b.points, b.paths
    data["start"], data["end"] = float(b.series.time[0]), float(b.series.time[-1])
    data["azimuth"], data["elevation"] = request.view or find_view([b.all])
    xyz = [("x1", "1"), ("x2", "1"), ("x3", "1")]
    for f, c in enumerate(of, 1):
        for k in range(c.curves):
            data.write(f"path_{f}_{k + 1}", xyz, c.vertices(k))
            data.write(f"ends_{f}_{k + 1}", xyz, c.ends(k))
    for f, c in enumerate(of, 1):
        if b.has_nutation() and c.has_nutation():
            n = Series(c.source, "nutation", 0)
            stride = n.records // 4000 + 1
            for k in range(1 if c.points > 1 else c.curves):
                data.write(f"nutation_{f}_{k + 1}", [("t", TIME), ("angle", "1")],
                           np.column_stack([n.time, n.value[:, k, 0]])[::stride])
    if request.contours:
        _sphere_contours(data, request, b)
    if b.way > TANGLE and not request.frame:
        request.remark(f"a path goes round the sphere {b.way / 6.283:.0f} times; --until T draws its beginning")


def _check_pair(of):
    a, b = of
    if a.source.system and b.source.system and a.source.system != b.source.system:
        raise Refused(f"{a.source.file} holds a {a.source.system} and {b.source.file} a {b.source.system}; paths of one system only "
                      "can be drawn together")
    if a.points != b.points:
        raise Refused(f"a state has {a.points} points in {a.source.file} and {b.points} in {b.source.file}; paths of one system "
                      "only can be drawn together")


def _sphere_contours(data, request, b):
    """An observable on the sphere of the first record, every two degrees from the south and from the first axis on."""
    if b.points > 1 or b.what[0] != "state":
        raise Refused(f"--contours: {b.source.file}: contours are on the sphere of states of three components")
    of = contours_of(b.source, request)
    up, across = np.radians(2.0 * np.arange(-45, 46))[:, None], np.radians(2.0 * np.arange(181))[None, :]
    states = b.radius * np.stack(np.broadcast_arrays(np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)), axis=-1)
    values = of(states.reshape(-1, 3)).reshape(91, 181)
    if np.isnan(values).all():
        raise Refused(f"{b.source.file}: no state on the sphere has a {of.name}")
    data.matrix("contours", of.name, of.unit, values)


# ---- members ----

MEMBERS = "/ensemble/members"


def _member_states(source):
    d, time = source.find(MEMBERS, 3), source.find("/ensemble/time")
    fits = d is not None and time is not None and time.ndim == 1 and d.shape[0] == time.shape[0]
    return d if fits else None


def has_members(source):
    d = _member_states(source)
    return d is not None and d.dtype.kind != "c" and d.shape[-1] == 3 and d.ndim <= 4


def failed_members(source, n):
    d = source.datasets.get("/ensemble/member_failed")
    return d[()] != 0 if d is not None and d.shape == (n,) else np.zeros(n, bool)


def members(data, request, sources):
    source, = sources
    d = _member_states(source)
    n, points = d.shape[1], d.shape[2] if d.ndim == 4 else 1
    time, failed = source.column("/ensemble/time", d.shape[0]), failed_members(source, n)
    shown = snapshots(request, source, time, 5)
    states = []
    for i in shown:
        x = d[i].astype(float).reshape(n, points, 3)
        length = np.sqrt((x * x).sum(axis=2))
        drawn = (length > 0) & np.isfinite(length) & ~failed[:, None]
        with np.errstate(all="ignore"):
            states.append(np.where(drawn[..., None], x / length[..., None], math.nan))
    if not any(np.isfinite(x).any() for x in states):
        raise common.nothing(source, "member at these times")
    drawn = min(points, 7)
    data["panels"], data["when"] = len(shown), [float(time[i]) for i in shown]
    data["members"], data["points"] = n, drawn
    data["azimuth"], data["elevation"] = request.view or find_view(states)
    for i, x in enumerate(states, 1):
        for k in range(drawn):
            data.write(f"points_{i}_{k + 1}", [("x1", "1"), ("x2", "1"), ("x3", "1")], x[:, k])
    if failed.any():
        request.remark(f"{int(failed.sum())} of {n} members failed and are not drawn")
    if drawn < points:
        request.remark(f"{drawn} of the {points} points of a state are drawn")


# ---- films: times of the frames, and what all frames share ----


def paths_film(source, request):
    b = Curves(source)
    time = b.series.time
    span = time[-1] - time[0]
    return time, {"tail": span * 3.0 / b.way if b.way > 3.0 else span, "view": find_view([b.all])}


def members_film(source, request):
    d = _member_states(source)
    return source.column("/ensemble/time", d.shape[0]), {"view": (40.0, 22.0)}
