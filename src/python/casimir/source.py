"""One results file as pictures read it: datasets by name, series over time, tables of studies."""

import functools
import json
import math
import os
import pathlib

import numpy as np

from .errors import Refused, lacks_files

MOST_TIMES = 8
MOST_TABLES = 6  # in one figure, so that colours tell them apart
# Attributes of HDF5 and netCDF themselves.
OWN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates"}


def plain(value):
    """A text or a number of HDF5 as those of Python; arrays as they are."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, np.generic) else value


def units(dataset):
    return plain(dataset.attrs.get("units"))


def attributes(at):
    return {name: plain(value) for name, value in at.attrs.items() if name not in OWN}


def check_complete(file, of):
    """Refuses a file by its attributes."""
    if "casimir_version" not in of or of.get("complete") != 1:
        raise Refused(f"{file}: no complete results of casimir")


def nearest(x, wanted):
    """The index of the number nearest to `wanted`; of two the first."""
    return int(np.argmin(np.abs(np.asarray(x) - wanted)))


class Source:
    """A results file, which stays open, or the JSON of measurements of scaling (`values`)."""

    def __init__(self, file, label=None, until=math.inf, map=None, show=None):
        self.file, self.label, self.until, self.map, self.show = os.fspath(file), label, until, map, show
        self.values, self.h5, self.attributes, self.datasets = None, None, {}, {}
        if not os.path.exists(self.file):
            raise Refused(f"{self.file}: No such file or directory")
        if self.file.lower().endswith(".json"):
            self.values = json.loads(pathlib.Path(self.file).read_text(encoding="utf-8"))
            return
        import h5py

        try:
            self.h5 = h5py.File(self.file, "r")
        except OSError as reason:
            if lacks_files(reason):
                raise
            raise Refused(f"{self.file}: no file of HDF5: {reason}") from None
        self.attributes = attributes(self.h5)
        check_complete(self.file, self.attributes)
        groups = [("", self.h5)]
        for path, group in groups:  # by every name that a dataset has: scales have several
            for name, at in group.items():
                if hasattr(at, "shape"):
                    self.datasets[f"{path}/{name}"] = at
                elif hasattr(at, "items"):
                    groups.append((f"{path}/{name}", at))

    def close(self):
        self.h5.close()

    def __getattr__(self, name):
        """Provenance: source.study, source.system, .. ; None where the file does not say."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self.attributes.get(name)

    def name(self):
        """Its label, or the file's name without directory and extension, cut to fit into a legend."""
        shown = os.path.splitext(os.path.basename(self.file))[0] if self.label is None else self.label
        cut = shown.encode("utf-8", "surrogateescape")
        return shown if len(cut) <= 40 else cut[:40].decode("utf-8", "ignore") + "…"

    def find(self, name, least=1):
        """A dataset by its full name, if it has `least` axes, all of them with numbers; else None."""
        d = self.datasets.get(name)
        return d if d is not None and d.ndim >= least and all(d.shape) else None

    def components(self, name):
        """The names of the components of states, [] where the file has none."""
        return plain(self.datasets[name].attrs.get("components", "")).split() if name in self.datasets else []

    @functools.cached_property
    def series(self):
        """Names of real datasets over time, /trajectory/NAME, with the lengths of their axes besides time and paths."""
        time, paths = self.find("/trajectory/time"), "/trajectory/path" in self.datasets
        found = {name.removeprefix("/trajectory/"): d for name, d in self.datasets.items() if name.startswith("/trajectory/")}
        return {name: d.shape[1 + paths:] for name, d in found.items() if time is not None and d.shape[:1] == time.shape
                and d.ndim > paths and all(d.shape) and d.dtype.kind in "fiu" and plain(d.attrs.get("CLASS")) != "DIMENSION_SCALE"}

    def column(self, name, n):
        """A real dataset of n numbers."""
        d = self.datasets.get(name)
        if d is None or d.shape != (n,) or d.dtype.kind == "c":
            raise Refused(f"{self.file}: the dataset '{name}' should be {n} real numbers, to fit the others of its group")
        return d[()].astype(float)

    def group(self, name):
        """A group's attributes and datasets in one dict, None where there is no such group."""
        at = self.h5.get(name) if self.h5 is not None else None
        return Table(self, at) if hasattr(at, "items") else None

    def row(self, group, **wanted):
        """The first row of a group, such as /fits, that has these values in its columns, as a dict; else {}."""
        frame = self.group(group)
        columns = {name: frame[name] for name in frame.h5 if frame.h5[name].shape} if frame else {}
        rows = (dict(zip(columns, map(plain, row))) for row in zip(*columns.values()))
        return next((row for row in rows if wanted.items() <= row.items()), {})

    def headline(self):
        """The sentence that the file concludes with, where it has one."""
        return str(self.group("result").get("headline", "")) if self.group("result") else ""

    def groups(self, name):
        """The tables below a group, by name."""
        at = self.group(name)
        return [Table(self, part) for part in at.h5.values() if not hasattr(part, "shape")] if at else []

    def steps(self):
        """Step sizes of a study with levels, the reference's last; None where it has none."""
        levels = self.group("levels")
        return np.append(levels["step"], levels["reference_step"]) if levels and "step" in levels else None

    def levels(self):
        """How much finer a level is than the one before, what levels differ in, a level, and the next finer one: "step
        size h", "h", "h/2", or N, where they differ in that and steps() are N^-2."""
        step, levels = self.steps(), self.group("levels")
        ratio = int(round(step[0] / step[1])) if len(step) > 2 else 2
        sized = "N" in levels and levels["time_step"][0] != levels["step"][0]
        said = ("N⁻²", "N", f"{ratio**0.5:.2g} N") if sized else ("step size h [time unit]", "h", f"h/{ratio}")
        return {"refinement": ratio, **dict(zip(("across", "level", "next"), said))}


