"""Errors and distances against the step size: what pictures of studies with levels show."""

import math

import numpy as np

from ..data import TIME
from ..errors import Refused
from ..source import MOST_TABLES
from .common import check_comparable, errors, intervals, join_units, nothing, square_unit, step_text

POINTS = 65  # of a law
LEAST_RATIO = 3.9  # of finer steps the error of the reference is more than a quarter

# name of its datasets' suffix, label
STRONG = [("", "at the horizon"), ("_sup", "supremum"), ("_increments", "increments"),
          ("_attitude", "attitude, at the horizon"), ("_attitude_sup", "attitude, supremum")]


def fit_of(source, place):
    """The rows of /orders and /fits of the law that the order of a table is of; {} where there is none."""
    order = source.row("orders", table=place)
    return order, source.row("fits", table=place, law=order.get("law"))


class Law:
    """The law of the headline of a table: its terms, the interval of its order, and over which steps it was fitted."""

    def __init__(self, table, place, suffix="", result=""):
        """place: of the table in the file; result: the name of what converges in the group /result, whose order is the one
        that the run concludes."""
        self.ends, self.fit = fit_of(table.source, place)
        said = table.source.row("result", name=result or table.name)
        self.order, self.low, self.high = (said[key] for key in ("order", "order_low", "order_high")) if "order_high" in said \
            else table.interval("order", suffix)
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            self.order = math.nan
        self.drawn = math.isfinite(self.fit.get("exponent", math.nan))

    def write(self, data, name, steps, unit, finer=None):
        """The order, and a block of this law, less its value at finer(h), and of its leading term. It is one of squares
        without `finer`."""
        data.interval("order", self.order, self.low, self.high)
        if not self.drawn:
            return
        fine, coarse = (steps[int(k)] for k in (self.ends["values"] - 1, self.ends["left_out"]))
        h = fine * (coarse / fine) ** (np.arange(POINTS) / (POINTS - 1.0))
        later = [0, self.fit["exponent_next"], self.fit["exponent_third"]]
        exponent = self.fit["exponent"] * (1 if finer else 2) + np.array(later)
        power = h[:, None] ** exponent - (np.reshape(finer(h), (-1, 1)) ** exponent if finer else 0)
        terms = power * [self.fit["coefficient" + end] for end in ("", "_next", "_third")]
        sums = np.nansum(terms, axis=1), terms[:, 0]
        data.write(name, {"h": TIME, "law": unit, "leading_term": unit}, h,
                   *(np.abs(value) if finer else np.sqrt(np.maximum(value, 0)) for value in sums))


class Curve:
    """An error curve of a file, strong or weak."""

    def __init__(self, kind, label, table, suffix=""):
        self.kind, self.label, self.table, self.suffix = kind, label, table, suffix
        self.name = "error" + suffix if kind == "strong" else label
        self.place = f"{kind}/{self.name}"
        self.error, self.standard_error = self.column("error"), self.column("standard_error")
        self.resolved = self.column("resolved").astype(int)
        self.difference = self.column("difference") if len(self.error) > 1 else np.zeros(0)
        self.unit = table.units("error" + suffix) or "1"

    def column(self, name):
        return np.asarray(self.table[name + self.suffix], float)

    def has_differences(self):
        """Laws of strong errors are fitted to differences of neighbouring levels; without noise to the errors themselves."""
        return self.kind == "strong" and len(self.difference) > 0 and self.column("difference_standard_error")[0] > 0

    def law(self):
        return Law(self.table, self.place, self.suffix, "strong" + self.suffix if self.kind == "strong" else "")


def curves(source):
    strong = source.group("strong")
    return [Curve("strong", label, strong, suffix) for suffix, label in STRONG if strong and "error" + suffix in strong] \
        + [Curve("weak", t.name, t) for t in source.groups("weak") if "error" in t]


def sorted_curves(source):
    return sorted(curves(source), key=lambda c: (c.kind, c.name if c.kind == "weak" else ""))


def has_curves(source):
    return source.steps() is not None and (source.group("strong") or source.groups("weak"))


FITS = {"convergence": has_curves, "comparison": has_curves,
        "work": lambda source: has_curves(source) and source.group("path_cost") is not None}


def convergence(data, request, source):
    steps, found = source.steps(), [c for c in curves(source) if (np.isfinite(c.error) & (c.error != 0)).any()]
    panels = [p for p in ([c for c in found if c.kind == kind] for kind in ("strong", "weak")) if p]
    if not panels:
        raise Refused(f"{source.file}: no level of any curve has an error to draw")
    data.update(panels=len(panels), fine=float(steps[-2]), coarse=float(steps[0]), **source.levels())
    number = 0
    for panel in panels:
        data.add(kind=panel[0].kind, units=join_units(c.unit for c in panel), first=number + 1, last=number + len(panel),
                 unresolved=int(any(((c.error != 0) & (c.resolved == 0)).any() for c in panel)),
                 fitted=int(any(c.law().drawn for c in panel)), differences=int(any(c.has_differences() for c in panel)))
        for number, c in enumerate(panel, number + 1):
            data.add(name=c.label)
            errors(data, f"points_{number}", c.unit, steps, c.error, c.standard_error, c.resolved)
            if c.has_differences():
                errors(data, f"differences_{number}", c.unit, steps, c.difference, c.column("difference_standard_error"),
                       np.ones(len(c.difference)), label="difference")
            c.law().write(data, f"law_{number}", steps, c.unit, None if c.has_differences() else lambda h: steps[-1])


