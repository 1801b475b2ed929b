#!/bin/sh
# The Python package reads what runs write: labelled arrays, tables, configurations, figures; and the notebooks run.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
PATH=/usr/bin:$PATH # python3 is Debian's
python3 -c 'import ensurepip, h5py, matplotlib, nbclient, nbformat, pandas, venv, xarray, yaml' 2>/dev/null ||
  { echo "Python's ensurepip, h5py, matplotlib, nbclient, pandas, venv, xarray or yaml is missing"; exit 77; }

# installed and used as the page says, without a network, from a copy, as pip leaves files in what it installs
mkdir src
cp -R "$SOURCE_DIR/src/python" src/
export PIP_NO_INDEX=1 PYTHONDONTWRITEBYTECODE=1
"$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-strong.yaml" --quiet --output run.h5 --set study.paths=100 >/dev/null || fail "run.h5"
awk '/^<!-- test: run -->$/ { run = 1; next } run && /^    / { print; seen = 1; next } seen { run = seen = 0 }' \
  src/python/README.md >commands
[ "$(wc -l <commands)" -eq 4 ] || fail "commands of the page: $(cat commands)"
while IFS= read -r command; do
  eval "$command" </dev/null >log 2>&1 || fail "$command: $(cat log)"
  case $command in *orders*) grep -q 'consistent with the order' log || fail "$command: $(cat log)" ;; esac
done <commands
python=$PWD/casimir-venv/bin/python3
[ "$("$python" -c 'import casimir; print(casimir.__file__)')" != "${PWD}/src/python/casimir/__init__.py" ] || fail "not installed"
export MPLBACKEND=Agg MPLCONFIGDIR="$PWD" IPYTHONDIR="$PWD" JUPYTER_RUNTIME_DIR="$PWD"
sed -n 's/^version = "\(.*\)"$/\1/p' "$SOURCE_DIR/src/python/pyproject.toml" >version
grep -qxF "__version__ = \"$(cat version)\"" src/python/casimir/__init__.py || fail "two versions of the package"

cat >test.py <<'END'
import math, os
import casimir, h5py, matplotlib, numpy


def body(sigma=0.5, **study):
    """The configuration of a study of a rigid body"""
    study = study or {"kind": "convergence", "levels": 3, "reference": 5, "paths": 2000, "functionals": ["x1", "x2"]}
    steps = {} if "step" in study else {"coarsest_step": "2^-3", "coarsest_steps": 2}
    return {"system": {"name": "rigid_body", "inertia": [2, 1, 0.5], "noise": {"kind": "quadratic", "sigma": sigma}},
            "random": {"generator": "threefry"}, "study": {**steps, **study}}


def fluid(N, steps, observables=(), **system):
    """The configuration of a path of Euler-Zeitlin"""
    return {"system": {"name": "euler_zeitlin", "N": N, **system},
            "study": {"kind": "trajectory", "step": "2^-6", "steps": steps, "observables": [*observables]}}


study = casimir.run(body(), "study.h5")
assert study.status == 0 and "=>" in study.report
file = h5py.File("study.h5")

# the sphere: states, coefficients and maps are those of the program
random = {"random": {"seed": 1, "norm": 3}}
casimir.run(fluid(9, 2, ["vorticity", {"w": "coefficient(3,-2)"}], latitudes=20, noise={"amplitude": 1}, initial=random), "sphere.h5")
with h5py.File("sphere.h5") as sphere:
    state, field = sphere["trajectory/state"][()], sphere["trajectory/vorticity"][()]
    omega = casimir.sphere.coefficients(state)
    assert abs(omega[:, 9 - 1 + 3 - 2] - sphere["trajectory/w"][()]).max() < 1e-13
    assert abs(casimir.sphere.to_state(omega) - state).max() < 1e-13
    assert abs(casimir.sphere.to_map(omega, 20) - field).max() < 1e-12
    assert abs(casimir.sphere.from_map(field, 9) - omega).max() < 1e-12

