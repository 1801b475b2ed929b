"""What figures share: panels, axes, marks, legends. No pyplot: it takes as long to load as all the rest."""

import math
import re

import matplotlib
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, ScalarFormatter

from ..data import shown
from ..errors import Refused

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


# ---- texts ----


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


def step_text(h):
    """$2^{-7}$, or the number where it is no power of two."""
    power = math.log2(h)
    return f"$2^{{{round(power)}}}$" if abs(power - round(power)) < 1e-9 else f"{h:g}"


# ---- the figure ----


class Panels(list):
    """Axes in rows, lettered, with room below for a legend that all share: `panels[0]`, `panels.legend(handles)`."""

    def __init__(self, figure, request, n, most=2, ratio=0.8, width=None, lines=0):
        """most: panels beside each other; ratio: of a panel's height to its width; width: mm of the figure if nothing was
        asked for; lines: of the longest legend above a panel."""
        self.figure, self.request = figure, request
        figure.panels = self
        mm = request.width or width or (COLUMN if min(n, most) == 1 else PAGE)
        rows = -(-n // max(1, min(n, most, int(mm // 50))))
        self.columns = -(-n // rows)
        self.inches = mm / 25.4
        self.height = rows * (ratio * (self.inches / self.columns - 0.35) + 0.35 + (0.135 * lines + (0.05 if lines else 0)))
        figure.set_size_inches(self.inches, self.height)
        self.grid = figure.add_gridspec(rows + 1, self.columns, height_ratios=[1] * rows + [0.001])
        for i in range(n):
            self.append(figure.add_subplot(self.grid[i // self.columns, i % self.columns]))
            self[i].set_title(f"({chr(97 + i)})" if n > 1 else "", loc="left", fontweight="bold")
        self.foot = figure.add_subplot(self.grid[rows, :])
        self.foot.set_axis_off()

    def is_lowest(self, i):
        return i + self.columns >= len(self)

    def legend(self, handles):
        """Below all panels, in as many columns as fit."""
        if not handles:
            return
        lengths, n = [len(h.get_label()) for h in handles], len(handles)
        fits = (k for k in range(n, 1, -1) if sum(0.4 + 0.058 * max(part) for part in np.array_split(lengths, k)) <= self.inches)
        columns = next(fits, 1)
        extra = 0.135 * -(-n // columns) + 0.08
        self.grid.set_height_ratios([1] * (self.grid.nrows - 1) + [extra / (self.height / (self.grid.nrows - 1))])
        self.figure.set_size_inches(self.inches, self.height + extra)
        self.foot.legend(handles=handles, loc="center", ncol=columns, borderaxespad=0)

    def finish(self):
        """Sets the ranges that were asked for, of all panels or of each. A common power of ten stands in the label of an axis:
        above the axis there may be a legend."""
        for name in "xy":
            given = getattr(self.request, name + "range") or []
            for i, (axes, ends) in enumerate(zip(self, given * len(self) if len(given) == 1 else given), 1):
                now, is_log = getattr(axes, f"get_{name}lim")(), getattr(axes, f"get_{name}scale")() == "log"
                low, high = (old if math.isnan(new) else new for old, new in zip(now, ends))
                if is_log and not (low > 0 and high > 0):
                    raise Refused(f"--{name}range: found {low:g}:{high:g}, but the axis of panel {i} is logarithmic: both ends must "
                                  "be above 0")
                getattr(axes, f"set_{name}lim")(low, high)
                if is_log and name == "y":
                    decades(axes, low, high)
        for axes in self:
            ticks, label = axes.yaxis.get_major_formatter(), axes.get_ylabel()
            if isinstance(ticks, ScalarFormatter):
                ticks.format_ticks(axes.yaxis.get_majorticklocs())
                axes.yaxis.offsetText.set_visible(False)
                before, power = "\n(" if len(label) > 26 and "\n" not in label else " (", ticks.get_offset().replace(r"\times", "")
                axes.set_ylabel(f"{label}{before}{power})" if power else label)


def legend_above(axes, handles=None, columns=1):
    """Above a panel, where no data are."""
    handles = handles if handles is not None else axes.get_legend_handles_labels()[0]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncol=columns, borderaxespad=0.2)
    # the letter stands beside the legend, at the axis
    axes.annotate(axes.get_title(loc="left"), (0, 1), xycoords="axes fraction", xytext=(-4, 8), textcoords="offset points", ha="right",
                  fontweight="bold")
    axes.set_title("", loc="left")


# ---- axes ----


def limits(*columns):
    """The least and the greatest finite number of arrays; (nan, nan)."""
    values = np.concatenate([np.ravel(c) for c in columns]) if columns else np.zeros(0)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (math.nan, math.nan)


def positive(*columns):
    return limits(*(np.where(np.asarray(c) > 0, c, np.nan) for c in columns))


def room(low, high, share=0.05):
    """With some room, also around a number that does not change."""
    if not math.isfinite(low):
        return 0.0, 1.0
    most = max(abs(low), abs(high))
    margin = share * (high - low) if high - low > 1e-6 * most else max(0.05 * most, 1e-3)
    return low - margin, high + margin


STEP = "step size h [time unit]"


def step_axis(axes, fine, coarse, across=STEP):
    """Step sizes in powers of two, with room for labels of slopes."""
    axes.steps = fine, coarse
    margin = max(1.4, (coarse / fine) ** 0.16) if coarse > fine else 1.6
    axes.set_xscale("log", base=2)
    axes.set(xlim=(fine / margin, coarse * margin), xlabel=across)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda h, _: step_text(h))


def against_steps(axes, fine, coarse, low, high, text, unit="", across=STEP):
    """Both axes logarithmic: step sizes across, and a quantity upwards."""
    step_axis(axes, fine, coarse, across)
    decades(axes, low, high)
    label_y(axes, text, unit)


def decades(axes, low, high, axis="y"):
    """A logarithmic axis: powers of ten where it holds two of them, otherwise also their multiples."""
    if not (math.isfinite(low) and low > 0 and high > low):
        low, high = (low / 3, low * 3) if math.isfinite(low) and low > 0 else (1e-3, 1.0)
    of = getattr(axes, axis + "axis")
    getattr(axes, f"set_{axis}scale")("log")
    getattr(axes, f"set_{axis}lim")(low, high)
    whole = math.floor(math.log10(high) + 1e-9) - math.ceil(math.log10(low) - 1e-9)
    if whole >= 1:
        of.set_major_locator(LogLocator(10, numticks=7))
        of.set_minor_locator(LogLocator(10, subs=range(2, 10), numticks=100))
        of.set_minor_formatter(NullFormatter())
        return
    for multiples in ((1, 2, 5), (1, 2, 3, 5, 7), (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)):
        ticks = [(m, k) for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in multiples
                 if low <= m * 10.0**k <= high]
        if len(ticks) > 2:
            break
    of.set_ticks([m * 10.0**k for m, k in ticks], [f"$10^{{{k}}}$" if m == 1 else f"${m:g}{{\\cdot}}10^{{{k}}}$" for m, k in ticks])
    of.set_minor_locator(NullLocator())


def time_axis(axes, first, last):
    axes.set(xlim=(first, last) if last > first else (first - 1, last + 1), xlabel="time t [time unit]")


def note(axes, text, at, beside, **more):
    """Small grey text some points beside a place."""
    axes.annotate(text, at, xytext=beside, textcoords="offset points", color="#606060", fontsize=7, **more)


def slope(axes, order, y, beside="below"):
    """A line of this slope from y at the coarsest step, with its name below or above its middle, or before its fine end."""
    (low, high), (fine, coarse) = axes.get_ylim(), axes.steps
    if not math.isfinite(y):
        return
    x = max(fine, coarse * (low / y) ** (1 / order))
    if not (x < coarse and y < high):
        return
    axes.plot([x, coarse], [y * (x / coarse) ** order, y], zorder=1, **SLOPE)
    middle = math.sqrt(x * coarse)
    at, moved, ha, va = {"below": (middle, (4, -4), "left", "top"), "above": (middle, (-4, 4), "right", "bottom"),
                         "before": (x, (-3, 0), "right", "center")}[beside]
    note(axes, "1/2" if order == 0.5 else f"{order:g}", (at, y * (at / coarse) ** order), moved, ha=ha, va=va)


def beside_all(axes, order, blocks, columns=(1,), above=False):
    """Where a line of this slope begins at the coarsest step that is below all points of these columns, or above."""
    coarse, (low, high) = axes.steps[1], axes.get_ylim()
    ends = positive(*(rows[:, c] * (coarse / rows[:, 0]) ** order for rows in blocks for c in columns))
    apart = max(1.7, (high / low) ** 0.06)
    return ends[1] * apart if above else ends[0] / apart


def slopes_below(axes, wanted, blocks, columns=(1,), joint=False):
    """Lines of these slopes below all data, with `joint` from one point."""
    starts = [beside_all(axes, order, blocks, columns) for order in wanted]
    for order, y in zip(wanted, starts):
        slope(axes, order, min(starts) if joint else y, "below" if order == wanted[-1] else "before")


# ---- marks ----


def bars(axes, x, low, high, of, across=False):
    """Intervals; on a logarithmic axis they end at its lower end."""
    axis, draw = (axes.xaxis, axes.hlines) if across else (axes.yaxis, axes.vlines)
    edge = axis.get_view_interval()[0] if axis.get_scale() == "log" else -math.inf
    ends = np.array([x, np.maximum(low, edge), high])
    draw(*ends[:, np.isfinite(ends).all(axis=0)], color=of, linewidth=0.9, zorder=2)


def marks(axes, x, y, i, filled=None, size=None):
    """Marks of curve i, hollow where `filled` is not."""
    filled = np.ones(len(x), bool) if filled is None else np.asarray(filled) == 1
    for part, face in ((filled, colour(i)), (~filled, "white")):
        axes.plot(np.asarray(x)[part], np.asarray(y)[part], mark(i), color=colour(i), markerfacecolor=face, markersize=size,
                  zorder=3)


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
        marks(axes, at, y, i, filled(rows) if callable(filled) else None if filled is None else rows[:, filled], size)


def entry(label, i=None, line=True, hollow=False, **look):
    """An entry of a legend."""
    if i is not None:
        look = {"color": colour(i), "marker": mark(i), "markerfacecolor": "white" if hollow else colour(i), **look}
    return Line2D([], [], label=label, linestyle=look.pop("linestyle", "-" if line else "none"), **look)


def area(label, of):
    return Patch(facecolor=of, edgecolor="none", label=label)
