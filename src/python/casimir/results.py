"""Files of results. Everything is read when it is asked for; no file stays open."""

import re

import h5py
import numpy

# Attributes of HDF5 and netCDF themselves.
_OWN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates"}
_POWER = re.compile(r"([0-9.]+)\^([-+]?[0-9]+)")
_FRACTION = re.compile(r"([-+0-9.eE]+)/([-+0-9.eE]+)")


def number(value):
    """The number that a configuration writes as 2^-7 or 1/128; anything else as it is."""
    if not isinstance(value, str):
        return value
    power, fraction = _POWER.fullmatch(value), _FRACTION.fullmatch(value)
    try:
        if power:
            return float(power[1]) ** int(power[2])
        if fraction:
            return float(fraction[1]) / float(fraction[2])
        return float(value)  # YAML 1.1 takes 1e-15 for text
    except (ValueError, ZeroDivisionError):
        return value


def _numbers(tree):
    if isinstance(tree, dict):
        return {key: _numbers(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_numbers(value) for value in tree]
    return number(tree)


def _plain(value):
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, numpy.generic) else value


def _attributes(at):
    return {name: _plain(value) for name, value in at.attrs.items() if name not in _OWN}


def _is_scale(dataset):
    return dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"


def _values(dataset):
    values = dataset[()]
    if isinstance(values, bytes):
        return _plain(values)
    if isinstance(values, numpy.ndarray) and values.dtype.kind == "O":
        values = numpy.array([_plain(value) for value in values.ravel()], dtype=str).reshape(values.shape)
    return values


def _table(columns):
    """Columns of the most frequent length; with pandas a DataFrame."""
    lengths = [len(c) for c in columns.values() if numpy.ndim(c) == 1]
    length = max(set(lengths), key=lengths.count) if lengths else 0
    columns = {name: c for name, c in columns.items() if numpy.ndim(c) == 1 and len(c) == length}
    try:
        import pandas
    except ModuleNotFoundError:
        return columns
    return pandas.DataFrame(columns)


class Result:
    """The group /result: `headline` and `verdict`, and `table` with a row for each number. Printed, it is the headline."""

    def __init__(self, attributes, columns):
        self.attributes = attributes
        self.headline, self.verdict = attributes.get("headline", ""), attributes.get("verdict", "")
        self.table = _table(columns)

    def __repr__(self):
        return self.headline