# T_lm of large matrices, of every degree: [J-, B_lm] = -sqrt((l + m)(l - m + 1)) B_l,m-1 from B_ll on, which is J+^l
for N in 24, 48:
    k, T = numpy.arange(1, N), casimir.sphere.to_state(numpy.eye(N * N - 1))
    down = numpy.diag(numpy.sqrt(k * (N - k)), -1)
    for l in range(1, N):
        B = [T[l * l - 1 + l].imag] + [numpy.triu(T[l * l - 1 + l + m].real) * math.sqrt(2) for m in range(1, l + 1)]
        assert (numpy.diagonal(B[l], l) > 0).all(), (N, l)
        for m in range(l, 0, -1):
            lower = (B[m] @ down - down @ B[m]) / math.sqrt((l + m) * (l - m + 1))
            assert abs(lower - B[m - 1]).max() < 1e-14 * N, (N, l, m)
            assert abs(numpy.triu(T[l * l - 1 + l - m].imag) * math.sqrt(2) - B[m]).max() < 1e-15, (N, l, m)
for N in 512, 1024:  # neither too large nor too small
    vectors = casimir.sphere._diagonal(N, 1)
    assert numpy.isfinite(vectors).all() and abs(vectors.T @ vectors - numpy.eye(N - 1)).max() < 1e-12, N

# files of coefficients, also of large matrices, and of maps that do not fit, are read as Python has them
with h5py.File("fields.h5", "w") as drawn:
    drawn["maps"] = numpy.random.default_rng(1).normal(size=(2, 10, 20))
    drawn["omega"] = casimir.sphere.from_map(drawn["maps"][()], 9)
    drawn["large"] = numpy.random.default_rng(2).normal(size=(2, 48 * 48 - 1))
for name, form, N, expected in ("maps", "map", 9, "omega"), ("omega", "coefficients", 9, "omega"), ("large", "coefficients", 48, "large"):
    casimir.run(fluid(N, 1, latitudes=10, initial={form: {"file": "fields.h5", "dataset": name, "index": 1}}), "read.h5")
    with h5py.File("read.h5") as read, h5py.File("fields.h5") as drawn:
        state, omega = read["trajectory/state"][0], drawn[expected][1]
        assert abs(casimir.sphere.coefficients(state) - omega).max() < 1e-12
        assert abs(state - casimir.sphere.to_state(omega)).max() < 1e-12

# groups: every value and every coordinate of the file
for group in study.groups:
    data = study[group]
    for name, dataset in file[group].items():
        if not isinstance(dataset, h5py.Dataset) or dataset.dtype.kind == "O":
            continue
        assert name in data or data.sizes.get(name) is None, (group, name)
        if name in data:
            assert numpy.array_equal(data[name].values, dataset[()], equal_nan=True), (group, name)
            assert all(d in data.coords for d in data[name].dims), (group, name, data[name].dims)
assert study["strong"].error.sel(step=2 ** -4).item() == file["strong/error"][1]
assert study["strong"].error.attrs["units"] == "inertia_unit time_unit^-1"

# tables: the same numbers as the report's
levels, orders = study.levels(), study.orders()
assert list(levels.groupby(["kind", "name"], sort=False).size().items()) == [((kind, name), 3) for kind, name in (
    ("strong", "at the horizon"), ("strong", "supremum"), ("strong", "increments"), ("weak", "x1"), ("weak", "x2"))]
assert (levels[levels.name == "x2"].error.values == file["weak/x2/error"][()]).all()
low = file["strong"].attrs["order_low_sup"]
assert orders[orders.name == "supremum"].low.item() == low or math.isnan(low)
assert list(orders.expected) == [0.5, 0.5, 0.5, 1, 1]
assert all(verdict[:30] in study.report for verdict in orders.verdict)

# the configuration: with defaults, and numbers
configuration = study.configuration
assert configuration["study"]["coarsest_step"] == 0.125 and configuration["integrator"]["tolerance"] == 1e-15
assert [casimir.number(x) for x in ("2^-7", "1/128", "1e-3", "threefry", 3, None)] == [2 ** -7, 1 / 128, 1e-3, "threefry", 3, None]

# complex states, and observables with axes; what the run concludes, tables along steps and times with a column for each number
path = casimir.run(fluid(6, 8, ["hamiltonian", "energy_spectrum"], noise={"amplitude": 0.1, "lmin": 1}, initial=random), "fluid.h5")
trajectory, frame = path["trajectory"], path.frame("trajectory")
assert trajectory.state.dtype.kind == "c" and trajectory.energy_spectrum.dims == ("time", "degree")
assert abs(trajectory.energy_spectrum.sum("degree") - trajectory.hamiltonian).max() < 1e-12
spectrum = trajectory.energy_spectrum.values
assert (frame["energy_spectrum[2]"].values == spectrum[:, 1]).all() and len(frame) == 9 and "energy_spectrum[6]" not in frame
result, strong = study.result, study.frame("strong")
assert repr(result) == file["result"].attrs["headline"] and {"strong", "x2"} < set(result.table["name"])
assert (strong.error.values == file["strong/error"][()]).all() and (strong.step.values == file["strong/step"][()]).all()
means = casimir.run(body(kind="ensemble", step="2^-4", steps=8, every=8, paths=100, observables=["x1", "x3"]), "means.h5")
assert list(means.result.table["name"]) == ["x1", "x3"] and list(means.result.table["time"]) == [0.5, 0.5]

