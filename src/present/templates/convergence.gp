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
  most_lines = largest(most_lines, last[p] - first[p] + 1 + noise[p] + unresolved[p] + fitted[p] + differences[p])
}
top = 0.12 + keys(most_lines)

# The two slopes of 1/2, 1, 2 that are nearest to the order; where none is fitted, to the slope from the
# first error to the last, or to 1/2. One at least as steep as that is below all errors that are resolved, another
# above.
array steepness[panels]
array flat[panels]
array steep[panels]
array flat_start[panels]
array steep_start[panels]
array flat_below[panels]
do for [p=1:panels] {
  steepness[p] = order[first[p]]
  # The first line of a block is its heading.
  eval sprintf("ROWS = |$points_%d| - 1; ROW = $points_%d[2]; LAST = $points_%d[ROWS + 1]", first[p], first[p], first[p])
  if (!is_number(steepness[p]) && ROWS > 1) {
    steepness[p] = log(real(word(ROW, 2)) / real(word(LAST, 2))) / log(real(word(ROW, 1)) / real(word(LAST, 1)))
  }
  flat[p] = is_number(steepness[p]) && abs(2 - steepness[p]) < abs(0.5 - steepness[p]) ? 1 : 0.5
  steep[p] = 2 * flat[p]
  do for [k=1:2] {
    s = flat[p] * k
    LOW = NaN
    HIGH = NaN
    do for [i=first[p]:last[p]] {
      eval widen(sprintf('$4 == 1 || $0 == 0 ? %s : NaN', from_coarse(s, 2)), block('points', i))
      eval widen(from_coarse(s, 2), block('differences', i))
    }
    if (k == 1) {
      flat_below[p] = !is_number(steepness[p]) || s > steepness[p] - 0.15
      flat_start[p] = flat_below[p] ? below(LOW, from[p], to[p]) : above(HIGH, from[p], to[p])
    } else {
      steep_start[p] = below(LOW, from[p], to[p])
    }
  }
  if (flat_below[p]) { flat_start[p] = least(flat_start[p], steep_start[p]); steep_start[p] = flat_start[p] }
  to[p] = largest(to[p], largest(1.5 * flat_start[p], 1.5 * steep_start[p]))
}

found(i) = is_order(order[i], order_low[i], order_high[i]) ? \
  ': order '.rounded(order[i], order_low[i], order_high[i]).interval(order_low[i], order_high[i]) : \
  ': '.one_sided('order', order_low[i], order_high[i])

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
  eval slope(flat[p], flat_start[p], flat_below[p])
  eval slope(steep[p], steep_start[p], 1)
  BOTTOM = LOWER_END
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
      title (differences[p] ? sprintf('small marks: |X(h) − X(h/%d)|, fitted', refinement) : ''), \
    NaN with lines @floor_line linecolor rgb grey title (noise[p] ? 'noise floor, 2 standard errors' : '')
}
unset multiplot
