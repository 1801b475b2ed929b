"""Every picture: the first that fits a file is drawn. The function of its name in its module computes what it shows,
that in ..looks draws it. It fits a file that has a group, or one that fits by its function in FITS of the module."""

import difflib
import importlib
from dataclasses import dataclass

import numpy as np

from ..data import Data
from ..errors import Refused
from .common import nothing


@dataclass(frozen=True)
class Picture:
    name: str
    module: str
    summary: str
    needs: str  # completes "which needs .."
    number: str = "number"  # completes "no .. is a number: nothing is there to draw"
    fits: str = ""  # a group that files have, of tables with a slash behind it; empty: FITS of the module tells
    look: str = ""  # the function that draws it; empty: NAME
    least: int = 1
    files: int = 1
    options: tuple = ()  # at, until, map, show, contours, section, label, view: those it takes
    plain: bool = False  # a surface, of which all is shown: ranges of axes are refused
    film: bool = False
    swept: bool = False  # of files whose systems differ in a number

    def _of(self, name, package=__name__):
        return getattr(importlib.import_module(f"{package}.{self.module}"), name)

    def holds(self, source):
        """Whether a file has what is drawn; measurements have nothing else than scaling."""
        if source.values is not None:
            return self.name == "scaling"
        if not self.fits:
            return bool(self._of("FITS")[self.name](source))
        return bool(source.groups(self.fits[:-1]) if self.fits.endswith("/") else source.group(self.fits))

    @np.errstate(all="ignore")  # numbers that are not finite are gaps
    def data(self, request, sources):
        data = Data()
        self._of(self.name)(data, request, sources if self.files > 1 else sources[0])
        if not any(np.isfinite(b.rows[:, len(b.columns) > 1:]).any() for b in data.blocks.values()):
            raise nothing(sources[0], self.number)
        return data

    @np.errstate(all="ignore")
    def plan(self, source):
        """The times of the frames of a film, and what all frames share."""
        return self._of("film")(self.name, source)

    def draw(self):
        """The function draw(data, figure, request)."""
        return self._of(self.look or self.name, __name__.replace("pictures", "looks"))


def _p(name, module, summary, needs, options="", **more):
    return Picture(name, module, summary, needs, options=options.split(), **more)


