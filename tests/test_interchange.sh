#!/bin/sh
# Trajectories and results as other programs open them: h5py for every number and attribute; xarray and the netCDF library,
# which refuse datasets whose axes have no scales in reach, and ParaView's reader where they are installed.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

over='trajectory, step: 2^-6, steps: 64, every: 4'
vortices='{name: point_vortices, gamma: [1, 1, 1], initial: {random: {seed: 2, norm: 1}}'
sphere='{name: euler_zeitlin, N: 8, latitudes: 16, initial: {random: {seed: 7, norm: 2}}}'
configurations <<END
body | quadratic | $over, paths: 3, observables: [hamiltonian, angular_momentum, casimir_departure]
manakov | {name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}} | $over, observables: [eigenvalues]
vortices | $vortices} | $over, paths: 2, observables: [hamiltonian, moment, distance, centre_of_vorticity]
fluid | {name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}} | $over, paths: 2, observables: [hamiltonian]
map-1 | $sphere | $over, observables: [vorticity, hamiltonian]
map-2 | $sphere | $over, paths: 2, observables: [vorticity, hamiltonian]
maps | $sphere | ensemble, step: 2^-6, steps: 4, every: 2, paths: 8, bins: 4, quantiles: [0.5], observables: [vorticity]
moments | $vortices, noise: {sigma: 0.1}} | ensemble, step: 2^-6, steps: 64, every: 16, paths: 200, members: 3, bins: 16, quantiles: [0.5], observables: [hamiltonian, moment]
convergence | quadratic | convergence, coarsest_step: 2^-6, coarsest_steps: 4, levels: 3, reference: 5, paths: 200, functionals: [sin2pi, x1]
END
for study in *.yaml "$TEST_DATA"/configurations/*.yaml; do
  name=$(basename "$study" .yaml)
  [ -e "$name.h5" ] || runs "$study" --output "$name.h5"
done

"$python" -W ignore - <<'END' || fail "what other programs read"
import glob
import h5py, numpy as np
try:
    import h5netcdf, netCDF4, xarray
    engines = ["h5netcdf", "netcdf4"]
except ImportError as missing:
    print(f"python3 has no {missing.name}: not tried")
    engines = []


def opened(name, group=None):
    """A group by both libraries"""
    return [xarray.open_dataset(name, group=group, engine=engine) for engine in engines]


def labels(name):
    return list(t[name].asstr())


def check(d, axes, units, shape):
    assert d.shape == shape and [x[0].name for x in d.dims] == ["/trajectory/" + a for a in axes.split()], d
    assert d.attrs["units"] == units, d


# every system
momentum = "inertia_unit time_unit^-1"
for name in "body", "manakov", "vortices", "fluid":
    t = h5py.File(name + ".h5")["trajectory"]
    assert all(d.attrs["long_name"] and d.attrs["units"] for d in t.values())
    assert t["time"].attrs["units"] == "time_unit" and t["time"].attrs["axis"] == b"T" and list(t["time"]) == [k / 16 for k in range(17)]
    x = t["state"][...]
    if name == "body":
        check(t["state"], "time path component", momentum, (17, 3, 3))
        check(t["angular_momentum"], "time path principal_axis", momentum, (17, 3, 3))
        check(t["hamiltonian"], "time path", "inertia_unit time_unit^-2", (17, 3))
        check(t["casimir_departure"], "time path", "1", (17, 3))
        assert labels("component") == ["x1", "x2", "x3"] and list(t["path"]) == [0, 1, 2]
    elif name == "manakov":
        check(t["state"], "time component", momentum, (17, 10))
        check(t["eigenvalues"], "time eigenvalue", momentum, (17, 2))
        assert labels("component")[4] == "x23" and list(t["eigenvalue"]) == [1, 2]
    elif name == "vortices":
        check(t["state"], "time path vortex direction", "1", (17, 2, 3, 3))
        check(t["moment"], "time path direction", "time_unit^-1", (17, 2, 3))
        check(t["centre_of_vorticity"], "time path direction", "1", (17, 2, 3))
        check(t["distance"], "time path pair", "1", (17, 2, 3))
        check(t["hamiltonian"], "time path", "time_unit^-2", (17, 2))
        assert labels("direction") == ["x", "y", "z"] and list(t["vortex"]) == [1, 2, 3] and labels("pair") == ["1-2", "1-3", "2-3"]
        assert abs(np.linalg.norm(x, axis=-1) - 1).max() < 1e-14
    else:
        check(t["state"], "time path row column", "time_unit^-1", (17, 2, 6, 6))
        assert x.dtype == complex and list(t["row"]) == [1, 2, 3, 4, 5, 6] and abs(x + x.conj().swapaxes(-1, -2)).max() < 1e-14
        assert abs(x).max() > 0.1 and abs(np.linalg.norm(x[0, 0]) - 5) < 1e-13
    for d in opened(name + ".h5", "trajectory"):
        assert d.time.attrs["units"] == "time_unit"
        for of, own in t.items():
            assert d[of].dims == ((of,) if "CLASS" in own.attrs else tuple(axis[0].name[12:] for axis in own.dims)), of
            values = d[of].values["r"] + 1j * d[of].values["i"] if d[of].values.dtype.names else d[of].values
            assert values.dtype.kind == "O" or (values == own[...]).all(), of

# the units and axes of errors, and of moments
f = h5py.File("convergence.h5")
assert f["strong/error"].attrs["units"] == f["weak/x1/error"].attrs["units"] == momentum
assert f["weak/sin2pi/standard_error"].attrs["units"] == f["strong/local_order"].attrs["units"] == "1"
assert list(f["health/step_with_reference"]) == [2**-6, 2**-7, 2**-8, 2**-11]
assert list(f["strong/step_between"]) == [2**-6.5, 2**-7.5]
for d in opened("convergence.h5", "strong"):
    assert d.error.dims == ("step",) and d.local_order.dims == ("step_between",)
for group, axis, n in ("levels", "step", 3), ("weak/sin2pi", "step", 3), ("weak/x1", "step", 3), ("health", "step_with_reference", 4):
    assert all(d[axis].size == n for d in opened("convergence.h5", group)), group
for e, h, m in zip(*(opened("moments.h5", group) for group in ("ensemble", "ensemble/hamiltonian", "ensemble/moment"))):
    assert e.members.dims == ("time", "member", "vortex", "direction") and list(e.time.values) == [0, 0.25, 0.5, 0.75, 1] and e.bin[15] == 15
    assert h.histogram.dims == ("time", "bin") and h["mean"].dims == ("time",) and m["mean"].dims == ("time", "direction")
    assert m["quantile"].dims == ("time", "direction", "probability") and m["variance"].attrs["units"] == "(time_unit^-1)^2"
    assert (h.histogram.sum("bin") + h.histogram_below + h.histogram_above == 200).all()
    assert h.sel(time=0.5, probability=0.5)["quantile"].size == 1 and "cell_methods" not in h.histogram.attrs
    assert all(h[of].attrs["cell_methods"] == "realization: " + of for of in ("mean", "variance", "minimum", "maximum"))
assert all(d.attrs["Conventions"] == "CF-1.10" for d in opened("moments.h5"))
# the same without those libraries, and texts; two axes of an observable; what a curve says of itself, by its measure
e, maps = h5py.File("moments.h5")["ensemble"], h5py.File("maps.h5")["ensemble"]
assert [e.attrs[of] for of in ("paths_counted", "bins", "members")] == [200, 16, 3] and e["hamiltonian/histogram"].dtype == "int64"
for of, axes, units in ("hamiltonian/mean", "time", "time_unit^-2"), ("hamiltonian/histogram", "time bin", "1"), (
        "moment/variance_standard_error", "time direction", "(time_unit^-1)^2"), (
        "moment/quantile_high", "time direction probability", "time_unit^-1"), (
        "vorticity/quantile", "time latitude longitude probability", "time_unit^-1"):
    group = maps if of.startswith("vorticity") else e
    assert group[of].attrs["units"] == units and [[*a] for a in group[of].dims] == [[a] for a in axes.split()], of
    assert group[of].shape == tuple(len(group[a]) for a in axes.split()), of
assert maps["latitude"].attrs["units"] == "degrees_north" and list(e["direction"].asstr()) == ["x", "y", "z"]
for of, words in ("mean", "mean of moment"), ("variance", "variance of moment (divisor paths - 1)"), (
        "quantile_low", "lower ends of the 95% intervals of the quantiles of moment"):
    assert e["moment"][of].attrs["long_name"] == words, of
assert all(f["strong"][of].asstr()[()] for of in ("findings", "verdict_sup", "findings_increments"))

# Every group of every study opens; text is of any length in UTF-8, which h5py gives as str, but for what HDF5 itself and
# ParaView ask for.
def look(name, o):
    global units
    for key in o.attrs:
        kind = h5py.check_string_dtype(o.attrs.get_id(key).dtype)
        if kind and key not in ("CLASS", "NAME", "axis"):
            assert kind.length is None and kind.encoding == "utf-8" and isinstance(o.attrs[key], str), (name, key, kind)
            units += key == "units"
    if isinstance(o, h5py.Group):
        groups.append(name)
    elif isinstance(o, h5py.Dataset):
        assert "CLASS" in o.attrs or all(map(len, o.dims)), name
        assert not h5py.check_string_dtype(o.dtype) or h5py.check_string_dtype(o.dtype).length is None, name


kinds = set()
for name in glob.glob("*.h5"):
    f, units, groups = h5py.File(name), 0, [None]
    look("/", f)
    f.visititems(look)
    kinds.add(f.attrs["study"])
    assert units > 3, (name, units)
    assert name not in ("convergence.h5", "ensemble.h5") or "restart" in groups and f["restart/bytes"].dtype == "u1", name
    for group in groups:
        for d in opened(name, group):
            d.load()
assert len(kinds) == 12, kinds

# Maps: ParaView's reader sees the root only, and of text attributes those of fixed length only.
for name in "map-1.h5", "map-2.h5":
    f = h5py.File(name)
    t = f["trajectory"]
    assert all(f[of] == t[of] for of in ("vorticity", "time", "latitude", "longitude"))
    assert "hamiltonian" not in f and ("path" in f) == ("path" in t)
    for of, units, axis in ("latitude", "degrees_north", b"Y"), ("longitude", "degrees_east", b"X"), ("time", "time_unit", b"T"):
        assert f[of].attrs["units"] == units and f[of].attrs["axis"] == axis
    for d in opened(name) + opened(name, "trajectory"):
        assert d.vorticity.dims[-2:] == ("latitude", "longitude") and d.vorticity.dims[0] == "time"
        assert (d.vorticity.values == t["vorticity"][...]).all()
    try:
        from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    except ImportError:
        print("python3 has no vtkmodules: not tried")
        continue
    reader = vtkNetCDFCFReader()
    reader.SetFileName(name)
    reader.Update()
    assert reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()) == tuple(t["time"])
    assert reader.GetOutput().GetCellData().GetArray("vorticity") and max(map(abs, reader.GetOutput().GetBounds())) < 3
END
