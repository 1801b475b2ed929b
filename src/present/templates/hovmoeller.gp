# The vorticity, or another field, on one circle of latitude, or row of x1, over time: time upward.
#
# Values: quantity; torus (0 or 1); at (latitude in degrees, or x2); units; greatest (magnitude); west, east (longitude in degrees,
# or x1), south, north (time); columns, rows (pixels).
# Block: strip_1 (a row of pixels from west to east, rows by time).

panel_width = 3.4
panel_height = 2.6
left = 0.75
right = 1.1
top = 0.42
panels = 1

set palette maxcolors 0 @diverging
set cbrange [-greatest:greatest]
set cbtics scale 0.5
set format cb '%h'

eval begin(1)
eval panel(1)
set xrange [west:east]
set yrange [south:north]
eval flat_tics('x', 1)
set ytics out nomirror
set xlabel (torus ? 'x_1' : 'longitude')
set ylabel 'time'
set object rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder fillcolor rgb '#c0c0c0'
set title (torus ? sprintf('x_2 = %.3g', at) : sprintf('latitude %.3g°', at)) offset 0,-0.4
set cblabel quantity.(units eq '' ? '' : ' ['.units.']') offset 1.2,0
plot $strip_1 @pixels
unset multiplot
