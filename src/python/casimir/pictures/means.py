"""Means over paths and over time: ensembles, averages, spectra, and scaling over ranks."""

import functools
import math

import numpy as np

from ..data import TIME
from ..errors import Refused
from ..source import Series, plain, snapshots
from .orders import tables_of

FITS = {"ensemble": lambda source: source.find("/ensemble/time") is not None and _subjects(source)[0],
        "ensemble_spectrum": lambda source: source.find("/ensemble/time") is not None and _spectra(source),
        "spectrum": lambda source: len(source.series.get("energy_spectrum", ())) == 1,
        "scaling": lambda source: source.values is not None}

# ---- averages over time ----


def time_average(data, request, source):
    tables = tables_of(request, source, "time_average")
    first = tables[0]
    data["observables"], data["paths"] = len(tables), int(first["paths_counted"])
    data["batches"] = len(first["batch_mean"])
    data["start"], data["end"] = float(first["from"]), float(first["to"])
    for i, t in enumerate(tables, 1):
        unit, mean, end = t.units("batch_mean") or "1", t["batch_mean"], t["batch_end"]
        data.add(name=t.name, units=unit)
        data.interval("average", t["mean"], t["low"], t["high"])
        data.interval("autocorrelation", t["autocorrelation_time"], t["autocorrelation_low"], t["autocorrelation_high"])
        data.add(short_batches=int(t["short_batches"]))
        middle = (np.append(t["from"], end[:-1]) + end) / 2
        running = np.cumsum(mean) / np.arange(1, len(mean) + 1)
        data.write(f"batches_{i}", [("middle", TIME), ("mean", unit), ("two_standard_errors", unit), ("end", TIME),
                                    ("running_mean", unit)],
                   np.column_stack([middle, mean, 2 * t["batch_standard_error"], end, running]))


# ---- ensembles ----

MOST_PANELS, MOST_NUMBERS, FEW, MOST_BANDS, MOST_MEMBERS = 6, 3, 12, 3, 20
COLUMNS = ("mean", "mean_low", "mean_high", "least", "greatest", "median", "low_1", "high_1", "low_2", "high_2", "low_3", "high_3")


@functools.lru_cache(maxsize=None)
def student(degrees):
    """The half width, in standard errors, of Student's 95% interval: sqrt(degrees) tan(angle), where the integral of
    cos^(degrees - 1) from 0 to the angle is 0.95 of that to pi/2. One degree has the widest, 12.7."""
    x, w = np.polynomial.legendre.leggauss(120)
    wanted = 0.475 * math.sqrt(math.pi) * math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees + 1) / 2))
    low, high = 0.0, math.atan(13 / math.sqrt(degrees))
    for _ in range(60):
        half = (low + high) / 4
        below = half * np.sum(w * np.cos(half * (x + 1)) ** (degrees - 1)) < wanted
        low, high = (2 * half, high) if below else (low, 2 * half)
    return math.sqrt(degrees) * math.tan(low)


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
    """Probabilities of quantiles: pairs that add to 1 are the edges of bands, outermost first; and the place of the median, or
    None."""
    of = source.group("ensemble").get("probability", np.zeros(0))
    near = [(i, j) for i, p in enumerate(of) for j, q in enumerate(of) if i <= j and abs(p + q - 1) < 1e-9]
    return of, [(i, j) for i, j in near if i < j], next((i for i, j in near if i == j), None)


def ensemble(data, request, source):
    subjects, left_out = _subjects(source)
    time = source.find("/ensemble/time")[()].astype(float)
    probability, every, median = _bands(source)
    bands = every[:MOST_BANDS]
    least = np.diff(time).min() if len(time) > 1 else math.inf
    data["panels"], data["boxes"] = len(subjects), int(len(time) <= FEW)
    data["half_width"] = float(min(0.28 * least, 0.03 * (time[-1] - time[0]))) if math.isfinite(least) else 0.1
    data["start"], data["end"] = float(time[0]), float(time[-1])
    data["has_median"], data["bands"] = int(median is not None), len(bands)
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
    fits = d is not None and d.dtype.kind != "c" and d.ndim == 3 and d.shape[0] == len(time)
    panels = [(i, u) for i, u in enumerate(subjects, 1) if fits and not u.label and u.table.name in names[: d.shape[2]]]
    data["members"] = min(d.shape[1], MOST_MEMBERS) if panels else 0
    for i, u in panels:
        data.write(f"members_{i}", [("time, then each member", u.unit)],
                    np.column_stack([time, d[:, : data["members"], names.index(u.table.name)]]))
    request.first(MOST_MEMBERS, d.shape[1] if panels else 0, "members are drawn")
    request.count(left_out, "further number{s} of the observables {are} not drawn")
    request.count(len(every) - len(bands), "further pair{s} of quantiles {are} not drawn")


