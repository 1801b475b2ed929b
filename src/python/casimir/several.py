"""Several files of results as one table."""

import glob
import os
import re

from .results import Results


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
    """Results of several files, such as those of a sweep: a sequence of Results, and tables of all of them, whose first
    columns are `file` and the keys of the configuration in which the files differ."""

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
        import pandas

        flat = [_flat(r.configuration) for r in self]
        keys = list(dict.fromkeys(key for one in flat for key in one))
        differ = [key for key in keys if key != "output.file" and any(one.get(key) != flat[0].get(key) for one in flat)]
        # as the program sorts them: those of a sweep in the order in which they were named
        differ.sort(key=lambda key: sum(a.get(key) != b.get(key) for a, b in zip(flat, flat[1:])))
        rows = [{"file": r.path, **{key: one.get(key) for key in differ}} for r, one in zip(self, flat)]
        return pandas.DataFrame(rows, columns=["file", *differ])

    def _joined(self, tables):
        import pandas

        rows = pandas.concat(dict(enumerate(tables))).droplevel(1) if tables else None
        return self.parameters if rows is None else self.parameters.join(rows, how="right").reset_index(drop=True)

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
