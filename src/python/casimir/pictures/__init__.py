"""Every picture: the first that fits a file is drawn. What a picture shows is computed by the function of its name in its
module, whether it fits by has_NAME there, and it is drawn by the function of its name in ..looks."""

import importlib
from dataclasses import dataclass, field
from typing import Optional

from ..errors import Refused


@dataclass(frozen=True)
class Picture:
    name: str
    module: str
    summary: str
    needs: str  # completes "which needs .."
    fits: str = ""  # the function that says whether it does; empty: has_NAME
    look: str = ""  # the function that draws it; empty: NAME
    least: int = 1
    files: int = 1
    options: frozenset = field(default_factory=frozenset)  # at, until, map, show, contours, section, label, view: those it takes
    plain: bool = False  # a surface, of which all is shown: ranges of axes are refused
    film: bool = False
    swept: bool = False  # of files whose systems differ in a number

    def _of(self, name):
        return getattr(importlib.import_module(f"{__name__}.{self.module}"), name)

    def matches(self, source):
        return self._of(self.fits or "has_" + self.name)(source)

    def data(self, data, request, sources):
        self._of(self.name)(data, request, sources)

    def plan(self, source, request):
        """The times of the frames of a film, and what all frames share."""
        return self._of(self.name + "_film")(source, request)

    def draw(self):
        """The function draw(data, figure, request)."""
        return getattr(importlib.import_module(f"{__package__.rsplit('.', 1)[0]}.looks.{self.module}"), self.look or self.name)


def _p(name, module, summary, needs, options="", **more):
    return Picture(name, module, summary, needs, options=frozenset(options.split()), **more)


PICTURES = {p.name: p for p in [
    _p("multilevel", "orders", "differences of neighbouring levels and their variances against the step size",
       "the differences of a weak_multilevel study"),
    _p("mlmc", "orders", "variances, means and paths by level and work by epsilon, of one or several epsilon",
       "the levels of an mlmc study", files=8),
    _p("convergence", "orders", "strong and weak errors against the step size, with fitted orders",
       "the error curves of a strong, weak or convergence study", fits="has_curves"),
    _p("quantiles", "orders", "quantiles of strong errors over paths against the step size",
       "the quantiles of a strong_quantiles study"),
    _p("law", "orders", "distances of laws (Kolmogorov and Smirnov, Wasserstein) against the step size",
       "the distances of a law study"),
    _p("weak_times", "orders", "weak errors at several times, and their supremum against the step size",
       "the errors of a weak_times study"),
    _p("time_average", "means", "means of batches over time, the average, and autocorrelation times",
       "the averages of a time_average study"),
    _p("work", "orders", "errors of several schemes against step size, evaluations and seconds of a path",
       "the error curves and costs of a study with path_cost: true", "label", files=8),
    _p("comparison", "orders", "weak errors of one functional by two to five studies, and their distances; or strong errors",
       "the errors of a study with levels", "label", fits="has_curves", least=2, files=5),
    _p("conservation", "motion", "departure of the Casimirs, change of energy and enstrophy over time",
       "/trajectory/casimir_departure, hamiltonian or enstrophy, or the numbers of --show", "until show"),
    _p("ensemble", "means", "mean, quantiles and extremes of observables over time",
       "/ensemble/time and /ensemble/NAME/mean"),
    _p("members", "motion", "members of an ensemble on the sphere at a few times",
       "/ensemble/members of 3 or n x 3 real components", "at view", plain=True, film=True),
    _p("ensemble_spectrum", "means", "energy and enstrophy by degree over an ensemble, with bands, at a few times",
       "mean and standard error of /ensemble/energy_spectrum or enstrophy_spectrum", "at"),
    _p("ensemble_maps", "maps", "mean and variance of the vorticity, or of --map, over an ensemble at a few times",
       "mean and variance of /ensemble/vorticity, or of the observable of --map", "at map view", plain=True, film=True),
    _p("member_maps", "maps", "maps of the vorticity, or of --map, of members of an ensemble at a few times",
       "/ensemble/members of a fluid (study.members)", "at map view", plain=True, film=True, look="vorticity"),
    _p("paths", "motion", "paths on the sphere, also of two files",
       "a /trajectory/state of 3 or n x 3 real components, or an observable axes, tip or gamma",
       "until contours label view", files=2, plain=True, film=True),
    _p("vorticity", "maps", "maps of the vorticity, or of --map, on the sphere or the torus at a few times",
       "/trajectory/vorticity, or the observable of --map, over latitude and longitude, or over x2 and x1",
       "at map until view", plain=True, film=True),
    _p("spectrum", "means", "energy by degree l or wavenumber |n| at a few times",
       "/trajectory/energy_spectrum over degree or wavenumber", "at until"),
    _p("hovmoeller", "maps", "vorticity, or --map, over longitude and time, at the latitude of --view",
       "two records of /trajectory/vorticity, or of the observable of --map, over latitude and longitude, or over x2 and x1",
       "until map view", plain=True),
    _p("observables", "motion", "any observables, or --show, over time, of one to seven files",
       "a trajectory with real observables, and those of --show", "until show label", files=7),
    _p("plane", "motion", "observables against the first, --show A,B,..: phase portraits and sections",
       "a trajectory with the two observables of --show A,B", "until show contours section label", files=7),
    _p("scaling", "means", "time and parallel efficiency over numbers of ranks, of jobs/scaling.sh",
       "the JSON of jobs/scaling.sh"),
    _p("parameter", "means", "orders, or last estimates, of the files of a sweep against the key that differs",
       "the tables of a study with statistics", fits="has_estimates", least=2, files=200),
    _p("sensitivity", "means", "derivatives of means by a swept number of the system, from the same paths",
       "recorded paths of single numbers, or means over groups of paths (study.path_groups)", "at show", least=2, files=200, swept=True),
]}


