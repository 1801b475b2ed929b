"""Errors and distances against the step size: what pictures of studies with levels show."""

import math

import numpy as np

from ..data import TIME
from ..errors import Refused
from ..source import MOST_TABLES, text
from . import common
from .common import finite

POINTS = 65  # of a law

# name of its datasets' suffix, label
STRONG = [("", "at the horizon"), ("_sup", "supremum"), ("_increments", "increments"),
          ("_attitude", "attitude, at the horizon"), ("_attitude_sup", "attitude, supremum")]


def concluded(source, name):
    """The order in /result and its interval, NaN where it is not resolved; None where the file does not say."""
    result = source.group("result")
    if result is None or not {"name", "order", "order_low", "order_high"} <= set(result.h5):
        return None
    names = [text(n) for n in result["name"]]
    return tuple(float(result[key][names.index(name)]) for key in ("order", "order_low", "order_high")) if name in names else None


class Law:
    """The law of the headline of a table: its terms, the interval of its order, and over which steps it was fitted."""

    def __init__(self, table, place, suffix="", result=""):
        """place: of the table in the file; result: the name of what converges in the group /result, whose order is the one
        that the run concludes."""
        order = next(iter(table.source.rows("orders", place)), {})
        fit = next((row for row in table.source.rows("fits", place) if row["law"] == order["law"]), {})
        self.order, self.low, self.high = concluded(table.source, result or table.name) or (
            table.get(key + suffix, math.nan) for key in ("order", "order_low", "order_high"))
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            self.order = math.nan
        self.exponent = fit.get("exponent", math.nan)
        self.drawn = math.isfinite(self.exponent)
        if self.drawn:
            self.terms = [fit[key] for key in ("coefficient", "coefficient_next", "coefficient_third")]
            self.offsets = [0, fit["exponent_next"], fit["exponent_third"]]
            self.points, self.left_out = int(order["values"]), int(order["left_out"])

    @property
    def resolved(self):
        return math.isfinite(self.order)

    def value(self, scale, step, finer=0.0, terms=3):
        """At a step, less that at a finer one; `terms` 1: the leading term alone."""
        parts = [(c, self.exponent * scale + o) for c, o in list(zip(self.terms, self.offsets))[:terms] if not math.isnan(c)]
        return sum(c * (step**e - (finer**e if finer > 0 else 0)) for c, e in parts)

    def write(self, data, name, steps, at, unit):
        """The block of this law and of its leading term."""
        if not self.drawn:
            return
        fine, coarse = steps[self.points - 1], steps[self.left_out]
        h = [float(fine) * float(coarse / fine) ** (k / (POINTS - 1.0)) for k in range(POINTS)]
        data.write(name, [("h", TIME), ("law", unit), ("leading_term", unit)],
                   [[x, at(self, x, 3), at(self, x, 1)] for x in h])


class Curve:
    """An error curve of a file, strong or weak."""

    def __init__(self, kind, name, label, table, suffix):
        self.kind, self.name, self.label, self.table, self.suffix = kind, name, label, table, suffix
        self.error = self.column("error")
        self.standard_error = self.column("standard_error")
        self.resolved = self.column("resolved").astype(int)
        self.difference = self.column("difference") if len(self.error) > 1 else np.zeros(0)
        self.unit = table.units("error" + suffix) or "1"

    def column(self, name):
        return np.asarray(self.table[name + self.suffix], float)

    def has_points(self):
        return bool((np.isfinite(self.error) & (self.error != 0)).any())

    def has_differences(self):
        """Laws of strong errors are fitted to differences of neighbouring levels; without noise to the errors themselves."""
        if self.kind != "strong" or len(self.error) < 2:
            return False
        return self.column("difference_standard_error")[0] > 0

    def law(self):
        return Law(self.table, f"{self.kind}/{self.name}", self.suffix, "strong" + self.suffix if self.kind == "strong" else "")

    def at(self, reference):
        """What the law gives for what is drawn."""
        if self.has_differences():
            return lambda law, h, terms: math.sqrt(max(law.value(2, h, 0, terms), 0))
        return lambda law, h, terms: abs(law.value(1, h, reference, terms))


