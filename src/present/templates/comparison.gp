# Weak errors of one functional by several studies, and how far they are from those of the first.
#
# Values: studies; name (of the functional), units; fine, coarse (step sizes); from, to (of the error axis);
# farthest (the largest distance); of study i: file[i], kind[i], paths[i].
# Blocks: study_i (h, error, bar from, to, resolved, distance from the first in joint standard errors).

panels = 2
top = 0.12 + keys(studies)
agreement = 3
# bars of several studies at one step are beside each other
shift(h, i) = h * 2**(0.14 * (i - (studies + 1) / 2.0))

eval begin(panels)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y('|weak error| of '.name, units)
eval log_axis('y', from, to)
plot for [i=1:studies] block('study', i) using (shift($1, i)):3:(0):($4-$3) with vectors nohead linewidth 1 \
    linecolor rgb colour(i), \
  for [i=1:studies] block('study', i) using (shift($1, i)):2 @mark, \
  for [i=1:studies] block('study', i) using (shift($1, i)):($5 == 1 ? NaN : $2) @hollow, \
  for [i=1:studies] NaN @mark title sprintf('%s: %s, %d paths', file[i], kind[i], paths[i])

eval panel(2)
eval step_axis(fine, coarse)
set ylabel 'joint standard errors from the first' offset character 0.5,0
most = largest(1.2 * farthest, 1.5 * agreement)
set yrange [-most:most]
plot agreement with filledcurves y1=-agreement fillstyle solid noborder linecolor rgb '#f0f0f0' \
    title sprintf('within %d', agreement), \
  0 with lines linewidth 1 linecolor rgb grey, \
  for [i=2:studies] block('study', i) using (shift($1, i)):6 @mark
unset multiplot
