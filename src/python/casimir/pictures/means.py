"""Means over paths and over time: ensembles, averages, spectra, sweeps and scaling."""

import functools
import json
import math

import numpy as np

from ..data import TIME
from ..engine import says
from ..errors import Refused
from ..source import Series, find_series, nearest, snapshots, text
from . import common
from .orders import tables_of

# ---- averages over time ----


def has_time_average(source):
    return bool(source.groups("time_average"))


def time_average(data, request, sources):
    source, = sources
    tables = tables_of(request, source, "time_average")
    first, any_mean = tables[0], False
    data["observables"], data["paths"] = len(tables), int(first["paths_counted"])
    data["batches"] = len(first["batch_mean"])
    data["start"], data["end"] = float(first["from"]), float(first["to"])
    for i, t in enumerate(tables, 1):
        unit, mean, end = t.units("batch_mean") or "1", t["batch_mean"], t["batch_end"]
        data.add(name=t.name, units=unit)
        data.interval("average", t["mean"], t["low"], t["high"])
        data.interval("autocorrelation", t["autocorrelation_time"], t["autocorrelation_low"], t["autocorrelation_high"])
        data.add(short_batches=int(t["short_batches"]))
        begin = np.append(t["from"], end[:-1])
        running = np.array([total / (k + 1) for k, total in enumerate(_sums(mean))])
        any_mean |= bool(np.isfinite(mean).any())
        data.write(f"batches_{i}", [("middle", TIME), ("mean", unit), ("two_standard_errors", unit), ("end", TIME),
                                    ("running_mean", unit)],
                   np.column_stack([(begin + end) / 2, mean, 2 * t["batch_standard_error"], end, running]))
    if not any_mean:
        raise common.nothing(source, "mean of a batch")


def _sums(values):
    total = 0.0
    for value in values:
        total += value
        yield total


# ---- ensembles ----

MOST_PANELS, MOST_NUMBERS, FEW, MOST_BANDS, MOST_MEMBERS = 6, 3, 12, 3, 20


@functools.lru_cache(maxsize=None)
def student(degrees):
    """The half width, in standard errors, of Student's 95% interval."""
    x, w = np.polynomial.legendre.leggauss(120)
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def density(t):
        return scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)

    t = 1.96
    for _ in range(60):
        # the tangent turns the infinite range of few degrees into a finite one
        angle = math.atan(t)
        nodes = angle / 2 * (x + 1)
        half = angle / 2 * np.sum(w * density(np.tan(nodes)) / np.cos(nodes) ** 2)
        step = (half - 0.475) / density(t)
        t -= max(-t, min(t, step)) if abs(step) > t else step
        if abs(step) < 1e-15 * t:
            break
    return t


class Observable:
    """One number of an observable of an ensemble."""

    def __init__(self, table, number, label):
        self.table, self.number, self.label = table, number, label
        self.unit = table.units("mean") or "1"

    def of(self, name):
        value = np.asarray(self.table[name], float)
        return value.reshape(value.shape[0], -1)[:, self.number]

    def half(self):
        """Half of Student's interval of a mean. The number of paths follows from variance and standard error."""
        se, variance = self.of("standard_error"), self.of("variance")
        with np.errstate(all="ignore"):
            paths = np.round(variance / (se * se))
        t = [student(p - 1) if np.isfinite(p) and p > 1 else 1.96 for p in paths]
        return np.where(np.isfinite(se), t * np.nan_to_num(se), 0)

    def bounds(self):
        if "mean_low" in self.table:
            return self.of("mean_low"), self.of("mean_high")
        mean, half = self.of("mean"), self.half()
        return mean - half, mean + half


def _numbers(table):
    """Axes, how many numbers, and their labels."""
    d = table.h5["mean"]
    n = int(np.prod(d.shape[1:]))
    labels = [str(k + 1) for k in range(n)]
    if d.ndim == 2 and len(d.dims[1]):
        scale = d.dims[1][0]
        if scale.dtype.kind == "O":
            labels = [text(v) for v in scale[()]]
    return d.ndim - 1, n, labels


