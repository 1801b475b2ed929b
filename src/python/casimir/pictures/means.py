"""Means over paths and over time, scaling over ranks, and estimates and derivatives by a key of sweeps."""

import csv
import functools
import json
import math

import numpy as np

from ..data import TIME
from ..engine import says
from ..errors import Refused
from ..results import number
from ..source import Series, nearest, plain, snapshots
from .common import nothing
from .orders import tables_of

MOST_PANELS, MOST_NUMBERS, FEW, MOST_BANDS, MOST_MEMBERS = 6, 3, 12, 3, 20
COLUMNS = ("mean", "mean_low", "mean_high", "least", "greatest", "median", "low_1", "high_1", "low_2", "high_2", "low_3", "high_3")
MEASURED = ("efficiency", "efficiency_low", "efficiency_high")
DERIVATIVES = ("time", "from", "to", "derivative", "derivative_low", "derivative_high")
FITS = {"ensemble": lambda source: source.find("/ensemble/time") is not None and _subjects(source)[0],
        "ensemble_spectrum": lambda source: source.find("/ensemble/time") is not None and _spectra(source),
        "spectrum": lambda source: len(source.series.get("energy_spectrum", ())) == 1,
        "scaling": lambda source: source.values is not None,
        "parameter": lambda source: source.study not in ("trajectory", None),
        "sensitivity": lambda source: any(name.endswith("/group_mean") for name in source.datasets)
        or "/trajectory/path" in source.datasets and () in source.series.values()}


def time_average(data, request, source):
    tables = tables_of(request, source, "time_average")
    first = tables[0]
    data.update(observables=len(tables), paths=first["paths_counted"], batches=len(first["batch_mean"]),
                start=first["from"], end=first["to"])
    for i, t in enumerate(tables, 1):
        unit, mean, end = t.units("batch_mean") or "1", t["batch_mean"], t["batch_end"]
        data.add(name=t.name, units=unit)
        data.interval("average", t["mean"], t["low"], t["high"])
        data.interval("autocorrelation", t["autocorrelation_time"], t["autocorrelation_low"], t["autocorrelation_high"])
        data.add(short_batches=int(t["short_batches"]))
        columns = {"middle": TIME, "mean": unit, "two_standard_errors": unit, "end": TIME, "running_mean": unit}
        data.write(f"batches_{i}", columns, (np.append(t["from"], end[:-1]) + end) / 2, mean,
                   2 * t["batch_standard_error"], end, np.cumsum(mean) / np.arange(1, len(mean) + 1))


@functools.lru_cache(maxsize=None)
def student(degrees):
    """The half width, in standard errors, of Student's 95% interval: sqrt(degrees) tan(angle), where the integral of
    cos^(degrees - 1) from 0 to the angle is 0.95 of that to pi/2. One degree has the widest, 12.7."""
    angle, step = np.linspace(0, math.atan(13 / math.sqrt(degrees)), 100001, retstep=True)
    integral = np.append(0, np.cumsum(np.cos(angle[1:] - step / 2) ** (degrees - 1))) * step
    wanted = 0.475 * math.sqrt(math.pi) * math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees + 1) / 2))
    return math.sqrt(degrees) * math.tan(np.interp(wanted, integral, angle))


class Subject:
    """Number `number` of the `count` numbers of an observable of an ensemble."""

    def __init__(self, table, number, count, label):
        self.table, self.number, self.count, self.label = table, number, count, label
        self.unit = table.units("mean") or "1"

    def of(self, name, k=0):
        """Over time; of quantiles the one of probability k."""
        value = np.asarray(self.table[name], float)
        return value.reshape(len(value), self.count, -1)[:, self.number, k]

    def bounds(self):
        """Student's interval of the mean, where the file has none. The number of paths follows from variance and standard error."""
        if "mean_low" in self.table:
            return self.of("mean_low"), self.of("mean_high")
        mean, se = self.of("mean"), self.of("standard_error")
        paths = np.round(self.of("variance") / (se * se))
        half = np.nan_to_num(se) * [student(p - 1) if np.isfinite(p) and p > 1 else 1.96 for p in paths]
        return mean - half, mean + half


