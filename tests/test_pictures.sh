#!/bin/sh
# Every picture, in the widths of a column and of a page, of real runs: what is drawn is what the files hold, texts are apart,
# and what cannot be drawn is refused with a reason.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

# study NAME [OPTION ..]: a run of the configuration on standard input
study() {
  name=$1
  shift
  cat >"$name.yaml"
  "$CASIMIR" run "$name.yaml" --quiet --output "$name.h5" "$@" >/dev/null || { [ $? -eq 1 ] && [ -e "$name.h5" ]; } || fail "$name"
}
body='{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}'
levels='coarsest_step: 2^-3, coarsest_steps: 4, levels: 4, paths: 2000'
study convergence <<EOT
system: $body
study: {kind: convergence, $levels, reference: 7, path_cost: true, functionals: [sin2pi, x1]}
EOT
study other --set integrator.name=heun <convergence.yaml
study multilevel <<EOT
system: $body
study: {kind: weak_multilevel, $levels, functionals: [x1, x2]}
EOT
study quantiles <<EOT
system: $body
study: {kind: strong_quantiles, $levels, reference: 7}
EOT
study law <<EOT
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.5}}
study: {kind: law, $levels, reference: 7, functionals: [x1, x3], uniform: true}
EOT
study weak_times <<EOT
system: $body
study: {kind: weak_times, $levels, reference: 7, functionals: [x1, x3], times: [0.25, 0.5]}
EOT
for e in 0.01 0.003; do
  study "mlmc-$e" <<EOT
system: $body
study: {kind: mlmc, coarsest_step: 2^-2, coarsest_steps: 4, epsilon: $e, functionals: [x1]}
EOT
done
study time_average <<EOT
system: {name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]}
integrator: {name: variational_euler}
study: {kind: time_average, step: 0.2, steps: 400, from: 10, paths: 8, observables: [kinetic_energy]}
EOT
study ensemble <<EOT
system: $body
study: {kind: ensemble, step: 2^-5, steps: 320, every: 16, paths: 256, members: 30, observables: [hamiltonian, x1, angular_velocity]}
EOT
study few --set study.every=null --set 'study.times=[5, 10]' <ensemble.yaml
study trajectory <<EOT
system: $body
study: {kind: trajectory, step: 2^-5, steps: 3000, paths: 8, observables: [hamiltonian, casimir_departure, angular_velocity]}
EOT
study quiet --set system.noise.sigma=0 --set study.paths=1 <trajectory.yaml
study top <<EOT
system: {name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}}
integrator: {name: munthe_kaas}
study: {kind: trajectory, step: 0.01, steps: 1000, observables: [gamma]}
EOT
study vortices <<EOT
system: {name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}
study: {kind: trajectory, step: 2^-7, steps: 640, every: 2}
EOT
study zonal <<EOT
system: {name: euler_zeitlin, N: 8, latitudes: 16, initial: {coefficients: [[1, 0, 1]], norm: 1}}
study: {kind: trajectory, step: 2^-6, steps: 64, every: 4, state: false, observables: [hamiltonian, enstrophy, energy_spectrum, vorticity]}
EOT
study fluid <<EOT
system: {name: euler_zeitlin, N: 8, latitudes: 16, noise: {amplitude: 1, lmin: 4}, initial: {random: {seed: 7, norm: 12}}}
study: {kind: ensemble, step: 2^-6, steps: 64, every: 16, paths: 16, members: 3, bins: 0, observables: [hamiltonian, energy_spectrum, enstrophy_spectrum, vorticity]}
EOT
study torus <<EOT
system: {name: sine_euler, N: 5, grid: 8, initial: {random: {seed: 7, norm: 2, lmin: 1, lmax: 2}}}
study: {kind: trajectory, step: 2^-4, steps: 64, every: 4, paths: 2, observables: [hamiltonian, energy_spectrum, vorticity]}
EOT
"$CASIMIR" sweep ensemble.yaml --set 'system.inertia[1]=1.1,1.2,1.3' --set 'study={kind: ensemble, step: 2^-5, steps: 80, every: 40, paths: 640, path_groups: 64, observables: [x1, hamiltonian]}' --output sweep.h5 >/dev/null 2>&1 || fail "sweep"
cat >scaling.json <<'EOT'
{"strong": {"ranks": [1, 2, 4], "efficiency": [1, 0.9, 0.8], "efficiency_low": [1, 0.85, 0.7], "efficiency_high": [1, 0.95, 0.9],
 "seconds": [[8, 9, 10], [5, 5, 6], [2.5, 3, 3]]},
 "weak": {"ranks": [1, 2, 4], "efficiency": [1, 0.95, 0.9], "efficiency_low": [1, 0.9, 0.8], "efficiency_high": [1, 1, 1],
 "seconds": [[8, 9, 10], [9, 9, 10], [9, 10, 10]]}}
EOT
"$python" "$SOURCE_DIR/tests/pictures.py" >pictures.log 2>&1 || fail "$(tail -40 pictures.log)"

# what the program says of it: other pictures, what is left out, and why something is refused
expect 0 'drew conservation; --picture also offers: paths, observables' "$CASIMIR" plot quiet.h5
expect 0 'drew ensemble' "$CASIMIR" plot fluid.h5 # which has no medians
! grep -q Warning message || fail "a warning of matplotlib: $(cat message)"
expect 0 'path 0 of 2 is drawn' "$CASIMIR" plot torus.h5 --picture vorticity
expect 0 'nothing is recorded at t = 3.2; t = 3 is drawn' "$CASIMIR" plot ensemble.h5 --picture members --at 3.2,7
expect 2 "'conservation' is no picture at single times" "$CASIMIR" plot zonal.h5 --at 0.5
expect 2 "'members' shows all of a surface" "$CASIMIR" plot ensemble.h5 --picture members --xrange 0:1
expect 2 'a torus is not seen from one side' "$CASIMIR" plot torus.h5 --picture vorticity --view 40,22
expect 2 "the system rigid_body has no observable 'energie'; it has: .*hamiltonian" "$CASIMIR" plot quiet.h5 --picture paths --contours energie
expect 2 "has neither an observable nor a component of the state 'x9' over time; it has: .*angular_velocity" \
  "$CASIMIR" plot quiet.h5 --picture observables --show x9
expect 2 'differ in study.kind; draw each alone' "$CASIMIR" plot ensemble.h5 convergence.h5 --picture parameter
expect 2 'label: found 1, must be one for each of the 2 files' "$CASIMIR" plot trajectory.h5 quiet.h5 --picture paths --label one
expect 2 'must be LONGITUDE,LATITUDE' "$CASIMIR" plot trajectory.h5 --picture paths --view 40

# a script draws the same bytes, also where matplotlib makes names of addresses in memory
expect 0 '' "$CASIMIR" plot zonal.h5 --picture vorticity --view 40,22 --script map.py
expect 0 '' "$CASIMIR" plot zonal.h5 --picture vorticity --view 40,22 --output map.svg
expect 0 '' "$python" map.py again.svg
cmp map.svg again.svg || fail "a script draws another map"
[ "$failures" -eq 0 ]
