# Derivatives of means by a swept number, from neighbouring runs on the same paths: marks in the middle of both runs with
# 95% intervals, and a line from one run to the other, a panel for each observable.
#
# Values: number_of_panels, name (of each observable); parameter (the key on the x axis); series, when (time of each).
# Blocks: panel_P_S (middle of the two values of the key, derivative, both ends of its interval, both values of the key),
# for panel P and series S.

panels = number_of_panels
most_columns = 2
time_of(i) = sprintf('t = %g', when[i])
legend_entries = series > 1 ? series : 0
legend_characters = 0
do for [i=1:series] { legend_characters = largest(legend_characters, strlen(time_of(i))) }
block_of(p, i) = block('panel_'.p, i)

# All ranges come before begin(), as those of an axis that is set would hide points.
eval range('$5', '$panel_1_1')
do for [p=1:panels] { do for [i=1:series] { eval widen('$5', block_of(p, i)); eval widen('$6', block_of(p, i)) } }
least_x = LOW
greatest_x = HIGH
beside = 0.04 * (HIGH - LOW)
aside(i) = (i - 0.5 * (series + 1)) * 0.25 * beside
array lowest[panels]
array highest[panels]
do for [p=1:panels] {
  eval range('$3', block_of(p, 1))
  do for [i=1:series] { eval widen('$3', block_of(p, i)); eval widen('$4', block_of(p, i)) }
  lowest[p] = LOW
  highest[p] = HIGH
}

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  if (p == 1 && series > 1) {
    do for [i=1:series] {
      eval legend_mark(time_of(i), sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
    }
  }
  eval axis('x', least_x - beside, greatest_x + beside)
  eval linear_axis_y(lowest[p], highest[p])
  eval label_x(parameter, '')
  eval label_y(sprintf(series > 1 ? 'derivative of E %s' : 'derivative of E %s at %s', name[p], time_of(1)), '')
  plot for [i=1:series] block_of(p, i) using 5:2:($6 - $5):(0) with vectors nohead linewidth 0.8 linecolor rgb tint(colour(i), 0.5), \
    for [i=1:series] block_of(p, i) using ($1 + aside(i)):3:(0):($4 - $3) @bar_style, \
    for [i=1:series] block_of(p, i) using ($1 + aside(i)):2 @mark
}
unset multiplot
