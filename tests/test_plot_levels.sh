#!/bin/sh
# Figures of studies whose levels are coupled with their neighbours, and of weak errors by several studies.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

cat >multilevel.yaml <<'EOF'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 3, levels: 3, functionals: [sin2pi, x1], paths: 500}
EOF
"$CASIMIR" run multilevel.yaml --quiet --output multilevel.h5 >/dev/null || fail "multilevel"
expect 0 'drew multilevel; --picture also offers: convergence' "$CASIMIR" plot multilevel.h5
says multilevel.svg 'sin2pi: q not resolved' 'x1: β = ' 'variance of a difference' 'with one fine path'
draws multilevel multilevel.h5
# an order whose interval has an upper end only: the end is said, and the law is drawn
"$CASIMIR" run multilevel.yaml --quiet --output five.h5 --set study.levels=5 >/dev/null || fail "five levels"
expect 0 '' "$CASIMIR" plot five.h5
says five.svg 'sin2pi: q ≤ [0-9]'
[ "$(drawn five.svg | awk '$1 == "a" && $4 == 65' | wc -l)" -ge 2 ] || fail "no laws: $(drawn five.svg)"
"$CASIMIR" run multilevel.yaml --quiet --output still.h5 --set system.noise.sigma=0 >/dev/null || fail "without noise"
expect 0 '' "$CASIMIR" plot still.h5

# two ways to one weak error: every level is drawn, and the distances are those of the files
weak() { "$CASIMIR" run multilevel.yaml --quiet --set study.kind=weak --set study.paths=400000 "$@" >/dev/null || fail "weak: $*"; }
weak --output weak.h5 --set study.reference=3
expect 0 'sin2pi: weak.h5 and multilevel.h5 are at most [0-9.]* joint standard errors apart, at h = 2^-' \
  "$CASIMIR" plot weak.h5 multilevel.h5 --output comparison.svg
says comparison.svg 'step size h \[time unit\]' '>weak: weak, isospectral midpoint, 400000 paths<' \
  '>multilevel: weak_multilevel, isospectral midpoint, 1500 paths<' '>within 3<'
counts comparison.svg 2 '$1 == "a" && $3 == 3 && $4 == 6 && $5 == 0' # bars
[ "$(drawn comparison.svg | awk '$1 == "a" && $4 == 0 { n += $5 } END { print n }')" -ge 6 ] || fail "marks: $(drawn comparison.svg)"
counts comparison.svg 1 '$1 == "b" && $5 >= 3'
/usr/bin/python3 - weak.h5 multilevel.h5 >apart <<'EOF' || fail "apart"
import h5py, sys, numpy as np
a, b = (h5py.File(f)["weak/sin2pi"] for f in sys.argv[1:])
print("at most %.2f joint" % abs((b["error"][:] - a["error"][:]) / np.hypot(a["standard_error"][:], b["standard_error"][:])).max())
EOF
grep -q "$(cat apart)" out || fail "comparison: $(cat out), not $(cat apart)"
# an error far below its noise has a bar all the same
cp weak.h5 small.h5
/usr/bin/python3 -c "
import h5py
with h5py.File('small.h5', 'r+') as f:
    w = f['weak/sin2pi']
    w['error'][2], w['resolved'][2] = 1e-3 * w['standard_error'][2], 0" || fail "small"
expect 0 '' "$CASIMIR" plot weak.h5 small.h5 --unsealed --output small.svg
counts small.svg 2 '$1 == "a" && $3 == 3 && $4 == 6 && $5 == 0'
weak --output finer.h5 --set study.reference=4
expect 2 'against a reference step' "$CASIMIR" plot weak.h5 finer.h5
weak --output longer.h5 --set study.reference=3 --set study.coarsest_steps=4
expect 2 'ends at time' "$CASIMIR" plot weak.h5 longer.h5
expect 2 'at least 2 files' "$CASIMIR" plot weak.h5 --picture comparison
expect 2 "'multilevel' is no picture of a trajectory" "$CASIMIR" plot multilevel.h5 --until 1

