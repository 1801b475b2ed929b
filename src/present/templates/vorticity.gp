# Maps on longitude and latitude, on the torus, or on the sphere seen from afar, in one colour scale: the vorticity, or
# another field, at a few times, or of a few members.
#
# Values: panels, label[i] (of each); quantity, units; greatest (magnitude); torus, orthographic (0 or 1); west, east, south, north (of
# a map, in degrees, on the torus of side 2 pi in its unit of length, of a disc in radii of the sphere); columns, rows
# (pixels of a map); where orthographic azimuth, elevation (of the view, degrees).
# Blocks: map_i (a row of pixels from west to east, rows from south to north).

panel_width = torus || orthographic ? 1.7 : 2.6
panel_height = torus || orthographic ? 1.7 : 1.3
left = 0
right = 0.34
bottom = 0
top = 0.38
outer_left = orthographic ? 0.12 : 0.72
outer_right = 0.86
outer_bottom = orthographic ? 0.12 : 0.72
keep_shape = 1
most_columns = 4

set palette maxcolors 0 @diverging
set cbtics scale 0.5

eval begin(panels)
BOX = outer_left + COLUMNS * CELL - right + 0.14
LENGTH = ROWS * (panel_height + top) - top
eval colour_tics(-greatest, greatest, LENGTH, 0.32)
set colorbox user origin screen across(BOX),up(outer_bottom) size screen across(0.13),up(LENGTH)
do for [i=1:panels] {
  eval panel(i)
  eval map_axes(i)
  if (i == 1) { set label quantity.colour_units(units) at screen 0.995,up(FOOT + ROWS * (panel_height + top) - 0.55 * top) right }
  set title label[i] offset 0,-0.4
  plot block('map', i) @pixels, @near_lines
  unset colorbox
}
unset multiplot