# ---- spectra ----


def _degrees(data, source, group, n):
    """The degrees, or on the torus wavenumbers, and the heading of their column."""
    torus = f"{group}/wavenumber" in source.datasets
    name = "wavenumber" if torus else "degree"
    degree = source.column(f"{group}/{name}", n)
    data["torus"], data["degrees"] = int(torus), n
    data["first"], data["last"] = float(degree[0]), float(degree[-1])
    return degree, (name, "1")


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
    data["band_low"], data["band_high"] = (float(probability[k]) for k in band) if band else (math.nan, math.nan)
    for k, t in enumerate(tables, 1):
        unit = t.units("mean")
        data.add(quantity=t.name, units=unit)
        for j, i in enumerate(shown, 1):
            mean, error = t.h5["mean"][i], t.h5["standard_error"][i]
            low, high = t.h5["quantile"][i][:, band].T if band else (mean - 2 * error, mean + 2 * error)
            data.write(f"spectrum_{k}_{j}", [heading, *((name, unit) for name in ("mean", "two_standard_errors", "low", "high"))],
                       np.column_stack([degree, mean, 2 * error, low, high]))
    _check_positive(data, source, "mean of a spectrum")


def _check_positive(data, source, what):
    if not any((block.rows[:, 1] > 0).any() for block in data.blocks.values()):
        raise Refused(f"{source.file}: no {what} is positive")


def spectrum(data, request, source):
    series = Series(source, "energy_spectrum")
    shown = snapshots(data, request, series.time, 5)
    degree, heading = _degrees(data, source, "/trajectory", series.numbers)
    data["units"] = series.units
    for k, i in enumerate(shown, 1):
        energy = series.record(i)
        mean = np.where(np.isfinite(energy), energy, 0).sum(axis=0) / np.isfinite(energy).sum(axis=0)
        data.write(f"spectrum_{k}", [heading, ("energy", series.units)], np.column_stack([degree, mean]))
    _check_positive(data, source, "energy of '/trajectory/energy_spectrum'")
    if series.paths > 1:
        request.remark(f"the mean over {series.paths} paths is drawn")


# ---- scaling over ranks ----

MEASURED = ("efficiency", "efficiency_low", "efficiency_high")


def scaling(data, request, source):
    for kind in ("strong", "weak"):
        m = source.values.get(kind)
        if not isinstance(m, dict) or not {"ranks", "seconds", *MEASURED} <= set(m):
            raise Refused(f"{source.file}: {kind}: has no ranks, seconds and efficiency")
        if len({len(m[key]) for key in ("ranks", "seconds", *MEASURED)}) != 1 or not m["ranks"] or not all(m["seconds"]):
            raise Refused(f"{source.file}: {kind}: its columns are not of one length")
        if m["ranks"][0] < 1 or any(b <= a for a, b in zip(m["ranks"], m["ranks"][1:])):
            raise Refused(f"{source.file}: {kind}: ranks must ascend from 1 or more")
        seconds = np.asarray(m["seconds"], float)
        data.write(kind, [("ranks", "1"), ("seconds", "s"), ("least", "s"), ("most", "s"), *((name, "1") for name in MEASURED)],
                   np.column_stack([m["ranks"], np.median(seconds, axis=1), seconds[:, 0], seconds[:, -1], *(m[key] for key in MEASURED)]))
    ranks, seconds = data.block("strong").rows.T[:2]
    data["least_ranks"], data["most_ranks"], data["ideal"] = float(ranks[0]), float(ranks[-1]), float(seconds[0] * ranks[0])
