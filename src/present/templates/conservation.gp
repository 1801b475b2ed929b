# Invariants along a trajectory: departure of the Casimirs, relative change of what should stay or change little.
#
# Values: panels; of panel p: departure[p] (1: of Casimirs, or of momentum maps where there are none), quantity[p], relative[p] (1, or 0: absolute), units[p], start[p], end[p] (time),
# records[p]; paths (drawn), paths_recorded, path[k] (number).
# Blocks: series_p_k for panel p and path k (time, value).

panel_height = 2.5
left = 1.1
right = 0.3
top = 0.45
most_columns = 3
legend_entries = paths_recorded > 1 ? paths : 0
legend_characters = strlen('path 100000')

few = 60 # records, so few that each has a mark
mark_size(n) = n <= few ? 0.6 : n <= 5 * few ? 0.35 : 0.2

array from[panels]
array to[panels]
array zeros[panels] # whether departures are exactly zero, where there is one at first in any case
do for [p=1:panels] {
  START = start[p]
  eval range('$1 > START && $2 == 0 ? 0 : NaN', block('series_'.p, 1))
  do for [i=1:paths] { eval widen('$1 > START && $2 == 0 ? 0 : NaN', block('series_'.p, i)) }
  zeros[p] = is_number(LOW)
  eval range(departure[p] ? 'positive($2)' : '$2', block('series_'.p, 1))
  do for [i=1:paths] { eval widen(departure[p] ? 'positive($2)' : '$2', block('series_'.p, i)) }
  from[p] = departure[p] ? 10.0**floor(log10((is_number(LOW) ? LOW : 1e-16) / 1.5)) : LOW
  to[p] = departure[p] ? 10.0**ceil(log10((is_number(HIGH) ? HIGH : 1e-16) * 1.5)) : HIGH
}
so_far(n, y) = (GREATEST = largest(n == 0 ? -1 : GREATEST, y), GREATEST > LOWEST ? GREATEST : NaN)

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  margin = records[p] <= few ? 0.03 * (end[p] - start[p]) : 0
  eval time_axis(start[p] - margin, end[p] + margin)
  if (p == 1) {
    do for [k=1:legend_entries] {
      eval legend_line(sprintf('path %d', path[k]), "linewidth 1.6 linecolor rgb '".colour(k)."'")
    }
  }
  if (p == panels && paths_recorded > paths) {
    set label sprintf('%d of %d paths', paths, paths_recorded) at graph 1,1.06 right
  }
  if (departure[p]) {
    eval log_axis('y', from[p], to[p])
    LOWEST = from[p]
    set ylabel (quantity[p] eq 'casimir departure' ? 'Casimir' : 'momentum map').' departure (relative)' offset character 0.5,0
    plot for [i=1:paths] block('series_'.p, i) using 1:($2 == 0 ? LOWEST : $2) with points pointtype 7 pointsize mark_size(records[p]) \
        linecolor rgb tint(colour(i), 0.45) \
        title (i > 1 ? '' : zeros[p] ? 'recorded (zeros on the lower edge)' : 'recorded'), \
      for [i=1:paths] block('series_'.p, i) using 1:(so_far($0, valid(2) ? $2 : -1)) with steps linewidth 1.4 linecolor rgb colour(i) \
        title (i > 1 ? '' : 'greatest so far')
  } else {
    eval linear_axis_y(from[p], to[p])
    eval label_y((relative[p] ? 'relative' : 'absolute').' change of the '.quantity[p], relative[p] ? '' : units[p])
    if (records[p] <= few) {
      plot for [i=1:paths] block('series_'.p, i) using 1:2 with linespoints linewidth 1 pointtype 7 pointsize 0.5 linecolor rgb colour(i)
    } else {
      plot for [i=1:paths] block('series_'.p, i) using 1:2 with lines linewidth 1 linecolor rgb colour(i)
    }
  }
}
unset multiplot
