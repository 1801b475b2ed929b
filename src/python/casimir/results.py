"""Files of results, one or several as one table. Everything is read when it is asked for; no file stays open."""

import builtins
import contextlib
import glob
import html
import os
import re
from fractions import Fraction

import h5py
import numpy

from .drawing import plot
from .errors import Refused
from .film import make
from .pictures.orders import fit_of, sorted_curves
from .request import Request
from .source import Source, attributes, check_complete, plain

MOST_COLUMNS = 32  # of a dataset in a table


def number(value):
    """The number that a configuration writes as 2^-7 or 1/128; anything else as it is."""
    if not isinstance(value, str):
        return value
    base, _, exponent = value.partition("^")
    try:
        return float(base) ** int(exponent) if exponent else float(Fraction(value))  # YAML 1.1 takes 1e-15 for text
    except (ValueError, ArithmeticError):
        return value


def _numbers(tree):
    if isinstance(tree, dict):
        return {key: _numbers(value) for key, value in tree.items()}
    return [_numbers(value) for value in tree] if isinstance(tree, list) else number(tree)


def _is_scale(dataset):
    return dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"


def _values(dataset):
    if h5py.check_string_dtype(dataset.dtype) is None:
        return dataset[()]
    texts = dataset.asstr(errors="replace")[()]
    return numpy.asarray(texts, str) if dataset.shape else texts


def _name(at):
    return at.name.rsplit("/", 1)[1]


def _axis(dataset, i=0):
    """The name of an axis, or without one its length."""
    scale = dataset if _is_scale(dataset) else dataset.dims[i][0] if len(dataset.dims[i]) else None
    return _name(scale) if scale is not None else dataset.shape[i]


def _table(group):
    """The datasets of a group along its steps or times, or else along the axis that most have. With pandas they are a DataFrame,
    with a column for each of the numbers of vectors; without it they are arrays by name."""
    data = {name: d for name, d in group.items() if isinstance(d, h5py.Dataset) and d.ndim}
    axes = [_axis(d) for d in data.values()]
    along = next((axis for axis in ("step", "time") if axis in axes), max(axes, key=axes.count, default=None))
    data = {name: d for name, d in sorted(data.items(), key=lambda item: item[0] != along) if _axis(d) == along}
    try:
        import pandas
    except ModuleNotFoundError:
        return {name: _values(d) for name, d in data.items()}
    columns = {name: _values(d) for name, d in data.items() if d.ndim == 1}
    for name, d in data.items():
        if d.ndim == 2 and d.shape[1] <= MOST_COLUMNS:
            # names of components of states, otherwise NAME[1], .. or NAME[key]
            components = plain(d.attrs.get("components", "")).split()
            keys = _values(d.dims[1][0]) if _axis(d, 1) in ("path", "probability") else range(1, d.shape[1] + 1)
            labels = components if len(components) == d.shape[1] else [f"{name}[{key}]" for key in keys]
            columns.update(zip(labels, _values(d).T))
    return pandas.DataFrame(columns)


def _frame(rows, columns):
    import pandas

    return pandas.DataFrame(rows, columns=columns)


class Result:
    """The group /result: `headline` and `verdict`, and `table` with a row for each number. Printed, it is the headline."""

    def __init__(self, group):
        self.headline, self.verdict = (attributes(group).get(key, "") for key in ("headline", "verdict"))
        self.table = _table(group)

    def __repr__(self):
        return self.headline


