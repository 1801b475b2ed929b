"""What figures share: panels, axes, marks, legends. No pyplot: it takes as long to load as all the rest."""

import math
import re

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogFormatterSciNotation, NullLocator, ScalarFormatter
from matplotlib.transforms import blended_transform_factory

from ..data import shown
from ..errors import Refused
from ..pictures.common import step_text

COLUMN, PAGE = 84, 174  # mm, of journals
# Okabe and Ito's, which the colour-blind tell apart, black last; marks tell curves apart in grey
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
MARKS = "os^Dv"
GREY, DARK, PALE = "#808080", "#404040", "#f0f0f0"
SLOPE = {"color": GREY, "linestyle": (0, (7, 4)), "linewidth": 0.8}


def colour(i):
    return COLOURS[i % len(COLOURS)]


def mark(i):
    return MARKS[i % len(MARKS)]


def tint(of, share):
    """A colour mixed with white: `share` of it is left."""
    return tuple(1 - share * (1 - c) for c in matplotlib.colors.to_rgb(of))


def plain(text):
    """Text that stays text: control characters as escapes, and no mathematics of matplotlib."""
    text = shown(text or "")
    return text.replace("\\", r"\\").replace("$", r"\$") if "$" in text else text


def raised(text):
    """With whole powers such as ^-1 written as ⁻¹."""
    superscripts = str.maketrans("-+0123456789", "⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹")
    return re.sub(r"\^([-+]?[0-9]+)(?![0-9./])", lambda m: m[1].translate(superscripts), text)


def words(name):
    return plain((name or "").replace("_", " "))


def units(text):
    """" [inertia unit time unit⁻¹]", empty where there are none."""
    if not text or text == "1":
        return ""
    return f" [{plain(raised(text).replace(' ', ' · ').replace('_', ' '))}]"


def label_y(axes, text, unit=""):
    """Units in a line of their own where both are long."""
    of = units(unit)
    axes.set_ylabel(text + ("\n" + of.strip() if of and len(text) + len(of) > 26 else of))


def order_text(value, low, high, symbol="order"):
    """"order 0.52 [0.14, 0.63]", or what an interval says that lacks an end."""
    if all(map(math.isfinite, (value, low, high))):
        digits = 3 if high - low < 0.02 else 2
        return f"{symbol} {value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
    symbol = symbol.rstrip(" =")
    if math.isfinite(high):
        return f"{symbol} ≤ {high:.2f}"
    return f"{symbol} ≥ {low:.2f}" if math.isfinite(low) else f"{symbol} not resolved"


