# Variances and means by level, paths by level and epsilon, work by epsilon.
#
# Values: files (of one epsilon each, the largest first); levels (of the smallest), most_levels; name (of the
# functional), units, units_squared; antithetic (1: variances with one fine path too); bias (that epsilon
# allows); decay[1] between decay_low[1] and decay_high[1], order[1] likewise; epsilon[i], reached[i]; measured
# (1: work of plain Monte Carlo is).
# Blocks: levels (level, variance of P, of P_l - P_(l-1), of that with one fine path, mean of P, of the
# difference, its two standard errors), paths_i (level, paths), work (epsilon, epsilon^2 work, of plain Monte
# Carlo, whether that is measured).

panels = 4
panel_height = 2.5
top = 0.12 + keys(largest(files, 3))

lines = "with linespoints pointtype shape(i) pointsize size(i) linewidth 1.3 linecolor rgb colour(i)"
# Spaces that do not break: of others some programs show none behind a subscript.
difference = 'P_l − P_{l−1}'
some_predicted = 0
do for [i=1:files] { eval sprintf("some_predicted = some_predicted + (int(word($work[%d], 4)) == 0)", i + 1) }

array from[4]
array to[4]
eval range('positive($2)', '$levels')
eval widen('positive($3)', '$levels')
if (antithetic) { eval widen('positive($4)', '$levels') }
from[1] = is_number(LOW) ? LOW : 1e-3 # nothing is random
to[1] = is_number(HIGH) ? HIGH : 1
eval range('positive($5)', '$levels')
eval widen('positive($6)', '$levels')
from[2] = least(LOW, bias)
to[2] = largest(HIGH, bias)
eval range('positive($2)', '$paths_1')
do for [i=1:files] { eval widen('positive($2)', block('paths', i)) }
from[3] = LOW
to[3] = HIGH
eval range('positive($2)', '$work')
eval widen('positive($3)', '$work')
from[4] = LOW
to[4] = HIGH
beyond = 2.5 # factor on both ends of logarithmic axes
value_axis(p) = log_axis('y', from[p] / beyond, to[p] * beyond)

eval begin(panels)
eval panel(1)
eval level_axis(levels)
eval label_y('variance', units_squared)
eval value_axis(1)
plot for [i=1:1] $levels using 1:2 @lines title 'P_l = '.name.' at step h_l', \
  for [i=2:2] $levels using 1:3 @lines title difference.(is_number(decay[1]) ? \
    sprintf(': β = %.2f [%.2f, %.2f]', decay[1], decay_low[1], decay_high[1]) : ''), \
  for [i=2:2] $levels using 1:(antithetic ? $4 : NaN) with linespoints pointtype shape(i) - 1 pointsize size(i) \
    linewidth 1.3 dashtype (2,4) linecolor rgb colour(i) title (antithetic ? 'with one fine path' : '')

eval panel(2)
eval level_axis(levels)
eval label_y('|mean|', units)
eval value_axis(2)
BOTTOM = LOWER_END
plot for [i=1:1] $levels using 1:5 @lines title 'P_l', \
  for [i=2:2] $levels using 1:(lower($6,number(7))):(0):(upper($6,number(7))-lower($6,number(7))) @bar_style, \
  for [i=2:2] $levels using 1:6 @lines title difference.(is_order(order[1], order_low[1], order_high[1]) ? \
    sprintf(': q = %.2f [%.2f, %.2f]', order[1], order_low[1], order_high[1]) : ': '.one_sided('q', order_low[1], order_high[1])), \
  bias with lines @slope_line title sprintf('bias that ε = %g allows', epsilon[files])

eval panel(3)
eval level_axis(most_levels)
eval label_y('paths', '')
eval value_axis(3)
plot for [i=1:files] block('paths', i) using 1:2 @lines \
  title sprintf('ε = %g%s', epsilon[i], reached[i] ? '' : ', NOT REACHED')

eval panel(4)
eval label_x('rms error ε', units)
eval log_axis('x', epsilon[files] / beyond, epsilon[1] * beyond)
eval label_y('ε² · work in iterations', units_squared)
eval value_axis(4)
plot for [i=2:2] $work using 1:2 @lines title 'multilevel', \
  for [i=1:1] $work using 1:3 with linespoints pointtype shape(i) - 1 pointsize size(i) linewidth 1.3 \
    linecolor rgb colour(i) title (some_predicted ? 'plain Monte Carlo, predicted' : ''), \
  for [i=1:1] $work using 1:($4 == 1 ? $3 : NaN) with points pointtype shape(i) pointsize size(i) \
    linecolor rgb colour(i) title (measured ? 'plain Monte Carlo, measured' : '')
unset multiplot
