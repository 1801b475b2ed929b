# Estimates of several files against the key in which they differ.
#
# Values: number_of_panels, quantity (of each); parameter (the key on the x axis); series, label (of each: the values of
# all other keys that differ).
# Blocks: panel_P_S (parameter, value, both ends of its interval or of two standard errors), for panel P and series S.

panels = number_of_panels
most_columns = 2
legend_entries = series > 1 ? series : 0
legend_characters = 0
do for [i=1:series] { legend_characters = largest(legend_characters, strlen(label[i])) }
name(p, i) = block('panel_'.p, i)

# All ranges come before begin(), as those of an axis that is set would hide points.
eval range('$1', '$panel_1_1')
do for [i=1:series] { eval widen('$1', name(1, i)) }
least_x = LOW
greatest_x = HIGH
beside = HIGH > LOW ? 0.06 * (HIGH - LOW) : 1
aside(i) = (i - 0.5 * (series + 1)) * 0.16 * beside
array lowest[panels]
array highest[panels]
do for [p=1:panels] {
  eval range('$2', name(p, 1))
  do for [i=1:series] {
    eval widen('$2', name(p, i))
    eval widen('$3', name(p, i))
    eval widen('$4', name(p, i))
  }
  margin = HIGH > LOW ? 0.08 * (HIGH - LOW) : 1
  lowest[p] = LOW - margin
  highest[p] = HIGH + margin
}

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  if (p == 1 && series > 1) {
    do for [i=1:series] {
      eval legend_mark(label[i], sprintf("pointtype %d pointsize %g linecolor rgb '%s'", shape(i), size(i), colour(i)))
    }
  }
  eval axis('x', least_x - beside, greatest_x + beside)
  eval axis('y', lowest[p], highest[p])
  eval label_x(parameter, '')
  eval label_y(quantity[p], '')
  plot for [i=1:series] name(p, i) using ($1 + aside(i)):3:(0):($4 - $3) @bar_style, \
    for [i=1:series] name(p, i) using ($1 + aside(i)):2 with lines linewidth 0.8 linecolor rgb colour(i), \
    for [i=1:series] name(p, i) using ($1 + aside(i)):2 @mark
}
unset multiplot
