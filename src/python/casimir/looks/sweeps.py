"""Numbers of several runs against the key that differs."""

import numpy as np

from .kit import GREY, Panels, colour, curves, entry, interval, limits, plain, room, tint


def _panels(data, figure, request, names, across, share, share_up):
    """Panels with linear axes, the blocks of each, and the room beside these columns across."""
    for p, axes in enumerate(Panels(figure, request, data["number_of_panels"]), 1):
        blocks = data.numbered(f"panel_{p}", data["series"])
        low, high = limits(*(rows[:, c] for rows in blocks for c in across))
        beside = share * (high - low) if high > low else 1
        up = room(*limits(*(rows[:, 1:4] for rows in blocks)), share_up)
        axes.set(xlim=(low - beside, high + beside), ylim=up, xlabel=plain(data["parameter"]), ylabel=plain(names[p - 1]))
        yield axes, blocks, beside


def _curves(axes, blocks, width, ends, **more):
    """Curves moved sideways, so that bars stand beside each other."""
    moved = [(i - 0.5 * (len(blocks) - 1)) * width for i in range(len(blocks))]
    curves(axes, [np.column_stack([rows[:, 0] + by, rows[:, 1:]]) for rows, by in zip(blocks, moved)], ends, **more)


def _legend(figure, names, bars):
    handles = [entry(plain(name), i, line=False) for i, name in enumerate(names)]
    figure.panels.legend(handles * (len(names) > 1) + [entry(bars, color=GREY)])


def parameter(data, figure, request):
    for axes, blocks, beside in _panels(data, figure, request, data["quantity"], (0,), 0.06, 0.08):
        below, above = axes.get_ylim()
        _curves(axes, blocks, 0.16 * beside, lambda rows: (np.nan_to_num(rows[:, 2], nan=below, neginf=below),
                                                           np.nan_to_num(rows[:, 3], nan=above, posinf=above)), line=0.7)
    _legend(figure, data["label"], "bars: 95 % intervals, or two standard errors")


def sensitivity(data, figure, request):
    when = f" at t = {data['when'][0]:g}" if data["series"] == 1 else ""
    names = [f"derivative of E {name}{when}" for name in data["name"]]
    for axes, blocks, beside in _panels(data, figure, request, names, (4, 5), 0.04, 0.05):
        for i, r in enumerate(blocks):
            axes.hlines(r[:, 1], r[:, 4], r[:, 5], color=tint(colour(i), 0.5), linewidth=0.7, zorder=1)
        _curves(axes, blocks, 0.25 * beside, interval)
    _legend(figure, [f"t = {t:g}" for t in data["when"]], "bars: 95 % intervals; lines: between which runs")
