"""Every picture of the files of test_pictures.sh: what is drawn against what HDF5 holds, read and computed here, and how it is
laid out: texts that run into each other, out of the figure or into a frame, a legend over data, text that is not of 6 to 9 points."""

import itertools
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "src", "python"))
import h5py  # noqa: E402
import numpy as np  # noqa: E402
from casimir import engine, sphere  # noqa: E402
from casimir.drawing import Drawing  # noqa: E402
from casimir.errors import Refused  # noqa: E402
from casimir.pictures import PICTURES  # noqa: E402
from casimir.request import Request  # noqa: E402
from matplotlib.text import Text  # noqa: E402

seen, failures, copies = set(), [], []
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


def shows(*files, **options):
    """The data of a picture and its files, once its figure has been drawn in the widths of a column and of a page."""
    labels = options.pop("labels", ())
    for width in (84, 174):
        drawing = Drawing(list(files), Request(labels, remark=lambda text: None, width=width, **options))
        figure = drawing.figure()
        figure.canvas.draw() if width == 84 else figure.draw_without_rendering()
        failures.extend(f"{drawing.picture.name} of {files[0]}, {width} mm: {wrong}" for wrong in check(figure))
        if abs(figure.get_size_inches()[0] * 25.4 - width) > 0.1:
            failures.append(f"{drawing.picture.name}: not {width} mm wide")
    seen.add(drawing.picture.name)
    return drawing.data(), *(source.h5 for source in drawing.sources)


def refuses(words, *files, **options):
    try:
        Drawing(list(files), Request(remark=lambda text: None, **options)).figure()
    except Refused as reason:
        assert words in str(reason), f"'{words}' is not in '{reason}'"
    else:
        raise AssertionError(f"drawn, instead of '{words}': {files}, {options}")


def same(a, b, **more):
    np.testing.assert_allclose(a, b, rtol=1e-12, **more)


def edited(name, change):
    """A copy of a file, changed."""
    copies.append(f"edited-{len(copies)}.h5")
    shutil.copy(name, copies[-1])
    with h5py.File(copies[-1], "r+") as f:
        change(f)
    return copies[-1]


# ---- errors ----
d, f = shows("convergence.h5")
step, strong, weak = f["strong/step"][:], f["strong"], f["weak/sin2pi"]
rows = d.block("points_1").rows
same(rows[:, 0], step), same(rows[:, 1], strong["error"][:]), same(rows[:, 2], 2 * strong["standard_error"][:])
weak_number = d["name"].index("sin2pi") + 1
rows = d.block(f"points_{weak_number}").rows
same(rows[:, 1], abs(weak["error"][:])), same(rows[:, 3], weak["resolved"][:])
table = [name.decode() for name in f["fits/table"]]
laws = [name.decode() for name in f["fits/law"]]
a = {name: f["orders"][name][list(f["orders/table"].asstr()).index("strong/error")] for name in f["orders"]}
own = lambda key: f["fits"][key][list(zip(table, laws)).index(("strong/error", a["law"].decode()))]  # noqa: E731
h = d.block("law_1").rows[:, 0]
square = sum(np.nan_to_num(own("coefficient" + end)) * h ** (2 * own("exponent") + offset)
             for end, offset in (("", 0), ("_next", own("exponent_next")), ("_third", own("exponent_third"))))
same(d.block("law_1").rows[:, 1], np.sqrt(np.maximum(square, 0)))
same([h[0], h[-1]], [step[-1 - (len(step) - int(a["values"]))], step[int(a["left_out"])]])
refuses("no level of any curve has an error", edited("convergence.h5", lambda f: [g["error" + s].write_direct(np.zeros(4))
        for g, s in [(f["strong"], ""), (f["strong"], "_sup"), (f["strong"], "_increments"), (f["weak/sin2pi"], ""), (f["weak/x1"], "")]
        if "error" + s in g]))