# work of two schemes, measured against one reference: errors with bars in three panels, times with bars in the last
strong() {
  "$CASIMIR" run multilevel.yaml --quiet --set "study={kind: strong, coarsest_step: 2^-5, coarsest_steps: 3, levels: 3, \
    reference: {level: 5, integrator: munthe_kaas}, paths: 500, path_cost: true}" "$@" >/dev/null || fail "strong: $*"
}
strong --set 'integrator={name: heun}' --output heun.h5
strong --set 'integrator={name: splitting}' --output splitting.h5
expect 0 '' "$CASIMIR" plot heun.h5 splitting.h5 --picture work --output work.svg
says work.svg '>heun<' '>splitting<' 'evaluations of all gradients on a path' 'time of a path on one core \[s\]' 'root-mean-square error'
counts work.svg 2 '$1 == "b" && $3 == 3 && $4 == 6' # bars of errors
counts work.svg 4 '$1 == "c" && $3 == 3 && $4 == 6' # and of times
draws work heun.h5 splitting.h5 --picture work
# strong errors without costs: one panel, with the names that were asked for
expect 0 '' "$CASIMIR" plot heun.h5 splitting.h5 --picture comparison --label first_one --label second --output strong.svg
says strong.svg '>first_one: strong, heun, 500 paths<' '>second: strong, splitting, 500 paths<' 'root-mean-square error'
counts strong.svg 0 '$1 == "b"'
[ "$(drawn strong.svg | awk '$4 == 0 { n += $5 } END { print n }')" -ge 6 ] || fail "marks: $(drawn strong.svg)"
expect 2 'found 1, must be one for each of the 2 files' "$CASIMIR" plot heun.h5 splitting.h5 --label alone
expect 2 "'convergence' has no legend of files" "$CASIMIR" plot heun.h5 --label alone
# the same for every scheme that fits, by one script
expect 0 'by-script.svg' sh "$SOURCE_DIR/jobs/work.sh" multilevel.yaml --schemes 'heun implicit_midpoint' --level 4 --output by-script \
  --study 'coarsest_step: 2^-4, coarsest_steps: 2, levels: 2, paths: 20'
says by-script.svg '>heun<' '>implicit midpoint<'
expect 0 'isospectral_midpoint does not fit' sh "$SOURCE_DIR/jobs/work.sh" "$SOURCE_DIR/jobs/heavy-top-paths.yaml" --level 4 --output top \
  --study 'coarsest_step: 2^-4, coarsest_steps: 2, levels: 2, paths: 20'
says top.svg '>munthe kaas<' '>splitting<' '>euler maruyama<'
expect 2 'Which scheme is worth' sh "$SOURCE_DIR/jobs/work.sh"
expect 2 'path_cost: true' "$CASIMIR" plot weak.h5 --picture work
# weak errors from differences of levels: steps less than four times the reference's, 2^-8, are left out
"$CASIMIR" run multilevel.yaml --quiet --set study.path_cost=true --output cost.h5 >/dev/null || fail "cost"
"$CASIMIR" run multilevel.yaml --quiet --set study.path_cost=true --set integrator.weak_order=2 --output cost2.h5 >/dev/null || fail "cost2"
expect 0 '' "$CASIMIR" plot cost.h5 cost2.h5 --picture work --output cost.svg
says cost.svg '>isospectral midpoint<' '>isospectral midpoint, weak order 2<' '|weak error| of sin2pi'
counts cost.svg 2 '$1 == "a" && $3 == 2 && $4 == 4'
h5dump -d /path_cost/seconds cost.h5 | grep -q '( 4 ) / ( 4 )' || fail "seconds: $(h5dump -g /path_cost cost.h5)"
strong --set 'integrator={name: heun}' --output other.h5 --set 'study.reference={level: 5, integrator: heun}'
expect 2 'references of different schemes' "$CASIMIR" plot heun.h5 other.h5 --picture work
strong --set 'integrator={name: heun}' --output other.h5 --set system.noise.sigma=0.2
expect 2 'of other parameters of the system' "$CASIMIR" plot heun.h5 other.h5 --picture work
expect 0 '' "$CASIMIR" plot heun.h5 heun.h5 --picture work --output twice.svg
says twice.svg '>heun, heun<'
"$CASIMIR" report heun.h5 | grep -q 'reference 2^-10 by munthe_kaas' || fail "no scheme of the reference"
expect 2 'study.reference.integrator: isospectral_midpoint does not fit' sh "$SOURCE_DIR/jobs/work.sh" "$SOURCE_DIR/jobs/heavy-top-paths.yaml" --reference isospectral_midpoint --output none
expect 2 'integrator: found .huen.; did you mean .heun.' "$CASIMIR" run multilevel.yaml --set study.kind=weak --set study.paths=10 \
  --set 'study.reference={level: 4, integrator: huen}'

