"""What pictures share: units, intervals, and whether studies may be compared."""

import math

import numpy as np

from ..data import TIME
from ..errors import Refused


def join_units(units):
    """The unit that all share, "each_in_its_own_unit" where they differ."""
    units = list(dict.fromkeys(units))
    return units[0] if len(units) == 1 else "each_in_its_own_unit"


def square_unit(unit):
    return unit if unit == "1" or unit.startswith("each_") else f"({unit})^2"


def above_0(data, name, columns, at, value, *more):
    """A block of the rows whose value is above 0, as logarithmic axes have no place for others."""
    rows = np.column_stack([at[: len(value)], value, *more])
    data.write(name, columns, rows[np.isfinite(value) & (value > 0)])


def errors(data, name, unit, at, value, standard_error, resolved, label="error", across="h", **more):
    """A block of absolute errors with two standard errors. more: further columns, in seconds where their names say so."""
    columns = {across: TIME, label: unit, "two_standard_errors": unit, "resolved": "1",
               **{key: "s" if key.startswith("seconds") else "1" for key in more}}
    above_0(data, name, columns, at, np.abs(value), 2 * standard_error, resolved, *more.values())


def intervals(data, name, unit, steps, value, names, **more):
    """A block of values with both ends of their intervals."""
    columns = {"h": TIME, **dict.fromkeys(names, unit), **dict.fromkeys(more, "1")}
    above_0(data, name, columns, steps, *value, *more.values())


def on_sphere(across, up):
    """Points at these longitudes and latitudes in radians."""
    across, up = np.broadcast_arrays(across, up)
    return np.stack([np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)], axis=-1)


def view_from(azimuth, elevation):
    """Unit vectors to the right, upwards, and toward the viewer who is above this point, in degrees."""
    a, e = np.radians((azimuth, elevation))
    return np.array([-np.sin(a), np.cos(a), 0]), np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]), on_sphere(a, e)


def nothing(source, numbers):
    return Refused(f"{source.file}: no {numbers} is a number: nothing is there to draw")


def step_text(h):
    """2^-7, or the number where it is no power of two."""
    power = math.log2(h)
    return f"2^{round(power)}" if abs(power - round(power)) < 1e-12 else f"{h:g}"


def check_comparable(sources):
    """Refuses studies whose errors are other numbers: of another system, horizon or reference step than the first."""
    a = sources[0]
    for b in sources[1:]:
        both, (x, y) = f"{a.file} and {b.file}", (s.configuration or "" for s in (a, b))
        end, (p, q) = x.find("\nintegrator:") + 12, (s.steps()[-1] for s in (a, b))
        s, t = (step * source.group("levels")["reference_steps"] for step, source in ((p, a), (q, b)))
        for same, why in (
                (a.system == b.system, f"{a.file} is of the system {a.system} and {b.file} of {b.system}"),
                (end < 12 or not y or x[:end] == y[:end],
                 f"{both} are of other parameters of the system (the attribute configuration has them)"),
                (a.reference_integrator == b.reference_integrator, f"{both} have errors against references of different schemes"),
                (abs(s - t) <= 1e-12 * abs(s), f"{a.file} ends at time {s:g} and {b.file} at {t:g}"),
                (abs(p - q) <= 1e-12 * p, f"{a.file} has errors against a reference step of {p:g} and {b.file} of {q:g}")):
            if not same:
                raise Refused(f"{why}: not to be compared")