def curves(source):
    found = []
    strong = source.group("strong")
    if strong is not None:
        found += [Curve("strong", "error" + suffix, label, strong, suffix) for suffix, label in STRONG if "error" + suffix in strong]
    found += [Curve("weak", t.name, t.name, t, "") for t in source.groups("weak") if "error" in t]
    return found


def _errors(step, value, standard_error, resolved):
    """Rows (h, |error|, two standard errors, resolved) of the errors that are numbers and not 0."""
    keep = np.isfinite(value) & (value != 0)
    return np.column_stack([step[: len(value)], np.abs(value), 2 * standard_error, resolved])[keep]


def _columns(name, unit, *more):
    return [("h", TIME), (name, unit), ("two_standard_errors", unit), ("resolved", "1"), *more]


# ---- convergence ----


def has_curves(source):
    return source.steps() is not None and (source.group("strong") is not None or bool(source.groups("weak")))


def convergence(data, request, sources):
    source, = sources
    found, steps = curves(source), source.steps()
    panels = [[c for c in found if c.kind == kind and c.has_points()] for kind in ("strong", "weak")]
    panels = [p for p in panels if p]
    if not panels:
        raise Refused(f"{source.file}: no level of any curve has an error to draw")
    data["panels"] = len(panels)
    data["fine"], data["coarse"] = float(steps[-2]), float(steps[0])
    data["refinement"] = source.refinement()
    number = 0
    for panel in panels:
        kind = panel[0].kind
        data.add(kind=kind, units=common.join_units(c.unit for c in panel), first=number + 1, last=number + len(panel),
                 unresolved=int(any(((c.error != 0) & (c.resolved == 0)).any() for c in panel)),
                 fitted=int(any(c.law().drawn for c in panel)), differences=int(any(c.has_differences() for c in panel)))
        for c in panel:
            number += 1
            law = c.law()
            data.add(name=c.label)
            data.interval("order", law.order, law.low, law.high)
            data.write(f"points_{number}", _columns("error", c.unit), _errors(steps, c.error, c.standard_error, c.resolved))
            if c.has_differences():
                data.write(f"differences_{number}", _columns("difference", c.unit),
                           _errors(steps, c.difference, c.column("difference_standard_error"), np.ones(len(c.difference))))
            law.write(data, f"law_{number}", steps, c.at(steps[-1]), c.unit)


# ---- multilevel ----


def has_multilevel(source):
    return bool(source.groups("weak_multilevel"))


def multilevel(data, request, sources):
    source, = sources
    tables, steps, study = source.groups("weak_multilevel"), source.steps(), source.group("weak_multilevel")
    levels = len(tables[0]["difference"])
    units = common.join_units(t.units("difference") for t in tables)
    data["functionals"] = len(tables)
    data["antithetic"] = int(study["coupling"] == "antithetic")
    data["fine"], data["coarse"] = float(steps[levels - 1]), float(steps[0])
    data["refinement"] = source.refinement()
    data["units"], data["units_squared"] = units, common.square_unit(units)
    any_row = False
    for i, t in enumerate(tables, 1):
        unit, law = t.units("difference"), Law(t, f"weak_multilevel/{t.name}")
        data.add(name=t.name)
        data.interval("order", law.order, law.low, law.high)
        data.interval("decay", t.get("variance_decay", math.nan), t.get("variance_decay_low", math.nan),
                      t.get("variance_decay_high", math.nan))
        rows = _errors(steps, t["difference"], t["standard_error"], t["resolved"])
        any_row |= len(rows) > 0
        data.write(f"levels_{i}", _columns("difference", unit), rows)
        data.write(f"variances_{i}", [("h", TIME), ("variance", common.square_unit(unit)),
                                      ("variance_with_one_fine_path", common.square_unit(unit))],
                   np.column_stack([steps[:levels], t["variance"], t["pair_variance"]]))
        law.write(data, f"law_{i}", steps, lambda law, h, terms: abs(law.value(1, h, h / 2, terms)), unit)
    if not any_row:
        raise Refused(f"{source.file}: no difference is there to draw")


