"""From files to what a picture shows, from that to a figure, and to a script that makes the figure."""

import inspect
import os
import pathlib
import pprint

from . import __version__
from .data import as_text
from .errors import Refused
from .pictures import choose, fitting
from .request import Request
from .source import Source

SCRIPT = '''# casimir figure: python3 {script} [FIGURE.pdf]   (svg, pdf, eps, png; {names} beside it)
# draw() is how casimir draws the picture '{picture}'; change it. `casimir plot {first} --template {script}` draws by it too.
import sys

sys.path.append({package!r})
from casimir.drawing import Drawing
from casimir.request import Request
{imports}

FILES = {files}
OPTIONS = {options}


{look}

if __name__ == "__main__":
    Drawing(FILES, Request(**OPTIONS)).save(sys.argv[1] if len(sys.argv) > 1 else {figure!r}, draw)
'''


def _names(code):
    """What a function takes from its module, and attributes."""
    return set(code.co_names).union(*(_names(part) for part in code.co_consts if inspect.iscode(part)))


class Drawing:
    """One picture of one file or of several, with its data. `drawing.figure()` is a figure of matplotlib."""

    def __init__(self, files, request, film=False):
        if not files:
            raise Refused("the results file is missing")
        self.request = request
        labels = request.labels + [None] * len(files)
        self.sources = [Source(f, label, request.until, request.map, request.show) for f, label in zip(files, labels)]
        self.picture = choose(self.sources, request.picture, film)
        request.check(self.picture, len(files))

    def data(self):
        return self.picture.data(self.request, self.sources)

    def text(self):
        return as_text(self.data(), self.picture.name, self.sources, __version__)

    def figure(self, draw=None):
        """draw: a function draw(data, figure, request) instead of the picture's."""
        from .looks.sheet import make

        return make(self, draw)

    def save(self, into, draw=None, kind=None):
        """The figure, also in a file, whose name says the format if `kind` does not."""
        from .looks.sheet import save

        return save(self.figure(draw), into, kind)

    def script(self, name):
        """A short script that makes the same figure from the files, to be edited."""
        look, files = self.picture.draw(), [source.file for source in self.sources]
        module, source = inspect.getmodule(look), inspect.getsource(look).rstrip()
        used = sorted(name for name in _names(look.__code__) if hasattr(module, name))
        modules = [f"import {getattr(module, name).__name__}" + (" as np" if name == "np" else "") for name in used
                   if inspect.ismodule(getattr(module, name))]
        names = ", ".join(name for name in used if not inspect.ismodule(getattr(module, name)))
        return SCRIPT.format(
            script=name, names=", ".join(map(os.path.basename, files)), picture=self.picture.name, first=files[0],
            package=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), files=pprint.pformat(files),
            imports="\n".join([*modules, f"from {module.__name__} import {names}"]),
            options=pprint.pformat({"picture": self.picture.name, **self.request.given}),
            look=source.replace(f"def {look.__name__}(", "def draw(", 1), figure=pathlib.Path(files[0]).stem + ".svg")

    def offers(self):
        """The other pictures that fit: "conservation, paths"."""
        return ", ".join(p.name for p in fitting(self.sources) if p is not self.picture)


def plot(files, output=None, **options):
    """A figure of matplotlib: plot("run.h5", picture="paths", width=84). Options are those of `casimir plot`; output: a file."""
    drawing = Drawing([files] if not isinstance(files, (list, tuple)) else files, Request(**options))
    return drawing.save(output) if output else drawing.figure()
