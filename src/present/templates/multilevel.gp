# Differences of neighbouring levels against the step size, and their variances.
#
# Values: functionals; antithetic (1: variances with one fine path too); fine, coarse (step sizes); units,
# units_squared. Of functional i: name[i], order[i] between order_low[i] and order_high[i], decay[i] between
# decay_low[i] and decay_high[i].
# Blocks: levels_i (h, difference, two standard errors, resolved), variances_i (h, variance, variance with one
# fine path), law_i (h, law, leading term).

eval range('positive($2)', '$levels_1')
do for [i=1:functionals] {
  eval widen('positive($2)', block('levels', i))
  eval widen('positive(upper($2, number(3)))', block('levels', i))
}
difference_low = LOW / 3
difference_high = HIGH * 4
eval range(from_coarse(1, 2), '$levels_1')
do for [i=1:functionals] { eval widen(from_coarse(1, 2), block('levels', i)) }
difference_above = above(HIGH, difference_low, difference_high)
resolved = '$4 == 1 || $0 == 0 ? '.from_coarse(2, 2).' : NaN'
eval range(resolved, '$levels_1')
do for [i=1:functionals] { eval widen(resolved, block('levels', i)) }
difference_below = below(LOW, difference_low, difference_high)

eval range('positive($2)', '$variances_1')
do for [i=1:functionals] {
  eval widen('positive($2)', block('variances', i))
  eval widen('positive($3)', block('variances', i))
}
variance_low = LOW / largest(3, (HIGH / LOW)**0.12)
variance_high = HIGH * largest(3, (HIGH / LOW)**0.12)
panels = is_number(HIGH) ? 2 : 1 # without noise there are no variances
eval range(from_coarse(1, 2), '$variances_1')
do for [i=1:functionals] {
  eval widen(from_coarse(1, 2), block('variances', i))
  if (antithetic) { eval widen(from_coarse(1, 3), block('variances', i)) }
}
variance_above = above(HIGH, variance_low, variance_high)
eval range(from_coarse(2, 2), '$variances_1')
do for [i=1:functionals] { eval widen(from_coarse(2, 2), block('variances', i)) }
variance_below = below(LOW, variance_low, variance_high)

top = 0.12 + keys(functionals + 1)

found(symbol, y, low, high) = ': '.(is_order(y, low, high) ? \
  sprintf('%s = %.2f [%.2f, %.2f]', symbol, y, low, high) : one_sided(symbol, low, high))

eval begin(panels)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y(sprintf('|E φ(X(h)) − E φ(X(h/%d))|', refinement), units)
eval log_axis('y', difference_low, difference_high)
eval slope(1, difference_above, 0)
eval slope(2, difference_below, 1)
BOTTOM = LOWER_END
plot @slopes, \
  for [i=1:functionals] block('law', i) using 1:3 with lines @leading_line linecolor rgb colour(i), \
  for [i=1:functionals] block('law', i) using 1:2 @line, \
  for [i=1:functionals] block('levels', i) @bar, \
  for [i=1:functionals] block('levels', i) using 1:2 @mark, \
  for [i=1:functionals] block('levels', i) @hollow, \
  for [i=1:functionals] NaN with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i) \
    title name[i].found('q', order[i], order_low[i], order_high[i]), \
  NaN with lines @leading_line linecolor rgb grey title 'leading term of the law'

if (panels > 1) {
  eval panel(2)
  eval step_axis(fine, coarse)
  eval label_y('variance of a difference', units_squared)
  eval log_axis('y', variance_low, variance_high)
  eval slope(1, variance_above, 0)
  eval slope(2, variance_below, 1)
  plot @slopes, \
    for [i=1:(antithetic ? functionals : 0)] block('variances', i) using 1:3 with linespoints pointtype shape(i) - 1 \
      pointsize size(i) dashtype (2,4) linecolor rgb colour(i), \
    for [i=1:functionals] block('variances', i) using 1:2 with linespoints pointtype shape(i) pointsize size(i) \
      linewidth 1.3 linecolor rgb colour(i) title name[i].found('β', decay[i], decay_low[i], decay_high[i]), \
    NaN with linespoints pointtype 6 pointsize 0.9 dashtype (2,4) linecolor rgb grey \
      title (antithetic ? 'with one fine path' : '')
}
unset multiplot