# ---- quantiles ----


def has_quantiles(source):
    return source.group("strong_quantiles") is not None


def quantiles(data, request, sources):
    source, = sources
    q, steps = source.group("strong_quantiles"), source.steps()
    value = q["quantile"]
    levels, n = value.shape
    data["quantiles"], data["paths"] = n, int(q["paths_counted"])
    data["fine"], data["coarse"] = float(steps[levels - 1]), float(steps[0])
    data["units"] = q.units("quantile") or "1"
    any_row = False
    for k, p in enumerate(q["probability"]):
        data.add(probability=float(p))
        orders = [q["local_order" + end][-1, k] if levels > 1 else math.nan for end in ("", "_low", "_high")]
        data.interval("order", *orders)
        rows = common.intervals(steps, value[:, k], q["quantile_low"][:, k], q["quantile_high"][:, k])
        any_row |= len(rows) > 0
        data.write(f"quantile_{k + 1}", common.interval_columns("error", "error_low", "error_high", data["units"]), rows)
    if not any_row:
        raise common.nothing(source, "quantile")


# ---- laws, and errors at several times ----


def tables_of(request, source, group):
    """The tables of a group that are drawn."""
    tables = source.groups(group)
    if len(tables) > MOST_TABLES:
        request.remark(f"the first {MOST_TABLES} of {len(tables)} functionals are drawn")
    return tables[:MOST_TABLES]


def finest_order(data, table):
    """Of the orders between neighbouring levels the last whose interval is bounded."""
    if "local_order" not in table:
        data.interval("order", math.nan, math.nan, math.nan)
        return
    rows = np.column_stack([table["local_order" + end] for end in ("", "_low", "_high")])
    rows = rows[np.isfinite(rows).all(axis=1)]
    data.interval("order", *(rows[-1] if len(rows) else [math.nan] * 3))


def has_law(source):
    return bool(source.groups("law"))


def law(data, request, sources):
    source, = sources
    tables, steps = tables_of(request, source, "law"), source.steps()
    first = tables[0]
    levels = len(first["smirnov"])
    uniform = "uniform_smirnov" in first and not math.isnan(first["uniform_smirnov"][0])
    data["functionals"], data["panels"] = len(tables), 4 if uniform else 2
    data["fine"], data["coarse"], data["reference"] = float(steps[levels - 1]), float(steps[0]), float(steps[levels])
    drawn = [(1, "smirnov", "p_value"), (2, "wasserstein", "p_value")]
    drawn += [(3, "uniform_smirnov", "uniform_p_value"), (4, "uniform_wasserstein", "uniform_p_value")] if uniform else []
    any_row = False
    for i, t in enumerate(tables, 1):
        data.add(name=t.name)
        finest_order(data, t)
        for panel, column, p_value in drawn:
            rows = common.intervals(steps, t[column], t[column + "_low"], t[column + "_high"], t[p_value])
            any_row |= len(rows) > 0
            data.write(f"distance_{panel}_{i}",
                       [*common.interval_columns(column, "low", "high", t.units(column)), ("p_value", "1")], rows)
    data["units"] = common.join_units(t.units("wasserstein") or "1" for t in tables)
    if not any_row:
        raise common.nothing(source, "distance of laws that is above 0")


def has_weak_times(source):
    return bool(source.groups("weak_times"))


