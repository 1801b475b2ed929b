#!/bin/sh
# Every study says what it found in one sentence: first on a terminal and in a pipe, in "/result" of its file, and in
# reports of it. What would resolve more is a command that runs as it is printed.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

PATH=$(dirname "$CASIMIR"):$PATH # for commands as they are printed
tried=0
"$CASIMIR" describe results >described || fail "describe results"

# tries CONFIG OUTPUT ARGUMENTS ..: the command that the run printed to `run` gives no key twice, leaves OUTPUT alone and runs;
# so do the options that the file and its report have, behind the arguments of the run
tries() {
  config=$1 output=$2
  shift 2
  before=$(cksum "$output")
  try=$(sed -n 's/^  try: //p' run)
  keys=$(printf '%s' "$try" | grep -oE -e "--set '?[a-z_.]+=" | sort | uniq -d)
  [ -z "$keys" ] || fail "$output: twice in $try: $keys"
  case $try in *" --output "*" --output "*) fail "$output: two outputs in $try" ;; esac
  (eval "$try" >run.tried 2>log.tried) || fail "$output: $try: $(cat log.tried)"
  grep -q "results in ${output%.h5}-more.h5" run.tried || fail "$output: $try: $(cat run.tried)"
  advice=$(h5dump -w 0 -a /result/advice "$output" | sed -n 's/^ *(0): "\(.*\)"$/\1/p')
  "$CASIMIR" report "$output" >report.tried
  grep -qF "  try the same with $advice --output " report.tried || fail "$output: $advice, but $(cat report.tried)"
  (eval '"$CASIMIR" run "$config" "$@"' "$advice --output advised.h5" >/dev/null 2>log.tried) || fail "$output: $advice: $(cat log.tried)"
  [ "$(cksum "$output")" = "$before" ] || fail "$output was changed"
  tried=$((tried + 1))
}
for config in "$TEST_DATA"/configurations/*.yaml; do
  study=$(basename "$config" .yaml)
  "$CASIMIR" run "$config" --output "$study.h5" >run 2>log || fail "$study: $(cat log)"
  "$CASIMIR" report "$study.h5" >report || fail "report of $study"
  grep -v '^  try' run >said
  grep -v '^  try' report | cmp -s said - || fail "$study: $(cat report), and after the run $(cat run)"
  [ "$(wc -l <run)" -le 24 ] || fail "$study: $(wc -l <run) lines"
  awk 'length > 112 && !/^  (try|results in)/' run >wide
  [ ! -s wide ] || fail "$study: $(cat wide)"
  for words in "rank" "results in $study.h5"; do grep -q "$words" run || fail "$study: no '$words' in $(cat run)"; done
  "$CASIMIR" report "$study.h5" --long >long || fail "report --long of $study"
  grep -q "^$study of " long || fail "$study: $(head -1 long)"
  if grep -q '^  try: ' run; then
    tries "$config" "$study.h5"
  fi
  mv run "$study.run"
done
"$python" - *.run <<'END' || fail "/result"
import sys, h5py, numpy as np
for said in sys.argv[1:]:
    print(study := said.removesuffix(".run"), flush=True)
    file = h5py.File(study + ".h5")
    groups = [file]
    file.visititems(lambda name, at: groups.append(at) if isinstance(at, h5py.Group) else None)
    assert sum(len(group.attrs) for group in groups) < 60, study
    result = file["result"]
    # the reference of files names every dataset of a study, but for scales and what all files have
    known = set(open("described").read().replace(",", " ").split())
    elsewhere = ("levels", "health", "initial", "parameters", "restart", "trajectory")
    def check(name, at):
        plain = name.split("/")[-1]
        for measure in ("_attitude_sup", "_attitude", "_sup", "_increments"):
            if name.startswith("strong/"):
                plain = plain.removesuffix(measure)
        if isinstance(at, h5py.Dataset) and name.split("/")[0] not in elsewhere and at.attrs.get("CLASS") != b"DIMENSION_SCALE":
            assert plain in known, name
    file.visititems(check)
    words = " ".join(open(said).read().split())
    headline = result.attrs["headline"]
    assert words.startswith(" ".join(headline.split())), (headline, words)
    assert result.attrs["kind"] == study
    verdicts = {"supported", "contradicted", "not_resolved", "estimate", "not_valid"}
    assert result.attrs["verdict"] in verdicts
    orders = ["name", "order", "order_low", "order_high", "theory", "coefficient", "coefficient_low", "coefficient_high", "p_value", "verdict"]
    values = ["name", "value", "standard_error", "low", "high", "time", "step", "verdict"]
    names = sorted(result)
    assert names in (sorted(orders), sorted(values)), names
    for name in names:
        column = result[name]
        assert column.shape == result["name"].shape and len(column) > 0, name
        assert name == "name" or column.dims[0][0].name == "/result/name", name
    if "verdict" in names:
        assert {v.decode() for v in result["verdict"][:]} <= verdicts
    if "order" in names:
        low, order, high = (result[n][:] for n in ("order_low", "order", "order_high"))
        assert np.all((np.isnan(low) & np.isnan(high)) | ((low <= order) & (order <= high)))
        low, c, high = (result[n][:] for n in ("coefficient_low", "coefficient", "coefficient_high"))
        assert np.all(np.isnan(c) | ((low <= c) & (c <= high)))
        # groups of functionals say the order that the result says
        for i, functional in enumerate(result["name"].asstr()[:]):
            for kind in ("weak", "weak_multilevel"):
                at = file.get(f"{kind}/{functional}")
                assert at is None or np.array_equal(at.attrs["order"], result["order"][i], equal_nan=True), functional
END

# errors and differences of neighbours have one order, which is a main estimate once
"$CASIMIR" report weak_multilevel.h5 --format json | grep '"headline": true' | grep -o '"table": "[^"]*"' >main_estimates
[ "$(cat main_estimates)" = '"table": "weak_multilevel/x1"' ] || fail "main estimates: $(cat main_estimates)"

# statistics that ranks write into the file themselves are the answer, too
all=$TEST_DATA/configurations
runs "$all/ensemble.yaml" --set study.bins=0 --set study.ends=false --output bare.h5
"$MPIEXEC" -n 2 "$CASIMIR" run "$all/ensemble.yaml" --set study.bins=0 --set study.ends=false --output bare-2.h5 >run || fail "bins: 0 on two"
"$CASIMIR" report bare.h5 | sed 1,/estimate/d | grep -v 'rank\|results in' >alone
[ -s alone ] && sed 1,/estimate/d run | grep -v 'rank\|results in' | cmp -s alone - || fail "bins: 0: $(cat run)"
"$python" - <<'END' || fail "bins: 0: /result"
import h5py, numpy as np
bare, binned = h5py.File("bare.h5"), h5py.File("ensemble.h5")
assert list(bare["result/name"]) == list(binned["result/name"])
np.testing.assert_allclose(bare["result/value"], binned["result/value"], rtol=1e-12)
for name, value, error in zip(bare["result/name"].asstr(), bare["result/value"], bare["result/standard_error"]):
    assert value == bare[f"ensemble/{name}/mean"][-1] and error == bare[f"ensemble/{name}/standard_error"][-1], name
END

# so are paths: of the first one the single numbers at the last record, of which three are said
for ranks in 1 3; do
  "$MPIEXEC" -n $ranks "$CASIMIR" run "$all/trajectory.yaml" --output paths-$ranks.h5 --set study.paths=70 \
    --set 'study.observables=[hamiltonian, moment, moment_x, distance, {four: "4"}, {gap: "moment_y + 1"}]' >run 2>log
  "$CASIMIR" report paths-$ranks.h5 | cmp -s - run || fail "paths on $ranks: $(cat log run)"
done
runs "$all/trajectory.yaml" --set 'study={kind: trajectory, step: 2^-5, horizon: 1, times: [0.5]}' \
  --set 'study.observables=[distance, {x_1: x1_1}]' --output one.h5
runs "$all/trajectory.yaml" --output many.h5 --set 'study={kind: trajectory, step: 2^-5, steps: 20000, observables: [moment_norm]}'
"$python" - <<'END' || fail "paths: /result"
import h5py, numpy as np
one, three, single, many = (h5py.File(name + ".h5") for name in ("paths-1", "paths-3", "one", "many"))
names = ["hamiltonian", "moment_x", "four", "gap"]
for file in (one, three):
    result, recorded = file["result"], file["trajectory"]
    assert list(result["name"].asstr()) == [name + " of path 0" for name in names], list(result["name"])
    assert np.array_equal(result["value"], [recorded[name][-1, 0] for name in names])
    assert np.isnan(result["standard_error"]).all() and (result["time"][:] == recorded["time"][-1]).all()
h, x = one["trajectory/hamiltonian"], one["trajectory/moment_x"]
assert one["result"].attrs["headline"] == three["result"].attrs["headline"] == (
    f"70 paths, 5 records each from t = 0 to 0.25; path 0: hamiltonian = {h[-1, 0]:.4g}, moment_x = {x[-1, 0]:.4g} "
    f"(change {x[-1, 0] - x[0, 0]:.2g}), four = 4 (unchanged), .."), one["result"].attrs["headline"]
assert h[0, 0] == 0 and x[0, 0] != 0
value = single["trajectory/x_1"][0]
assert single["result"].attrs["headline"] == f"1 path, 1 record at t = 0.5: x_1 = {value:.4g}" and single["result/value"][0] == value
assert many["result"].attrs["headline"].startswith("1 path, 20001 records from t = 0 to 625: moment_norm = "), many["result"].attrs["headline"]
END

# with --set, also of keys that are advised or taken away, and names that a shell would split
sed '/^  reference:/d; /^  first_path:/d; /^  paths:/d' "$all/weak.yaml" >'short of keys.yaml'
# tries_with OUTPUT CONFIG ARGUMENTS ..
tries_with() {
  output=$1 config=$2
  shift 2
  "$CASIMIR" run "$config" "$@" --output "$output" >run 2>log || fail "$output: $(cat log)"
  grep -q '^  try: ' run || fail "$output: nothing to try in $(cat run)"
  tries "$config" "$output" "$@"
}
tries_with 'a b.h5' 'short of keys.yaml' --set study.reference=5 --set study.paths=32 --set 'study.functionals=[{it: "x1^2*(x3 > 0)"}]' --set output.file=study.first_path.h5
! grep -q 'study.reference' run.tried && ! grep -q first_path=null run || fail "$(cat run run.tried)"
tries_with deep.h5 "$all/weak.yaml" --set study.reference.level=6 --set study.levels=5
tries_with both.h5 "$all/convergence.yaml" --set study.levels=4 --set 'system.initial=[0.6, 0, 0.8]'
tries_with paths.h5 "$all/strong.yaml" --set study.levels=4 --set study.paths=32
tries_with list.h5 "$all/weak_multilevel.yaml" --set study.paths=null --set 'study.paths_by_level=[64, 64, 64, 64, 64]' --set study.levels=5
tries_with invariant5.h5 "$all/invariant.yaml" --set study.levels=5 --set study.reference=7
[ "$tried" -gt 8 ] || fail "$tried commands tried"

# says CONFIG WORDS ARGUMENTS ..: the sentence has these words
says() {
  config=$1 words=$2
  shift 2
  "$CASIMIR" run "$config" "$@" --output said.h5 2>log | sed '/^    /,$d' | tr '\n' ' ' >sentence
  grep -qE -e "$words" sentence || fail "$* says $(cat log sentence), and not $words"
}
says "$all/strong.yaml" 'strong order [0-9.]+ \+- [0-9.]+ between the finest two levels, NOT RESOLVED: too few step sizes, an order takes 1 more' --set study.levels=3
says "$all/strong.yaml" 'strong order NOT RESOLVED: too few step sizes' --set study.levels=2
says "$all/strong.yaml" 'strong order 0.3[0-9]+ \[0.2[0-9]+, 0.49[0-9]*\] NOT RESOLVED: order 1/2 is outside the interval, but not refuted at 1% \(p = 0.0[0-9]+\) ' \
  --set study.coarsest_steps=32 --set study.levels=6 --set study.reference=8 --set study.paths=256 --set random.seed=47
says "$all/weak.yaml" 'weak order of hit NOT RESOLVED: no path has another value at another step ' --set 'study.functionals=[{hit: "x1 > 2"}]'
alike='=> not resolved: all errors are rounding, or no path has another value at another level'
"$CASIMIR" report said.h5 --long | grep -q "$alike" || fail "$("$CASIMIR" report said.h5 --long)"
says "$all/weak_multilevel.yaml" 'weak order of hit NOT RESOLVED: no path has another value at another step ' --set 'study.functionals=[{hit: "x1 > 2"}]'
"$CASIMIR" report said.h5 --long | grep -q "$alike" || fail "$("$CASIMIR" report said.h5 --long)"
grep -q '^  try' sentence && fail "$(cat sentence)"
says "$all/strong_quantiles.yaml" '^strong errors of paths: quantile 0.5, order [^;]* between 2\^-6 and 2\^-7; quantile 0.95, order not resolved $' \
  --set study.coarsest_steps=32 --set study.reference=5 --set study.paths=64
says "$all/law.yaml" 'Wasserstein error of the law of energy .* at step 2\^-6, order '
# states that are uniform: of five steps three have p = 0.035 to 0.05, which five tests at once may well show
echo 'uniform | {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, chi: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, initial: [0.6, 0, 0.8]} | law, coarsest_step: 2^-3, coarsest_steps: 64, levels: 4, reference: 5, paths: 256, functionals: [x1], uniform: true | random: {generator: threefry, seed: 11}' | configurations
says uniform.yaml 'not uniform on the orbit at 0 of 5 steps'
says "$all/weak_times.yaml" 'weak errors of x1 at 2 times: largest .* at t = .*, step 2\^-5; .*, step 2\^-7 \(NOT RESOLVED\).*; \.\. $' \
  --set study.coarsest_steps=32 --set study.reference=5 --set study.paths=64 --set 'study.times=[0.5, 1]' --set 'study.functionals=[x1, x2, x3, energy]'
says "$all/trajectory.yaml" '; path 0: lost = nan ' --set study.paths=2 --set 'study.observables=[{lost: log(hamiltonian + 1e-6)}]'
h5dump -a /result/verdict said.h5 | grep -q not_valid && ! grep 'there are no results' log || fail "paths that fail, and are recorded"
# a functional with the name of the group
says "$all/weak.yaml" 'weak.*; bias of weak against its exact mean -99\.[0-9]* \+- 0.0[0-9]* at step 2' --set 'study.functionals=[{weak: x1}]' --set study.exact=[100]
h5dump -d /fits/table said.h5 | grep -q '"weak/weak"' || fail "$(h5dump -d /fits/table said.h5)"
"$CASIMIR" report weak.h5 --brief >out 2>&1 && fail "--brief"

# the same below the progress bar on a terminal
"$CASIMIR" report weak_times.h5 >pipe
"$python" - "$CASIMIR" <<'END' || fail "on a terminal"
import os, pty, subprocess, sys
outer, inner = pty.openpty()
done = subprocess.Popen([sys.argv[1], "report", "weak_times.h5"], stdout=inner, stderr=inner)
os.close(inner)
text = b""
try:
    while block := os.read(outer, 4096):
        text += block
except OSError:  # the end of what a terminal gives
    pass
assert done.wait() == 0
assert text.decode().replace("\r", "") == open("pipe").read()
END
