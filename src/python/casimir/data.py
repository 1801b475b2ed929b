"""What a picture shows: named values, and named blocks of numbers in columns. As text, it is `casimir plot --data`."""

import unicodedata
from typing import NamedTuple

import numpy as np

TIME = "time_unit"  # the unit of times and step sizes in all files
NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}  # escapes


class Block(NamedTuple):
    """Rows of numbers. `columns` are pairs of a heading and a unit (None: not known); of a matrix there is one pair."""

    columns: list
    rows: np.ndarray


class Data(dict):
    """`data["fine"]` is a value: a text, a number, or a list of these. `data.block("points_1")` is a block."""

    def __init__(self):
        self.blocks = {}

    def add(self, **values):
        """Appends one element to each list: data.add(order=.., order_low=..)."""
        for key, value in values.items():
            self.setdefault(key, []).append(value)

    def interval(self, name, value, low, high):
        """Appends a number and the ends of its interval to the lists NAME, NAME_low and NAME_high."""
        self.add(**{name: float(value), name + "_low": float(low), name + "_high": float(high)})

    def write(self, name, columns, *rows):
        """Adds a block of these rows, or of several columns; one without rows has a row that is not a number."""
        rows = np.column_stack(rows) if len(rows) > 1 else rows[0]
        rows = np.asarray(rows, float) if len(rows) else np.full((1, len(columns)), np.nan)
        self.blocks[name] = Block(list(columns.items()) if isinstance(columns, dict) else columns, rows)

    def block(self, name):
        """A block, or an empty one where there is none of this name."""
        return self.blocks.get(name) or Block([("", None)] * 8, np.full((1, 8), np.nan))

    def numbered(self, name, n):
        """The rows of the blocks NAME_1 .. NAME_n."""
        return [self.block(f"{name}_{i}").rows for i in range(1, n + 1)]


def shown(value):
    """Text on one line: characters that control a terminal, and bytes that are no UTF-8, as escapes."""
    escapes = {c: NAMED.get(c) or "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
               for c in set(str(value)) if unicodedata.category(c)[0] == "C"}
    return "".join(escapes.get(c, c) for c in str(value))


def written(value):
    """A text, or the shorter of two texts that are read back as the same number."""
    if value is None or isinstance(value, str):
        return shown(value or "")
    if not np.isfinite(value):
        return "NaN"
    return f"{value:.15g}" if float(f"{value:.15g}") == value else f"{value:.17g}"


def as_text(data, picture, sources, version):
    """Values, then blocks, two blank lines apart."""
    lines = [f"# casimir {version}: what the picture '{picture}' shows"]
    for of in sources:
        paths = f"{of.paths} path" + "s" * (of.paths != 1)
        origin = (f": {of.study or '?'} of {of.system or '?'} by {of.integrator or '?'}, {paths}, "
                  f"generator {of.generator or '?'}, seed {of.seed}, casimir {of.casimir_version or '?'} ({of.commit or '?'})")
        lines.append(f"# of {shown(of.file + origin * (of.values is None))}")
    lines += ["# Values come first, then blocks, two blank lines apart, with names and [units] of columns.",
              "# NaN: there is no number."]
    for name, value in data.items():
        lines += [f"# {name}[{i}] = {written(one)}" for i, one in enumerate(value, 1)] if isinstance(value, list) else \
            [f"# {name} = {written(value)}"]
    for i, (name, block) in enumerate(data.blocks.items()):
        heading = ", ".join(h + ("" if u is None else f" [{shown(u)}]") for h, u in block.columns)
        lines += ["", "", f"# block {i}: {name}", f"# {heading}"]
        lines += [" ".join(map(written, row)) for row in block.rows.tolist()]
    return "\n".join(lines) + "\n"
