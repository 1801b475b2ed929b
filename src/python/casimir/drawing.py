"""From files to what a picture shows, and from that to a figure."""

from . import __version__
from .data import as_text
from .errors import Refused
from .pictures import choose, fitting
from .request import Request
from .source import Source


class Drawing:
    """One picture of one file or of several, with its data. `drawing.figure()` is a figure of matplotlib."""

    def __init__(self, files, request, film=False):
        self.request = request
        labels = request.labels + [None] * len(files)
        self.sources = [Source(f, label, request.until, request.map, request.show) for f, label in zip(files, labels)]
        self.picture = choose(self.sources, request.picture, film)
        request.check(self.picture, len(files))

    def data(self):
        return self.picture.data(self.request, self.sources)

    def text(self):
        return as_text(self.data(), self.picture.name, self.sources, __version__)

    def figure(self, data=None, draw=None):
        """draw: a function draw(data, figure, request) instead of the picture's."""
        from .looks.sheet import make

        return make(self, data or self.data(), draw)

    def save(self, into, draw=None, kind=None):
        """The figure in a file, whose name says the format if `kind` does not."""
        from .looks.sheet import save

        save(self.figure(draw=draw), into, kind)

    def offers(self):
        """The other pictures that fit: "conservation, paths"."""
        return ", ".join(p.name for p in fitting(self.sources) if p is not self.picture)


def plot(files, output=None, **options):
    """A figure of matplotlib: plot("run.h5", picture="paths", width=84). Options are those of `casimir plot`; output: a file."""
    files = [files] if not isinstance(files, (list, tuple)) else files
    if not files:
        raise Refused("the results file is missing")
    figure = Drawing(files, Request(**options)).figure()
    if output:
        from .looks.sheet import save

        save(figure, output)
    return figure
