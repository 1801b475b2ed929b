# shellcheck shell=sh
# Checks shared by the tests of figures; sourced. Counts failures in $failures.
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
# shellcheck disable=SC2034 # tests use it
python=${PYTHON:-/usr/bin/python3}
export CASIMIR_TRACEBACK=1 # a fault of the package says where it was

body='{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}'
levels='coarsest_step: 2^-3, coarsest_steps: 4, levels: 4, paths: 2000'
sphere='name: euler_zeitlin, N: 8, latitudes: 16'

# study SYSTEM STUDY [MORE]: a configuration
study() { printf 'system: %s\nstudy: {%s}\n%s\n' "$1" "$2" "${3:-}"; }

# configuration_of NAME: of the studies that tests of figures draw
configuration_of() {
  case $1 in
  convergence | other) study "$body" "kind: convergence, $levels, reference: 7, path_cost: true, functionals: [sin2pi, x1]" ;;
  multilevel) study "$body" "kind: weak_multilevel, $levels, functionals: [x1, x2]" ;;
  quantiles) study "$body" "kind: strong_quantiles, $levels, reference: 7" ;;
  law)
    study '{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.5}}' \
      "kind: law, $levels, reference: 7, functionals: [x1, x3], uniform: true" ;;
  weak_times) study "$body" "kind: weak_times, $levels, reference: 7, functionals: [x1, x3], times: [0.25, 0.5]" ;;
  mlmc-*) study "$body" "kind: mlmc, coarsest_step: 2^-2, coarsest_steps: 4, epsilon: ${1#mlmc-}, functionals: [x1]" ;;
  time_average)
    study '{name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]}' \
      'kind: time_average, step: 0.2, steps: 400, from: 10, paths: 8, observables: [kinetic_energy]' \
      'integrator: {name: variational_euler}' ;;
  ensemble | few)
    study "$body" "kind: ensemble, step: 2^-5, steps: 320, every: 16, paths: 256, members: 30,
  observables: [hamiltonian, x1, angular_velocity]" ;;
  trajectory | quiet | tracks)
    study "$body" 'kind: trajectory, step: 2^-5, steps: 3000, paths: 8, observables: [hamiltonian, casimir_departure, angular_velocity]' ;;
  top)
    study '{name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}}' \
      'kind: trajectory, step: 0.01, steps: 1000, observables: [gamma]' 'integrator: {name: munthe_kaas}' ;;
  vortices)
    study '{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}' \
      'kind: trajectory, step: 2^-7, steps: 640, every: 2' ;;
  zonal)
    study "{$sphere, initial: {coefficients: [[1, 0, 1]], norm: 1}}" 'kind: trajectory, step: 2^-6, steps: 64, every: 4,
  state: false, observables: [hamiltonian, enstrophy, energy_spectrum, vorticity]' ;;
  fluid)
    study "{$sphere, noise: {amplitude: 1, lmin: 4}, initial: {random: {seed: 7, norm: 12}}}" 'kind: ensemble, step: 2^-6,
  steps: 64, every: 16, paths: 16, members: 3, bins: 0, observables: [hamiltonian, energy_spectrum, enstrophy_spectrum, vorticity]' ;;
  torus)
    study '{name: sine_euler, N: 5, grid: 8, initial: {random: {seed: 7, norm: 2, lmin: 1, lmax: 2}}}' \
      'kind: trajectory, step: 2^-4, steps: 64, every: 4, paths: 2, observables: [hamiltonian, energy_spectrum, vorticity]' ;;
  esac
}

# results NAME ..: runs these into NAME.h5; an order that is not what theory expects is no failure here
results() {
  for name; do
    configuration_of "$name" >"$name.yaml"
    case $name in
    other) set -- --set integrator.name=heun ;;
    few) set -- --set study.every=null --set 'study.times=[5, 10]' ;;
    quiet) set -- --set system.noise.sigma=0 --set study.paths=1 ;;
    tracks) set -- --set study.steps=64 --set study.every=32 --set study.paths=1 ;;
    *) set -- ;;
    esac
    "$CASIMIR" run "$name.yaml" --quiet --output "$name.h5" "$@" >/dev/null || { [ $? -eq 1 ] && [ -e "$name.h5" ]; } || fail "$name"
  done
}

# expect STATUS PATTERN COMMAND ..: of any command, not of `casimir run` alone
expect() {
  status=$1 pattern=$2
  shift 2
  "$@" >out 2>&1
  found=$?
  [ "$found" -eq "$status" ] || fail "$*: status $found, not $status: $(cat out)"
  [ -z "$pattern" ] || grep -q -e "$pattern" out || fail "$*: does not say '$pattern': $(cat out)"
}

# refused PATTERN ARGUMENT ..: `casimir plot` refuses these for this reason, and draws nothing
refused() {
  pattern=$1
  shift
  expect 2 "$pattern" "$CASIMIR" plot "$@" --output wrong.svg
  [ ! -e wrong.svg ] || fail "$*: a figure of what was refused"
}

# begins FILE BYTES: what files of a format begin with
begins() { head -c 200 "$1" | grep -aqF -e "$2" || fail "$1 is no $2"; }

# says FILE.svg WORD ..: words of a figure are text in it
says() {
  file=$1
  shift
  for word in "$@"; do
    grep -q -e "$word" "$file" || fail "$file does not say '$word'"
  done
}
