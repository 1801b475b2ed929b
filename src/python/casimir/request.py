"""What is asked of a figure: the options of `casimir plot`, from its command line or as arguments of Python."""

import math
import sys

from .data import shown
from .errors import Refused
from .source import MOST_TIMES

MOST_RANGES = 8


def _reader(option, must, read, fits):
    """A function that reads a value, and refuses what cannot be read or does not fit."""
    def reader(value):
        try:
            found = read(value)
            if fits(found):
                return found
        except (TypeError, ValueError):
            pass
        raise Refused(f"--{option}: found '{str(value)[:60]}', must be {must}")
    return reader


def _numbers(value):
    return tuple(map(float, value.split(",") if isinstance(value, str) else value))


def _number(option, must, least=-math.inf, most=math.inf, kind=float):
    return _reader(option, must, kind, lambda x: least <= x <= most and math.isfinite(x))


def _pairs(value):
    """"0.1:10", or with commas between one for each panel; ends may be left out."""
    parts = value.split(",") if isinstance(value, str) else [value]
    pairs = [part.split(":") if isinstance(part, str) else part for part in parts]
    return [tuple(math.nan if end in ("", None) else float(end) for end in pair) for pair in pairs]


def _ranges(option):
    must = (f"LOW:HIGH with LOW < HIGH, such as 1e-6:1e-2, or up to {MOST_RANGES} of them with commas between; an end that is "
            "left out stays")
    return _reader(option, must, _pairs, lambda pairs: len(pairs) <= MOST_RANGES and all(
        len(pair) == 2 and not pair[0] >= pair[1] and not any(map(math.isinf, pair)) for pair in pairs))


READERS = {"at": _reader("at", f"up to {MOST_TIMES} times with commas between, such as 0,5,20", _numbers,
                         lambda times: 0 < len(times) <= MOST_TIMES and all(map(math.isfinite, times))),
           "xrange": _ranges("xrange"), "yrange": _ranges("yrange"),
           "view": _reader("view", "LONGITUDE,LATITUDE in degrees, such as 40,22 or 0,90 for the north pole", _numbers,
                           lambda at: len(at) == 2 and abs(at[0]) <= 360 and abs(at[1]) <= 90),
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

    def say(self, text):
        """A remark, unless it is empty."""
        if text:
            self.remark(text)

    def first(self, most, n, text, before=""):
        """A remark where more than `most` are there."""
        self.say(f"{before}the first {most} of {n} {text}" if n > most else "")

    def count(self, n, text):
        """Remarks on n things, with words in the singular or the plural; of none nothing is said."""
        self.say(f"{n} {text.format(s='s' * (n > 1), are='are' if n > 1 else 'is')}" if n > 0 else "")

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
