"""Numbers of several runs against the key that differs."""

import numpy as np

from .kit import GREY, Panels, bars, colour, curves, entry, interval, plain, tint


def _draw(data, figure, request, names, series, said, across, line=0.0):
    """A panel for each name, with curves moved sideways so that bars stand beside each other; `across` are the columns of what is
    drawn."""
    panels = Panels(figure, request, data["number_of_panels"])
    for p, axes in enumerate(panels, 1):
        blocks = data.numbered(f"panel_{p}", data["series"])
        axes.margins(0.06)
        axes.set(xlabel=plain(data["parameter"]), ylabel=plain(names[p - 1]))
        every = np.concatenate([rows[:, across].ravel() for rows in blocks])
        moved = [(i - 0.5 * (len(blocks) - 1)) * 0.01 * (np.nanmax(every) - np.nanmin(every) or 1) for i in range(len(blocks))]
        curves(axes, [np.column_stack([rows[:, 0] + by, rows[:, 1:]]) for rows, by in zip(blocks, moved)], interval, line=line)
        yield axes, blocks, moved
    handles = [entry(plain(name), i, line=False) for i, name in enumerate(series)]
    panels.legend(handles * (len(series) > 1) + [entry(said, color=GREY)])


def parameter(data, figure, request):
    said = "bars: 95 % intervals, or two standard errors"
    for axes, blocks, moved in _draw(data, figure, request, data["quantity"], data["label"], said, [0], line=0.7):
        below, above = axes.get_ylim()
        axes.set_ylim(below, above)
        for i, (rows, by) in enumerate(zip(blocks, moved)):  # intervals without an end reach the edge
            bars(axes, rows[:, 0] + by, np.nan_to_num(rows[:, 2], nan=below, neginf=below),
                 np.nan_to_num(rows[:, 3], nan=above, posinf=above), colour(i))


def sensitivity(data, figure, request):
    when = f" at t = {data['when'][0]:g}" if data["series"] == 1 else ""
    names, series = [f"derivative of E {name}{when}" for name in data["name"]], [f"t = {t:g}" for t in data["when"]]
    said = "bars: 95 % intervals; lines: between which runs"
    for axes, blocks, _ in _draw(data, figure, request, names, series, said, [4, 5]):
        for i, rows in enumerate(blocks):
            bars(axes, rows[:, 1], rows[:, 4], rows[:, 5], tint(colour(i), 0.5), across=True, width=0.7)
