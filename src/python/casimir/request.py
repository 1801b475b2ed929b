"""What is asked of a figure: the options of `casimir plot`, from its command line or as arguments of Python."""

import math
import sys

from .data import shown
from .errors import Refused
from .source import MOST_TIMES

MOST_RANGES = 8


def _numbers(value):
    return tuple(map(float, value.split(",") if isinstance(value, str) else value))


def _pairs(value):
    """"0.1:10", or with commas between one for each panel; ends may be left out."""
    pairs = [part.split(":") for part in value.split(",")] if isinstance(value, str) else [value]
    return [tuple(math.nan if end in ("", None) else float(end) for end in pair) for pair in pairs]


RANGES = (f"LOW:HIGH with LOW < HIGH, such as 1e-6:1e-2, or up to {MOST_RANGES} of them with commas between; an end that is "
          "left out stays", _pairs, lambda pairs: len(pairs) <= MOST_RANGES and all(
              len(pair) == 2 and not pair[0] >= pair[1] and not any(map(math.isinf, pair)) for pair in pairs))
# what each option must be, how it is read, and what fits; None: a text
OPTIONS = {"at": (f"up to {MOST_TIMES} times with commas between, such as 0,5,20", _numbers,
                  lambda times: 0 < len(times) <= MOST_TIMES and all(map(math.isfinite, times))),
           "xrange": RANGES, "yrange": RANGES,
           "view": ("LONGITUDE,LATITUDE in degrees, such as 40,22 or 0,90 for the north pole", _numbers,
                    lambda at: len(at) == 2 and abs(at[0]) <= 360 and abs(at[1]) <= 90),
           "section": ("NAME=VALUE", lambda value: (value.partition("=")[0], float(value.partition("=")[2])),
                       lambda of: math.isfinite(of[1])),
           "until": ("a time", float, math.isfinite), "width": ("from 10 to 2000 mm", float, lambda x: 10 <= x <= 2000),
           "fps": ("from 1 to 120", int, lambda n: 1 <= n <= 120),
           **dict.fromkeys(("picture", "map", "show", "contours", "title", "style", "template"))}


def _read(option, value, must, read, fits):
    try:
        found = read(value)
        if fits(found):
            return found
    except (TypeError, ValueError):
        pass
    raise Refused(f"--{option}: found '{str(value)[:60]}', must be {must}")


class Request:
    def __init__(self, labels=(), remark=None, **options):
        unknown = [key for key in options if key not in OPTIONS]
        if unknown:
            raise TypeError(f"a figure has no option '{unknown[0]}'; it has {', '.join([*OPTIONS, 'labels'])}")
        for key, reading in OPTIONS.items():
            value = options.get(key)
            setattr(self, key, _read(key, value, *reading) if reading and value is not None else value)
        self.labels, self.frame = list(labels), None
        self.given = {**options, **({"labels": self.labels} if labels else {})}
        self.until = math.inf if self.until is None else self.until
        self.remark = remark or (lambda text: print(f"casimir: {shown(text)}", file=sys.stderr))

    def first(self, most, n, text, before=""):
        """A remark where more than `most` are there."""
        if n > most:
            self.remark(f"{before}the first {most} of {n} {text}")

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
            if getattr(self, option) not in (None, math.inf) and option not in picture.options:
                raise Refused(f"--{option}: '{picture.name}' {what}")
        if self.labels and "label" not in picture.options:
            raise Refused(f"--label: '{picture.name}' has no legend of files")
        if self.labels and len(self.labels) != files:
            raise Refused(f"--label: found {len(self.labels)}, must be one for each of the {files} files")
        for option in ("xrange", "yrange"):
            if getattr(self, option) and picture.plain:
                raise Refused(f"--{option}: '{picture.name}' shows all of a surface")
