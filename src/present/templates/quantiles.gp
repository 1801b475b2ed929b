# Quantiles of |X(h) - X_ref| over paths against the step size.
#
# Values: quantiles (how many); paths; fine, coarse (step sizes); units. Of quantile i: probability[i], and
# order[i] between order_low[i] and order_high[i], of the two finest steps.
# Blocks: quantile_i (h, error, both ends of its 95% interval).

eval range('positive($2)', '$quantile_1')
do for [i=1:quantiles] {
  eval widen('positive($2)', block('quantile', i))
  eval widen('positive($3)', block('quantile', i))
  eval widen('positive($4)', block('quantile', i))
}
lowest = LOW / 4
highest = HIGH * 2
eval range(from_coarse(0.5, 3), '$quantile_1')
do for [i=1:quantiles] { eval widen(from_coarse(0.5, 3), block('quantile', i)) }
guides = below(LOW, lowest, highest)
eval range(from_coarse(1, 3), '$quantile_1')
do for [i=1:quantiles] { eval widen(from_coarse(1, 3), block('quantile', i)) }
guides = least(guides, below(LOW, lowest, highest))
panels = 1
top = 0.12 + keys(quantiles)

found(i) = is_number(order[i]) ? sprintf(', finest order %.2f', order[i]).interval(order_low[i], order_high[i]) : ''

eval begin(1)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y('quantile of |X(h) − X_{ref}|', units)
eval log_axis('y', lowest, highest)
eval slope(0.5, guides, 1)
eval slope(1, guides, 1)
BOTTOM = LOWER_END
plot @slopes, \
  for [i=1:quantiles] block('quantile', i) using 1:(largest($3, BOTTOM)):(0):($4 - largest($3, BOTTOM)) @bar_style, \
  for [i=1:quantiles] block('quantile', i) using 1:2 with linespoints pointtype shape(i) pointsize size(i) \
    linewidth 1 linecolor rgb colour(i), \
  for [i=quantiles:1:-1] NaN with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i) \
    title sprintf('%g%%', 100 * probability[i]).found(i)
unset multiplot
