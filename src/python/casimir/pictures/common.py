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


def errors(data, name, unit, at, value, standard_error, resolved, label="error", across="h", **more):
    """A block of absolute errors with two standard errors, without errors that are 0 or no numbers. more: further columns, in
    seconds where their names say so."""
    keep = np.isfinite(value) & (value != 0)
    columns = [(across, TIME), (label, unit), ("two_standard_errors", unit), ("resolved", "1"),
               *((key, "s" if key.startswith("seconds") else "1") for key in more)]
    data.write(name, columns, np.column_stack([at[: len(value)], np.abs(value), 2 * standard_error, resolved, *more.values()])[keep])


def intervals(data, name, unit, steps, value, low, high, names, **more):
    """A block of values above 0 with intervals, as logarithmic axes have no place for others."""
    keep = np.isfinite(value) & (value > 0)
    columns = [("h", TIME), *((key, unit) for key in names), *((key, "1") for key in more)]
    data.write(name, columns, np.column_stack([steps[: len(value)], value, low, high, *more.values()])[keep])


def view_from(azimuth, elevation):
    """Unit vectors to the right, upwards, and toward the viewer who is above this point, in degrees."""
    a, e = np.radians((azimuth, elevation))
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return np.array([-np.sin(a), np.cos(a), 0]), np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]), toward


def nothing(source, numbers):
    return Refused(f"{source.file}: no {numbers} is a number: nothing is there to draw")


def step_text(h):
    """2^-7, or the number where it is no power of two."""
    power = math.log2(h)
    return f"2^{round(power)}" if abs(power - round(power)) < 1e-12 else f"{h:g}"


def _horizon(source):
    levels = source.group("levels")
    return source.steps()[-1] * levels["reference_steps"]


def check_comparable(sources):
    """Refuses studies whose errors are other numbers: of another system, horizon or reference step than the first."""
    a = sources[0]
    for b in sources[1:]:
        if a.system != b.system:
            raise Refused(f"{a.file} is of the system {a.system} and {b.file} of {b.system}: not to be compared")
        x, y = (s.configuration or "" for s in (a, b))
        end = x.find("\nintegrator:")
        if end >= 0 and y and x[: end + 12] != y[: end + 12]:
            raise Refused(f"{a.file} and {b.file} are of other parameters of the system (the attribute configuration has them): "
                          "not to be compared")
        if a.reference_integrator != b.reference_integrator:
            raise Refused(f"{a.file} and {b.file} have errors against references of different schemes: not to be compared")
        if not abs(_horizon(a) - _horizon(b)) <= 1e-12 * abs(_horizon(a)):
            raise Refused(f"{a.file} ends at time {_horizon(a):g} and {b.file} at {_horizon(b):g}: not to be compared")
        p, q = a.steps()[-1], b.steps()[-1]
        if not abs(p - q) <= 1e-12 * p:
            raise Refused(f"{a.file} has errors against a reference step of {p:g} and {b.file} of {q:g}: not to be compared")