def _subjects(source):
    """Panels, and how many numbers have none: single numbers are first; observables of few numbers follow."""
    found, left_out = [], 0
    tables = [t for t in source.groups("ensemble") if "mean" in t and "minimum" in t]
    for t, d in sorted(((t, t.h5["mean"]) for t in tables), key=lambda of: of[1].ndim):
        n = int(np.prod(d.shape[1:]))
        named = d.ndim == 2 and len(d.dims[1]) and d.dims[1][0].dtype.kind == "O"
        labels = map(plain, d.dims[1][0][()]) if named else [str(k + 1) if d.ndim > 1 else "" for k in range(n)]
        drawn = d.ndim < 2 or d.ndim == 2 and n <= MOST_NUMBERS
        left_out += 0 if drawn else n
        found += [Subject(t, k, n, label) for k, label in enumerate(labels) if drawn]
    return found[:MOST_PANELS], left_out + len(found[MOST_PANELS:])


def _bands(source):
    """Probabilities of quantiles; pairs that add to 1, the edges of bands, outermost first; the place of the median."""
    of = source.group("ensemble").get("probability", np.zeros(0))
    near = [(i, j) for i, p in enumerate(of) for j, q in enumerate(of) if i <= j and abs(p + q - 1) < 1e-9]
    return of, [(i, j) for i, j in near if i < j], next((i for i, j in near if i == j), None)


def ensemble(data, request, source):
    subjects, left_out = _subjects(source)
    time = source.find("/ensemble/time")[()].astype(float)
    probability, every, median = _bands(source)
    bands = every[:MOST_BANDS]
    least = np.diff(time).min() if len(time) > 1 else math.inf
    half_width = float(min(0.28 * least, 0.03 * (time[-1] - time[0]))) if math.isfinite(least) else 0.1
    data.update(panels=len(subjects), boxes=len(time) <= FEW, half_width=half_width, start=time[0], end=time[-1],
                has_median=median is not None, bands=len(bands))
    for low, high in bands:
        data.add(band_low=float(probability[low]), band_high=float(probability[high]))
    for i, u in enumerate(subjects, 1):
        data.add(name=u.table.name, number=u.label, units=u.unit)
        rows = np.full((len(time), 1 + len(COLUMNS)), math.nan)
        rows[:, :6] = np.column_stack([time, u.of("mean"), *u.bounds(), u.of("minimum"), u.of("maximum")])
        for column, k in enumerate([median, *(end for pair in bands for end in pair)], 6):
            rows[:, column] = u.of("quantile", k) if k is not None else math.nan
        rows[~np.isfinite(rows[:, 1])] = math.nan
        data.write(f"panel_{i}", [("time", TIME), *((name, u.unit) for name in COLUMNS)], rows)
    # the members behind panels that show a component of states, which are lists of real numbers with names
    d, names = source.find("/ensemble/members", 3), source.components("/ensemble/members")
    fits = d is not None and d.dtype.kind != "c" and d.ndim == 3
    panels = [(i, u) for i, u in enumerate(subjects, 1) if fits and not u.label and u.table.name in names]
    data["members"] = min(d.shape[1], MOST_MEMBERS) if panels else 0
    for i, u in panels:
        values = d[:, : data["members"], names.index(u.table.name)]
        data.write(f"members_{i}", [("time, then each member", u.unit)], time, values)
    request.first(MOST_MEMBERS, d.shape[1] if panels else 0, "members are drawn")
    request.count(left_out, "further number{s} of the observables {are} not drawn")
    request.count(len(every) - len(bands), "further pair{s} of quantiles {are} not drawn")


def _degrees(data, source, group, n):
    """The degrees, or on the torus wavenumbers, and the heading of their column."""
    name = "wavenumber" if f"{group}/wavenumber" in source.datasets else "degree"
    degree = source.column(f"{group}/{name}", n)
    data.update(torus=name == "wavenumber", degrees=n, first=degree[0], last=degree[-1])
    return degree, name