PICTURES = {p.name: p for p in [
    _p("multilevel", "orders", "differences of neighbouring levels and their variances against the step size",
       "the differences of a weak_multilevel study", fits="weak_multilevel/", number="difference"),
    _p("mlmc", "orders", "variances, means and paths by level and work by epsilon, of one or several epsilon",
       "the levels of an mlmc study", fits="mlmc/", files=8),
    _p("convergence", "orders", "strong and weak errors against the step size, with fitted orders",
       "the error curves of a strong, weak or convergence study"),
    _p("quantiles", "orders", "quantiles of strong errors over paths against the step size",
       "the quantiles of a strong_quantiles study", fits="strong_quantiles", number="quantile"),
    _p("law", "orders", "distances of laws (Kolmogorov and Smirnov, Wasserstein) against the step size",
       "the distances of a law study", fits="law/", number="distance of laws that is above 0"),
    _p("weak_times", "orders", "weak errors at several times, and their supremum against the step size",
       "the errors of a weak_times study", fits="weak_times/", number="weak error that is not 0"),
    _p("time_average", "means", "means of batches over time, the average, and autocorrelation times",
       "the averages of a time_average study", fits="time_average/", number="mean of a batch"),
    _p("work", "orders", "errors of several schemes against step size, evaluations and seconds of a path",
       "the error curves and costs of a study with path_cost: true", "label", files=8, number="error"),
    _p("comparison", "orders", "weak errors of one functional by two to five studies, and their distances; or strong errors",
       "the errors of a study with levels", "label", least=2, files=5, number="error that is not 0"),
    _p("conservation", "motion", "departure of the Casimirs, change of energy and enstrophy over time",
       "/trajectory/casimir_departure, hamiltonian or enstrophy, or the numbers of --show", "until show",
       number="record of these invariants"),
    _p("ensemble", "means", "mean, quantiles and extremes of observables over time",
       "/ensemble/time and /ensemble/NAME/mean", number="mean of any observable"),
    _p("members", "motion", "members of an ensemble on the sphere at a few times",
       "/ensemble/members of 3 or n x 3 real components", "at view", plain=True, film=True, number="member at these times"),
    _p("ensemble_spectrum", "means", "energy and enstrophy by degree over an ensemble, with bands, at a few times",
       "mean and standard error of /ensemble/energy_spectrum or enstrophy_spectrum", "at"),
    _p("ensemble_maps", "maps", "mean and variance of the vorticity, or of --map, over an ensemble at a few times",
       "mean and variance of /ensemble/vorticity, or of the observable of --map", "at map view", plain=True, film=True),
    _p("member_maps", "maps", "maps of the vorticity, or of --map, of members of an ensemble at a few times",
       "/ensemble/members of a fluid (study.members)", "at map view", plain=True, film=True, look="vorticity"),
    _p("paths", "motion", "paths on the sphere, also of two files",
       "a /trajectory/state of 3 or n x 3 real components, or an observable axes, tip or gamma",
       "until contours label view", files=2, plain=True, film=True, number="recorded state"),
    _p("vorticity", "maps", "maps of the vorticity, or of --map, on the sphere or the torus at a few times",
       "/trajectory/vorticity, or the observable of --map, over latitude and longitude, or over x2 and x1",
       "at map until view", plain=True, film=True),
    _p("spectrum", "means", "energy by degree l or wavenumber |n| at a few times",
       "/trajectory/energy_spectrum over degree or wavenumber", "at until"),
    _p("hovmoeller", "maps", "vorticity, or --map, over longitude and time, at the latitude of --view",
       "two records of /trajectory/vorticity, or of the observable of --map, over latitude and longitude, or over x2 and x1",
       "until map view", plain=True),
    _p("observables", "motion", "any observables, or --show, over time, of one to seven files",
       "a trajectory with real observables, and those of --show", "until show label", files=7, number="observable over time"),
    _p("plane", "motion", "observables against the first, --show A,B,..: phase portraits and sections",
       "a trajectory with the two observables of --show A,B", "until show contours section label", files=7, number="point"),
    _p("scaling", "means", "time and parallel efficiency over numbers of ranks, of jobs/scaling.sh",
       "the JSON of jobs/scaling.sh"),
    _p("parameter", "means", "orders, or last estimates, of the files of a sweep against the key that differs",
       "the tables of a study with statistics", least=2, files=200),
    _p("sensitivity", "means", "derivatives of means by a swept number of the system, from the same paths",
       "recorded paths of single numbers, or means over groups of paths (study.path_groups)", "at show", least=2, files=200, swept=True),
]}


def fitting(sources, films=False):
    """The pictures that fit; with `films` only pictures that can be films."""
    first, n = sources[0], len(sources)
    systems = {(s.configuration or "").split("\nintegrator:")[0] for s in sources}
    return (p for p in PICTURES.values() if (p.film or not films) and ("map" in p.options or not first.map)
            and ("show" in p.options or not first.show) and p.least <= n <= p.files and all(map(p.holds, sources))
            and (not p.swept or len(systems) > 1))


def _offered(sources):
    return "offers: " + (", ".join(p.name for p in fitting(sources)) or "none")


def choose(sources, name=None, film=False):
    """The picture of this name, which must fit, or the first that fits. film: only pictures of which films can be made."""
    picture = PICTURES.get(name) if name else next(fitting(sources, film), None)
    if name and picture is None:
        near = difflib.get_close_matches(name, PICTURES, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise Refused(f"there is no picture '{name[:40]}'{hint}; what is given {_offered(sources)}")
    for s in sources if name else ():
        if not picture.holds(s):
            raise Refused(f"{s.file}: cannot be drawn as '{name}', which needs {picture.needs}; what is given {_offered(sources)}")
    if name and len(sources) > picture.files:
        raise Refused(f"'{name}' is a picture of at most {picture.files} file{'s' * (picture.files > 1)}; found {len(sources)}")
    if name and len(sources) < picture.least:
        raise Refused(f"'{name}' is a picture of at least {picture.least} files; found {len(sources)}")
    if film and (picture is None or not picture.film):
        films = ", ".join(f"{p.name} ({p.needs})" for p in PICTURES.values() if p.film)
        raise Refused(f"{sources[0].file}: holds nothing that there is a film of; there are those of: {films}")
    if picture is None and len(sources) == 1:
        raise Refused(f"{sources[0].file}: holds nothing that there is a picture of (its study is of kind "
                      f"'{sources[0].study or '?'}'; casimir plot --help lists the pictures)")
    if picture is None:
        raise Refused(f"no picture shows these {len(sources)} files together; {sources[0].file} alone {_offered(sources[:1])}")
    return picture