class Results:
    """A results file. `results["ensemble/x1"]` is a group as xarray.Dataset with all of its coordinates."""

    def __init__(self, path):
        self.path = str(path)
        with open(self.path, "rb"):  # the usual error where it cannot be read
            pass
        with h5py.File(self.path, "r") as file:
            self.attributes = _attributes(file)
            if "casimir_version" not in self.attributes or self.attributes.get("complete") != 1:
                raise ValueError(f"{self.path}: no complete results of casimir")
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
        """What the run concludes: the headline and the verdict, and a table with a row for each number, of the group
        /result; None in files without it."""
        if "result" not in self.groups:
            return None
        with h5py.File(self.path, "r") as file:
            at = file["result"]
            return Result(_attributes(at), {name: _values(d) for name, d in at.items() if isinstance(d, h5py.Dataset)})

    def frame(self, group):
        """The datasets of a group that have one length, as a table of pandas, or without it as a dict of arrays."""
        with h5py.File(self.path, "r") as file:
            at = file.get(group)
            if not isinstance(at, h5py.Group):
                raise KeyError(f"{self.path} has no group '{group}'; it has {', '.join(self.groups)}")
            return _table({name: _values(d) for name, d in at.items() if isinstance(d, h5py.Dataset)})

    def plot(self, output=None, **options):
        """A figure of matplotlib, as `casimir plot` draws it: r.plot("figure.pdf", picture="paths", width=84). Options are
        those of the command."""
        from .drawing import plot

        figure = plot(self.path, **options)
        if output:
            from .looks.kit import save_as

            save_as(figure, str(output))
        return figure

    def film(self, output, frames=None, **options):
        """A film of maps, paths or members, a frame for every record, in an .mp4: r.film("run.mp4", fps=12)."""
        from .film import make
        from .request import Request

        make(self.path, Request(**options), str(output), str(output), frames)

    def _repr_html_(self):
        """A notebook shows what the run concludes, and the first figure."""
        import html
        import io

        from .errors import Refused
        from .looks.kit import save

        svg, out = "", io.BytesIO()
        try:
            save(self.plot(title="", remark=lambda text: None), out, "svg")
            svg = out.getvalue().decode()
            svg = svg[svg.find("<svg"):]
        except Refused:
            pass
        said = self.result.headline if self.result else repr(self)
        return f"<p><b>{html.escape(said)}</b></p>{svg}"

    def __getitem__(self, group):
        import xarray

        with h5py.File(self.path, "r") as file:
            at = file.get(group)
            if not isinstance(at, h5py.Group):
                raise KeyError(f"{self.path} has no group '{group}'; it has {', '.join(self.groups)}")
            variables, coordinates = {}, {}
            for name, dataset in at.items():
                if isinstance(dataset, h5py.Dataset) and not _is_scale(dataset):
                    variables[name] = self._variable(dataset, coordinates)
                elif isinstance(dataset, h5py.Dataset):
                    coordinates[name] = (name, _values(dataset), _attributes(dataset))
            used = {dimension for dimensions, _, _ in variables.values() for dimension in dimensions}
            coordinates = {name: c for name, c in coordinates.items() if name in used or not variables}
            return xarray.Dataset(variables, coordinates, _attributes(at))

    @staticmethod
    def _variable(dataset, coordinates):
        dimensions = []
        for i, scales in enumerate(dataset.dims):
            scale = scales[0] if len(scales) else None
            name = scale.name.rsplit("/", 1)[1] if scale is not None else f"{dataset.name.rsplit('/', 1)[1]}_{i}"
            dimensions.append(name)
            if scale is not None:
                coordinates[name] = (name, _values(scale), _attributes(scale))
        return tuple(dimensions), _values(dataset), _attributes(dataset)

    def _curves(self):
        """Kind, name, place of its table, dataset of its levels, and suffix of its columns."""
        for kind in ("strong", "weak", "weak_multilevel"):
            if kind not in self.groups:
                continue
            if kind == "strong":
                dataset = self[kind]
                for name, suffix in (("at the horizon", ""), ("supremum", "_sup"), ("increments", "_increments")):
                    if "error" + suffix in dataset:
                        yield "strong", name, f"strong/error{suffix}", dataset, suffix
                continue
            for group in self.groups:
                if group.startswith(kind + "/") and group.count("/") == 1:
                    yield kind, group.split("/", 1)[1], group, self[group], ""

    def _rows(self, group, *key):
        """The rows of a group that is a table, by the columns of the key."""
        if group not in self.groups:
            return {}
        with h5py.File(self.path, "r") as file:
            columns = {name: _values(d) for name, d in file[group].items()}
        rows = [{name: column[i] for name, column in columns.items()} for i in range(len(columns.get(key[0], ())))]
        return {tuple(str(row[k]) for k in key) if len(key) > 1 else str(row[key[0]]): row for row in rows}

    def levels(self):
        """A row for each error curve and step size: study, name, step, error, its standard error, resolved."""
        import pandas

        rows = []
        for kind, name, _, dataset, suffix in self._curves():
            if "error" + suffix not in dataset:
                continue
            for i, step in enumerate(dataset["step"].values):
                rows.append({"kind": kind, "name": name, "step": float(step),
                             "error": float(dataset["error" + suffix][i]),
                             "standard_error": float(dataset["standard_error" + suffix][i]),
                             "resolved": bool(dataset["resolved" + suffix][i])})
        return pandas.DataFrame(rows, columns=["kind", "name", "step", "error", "standard_error", "resolved"])

    def orders(self):
        """A row for each error curve: its order, the 95% interval, what theory expects, the verdict."""
        import pandas

        rows, laws = [], self._rows("orders", "table")
        fits = self._rows("fits", "table", "law")
        for kind, name, table, dataset, suffix in self._curves():
            if "order" + suffix not in dataset:
                continue
            order, low, high, expected = (float(dataset[key + suffix]) for key in ("order", "order_low", "order_high", "expected_order"))
            fit = fits.get((table, str(laws[table]["law"])), {})
            rows.append({"kind": kind, "name": name, "order": order, "low": low, "high": high, "expected": expected,
                         "p_value": fit.get("p", numpy.nan), "verdict": str(dataset["verdict" + suffix].values)})
        columns = ["kind", "name", "order", "low", "high", "expected", "p_value", "verdict"]
        return pandas.DataFrame(rows, columns=columns)
