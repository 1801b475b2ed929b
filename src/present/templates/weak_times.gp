# Weak errors at several times, a panel for each functional, and the largest of them against the step size.
#
# Values: functionals; levels; step[l] (step sizes); start, end (time); supremum_units. Of functional i: name[i], units[i],
# order[i] between order_low[i] and order_high[i], of the supremum between the two finest steps where it is
# bounded.
# Blocks: error_i_l (time, magnitude of the error, two standard errors, resolved) of functional i and level l;
# supremum_i (h, supremum, both ends of its interval).

panels = functionals + 1
most_columns = panels == 4 ? 2 : 3
top = 0.12 + keys(functionals)
legend_entries = levels + 1
legend_characters = strlen('hollow: within two standard errors of 0')
step_text(h) = log(h) / log(2) == floor(log(h) / log(2)) ? sprintf('h = 2^{%d}', floor(log(h) / log(2))) : sprintf('h = %g', h)
found(i) = name[i].(is_number(order[i]) ? ': finest order ' \
  .rounded(order[i], order_low[i], order_high[i]).interval(order_low[i], order_high[i]) : '')
beside = end > start ? 0.06 * (end - start) : 1

array lowest[panels]
array highest[panels]
do for [p=1:functionals] {
  eval range('positive($2)', block('error_'.p, 1))
  do for [l=1:levels] {
    eval widen('positive($2)', block('error_'.p, l))
    eval widen('$2 + $3', block('error_'.p, l))
  }
  lowest[p] = is_number(LOW) ? LOW / 3 : 1e-3
  highest[p] = is_number(HIGH) ? HIGH * 1.6 : 1
}
eval range('positive($2)', '$supremum_1')
do for [i=1:functionals] {
  eval widen('positive($2)', block('supremum', i))
  eval widen('positive($3)', block('supremum', i))
  eval widen('positive($4)', block('supremum', i))
}
fine = step[levels]
coarse = step[1]
lowest[panels] = is_number(LOW) ? LOW / 4 : 1e-3
highest[panels] = is_number(HIGH) ? HIGH * 2 : 1
array guides[2]
do for [k=1:2] {
  eval range(from_coarse(k, 2), '$supremum_1')
  do for [i=1:functionals] { eval widen(from_coarse(k, 2), block('supremum', i)) }
  guides[k] = below(LOW, lowest[panels], highest[panels])
}

eval begin(panels)
do for [p=1:functionals] {
  eval panel(p)
  if (p == 1) {
    do for [i=1:levels] {
      eval legend_mark(step_text(step[i]), sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
    }
    eval legend_mark('hollow: within two standard errors of 0', "pointtype 6 pointsize 0.8 linecolor rgb '#404040'")
  }
  eval time_axis(start - beside, end + beside)
  eval label_y('|weak error| of '.name[p], units[p])
  eval log_axis('y', lowest[p], highest[p])
  BOTTOM = LOWER_END
  plot for [i=1:levels] block('error_'.p, i) @bar, \
    for [i=1:levels] block('error_'.p, i) using 1:2 with lines linewidth 0.8 linecolor rgb colour(i), \
    for [i=1:levels] block('error_'.p, i) using 1:2 @mark, \
    for [i=1:levels] block('error_'.p, i) @hollow
}
eval panel(panels)
eval step_axis(fine, coarse)
eval label_y('supremum over the times', supremum_units)
eval log_axis('y', lowest[panels], highest[panels])
eval slope(1, guides[1], 1)
# the slope 2 only where its name is apart from that of the other line
beside_x = sqrt(X * coarse)
beside_y = sqrt(Y * guides[1])
end_x = largest(fine, coarse * sqrt(LOWER_END / guides[2]))
near = abs(log(sqrt(end_x * coarse) / beside_x)) < 0.12 * log(coarse / fine * MARGIN**2) \
  && abs(log(guides[2] * (end_x / coarse) / beside_y)) < 0.09 * log(UPPER_END / LOWER_END)
if (!near) { eval slope(2, guides[2], 1) }
BOTTOM = LOWER_END
plot @slopes, \
  for [i=1:functionals] block('supremum', i) using 1:(largest($3, BOTTOM)):(0):($4 - largest($3, BOTTOM)) @bar_style, \
  for [i=1:functionals] block('supremum', i) using 1:2 with linespoints pointtype shape(i) pointsize size(i) \
    linewidth 1 linecolor rgb colour(i), \
  for [i=functionals:1:-1] NaN with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i) \
    title found(i)
unset multiplot