def weak_times(data, request, sources):
    source, = sources
    tables, steps = tables_of(request, source, "weak_times"), source.steps()
    error = tables[0]["error"]
    of_level = 0 if error.shape[0] == len(tables[0]["supremum"]) else 1
    time, levels = source.group("weak_times").get("time"), error.shape[of_level]
    time = tables[0]["time"] if time is None else time
    data["functionals"], data["levels"] = len(tables), levels
    data["start"], data["end"] = float(time[0]), float(time[-1])
    data["step"] = [float(h) for h in steps[:levels]]
    any_row = False
    for i, t in enumerate(tables, 1):
        unit = t.units("error")
        data.add(name=t.name, units=unit)
        finest_order(data, t)
        for l in range(levels):
            value, se = (np.take(t[name], l, of_level) for name in ("error", "standard_error"))
            keep = np.isfinite(value) & (value != 0)
            rows = np.column_stack([time, np.abs(value), 2 * se, np.abs(value) > 2 * se])[keep]
            any_row |= len(rows) > 0
            data.write(f"error_{i}_{l + 1}", [("time", TIME), *_columns("error", unit)[1:]], rows)
        data.write(f"supremum_{i}", common.interval_columns("supremum", "low", "high", unit),
                   common.intervals(steps, t["supremum"], t["supremum_low"], t["supremum_high"]))
    data["supremum_units"] = common.join_units(t.units("error") for t in tables)
    if not any_row:
        raise common.nothing(source, "weak error that is not 0")


# ---- several studies ----


def comparison(data, request, sources):
    of = _common_curves(sources, lambda a, b: a.kind == b.kind and a.name == b.name, ("weak", "strong"))
    common.check_comparable(sources)
    weak = of[0].kind == "weak"
    data["studies"], data["errors"] = len(sources), of[0].kind
    data["longest"] = max(len(s.name().encode("utf-8", "surrogateescape")) for s in sources)
    data["name"], data["units"] = of[0].name, of[0].unit
    any_row, first_steps = False, sources[0].steps()
    for i, (source, curve) in enumerate(zip(sources, of), 1):
        steps = source.steps()
        data.add(file=source.name(), kind=source.study, integrator=source.integrator, paths=int(source.paths))
        rows = _errors(steps, curve.error, curve.standard_error, curve.resolved)
        any_row |= len(rows) > 0
        data.write(f"study_{i}", _columns("error", curve.unit), rows)
        if not weak:  # strong errors differ by scheme, beyond what sampling explains
            continue
        distances = _distances(of[0], first_steps, curve, steps)
        data.write(f"distances_{i}", [("h", TIME), ("distance", "1")], np.column_stack([steps[: len(distances)], distances]))
        if i > 1:
            _remark(request, sources[0], source, curve, steps, distances)
    if not any_row:
        raise Refused(f"{sources[0].file}: no error is there to draw")


def _distances(first, first_steps, curve, steps):
    """From the first study, in joint standard errors; NaN where the first has no such step."""
    found = []
    for error, standard_error, h in zip(curve.error, curve.standard_error, steps):
        k = np.flatnonzero(np.abs(first_steps[: len(first.error)] - h) <= 1e-12 * h)
        with np.errstate(all="ignore"):
            found.append((error - first.error[k[0]]) / np.hypot(standard_error, first.standard_error[k[0]]) if len(k) else math.nan)
    return np.array(found)


def _remark(request, first, source, curve, steps, distances):
    if not np.isfinite(distances).any():
        request.remark(f"{first.file} and {source.file} have no step in common")
        return
    k = int(np.nanargmax(np.abs(distances)))
    request.remark(f"{curve.name}: {first.file} and {source.file} are at most {abs(distances[k]):.2f} joint standard errors "
                   f"apart, at h = {common.step_text(steps[k])}")


def _common_curves(sources, alike, kinds):
    """The first curve of the first study that all have."""
    every = [curves(s) for s in sources]
    for kind in kinds:
        for c in every[0]:
            like = [[d for d in own if alike(c, d)] for own in every]
            if (kind is None or c.kind == kind) and all(like):
                return [found[0] for found in like]
    raise Refused(f"{sources[0].file}: has no error that all files have")


LEAST_RATIO = 3.9  # of finer steps the error of the reference is more than a quarter


def has_work(source):
    return has_curves(source) and source.group("path_cost") is not None


