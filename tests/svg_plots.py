"""What gnuplot has plotted in an SVG: for each plot its panel, its number there, pieces and vertices of its lines, marks,
images, areas, its upper and lower end and its colour; with --images rows, columns and the mean of red minus blue by quarters for each image."""

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


def pixels(png):
    """Rows from the top of (red, green, blue[, alpha])."""
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
    for row in range(rows):
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


root = tree.parse(sys.argv[-1]).getroot()
show_images(root) if "--images" in sys.argv else show_plots(root)