class Results:
    """A results file. `results["ensemble/x1"]` is a group as xarray.Dataset with all of its coordinates."""

    def __init__(self, path):
        self.path = str(path)
        builtins.open(self.path, "rb").close()  # the usual error where it cannot be read
        with h5py.File(self.path, "r") as file:
            self.attributes = attributes(file)
            check_complete(self.path, self.attributes)
            self.groups = []
            file.visititems(lambda name, at: self.groups.append(name) if isinstance(at, h5py.Group) else None)

    def __repr__(self):
        of = self.attributes
        return f"<casimir {of.get('study')} of {of.get('system')}, {of.get('paths')} paths: {', '.join(self.groups)}>"

    @property
    def configuration(self):
        """The effective configuration, with numbers for 2^-7 and the like."""
        import yaml

        return _numbers(yaml.safe_load(self.attributes["configuration"]))

    @property
    def result(self):
        """What the run concludes, of the group /result; None in files without it."""
        if "result" not in self.groups:
            return None
        with self._group("result") as at:
            return Result(at)

    @contextlib.contextmanager
    def _group(self, name):
        with h5py.File(self.path, "r") as file:
            at = file.get(name)
            if not isinstance(at, h5py.Group):
                raise KeyError(f"{self.path} has no group '{name}'; it has {', '.join(self.groups)}")
            yield at

    def frame(self, group):
        """The datasets of a group along its steps or times, as a table of pandas, or without it as a dict of arrays."""
        with self._group(group) as at:
            return _table(at)

    def plot(self, output=None, **options):
        """A figure as `casimir plot` draws it, with its options: r.plot("figure.pdf", picture="paths", width=84)."""
        return plot(self.path, output, **options)

    def film(self, output, frames=None, **options):
        """A film of maps, paths or members, a frame for every record, in an .mp4: r.film("run.mp4", fps=12)."""
        make(self.path, Request(**options), str(output), str(output), frames)

    def _repr_html_(self):
        """A notebook shows what the run concludes, and the first figure."""
        from .looks.sheet import svg

        try:
            figure = svg(self.plot(title="", remark=lambda text: None))
        except Refused:
            figure = ""
        said = self.result.headline if self.result else repr(self)
        return f"<p><b>{html.escape(said)}</b></p>{figure}"

    def __getitem__(self, group):
        import xarray

        with self._group(group) as at:
            datasets = [d for d in at.values() if isinstance(d, h5py.Dataset)]
            shown = [d for d in datasets if not _is_scale(d)]
            used = [axis[0] for d in shown for axis in d.dims if len(axis)]
            axes = {d.name: [_name(axis[0]) if len(axis) else f"{_name(d)}_{i}" for i, axis in enumerate(d.dims)] for d in shown}
            variables, coordinates = ({_name(d): (axes.get(d.name, _name(d)), _values(d), attributes(d)) for d in some}
                                      for some in (shown, used if shown else datasets))
            return xarray.Dataset(variables, coordinates, attributes(at))

    def levels(self):
        """A row for each error curve and step size: study, name, step, error, its standard error, resolved."""
        with contextlib.closing(Source(self.path)) as source:
            rows = [(c.kind, c.label, *row) for c in sorted_curves(source)
                    for row in zip(source.steps(), c.error, c.standard_error, c.resolved.astype(bool))]
        return _frame(rows, "kind name step error standard_error resolved".split())

    def orders(self):
        """A row for each error curve: its order, the 95% interval, what theory expects, the verdict."""
        with contextlib.closing(Source(self.path)) as source:
            differences = sorted(source.groups("weak_multilevel"), key=lambda t: t.name)
            found = [(c.kind, c.label, c.table, c.place, c.suffix) for c in sorted_curves(source)] \
                + [("weak_multilevel", t.name, t, f"weak_multilevel/{t.name}", "") for t in differences]
            rows = [(kind, name, *(table[key + suffix] for key in ("order", "order_low", "order_high", "expected_order")),
                     fit_of(source, place)[1].get("p", numpy.nan), table["verdict" + suffix])
                    for kind, name, table, place, suffix in found if "order" + suffix in table]
        return _frame(rows, "kind name order low high expected p_value verdict".split())


def _flat(tree, prefix=""):
    """Keys of a configuration as the program names them: system.noise.sigma, system.inertia[0]."""
    if not isinstance(tree, (dict, list)):
        return {prefix: tree}
    parts = [(f".{key}" if prefix else str(key), value) for key, value in tree.items()] if isinstance(tree, dict) else \
        [(f"[{i}]", value) for i, value in enumerate(tree)]
    return {key: found for end, value in parts for key, found in _flat(value, prefix + end).items()}


def files_of(path):
    """The files that a pattern such as "sw-*.h5" names, in the order of their numbers: run-2.h5 comes before run-10.h5."""
    found = glob.glob(os.fspath(path))
    if not found:
        raise FileNotFoundError(f"{path}: no file has such a name")
    return sorted(found, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)])


class Collection(tuple):
    """Results of several files: a sequence of Results, and tables of all, with the keys in which the files differ."""

    def __new__(cls, files):
        """files: their names, or Results."""
        return super().__new__(cls, (file if isinstance(file, Results) else Results(file) for file in files))

    def __getitem__(self, i):
        return Collection(super().__getitem__(i)) if isinstance(i, slice) else super().__getitem__(i)

    def __repr__(self):
        keys = ", ".join(self.parameters.columns[1:]) or "nothing"
        return f"<{len(self)} files of casimir, which differ in {keys}>"

    @property
    def parameters(self):
        """A row for each file: its name, and the keys in which the files differ, with numbers for 2^-7 and the like."""
        flat = [_flat(r.configuration) for r in self]
        keys = list(dict.fromkeys(key for one in flat for key in one))
        differ = [key for key in keys if key != "output.file" and any(one.get(key) != flat[0].get(key) for one in flat)]
        # as the program sorts them: those of a sweep in the order in which they were named
        differ.sort(key=lambda key: sum(a.get(key) != b.get(key) for a, b in zip(flat, flat[1:])))
        return _frame([(r.path, *map(one.get, differ)) for r, one in zip(self, flat)], ["file", *differ])

    def _joined(self, tables):
        rows = [(*keys, *row) for keys, table in zip(self.parameters.values, tables) for row in table.values]
        return _frame(rows, [*self.parameters.columns, *tables[0].columns]) if tables else self.parameters

    def levels(self):
        """The rows of Results.levels of every file."""
        return self._joined([r.levels() for r in self])

    def orders(self):
        """The rows of Results.orders of every file."""
        return self._joined([r.orders() for r in self])


def open(path):
    """The results in a file; of a pattern such as "sw-*.h5", or of a list of files, a Collection. A file that is not of
    casimir or not complete is refused."""
    if not isinstance(path, (str, os.PathLike)):
        return Collection(path)
    return Collection(files_of(path)) if glob.has_magic(os.fspath(path)) and not os.path.exists(path) else Results(path)
