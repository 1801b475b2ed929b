#!/bin/sh
# The figures of the pages, from their runs: sh bench/figures.sh [NAME ..]
# Without a name all are drawn, in about a quarter of an hour of two cores. With --check
# nothing is drawn: figures are named that have no recipe here, are missing in docs/figures, or were drawn by other
# code than today's (docs/figures/drawn.txt has the sums). Results of runs stay in build/figures and
# are used again. CASIMIR names the program, CASIMIR_RANKS the number of ranks.
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"
figures=$root/docs/figures

# run NAME CONFIG [OPTION ..]: NAME.h5, unless it is there; CONFIG is one of bench/configurations, or else of jobs
run() {
  name=$1 config=$root/bench/configurations/$2.yaml
  [ -e "$config" ] || config=$root/jobs/$2.yaml
  shift 2
  [ -e "$name.h5" ] && return
  (launch "$casimir" run "$config" --output "$name.h5" --quiet "$@") >"$name.txt" || { [ $? -eq 1 ] && [ -e "$name.h5" ]; }
}

# plot PICTURE FILES .. [OPTIONS]: the figure that is wanted, and a line with the sum of what draws it in drawn.txt
plot() {
  picture=$1
  shift
  "$casimir" plot "$@" --picture "$picture" --output "$figures/$figure.svg" || return
  { grep -v "^$figure " "$figures/drawn.txt" 2>/dev/null; echo "$figure $picture $(template "$picture")"; } |
    LC_ALL=C sort >drawn && mv drawn "$figures/drawn.txt"
}

# the sum of what draws a picture, but for comments
template() {
  package=$root/src/python/casimir
  module=$(sed -n 's/^    _p("'"$1"'", "\([a-z]*\)".*/\1/p' "$package/pictures/__init__.py")
  sed '/^ *#/d' "$package/casimir.mplstyle" "$package/looks/kit.py" "$package/looks/sheet.py" \
    "$package/looks/$module.py" | cksum | tr ' ' -
}

# work CONFIG: every scheme that fits
work() {
  [ -e "$figure-munthe_kaas.h5" ] || CASIMIR=$casimir sh "$root/jobs/work.sh" "$root/jobs/$1.yaml" \
    --study 'coarsest_step: 2^-4, coarsest_steps: 16, levels: 6, paths: 200' --level 10 --output "$figure" \
    --set random.generator=threefry
  plot work "$figure"-*.h5
}

# precession NAME NOISE [OPTION ..]: the precessing top with these noises
precession() {
  name=$1 noise=$2
  shift 2
  run "$name" heavy-top-precession --set "system.noise=$noise" "$@"
}

# potential NAME [OPTION ..]: without noise, the nutation's potential and energy along the path, by Pi3 and Pi.Gamma
potential() {
  name=$1
  shift
  precession "$name" '{}' --set study.steps=200 --set 'study.observables=[nutation,
    {potential: "(pi_dot_gamma - pi3*gamma3)^2/(0.2*(1 - gamma3^2)) + 0.98*gamma3"}, {energy_of_nutation: "hamiltonian - pi3^2/2"}]' "$@"
}

# job [OPTION ..]: the run of jobs/FIGURE.yaml
job() { run "$figure" "$figure" "$@"; }

