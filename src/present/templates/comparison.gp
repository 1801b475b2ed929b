# Weak errors of one functional by several studies, and how far they are from those of the first.
#
# Values: studies; name (of the functional), units; of study i: file[i], kind[i], integrator[i], paths[i].
# Blocks: study_i (h, error, two standard errors, resolved), distances_i (h, distance from the first in joint
# standard errors).

panels = 2
top = 0.12 + keys(studies)
agreement = 3
# bars of several studies at one step are beside each other
shift(h, i) = h * 2**(0.14 * (i - (studies + 1) / 2.0))

eval range('$1', '$study_1')
do for [i=1:studies] { eval widen('$1', block('study', i)) }
fine = LOW
coarse = HIGH
eval range('abs($2)', '$distances_1')
do for [i=1:studies] { eval widen('abs($2)', block('distances', i)) }
most = largest(1.2 * HIGH, 1.5 * agreement)
eval range('upper($2, number(3))', '$study_1')
do for [i=1:studies] {
  eval widen('$4 == 1 ? $2 : largest($2, number(3) / 10)', block('study', i))
  eval widen('upper($2, number(3))', block('study', i))
}
BOTTOM = LOW / 2

eval begin(panels)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y('|weak error| of '.name, units)
eval log_axis('y', BOTTOM, HIGH * 2)
plot for [i=1:studies] block('study', i) using (shift($1, i)):(lower($2, number(3))):(0):(upper($2, number(3))-lower($2, number(3))) @bar_style, \
  for [i=1:studies] block('study', i) using (shift($1, i)):2 @mark, \
  for [i=1:studies] block('study', i) using (shift($1, i)):($4 == 1 ? NaN : $2) @inside, \
  for [i=1:studies] NaN @mark title sprintf('%s: %s, %s, %d paths', file[i], kind[i], integrator[i], paths[i])

eval panel(2)
eval step_axis(fine, coarse)
set ylabel 'joint standard errors from the first' offset character 0.5,0
set yrange [-most:most]
plot agreement with filledcurves y1=-agreement fillstyle solid noborder linecolor rgb '#f0f0f0' \
    title sprintf('within %d', agreement), \
  0 with lines linewidth 1 linecolor rgb grey, \
  for [i=2:studies] block('distances', i) using (shift($1, i)):2 @mark
unset multiplot
