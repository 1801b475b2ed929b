"""What a picture shows: named values, and named blocks of numbers in columns. As text, it is `casimir plot --data`."""

import unicodedata

import numpy as np

TIME = "time_unit"  # the unit of times and step sizes in all files
NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}  # escapes


class Block:
    """Rows of numbers. `columns` are pairs of a heading and a unit (None: not known); of a matrix there is one pair."""

    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = np.asarray(rows, float) if len(rows) else np.full((1, len(columns)), np.nan)


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

    def write(self, name, columns, rows):
        """Adds a block; of rows that are all of numbers."""
        self.blocks[name] = Block(columns, rows)

    def any_number(self):
        """Whether a block has a number behind its first column, or anywhere in a matrix."""
        return any(np.isfinite(b.rows[:, len(b.columns) > 1:]).any() for b in self.blocks.values())

    def block(self, name):
        """A block, or an empty one where there is none of this name."""
        return self.blocks.get(name) or Block([("", None)] * 8, [])

    def numbered(self, name, n):
        """The rows of the blocks NAME_1 .. NAME_n."""
        return [self.block(f"{name}_{i}").rows for i in range(1, n + 1)]


def shown(value):
    """Text on one line: characters that control a terminal, and bytes that are no UTF-8, as escapes."""
    escapes = {c: NAMED.get(c) or "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
               for c in set(str(value)) if unicodedata.category(c)[0] == "C"}
    return "".join(escapes.get(c, c) for c in str(value))


def number(value):
    """The shortest of two texts that are read back as the same number."""
    if not np.isfinite(value):
        return "NaN"
    short = f"{value:.15g}"
    return short if float(short) == value else f"{value:.17g}"


def _value(value):
    if value is None or isinstance(value, str):
        return shown(value or "")
    if isinstance(value, (bool, int, np.integer)):
        return str(int(value))
    return number(value)


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
        if isinstance(value, list):
            lines += [f"# {name}[{i}] = {_value(one)}" for i, one in enumerate(value, 1)]
        else:
            lines.append(f"# {name} = {_value(value)}")
    for i, (name, block) in enumerate(data.blocks.items()):
        heading = ", ".join(h + ("" if u is None else f" [{shown(u)}]") for h, u in block.columns)
        lines += ["", "", f"# block {i}: {name}", f"# {heading}"]
        lines += [" ".join(map(number, row)) for row in block.rows.tolist()]
    return "\n".join(lines) + "\n"
