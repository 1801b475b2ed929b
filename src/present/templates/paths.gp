# Paths on the sphere, from a start (disc) to an end (square); those of a second file are black.
#
# Values: files; of file f: file[f] (name), curves[f] (how many), joined[f] (0: dots), crowded[f] (1: the path
# is long); longest (bytes of the names); what (begins the title; empty of states); points (of a state), paths
# (recorded) of the first file; start, end (time); azimuth, elevation (of the view, degrees).
# angles (1: there is the nutation over time); film (1: of a frame the end alone is marked).
# contours_of (name of an observable; empty: none).
# Blocks: contours (a matrix of its values, every two degrees); nutation_f_k (t, angle); path_f_k (x1, x2, x3 of curve k of file f), ends_f_k (its start, its end).

panels = 1 + angles
panel_width = 4.2
panel_height = 4.2
left = angles ? 0.75 : 0.1
right = angles ? 0.25 : 0.1
bottom = angles ? 0.62 : 0.1
top = 0.3
keep_shape = 1
legend_entries = film ? 0 : files > 1 ? files + 2 : 2
several = curves[1] > 1 # paths of a file, which has its name and a colour of each
legend_characters = files > 1 ? longest + (several ? 11 : 0) : 5

paint(f, k, near) = tint(f > 1 ? '#000000' : colour(k), near ? 1 : 0.4)
thickness(f, near) = (crowded[f] ? 0.6 : 1.1) * (near ? 1 : 0.7)
# curves whose records are joined, or those that are dots
path(f, k, lines) = joined[f] == lines ? block(sprintf('path_%d', f), k) : '$none'
lines = "with lines linecolor rgb paint(f, k, near) linewidth thickness(f, near)"
dots = "with points pointtype 7 pointsize 0.25 linecolor rgb paint(f, k, near)"
tip = "block(sprintf('ends_%d', f), k) every ::last::last @seen with points pointtype (last && !film ? 5 : 7)"
rim = "pointsize 1.25 linecolor rgb '#ffffff'"
fill = "pointsize 0.9 linewidth 1.4 linecolor rgb paint(f, k, near)"
drawn = points > 1 ? points : paths
title_text = what.(film ? sprintf('t = %g', end) : sprintf('t = %g to %g', start, end)) \
  .(drawn > curves[1] ? sprintf(', %d of %d %s', curves[1], drawn, points > 1 ? 'points' : 'paths') : '') \
  .(contours_of eq '' ? '' : ', contours of '.contours_of) \
  .(points > 1 && paths > 1 ? sprintf(', path 0 of %d', paths) : '')

# contours as lines over longitude and latitude
if (contours_of ne '') {
  set contour base
  unset surface
  set cntrparam levels auto 15
  set table $levels
  splot $contours matrix using ($1 * pi / 90):(($2 - 45) * pi / 90):3
  unset table
  unset contour
}
first(a, b) = cos(b) * cos(a)
second(a, b) = cos(b) * sin(a)
level = "$levels using (rightward(first($1,$2),second($1,$2),sin($2))):(side(near,first($1,$2),second($1,$2),sin($2))) with lines linewidth 0.6 linecolor rgb near ? '#606060' : '#c0c0c0'"
far_levels = contours_of eq '' ? '' : 'for [near=0:0] '.level.', '
near_levels = contours_of eq '' ? '' : 'for [near=1:1] '.level.', '

eval begin(panels)
eval panel(1)
eval sphere(azimuth, elevation)
set label title_text at graph 0.5,1.02 center
do for [f=1:(files > 1 ? files : 0)] {
  eval legend_line(file[f].(curves[f] == 1 ? '' : f > 1 ? ' (black)' : ' (coloured)'), \
    "linewidth 1.6 linecolor rgb '".paint(f, 1, 1)."'")
}
if (!film) {
  eval legend_mark('start', "pointtype 7 pointsize 0.9 linecolor rgb '#606060'")
  eval legend_mark('end', "pointtype 5 pointsize 0.9 linecolor rgb '#606060'")
}
plot @ball, \
  @far_levels \
  for [near=0:0] for [f=files:1:-1] for [k=1:curves[f]] path(f, k, 1) @seen @lines, \
  for [near=0:0] for [f=files:1:-1] for [k=1:curves[f]] path(f, k, 0) @seen @dots, \
  for [near=0:0] for [last=film:1] for [f=files:1:-1] for [k=1:curves[f]] @tip @rim, \
  for [near=0:0] for [last=film:1] for [f=files:1:-1] for [k=1:curves[f]] @tip @fill, \
  @graticule, \
  @near_levels \
  for [near=1:1] for [f=files:1:-1] for [k=1:curves[f]] path(f, k, 1) @seen @lines, \
  for [near=1:1] for [f=files:1:-1] for [k=1:curves[f]] path(f, k, 0) @seen @dots, \
  for [near=1:1] for [last=film:1] for [f=files:1:-1] for [k=1:curves[f]] @tip @rim, \
  for [near=1:1] for [last=film:1] for [f=files:1:-1] for [k=1:curves[f]] @tip @fill
if (angles) {
  eval panel(2)
  set border
  set tics
  eval time_axis(start, end)
  set ylabel 'nutation [rad]'
  set yrange [*:*]
  set ytics format '%g'
  plot for [f=files:1:-1] for [k=1:(points > 1 ? 1 : curves[f])] block(sprintf('nutation_%d', f), k) using 1:2 \
    with lines linewidth 1 linecolor rgb paint(f, k, 1)
}
unset multiplot
