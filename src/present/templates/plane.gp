# Two observables against each other: lines of paths from a start (disc) to an end (square), or the points where a third
# passes a level; contours of an observable behind them.
#
# Values: name[2], units[2], lowest[2], highest[2] (of what is across and up); curves; label[c] (empty where there is one);
# section (name of the third; empty: lines), level; contours_of (name of the observable; empty: none).
# Blocks: curve_c (across, up); contours (a matrix of values over the ranges).

panels = 1
panel_width = 3.8
panel_height = 3.6
left = 1.1
right = 0.25
bottom = 0.72
top = 0.12 + (contours_of ne '' || section ne '' ? keys(1) : 0)
legend_entries = curves > 1 ? curves : 0
legend_characters = 0
do for [c=1:curves] { legend_characters = largest(legend_characters, strlen(label[c])) }
margin(i) = 0.04 * (highest[i] - lowest[i])

if (contours_of ne '') {
  set contour base
  unset surface
  set cntrparam levels auto 14
  set table $levels
  splot $contours matrix using (lowest[1] + $1 * (highest[1] - lowest[1]) / 120):(lowest[2] + $2 * (highest[2] - lowest[2]) / 120):3
  unset table
  unset contour
}
above = (section eq '' ? '' : sprintf('where %s passes %g upwards', section, level)) \
  .(section ne '' && contours_of ne '' ? ', ' : '').(contours_of eq '' ? '' : 'contours of '.contours_of)

eval begin(1)
eval panel(1)
do for [c=1:legend_entries] {
  eval legend_line(label[c], "linewidth 1.6 linecolor rgb '".colour(c)."'")
}
set label above at graph 0,1.035 left
eval axis('x', lowest[1] - margin(1), highest[1] + margin(1))
eval axis('y', lowest[2] - margin(2), highest[2] + margin(2))
eval label_x(name[1], units[1])
eval label_y(name[2], units[2])
behind(name) = contours_of eq '' ? '$none' : '$levels'
if (section eq '') {
  plot behind('') using 1:2 with lines linewidth 0.6 linecolor rgb '#b0b0b0', \
    for [c=1:curves] block('curve', c) using 1:2 with lines linewidth 1 linecolor rgb colour(c), \
    for [c=1:curves] block('curve', c) every ::0::0 using 1:2 with points pointtype 7 pointsize 0.7 linecolor rgb colour(c)
} else {
  plot behind('') using 1:2 with lines linewidth 0.6 linecolor rgb '#b0b0b0', \
    for [c=1:curves] block('curve', c) using 1:2 with points pointtype 7 pointsize 0.25 linecolor rgb colour(c)
}
unset multiplot