def _subjects(source):
    """Panels, and how many numbers have none: single numbers are first; observables of few numbers follow."""
    found, left_out = [], 0
    tables = [(t, *_numbers(t)) for t in source.groups("ensemble") if "mean" in t and "minimum" in t]
    for wanted in range(3):
        for t, axes, n, labels in tables:
            if axes == wanted and (axes > 1 or n > MOST_NUMBERS):
                left_out += n
            elif axes == wanted:
                found += [Observable(t, k, labels[k] if axes else "") for k in range(n)]
    return found[:MOST_PANELS], left_out + max(0, len(found) - MOST_PANELS)


def has_ensemble(source):
    return source.find("/ensemble/time") is not None and bool(_subjects(source)[0])


def _bands(probability):
    """Pairs of probabilities that add to 1 are the edges of bands, outermost first; and the place of the median, or None."""
    pairs, median = [], None
    for i, p in enumerate(probability):
        median = i if abs(p - 0.5) < 1e-9 else median
        pairs += [(i, j) for j in range(i + 1, len(probability)) if abs(p + probability[j] - 1) < 1e-9]
    return pairs[:MOST_BANDS], len(pairs[MOST_BANDS:]), median


def ensemble(data, request, sources):
    source, = sources
    subjects, left_out = _subjects(source)
    time = source.column("/ensemble/time", source.find("/ensemble/time").shape[0])
    probability = source.group("ensemble").get("probability", np.zeros(0))
    bands, bands_left_out, median = _bands(probability)
    least = np.diff(time).min() if len(time) > 1 else math.inf
    data["panels"], data["boxes"] = len(subjects), int(len(time) <= FEW)
    data["half_width"] = float(min(0.28 * least, 0.03 * (time[-1] - time[0]))) if math.isfinite(least) else 0.1
    data["start"], data["end"] = float(time[0]), float(time[-1])
    data["has_median"], data["bands"] = int(median is not None), len(bands)
    for low, high in bands:
        data.add(band_low=float(probability[low]), band_high=float(probability[high]))
    any_mean = False
    for i, u in enumerate(subjects, 1):
        data.add(name=u.table.name, number=u.label, units=u.unit)
        mean = u.of("mean")
        rows = np.full((len(time), 13), math.nan)
        rows[:, 0], rows[:, 1], (rows[:, 2], rows[:, 3]) = time, mean, u.bounds()
        rows[:, 4], rows[:, 5] = u.of("minimum"), u.of("maximum")
        quantile = np.asarray(u.table["quantile"], float).reshape(len(time), -1, len(probability))[:, u.number] \
            if len(probability) else None
        if median is not None:
            rows[:, 6] = quantile[:, median]
        for k, (low, high) in enumerate(bands):
            rows[:, 7 + 2 * k], rows[:, 8 + 2 * k] = quantile[:, low], quantile[:, high]
        rows[~np.isfinite(mean)] = math.nan
        any_mean |= bool(np.isfinite(mean).any())
        names = ["mean", "mean_low", "mean_high", "least", "greatest", "median", "low_1", "high_1", "low_2", "high_2", "low_3", "high_3"]
        data.write(f"panel_{i}", [("time", TIME), *((name, u.unit) for name in names)], rows)
    _members(data, request, source, subjects, time)
    if left_out:
        request.remark(f"{left_out} further number{'s' * (left_out > 1)} of the observables {'are' if left_out > 1 else 'is'} not drawn")
    if bands_left_out:
        request.remark(f"{bands_left_out} further pair{'s' * (bands_left_out > 1)} of quantiles "
                       f"{'are' if bands_left_out > 1 else 'is'} not drawn")
    if not any_mean:
        raise common.nothing(source, "mean of any observable")