d, f, g = shows("convergence.h5", "other.h5", picture="comparison", labels=["midpoint", "Heun"])
assert d["file"] == ["midpoint", "Heun"] and d["errors"] == "weak"
a, b = f["weak"][d["name"]], g["weak"][d["name"]]
same(d.block("distances_2").rows[:, 1], (b["error"][:] - a["error"][:]) / np.hypot(a["standard_error"][:], b["standard_error"][:]))
d, f, g = shows("convergence.h5", "other.h5", picture="work")
same(d.block("study_2").rows[:, 4], g["path_cost/evaluations"][: len(d.block("study_2").rows)])
assert (d.block("study_2").rows[:, 0] >= 3.9 * g["levels"].attrs["reference_step"]).all()
d, f = shows("multilevel.h5")
same(d.block("levels_1").rows[:, 1], abs(f["weak_multilevel/x1/difference"][:]))
same(d.block("variances_2").rows[:, 1], f["weak_multilevel/x2/variance"][:])
d, f = shows("quantiles.h5")
same(d.block("quantile_2").rows[:, 1:], np.stack([f[f"strong_quantiles/quantile{e}"][:, 1] for e in ("", "_low", "_high")], 1))
d, f = shows("law.h5")
same(d.block("distance_2_1").rows[:, 3], f["law/x1/wasserstein_high"][:])
same(d.block("distance_4_2").rows[:, 1], f["law/x3/uniform_wasserstein"][:])
d, f = shows("weak_times.h5")
same(d.block("error_2_3").rows[:, 1], abs(f["weak_times/x3/error"][2]))
d, f, g = shows("mlmc-0.003.h5", "mlmc-0.01.h5")
assert d["epsilon"] == [0.01, 0.003]
same(d.block("paths_2").rows[:, 1], f["mlmc/paths"][:])
same(d.block("levels").rows[1:, 2], f["mlmc/x1/variance"][1:])
same(d.block("work").rows[1, 1], 0.003**2 * f["mlmc"].attrs["work"])

# ---- means ----
d, f = shows("time_average.h5")
t = f["time_average/kinetic_energy"]
same(d["average_low"], [t["low"][()]])
same(d.block("batches_1").rows[:, 4], np.cumsum(t["batch_mean"][:]) / np.arange(1, len(t["batch_mean"]) + 1))
d, f = shows("ensemble.h5")
e, i = f["ensemble"], d["name"].index("x1") + 1
rows = d.block(f"panel_{i}").rows
same(rows[:, 1], e["x1/mean"][:]), same(rows[:, 7], e["x1/quantile"][:, 0]), same(rows[:, 8], e["x1/quantile"][:, -1])
last = (rows[-1, 3] - rows[-1, 1]) / e["x1/standard_error"][-1]
assert abs(last - 1.9693) < 1e-4, last  # Student's quantile of 255 degrees of freedom
same(d.block(f"members_{i}").rows[:, 1:], e["members"][:, :20, 0])
assert d["members"] == 20 and d["number"].count("") == 2
assert shows("few.h5")[0]["boxes"] == 1
d, f = shows("fluid.h5", picture="ensemble_spectrum")
same(d.block("spectrum_2_1").rows[:, 1], f["ensemble/enstrophy_spectrum/mean"][0])
d, f, g, _ = shows("sweep-1.h5", "sweep-2.h5", "sweep-3.h5", picture="parameter")
assert d["parameter"] == "system.inertia[1]"
same(d.block("panel_1_1").rows[:, 0], [1.1, 1.2, 1.3])
d, _, f, g = shows("sweep-3.h5", "sweep-1.h5", "sweep-2.h5", picture="sensitivity", at=[1.25, 2.5])
i = d["name"].index("x1") + 1
rows = d.block(f"panel_{i}_2").rows
difference = (g["ensemble/x1/mean"][-1] - f["ensemble/x1/mean"][-1]) / 0.1
np.testing.assert_allclose(rows[0, [0, 1, 4, 5]], [1.15, difference, 1.1, 1.2], rtol=1e-9)
d, f = shows("scaling.json")
same(d.block("strong").rows[:, 1], [9, 5, 3])

# ---- trajectories ----
d, f = shows("trajectory.h5", picture="conservation")
t = f["trajectory"]
energy = t["hamiltonian"][:, 2]
rows = d.block("series_2_3").rows
relative = (energy - energy[0]) / abs(energy[0])
assert d["paths"] == 6 and len(rows) <= 2000 and rows[:, 1].max() == relative.max() and rows[:, 1].min() == relative.min()
d, f = shows(edited("quiet.h5", lambda f: f["trajectory/hamiltonian"].write_direct(np.where(np.arange(3001) < 99, np.nan, 1.0))),
          picture="observables", show="hamiltonian")
assert np.isnan(d.block("curve_1_1").rows[:, 1]).any()
refuses("nothing is there to draw", edited("quiet.h5", lambda f: f["trajectory/hamiltonian"].write_direct(np.full(3001, np.nan))),
        picture="observables", show="hamiltonian")
