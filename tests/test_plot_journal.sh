#!/bin/sh
# Figures for a journal: the width of a column, text of 8 to 9 points, panels of one size with letters, ranges of axes,
# and scripts that draw the same elsewhere.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"
python=${PYTHON:-/usr/bin/python3}

cat >multilevel.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}
study: {kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 4, levels: 4, paths: 2000, functionals: [x1, x2]}
END
cat >trajectory.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 100}
END
cat >ensemble.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.3}}
study: {kind: ensemble, step: 2^-5, steps: 100, every: 25, paths: 64, observables: [x1, x2, x3], members: 20}
END
for study in multilevel trajectory ensemble; do
  "$CASIMIR" run $study.yaml --quiet --output $study.h5 >/dev/null || fail "$study.yaml does not run"
done

for width in 84 174; do
  for figure in multilevel:multilevel multilevel:convergence trajectory:conservation trajectory:paths ensemble:ensemble \
    ensemble:members; do
    name=${figure#*:}-$width
    expect 0 '' "$CASIMIR" plot "${figure%:*}.h5" --picture "${figure#*:}" --width $width --output "$name.svg"
    "$python" - "$name.svg" $width <<'END' || fail "$name.svg"
import re, sys
text = open(sys.argv[1]).read()
width, height = (int(x) for x in re.search(r'<svg\s+width="(\d+)" height="(\d+)"', text).groups())
assert abs(width - float(sys.argv[2]) / 25.4 * 96) <= 1, width
sizes = [float(s) * 0.75 for s in re.findall(r'<g transform[^>]*font-size="([\d.]+)"', text)]  # in points
assert sizes and all(8 <= round(s, 1) <= 9 for s in sizes), sorted(set(sizes))
corner = r"<path stroke='rgb\( 51,  51,  51\)'  d='M([\d.]+),([\d.]+) L[\d.]+,([\d.]+) L([\d.]+),[\d.]+ [^']*Z\s*'"
panels = {tuple(float(x) for x in found) for found in re.findall(corner, text)}
shapes = {(round(right - left), round(below - above)) for left, above, below, right in panels}
plots = set(re.findall(r'gnuplot_plot_\d+([a-z]*)"', text))
assert len(shapes) <= 1, shapes  # spheres have no frame
assert not panels or len(panels) == len(plots), (panels, plots)
letters = re.findall(r"\(([a-z])\)</tspan>", text)
assert sorted(letters) == (sorted(plots) if len(plots) > 1 else []), letters
assert all(-1 < left and right <= width for left, _, _, right in panels), panels
END
  done
done

# ---- ranges: of all panels, or of each ----
expect 0 '' "$CASIMIR" plot multilevel.h5 --picture multilevel --xrange :0.3 --yrange 1e-9:1e-1,1e-13:1e-2 --output ranges.svg
says ranges.svg '>-9<' '>-13<' # powers of ten at the lower ends
expect 0 '' "$CASIMIR" plot trajectory.h5 --picture conservation --xrange 1:2 --output times.svg
says times.svg '> *1\.2<' '> *1\.8<'
! grep -q '> *0\.5<' times.svg || fail "times.svg begins before 1"
# a logarithmic axis has no place for 0, of which casimir speaks and not gnuplot
expect 2 '^casimir: --yrange: found -1:1, but the axis of panel 1 is logarithmic: both ends must be above 0$' \
  "$CASIMIR" plot multilevel.h5 --picture multilevel --yrange=-1:1 --output wrong.svg
expect 2 '^casimir: --yrange: found 0:1, but the axis of panel 2' "$CASIMIR" plot multilevel.h5 --picture multilevel --yrange :,0:1 --output wrong.svg
expect 2 '^casimir: --xrange: found 0:1, but the axis of panel 1' "$CASIMIR" plot multilevel.h5 --picture multilevel --xrange 0:1 --output wrong.svg
expect 2 '^casimir: --yrange: found -1:1' "$CASIMIR" plot trajectory.h5 --picture conservation --yrange=-1:1 --output wrong.svg
expect 2 'must be LOW:HIGH with LOW < HIGH' "$CASIMIR" plot multilevel.h5 --yrange 2:1 --output wrong.svg
expect 2 'must be LOW:HIGH with LOW < HIGH' "$CASIMIR" plot multilevel.h5 --xrange 1 --output wrong.svg
expect 2 "'members' shows all of a surface" "$CASIMIR" plot ensemble.h5 --picture members --xrange 0:1 --output wrong.svg

# ---- a script with all that it needs ----
"$CASIMIR" plot multilevel.h5 --width 84 --script figure.gp 2>/dev/null || fail "--script"
"$CASIMIR" plot multilevel.h5 --width 84 --output figure.svg 2>/dev/null || fail "figure.svg"
mkdir elsewhere && mv figure.gp elsewhere
(cd elsewhere && gnuplot figure.gp >again.svg && gnuplot -e "FORMAT='pdf'" figure.gp >again.pdf) || fail "figure.gp does not run"
cmp figure.svg elsewhere/again.svg || fail "the script draws another figure"
begins elsewhere/again.pdf '%PDF'
expect 2 'no --output, no --data' "$CASIMIR" plot multilevel.h5 --script - --output wrong.svg
[ ! -e wrong.svg ] || fail "a figure of what was refused"
[ "$failures" -eq 0 ]
