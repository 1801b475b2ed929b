# Errors of several schemes against the step size, and against what a path costs.
#
# Values: studies; kind (strong or weak), name (of the error), units; of study i: integrator[i], file[i].
# Blocks: study_i (h, error, two standard errors, resolved, evaluations of all gradients on a path, seconds of a
# path on one core, their quartiles).

panels = 3
most_columns = 3
legend_entries = studies
legend_characters = 0
# Where one scheme has several files, these tell them apart.
array label[studies]
do for [i=1:studies] {
  twice = 0
  do for [j=1:studies] { twice = twice + (integrator[j] eq integrator[i]) }
  label[i] = twice > 1 ? integrator[i].', '.file[i] : integrator[i]
  legend_characters = largest(legend_characters, strlen(label[i]))
}

eval range('$1', '$study_1')
do for [i=1:studies] { eval widen('$1', block('study', i)) }
fine = LOW
coarse = HIGH
eval range('$5', '$study_1')
do for [i=1:studies] { eval widen('$5', block('study', i)) }
fewest = LOW
most = HIGH
eval range('positive($7)', '$study_1')
do for [i=1:studies] {
  eval widen('positive($7)', block('study', i))
  eval widen('positive($8)', block('study', i))
}
shortest = LOW
longest = HIGH
eval range('upper($2, number(3))', '$study_1')
do for [i=1:studies] {
  eval widen('$4 == 1 ? $2 : largest($2, number(3) / 10)', block('study', i))
  eval widen('upper($2, number(3))', block('study', i))
}
BOTTOM = LOW / 2
highest = HIGH * 2
error_name = kind eq 'strong' ? 'root-mean-square error' : '|weak error| of '.name

eval begin(panels)
do for [p=1:panels] {
  x = int(word('1 5 6', p))
  eval panel(p)
  if (p == 1) {
    do for [i=1:studies] {
      eval legend_mark(label[i], sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
    }
    eval step_axis(fine, coarse)
  }
  if (p == 2) {
    eval label_x('evaluations of all gradients on a path', '')
    eval log_axis('x', fewest / 1.5, most * 1.5)
  }
  if (p == 3) {
    eval label_x('time of a path on one core', 's')
    eval log_axis('x', shortest / 1.5, longest * 1.5)
  }
  eval label_y(error_name, units)
  eval log_axis('y', BOTTOM, highest)
  plot for [i=1:studies] block('study', i) using x:2 with lines linewidth 0.8 linecolor rgb colour(i), \
    for [i=1:studies] block('study', i) using x:(lower($2,number(3))):(0):(upper($2,number(3))-lower($2,number(3))) @bar_style, \
    for [i=1:studies] block('study', i) using (p == 3 ? $7 : NaN):2:(p == 3 ? $8 - $7 : 0):(0) @bar_style, \
    for [i=1:studies] block('study', i) using x:2 @mark, \
    for [i=1:studies] block('study', i) using x:($4 == 1 ? NaN : $2) @inside
}
unset multiplot
