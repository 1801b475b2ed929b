"""Maps with one colour scale, flat or as discs. Scales are symmetric in lightness, or go from light to dark."""

import numpy as np
from matplotlib import colormaps
from matplotlib.patches import Circle
from matplotlib.ticker import AutoLocator, MultipleLocator, ScalarFormatter

from .kit import COLUMN, PAGE, Panels, plain, units, words
from .motion import Ball


def image(axes, data, name, most, scale="RdBu_r", low=None):
    """The pixels of a block; grey shows where there is no number."""
    extent = [data[key] for key in ("west", "east", "south", "north")]
    colours = colormaps[scale].resampled(250)  # with what is missing and what is transparent, a byte tells them apart
    colours.set_bad("#c0c0c0")
    drawn = axes.imshow(np.ma.masked_invalid(data.block(name).rows), extent=extent, origin="lower", aspect="auto", cmap=colours,
                        vmin=-most if low is None else low, vmax=most, interpolation="none", zorder=0)
    if data["orthographic"]:
        Ball(axes, data["azimuth"], data["elevation"])
        drawn.set_clip_path(axes.add_patch(Circle((0, 0), 1, facecolor="none", edgecolor="#606060", linewidth=0.6, zorder=5)))
        axes.set(xlim=(-1.02, 1.02), ylim=(-1.02, 1.02))
    return drawn


def _bar(figure, drawn, axes, text, unit, **more):
    bar = figure.colorbar(drawn, ax=axes, **more)
    bar.set_label(text + units(unit))
    bar.outline.set_linewidth(0.5)


def _ticks(axes, torus, across=True, up=True):
    """Degrees, or parts of the torus, outside of the map; named where these are the outer panels."""
    axes.tick_params(direction="out", top=False, right=False, labelbottom=across, labelleft=up)
    for axis, every in ((axes.xaxis, 90), (axes.yaxis, 45)):
        axis.set_major_locator(MultipleLocator(np.pi if torus else every))
        axis.set_major_formatter(lambda t, _: ("0", "π", "2π", "")[round(t / np.pi)] if torus else f"{t:g}°".replace("-", "−"))
    axes.set_xlabel(("$x_1$" if torus else "longitude") if across else "")
    axes.set_ylabel(("$x_2$" if torus else "latitude") if up else "")


def _panels(figure, request, data, n, titles, **more):
    """Panels of maps, which have titles instead of letters."""
    square = data["torus"] or data["orthographic"]
    panels = Panels(figure, request, n, ratio=1.0 if square else 0.5, **more)
    for i, axes in enumerate(panels):
        axes.set_title("", loc="left")
        axes.set_title(plain(titles[i]), fontsize=7)
        if square:
            axes.set_aspect("equal")
        yield i, axes
        if not data["orthographic"]:
            _ticks(axes, data["torus"], panels.is_lowest(i), i % panels.columns == 0)


def vorticity(data, figure, request):
    n = data["panels"]
    for i, axes in _panels(figure, request, data, n, data["label"], width=COLUMN if n == 1 else PAGE,
                           most=4 if data["torus"] or data["orthographic"] or n > 4 else 2):
        drawn = image(axes, data, f"map_{i + 1}", data["greatest"])
    _bar(figure, drawn, figure.panels, words(data["quantity"]), data["units"], pad=0.01, aspect=30, shrink=0.9)


def ensemble_maps(data, figure, request):
    last, names = {}, ("mean", "variance")
    titles = [f"{name}, t = {t:g}" for t in data["when"] for name in names]
    for i, axes in _panels(figure, request, data, 2 * data["snapshots"], titles,
                           width=120 if data["torus"] or data["orthographic"] else PAGE):
        name, look = names[i % 2], {"scale": "OrRd", "low": 0} if i % 2 else {}
        last[name] = image(axes, data, f"{name}_{i // 2 + 1}", data[f"greatest_{name}"], **look)
    for k, name in enumerate(names):
        _bar(figure, last[name], figure.panels[k::2] if figure.panels.columns > 1 else figure.panels, name, data[f"{name}_units"],
             location="bottom", pad=0.02, aspect=30, shrink=0.9)


def hovmoeller(data, figure, request):
    axes = Panels(figure, request, 1)[0]
    drawn = image(axes, data, "strip_1", data["greatest"])
    _ticks(axes, data["torus"])
    axes.yaxis.set_major_locator(AutoLocator())
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set_ylabel("time t [time unit]")
    axes.set_title(f"$x_2$ = {data['at']:.3g}" if data["torus"] else f"latitude {data['at']:.3g}°".replace("-", "−"), fontsize=7)
    _bar(figure, drawn, axes, words(data["quantity"]), data["units"], pad=0.02)
