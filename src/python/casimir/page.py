"""A results file as one page of HTML that needs nothing else. All that the file says is text of the page, never markup."""

import html
import pathlib
import re
import string

from . import __version__
from .data import shown
from .drawing import Drawing
from .engine import says
from .errors import Refused
from .pictures import fitting
from .request import Request
from .source import Source

# of the table of provenance: heading and attribute
ROWS = [("study", "study"), ("system", "system"), ("integrator", "integrator"),
        ("integrator of the reference", "reference_integrator"), ("generator", "generator"), ("seed", "seed"), ("paths", "paths"),
        ("ranks", "ranks"), ("kernels", "kernels"), ("BLAS", "blas"), ("started", "started"), ("casimir", "casimir_version"),
        ("commit", "commit"), ("hash of initial states", "initial_hash"), ("hash of the noise", "noise_hash")]


def _text(value):
    return "\n".join(html.escape(shown(line)) for line in str(value).split("\n"))


def _verdicts(report):
    """Lines behind "=>", and lines behind them that are indented further; the title is the first line of the block that each stands in."""
    found = [f'<div class="verdict"><b>{_text(block.splitlines()[0])}</b><br>{_text(verdict)}</div>\n'
             for block in re.split("\n\n+", report)
             for verdict in re.findall(r"^  =>(.*(?:\n     .*)*)", block, re.MULTILINE)]
    return "<h2>Verdicts</h2>\n" + "".join(found) if found else ""


def _figures(of):
    """Every picture of one results file, or why there is none."""
    from .looks.sheet import svg

    parts = []
    for name in (p.name for p in fitting([of])):
        try:
            figure = svg(Drawing([of.file], Request(picture=name, title="", remark=lambda text: None)).figure())
            # Names of parts may be the same in several figures; in the page each figure has its own.
            figure = re.sub(r"""(\bid="|href="#|url\(#)""", rf"\g<1>{name}-", figure)
            parts.append(f"<figure>\n{figure}<figcaption>{name}</figcaption>\n</figure>\n")
        except Refused as reason:
            parts.append(f"<p>No figure <code>{name}</code>: {_text(reason)}</p>\n")
    return "<h2>Figures</h2>\n" + "".join(parts) if parts else ""


def write(file):
    of = Source(file)
    report = says("report", "--long", "--", file).decode("utf-8", "replace")
    rows = [("file", file), *((name, of.attributes.get(key)) for name, key in ROWS)]
    if "elapsed_seconds" in of.attributes:
        rows.append(("took", f"{of.attributes['elapsed_seconds']:.4g} s"))
    _, _, tables = report.partition("\n\n")
    return string.Template(pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8")).substitute(
        version=__version__, title=f"{_text(of.study or '?')} of {_text(of.system or '?')}",
        headline=f'<p class="verdict"><b>{_text(of.headline())}</b></p>\n' if of.headline() else "", verdicts=_verdicts(report),
        figures=_figures(of), tables=f"<h2>Tables and health</h2>\n<pre>{_text(tables)}</pre>\n" if tables else "",
        provenance="".join(f"<tr><th>{name}</th><td>{_text(value)}</td></tr>\n" for name, value in rows if value not in (None, "")),
        casimir=_text(of.casimir_version or "?"), commit=_text(of.commit or "?"), configuration=_text(of.configuration),
        alone=f" --only-path {of.first_path}" if of.alone else "")
