# Strong and weak errors against the step size, a panel each, with laws, slopes and noise floor.
#
# Values: panels; fine, coarse (step sizes); of panel p: kind[p] (strong or weak), units[p], first[p] and
# last[p] (curves), from[p] and to[p] (of the error axis), and whether it has what keys explain:
# unresolved[p], noise[p], fitted[p], differences[p]. Of curve i: name[i], order[i] between order_low[i] and
# order_high[i].
# Blocks: points_i (h, error, bar from, to, noise floor, resolved), differences_i (h, difference, bar from,
# to), law_i (h, law, leading term), slopes_p (h, error, h, error, slope).

most_lines = 0
do for [p=1:panels] {
  most_lines = largest(most_lines, last[p] - first[p] + 1 + noise[p] + unresolved[p] + fitted[p] + differences[p])
}
top = 0.12 + keys(most_lines)

found(i) = is_order(order[i], order_low[i], order_high[i]) ? \
  ': order '.rounded(order[i], order_low[i], order_high[i]).interval(order_low[i], order_high[i]) : \
  ': order not resolved'

# block of curve i of a panel whose first is FIRST
of(name, i) = block(name, FIRST + i - 1)

eval begin(panels)
do for [p=1:panels] {
  FIRST = first[p]
  n = last[p] - FIRST + 1
  eval panel(p)
  eval step_axis(fine, coarse)
  eval label_y(kind[p] eq 'strong' ? 'root-mean-square error' : '|weak error|', units[p])
  eval log_axis('y', from[p], to[p])
  # Floors are shaded if there is one curve only: shades over each other cannot be told apart.
  plot for [i=1:(n == 1 && noise[p])] of('points', i) using 1:5 with filledcurves y1=1e-300 \
      fillstyle solid noborder linecolor rgb '#f0f0f0', \
    for [i=1:n] of('points', i) using 1:5 with lines @floor_line linecolor rgb colour(i), \
    block('slopes', p) @slope, \
    for [i=1:n] of('law', i) using 1:3 with lines @leading_line linecolor rgb colour(i), \
    for [i=1:n] of('law', i) using 1:2 @line, \
    for [i=1:n] of('differences', i) @bar, \
    for [i=1:n] of('differences', i) using 1:2 with points pointtype shape(i) pointsize 0.6 * size(i) linecolor rgb colour(i), \
    for [i=1:n] of('points', i) @bar, \
    for [i=1:n] of('points', i) using 1:2 @mark, \
    for [i=1:n] of('points', i) using 1:($6 == 1 ? NaN : $2) @hollow, \
    block('slopes', p) @slope_label, \
    for [i=1:n] NaN with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i) \
      title name[FIRST + i - 1].found(FIRST + i - 1), \
    NaN with points pointtype 6 pointsize 0.9 linewidth 1.2 linecolor rgb grey \
      title (unresolved[p] ? 'not resolved' : ''), \
    NaN with lines @leading_line linecolor rgb grey title (fitted[p] ? 'leading term of the law' : ''), \
    NaN with points pointtype 7 pointsize 0.6 linecolor rgb grey \
      title (differences[p] ? 'small marks: |X(h) − X(h/2)|, fitted' : ''), \
    NaN with lines @floor_line linecolor rgb grey title (noise[p] ? 'noise floor, 2 standard errors' : '')
}
unset multiplot
