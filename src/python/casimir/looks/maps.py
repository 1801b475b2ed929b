"""Maps with one colour scale, flat or as discs. Scales are symmetric in lightness, or go from light to dark."""

import numpy as np

from .kit import COLUMN, PAGE, Panels, plain, units, words
from .motion import Ball

MISSING = "#c0c0c0"


def _scale(name):
    from matplotlib import colormaps

    scale = colormaps[name].copy()
    scale.set_bad(MISSING)
    return scale


def image(axes, data, name, most, scale="RdBu_r", low=None):
    """The pixels of a block; grey shows where there is no number."""
    rows = data.block(name).rows
    extent = [data[key] for key in ("west", "east", "south", "north")]
    drawn = axes.imshow(np.ma.masked_invalid(rows), extent=extent, origin="lower", aspect="auto", cmap=_scale(scale),
                        vmin=-most if low is None else low, vmax=most, interpolation="nearest", zorder=0)
    if data.values.get("orthographic"):
        from matplotlib.patches import Circle

        rim = Circle((0, 0), 1, facecolor="none", edgecolor="#606060", linewidth=0.6, zorder=5)
        axes.add_patch(rim)
        drawn.set_clip_path(rim)
        ball = Ball(axes, data["azimuth"], data["elevation"], names=False)
        del ball
        axes.set_xlim(-1.02, 1.02)
        axes.set_ylim(-1.02, 1.02)
    return drawn


def _axes(panels, i, data):
    axes = panels[i]
    if data["orthographic"]:
        return
    axes.tick_params(direction="out", top=False, right=False)
    left, lowest = i % panels.columns == 0, panels.is_lowest(i)
    _ticks(axes, data["torus"], lowest, left)
    axes.set_xlabel(("$x_1$" if data["torus"] else "longitude") if lowest else "")
    axes.set_ylabel(("$x_2$" if data["torus"] else "latitude") if left else "")


def _ticks(axes, torus, across=True, up=True):
    for axis, named, every in ((axes.xaxis, across, 90), (axes.yaxis, up, 45)):
        low, high = axis.get_view_interval()
        if torus:
            at, names = np.pi * np.array([0, 1, 2]), ["0", "π", "2π"]
            keep = (at >= low - 1e-6) & (at <= high + 1e-6)
            at, names = at[keep], [n for n, k in zip(names, keep) if k]
        else:
            at = np.arange(np.ceil(low / every) * every, high + 1e-6, every)
            names = [f"{t:g}°" for t in at]
        axis.set_ticks(at, names if named else [""] * len(at))


def _letters_off(panels):
    for axes in panels:
        axes.set_title("", loc="left")


def vorticity(data, figure, request):
    n = data["panels"]
    square = data["torus"] or data["orthographic"]
    panels = Panels(figure, request, n, most=4 if square or n > 4 else 2, ratio=1.0 if square else 0.5, width=COLUMN if n == 1 else PAGE)
    _letters_off(panels)
    for i, axes in enumerate(panels):
        drawn = image(axes, data, f"map_{i + 1}", data["greatest"])
        _axes(panels, i, data)
        if square:
            axes.set_aspect("equal")
        axes.set_title(plain(data["label"][i]), fontsize=7)
    bar = figure.colorbar(drawn, ax=panels.axes, pad=0.01, aspect=30, shrink=0.9)
    bar.set_label(words(data["quantity"]) + units(data["units"]))
    bar.outline.set_linewidth(0.5)


def ensemble_maps(data, figure, request):
    n, square = data["snapshots"], data["torus"] or data["orthographic"]
    panels = Panels(figure, request, 2 * n, ratio=1.0 if square else 0.5, width=PAGE if not square else 120)
    _letters_off(panels)
    last = {}
    for i, axes in enumerate(panels):
        name = ("mean", "variance")[i % 2]
        look = {} if name == "mean" else {"scale": "OrRd", "low": 0}
        last[name] = image(axes, data, f"{name}_{i // 2 + 1}", data[f"greatest_{name}"], **look)
        _axes(panels, i, data)
        if square:
            axes.set_aspect("equal")
        axes.set_title(f"{name}, t = {data['when'][i // 2]:g}", fontsize=7)
    for k, name in enumerate(("mean", "variance")):
        bar = figure.colorbar(last[name], ax=panels.axes[k::2] if panels.columns > 1 else panels.axes, location="bottom", pad=0.02, aspect=30,
                              shrink=0.9)
        bar.set_label(name + units(data[f"{name}_units"]))
        bar.outline.set_linewidth(0.5)


def hovmoeller(data, figure, request):
    panels = Panels(figure, request, 1, ratio=0.8)
    axes = panels[0]
    drawn = image(axes, data, "strip_1", data["greatest"])
    axes.tick_params(direction="out", top=False, right=False)
    _ticks(axes, data["torus"], True, True)
    from matplotlib.ticker import AutoLocator, ScalarFormatter

    axes.yaxis.set_major_locator(AutoLocator())
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("$x_1$" if data["torus"] else "longitude")
    axes.set_ylabel("time t [time unit]")
    axes.set_title(f"$x_2$ = {data['at']:.3g}" if data["torus"] else f"latitude {data['at']:.3g}°", fontsize=7)
    bar = figure.colorbar(drawn, ax=axes, pad=0.02)
    bar.set_label(words(data["quantity"]) + units(data["units"]))
    bar.outline.set_linewidth(0.5)
