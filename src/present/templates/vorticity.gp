# Maps of the vorticity on longitude and latitude, or on the torus, at a few times, in one colour scale.
#
# Values: panels; when[i] (time); units; greatest (magnitude); torus (0 or 1); west, east, south, north (of a
# map, in degrees, on the torus of side 2 pi in its unit of length); columns, rows (pixels of a map).
# Blocks: map_i (a row of pixels from west to east, rows from south to north).

panel_width = torus ? 1.7 : 2.6
panel_height = torus ? 1.7 : 1.3
left = 0
right = 0.34
bottom = 0
top = 0.38
outer_left = 0.72
outer_right = 0.86
outer_bottom = 0.72
keep_shape = 1
most_columns = 4

# The scale is symmetric about zero in lightness too, blue and red as ColorBrewer has them.
set palette maxcolors 0 defined (-5 '#053061', -4 '#2166ac', -3 '#4393c3', -2 '#92c5de', -1 '#d1e5f0', \
  0 '#f7f7f7', 1 '#fddbc7', 2 '#f4a582', 3 '#d6604d', 4 '#b2182b', 5 '#67001f')
set cbrange [-greatest:greatest]
set cbtics scale 0.5
set format cb '%h'
wide = (east - west) / columns
high = (north - south) / rows
quarters(named) = sprintf("('%s' 0, '' pi/2 1, '%s' pi, '' 3*pi/2 1, '%s' 2*pi) out nomirror", named ? '0' : '', named ? 'π' : '', named ? '2π' : '')

eval begin(panels)
BOX = outer_left + COLUMNS * CELL - right + 0.14
set colorbox user origin screen across(BOX),up(outer_bottom) \
  size screen across(0.13),up(ROWS * (panel_height + top) - top)
do for [i=1:panels] {
  eval panel(i)
  set xrange [west:east]
  set yrange [south:north]
  if (torus) {
    eval 'set xtics '.quarters(is_lowest(i))
    eval 'set ytics '.quarters(is_left(i))
  } else {
    set xtics 90 out nomirror
    set ytics 45 out nomirror
  }
  set format x (is_lowest(i) ? '%g°' : '')
  set format y (is_left(i) ? '%g°' : '')
  # shows where there is no number
  set object 1 rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder fillcolor rgb '#c0c0c0'
  if (is_lowest(i)) { set xlabel (torus ? 'x_1' : 'longitude') }
  if (is_left(i)) { set ylabel (torus ? 'x_2' : 'latitude') offset character (torus ? -0.5 : 0.8),0 }
  if (i == 1) { set label 'vorticity'.(units eq '' ? '' : ' ['.units.']') at screen 0.995,up(FOOT + ROWS * (panel_height + top) - 0.55 * top) right }
  set title sprintf('t = %g', when[i]) offset 0,-0.4
  plot block('map', i) matrix using (west + ($1 + 0.5) * wide):(south + ($2 + 0.5) * high):3 with image
  unset colorbox
}
unset multiplot
