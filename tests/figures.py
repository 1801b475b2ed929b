"""How a figure is laid out: what is wrong where texts run into each other, out of the figure or into a frame, where a legend
lies over data, or where text is not of 6 to 9 points."""

import itertools

from matplotlib.text import Text

FRAME = 1.5  # pixels of 150 dpi that boxes of texts may overlap, as they have margins


def texts_of(figure):
    """Texts that are drawn, and their boxes."""
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text.axes is not None or text in figure.texts:
            box = text.get_window_extent()
            if box.width > 0 and all(parent_is_seen(text)):
                found.append((text, box))
    return found


def parent_is_seen(text):
    axes = text.axes
    if axes is None:
        return
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        for tick in axis.get_major_ticks() + axis.get_minor_ticks():
            if text in (tick.label1, tick.label2):
                at = tick.get_loc()
                yield axes.axison and min(low, high) - 1e-9 * abs(high) <= at <= max(low, high) + 1e-9 * abs(high) and \
                    (tick.label1 if text is tick.label1 else tick.label2).get_visible()


def inside(a, b):
    """How far two boxes overlap."""
    return min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0))


def check(figure):
    wrong = []
    texts = texts_of(figure)
    for (a, box), (b, other) in itertools.combinations(texts, 2):
        if a.get_text() != b.get_text() and inside(box, other) > FRAME and a.get_rotation() == b.get_rotation():
            wrong.append(f"'{a.get_text()}' runs into '{b.get_text()}'")
    for text, box in texts:
        if inside(box, figure.bbox) < min(box.width, box.height) - FRAME:
            wrong.append(f"'{text.get_text()}' leaves the figure")
        if not 6 <= text.get_fontsize() <= 9:
            wrong.append(f"'{text.get_text()}' has {text.get_fontsize()} points")
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None and axes.axison and inside(legend.get_window_extent(), axes.get_window_extent()) > FRAME:
            wrong.append(f"a legend over the data of '{axes.get_ylabel()}'")
    return wrong