d, _, f = shows("trajectory.h5", "quiet.h5", picture="observables", show="x3,angular_velocity[2]", until=20)
rows = d.block(f"curve_2_{d['curves'][1]}").rows
keep = f["trajectory/time"][:] <= 20
same(rows[:, 1], f["trajectory/angular_velocity"][:][keep, 1])
d, f = shows("quiet.h5", picture="plane", show="x1,x2", contours="hamiltonian")
x = f["trajectory/state"][:]
same(d.block("curve_1").rows, x[:, :2])
z, inertia = d.block("contours").rows, np.array([2, 1, 2 / 3])
at = np.array([d["lowest"][0], d["highest"][1], x[0, 2]])
energy = float(at @ (at / inertia))
assert min(abs(z[-1, 0] - energy), abs(z[-1, 0] - energy / 2)) < 1e-12 * energy
refuses("two components of the state", "quiet.h5", picture="plane", show="x1,hamiltonian", contours="hamiltonian")
recorded = edited("quiet.h5", lambda f: f["trajectory"].create_dataset("x2", data=x[:, 1]))  # as an observable too
engine.unsealed = True  # as the copy is
same(Drawing([recorded], Request(picture="plane", show="x1,x2", contours="hamiltonian")).data().block("contours").rows, z)
engine.unsealed = False
d, f = shows("top.h5", picture="plane", show="Pi1,Pi2", contours="Pi1")  # of a component itself
p = f["trajectory/state"][:, 0]
same(d.block("contours").rows, np.tile(np.linspace(p.min(), p.max(), 121), (121, 1)))
d, f = shows("quiet.h5", picture="plane", show="x1,x2", section="x3=0")
assert len(d.block("curve_1").rows) == np.sum((x[:-1, 2] < 0) & (x[1:, 2] >= 0))
refuses("must be NAME=VALUE", "quiet.h5", picture="plane", show="x1,x2", section="x3")
d, f, g = shows("trajectory.h5", "quiet.h5", picture="paths")
same(d.block("ends_2_1").rows[0], x[0] / np.linalg.norm(x[0]))
np.testing.assert_allclose(np.linalg.norm(d.block("path_1_1").rows, axis=1), 1, rtol=1e-9)
assert shows("top.h5", picture="paths")[0]["what"].startswith("the vertical")
assert shows("vortices.h5", picture="paths")[0]["points"] == 4
refuses("is not on a sphere", edited("quiet.h5", lambda f: f["trajectory/state"].write_direct(x * np.linspace(1, 2, 3001)[:, None])),
        picture="paths")
d, f = shows("ensemble.h5", picture="members", at=[3, 7], view=[40, 22])
at = int(np.argmin(abs(f["ensemble/time"][:] - 7)))
m = f["ensemble/members"][at]
same(d.block("points_2_1").rows, m / np.linalg.norm(m, axis=1, keepdims=True))
assert (d["azimuth"], d["elevation"]) == (40, 22)

# ---- fluids ----
d, f = shows("zonal.h5", picture="vorticity")
w, latitude = f["trajectory/vorticity"][:], f["trajectory/latitude"][:]
image = d.block("map_1").rows
assert (image[-1] > 0).all() and (image[0] < 0).all() and d["north"] > 80  # the upper row is the north
north = w[0, np.argmax(latitude)]
same(np.sort(np.unique(image[-1])), np.sort(np.unique(north)))
same(d["greatest"], abs(w[[0, 1, 4, 16]]).max())
d, f = shows("zonal.h5", picture="vorticity", view=[0, 90])
middle = d.block("map_1").rows[128, 128]
assert middle > 0 and np.isnan(d.block("map_1").rows[0, 0]) and abs(middle - north.max()) < 0.1 * north.max()
d, f = shows("zonal.h5", picture="hovmoeller", view=[0, -40])
assert (d.block("strip_1").rows < 0).all() and abs(d["at"] + 40) < 6
d, f = shows("zonal.h5", picture="spectrum")
same(d.block("spectrum_1").rows[:, 1], f["trajectory/energy_spectrum"][0])
d, f = shows("torus.h5", picture="vorticity")
w, rows = f["trajectory/vorticity"][0, 0], d.block("map_1").rows
assert d["torus"] == 1 and rows.shape == (16, 16)
same(rows[0, 0], w[0, 0]), same(rows[2, 4], w[1, 2])  # x2 upwards, x1 to the right, two pixels a cell
shows("torus.h5", picture="spectrum"), shows("torus.h5", picture="hovmoeller")
d, f = shows("fluid.h5", picture="ensemble_maps")
same(d["greatest_variance"], max(f["ensemble/vorticity/variance"][i].max() for i in (0, 1, 4)))
d, f = shows("fluid.h5", picture="member_maps", at=[1])
fields = sphere.to_map(sphere.coefficients(f["ensemble/members"][-1, :3]), 16)
same([d["greatest"], d.block("map_1").rows[-1].max()], [abs(fields).max(), fields[0, -1].max()], atol=1e-9)
shows("fluid.h5", picture="member_maps", map="stream_function", view=[10, 20])

# ---- a headline is the title ----
name = edited("multilevel.h5", lambda f: f.require_group("result").attrs.__setitem__("headline", "weak order 1"))
titles = [Drawing([name], Request(remark=lambda t: None, title=title)).figure()._suptitle for title in (None, "")]
assert titles[0].get_text() == "weak order 1" and titles[1] is None
failures.extend(f"no case of the picture {p}" for p in sorted(set(PICTURES) - seen))
print("\n".join(failures))
sys.exit(bool(failures))