def _members(data, request, source, subjects, time):
    """The members behind panels that show a component of states, which are lists of real numbers with names."""
    d, names = source.find("/ensemble/members", 3), source.components("/ensemble/members")
    fits = d is not None and names and d.dtype.kind != "c" and d.ndim == 3 and d.shape[0] == len(time)
    panels = [(i, names.index(u.table.name)) for i, u in enumerate(subjects, 1)
              if fits and not u.label and u.table.name in names and names.index(u.table.name) < d.shape[2]]
    data["members"] = min(d.shape[1], MOST_MEMBERS) if panels else 0
    for i, component in panels:
        data.matrix(f"members_{i}", "time, then each member", subjects[i - 1].unit,
                    np.column_stack([time, d[:, : data["members"], component]]))
    if panels and data["members"] < d.shape[1]:
        request.remark(f"the first {data['members']} of {d.shape[1]} members are drawn")


# ---- spectra ----

SPECTRA = ("energy_spectrum", "enstrophy_spectrum")


def _spectra(source):
    found = []
    for name in SPECTRA:
        t = source.group(f"ensemble/{name}")
        if t is not None and "mean" in t and "standard_error" in t and t.h5["mean"].ndim == 2 and all(t.h5["mean"].shape):
            found.append(t)
    return found


def has_ensemble_spectrum(source):
    return source.find("/ensemble/time") is not None and bool(_spectra(source))


def ensemble_spectrum(data, request, sources):
    source, = sources
    tables = _spectra(source)
    records, degrees = tables[0].h5["mean"].shape
    torus = "/ensemble/wavenumber" in source.datasets
    time = source.column("/ensemble/time", records)
    degree = source.column("/ensemble/wavenumber" if torus else "/ensemble/degree", degrees)
    probability = source.datasets.get("/ensemble/probability")
    probability = probability[()] if probability is not None else np.zeros(0)
    bands = _bands(probability)[0]
    band = min(bands, key=lambda pair: probability[pair[0]]) if bands else None
    shown = snapshots(request, source, time, 3)
    has_band = band and "quantile" in tables[0]
    data["snapshots"], data["when"] = len(shown), [float(time[i]) for i in shown]
    data["panels"], data["torus"], data["degrees"] = len(tables), int(torus), degrees
    data["first"], data["last"] = float(degree[0]), float(degree[-1])
    data["band_low"] = float(probability[band[0]]) if has_band else math.nan
    data["band_high"] = float(probability[band[1]]) if has_band else math.nan
    any_positive = False
    for k, t in enumerate(tables, 1):
        unit = t.units("mean")
        data.add(quantity=t.name, units=unit)
        for j, i in enumerate(shown, 1):
            mean, error = t.h5["mean"][i], t.h5["standard_error"][i]
            quantile = t.h5["quantile"][i] if band and "quantile" in t else None
            low = mean - 2 * error if quantile is None else quantile[:, band[0]]
            high = mean + 2 * error if quantile is None else quantile[:, band[1]]
            any_positive |= bool((mean > 0).any())
            data.write(f"spectrum_{k}_{j}", [("wavenumber" if torus else "degree", "1"), ("mean", unit),
                                             ("two_standard_errors", unit), ("low", unit), ("high", unit)],
                       np.column_stack([degree, mean, 2 * error, low, high]))
    if not any_positive:
        raise Refused(f"{source.file}: no mean of a spectrum is positive")


def has_spectrum(source):
    return find_series(source, "energy_spectrum", 1) is not None


def spectrum(data, request, sources):
    source, = sources
    series = Series(source, "energy_spectrum", 1, read=False)
    torus = "/trajectory/wavenumber" in source.datasets
    degree = source.column("/trajectory/wavenumber" if torus else "/trajectory/degree", series.numbers)
    shown = snapshots(request, source, series.time, 5)
    with np.errstate(all="ignore"):
        energy = [_mean_over_paths(series.record(i)) for i in shown]
    if not any((e[np.isfinite(e)] > 0).any() for e in energy):
        raise Refused(f"{source.file}: no energy of '/trajectory/energy_spectrum' is positive")
    data["snapshots"], data["when"] = len(shown), [float(series.time[i]) for i in shown]
    data["torus"], data["degrees"] = int(torus), series.numbers
    data["first"], data["last"], data["units"] = float(degree[0]), float(degree[-1]), series.units
    for k, e in enumerate(energy, 1):
        data.write(f"spectrum_{k}", [("wavenumber" if torus else "degree", "1"), ("energy", series.units)],
                   np.column_stack([degree, e]))
    if series.paths > 1:
        request.remark(f"the mean over {series.paths} paths is drawn")


