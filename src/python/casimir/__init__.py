"""Results of casimir: figures, films, labelled arrays, tables of levels and orders; and runs through the program.

    r = casimir.open("run.h5")
    r.result                           # what the run concludes: a sentence and a table
    r.plot("figure.pdf", width=84)     # figures as `casimir plot` draws them; in a notebook r alone shows the first
    r.frame("ensemble/x1")             # numbers of one name, with pandas a table
    r["strong"].error                  # xarray, with coordinates
    r.levels(), r.orders()             # pandas: a row for each curve and step size, and for each curve

Modules are loaded when they are used: figures need h5py and matplotlib, tables pandas, `r["strong"]` xarray, and
`r.configuration` yaml."""

import importlib
import sys

_PLACES = {"CasimirError": "running", "estimates": "running", "run": "running", "sweep": "running", "Results": "results",
           "number": "results", "Collection": "results", "open": "results", "plot": "drawing",
           "plot_levels": "figures", "plot_series": "figures", "figures": None, "sphere": None}
__all__ = sorted(_PLACES)
__version__ = "0.2.0"

# What EasyBuild calls the modules of clusters, where it is not the name of Python's module.
_ON_CLUSTERS = {"numpy": "SciPy-bundle", "pandas": "SciPy-bundle", "yaml": "PyYAML"}


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'casimir' has no attribute '{name}'")
    module = importlib.import_module(f"{__name__}.{_PLACES[name] or name}")
    return getattr(module, name) if _PLACES[name] else module


def missing_module(error):
    """Says in one line which module is missing, and where it is; the exit status."""
    module = (error.name or "").split(".")[0]
    print(f"casimir: {sys.executable} has no module '{module}', which figures, films, pages and exports need (Debian: apt-get install "
          f"python3-{module}; elsewhere: python3 -m pip install {module}, or on a cluster module load {_ON_CLUSTERS.get(module, module)}; "
          "CASIMIR_PYTHON names another Python)", file=sys.stderr)
    return 5
