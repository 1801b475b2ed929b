"""Results of casimir: labelled arrays, tables of levels and orders, figures; and runs through the program.

    import casimir
    study = casimir.open("run.h5")
    study["strong"].error              # xarray, with coordinates
    study.levels()                     # pandas: a row for each curve and step size
    study.orders()                     # pandas: a row for each curve
    study.configuration["system"]      # a dict with numbers
    casimir.open("sigma-*.h5").orders()    # of several files: with the keys in which they differ
"""

from . import sphere
from .figures import plot_levels, plot_series
from .results import Results, number
from .running import CasimirError, estimates, run, sweep
from .several import Collection, open

__all__ = ["CasimirError", "Collection", "Results", "estimates", "number", "open", "plot_levels", "plot_series", "run",
           "sphere", "sweep"]
__version__ = "0.2.0"
