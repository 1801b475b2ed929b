# Distances of laws against the step size: largest difference of distribution functions (Kolmogorov, Smirnov) and
# Wasserstein's of order 1, from the law of the reference, and from the uniform law on the orbit where that was asked for.
#
# Values: functionals; panels (2; 4 with the uniform law); fine, coarse, reference (step sizes); units (of Wasserstein's
# distances). Of functional i: name[i], order[i] between order_low[i] and order_high[i], of Wasserstein's distance between
# the two finest steps where it is bounded.
# Blocks: distance_P_i (h, distance, both ends of its interval, p-value of equal laws) of functional i in panel P.

found(i) = name[i].(is_number(order[i]) ? ': finest order ' \
  .rounded(order[i], order_low[i], order_high[i]).interval(order_low[i], order_high[i]) : '')
legend_entries = functionals + 1
legend_characters = strlen('hollow: equal laws are not rejected')
do for [i=1:functionals] { legend_characters = largest(legend_characters, strlen(found(i))) }
from(p) = p < 3 ? 'the reference' : 'the uniform law'
title_of(p) = (p % 2 ? 'Smirnov distance from ' : 'Wasserstein distance from ').from(p)
not_rejected = "using 1:($5 < 0.05 ? NaN : $2) @inside"

array lowest[panels]
array highest[panels]
array guides[panels]
do for [p=1:panels] {
  eval range('positive($2)', block('distance_'.p, 1))
  do for [i=1:functionals] {
    eval widen('positive($2)', block('distance_'.p, i))
    eval widen('positive($4)', block('distance_'.p, i))
  }
  lowest[p] = is_number(LOW) ? LOW / 4 : 1e-3
  highest[p] = is_number(HIGH) ? HIGH * 2 : 1
  eval range(from_coarse(1, 2), block('distance_'.p, 1))
  do for [i=1:functionals] { eval widen(from_coarse(1, 2), block('distance_'.p, i)) }
  guides[p] = p > 2 ? NaN : below(LOW, lowest[p], highest[p])
}

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  if (p == 1) {
    do for [i=1:functionals] {
      eval legend_mark(found(i), sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
    }
    eval legend_mark('hollow: equal laws are not rejected', "pointtype 6 pointsize 0.8 linecolor rgb '#404040'")
  }
  eval step_axis(p < 3 ? fine : reference, coarse)
  eval label_y(title_of(p), p % 2 ? '' : units)
  eval log_axis('y', lowest[p], highest[p])
  eval slope(1, guides[p], 1)
  BOTTOM = LOWER_END
  plot @slopes, \
    for [i=1:functionals] block('distance_'.p, i) using 1:(largest($3, BOTTOM)):(0):($4 - largest($3, BOTTOM)) @bar_style, \
    for [i=1:functionals] block('distance_'.p, i) using 1:2 with lines linewidth 0.8 linecolor rgb colour(i), \
    for [i=1:functionals] block('distance_'.p, i) using 1:2 @mark, \
    for [i=1:functionals] block('distance_'.p, i) @not_rejected
}
unset multiplot
