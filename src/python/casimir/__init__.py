"""Results of casimir: labelled arrays, tables of levels and orders, figures; and runs through the program.

    import casimir
    study = casimir.open("run.h5")
    study["strong"].error              # xarray, with coordinates
    study.levels()                     # pandas: a row for each curve and step size
    study.orders()                     # pandas: a row for each curve
    study.configuration["system"]      # a dict with numbers
"""

from . import sphere
from .figures import plot_levels, plot_series
from .results import Results, number, open
from .running import CasimirError, run

__all__ = ["CasimirError", "Results", "number", "open", "plot_levels", "plot_series", "run", "sphere"]
__version__ = "0.2.0"
