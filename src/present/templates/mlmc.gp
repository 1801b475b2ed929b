# Variances and means by level, paths by level and epsilon, work by epsilon.
#
# Values: files (of one epsilon each, the largest first); levels (of the smallest), most_levels; name (of the
# functional), units, units_squared; antithetic (1: variances with one fine path too); bias (that epsilon
# allows); decay, decay_low, decay_high; order, order_low, order_high; epsilon[i], reached[i]; measured (1: work
# of plain Monte Carlo is); from[p], to[p] (of the vertical axes); epsilon_from, epsilon_to.
# Blocks: levels (level, variance of P, of P_l - P_(l-1), of that with one fine path, mean of P, of the
# difference, bar from, to), paths_i (level, paths), work (epsilon, epsilon^2 work, of plain Monte Carlo,
# whether that is measured).

panels = 4
panel_height = 2.5
top = 0.12 + keys(largest(files, 3))

lines = "with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i)"
difference = 'P_l − P_{l−1}'

eval begin(panels)
eval panel(1)
eval level_axis(levels)
eval label_y('variance', units_squared)
eval log_axis('y', from[1], to[1])
plot for [i=1:1] $levels using 1:2 @lines title 'P_l = '.name.' at step h_l', \
  for [i=2:2] $levels using 1:3 @lines title difference.(is_number(decay) ? \
    sprintf(': β = %.2f [%.2f, %.2f]', decay, decay_low, decay_high) : ''), \
  for [i=2:2] $levels using 1:(antithetic ? $4 : NaN) with linespoints pointtype shape(i) - 1 pointsize size(i) \
    linewidth 1.3 dashtype (2,4) linecolor rgb colour(i) title (antithetic ? 'with one fine path' : '')

eval panel(2)
eval level_axis(levels)
eval label_y('|mean|', units)
eval log_axis('y', from[2], to[2])
plot for [i=1:1] $levels using 1:5 @lines title 'P_l', \
  for [i=2:2] $levels using 1:7:(0):($8-$7) with vectors nohead linewidth 1 linecolor rgb colour(i), \
  for [i=2:2] $levels using 1:6 @lines title difference.(is_order(order, order_low, order_high) ? \
    sprintf(': q = %.2f [%.2f, %.2f]', order, order_low, order_high) : ': q not resolved'), \
  bias with lines @slope_line title sprintf('bias that ε = %g allows', epsilon[files])

eval panel(3)
eval level_axis(most_levels)
eval label_y('paths', '')
eval log_axis('y', from[3], to[3])
plot for [i=1:files] block('paths', i) using 1:2 @lines \
  title sprintf('ε = %g%s', epsilon[i], reached[i] ? '' : ', NOT REACHED')

eval panel(4)
eval label_x('rms error ε', units)
eval log_axis('x', epsilon_from, epsilon_to)
eval label_y('ε² · work in iterations', units_squared)
eval log_axis('y', from[4], to[4])
plot for [i=2:2] $work using 1:2 @lines title 'multilevel', \
  for [i=1:1] $work using 1:3 with linespoints pointtype shape(i) - 1 pointsize size(i) linewidth 1.3 \
    linecolor rgb colour(i) title 'plain Monte Carlo, predicted', \
  for [i=1:1] $work using 1:($4 == 1 ? $3 : NaN) with points pointtype shape(i) pointsize size(i) \
    linecolor rgb colour(i) title (measured ? '  with variance and work measured' : '')
unset multiplot