# multilevel Monte Carlo: four panels; of several epsilon paths and work go through all of them
cat >mlmc.yaml <<'EOF'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: mlmc, epsilon: 4e-3, coarsest_step: 2^-5, coarsest_steps: 3, functionals: [sin2pi, x1], plain_paths: 200}
EOF
"$CASIMIR" run mlmc.yaml --quiet --output mlmc.h5 >/dev/null || fail "mlmc"
expect 0 '' "$CASIMIR" plot mlmc.h5
says mlmc.svg 'sin2pi' 'β = ' 'q not resolved' 'with one fine path' 'bias that ε = 0.004 allows' 'multilevel' 'plain Monte Carlo' 'ε² · work' 'plain Monte Carlo, measured' 'rms error ε'
draws mlmc mlmc.h5
"$CASIMIR" run mlmc.yaml --quiet --output mlmc2.h5 --set study.epsilon=1e-3 >/dev/null || fail "mlmc"
expect 0 '' "$CASIMIR" plot mlmc2.h5 mlmc.h5 --output both.svg
says both.svg 'bias that ε = 0.001 allows' '>ε = 0.004<' '>ε = 0.001<'
[ "$(drawn both.svg | wc -l)" -gt "$(drawn mlmc.svg | wc -l)" ] || fail "no second curve: $(drawn both.svg)"
# 10^3 on the axis of paths is where 1000 paths would be
paths=$(h5dump -y -w 0 -d /mlmc/paths mlmc2.h5 | sed -n 's/^ *\([0-9][0-9, ]*\)$/\1/p' | tr -d ' ')
/usr/bin/python3 - both.svg "$paths" <<'EOF' || fail "ticks of a logarithmic axis are not where they say"
import math, re, sys
svg, paths = open(sys.argv[1]).read(), [int(n) for n in sys.argv[2].split(",")]
curve = svg[svg.index('gnuplot_plot_2c"'):]
curve = curve[:curve.index("gnuplot_plot_3") if "gnuplot_plot_3" in curve else None]
line = re.search(r"M[\d., L]*M([\d., L]*)", curve).group(1)
y = [float(v) for v in re.findall(r",([\d.]+)", line)]
scale = (y[0] - y[-1]) / math.log(paths[0] / paths[-1])
label = re.findall(r'translate\([\d.]+,([\d.]+)\)"[^>]*>\s*<text>(?:<[^>]*>)*10(?:<[^>]*>)*3<', svg)
sys.exit(min(abs(float(v) - (y[-1] + scale * math.log(1000 / paths[-1]))) for v in label) > 10)
EOF
"$CASIMIR" run mlmc.yaml --quiet --output x1.h5 --set 'study.functionals=[x1]' --set study.plain_paths=null >/dev/null || fail "mlmc"
expect 0 '' "$CASIMIR" plot x1.h5
! grep -q 'measured' x1.svg || fail "x1.svg has a legend of marks that it has not"
says x1.svg 'rms error ε \[inertia unit' '\[(inertia unit'
expect 2 'its paths were chosen for x1' "$CASIMIR" plot mlmc.h5 x1.h5
"$CASIMIR" run mlmc.yaml --quiet --output missed.h5 --set study.epsilon=1e-6 --set study.max_paths=1000 >/dev/null 2>&1 || [ $? -eq 1 ] || fail "mlmc"
expect 0 '' "$CASIMIR" plot missed.h5
says missed.svg 'NOT REACHED'
"$CASIMIR" run mlmc.yaml --quiet --output still.h5 --set system.noise.sigma=0 >/dev/null || fail "without noise"
expect 0 '' "$CASIMIR" plot still.h5

# a figure of nothing is none
"$CASIMIR" run mlmc.yaml --quiet --output failed.h5 --set integrator.max_iterations=1 >/dev/null 2>&1
expect 2 'failed.h5: no mean of any level is a number' "$CASIMIR" plot failed.h5
"$CASIMIR" run multilevel.yaml --quiet --output failed.h5 --set integrator.max_iterations=1 >/dev/null 2>&1
expect 2 'failed.h5: no difference is there to draw' "$CASIMIR" plot failed.h5
[ "$failures" -eq 0 ]
