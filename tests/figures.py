"""How a figure is laid out: what is wrong where texts run into each other, out of the figure or into a frame, where a legend
lies over data, or where text is not of 6 to 9 points."""

import itertools

from matplotlib.text import Text

FRAME = 1.5  # pixels of 150 dpi that boxes of texts may overlap, as they have margins


def texts_of(figure):
    """Texts that are drawn, and their boxes."""
    unseen = set()  # labels of ticks
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            unseen |= {label for tick in axis.get_major_ticks() + axis.get_minor_ticks() for label in (tick.label1, tick.label2)
                       if not (axes.axison and low - 1e-9 * abs(high) <= tick.get_loc() <= high + 1e-9 * abs(high))}
    drawn = [text for text in figure.findobj(Text) if text not in unseen and text.get_visible() and text.get_text().strip()
             and text.axes is not None or text in figure.texts]
    return [(text, box) for text, box in ((text, text.get_window_extent()) for text in drawn) if box.width > 0]


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