# figures as the program draws them, films, and plain figures at the width of a column, of several files too
figure = study.plot("plotted.pdf", width=84)
assert open("plotted.pdf", "rb").read(5) == b"%PDF-" and abs(figure.get_figwidth() * 25.4 - 84) < 1e-9
page = study._repr_html_()
assert result.headline in page and "<svg" in page
casimir.open("sphere.h5").film("sphere.mp4", width=84)
assert open("sphere.mp4", "rb").read(8)[4:] == b"ftyp"
for figure, axes in (casimir.plot_levels(study), casimir.plot_levels(study, "strong", casimir.figures.PAGE),
                     casimir.plot_series(path, "hamiltonian"), casimir.plot_series(path, "energy_spectrum[2]"),
                     casimir.plot_series(means, "x1")):
    figure.savefig("figure.pdf")
    assert abs(figure.get_figwidth() * 25.4 - (174 if figure.get_figwidth() > 5 else 84)) < 1e-9
    assert all(7 <= t.get_fontsize() <= 9 for t in axes.get_xticklabels() + [axes.xaxis.label])
assert matplotlib.rcParams["font.size"] == matplotlib.rcParamsDefault["font.size"]
figure, axes = casimir.plot_levels([study, study], "weak", labels=["first", "second"])
assert [t.get_text().split(":")[0] for t in axes.get_legend().get_texts()] == [f"{n}, weak, {x}" for n in ("first", "second") for x in ("x1", "x2")]

# progress: the share that is done, on request alone
shares = []
casimir.run(body(kind="strong", levels=3, reference=8, paths=60000), "long.h5", progress=lambda share, text: shares.append(share))
assert shares == sorted(shares) and (not shares or shares[-1] == 1), shares

# a sweep: its files as one table, with the keys in which they differ as numbers, and their estimates
shares.clear()
few = body(kind="convergence", levels=3, reference=5, paths=200, functionals=["x1"])
swept = casimir.sweep(few, {"system.noise.sigma": [0.25, 0.5], "system.inertia": [[2, 1, 0.5], [3, 1, 0.5]], "study.coarsest_step": ["2^-3"]},
                      "swept.h5", progress=lambda share, text: shares.append(share))