def _spectra(source):
    tables = [source.group(f"ensemble/{name}") for name in ("energy_spectrum", "enstrophy_spectrum")]
    return [t for t in tables if t and "mean" in t and "standard_error" in t and t.h5["mean"].ndim == 2 and all(t.h5["mean"].shape)]


def ensemble_spectrum(data, request, source):
    tables = _spectra(source)
    records, degrees = tables[0].h5["mean"].shape
    time = source.column("/ensemble/time", records)
    probability, bands, _ = _bands(source)
    band = min(bands, key=lambda pair: probability[pair[0]]) if bands and "quantile" in tables[0] else None
    shown = snapshots(data, request, time, 3)
    data["panels"] = len(tables)
    degree, heading = _degrees(data, source, "/ensemble", degrees)
    data["band_low"], data["band_high"] = probability[list(band)] if band else (math.nan, math.nan)
    for k, t in enumerate(tables, 1):
        unit = t.units("mean")
        data.add(quantity=t.name, units=unit)
        for j, i in enumerate(shown, 1):
            mean, error = t.h5["mean"][i], t.h5["standard_error"][i]
            low, high = t.h5["quantile"][i][:, band].T if band else (mean - 2 * error, mean + 2 * error)
            columns = {heading: "1", **dict.fromkeys(("mean", "two_standard_errors", "low", "high"), unit)}
            data.write(f"spectrum_{k}_{j}", columns, degree, mean, 2 * error, low, high)


def spectrum(data, request, source):
    series = Series(source, "energy_spectrum")
    shown = snapshots(data, request, series.time, 5)
    degree, heading = _degrees(data, source, "/trajectory", series.numbers)
    data["units"] = series.units
    for k, i in enumerate(shown, 1):
        energy = series.record(i)
        mean = np.where(np.isfinite(energy), energy, 0).sum(axis=0) / np.isfinite(energy).sum(axis=0)
        data.write(f"spectrum_{k}", {heading: "1", "energy": series.units}, degree, mean)
    if series.paths > 1:
        request.remark(f"the mean over {series.paths} paths is drawn")


def scaling(data, request, source):
    for kind in ("strong", "weak"):
        m = source.values.get(kind)
        columns = [m.get(key) or [] for key in ("ranks", "seconds", *MEASURED)] if isinstance(m, dict) else [[]]
        ranks = columns[0]
        if not all(map(all, columns)) or {*map(len, columns)} != {len({*ranks})} or not ranks or ranks != sorted(ranks):
            raise Refused(f"{source.file}: {kind}: has no ranks that ascend, with seconds and efficiency for each")
        seconds = np.asarray(columns[1], float)
        data.write(kind, {"ranks": "1", "seconds": "s", "least": "s", "most": "s", **dict.fromkeys(MEASURED, "1")},
                   ranks, np.median(seconds, axis=1), seconds[:, 0], seconds[:, -1], *columns[2:])
    ranks, seconds = data.block("strong").rows.T[:2]
    data.update(least_ranks=float(ranks[0]), most_ranks=float(ranks[-1]), ideal=float(seconds[0] * ranks[0]))


def _interval(row):
    """The value of an estimate and its interval, or two standard errors."""
    value, se, low, high = (float(row[k] or "nan") for k in ("value", "standard_error", "low", "high"))
    both = math.isfinite(se) and (math.isnan(low) or math.isnan(high))
    return (value, value - 2 * se, value + 2 * se) if both else (value, low, high)


def _number(value):
    value = number(value)
    return value if isinstance(value, (int, float)) and math.isfinite(value) else math.nan


def _follows(files, keys, key, parameter):
    """Whether a key follows from another one, as tolerances from the scheme and numbers of steps from their size. What is
    different in every file, such as a seed, is no reason for others."""
    def tells(one, other):
        return all(a.get(other) == b.get(other) for a in files for b in files if a.get(one) == b.get(one))

    if key.endswith("steps") and key != "steps" and tells(parameter, key):
        return True
    reasons = [one for one in keys if one != key and len({a.get(one) for a in files}) < len(files) and tells(one, key)]
    return any(one == parameter or not tells(key, one) or keys.index(one) < keys.index(key) for one in reasons)