def multilevel(data, request, source):
    tables, steps = source.groups("weak_multilevel"), source.steps()
    levels, units = len(tables[0]["difference"]), join_units(t.units("difference") for t in tables)
    data.update(functionals=len(tables), antithetic=source.group("weak_multilevel")["coupling"] == "antithetic",
                fine=steps[levels - 1], coarse=steps[0], **source.levels(), units=units,
                units_squared=square_unit(units))
    for i, t in enumerate(tables, 1):
        unit = t.units("difference")
        data.add(name=t.name)
        errors(data, f"levels_{i}", unit, steps, t["difference"], t["standard_error"], t["resolved"], label="difference")
        columns = {"h": TIME, "variance": square_unit(unit), "variance_with_one_fine_path": square_unit(unit)}
        data.write(f"variances_{i}", columns, steps[:levels], t["variance"], t["pair_variance"])
        Law(t, f"weak_multilevel/{t.name}").write(data, f"law_{i}", steps, unit, lambda h: h * steps[1] / steps[0])
        data.interval("decay", *t.interval("variance_decay"))


def quantiles(data, request, source):
    q, steps = source.group("strong_quantiles"), source.steps()
    levels, n = q["quantile"].shape
    unit = q.units("quantile") or "1"
    data.update(quantiles=n, paths=q["paths_counted"], fine=steps[levels - 1], coarse=steps[0], units=unit)
    for k, p in enumerate(q["probability"]):
        data.add(probability=float(p))
        data.interval("order", *(x[-1, k] if levels > 1 else math.nan for x in q.interval("local_order")))
        intervals(data, f"quantile_{k + 1}", unit, steps, [x[:, k] for x in q.interval("quantile")], ("error", "error_low", "error_high"))


def tables_of(request, source, group):
    """The tables of a group that are drawn."""
    tables = source.groups(group)
    request.first(MOST_TABLES, len(tables), "functionals are drawn")
    return tables[:MOST_TABLES]


def finest_order(data, table):
    """Of the orders between neighbouring levels the last whose interval is bounded."""
    rows = [row for row in np.column_stack(table.interval("local_order")) if np.isfinite(row).all()]
    data.interval("order", *(rows[-1] if rows else [math.nan] * 3))


def law(data, request, source):
    tables, steps = tables_of(request, source, "law"), source.steps()
    first = tables[0]
    levels = len(first["smirnov"])
    uniform = "uniform_smirnov" in first and not math.isnan(first["uniform_smirnov"][0])
    data.update(functionals=len(tables), panels=4 if uniform else 2, fine=steps[levels - 1], coarse=steps[0],
                reference=steps[levels])
    drawn = [(before + column, before + "p_value") for before in ("", "uniform_")[: 1 + uniform] for column in ("smirnov", "wasserstein")]
    for i, t in enumerate(tables, 1):
        data.add(name=t.name)
        finest_order(data, t)
        for panel, (column, p_value) in enumerate(drawn, 1):
            intervals(data, f"distance_{panel}_{i}", t.units(column), steps, t.interval(column), (column, "low", "high"),
                      p_value=t[p_value])
    data["units"] = join_units(t.units("wasserstein") or "1" for t in tables)


def weak_times(data, request, source):
    tables, steps = tables_of(request, source, "weak_times"), source.steps()
    time, levels = tables[0]["time"], len(tables[0]["error"])
    data.update(functionals=len(tables), levels=levels, start=time[0], end=time[-1], step=steps[:levels].tolist())
    for i, t in enumerate(tables, 1):
        unit = t.units("error")
        data.add(name=t.name, units=unit)
        finest_order(data, t)
        for l, (value, se) in enumerate(zip(t["error"], t["standard_error"]), 1):
            errors(data, f"error_{i}_{l}", unit, time, value, se, np.abs(value) > 2 * se, across="time")
        intervals(data, f"supremum_{i}", unit, steps, t.interval("supremum"), ("supremum", "low", "high"))
    data["supremum_units"] = join_units(t.units("error") for t in tables)


def _common_curves(data, sources, what, key, rank=lambda curve: 0):
    """Of the curves of the first study, in the order of their rank, the first whose key all studies have."""
    every = [curves(s) for s in sources]
    of = [[next((d for d in own if key(d) == key(c)), None) for own in every] for c in sorted(every[0], key=rank)]
    found = next((like for like in of if None not in like), None)
    if found is None:
        raise Refused(f"{sources[0].file}: has no error that all files have")
    check_comparable(sources)
    data.update({"studies": len(sources), what: found[0].kind, "name": found[0].name, "units": found[0].unit})
    return found


