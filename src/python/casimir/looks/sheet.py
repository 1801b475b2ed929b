"""A figure from its data to its file: style sheets, the function that draws, the title, and formats."""

import base64
import contextlib
import io
import logging
import os
import pathlib
import re
import runpy
import textwrap

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from ..errors import Failed, Refused
from .kit import plain, raised

logging.getLogger("matplotlib").setLevel(logging.ERROR)

SHEET = pathlib.Path(__file__).resolve().parent.parent / "casimir.mplstyle"


def make(drawing, data, draw=None):
    """A figure of matplotlib, drawn by the picture's function, or by another one."""
    request = drawing.request
    with style(request.style):
        figure = Figure(layout="constrained")
        figure.style = request.style  # says how texts are written too
        FigureCanvasAgg(figure)
        (draw or (_own_look(request.template) if request.template else drawing.picture.draw()))(data, figure, request)
        if hasattr(figure, "panels"):
            figure.panels.ranges()
            _name_powers(figure.panels)
        title = raised(drawing.headline()).replace(" +- ", " ± ") if request.title is None else request.title
        if title:
            width, height = figure.get_size_inches()
            lines = textwrap.wrap(plain(title), max(20, int(width / 0.062)), break_long_words=True)
            figure.set_size_inches(width, height + 0.15 * len(lines) + 0.05)
            figure.suptitle("\n".join(lines), fontsize=matplotlib.rcParams["axes.titlesize"])
    return figure


def _name_powers(panels):
    """A common power of ten stands in the label of an axis: above the axis there may be a legend."""
    for axes in panels:
        ticks = axes.yaxis.get_major_formatter()
        if isinstance(ticks, ScalarFormatter):
            ticks.format_ticks(axes.yaxis.get_majorticklocs())
            power = ticks.get_offset()
            axes.yaxis.offsetText.set_visible(False)
            if power:
                label = axes.get_ylabel()
                axes.set_ylabel(label + ("\n(" if len(label) > 26 and "\n" not in label else " (") + power.replace(r"\times", "") + ")")


@contextlib.contextmanager
def style(file=None):
    """The own style sheet, and one of the user's behind it. Afterwards their entries are what they were; others stay, as a notebook's
    backend sets some with its first figure."""
    if file and not pathlib.Path(file).is_file():
        raise Refused(f"--style: {file} cannot be read")
    before = {}
    try:
        for sheet in (SHEET, file) if file else (SHEET,):
            try:
                _check_keys(sheet)
                entries = matplotlib.rc_params_from_file(sheet, use_default_template=False, fail_on_error=True)
            except (ValueError, KeyError, OSError) as reason:
                raise Refused(f"--style: {sheet}: {reason}") from None
            before = {**{key: matplotlib.rcParams[key] for key in entries}, **before}
            matplotlib.rcParams.update(entries)
        yield
    finally:
        matplotlib.rcParams.update(before)


def _check_keys(sheet):
    """matplotlib only warns of keys that it does not know."""
    for n, line in enumerate(pathlib.Path(sheet).read_text(encoding="utf-8").splitlines(), 1):
        key = line.split("#")[0].partition(":")[0].strip()
        if key and key not in matplotlib.rcParams:
            raise ValueError(f"line {n}: matplotlib has no key '{key}'")


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


# ---- formats ----

FORMATS = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "eps": None, "png": None}  # metadata: no time, for equal bytes


def format_of(name):
    """The format that the ending of a file's name says."""
    ending = os.path.splitext(os.path.basename(name))[1].lower()[1:]
    if ending not in FORMATS:
        raise Refused(f"cannot tell the format of the figure '{name}' from its name; it should end in .svg, .pdf, .eps or .png")
    return ending


def save(figure, into, kind=None):
    """Writes a figure into a file in the format of its name, or another one."""
    pathlib.Path(into).write_bytes(_bytes(figure, kind or format_of(str(into))))


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
    """A drawing in half the bytes: hundredths of points, marks whose look stands in their definition alone, images with a
    palette. Texts stay as they are."""
    text = re.sub(r"\s*<metadata>.*?</metadata>|\s*<!-- .*? -->", "", text, flags=re.DOTALL)
    text = re.sub(r'data:image/png;base64,([^"]*)', _with_palette, text)
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
    name, value = attribute[1], attribute[2]
    if name == "transform":
        value = re.sub(r"(?:translate|rotate)\([^)]*\)", lambda m: _rounded(m[0]), value)
        return "" if value.startswith("rotate(-0 ") else f' transform="{value}"'
    value = re.sub(r" *([A-Za-z]) *", r"\1", _rounded(" ".join(value.split())))
    return f' {name}="{value}"'


def _rounded(text):
    return re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text)


def _with_palette(match):
    """A picture of at most 256 colours with a byte for each pixel."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(match[1]))).convert("RGBA"))
    colours, place = np.unique(pixels.reshape(-1, 4).view("u4"), return_inverse=True)
    if len(colours) > 256:
        return match[0]
    table, out = colours.view("u1").reshape(-1, 4), io.BytesIO()
    image = Image.fromarray(place.reshape(pixels.shape[:2]).astype("u1"), "P")
    image.putpalette(table[:, :3].tobytes())
    image.save(out, "png", optimize=True, transparency=table[:, 3].tobytes())
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"
