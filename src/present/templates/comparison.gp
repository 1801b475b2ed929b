# Weak errors of one functional by several studies, and how far they are from those of the first; or strong errors.
#
# Values: studies; errors (weak or strong); name (of the functional), units; of study i: file[i], kind[i], integrator[i], paths[i], and longest,
# the most bytes of a file.
# Blocks: study_i (h, error, two standard errors, resolved), distances_i (h, distance from the first in joint
# standard errors; of weak ones).

panels = errors eq 'weak' ? 2 : 1
top = 0.12 + keys(1)
agreement = 3
made(i) = sprintf('%s, %s, %d paths', kind[i], integrator[i], paths[i])
longest_made = 0
do for [i=1:studies] { longest_made = largest(longest_made, strlen(made(i))) }
# one line of the legend for a study, or two where the figure is narrower than that
two_lines = WIDTH > 0 && WIDTH / 25.4 / LEAST_SCALE < legend_entry(longest + 2 + longest_made)
legend_entries = studies * (1 + two_lines)
legend_characters = two_lines ? largest(longest, longest_made) : longest + 2 + longest_made
legend_most_columns = 1
# bars of several studies at one step are beside each other
shift(h, i) = h * 2**(0.14 * (i - (studies + 1) / 2.0))

eval range('$1', '$study_1')
do for [i=1:studies] { eval widen('$1', block('study', i)) }
fine = LOW
coarse = HIGH
if (panels == 2) {
  eval range('abs($2)', '$distances_1')
  do for [i=1:studies] { eval widen('abs($2)', block('distances', i)) }
  most = largest(1.2 * HIGH, 1.5 * agreement)
}
eval range('upper($2, number(3))', '$study_1')
do for [i=1:studies] {
  eval widen('$4 == 1 ? $2 : largest($2, number(3) / 10)', block('study', i))
  eval widen('upper($2, number(3))', block('study', i))
}
lowest = LOW / 2
highest = HIGH * 2

eval begin(panels)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y(panels == 2 ? '|weak error| of '.name : 'root-mean-square error', units)
eval log_axis('y', lowest, highest)
BOTTOM = LOWER_END
do for [i=1:studies] {
  eval legend_mark(file[i].(two_lines ? '' : ': '.made(i)), sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
  if (two_lines) { eval legend_text(made(i)) }
}
plot for [i=1:studies] block('study', i) using (shift($1, i)):(lower($2, number(3))):(0):(upper($2, number(3))-lower($2, number(3))) @bar_style, \
  for [i=1:studies] block('study', i) using (shift($1, i)):2 @mark, \
  for [i=1:studies] block('study', i) using (shift($1, i)):($4 == 1 ? NaN : $2) @inside

if (panels == 2) {
  eval panel(2)
  eval step_axis(fine, coarse)
  set ylabel 'joint standard errors from the first' offset character 0.5,0
  eval axis('y', -most, most)
  plot agreement with filledcurves y1=-agreement fillstyle solid noborder linecolor rgb '#f0f0f0' \
      title sprintf('within %d', agreement), \
    0 with lines linewidth 1 linecolor rgb grey, \
    for [i=2:studies] block('distances', i) using (shift($1, i)):2 @mark
}
unset multiplot