def parameter(data, request, sources):
    # of each file the values of the keys that differ, as text, and its main estimates
    said = json.loads(says("report", "--format", "json", "--", *(s.file for s in sources)), parse_float=str, parse_int=str)
    files = [f["parameters"] for f in said]
    found = [{(row["table"], row["quantity"]): _interval(row) for row in f["estimates"] if row.get("headline")} for f in said]
    keys = list(dict.fromkeys(key for f in files for key in f))
    for key in ("system.name", "study.kind"):
        if key in keys:
            raise Refused(f"{sources[0].file}: no picture shows files together that differ in {key}; draw each alone")
    by = next((key for key in keys if all(not math.isnan(_number(f.get(key))) for f in files)), None)
    if by is None:
        raise Refused(f"{sources[0].file}: differs from the others in no key that is a number")
    others = [key for key in keys if key != by and not _follows(files, keys, key, by)]
    label = [", ".join(f"{key} {f.get(key) or ''}" for key in others) for f in files]
    none = (math.nan,) * 3
    panels = [p for p in list(found[0])[:4] if any(math.isfinite(rows.get(p, none)[0]) for rows in found)]
    if not panels:
        raise nothing(sources[0], "estimate")
    series = list(dict.fromkeys(label))
    data.update(parameter=by, number_of_panels=len(panels), quantity=[f"{what} of {table}" for table, what in panels],
                label=series, series=len(series))
    for p, panel in enumerate(panels, 1):
        for k, name in enumerate(series, 1):
            rows = {_number(keys.get(by)): estimates.get(panel, none)
                    for own, keys, estimates in reversed([*zip(label, files, found)]) if own == name}
            data.write(f"panel_{p}_{k}", [(h, None) for h in ("parameter", "value", "low", "high")],
                       [[x, *rows[x]] for x in sorted(rows)])



def sensitivity(data, request, sources):
    # observable, time, from, to, derivative, its interval, and the key that differs
    said = says("report", "--differences", "--format", "csv", "--", *(s.file for s in sources)).decode("utf-8", "replace")
    rows = sorted((r["observable"], *(float(r[name] or "nan") for name in DERIVATIVES), r["key"])
                  for r in csv.DictReader(said.splitlines()))
    key, others = rows[0][-1] if rows else "", f"{sources[0].file} and the others differ"
    for a, b in zip(rows, rows[1:]):
        if a[-1] != b[-1]:
            raise Refused(f"{others} by {a[-1]} and by {b[-1]}: draw those alone that differ by one of them")
        if a[:3] == b[:3]:
            raise Refused(f"{others} in more than {a[-1]}: draw those alone that are the same but for it")
    wanted = request.show.split(",") if request.show else None
    names = [name for name in dict.fromkeys(row[0] for row in rows) if not wanted or name in wanted]
    if not names:
        raise nothing(sources[0], request.show or "derivative")
    request.count(len(names) - MOST_PANELS, "further observable{s} {are} not drawn: --show NAME,.. chooses")
    names, times, when = names[:MOST_PANELS], [row[1] for row in rows], []
    for t in request.at or [max(times)]:
        when.append(times[nearest(times, t)])
        if abs(when[-1] - t) > 1e-9 * abs(when[-1]):
            request.remark(f"--at {t:g}: the nearest record is at time {when[-1]:g}")
    data.update(parameter=key, number_of_panels=len(names), name=names, series=len(when), when=when)
    for p, name in enumerate(names, 1):
        for k, t in enumerate(when, 1):
            data.write(f"panel_{p}_{k}", [(h, None) for h in ("middle", "derivative", "low", "high", "from", "to")],
                       [[(a + b) / 2, *values, a, b] for own, time, a, b, *values, _ in rows if own == name and time == t])
