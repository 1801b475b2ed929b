#!/bin/sh
# Every picture, in the widths of a column and of a page, of real runs: what is drawn is what the files hold, texts are apart,
# and what cannot be drawn is refused with a reason.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/plot_checks.sh"

results convergence other multilevel quantiles law weak_times mlmc-0.01 mlmc-0.003 time_average ensemble few trajectory quiet top \
  vortices zonal fluid torus
"$CASIMIR" sweep ensemble.yaml --set 'system.inertia[1]=1.1,1.2,1.3' --set 'study={kind: ensemble, step: 2^-5, steps: 80, every: 40, paths: 640, path_groups: 64, observables: [x1, hamiltonian]}' --output sweep.h5 >/dev/null 2>&1 || fail "sweep"
cat >scaling.json <<'EOT'
{"strong": {"ranks": [1, 2, 4], "efficiency": [1, 0.9, 0.8], "efficiency_low": [1, 0.85, 0.7], "efficiency_high": [1, 0.95, 0.9],
 "seconds": [[8, 9, 10], [5, 5, 6], [2.5, 3, 3]]},
 "weak": {"ranks": [1, 2, 4], "efficiency": [1, 0.95, 0.9], "efficiency_low": [1, 0.9, 0.8], "efficiency_high": [1, 1, 1],
 "seconds": [[8, 9, 10], [9, 9, 10], [9, 10, 10]]}}
EOT
./drawer "$SOURCE_DIR/tests/pictures.py" >pictures.log 2>&1 || fail "$(tail -40 pictures.log)"

# what the program says of it: other pictures, what is left out, and why something is refused
ends 0 'drew conservation; --picture also offers: paths, observables' "$CASIMIR" plot quiet.h5
ends 0 'drew ensemble' "$CASIMIR" plot fluid.h5 # which has no medians
! grep -q Warning message || fail "a warning of matplotlib: $(cat message)"
ends 0 'path 0 of 2 is drawn' "$CASIMIR" plot torus.h5 --picture vorticity
ends 0 'nothing is recorded at t = 3.2; t = 3 is drawn' "$CASIMIR" plot ensemble.h5 --picture members --at 3.2,7
not_drawn "'conservation' is no picture at single times" zonal.h5 --at 0.5
not_drawn "'members' shows all of a surface" ensemble.h5 --picture members --xrange 0:1
not_drawn 'a torus is not seen from one side' torus.h5 --picture vorticity --view 40,22
not_drawn "the system rigid_body has no observable 'energie': .*known: .*hamiltonian" quiet.h5 --picture paths --contours energie
not_drawn "has neither an observable nor a component of the state 'x9' over time; it has: .*angular_velocity" \
  quiet.h5 --picture observables --show x9
not_drawn 'differ in study.kind; draw each alone' ensemble.h5 convergence.h5 --picture parameter
not_drawn 'label: found 1, must be one for each of the 2 files' trajectory.h5 quiet.h5 --picture paths --label one
not_drawn 'must be LONGITUDE,LATITUDE' trajectory.h5 --picture paths --view 40

# a script draws the same bytes, also where matplotlib makes names of addresses in memory
ends 0 '' "$CASIMIR" plot zonal.h5 --picture vorticity --view 40,22 --script map.py
drawn zonal.h5 --picture vorticity --view 40,22 --output map.svg
ends 0 '' draws_alone "$CASIMIR" plot ensemble.h5 --output alone.svg
ends 0 '' "$python" map.py again.svg
cmp map.svg again.svg || fail "a script draws another map"