assert shares == [0.25, 0.5, 0.75, 1], shares
assert [s.path for s in swept] == [f"swept-{i}.h5" for i in (1, 2, 3, 4)] and swept.status == 0
again = casimir.open("swept-*.h5")
assert again.parameters.equals(swept.parameters) and len(again[1:3]) == 2
table = again.levels()
assert set(table.columns[:3]) == {"file", "system.inertia[0]", "system.noise.sigma"}, table.columns
for i, part in enumerate(again):
    rows = table[(table["system.noise.sigma"] == (0.25, 0.5)[i // 2]) & (table["system.inertia[0]"] == (2, 3)[i % 2])]
    assert (rows.error.values == part.levels().error.values).all() and len(rows) == 12
assert len(again.orders()) == 16
numbers, weak = casimir.estimates("swept-*.h5"), table[table.kind == "weak"]
means = numbers[(numbers.table == "weak/x1") & (numbers.quantity == "error")]
assert (means.value.values == weak.error.values).all() and (means["system.noise.sigma"].values == weak["system.noise.sigma"].values).all()
assert len(casimir.sweep(few, {"system.noise.sigma": [0.1, 0.2], "study.paths": [64, 128]}, "zipped.h5", zip=True)) == 2
names = [t.get_text() for t in casimir.plot_levels(again, "weak")[1].get_legend().get_texts()]
assert [n.split(",")[0] for n in names] == ["swept-1", "swept-2", "swept-3", "swept-4"], names

# names that look like missing numbers, formulas or options, and numbers of numpy
few["study"]["functionals"] = [{"nan": "x1"}, {"NA": "x2"}]
odd = casimir.sweep(few, {"system.noise.sigma": numpy.array([0.25, 0.5]), "random.seed": [numpy.int64(7)]}, "-odd.h5")
numbers = casimir.estimates(odd)
assert set(numbers.functional.dropna()) == {"nan", "NA"}, set(numbers.functional)
assert set(numbers.file) == {"-odd-1.h5", "-odd-2.h5"} and set(numbers["system.noise.sigma"]) == {0.25, 0.5}
weak = odd.levels()[lambda table: table.kind == "weak"].error
assert set(numbers[numbers.functional.notna() & (numbers.quantity == "error")].value) == set(weak), weak


def refused(kind, text, action):
    """What is wrong is said"""
    try:
        action()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


wrong = {"system": {"name": "rigid_bdy"}, "study": {"kind": "trajectory", "step": 0.1, "steps": 1}}
os.environ["MPIEXEC"] = "no-mpiexec"
h5py.File("other.h5", "w").close()
for kind, text, action in (
        (casimir.CasimirError, "did you mean 'rigid_body'", lambda: casimir.run(wrong, "wrong.h5")),
        (casimir.CasimirError, "there is no program '/nowhere/casimir': build casimir",
         lambda: casimir.run(wrong, "wrong.h5", program="/nowhere/casimir")),
        (casimir.CasimirError, "there is no program 'no-mpiexec': load the MPI", lambda: casimir.run(wrong, "wrong.h5", ranks=2)),
        (casimir.CasimirError, "found -1", lambda: casimir.sweep(few, {"system.noise.sigma": [-1, -2]}, "wrong.h5")),
        (KeyError, "no group 'ensemble'", lambda: study["ensemble"]),
        (FileNotFoundError, "nowhere.h5", lambda: casimir.open("nowhere.h5")),
        (FileNotFoundError, "no file has such a name", lambda: casimir.open("nowhere-*.h5")),
        (ValueError, "no errors of kind 'none'", lambda: casimir.plot_levels(study, "none")),
        (ValueError, "component of the state 'x9' over time; it has: ", lambda: casimir.plot_series(path, "x9")),
        (ValueError, "no complete results", lambda: casimir.open("other.h5"))):
    refused(kind, text, action)
END
"$python" test.py || fail "test.py"

# Kernels of notebooks are Debian's Python, which has the package by the page's second way. Notebooks print what they keep, and
# every figure of a session is shown by itself, not the first alone.
PYTHONPATH="$PWD/src/python" env -u MPLBACKEND "$python" - "$SOURCE_DIR"/src/python/notebooks/*.ipynb <<'END' || fail "notebooks"
import re, sys, nbclient, nbformat

NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?")


def texts(cells):
    """What cells print, a text each; of figures that there is one."""
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    datas = [(output, output.get("data", {})) for output in outputs]
    return [output.get("text", "figure" if "image/png" in data else data.get("text/plain", "")) for output, data in datas]


# one after another in one kernel, as each takes seconds to start; none knows what the one before has named
notebooks = {name: nbformat.read(name, 4).cells for name in sys.argv[1:]}
kept = {name: texts(cells) for name, cells in notebooks.items()}
for name, cells in notebooks.items():
    assert all(c.outputs for c in cells if c.cell_type == "code"), f"{name}: outputs are not kept"
code, show = nbformat.v4.new_code_cell, "casimir.plot_levels(casimir.open('study.h5'));"
session = [code("import casimir"), code(show), code(show)]
whole = nbformat.v4.new_notebook()
whole.cells = [cell for part in notebooks.values() for cell in [*part, code("%reset -f")]] + session
nbclient.NotebookClient(whole, timeout=120, kernel_name="python3").execute()
for name, before in kept.items():
    after = texts(notebooks[name])
    assert before and len(after) == len(before), (name, after, before)
    for old, new in zip(before, after):
        # other instruction sets have other last digits, and pandas other widths of columns then
        assert NUMBER.sub("#", old).split() == NUMBER.sub("#", new).split(), (name, old, new)
        for x, y in zip(NUMBER.findall(old), NUMBER.findall(new)):
            assert abs(float(x) - float(y)) <= 1e-3 * abs(float(x)) + 1e-12, (name, x, y, old, new)
assert texts(session) == ["figure", "figure"], session
END
[ -s orders.pdf ] && [ -s ensemble.pdf ] || fail "no figures of the notebooks"
