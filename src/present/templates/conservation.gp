# Invariants along a trajectory: departure of the Casimirs, relative change of what should stay or change little.
#
# Values: panels; of panel p: quantity[p], relative[p] (1, or 0: absolute), units[p], from[p], to[p] (of the
# vertical axis), start[p], end[p] (time), few[p] (1: so few records that each has a mark), mark_size[p] (size of
# marks), zeros[p] (1: some departures are zero and lie on the lower edge); paths (drawn), paths_recorded,
# path[k] (number).
# Blocks: series_p_k for panel p and path k (time, value), and of Casimirs maximum_k (time, greatest so far).

panel_height = 2.5
left = 1.1
right = 0.3
top = 0.45
most_columns = 3
legend_entries = paths_recorded > 1 ? paths : 0
legend_characters = strlen('path 100000')

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  margin = few[p] ? 0.03 * (end[p] - start[p]) : 0
  eval time_axis(start[p] - margin, end[p] + margin)
  if (p == 1) {
    do for [k=1:legend_entries] {
      eval legend_line(sprintf('path %d', path[k]), "linewidth 1.6 linecolor rgb '".colour(k)."'")
    }
  }
  if (p == panels && paths_recorded > paths) {
    set label sprintf('%d of %d paths', paths, paths_recorded) at graph 1,1.06 right
  }
  if (quantity[p] eq 'casimir departure') {
    eval log_axis('y', from[p], to[p])
    set ylabel 'Casimir departure (relative)' offset character 0.5,0
    plot for [i=1:paths] block('series_'.p, i) using 1:2 with points pointtype 7 pointsize mark_size[p] \
        linecolor rgb tint(colour(i), 0.45) \
        title (i > 1 ? '' : zeros[p] ? 'recorded (zeros on the lower edge)' : 'recorded'), \
      for [i=1:paths] block('maximum', i) using 1:2 with steps linewidth 1.4 linecolor rgb colour(i) \
        title (i > 1 ? '' : 'greatest so far')
  } else {
    eval linear_axis_y(from[p], to[p])
    eval label_y((relative[p] ? 'relative' : 'absolute').' change of the '.quantity[p], relative[p] ? '' : units[p])
    if (few[p]) {
      plot for [i=1:paths] block('series_'.p, i) using 1:2 with linespoints linewidth 1 pointtype 7 pointsize 0.5 linecolor rgb colour(i)
    } else {
      plot for [i=1:paths] block('series_'.p, i) using 1:2 with lines linewidth 1 linecolor rgb colour(i)
    }
  }
}
unset multiplot