def _fits(picture, sources):
    s = sources[0]
    return ("map" in picture.options or not s.map) and ("show" in picture.options or not s.show) \
        and picture.least <= len(sources) <= picture.files and all(_holds(picture, s) for s in sources) \
        and (not picture.swept or len({(s.configuration or "").split("\nintegrator:")[0] for s in sources}) > 1)


def _holds(picture, source):
    return (source.values is None or picture.name == "scaling") and picture.matches(source)


def offers(sources, drawn: Optional[Picture] = None):
    """The pictures that fit, but the one that was drawn: "conservation, paths"."""
    return ", ".join(p.name for p in PICTURES.values() if p is not drawn and _fits(p, sources))


def no_film(source):
    films = ", ".join(f"{p.name} ({p.needs})" for p in PICTURES.values() if p.film)
    return Refused(f"{source.file}: holds nothing that there is a film of; there are those of: {films}")


def choose(sources, name=None, film=False):
    """The picture of this name, which must fit, or the first that fits. film: only pictures of which films can be made."""
    picture = _named(sources, name) if name else next((p for p in PICTURES.values() if (p.film or not film) and _fits(p, sources)),
                                                      None)
    if film and (picture is None or not picture.film):
        raise no_film(sources[0])
    if picture is None and len(sources) == 1:
        raise Refused(f"{sources[0].file}: holds nothing that there is a picture of (its study is of kind "
                      f"'{sources[0].study or '?'}'; casimir plot --help lists the pictures)")
    if picture is None:
        raise Refused(f"no picture shows these {len(sources)} files together; {sources[0].file} alone offers: "
                      f"{offers(sources[:1]) or 'none'}")
    return picture


def _named(sources, name):
    picture = PICTURES.get(name)
    if picture is None:
        import difflib

        near = difflib.get_close_matches(name, PICTURES, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise Refused(f"there is no picture '{name[:40]}'{hint}; what is given offers: {offers(sources) or 'none'}")
    for s in sources:
        if not _holds(picture, s):
            raise Refused(f"{s.file}: cannot be drawn as '{name}', which needs {picture.needs}; what is given offers: {offers(sources) or 'none'}")
    if len(sources) > picture.files:
        raise Refused(f"'{name}' is a picture of at most {picture.files} file{'s' * (picture.files > 1)}; found {len(sources)}")
    if len(sources) < picture.least:
        raise Refused(f"'{name}' is a picture of at least {picture.least} files; found {len(sources)}")
    return picture
