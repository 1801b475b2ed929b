"""A figure from its data to its file: style sheets, the function that draws, the title, and formats."""

import contextlib
import io
import logging
import os
import pathlib
import re
import runpy
import textwrap

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..errors import Failed, Refused
from .kit import plain, raised

logging.getLogger("matplotlib").setLevel(logging.ERROR)

SHEET = pathlib.Path(__file__).resolve().parent.parent / "casimir.mplstyle"
FORMATS = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "eps": None, "png": None}  # metadata: no time, for equal bytes


def make(drawing, draw=None):
    """A figure of matplotlib, drawn by the picture's function, or by another one."""
    request, data = drawing.request, drawing.data()
    with style(request.style):
        figure = Figure(layout="constrained")
        figure.style = request.style  # says how texts are written too
        FigureCanvasAgg(figure)
        (draw or (_own_look(request.template) if request.template else drawing.picture.draw()))(data, figure, request)
        if hasattr(figure, "panels"):
            figure.panels.finish()
        title = request.title
        if title is None and len(drawing.sources) == 1:  # what the file concludes
            title = raised(drawing.sources[0].headline()).replace(" +- ", " ± ")
        if title:
            width, height = figure.get_size_inches()
            lines = textwrap.wrap(plain(title), max(20, int(width / 0.062)), break_long_words=True)
            figure.set_size_inches(width, height + 0.15 * len(lines) + 0.05)
            figure.suptitle("\n".join(lines), fontsize=matplotlib.rcParams["axes.titlesize"])
    return figure


@contextlib.contextmanager
def style(file=None):
    """The own style sheet, and one of the user's behind it. Afterwards their entries are what they were; others stay, as a notebook's
    backend sets some with its first figure."""
    if file and not pathlib.Path(file).is_file():
        raise Refused(f"--style: {file} cannot be read")
    entries = {}
    for sheet in filter(None, (SHEET, file)):
        try:
            for n, line in enumerate(pathlib.Path(sheet).read_text(encoding="utf-8").splitlines(), 1):
                key = line.split("#")[0].partition(":")[0].strip()
                if key and key not in matplotlib.rcParams:  # of which matplotlib only warns
                    raise ValueError(f"line {n}: matplotlib has no key '{key}'")
            entries.update(matplotlib.rc_params_from_file(sheet, use_default_template=False, fail_on_error=True))
        except (ValueError, KeyError, OSError) as reason:
            raise Refused(f"--style: {sheet}: {reason}") from None
    before = {key: matplotlib.rcParams[key] for key in entries}
    try:
        matplotlib.rcParams.update(entries)
        yield
    finally:
        matplotlib.rcParams.update(before)


@contextlib.contextmanager
def _of_template(name):
    try:
        yield
    except Refused:
        raise
    except Exception as reason:
        raise Refused(f"the template {name}: {type(reason).__name__}: {reason}") from None


def _own_look(name):
    """The function draw() of a file of the user's."""
    if not pathlib.Path(name).is_file():
        raise Refused(f"the template {name} cannot be read")
    with _of_template(name):
        own = runpy.run_path(name, run_name="template").get("draw")
    if not callable(own):
        raise Refused(f"the template {name} has no function draw(data, figure, request)")
    return _of_template(name)(own)


def format_of(name):
    """The format that the ending of a file's name says."""
    ending = os.path.splitext(os.path.basename(name))[1].lower()[1:]
    if ending not in FORMATS:
        raise Refused(f"cannot tell the format of the figure '{name}' from its name; it should end in .svg, .pdf, .eps or .png")
    return ending


def save(figure, into, kind=None):
    """Writes a figure into a file in the format of its name, or another one; the figure."""
    pathlib.Path(into).write_bytes(_bytes(figure, kind or format_of(str(into))))
    return figure


def svg(figure):
    """A figure as text of a page, without what stands before the element."""
    text = _bytes(figure, "svg").decode()
    return text[text.find("<svg"):]


def _bytes(figure, kind):
    out = io.BytesIO()
    with style(getattr(figure, "style", None)):
        try:
            figure.savefig(out, format=kind, metadata=FORMATS[kind])
        except FileNotFoundError as missing:
            raise Failed(f"a figure as {kind} needs {missing.filename}") from None
    return _compact(out.getvalue().decode()).encode() if kind == "svg" else out.getvalue()


def _compact(text):
    """A drawing in half the bytes: hundredths of points, and marks whose look stands in their definition alone."""
    text = re.sub(r"\s*<metadata>.*?</metadata>|\s*<!-- .*? -->", "", text, flags=re.DOTALL)
    names = {}  # matplotlib makes some of addresses in memory
    text = re.sub(r'(\bid="|href="#|url\(#)([a-z])([0-9a-f]{10})(?=["\)])',
                  lambda m: m[1] + names.setdefault(m[3], f"{m[2]}{len(names)}"), text)
    looks = {}
    for mark, look in re.findall(r'<use xlink:href="#(\w+)"[^>]* style="([^"]*)"/>', text):
        looks.setdefault(mark, set()).add(look)
    only = {mark: look for mark, (look, *others) in looks.items() if not others}
    text = re.sub(r'<path id="(\w+)" (d="[^"]*")[^>]*/>',
                  lambda m: f'<path id="{m[1]}" {m[2]} style="{only[m[1]]}"/>' if m[1] in only else m[0], text)
    text = re.sub(r'(<use xlink:href="#(\w+)"[^>]*) style="[^"]*"/>', lambda m: m[1] + "/>" if m[2] in only else m[0], text)
    text = re.sub(r"<[^>]*>", lambda tag: re.sub(r' (d|x|y|transform)="([^"]*)"', _short, tag[0]), text)
    return re.sub(r">\s+<", ">\n<", text)


def _short(attribute):
    name, value = attribute[1], re.sub(r"(scale|matrix)\([^)]*\)|-?\d+\.\d{3,}", lambda m: m[0] if m[1] else
                                       f"{float(m[0]):.2f}".rstrip("0").rstrip("."), attribute[2])
    if name != "transform":
        value = re.sub(r" *([A-Za-z]) *", r"\1", " ".join(value.split()))
    return "" if value.startswith("rotate(-0 ") else f' {name}="{value}"'
