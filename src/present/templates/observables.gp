# Observables over time, a panel each.
#
# Values: panels; start, end (time); of panel p: name[p], units[p], curves[p]; label[i] of all curves of all panels one after
# another, empty where a panel has one curve.
# Blocks: curve_p_c (time, value).

panel_height = 2.3
left = 1.1
right = 0.3
most_columns = 2
# columns of a key above a panel, so many that none runs into the panel beside it
array key_columns[panels]
most_rows = 0
before = 0
do for [p=1:panels] {
  longest = 0
  do for [c=1:curves[p]] { longest = largest(longest, strlen(label[before + c])) }
  key_columns[p] = int(largest(1, least(curves[p], floor((panel_width + right) / (0.45 + LEGEND_CHARACTER * longest)))))
  most_rows = largest(most_rows, longest ? rows_of(curves[p], key_columns[p]) : 0)
  before = before + curves[p]
}
top = 0.15 + keys(most_rows)

array lowest[panels]
array highest[panels]
do for [p=1:panels] {
  eval range('$2', block('curve_'.p, 1))
  do for [c=1:curves[p]] { eval widen('$2', block('curve_'.p, c)) }
  lowest[p] = LOW
  highest[p] = HIGH
}

eval begin(panels)
dash(c) = 1 + (c - 1) / 7
before = 0
do for [p=1:panels] {
  eval panel(p)
  eval time_axis(start, end)
  eval linear_axis_y(lowest[p], highest[p])
  eval label_y(name[p], units[p])
  set key at graph 0,1.05 left bottom Left reverse vertical maxrows rows_of(curves[p], key_columns[p])
  plot for [c=1:curves[p]] block('curve_'.p, c) using 1:2 with lines linewidth 1 dashtype dash(c) \
    linecolor rgb colour(c) title label[before + c]
  before = before + curves[p]
}
unset multiplot