class Panels(list):
    """Axes in rows, lettered, with room below for a legend that all share: `panels[0]`, `panels.legend(handles)`."""

    def __init__(self, figure, request, n, most=2, ratio=0.8, width=None):
        """most: panels in a row; ratio: of a panel's height to its width; width: mm, if nothing was asked for."""
        self.figure, self.request, self.ratio, self.foot_inches = figure, request, ratio, 0
        figure.panels = self
        mm = request.width or width or (COLUMN if min(n, most) == 1 else PAGE)
        self.rows = -(-n // max(1, min(n, most, int(mm // 50))))
        self.columns, self.inches = -(-n // self.rows), mm / 25.4
        self.grid = figure.add_gridspec(self.rows + 1, self.columns, height_ratios=[1] * self.rows + [0.001])
        for i in range(n):
            self.append(figure.add_subplot(self.grid[i // self.columns, i % self.columns]))
            self[i].set_title(f"({chr(97 + i)})" if n > 1 else "", loc="left", fontweight="bold")
        self.foot = figure.add_subplot(self.grid[self.rows, :])
        self.foot.set_axis_off()

    def is_lowest(self, i):
        return i + self.columns >= len(self)

    def legend(self, handles):
        """Below all panels, in as many columns as fit. Entries that are false are left out."""
        handles = [*filter(None, handles)]
        if not handles:
            return
        lengths, n = [len(h.get_label()) for h in handles], len(handles)
        columns = next((k for k in range(n, 1, -1)
                        if sum(0.4 + 0.058 * max(part) for part in np.array_split(lengths, k)) <= self.inches), 1)
        self.foot_inches = 0.135 * -(-n // columns) + 0.08
        middle = blended_transform_factory(self.figure.transFigure, self.foot.transAxes)
        self.foot.legend(handles=handles, loc="center", ncol=columns, borderaxespad=0, bbox_to_anchor=(0.5, 0.5), bbox_transform=middle)

    def finish(self):
        """Sets height and ranges. A common power of ten stands in the label: above the axis there may be a legend."""
        lines = max(getattr(axes, "lines_above", 0) for axes in self)
        height = self.ratio * (self.inches / self.columns - 0.35) + 0.35 + 0.135 * lines + 0.05 * (lines > 0)
        self.figure.set_size_inches(self.inches, self.rows * height + self.foot_inches)
        self.grid.set_height_ratios([1] * self.rows + [max(0.001, self.foot_inches / height)])
        for name in "xy":
            given = getattr(self.request, name + "range") or []
            for i, (axes, ends) in enumerate(zip(self, given * len(self) if len(given) == 1 else given), 1):
                was, scale = (getattr(axes, f"get_{name}{what}")() for what in ("lim", "scale"))
                low, high = (old if math.isnan(new) else new for old, new in zip(was, ends))
                if scale == "log" and not (low > 0 and high > 0):
                    raise Refused(f"--{name}range: found {low:g}:{high:g}, but the axis of panel {i} is logarithmic: both ends must "
                                  "be above 0")
                axes.set(**{name + "lim": (low, high)})
        for axes in self:
            low, high = axes.get_ylim()
            if axes.get_autoscaley_on() and high - low < 1e-6 * max(abs(low), abs(high)):  # rounding is not stretched
                axes.set_ylim(sorted((0.95 * low, 1.05 * high)))
            ticks, label = axes.yaxis.get_major_formatter(), axes.get_ylabel()
            if isinstance(ticks, ScalarFormatter):
                ticks.format_ticks(axes.yaxis.get_majorticklocs())
                axes.yaxis.offsetText.set_visible(False)
                before, power = "\n(" if len(label) > 26 and "\n" not in label else " (", ticks.get_offset().replace(r"\times", "")
                axes.set_ylabel(f"{label}{before}{power})" if power else label)


def legend_above(axes, handles=None, columns=1):
    """Above a panel, where no data are. Entries that are false are left out."""
    handles = [*filter(None, handles or axes.get_legend_handles_labels()[0])]
    axes.lines_above = -(-len(handles) // columns)
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncol=columns, borderaxespad=0.2)
    # the letter stands beside the legend, at the axis
    axes.annotate(axes.get_title(loc="left"), (0, 1), xycoords="axes fraction", xytext=(-4, 8), textcoords="offset points", ha="right",
                  fontweight="bold")
    axes.set_title("", loc="left")


def powers(axes, text, unit="", axis="y"):
    """A logarithmic axis: where it holds few powers of ten their multiples have labels too."""
    axes.set(**{axis + "scale": "log"})
    ticks = LogFormatterSciNotation(minor_thresholds=(1.7 if axis == "y" else 1, 0.4))
    getattr(axes, axis + "axis").set_minor_formatter(ticks)
    axes.margins(**{axis: 0.1})
    if axis == "y":
        label_y(axes, text, unit)
    else:
        axes.set_xlabel(text + units(unit))


def against_steps(axes, text, unit="", across="step size h [time unit]"):
    """Step sizes across, in powers of two with room for labels of slopes, and powers of ten upwards."""
    powers(axes, text, unit)
    binary(axes, across, lambda h: raised(step_text(h)), 0.14)


def binary(axes, text, written, margin):
    """Powers of two across."""
    axes.set_xscale("log", base=2)
    axes.margins(x=margin)
    axes.set_xlabel(text)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda x, _: written(x))


def time_axis(axes, margin=0.0):
    axes.margins(x=margin)
    axes.set_xlabel("time t [time unit]")


def note(axes, text, at, beside, **more):
    """Small grey text some points beside a place."""
    axes.annotate(text, at, xytext=beside, textcoords="offset points", color="#606060", fontsize=7, **more)


def slopes(axes, orders, blocks, column=1):
    """Lines of these slopes with their names: the steepest below all data, a flatter one above."""
    rows = np.concatenate([rows[:, [0, column]] for rows in blocks])
    (h, y), (fine, coarse) = rows[rows[:, 1] > 0].T, axes.dataLim.intervalx
    for order in orders if len(h) and fine < coarse else ():
        below, (low, high) = order == orders[-1], axes.get_ylim()
        at_1 = np.min(y / h**order) / 1.6 if below else np.max(y / h**order) * 1.6
        most = at_1 * coarse**order
        low, high = axes.set_ylim(min(low, 0.3 * most) if below else low, max(high, 1.2 * most))
        ends = np.array([max(fine, (low / at_1) ** (1 / order)), coarse])
        axes.plot(ends, at_1 * ends**order, zorder=1, **SLOPE)
        middle = math.sqrt(ends[0] * ends[1])
        note(axes, "1/2" if order == 0.5 else f"{order:g}", (middle, at_1 * middle**order), (4, -4) if below else (-4, 4),
             ha="left" if below else "right", va="top" if below else "bottom")


def bars(axes, x, low, high, of, across=False, width=0.9):
    """Intervals. On a logarithmic axis they may go on below it."""
    ends = np.moveaxis(np.array([[x, low], [x, high]], float)[:, ::-1 if across else 1], 2, 0)
    axes.add_collection(LineCollection(ends, colors=[of], linewidths=width, zorder=2), autolim=False)
    is_log = (axes.get_xscale() if across else axes.get_yscale()) == "log"
    axes.update_datalim(ends[:, int(is_log):].reshape(-1, 2))


def doubled(rows):
    """Ends of bars: the second column less and more the third."""
    return rows[:, 1] - rows[:, 2], rows[:, 1] + rows[:, 2]


def interval(rows):
    """Ends of bars: the third and the fourth column."""
    return rows[:, 2], rows[:, 3]


def curves(axes, blocks, ends=None, filled=None, line=0.0, x=0, first=0, shift=None, size=None):
    """Curves of blocks with y in their second column, a colour and a mark for each. ends: function of a block, of its bars;
    filled: the column that says which marks are solid, or a function of a block; line: the width of lines, 0 for none;
    shift: a factor of x for each, so that bars stand beside each other."""
    for i, rows in enumerate(blocks, first):
        at, y = rows[:, x] * (shift[i] if shift else 1), rows[:, 1]
        if line:
            axes.plot(at, y, color=colour(i), linewidth=line)
        if ends:
            bars(axes, at, *ends(rows), colour(i))
        solid = np.ones(len(y), bool) if filled is None else filled(rows) if callable(filled) else rows[:, filled] == 1
        for part, face in ((solid, colour(i)), (~solid, "white")):
            axes.plot(at[part], y[part], mark(i), color=colour(i), markerfacecolor=face, markersize=size, zorder=3)


def entry(label, i=None, line=True, **look):
    """An entry of a legend."""
    if i is not None:
        look = {"color": colour(i), "marker": mark(i), **look}
    return Line2D([], [], label=label, linestyle=look.pop("linestyle", "-" if line else "none"), **look)


def area(label, of):
    return Patch(facecolor=of, edgecolor="none", label=label)