def work(data, request, sources):
    of = _common_curves(sources, lambda a, b: a.name == b.name, (None,))
    common.check_comparable(sources)
    data["studies"], data["kind"] = len(sources), of[0].kind
    data["name"], data["units"] = of[0].name, of[0].unit
    any_row = False
    for i, (source, curve) in enumerate(zip(sources, of), 1):
        steps, cost = source.steps(), source.group("path_cost")
        scheme = (source.integrator or "") + (", weak order 2" if source.configuration_value("  weak_order: 2") else "") \
            + (", areas" if source.configuration_value("  areas: ") else "")
        data.add(integrator=scheme, file=source.name())
        n, error = len(curve.error), np.abs(curve.error)
        keep = finite(error) & (error > 0) & (steps[:n] >= LEAST_RATIO * steps[-1])
        rows = np.column_stack([steps[:n], error, 2 * curve.standard_error, curve.resolved,
                                *(np.asarray(cost[key])[:n] for key in ("evaluations", "seconds", "seconds_low", "seconds_high"))])
        any_row |= bool(keep.any())
        data.write(f"study_{i}", [("h", TIME), ("error", curve.unit), ("two_standard_errors", curve.unit), ("resolved", None),
                                  ("evaluations", "1"), ("seconds", "s"), ("seconds_low", "s"), ("seconds_high", "s")], rows[keep])
    if not any_row:
        raise common.nothing(sources[0], "error")


# ---- multilevel Monte Carlo ----


def has_mlmc(source):
    return source.group("mlmc") is not None and bool(source.groups("mlmc"))


def mlmc(data, request, sources):
    for s in sources:
        f, first = s.groups("mlmc")[0], sources[0].groups("mlmc")[0]
        if not np.isfinite(f["level_mean"]).any():
            raise common.nothing(s, "mean of any level")
        if f.name != first.name:
            raise Refused(f"{s.file}: its paths were chosen for {f.name}, those of {sources[0].file} for {first.name}; give files "
                          "of one functional and several epsilon")
    runs = sorted(sources, key=lambda s: -s.group("mlmc")["epsilon"])
    finest, f = runs[-1].group("mlmc"), runs[-1].groups("mlmc")[0]
    unit, headline = f.units("mean"), Law(f, f"mlmc/{f.name}")
    squared = common.square_unit(unit)
    data["files"], data["levels"] = len(runs), len(f["mean"])
    data["most_levels"] = max(len(s.groups("mlmc")[0]["mean"]) for s in runs)
    data["name"], data["units"], data["units_squared"] = f.name, unit, squared
    data["antithetic"] = int(finest["coupling"] == "antithetic")
    data["bias"] = float(math.sqrt(finest["theta"]) * finest["epsilon"])
    data.interval("decay", *(f.get("variance_decay" + end, math.nan) for end in ("", "_low", "_high")))
    data.interval("order", headline.order, headline.low, headline.high)
    n = len(f["mean"])
    later = np.where(np.arange(n) > 0, 1.0, math.nan)
    data.write("levels", [("level", "1"), ("variance_of_P", squared), ("variance_of_difference", squared),
                          ("variance_with_one_fine_path", squared), ("mean_of_P", unit), ("mean_of_difference", unit),
                          ("two_standard_errors", unit)],
               np.column_stack([np.arange(n), f["level_variance"], later * f["variance"], later * f["pair_variance"],
                                np.abs(f["level_mean"]), later * np.abs(f["mean"]), 2 * f["standard_error"]]))
    work_rows, measured = [], 0
    for i, s in enumerate(runs, 1):
        m = s.group("mlmc")
        e, paths = float(m["epsilon"]), m["paths"]
        data.add(epsilon=e, reached=int(m["reached"] != 0))
        data.write(f"paths_{i}", [("level", "1"), ("paths", "1")], np.column_stack([np.arange(len(paths)), paths]))
        plain = m.get("plain_work_measured", math.nan)
        is_measured = math.isfinite(plain)
        measured |= int(is_measured)
        work_rows.append([e, e * e * m["work"], e * e * (plain if is_measured else m["plain_work"]), is_measured])
    data.write("work", [("epsilon", unit), ("multilevel", squared), ("plain", squared), ("plain_is_measured", "1")], work_rows)
    data["measured"] = measured