def _mean_over_paths(value):
    """Over the paths that are finite; NaN where none is."""
    there = np.isfinite(value)
    total = np.zeros(value.shape[1])
    for row, ok in zip(value, there):
        total = total + np.where(ok, row, 0)
    return np.where(there.any(axis=0), total / there.sum(axis=0), math.nan)


# ---- several runs of a sweep ----




def has_estimates(source):
    return source.values is None and source.study not in ("trajectory", None)


def _estimates(sources):
    """Of each file the values of the keys that differ, as text, and its main estimates {(table, quantity): (value, low,
    high)}."""
    files = json.loads(says("report", "--format", "json", "--", *(s.file for s in sources)), parse_float=str, parse_int=str)
    found = []
    for f in files:
        rows = {}
        for row in f["estimates"]:
            if row.get("headline"):
                value, se, low, high = (float(row[k]) if row[k] is not None else math.nan
                                        for k in ("value", "standard_error", "low", "high"))
                if math.isnan(low) or math.isnan(high):
                    low, high = (value - 2 * se, value + 2 * se) if not math.isnan(se) else (low, high)
                rows[row["table"], row["quantity"]] = (value, low, high)
        found.append((f["parameters"], rows))
    return found


def _number(value):
    from ..results import number

    value = number(value) if isinstance(value, str) else value
    return value if isinstance(value, (int, float)) and math.isfinite(value) else math.nan


def _follows(files, keys, key, parameter):
    """Whether a key follows from another one, as tolerances from the scheme and numbers of steps from their size. What is
    different in every file, such as a seed, is no reason for others."""
    def tells(one, other):
        return all(a.get(other) == b.get(other) for a in files for b in files if a.get(one) == b.get(one))

    if key.endswith("steps") and key != "steps" and tells(parameter, key):
        return True
    for j, one in enumerate(keys):
        repeats = len({a.get(one) for a in files}) < len(files)
        if one != key and repeats and tells(one, key) and (one == parameter or not tells(key, one) or j < keys.index(key)):
            return True
    return False


def parameter(data, request, sources):
    found = _estimates(sources)
    files = [keys for keys, _ in found]
    keys = list(dict.fromkeys(key for f in files for key in f))
    for key in ("system.name", "study.kind"):
        if key in keys:
            raise Refused(f"{sources[0].file}: no picture shows files together that differ in {key}; draw each alone")
    by = next((key for key in keys if all(not math.isnan(_number(f.get(key))) for f in files)), None)
    if by is None:
        raise Refused(f"{sources[0].file}: differs from the others in no key that is a number")
    others = [key for key in keys if key != by and not _follows(files, keys, key, by)]
    label = [", ".join(f"{key} {f.get(key) or ''}" for key in others) for f in files]
    panels = [p for p in list(found[0][1])[:4] if any(math.isfinite(rows.get(p, (math.nan,))[0]) for _, rows in found)]
    if not panels:
        raise common.nothing(sources[0], "estimate")
    data["parameter"], data["number_of_panels"] = by, len(panels)
    data["quantity"] = [f"{quantity} of {table}" for table, quantity in panels]
    data["label"] = list(dict.fromkeys(label))
    data["series"] = len(data["label"])
    for p, panel in enumerate(panels, 1):
        for k, name in enumerate(data["label"], 1):
            rows = {}
            for i, (own, estimates) in enumerate(found):
                if label[i] == name:
                    rows.setdefault(_number(own.get(by)), estimates.get(panel, (math.nan,) * 3))
            data.write(f"panel_{p}_{k}", [("parameter", None), ("value", None), ("low", None), ("high", None)],
                       [[x, *rows[x]] for x in sorted(rows)])


def has_sensitivity(source):
    if source.values is not None:
        return False
    grouped = any(name.endswith("/group_mean") for name in source.datasets)
    time = source.find("/trajectory/time")
    return grouped or (time is not None and "/trajectory/path" in source.datasets
                       and any(name.startswith("/trajectory/") and d.ndim == 2 and d.shape[0] == time.shape[0]
                               for name, d in source.datasets.items()))


