# Strong and weak errors against the step size, a panel each, with laws, slopes and noise floor.
#
# Values: panels; fine, coarse (step sizes); of panel p: kind[p] (strong or weak), units[p], first[p] and
# last[p] (curves), and whether it has what keys explain: unresolved[p], fitted[p], differences[p]. Of curve i:
# name[i], order[i] between order_low[i] and order_high[i].
# Blocks: points_i and differences_i (h, error or difference, two standard errors, resolved), law_i (h, law,
# leading term).

array from[panels]
array to[panels]
array noise[panels]
array lowest_first[panels]
array highest_first[panels]
most_lines = 0
do for [p=1:panels] {
  LOW = NaN
  HIGH = NaN
  do for [i=first[p]:last[p]] {
    eval widen('positive($4 == 1 ? $2 : largest($2, number(3) / 10))', block('points', i))
    eval widen('positive(upper($2, number(3)))', block('points', i))
    eval widen('positive($2)', block('differences', i))
    eval widen('positive(upper($2, number(3)))', block('differences', i))
  }
  # There is room below for the noise floor, but no more than two decades.
  lowest = LOW / 100
  TOP = HIGH
  do for [i=first[p]:last[p]] { eval widen('$3 > 0 ? largest($3, lowest) : NaN', block('points', i)) }
  from[p] = LOW / 1.6
  to[p] = largest(HIGH, TOP) * 2.2
  eval range('positive($3)', block('points', first[p]))
  do for [i=first[p]:last[p]] { eval widen('positive($3)', block('points', i)) }
  noise[p] = is_number(LOW)
  eval range('positive($2)', block('points', first[p]).' every ::0::0')
  do for [i=first[p]:last[p]] { eval widen('positive($2)', block('points', i).' every ::0::0') }
  lowest_first[p] = LOW
  highest_first[p] = HIGH
  most_lines = largest(most_lines, last[p] - first[p] + 1 + noise[p] + unresolved[p] + fitted[p] + differences[p])
}
top = 0.12 + keys(most_lines)

# The two slopes of 1/2, 1, 2 that are nearest to the order; where none is fitted, to the slope from the
# first error to the last, or to 1/2. One at least as steep as that starts below the errors at the coarsest
# step, another above.
array steepness[panels]
do for [p=1:panels] {
  steepness[p] = order[first[p]]
  # The first line of a block is its heading.
  eval sprintf("ROWS = |$points_%d| - 1; ROW = $points_%d[2]; LAST = $points_%d[ROWS + 1]", first[p], first[p], first[p])
  if (!is_number(steepness[p]) && ROWS > 1) {
    steepness[p] = log(real(word(ROW, 2)) / real(word(LAST, 2))) / log(real(word(ROW, 1)) / real(word(LAST, 1)))
  }
}
nearest(p) = is_number(steepness[p]) && abs(2 - steepness[p]) < abs(0.5 - steepness[p])
start(p, s) = is_number(steepness[p]) && s <= steepness[p] - 0.15 ? highest_first[p] * 1.7 : lowest_first[p] / 1.9

found(i) = is_order(order[i], order_low[i], order_high[i]) ? \
  ': order '.rounded(order[i], order_low[i], order_high[i]).interval(order_low[i], order_high[i]) : \
  ': order not resolved'

# block of curve i of a panel whose first is FIRST
of(name, i) = block(name, FIRST + i - 1)
floor_at(y) = y > 0 ? largest(y, BOTTOM * 1e-3) : NaN

eval begin(panels)
do for [p=1:panels] {
  FIRST = first[p]
  n = last[p] - FIRST + 1
  eval panel(p)
  eval step_axis(fine, coarse)
  eval label_y(kind[p] eq 'strong' ? 'root-mean-square error' : '|weak error|', units[p])
  eval log_axis('y', from[p], to[p])
  eval slope(nearest(p) ? 1 : 0.5, start(p, nearest(p) ? 1 : 0.5), 1.4 * from[p])
  eval slope(nearest(p) ? 2 : 1, start(p, nearest(p) ? 2 : 1), 1.4 * from[p])
  BOTTOM = from[p]
  # Floors are shaded if there is one curve only: shades over each other cannot be told apart.
  plot for [i=1:(n == 1 && noise[p])] of('points', i) using 1:(floor_at($3)) with filledcurves y1=1e-300 \
      fillstyle solid noborder linecolor rgb '#f0f0f0', \
    for [i=1:n] of('points', i) using 1:(floor_at($3)) with lines @floor_line linecolor rgb colour(i), \
    @slopes, \
    for [i=1:n] of('law', i) using 1:3 with lines @leading_line linecolor rgb colour(i), \
    for [i=1:n] of('law', i) using 1:2 @line, \
    for [i=1:n] of('differences', i) @bar, \
    for [i=1:n] of('differences', i) using 1:2 with points pointtype shape(i) pointsize 0.6 * size(i) linecolor rgb colour(i), \
    for [i=1:n] of('points', i) @bar, \
    for [i=1:n] of('points', i) using 1:2 @mark, \
    for [i=1:n] of('points', i) @hollow, \
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