# draw FIGURE: runs what it needs and draws it; 2 if there is no such figure
draw() {
  figure=$1
  precession=heavy-top-precession
  case $figure in
  euler-zeitlin-128-spectrum) run euler-zeitlin-long euler-zeitlin-long && plot spectrum euler-zeitlin-long.h5 ;;
  euler-zeitlin-128-vorticity) run euler-zeitlin-long euler-zeitlin-long && plot vorticity euler-zeitlin-long.h5 ;;
  euler-zeitlin-ensemble-maps)
    run euler-ensemble euler-ensemble && plot ensemble_maps euler-ensemble.h5 --at 1,5 --view 40,22 ;;
  euler-zeitlin-smooth)
    run "$figure" euler-zeitlin-strong --set 'system.initial={random: {seed: 7, norm: 12, lmin: 1, lmax: 5}}' &&
      plot convergence "$figure.h5" ;;
  euler-zeitlin-spectrum) run euler euler && plot spectrum euler.h5 ;;
  euler-zeitlin-vorticity) run euler euler && plot vorticity euler.h5 ;;
  damped-body) job && plot convergence "$figure.h5" ;;
  quasi-geostrophy) job && plot vorticity "$figure.h5" --at 0,1,2,4 ;;
  fluid-sizes) job && plot multilevel "$figure.h5" ;;
  heavy-top-conservation) run heavy-top-long heavy-top-long && plot conservation heavy-top-long.h5 ;;
  heavy-top-conservation-trapezoid)
    run "$figure" heavy-top-long --set integrator.name=implicit_trapezoid && plot conservation "$figure.h5" ;;
  heavy-top-paths) job && plot paths "$figure.h5" ;;
  heavy-top-paths-441) run "$figure" heavy-top-paths --set 'system.inertia=[4,4,1]' && plot paths "$figure.h5" ;;
  heavy-top-paths-without-noise)
    run "$figure" heavy-top-paths --set 'system.inertia=[4,4,1]' --set 'system.noise={}' && plot paths "$figure.h5" ;;
  heavy-top-precession-gamma-12)
    run "$figure" $precession --set 'system.noise={gamma: [[0.098, 0, 0], [0, 0.098, 0]]}' && plot paths "$figure.h5" ;;
  heavy-top-precession-gamma-3)
    run "$figure" $precession --set 'system.noise={gamma: [[0, 0, 0.098]]}' && plot paths "$figure.h5" ;;
  heavy-top-precession-without-noise) run "$figure" $precession --set 'system.noise={}' && plot paths "$figure.h5" ;;
  heavy-top-precession-changes-*)
    case ${figure#heavy-top-precession-changes-} in
    without-noise) noise='{}' ;;
    pi-3) noise='{pi: [[0, 0, 0.1]]}' ;;
    gamma-3) noise='{gamma: [[0, 0, 0.098]]}' ;;
    *) noise='{gamma: [[0.098, 0, 0], [0, 0.098, 0]]}' ;;
    esac
    precession "$figure" "$noise" && plot conservation "$figure.h5" --show hamiltonian,pi3,nutation ;;
  heavy-top-precession-potential*)
    potential nutation-at-0 || return
    set -- nutation-at-0.h5 --label 't = 0'
    case ${figure#heavy-top-precession-potential} in
    -gamma-3) end=2000 noise='{gamma: [[0, 0, 0.098]]}' ;;
    -gamma-12) end=4500 noise='{gamma: [[0.098, 0, 0], [0, 0.098, 0]]}' ;;
    *) end='' ;;
    esac
    if [ "$end" ]; then
      precession "until-$end" "$noise" --set study.steps=$end &&
        potential "nutation-at-$end" --set "system.initial={file: until-$end.h5, dataset: trajectory/state, index: $end}" || return
      set -- "$@" "nutation-at-$end.h5" --label "t = $((end / 100))"
    fi
    plot plane "$@" --show nutation,potential,energy_of_nutation ;;
  heavy-top-casimirs | heavy-top-casimirs-trapezoid | sine-euler-casimirs | sine-euler-casimirs-trapezoid)
    range='' shown=gamma_squared,pi_dot_gamma job=${figure%%-casimirs*}-long scheme=munthe_kaas
    case $figure in sine-euler*) shown=enstrophy,cubic_casimir ;; esac
    case $figure in
    *-trapezoid) scheme=implicit_trapezoid ;;
    sine-euler*) range='--yrange=-1e-14:1.2e-14' ;;
    esac
    run "$figure" "$job" --set "integrator={name: $scheme, tolerance: 1e-15, max_iterations: 100, truncation: 2, compensated: true}" &&
      plot conservation "$figure.h5" --show "$shown" $range ;;
  rigid-body-orbits)
    run "$figure" rigid-body-ensemble --set 'study={kind: trajectory, step: 0.01, steps: 5000, paths: 2}' &&
      run "$figure-without-noise" rigid-body-ensemble --set 'study={kind: trajectory, step: 0.01, steps: 5000}' \
        --set 'system.noise={}' &&
      plot paths "$figure.h5" "$figure-without-noise.h5" --contours hamiltonian --label 'with noise' --label 'without noise' ;;
  heavy-top-work) work heavy-top-paths ;;
  sine-euler-work) work sine-euler-long ;;
  *-work) work "${figure%-work}-strong" ;;
  higher-order-weak-manakov) run "$figure" "$figure" && plot multilevel "$figure.h5" ;;
  higher-order-weak-*)
    run "$figure-plain" "$figure" --set integrator.weak_order=1 && run "$figure-2" "$figure" &&
      plot work "$figure-plain.h5" "$figure-2.h5" ;;
  higher-order-*)
    run "$figure-plain" "$figure" --set integrator.areas=0 && run "$figure-areas" "$figure" &&
      plot work "$figure-plain.h5" "$figure-areas.h5" ;;
  linear-noise-body-mlmc)
    for e in 1e-2 3e-3 1e-3 3e-4 1e-4; do run "mlmc-$e" "$figure" --set "study.epsilon=$e" || return; done
    plot mlmc mlmc-*.h5 ;;
  point-vortices-paths | rigid-body-paths)
    job && run "$figure-without-noise" "$figure" --set system.noise.sigma=0 &&
      plot paths "$figure.h5" "$figure-without-noise.h5" ;;
  rigid-bodies-temperature)
    run "$figure" "$figure" --set 'study={kind: ensemble, step: 0.4, horizon: 24, every: 2, paths: 20000,
      observables: [translational_energy, rotational_energy, trap_energy]}' && plot ensemble "$figure.h5" ;;
  rigid-body) run "$figure" rigid-body && plot convergence "$figure.h5" ;;
  rigid-body-ensemble | rigid-body-uncertain) job && plot ensemble "$figure.h5" ;;
  rigid-body-law) run "$figure" law && plot law "$figure.h5" ;;
  rigid-body-members) run "$figure" rigid-body-ensemble --set study.members=300 && plot members "$figure.h5" ;;
  rigid-body-members-20)
    run rigid-body-ensemble rigid-body-ensemble && plot members rigid-body-ensemble.h5 --at 5,20,40,50 ;;
  rigid-body-sensitivity)
    set --
    for inertia in 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9; do
      run "sensitivity-$inertia" rigid-body-ensemble --set "system.inertia[1]=$inertia" --set 'study={kind: ensemble,
        step: 2^-5, steps: 160, every: 80, paths: 4000, path_groups: 64, observables: [x1, energy]}' || return
      set -- "$@" "sensitivity-$inertia.h5"
    done
    plot sensitivity "$@" --at 2.5,5 ;;
  rigid-body-strong-quantiles) job && plot quantiles "$figure.h5" ;;
  rigid-body-weak) job --set random.generator=threefry --set study.paths=1000000 && plot convergence "$figure.h5" ;;
  rigid-body-weak-comparison)
    run rigid-body-weak-multilevel rigid-body-weak-multilevel &&
      run rigid-body-reference rigid-body-weak-multilevel --set study.kind=weak --set study.reference=5 \
        --set study.paths=10000000 --set integrator.truncation=4 &&
      plot comparison rigid-body-reference.h5 rigid-body-weak-multilevel.h5 ;;
  rossby-wave) job && plot hovmoeller "$figure.h5" --view 0,45 ;;
  salt-mean | salt-spectrum | salt-members)
    run salt-ensemble salt-ensemble --set system.N=32 || return
    case $figure in
    *-mean) plot ensemble_maps salt-ensemble.h5 --at 0.5,1.95 ;;
    *-spectrum) plot ensemble_spectrum salt-ensemble.h5 ;;
    *) plot member_maps salt-ensemble.h5 --at 0.5,1.95 ;;
    esac ;;
  sine-euler-trapezoid)
    run "$figure" sine-euler-long --set 'integrator={name: implicit_trapezoid}' && plot conservation "$figure.h5" ;;
  sine-euler-vorticity) run "$figure" euler-torus && plot vorticity "$figure.h5" ;;
  sliding-disk-schemes)
    set --
    for scheme in variational_euler euler_maruyama implicit_euler_maruyama baoab; do
      for h in 0.2 0.1 0.05 0.025; do
        run "disk-$scheme-$h" sliding-disk-temperature --set "integrator={name: $scheme}" --set "study.step=$h" --set study.paths=10000 || return
        set -- "$@" "disk-$scheme-$h.h5"
      done
    done
    plot parameter "$@" ;;
  sliding-disk-*)
    scheme=$(printf '%s' "${figure#sliding-disk-}" | tr - _)
    run "$figure" sliding-disk-temperature --set "integrator={name: $scheme}" \
      --set 'study={kind: ensemble, step: 0.2, horizon: 120, every: 15, paths: 4000, observables: [kinetic_energy]}' &&
      plot ensemble "$figure.h5" ;;
  spring-lattice-*)
    run "$figure" spring-lattice --set "integrator={name: $(printf '%s' "${figure#spring-lattice-}" | tr - _)}" &&
      plot ensemble "$figure.h5" ;;
  *-conservation) run "${figure%-conservation}-long" "${figure%-conservation}-long" && plot conservation "${figure%-conservation}-long.h5" ;;
  *-weak-multilevel) job && plot multilevel "$figure.h5" ;;
  *-strong) job && plot convergence "$figure.h5" ;;
  *) return 2 ;;
  esac
}

if [ "${1:-}" = --check ]; then
  # nothing is drawn: `run` and `plot` only tell what would draw the figure
  run() { :; }
  work() { plot work; }
  plot() { found="$figure $1 $(template "$1")"; }
  status=0
  for file in "$figures"/*.svg; do
    found='' checked=$(basename "$file" .svg)
    [ "$checked" != architecture ] || continue # bench/architecture.sh draws it
    draw "$checked" || { say "$checked: bench/figures.sh has no recipe"; status=1; continue; }
    grep -qxF -e "$found" "$figures/drawn.txt" ||
      { say "$checked: drawn by other code than today's; sh bench/figures.sh $checked draws it again"; status=1; }
  done
  exit $status
fi

find_casimir
mkdir -p "$root/build/figures" && cd "$root/build/figures" || exit 1
if [ $# -eq 0 ]; then
  for file in "$figures"/*.svg; do
    name=$(basename "$file" .svg)
    [ "$name" = architecture ] || set -- "$@" "$name"
  done
fi
for name; do
  say "== $name"
  draw "$name"
  case $? in
  0) ;;
  2) say "There is no figure '$name' in bench/figures.sh."; exit 2 ;;
  *) say "$name was not drawn"; exit 1 ;;
  esac
done
