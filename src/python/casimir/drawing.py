"""From files to what a picture shows, and from that to a figure."""

from . import __version__
from .data import Data, as_text
from .errors import Refused
from .pictures import choose, offers
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
        data = Data()
        self.picture.data(data, self.request, self.sources)
        return data

    def text(self):
        return as_text(self.data(), self.picture.name, self.sources, __version__)

    def headline(self):
        """The sentence that a file concludes with, where it has one."""
        result = self.sources[0].group("result") if len(self.sources) == 1 else None
        return str(result["headline"]) if result is not None and "headline" in result else ""

    def figure(self, data=None):
        from .looks import kit

        return kit.make(self, data or self.data())

    def offers(self):
        return offers(self.sources, self.picture)


def plot(files, **options):
    """A figure of matplotlib: plot("run.h5", picture="paths", width=84). Options are those of `casimir plot`."""
    files = [files] if not isinstance(files, (list, tuple)) else files
    if not files:
        raise Refused("the results file is missing")
    return Drawing(files, Request(**options)).figure()
