"""What is asked of a figure: the options of `casimir plot`, from its command line or as arguments of Python."""

import math
import sys

from .data import shown
from .errors import Refused
from .source import MOST_TIMES

MOST_RANGES = 8


def _numbers(text):
    return [float(part) for part in text.split(",")] if isinstance(text, str) else [float(part) for part in text]


def _times(value):
    try:
        times = _numbers(value)
    except (TypeError, ValueError):
        times = [math.nan]
    if not 0 < len(times) <= MOST_TIMES or not all(map(math.isfinite, times)):
        raise Refused(f"--at: found '{str(value)[:40]}'; up to {MOST_TIMES} times with commas between, such as 0,5,20")
    return times


def _ranges(option):
    def read(value):
        """"0.1:10", or with commas between one for each panel; ends may be left out."""
        try:
            parts = value.split(",") if isinstance(value, str) else [value]
            pairs = [part.split(":") if isinstance(part, str) else part for part in parts]
            ends = [tuple(float(end) if end not in ("", None) else math.nan for end in pair) for pair in pairs]
            good = all(len(pair) == 2 and not pair[0] >= pair[1] and not any(map(math.isinf, pair)) for pair in ends)
        except (TypeError, ValueError):
            good, ends = False, []
        if not good or len(ends) > MOST_RANGES:
            raise Refused(f"--{option}: found '{str(value)[:60]}', must be LOW:HIGH with LOW < HIGH, such as 1e-6:1e-2, or up to "
                          f"{MOST_RANGES} of them with commas between; an end that is left out stays")
        return ends
    return read


def _view(value):
    try:
        longitude, latitude = _numbers(value)
    except (TypeError, ValueError):
        longitude = latitude = math.nan
    if not (abs(longitude) <= 360 and abs(latitude) <= 90):
        raise Refused(f"--view: found '{str(value)[:40]}', must be LONGITUDE,LATITUDE in degrees, such as 40,22 or 0,90 for the "
                      "north pole")
    return longitude, latitude


def _number(option, what, least=-math.inf, most=math.inf, kind=float):
    def read(value):
        try:
            found = kind(value)
        except ValueError:
            found = math.nan
        if not (least <= found <= most and math.isfinite(found)):
            raise Refused(f"--{option}: found '{str(value)[:40]}', must be {what}")
        return found
    return read


READERS = {"at": _times, "xrange": _ranges("xrange"), "yrange": _ranges("yrange"), "view": _view,
           "until": _number("until", "a time"), "width": _number("width", "from 10 to 2000 mm", 10, 2000),
           "fps": _number("fps", "from 1 to 120", 1, 120, int)}
TEXTS = ("picture", "map", "show", "contours", "section", "title", "style", "template")


class Request:
    def __init__(self, labels=(), remark=None, **options):
        unknown = [key for key in options if key not in READERS and key not in TEXTS]
        if unknown:
            raise TypeError(f"a figure has no option '{unknown[0]}'; it has {', '.join([*READERS, *TEXTS, 'labels'])}")
        for key in (*READERS, *TEXTS):
            value = options.get(key)
            setattr(self, key, READERS[key](value) if value is not None and key in READERS else value)
        self.labels, self.frame = list(labels), None
        self.until = math.inf if self.until is None else self.until
        self.remark = remark or (lambda text: print(f"casimir: {shown(text)}", file=sys.stderr))

    def count(self, n, text):
        """Remarks on n things, with words in the singular or the plural; of none nothing is said."""
        if n > 0:
            self.remark(f"{n} {text.format(s='s' * (n > 1), are='are' if n > 1 else 'is')}")

    def check(self, picture, files):
        """Refuses options that the picture does not have."""
        options = {"at": "is no picture at single times", "until": "is no picture of a trajectory", "map": "is no picture of maps",
                   "show": "is no picture of observables over time", "contours": "has none", "section": "has none",
                   "view": "is no picture of a sphere"}
        for option, what in options.items():
            value = getattr(self, option)
            if value is not None and value != math.inf and option not in picture.options:
                raise Refused(f"--{option}: '{picture.name}' {what}")
        if self.labels and "label" not in picture.options:
            raise Refused(f"--label: '{picture.name}' has no legend of files")
        if self.labels and len(self.labels) != files:
            raise Refused(f"--label: found {len(self.labels)}, must be one for each of the {files} files")
        for option in ("xrange", "yrange"):
            if getattr(self, option) and picture.plain:
                raise Refused(f"--{option}: '{picture.name}' shows all of a surface")
