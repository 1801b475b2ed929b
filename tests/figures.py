"""What a figure consists of, from the package itself: python3 figures.py FILE .. [KEY=VALUE ..]

For each panel a line: letter, scales of both axes, numbers of lines, marks, images, filled areas, and its labels. Fails where
texts run into each other, out of the figure or into a frame, where a legend lies over data, or where text is not of 6 to
9 points."""

import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "src", "python"))
from casimir.command import read  # noqa: E402
from casimir.drawing import Drawing  # noqa: E402
from casimir.request import Request  # noqa: E402

FRAME = 1.5  # pixels of 150 dpi that boxes of texts may overlap, as they have margins


def texts_of(figure):
    """Texts that are drawn, and their boxes."""
    from matplotlib.text import Text

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


def describe(figure):
    for i, axes in enumerate(axes for axes in figure.axes if axes.axison or axes.images or len(axes.lines) > 1):
        marks = sum(len(line.get_xdata()) for line in axes.lines if line.get_marker() not in ("None", "", None))
        lines = sum(line.get_linestyle() != "None" for line in axes.lines)
        hollow = sum(len(line.get_xdata()) for line in axes.lines if line.get_markerfacecolor() == "white"
                     and line.get_marker() not in ("None", "", None))
        print(i + 1, axes.get_xscale(), axes.get_yscale(), f"lines={lines} marks={marks} hollow={hollow} images={len(axes.images)} "
              f"areas={len(axes.collections)} patches={len(axes.patches)}", "|".join([axes.get_xlabel(), axes.get_ylabel().replace("\n", " ")]))


def main():
    files = [a for a in sys.argv[1:] if "=" not in a]
    _, labels, options = read(a for a in sys.argv[1:] if "=" in a)
    drawing = Drawing(files, Request(labels, remark=lambda text: None, **options))
    figure = drawing.figure()
    figure.canvas.draw()
    wrong = check(figure)
    describe(figure)
    width = figure.get_size_inches()[0] * 25.4
    if "width" in options and abs(width - float(options["width"])) > 0.1:
        wrong.append(f"the figure is {width:.1f} mm wide")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