class Table:
    """A group: its attributes and its datasets by name, with the units of these."""

    def __init__(self, source, group):
        self.source, self.h5, self.name = source, group, group.name.rsplit("/", 1)[1]

    def __contains__(self, name):
        return name in self.h5.attrs or name in self.h5

    def __getitem__(self, name):
        if name not in self:
            raise Refused(f"{self.source.file}: the group '{self.h5.name}' has no '{name}'")
        return plain(self.h5[name][()] if name in self.h5 else self.h5.attrs[name])

    def get(self, name, other=None):
        return self[name] if name in self else other

    def interval(self, name, suffix=""):
        """A number and both ends of its interval; NaN where there is none."""
        return [self.get(name + end + suffix, math.nan) for end in ("", "_low", "_high")]

    def units(self, name):
        return units(self.h5[name]) if name in self.h5 else None


class Series:
    """/trajectory/NAME up to the time that was asked for; `value` [records, paths, numbers] is read when it is first asked for."""

    def __init__(self, source, name):
        if name not in source.series:
            raise Refused(f"{source.file}: has no series '{name}' over time")
        d = source.datasets[f"/trajectory/{name}"]
        self.name, self.dataset, self.units = name, d, units(d)
        self.dims = source.series[name]
        self.numbers = int(np.prod(self.dims))
        self.paths = d.shape[1] if d.ndim > 1 + len(self.dims) else 1
        time = source.column("/trajectory/time", d.shape[0])
        self.time = time[np.cumsum(time > source.until) == 0]
        self.records = len(self.time)
        if self.records == 0:
            raise Refused(f"{source.file}: nothing is recorded until t = {source.until:g}; the first time is {time[0]:g}")

    @functools.cached_property
    def value(self):
        return self.dataset[: self.records].astype(float).reshape(self.records, self.paths, self.numbers)

    def record(self, i):
        """All numbers at one time, [paths, ..]."""
        return self.dataset[i].astype(float).reshape((self.paths, *self.dims))


def thinned(time, value, bins=1000):
    """Two columns of a curve; of very many records the least and the greatest in each of a thousand intervals."""
    n, kept = len(time), slice(None)
    if n > 2 * bins:
        low, high = (np.where(np.isnan(value), none, value) for none in (np.inf, -np.inf))
        parts = np.split(np.arange(n), np.arange(1, bins) * n // bins)
        kept = np.unique([[i[low[i].argmin()], i[high[i].argmax()]] for i in parts])
    return np.column_stack([time[kept], value[kept]])


def snapshots(data, request, time, wanted, number="snapshots"):
    """Records that show a development: the first, the last, and between them T/4, T/16, ..; or those nearest to the times
    that were asked for. The data say their number and their times."""
    if request.at:
        records = set()
        for t in request.at:
            records.add(i := nearest(time, t))
            if abs(time[i] - t) > 1e-9 * max(time[-1] - time[0], abs(t)):
                request.remark(f"nothing is recorded at t = {t:g}; t = {time[i]:g} is drawn")
        shown = sorted(records)
    else:
        n = min(len(time), wanted)
        shown = [0] * (n - 1) + [len(time) - 1]
        for i in range(n - 2, 0, -1):
            shown[i] = max(i, min(shown[i + 1] - 1, nearest(time, time[0] + (time[-1] - time[0]) * 4.0 ** (i - n + 1))))
    data[number], data["when"] = len(shown), [float(time[i]) for i in shown]
    return shown
