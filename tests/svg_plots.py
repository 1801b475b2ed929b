"""What gnuplot has plotted in an SVG: for each plot its panel, its number there, pieces and vertices of its lines, marks,
images, areas, its upper and lower end and its colour; with --images rows, columns and the mean of red minus blue by quarters for each image;
with --overlaps texts that run into each other, into the frame of a panel, or out of the figure."""

import base64
import re
import struct
import sys
import xml.etree.ElementTree as tree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


def heights(group):
    """Vertical coordinates of lines and areas."""
    for path in group.iter(SVG + "path"):
        yield from (float(y) for y in re.findall(r"[ML]-?[\d.]+,(-?[\d.]+)", path.get("d", "")))
    for area in group.iter(SVG + "polygon"):
        yield from (float(y) for y in re.findall(r"-?[\d.]+,(-?[\d.]+)", area.get("points", "")))


def show_plots(root):
    for group in root.iter(SVG + "g"):
        found = re.fullmatch(r"gnuplot_plot_(\d+)([a-z]*)", group.get("id", ""))
        if not found:
            continue
        pieces = vertices = 0
        colour = "-"
        for path in group.iter(SVG + "path"):
            pieces += path.get("d", "").count("M")
            vertices += len(re.findall("[ML]", path.get("d", "")))
            colour = path.get("stroke", colour).replace(" ", "")
        marks = sum(1 for _ in group.iter(SVG + "use"))
        images = sum(1 for _ in group.iter(SVG + "image"))
        areas = sum(1 for _ in group.iter(SVG + "polygon"))
        ends = sorted(heights(group)) or [0]
        print(found[2] or "-", found[1], pieces, vertices, marks, images, areas, ends[0], ends[-1], colour)


def unfilter(kind, line, above, size):
    for i in range(len(line)):
        a = line[i - size] if i >= size else 0
        b = above[i]
        c = above[i - size] if i >= size else 0
        nearest = min((a, b, c), key=lambda x: abs(a + b - c - x))
        line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256


def pixels(png, part=1):
    """Rows of (red, green, blue[, alpha]) of the upper part of a figure, from the top."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            columns, rows, depth, colours = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colours in (2, 6)
            size = 3 if colours == 2 else 4
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    data = zlib.decompress(data)
    above = bytes(columns * size)
    out = []
    for row in range(round(rows * part)):
        start = row * (columns * size + 1)
        line = bytearray(data[start + 1 : start + 1 + columns * size])
        unfilter(data[start], line, above, size)
        out.append([tuple(line[i : i + size]) for i in range(0, len(line), size)])
        above = line
    return out


def mean(block):
    values = [p[0] - p[2] for row in block for p in row]
    return round(sum(values) / len(values))


def show_images(root):
    """North-west, north-east, south-west, south-east."""
    for image in root.iter(SVG + "image"):
        rows = pixels(base64.b64decode(image.get(HREF).split(",", 1)[1]))
        y, x = len(rows) // 2, len(rows[0]) // 2
        north, south = rows[:y], rows[y:]
        quarters = [[r[:x] for r in north], [r[x:] for r in north], [r[:x] for r in south], [r[x:] for r in south]]
        print(len(rows), len(rows[0]), *map(mean, quarters))


def width(character):
    """Of Helvetica, about, in units of its size."""
    for characters, share in ("ijl.,:;'|![]()-t/fr ", 0.29), ("mwMW%", 0.85):
        if character in characters:
            return share
    return 0.68 if character.isupper() else 0.54


def texts(root):
    """Of every text its words and its box: left, upper, right and lower end."""
    for group in root.iter(SVG + "g"):
        at = re.fullmatch(r"translate\(([-\d.]+),([-\d.]+)\)( rotate\(([-\d.]+)\))?", group.get("transform", ""))
        text = group.find(SVG + "text")
        if not at or text is None:
            continue
        size = float(group.get("font-size", 13))
        across = up = highest = 0
        for span in text.iter(SVG + "tspan"):
            own = float(span.get("font-size", size))
            up -= float(span.get("dy", "0").replace("px", ""))
            across += own * sum(map(width, span.text or ""))
            if (span.text or "").strip():
                highest = max(highest, up + 0.7 * own)
        words = "".join(text.itertext()).strip()
        if not words:
            continue
        x, y = float(at[1]), float(at[2])
        first = -across * {"start": 0, "middle": 0.5, "end": 1}[group.get("text-anchor", "start")]
        if at[4] and float(at[4]) != 0:  # upward
            yield words, (x - highest, y - first - across, x, y - first)
        else:
            yield words, (x + first, y - highest, x + first + across, y)


def frames(root):
    """Boxes that are drawn around panels."""
    for path in root.iter(SVG + "path"):
        points = re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path.get("d", ""))
        if "Z" in path.get("d", "") and len(points) == 5 and path.get("stroke", "").replace(" ", "") == "rgb(51,51,51)":
            x, y = zip(*((float(a), float(b)) for a, b in points))
            yield min(x), min(y), max(x), max(y)


def meet(a, b, least=1.0):
    """Whether boxes share more than `least` in both directions."""
    return min(a[2], b[2]) - max(a[0], b[0]) > least and min(a[3], b[3]) - max(a[1], b[1]) > least


def show_overlaps(root):
    found = list(texts(root))
    *_, across, down = map(float, root.get("viewBox").split())
    for i, (one, a) in enumerate(found):
        for other, b in found[:i]:
            if meet(a, b):
                print(f"'{other}' and '{one}'")
        if min(a[0], a[1]) < -1 or a[2] > across + 1 or a[3] > down + 1:
            print(f"'{one}' and the edge of the figure")
        for left, upper, right, lower in frames(root):
            sides = (left, upper, right, upper), (left, lower, right, lower), (left, upper, left, lower), (right, upper, right, lower)
            for x, y, to_x, to_y in sides:
                if meet(a, (x - 1, y - 1, to_x + 1, to_y + 1)):
                    print(f"'{one}' and a frame")


root = tree.parse(sys.argv[-1]).getroot()
if "--overlaps" in sys.argv:
    show_overlaps(root)
else:
    show_images(root) if "--images" in sys.argv else show_plots(root)
