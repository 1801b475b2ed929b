"""Numbers of several runs against the key that differs."""

import numpy as np

from .kit import GREY, Panels, colour, curves, entry, interval, limits, plain, room, tint


def _ranges(axes, blocks, across, up, share, share_up):
    """Linear ranges with room around these columns of blocks; the room across."""
    low, high = limits(*(rows[:, c] for rows in blocks for c in across))
    beside = share * (high - low) if high > low else 1
    axes.set_xlim(low - beside, high + beside)
    axes.set_ylim(*room(*limits(*(rows[:, c] for rows in blocks for c in up)), share_up))
    return beside


def _beside(rows, i, n, width):
    """The rows of series i of n, moved sideways so that bars stand beside each other."""
    moved = rows.copy()
    moved[:, 0] += (i - 0.5 * (n - 1)) * width
    return moved


def parameter(data, figure, request):
    n = data["series"]
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"panel_{p}", n)
        beside = _ranges(axes, blocks, (0,), (1, 2, 3), 0.06, 0.08)
        axes.set_xlabel(plain(data["parameter"]))
        axes.set_ylabel(plain(data["quantity"][p - 1]))
        ends = axes.get_ylim()
        curves(axes, [_beside(rows, i, n, 0.16 * beside) for i, rows in enumerate(blocks)], line=0.7,
               ends=lambda rows: [np.where(np.isfinite(rows[:, c]), rows[:, c], ends[c - 2]) for c in (2, 3)])
    bar = entry("bars: 95 % intervals, or two standard errors", color=GREY)
    panels.legend(([entry(plain(name), i, line=False) for i, name in enumerate(data["label"])] if n > 1 else []) + [bar])


def sensitivity(data, figure, request):
    n, when = data["series"], data["when"]
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"panel_{p}", n)
        beside = _ranges(axes, blocks, (4, 5), (1, 2, 3), 0.04, 0.05)
        axes.set_xlabel(plain(data["parameter"]))
        axes.set_ylabel(f"derivative of E {plain(data['name'][p - 1])}" + (f" at t = {when[0]:g}" if n == 1 else ""))
        for i, r in enumerate(blocks):
            axes.hlines(r[:, 1], r[:, 4], r[:, 5], color=tint(colour(i), 0.5), linewidth=0.7, zorder=1)
        curves(axes, [_beside(rows, i, n, 0.25 * beside) for i, rows in enumerate(blocks)], interval)
    panels.legend(([entry(f"t = {t:g}", i, line=False) for i, t in enumerate(when)] if n > 1 else [])
                  + [entry("bars: 95 % intervals; lines: between which runs", color=GREY)])
