#!/bin/sh
# Which paths failed is in the file: of every member, and the numbers of the first failed paths; under every policy, on any
# number of ranks, and of a run that was interrupted.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# How many iterations a step takes depends on the paths beside it, and so on the width of vectors.
export CASIMIR_KERNELS=generic
echo 'fail | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.6}, initial: [0.8, 0.6, 0]} | ensemble, step: 0.125, steps: 16, times: [0, 2], paths: 1000, members: 300, observables: [x1] | integrator: {max_iterations: 15, truncation: 0}' | configurations

expect 1 '' fail.yaml --output drop.h5
expect 1 '' fail.yaml --output keep.h5 --set study.on_failure=keep
runs fail.yaml --output none.h5 --set integrator.max_iterations=1000 --set study.paths=20 --set study.members=20
"$MPIEXEC" -n 3 "$CASIMIR" run fail.yaml --quiet --output three.h5 >message 2>&1
alike drop.h5 three.h5 "three ranks"

"$python" - <<'END' || fail "which members failed"
import h5py, numpy as np
files = {name: h5py.File(name + ".h5") for name in ("drop", "keep", "none")}
for f in files.values():
    d = f["ensemble/member_failed"]
    assert d.shape == f["ensemble/members"].shape[1:2] and d.dims[0][0].name == "/ensemble/member"
    assert d.attrs["units"] == "1" and "long_name" in d.attrs
assert not files["none"]["ensemble/member_failed"][:].any() and "failed_path_numbers" not in files["none"]["health"]
drop, keep = files["drop"], files["keep"]
failed = np.flatnonzero(drop["ensemble/member_failed"][:])
numbers = drop["health/failed_path_numbers"][:]
assert drop["health/failed_paths"][()] > 16 == len(numbers) and (np.diff(numbers) > 0).all()
assert 3 < len(failed) < 16 and (numbers[:len(failed)] == failed).all() and numbers[len(failed)] >= 300, (failed, numbers)
assert numbers[0] == drop["health/first_failed_path"][()]
assert (keep["ensemble/member_failed"][:] == drop["ensemble/member_failed"][:]).all()
assert drop["health/failed_path_numbers"].attrs["CLASS"] == b"DIMENSION_SCALE"
np.savetxt("failed", failed, "%d")
# what is left are the counted paths
x = drop["ensemble/members"][1, :, 0][drop["ensemble/member_failed"][:] == 0]
assert drop["ensemble"].attrs["paths_counted"] == 1000 - drop["health/failed_paths"][()] and np.isfinite(x).all()
END

while read -r path; do
  expect 1 '' fail.yaml --only-path "$path"
done <failed
expect 0 '' fail.yaml --only-path 0

# taken up by other ranks
set -- fail.yaml --set study.paths=400000 --set study.members=200000
expect 1 '' "$@" --output whole.h5
by_looks 0.001 expect 75 '' "$@" --output parts.h5 --max-walltime 0.2s
for ranks in 2:0.3s:'interrupted; ' 3:1h:'paths failed'; do
  limit=${ranks#*:}
  by_looks 0.001 "$MPIEXEC" -n "${ranks%%:*}" "$CASIMIR" run "$@" --output parts.h5 --resume --max-walltime "${limit%%:*}" >message 2>&1
  has 'going on from' "${limit#*:}"
done
alike whole.h5 parts.h5 "taken up"
