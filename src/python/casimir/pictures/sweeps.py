"""Several runs of a sweep: estimates against the key that differs, and derivatives by it, as `casimir report` has them."""

import csv
import json
import math

from ..engine import says
from ..errors import Refused
from ..results import number
from ..source import nearest
from .common import nothing


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
    data["parameter"], data["number_of_panels"] = by, len(panels)
    data["quantity"] = [f"{quantity} of {table}" for table, quantity in panels]
    data["label"] = list(dict.fromkeys(label))
    data["series"] = len(data["label"])
    for p, panel in enumerate(panels, 1):
        for k, name in enumerate(data["label"], 1):
            rows = {_number(keys.get(by)): estimates.get(panel, none)
                    for own, keys, estimates in reversed([*zip(label, files, found)]) if own == name}
            data.write(f"panel_{p}_{k}", [(h, None) for h in ("parameter", "value", "low", "high")],
                       [[x, *rows[x]] for x in sorted(rows)])


# ---- derivatives ----

COLUMNS = ("time", "from", "to", "derivative", "derivative_low", "derivative_high")
MOST_PANELS = 6


def _has_derivatives(source):
    time = source.find("/trajectory/time")
    paths = time is not None and "/trajectory/path" in source.datasets
    return any(name.endswith("/group_mean") or paths and name.startswith("/trajectory/") and d.ndim == 2 and d.shape[0] == time.shape[0]
               for name, d in source.datasets.items())


FITS = {"parameter": lambda source: source.study not in ("trajectory", None), "sensitivity": _has_derivatives}


def sensitivity(data, request, sources):
    # observable, time, from, to, derivative, its interval, and the key that differs
    said = says("report", "--differences", "--format", "csv", "--", *(s.file for s in sources)).decode("utf-8", "replace")
    rows = sorted((r["observable"], *(float(r[name] or "nan") for name in COLUMNS), r["key"]) for r in csv.DictReader(said.splitlines()))
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
    data["parameter"], data["number_of_panels"], data["name"] = key, len(names), names
    data["series"], data["when"] = len(when), when
    for p, name in enumerate(names, 1):
        for k, t in enumerate(when, 1):
            data.write(f"panel_{p}_{k}", [(h, None) for h in ("middle", "derivative", "low", "high", "from", "to")],
                       [[(a + b) / 2, *values, a, b] for own, time, a, b, *values, _ in rows if own == name and time == t])
