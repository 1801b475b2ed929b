# Differences of neighbouring levels against the step size, and their variances.
#
# Values: panels (2, or 1 without variances); functionals; antithetic (1: variances with one fine path too);
# fine, coarse (step sizes); units, units_squared; from[p], to[p] (of the vertical axis). Of functional i:
# name[i], order[i] between order_low[i] and order_high[i], decay[i] between decay_low[i] and decay_high[i].
# Blocks: levels_i (h, difference, bar from, to, resolved, variance, variance with one fine path), law_i
# (h, law, leading term), slopes_p (h, y, h, y, slope).

top = 0.12 + keys(functionals + 1)

found(symbol, y, low, high) = ': '.symbol.(is_order(y, low, high) ? \
  sprintf(' = %.2f [%.2f, %.2f]', y, low, high) : ' not resolved')

eval begin(panels)
eval panel(1)
eval step_axis(fine, coarse)
eval label_y('|E φ(X(h)) − E φ(X(h/2))|', units)
eval log_axis('y', from[1], to[1])
plot $slopes_1 @slope, \
  for [i=1:functionals] block('law', i) using 1:3 with lines @leading_line linecolor rgb colour(i), \
  for [i=1:functionals] block('law', i) using 1:2 @line, \
  for [i=1:functionals] block('levels', i) @bar, \
  for [i=1:functionals] block('levels', i) using 1:2 @mark, \
  for [i=1:functionals] block('levels', i) using 1:($5 == 1 ? NaN : $2) @hollow, \
  $slopes_1 @slope_label, \
  for [i=1:functionals] NaN with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i) \
    title name[i].found('q', order[i], order_low[i], order_high[i]), \
  NaN with lines @leading_line linecolor rgb grey title 'leading term of the law'

if (panels > 1) {
  eval panel(2)
  eval step_axis(fine, coarse)
  eval label_y('variance of a difference', units_squared)
  eval log_axis('y', from[2], to[2])
  plot $slopes_2 @slope, \
    for [i=1:(antithetic ? functionals : 0)] block('levels', i) using 1:7 with linespoints pointtype shape(i) - 1 \
      pointsize size(i) dashtype (2,4) linecolor rgb colour(i), \
    for [i=1:functionals] block('levels', i) using 1:6 with linespoints pointtype shape(i) pointsize size(i) \
      linewidth 1.3 linecolor rgb colour(i) title name[i].found('β', decay[i], decay_low[i], decay_high[i]), \
    $slopes_2 @slope_label, \
    NaN with linespoints pointtype 6 pointsize 0.9 dashtype (2,4) linecolor rgb grey \
      title (antithetic ? 'with one fine path' : '')
}
unset multiplot