def comparison(data, request, sources):
    of = _common_curves(data, sources, "errors", lambda c: (c.kind, c.name), lambda c: c.kind != "weak")
    first_steps = sources[0].steps()[: len(of[0].error)]
    for i, (source, curve) in enumerate(zip(sources, of), 1):
        steps, joint = source.steps()[: len(curve.error)], f"{sources[0].file} and {source.file}"
        data.add(file=source.name(), kind=source.study, integrator=source.integrator, paths=int(source.paths))
        errors(data, f"study_{i}", curve.unit, steps, curve.error, curve.standard_error, curve.resolved)
        if curve.kind == "strong":  # these differ by scheme, beyond what sampling explains
            continue
        same = np.abs(first_steps - steps[:, None]) <= 1e-12 * steps[:, None]
        k, there = same.argmax(axis=1), same.any(axis=1)
        joint_error = np.where(there, np.hypot(curve.standard_error, of[0].standard_error[k]), math.nan)
        distances = (curve.error - of[0].error[k]) / joint_error
        data.write(f"distances_{i}", [("h", TIME), ("distance", "1")], steps, distances)
        if i > 1 and np.isfinite(distances).any():
            k = int(np.nanargmax(np.abs(distances)))
            request.remark(f"{curve.name}: {joint} are at most {abs(distances[k]):.2f} joint standard errors apart, "
                           f"at h = {step_text(steps[k])}")
        elif i > 1:
            request.remark(f"{joint} have no step in common")


def work(data, request, sources):
    of = _common_curves(data, sources, "kind", lambda c: c.name)
    for i, (source, curve) in enumerate(zip(sources, of), 1):
        steps, cost, n = source.steps(), source.group("path_cost"), len(curve.error)
        said = [text for text, line in ((", weak order 2", "\n  weak_order: 2"), (", areas", "\n  areas: "))
                if line in (source.configuration or "")]
        data.add(integrator="".join([source.integrator or "", *said]), file=source.name())
        columns = {name: np.asarray(cost[name])[:n] for name in ("evaluations", "seconds", "seconds_low", "seconds_high")}
        errors(data, f"study_{i}", curve.unit, steps, np.where(steps[:n] >= LEAST_RATIO * steps[-1], curve.error, math.nan),
               curve.standard_error, curve.resolved, **columns)


def mlmc(data, request, sources):
    for s in sources:
        f, first = s.groups("mlmc")[0], sources[0].groups("mlmc")[0]
        if not np.isfinite(f["level_mean"]).any():
            raise nothing(s, "mean of any level")
        if f.name != first.name:
            raise Refused(f"{s.file}: its paths were chosen for {f.name}, those of {sources[0].file} for {first.name}; give files "
                          "of one functional and several epsilon")
    runs = [s.group("mlmc") for s in sorted(sources, key=lambda s: -s.group("mlmc")["epsilon"])]
    finest, f = runs[-1], runs[-1].source.groups("mlmc")[0]
    unit, squared, n = f.units("mean"), square_unit(f.units("mean")), len(f["mean"])
    data.update(files=len(runs), levels=n, most_levels=max(len(run.source.groups("mlmc")[0]["mean"]) for run in runs),
                name=f.name, units=unit, units_squared=squared, antithetic=finest["coupling"] == "antithetic",
                bias=math.sqrt(finest["theta"]) * finest["epsilon"])
    data.interval("decay", *f.interval("variance_decay"))
    headline = Law(f, f"mlmc/{f.name}")
    data.interval("order", headline.order, headline.low, headline.high)
    later = np.where(np.arange(n) > 0, 1.0, math.nan)
    columns = {"level": "1", "variance_of_P": squared, "variance_of_difference": squared,
               "variance_with_one_fine_path": squared, "mean_of_P": unit, "mean_of_difference": unit,
               "two_standard_errors": unit}
    data.write("levels", columns, np.arange(n), f["level_variance"], later * f["variance"],
               later * f["pair_variance"], np.abs(f["level_mean"]), later * np.abs(f["mean"]), 2 * f["standard_error"])
    work_rows = []
    for i, m in enumerate(runs, 1):
        e, paths, plain = float(m["epsilon"]), m["paths"], m.get("plain_work_measured", math.nan)
        data.add(epsilon=e, reached=int(m["reached"] != 0))
        data.write(f"paths_{i}", [("level", "1"), ("paths", "1")], np.arange(len(paths)), paths)
        work_rows.append([e, e * e * m["work"], e * e * (plain if math.isfinite(plain) else m["plain_work"]), math.isfinite(plain)])
    data.write("work", [("epsilon", unit), ("multilevel", squared), ("plain", squared), ("plain_is_measured", "1")], work_rows)
    data["measured"] = any(row[3] for row in work_rows)
