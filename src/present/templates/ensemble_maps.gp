# Maps of the mean and of the variance of the vorticity over an ensemble at a few times, a row for each time, a colour
# scale for all means and one for all variances.
#
# Values: snapshots, when[i] (time); mean_units, variance_units; greatest_mean (magnitude), greatest_variance; torus,
# orthographic (0 or 1); west, east, south, north (of a map, in degrees, on the torus of side 2 pi in its unit of length,
# of a disc in radii of the sphere); columns, rows (pixels of a map); where orthographic azimuth, elevation (of the view,
# degrees).
# Blocks: mean_i, variance_i (a row of pixels from west to east, rows from south to north).

panels = 2 * snapshots
panel_width = torus || orthographic ? 1.9 : 2.6
panel_height = torus || orthographic ? 1.9 : 1.3
left = 0
right = 0.34
bottom = 0
top = 0.38
outer_left = orthographic ? 0.2 : 0.72
outer_right = 0.1
outer_bottom = orthographic ? 0.75 : 1.3
keep_shape = 1
most_columns = 2
NARROWEST = 0.4

set cbtics scale 0.5
is_mean(p) = p % 2 == 1
time_of(p) = when[(p + 1) / 2]

eval begin(panels)
HALF = 0.5 * (COLUMNS > 1 ? 2 * CELL : CELL)
do for [i=1:panels] {
  eval panel(i)
  eval map_axes(i)
  set title sprintf(is_mean(i) ? 'mean, t = %g' : 'variance, t = %g', time_of(i)) offset 0,-0.4
  if (is_mean(i)) {
    set palette maxcolors 0 @diverging
    eval colour_tics(-greatest_mean, greatest_mean, HALF - right, 0.37)
  } else {
    set palette maxcolors 0 @sequential
    eval colour_tics(0, greatest_variance, HALF - right, 0.37)
  }
  # below the first column, and beside it
  if (i < 3) {
    START = outer_left + (i - 1) * HALF
    set colorbox horizontal user origin screen across(START),up(0.52) size screen across(HALF - right),up(0.11)
    set label (is_mean(i) ? 'mean'.colour_units(mean_units) : 'variance'.colour_units(variance_units)) \
      at screen across(START + 0.5 * (HALF - right)),up(0.14) center
  }
  plot block(is_mean(i) ? 'mean' : 'variance', (i + 1) / 2) @pixels, @near_lines
  unset colorbox
}
unset multiplot