def sensitivity(data, request, sources):
    import csv

    rows = list(csv.DictReader(says("report", "--differences", "--format", "csv", "--", *(s.file for s in sources))
                               .decode("utf-8", "replace").splitlines()))
    file = sources[0].file
    numbers = ("time", "from", "to", "derivative", "derivative_low", "derivative_high")
    rows = [(r["observable"], r["key"], *(float(r[name] or "nan") for name in numbers)) for r in rows]
    entries = sorted(((name, *ends[:3], key, *ends[3:]) for name, key, *ends in rows), key=lambda e: e[:4])
    for a, b in zip(entries, entries[1:]):
        if a[4] != b[4]:
            raise Refused(f"{file} and the others differ by {a[4]} and by {b[4]}: draw those alone that differ by one of them")
        if a[:3] == b[:3]:
            raise Refused(f"{file} and the others differ in more than {a[4]}: draw those alone that are the same but for it")
    wanted = request.show.split(",") if request.show else None
    names = [name for name in dict.fromkeys(e[0] for e in entries) if not wanted or name in wanted]
    if len(names) > 6:
        left_out = len(names) - 6
        request.remark(f"{left_out} further observable{'s are' if left_out > 1 else ' is'} not drawn: --show NAME,.. chooses")
    names = names[:6]
    if not names:
        raise common.nothing(sources[0], request.show or "derivative")
    times = [e[1] for e in entries]
    when = []
    for t in request.at or []:
        when.append(times[nearest(times, t)])
        if abs(when[-1] - t) > 1e-9 * abs(when[-1]):
            request.remark(f"--at {t:g}: the nearest record is at time {when[-1]:g}")
    when = when or [max(times)]
    data["parameter"], data["number_of_panels"], data["name"] = entries[0][4], len(names), names
    data["series"], data["when"] = len(when), when
    for p, name in enumerate(names, 1):
        for k, t in enumerate(when, 1):
            data.write(f"panel_{p}_{k}", [(h, None) for h in ("middle", "derivative", "low", "high", "from", "to")],
                       [[(e[2] + e[3]) / 2, e[5], e[6], e[7], e[2], e[3]] for e in entries if e[0] == name and e[1] == t])


# ---- scaling over ranks ----

KINDS = ("strong", "weak")


def has_scaling(source):
    return source.values is not None


def scaling(data, request, sources):
    source, = sources
    for kind in KINDS:
        m = source.values.get(kind)
        if not isinstance(m, dict) or not {"ranks", "seconds", "efficiency", "efficiency_low", "efficiency_high"} <= set(m):
            raise Refused(f"{source.file}: {kind}: has no ranks, seconds and efficiency")
        lengths = {len(m[key]) for key in ("ranks", "efficiency", "efficiency_low", "efficiency_high", "seconds")}
        if len(lengths) != 1 or not m["ranks"] or not all(m["seconds"]):
            raise Refused(f"{source.file}: {kind}: its columns are not of one length")
        if m["ranks"][0] < 1 or any(b <= a for a, b in zip(m["ranks"], m["ranks"][1:])):
            raise Refused(f"{source.file}: {kind}: ranks must ascend from 1 or more")
    strong = source.values["strong"]
    data["least_ranks"], data["most_ranks"] = float(strong["ranks"][0]), float(strong["ranks"][-1])
    data["ideal"] = float(np.median(strong["seconds"][0]) * strong["ranks"][0])
    for kind in KINDS:
        m = source.values[kind]
        seconds = np.asarray(m["seconds"], float)
        data.write(kind, [("ranks", "1"), ("seconds", "s"), ("least", "s"), ("most", "s"), ("efficiency", "1"),
                          ("efficiency_low", "1"), ("efficiency_high", "1")],
                   np.column_stack([m["ranks"], np.median(seconds, axis=1), seconds[:, 0], seconds[:, -1], m["efficiency"],
                                    m["efficiency_low"], m["efficiency_high"]]))
