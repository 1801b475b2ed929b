# shellcheck shell=sh
# Configurations of the studies that tests of figures draw, and checks of figures; sourced.
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
export CASIMIR_TRACEBACK=1 # a fault of the package says where it was

body='{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}'
levels='coarsest_step: 2^-3, coarsest_steps: 4, levels: 4, paths: 2000'
estimates='coarsest_step: 2^-2, coarsest_steps: 4, functionals: [x1]'
spread='step: 2^-5, steps: 320, paths: 256, members: 30, observables: [hamiltonian, x1, angular_velocity]'
observed='observables: [hamiltonian, casimir_departure, angular_velocity]'
sphere='name: euler_zeitlin, N: 8, latitudes: 16'
configurations <<END
convergence | $body | convergence, $levels, reference: 7, path_cost: true, functionals: [sin2pi, x1]
other | $body | convergence, $levels, reference: 7, path_cost: true, functionals: [sin2pi, x1] | integrator: {name: heun}
multilevel | $body | weak_multilevel, $levels, functionals: [x1, x2]
quantiles | $body | strong_quantiles, $levels, reference: 7
law | {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.5}} | law, ${levels%paths*}paths: 400, reference: 7, functionals: [x1, x3], uniform: true
weak_times | $body | weak_times, $levels, reference: 7, functionals: [x1, x3], times: [0.25, 0.5]
mlmc-0.01 | $body | mlmc, epsilon: 0.01, $estimates
mlmc-0.003 | $body | mlmc, epsilon: 0.003, $estimates
time_average | {name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]} | time_average, step: 0.2, steps: 400, from: 10, paths: 8, observables: [kinetic_energy] | integrator: {name: variational_euler}
ensemble | $body | ensemble, every: 16, $spread
few | $body | ensemble, times: [5, 10], $spread
trajectory | $body | trajectory, step: 2^-5, steps: 3000, paths: 8, $observed
quiet | {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0}} | trajectory, step: 2^-5, steps: 3000, $observed
tracks | $body | trajectory, step: 2^-5, steps: 64, every: 32, $observed
top | {name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}} | trajectory, step: 0.01, steps: 1000, observables: [gamma] | integrator: {name: munthe_kaas}
vortices | {name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}} | trajectory, step: 2^-7, steps: 640, every: 2
zonal | {$sphere, initial: {coefficients: [[1, 0, 1]], norm: 1}} | trajectory, step: 2^-6, steps: 64, every: 4, state: false, observables: [hamiltonian, enstrophy, energy_spectrum, vorticity]
fluid | {$sphere, noise: {amplitude: 1, lmin: 4}, initial: {random: {seed: 7, norm: 12}}} | ensemble, step: 2^-6, steps: 64, every: 16, paths: 16, members: 3, bins: 0, observables: [hamiltonian, energy_spectrum, enstrophy_spectrum, vorticity]
torus | {name: sine_euler, N: 5, grid: 8, initial: {random: {seed: 7, norm: 2, lmin: 1, lmax: 2}}} | trajectory, step: 2^-4, steps: 64, every: 4, paths: 2, observables: [hamiltonian, energy_spectrum, vorticity]
END

draws_together

# results NAME ..: runs these into NAME.h5; an order that is not what theory expects is no failure here
results() {
  for name; do
    "$CASIMIR" run "$name.yaml" --quiet --output "$name.h5" >message 2>&1 || { [ $? -eq 1 ] && [ -e "$name.h5" ]; } || fail "$name: $(cat message)"
  done
}

# drawn ARGUMENT ..: `casimir plot` draws these
drawn() { ends 0 '' "$CASIMIR" plot "$@"; }

# not_drawn PATTERN ARGUMENT ..: `casimir plot` refuses these for this reason, and draws nothing
not_drawn() {
  pattern=$1
  shift
  ends 2 "$pattern" "$CASIMIR" plot "$@" --output wrong.svg
  [ ! -e wrong.svg ] || fail "$*: a figure of what was refused"
}

# begins FILE BYTES: what files of a format begin with
begins() { head -c 200 "$1" | grep -aqF -e "$2" || fail "$1 is no $2"; }

# shows FILE.svg WORD ..: words of a figure are text in it
shows() {
  file=$1
  shift
  for word in "$@"; do grep -q -e "$word" "$file" || fail "$file does not say '$word'"; done
}
