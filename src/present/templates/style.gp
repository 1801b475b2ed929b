# What all figures share: formats, fonts, colours, marks, panels, axes, legends. `casimir plot` loads this
# behind the values and blocks of a picture and before its template. Lengths are inches.
#
# Given: FORMAT (svg, pdf, eps or png), TITLE (empty: none), WIDTH (mm; 0: as wide as it comes); film (1: a frame); ranges of axes that
# were asked for, one for all panels or one for each: x_ranges, y_ranges (how many), x_low[i], x_high[i], y_low[i],
# y_high[i] (NaN: as it comes).

# ---- fonts and lines ----

set encoding utf8
set border 31 linewidth 0.8 linecolor rgb '#333333'
set tics scale 0.7 textcolor rgb '#000000'
set errorbars small
set key noautotitle samplen 2.2 spacing (FORMAT eq 'svg' ? 0.9 : 1.15)

grey = '#808080'
leading_line = "dashtype (5,3,1,3) linewidth 1"
floor_line = "dashtype (2,4) linewidth 1.5"
slope_line = "dashtype (10,7) linewidth 1.1 linecolor rgb '#808080'"

# Okabe and Ito's, which the colour-blind tell apart too, black last
colour(i) = word('#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000', (int(i) - 1) % 7 + 1)
# the same mixed with white: `share` of it is left
mixed(c, share) = int(255.5 - share * (255 - c))
tint(c, share) = sprintf('#%02x%02x%02x', mixed(int('0x'.c[2:3]), share), \
  mixed(int('0x'.c[4:5]), share), mixed(int('0x'.c[6:7]), share))

# Filled circle, square, triangles and diamond, as large as shows whether they are filled; less 1 is hollow.
shape(i) = int(word('7 5 9 13 11', (int(i) - 1) % 5 + 1))
size(i) = real(word('0.95 0.76 0.92 0.74 0.9', (int(i) - 1) % 5 + 1))

# Within `plot for [i=..]`, of blocks with x, y, two standard errors and whether y is resolved: marks of
# curve i, white inside where they are not, and bars down to BOTTOM at most.
mark = "with points pointtype shape(i) pointsize size(i) linecolor rgb colour(i)"
inside = "with points pointtype shape(i) pointsize 0.55 * size(i) linecolor rgb '#ffffff'"
hollow = "using 1:($4 == 1 ? NaN : $2) @inside"
lower(y, bar) = largest(y - bar, BOTTOM)
upper(y, bar) = y + bar
# Column n, or 0 where there is no number: $3 would leave out the whole point.
number(n) = valid(n) ? column(n) : 0
bar_style = "with vectors nohead linewidth 1 linecolor rgb colour(i)"
bar = "using 1:(lower($2,number(3))):(0):(upper($2,number(3))-lower($2,number(3))) @bar_style"
line = "with lines linewidth 1.3 linecolor rgb colour(i)"

# ---- blocks and values ----

$none << EOD
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
EOD
# $name_i, or one of nothing where there is none
block(name, i) = (BLOCK = sprintf('$%s_%d', name, i), exists(BLOCK) ? BLOCK : '$none')
is_number(y) = y == y
# [2 .. 3]; nothing where an end is missing
interval(low, high) = is_number(low) && is_number(high) && low < high ? \
  sprintf(high - low < 0.02 ? ' [%.3f, %.3f]' : ' [%.2f, %.2f]', low, high) : ''
rounded(y, low, high) = sprintf(high - low < 0.02 ? '%.3f' : '%.2f', y)
is_order(y, low, high) = is_number(y) && is_number(low) && is_number(high)
# what an interval of an order says that lacks an end, or both
one_sided(symbol, low, high) = is_number(high) ? sprintf('%s ≤ %.2f', symbol, high) : \
  is_number(low) ? sprintf('%s ≥ %.2f', symbol, low) : symbol.' not resolved'
# of two numbers; where one is missing, the other
largest(a, b) = a > b || !is_number(b) ? a : b
least(a, b) = a < b || !is_number(b) ? a : b

# ---- figure and panels ----

# A panel and what is around it; what is around all of them; panels beside each other at most.
panel_width = 3.3
panel_height = 2.9
left = 1.08
right = 0.2
bottom = 0.62
top = 0.12
outer_left = 0
outer_right = 0
outer_bottom = 0
most_columns = 2
# Whether panels keep their shape in figures of a given width; others grow wider rather than higher.
keep_shape = 0
# of the legend below the panels: how many entries, the longest of how many characters
legend_entries = 0
legend_characters = 0
legend_most_columns = 100

# height of so many lines of a key above a panel
keys(n) = 0.185 * n

# In figures of a given width text has 8 to 9 points instead of 9.75, and panels are no narrower than this share of
# their width if there are others beside them.
LEAST_SCALE = 0.82
MOST_SCALE = 0.92
NARROWEST = 0.8
FONT = FORMAT eq 'svg' ? 13 : FORMAT eq 'png' ? 10 : 7.2
terminal(s) = FORMAT eq 'svg' ? \
    sprintf("svg enhanced font 'Helvetica,%g' linewidth %g background '#ffffff'", 13 * s, 1.2 * s) : \
  FORMAT eq 'png' ? \
    sprintf("pngcairo enhanced color font 'Helvetica,10' fontscale %g linewidth %g pointscale %g background '#ffffff'", \
      2.2 * s, 2.4 * s, 3.1 * s) : \
  sprintf("%scairo enhanced color font 'Helvetica,7.2' fontscale %g linewidth %g pointscale %g", \
    FORMAT, s, 1.2 * s, s)
INCH = FORMAT eq 'svg' ? 96 : FORMAT eq 'png' ? 220 : 1

LEGEND_LINE = 0.22
LEGEND_SAMPLE = 0.28
LEGEND_CHARACTER = 0.077
LEGEND_GAP = 0.18
legend_entry(characters) = 1.25 * LEGEND_SAMPLE + characters * LEGEND_CHARACTER + LEGEND_GAP
rows_of(n, columns) = (n + columns - 1) / columns

# eval begin(n): a figure of n panels. Even rows: of four panels in three columns there are two by two.
columns_in(width) = int(largest(1, (width - outer_left - outer_right) / (left + NARROWEST * panel_width + right)))
scale_in(width) = least(MOST_SCALE, largest(LEAST_SCALE, width / (outer_left + COLUMNS * CELL + outer_right)))
fit(width) = ( \
  SCALE = scale_in(width), \
  STRETCH = ((width / SCALE - outer_left - outer_right) / COLUMNS - left - right) / panel_width, \
  panel_width = STRETCH * panel_width, \
  panel_height = panel_height * (keep_shape ? STRETCH : least(1.35, largest(1, STRETCH))))
begin(n) = ( \
  CELL = left + panel_width + right, \
  COLUMNS = WIDTH > 0 ? least(most_columns, columns_in(WIDTH / 25.4 / LEAST_SCALE)) : most_columns, \
  COLUMNS = least(n, COLUMNS), \
  ROWS = rows_of(n, COLUMNS), \
  COLUMNS = rows_of(n, ROWS), \
  SCALE = 1.0, \
  STRETCH = WIDTH > 0 ? fit(WIDTH / 25.4) : 1, \
  CELL = left + panel_width + right, \
  LETTERS = n > 1, \
  top = largest(top, LETTERS ? 0.27 : 0), \
  FIGURE_WIDTH = outer_left + COLUMNS * CELL + outer_right, \
  LEGEND_COLUMNS = int(largest(1, least(least(legend_entries, legend_most_columns), floor(FIGURE_WIDTH / legend_entry(legend_characters))))), \
  LEGEND_ROWS = rows_of(legend_entries, LEGEND_COLUMNS), \
  LEGEND_COLUMNS = LEGEND_ROWS > 0 ? rows_of(legend_entries, LEGEND_ROWS) : 1, \
  LEGEND_NEXT = 0, \
  FOOT = outer_bottom + LEGEND_ROWS * LEGEND_LINE, \
  FIGURE_HEIGHT = FOOT + ROWS * (bottom + panel_height + top) + (TITLE eq '' ? 0 : 0.35), \
  sprintf("set terminal %s size %g,%g; set multiplot", terminal(SCALE), FIGURE_WIDTH * SCALE * INCH, \
    FIGURE_HEIGHT * SCALE * INCH))

across(x) = x / FIGURE_WIDTH
up(y) = y / FIGURE_HEIGHT

# eval panel(i): the next plot is panel i, from 1 on, row by row, with nothing set by the one before.
is_left(i) = (i - 1) % COLUMNS == 0
is_lowest(i) = i + COLUMNS > panels
letter(i) = sprintf("; set label '{/:Bold (%s)}' at screen %.6f,%.6f left", 'abcdefghijklmnopqrstuvwxyz'[i:i], \
  across(X - least(left, 0.55)), up(Y + panel_height + 0.14))
# Panels of spheres have no axes, so that those of the last row can be in its middle.
in_row(i) = keep_shape && outer_left < 0.5 && i > (ROWS - 1) * COLUMNS ? ROWS * COLUMNS - panels : 0
panel(i) = ( \
  PANEL = i, \
  X = outer_left + (i - 1) % COLUMNS * CELL + left + 0.5 * in_row(i) * CELL, \
  Y = FOOT + (ROWS - 1 - (i - 1) / COLUMNS) * (bottom + panel_height + top) + bottom, \
  sprintf("set lmargin at screen %.6f; set rmargin at screen %.6f; set bmargin at screen %.6f; set tmargin at screen %.6f; ", \
    across(X), across(X + panel_width), up(Y), up(Y + panel_height)) \
  ."undefine $slopes; unset label; unset arrow; unset object; unset logscale; set format '%g'; unset xlabel; unset ylabel; " \
  ."set xtics autofreq; set ytics autofreq; set mxtics default; set mytics default; " \
  ."set key at graph 0,1.02 left bottom Left reverse vertical" \
  .(LETTERS ? letter(i) : '') \
  .(i == 1 ? sprintf("; set label TITLE at screen 0.5,%.6f center", up(FIGURE_HEIGHT - 0.18)) : ''))

# ---- axes ----

# Ends of an axis of this panel: those that were asked for, or those that are given.
asked(n) = n == 1 ? 1 : PANEL
one_of(y, given) = is_number(y) ? y : given
x_low_of(given) = asked(x_ranges) > x_ranges ? given : one_of(x_low[asked(x_ranges)], given)
x_high_of(given) = asked(x_ranges) > x_ranges ? given : one_of(x_high[asked(x_ranges)], given)
y_low_of(given) = asked(y_ranges) > y_ranges ? given : one_of(y_low[asked(y_ranges)], given)
y_high_of(given) = asked(y_ranges) > y_ranges ? given : one_of(y_high[asked(y_ranges)], given)
low_of(a, given) = a eq 'x' ? x_low_of(given) : y_low_of(given)
high_of(a, given) = a eq 'x' ? x_high_of(given) : y_high_of(given)
# eval axis('x', low, high)
axis(a, low, high) = sprintf("set %srange [%.17g:%.17g]", a, low_of(a, low), high_of(a, high))

# eval open_axis('y', '0', '*'): ends as text, '*' for what gnuplot finds
end_text(y, given) = is_number(y) ? sprintf('%.17g', y) : given
open_axis(a, low, high) = sprintf("set %srange [%s:%s]", a, end_text(low_of(a, NaN), low), end_text(high_of(a, NaN), high))

# eval label_x(text, units), eval label_y(text, units): units are empty where there are none.
label_x(text, units) = (XLABEL = text.(units eq '' ? '' : ' ['.units.']'), "set xlabel XLABEL")
label_y(text, units) = (YLABEL = text.(units eq '' ? '' : "\n{/*0.88 [".units.']}'), \
  sprintf("set ylabel YLABEL offset character %g,0", units eq '' ? 0.5 : -0.7))

# eval log_axis('y', low, high): powers of ten where the axis holds at least two of them, otherwise also
# their multiples.
decades(low, high) = floor(log10(high) + 1e-9) - ceil(log10(low) - 1e-9)
multiple(m, k) = (TICK = m * 10.0**k, TICK < LOW || TICK > HIGH ? '' : (TICKS = TICKS + 1, \
  sprintf("'%s10^{%d}' %.17g, ", m > 1 ? sprintf('%d·', m) : '', k, TICK)))
multiples(k) = multiple(1, k).multiple(2, k).(FINE ? multiple(3, k) : '').multiple(5, k) \
  .(FINE ? multiple(7, k) : '')
all_multiples(k, last) = k > last ? '' : multiples(k).all_multiples(k + 1, last)
tic_list(low, high) = (LOW = low, HIGH = high, TICKS = 0, FINE = log10(high / low) <= 0.5, \
  LIST = all_multiples(int(floor(log10(low))), int(ceil(log10(high)))), \
  LIST = TICKS < 2 ? LIST.sprintf("'%.3g' %.17g, '%.3g' %.17g, ", low, low, high, high) : LIST, \
  LIST[1:strlen(LIST) - 2])
log_axis(a, low, high) = log_axis_within(a, low_of(a, low), high_of(a, high))
# A logarithmic axis has no place for 0: nothing is drawn, and gnuplot ends with a status by which casimir knows whose
# mistake it is.
refused(a, low, high) = sprintf("print 'REFUSED --%srange: found %g:%g, but the axis of panel %d is logarithmic: both ends must be above 0'; exit status 64", \
  a, low, high, PANEL)
positive_axis(a, low, high, commands) = low > 0 && high > 0 ? commands : refused(a, low, high)
log_axis_within(a, low, high) = low > 0 && high > 0 ? decimal_axis(a, low, high) : refused(a, low, high)
decimal_axis(a, low, high) = (LOWER_END = low, UPPER_END = high, \
  sprintf("set logscale %s 10; set %srange [%.17g:%.17g]; ", a, a, low, high) \
  .(decades(low, high) < 1 ? sprintf("set m%stics default; set %stics (", a, a).tic_list(low, high).")" : \
    sprintf("set format %s '10^{%%T}'; set m%stics 10; set %stics %g,%g", a, a, a, \
      10.0**ceil(log10(low) - 1e-9), 10.0**largest(1, ceil(decades(low, high) / 8.0)))))

# eval linear_axis_y(low, high): with some room, whatever the two are. What is constant but for rounding
# keeps labels that differ.
linear_axis_y(low, high) = ( \
  LOW = is_number(low) && is_number(high) ? low : 0, HIGH = is_number(low) && is_number(high) ? high : 1, \
  MOST = largest(abs(LOW), abs(HIGH)), VARIES = HIGH - LOW > 1e-6 * MOST, \
  MARGIN = VARIES ? 0.05 * (HIGH - LOW) : largest(0.05 * MOST, 1e-3), \
  DIGITS = VARIES && HIGH - LOW < MOST ? largest(6, 2 - floor(log10((HIGH - LOW) / MOST))) : 6, \
  sprintf("set format y '%%.%dh'; ", DIGITS).axis('y', LOW - MARGIN, HIGH + MARGIN))

# eval time_axis(first, last)
time_axis(first, last) = label_x('time t', 'time unit').'; ' \
  .axis('x', last > first ? first : first - 1, last > first ? last : first + 1)

# eval step_axis(fine, coarse): step sizes in powers of two, with room for labels of slopes
step_axis(fine, coarse) = (MARGIN = largest(1.4, (coarse / fine)**0.16), label_x('step size h', 'time unit').'; ' \
  .positive_axis('x', x_low_of(fine), x_high_of(coarse), \
    "set logscale x 2; set format x '2^{%L}'; unset mxtics; ".axis('x', fine / MARGIN, coarse * MARGIN)))

# eval level_axis(n)
level_axis(n) = "set xtics 1; unset mxtics; set xlabel 'level l'; ".axis('x', -0.3, n - 0.7)

# eval slope(order, y, below), behind the axes: a line of this slope, from y at the step `coarse` to the step `fine` or
# to the lower end of the axis, with its name in the middle, on the side where no data are: below the line where
# `below` is 1, otherwise above. The lines are drawn by `plot @slopes`.
# Before begin(), with LOW and HIGH of data that are widened by from_coarse(order, column): what such a line has at the
# step `coarse` if it is below or above them all, on an axis from `low` to `high`.
from_coarse(order, y) = sprintf('positive($%d) * (coarse / $1)**%g', y, order)
apart(low, high) = largest(1.7, (high / low)**0.06)
below(y, low, high) = y / apart(low, high)
above(y, low, high) = y * apart(low, high)
slope_name(order) = order == 0.5 ? '1/2' : sprintf('%g', order)
slope_label(order, x, y, below) = sprintf("set label '%s' at first %.10g,%.10g %s front offset character %g,%g textcolor rgb '#606060'; ", \
  slope_name(order), x, y, below ? 'left' : 'right', below ? 0.5 : -0.5, below ? -0.5 : 0.5)
slope(order, y, below) = ( \
  X = is_number(y) ? largest(fine, coarse * (LOWER_END / y)**(1.0 / order)) : fine, Y = y * (X / coarse)**order, \
  is_number(y) && X < coarse && Y < UPPER_END ? sprintf("set print $slopes append; print '%.10g %.10g %.10g %.10g'; unset print; ", \
    X, Y, coarse - X, y - Y).slope_label(order, sqrt(X * coarse), sqrt(Y * y), below) : '')
slope_lines(name) = exists('$slopes') ? '$slopes' : '$none'
slopes = "slope_lines(1) using 1:2:3:4 with vectors nohead @slope_line"

# Before begin(): `eval range(expression, block)` sets LOW and HIGH to the least and the greatest value of an
# expression such as "positive($2)", to NaN where there is none; `eval widen(expression, block)` goes on with
# another.
positive(y) = y > 0 ? y : NaN
range(expression, block) = "LOW = NaN; HIGH = NaN; ".widen(expression, block)
widen(expression, block) = sprintf("undefine S_*; stats %s using (%s) nooutput name 'S'; ", block, expression) \
  ."if (exists('S_min')) { LOW = S_min > LOW ? LOW : S_min; HIGH = S_max < HIGH ? HIGH : S_max }"

# ---- the legend below the panels ----

# eval legend_line(text, style), legend_mark(text, style), legend_area(text, colour): the next entry, set
# behind panel(1); it stays until the next panel.
legend_text(text) = ( \
  ENTRY = text, \
  X = largest(0.05, (FIGURE_WIDTH - LEGEND_COLUMNS * legend_entry(legend_characters) + LEGEND_GAP) / 2) + LEGEND_NEXT % LEGEND_COLUMNS * legend_entry(legend_characters), \
  Y = 0.06 + (LEGEND_ROWS - LEGEND_NEXT / LEGEND_COLUMNS - 0.5) * LEGEND_LINE, \
  LEGEND_NEXT = LEGEND_NEXT + 1, \
  sprintf("set label ENTRY at screen %.6f,%.6f left; ", across(X + 1.25 * LEGEND_SAMPLE), up(Y)))
legend_span(half) = sprintf("from screen %.6f,%.6f to screen %.6f,%.6f ", across(X), up(Y - half), \
  across(X + LEGEND_SAMPLE), up(Y + half))
legend_line(text, style) = legend_text(text)."set arrow ".legend_span(0)."nohead ".style
legend_mark(text, style) = legend_text(text).sprintf("set label '' at screen %.6f,%.6f point %s", \
  across(X + LEGEND_SAMPLE / 2), up(Y), style)
legend_area(text, rgb) = legend_text(text)."set object rectangle ".legend_span(LEGEND_LINE / 4) \
  ."fillstyle solid noborder fillcolor rgb '".rgb."'"

# ---- the unit sphere, seen from afar ----

# Within `eval sphere()`, with azimuth and elevation in degrees and the third axis up: the plane of the
# drawing is (to the right, up), and depth >= 0 is the near side.
rightward(x, y, z) = -sin(AZIMUTH) * x + cos(AZIMUTH) * y
upward(x, y, z) = -sin(ELEVATION) * (cos(AZIMUTH) * x + sin(AZIMUTH) * y) + cos(ELEVATION) * z
depth(x, y, z) = cos(ELEVATION) * (cos(AZIMUTH) * x + sin(AZIMUTH) * y) + sin(ELEVATION) * z
# columns of `using`: what is on the near side (near = 1) or on the far side (0)
side(near, x, y, z) = (depth(x, y, z) >= 0) == near ? upward(x, y, z) : NaN
seen = "using (rightward($1,$2,$3)):(side(near,$1,$2,$3))"

# discs, each inside the one before, toward the light
set print $shades
do for [i=0:19] {
  print sprintf('%.4f %.4f %.4f %d', -0.3 * i / 20, 0.3 * i / 20, 1 - i / 20.0, int(214.5 + 36 * sqrt(i / 20.0)) * 0x10101)
}
# a line every 30 degrees
set print $graticule
do for [i=-2:2] {
  do for [j=0:72] { print sprintf('%.5f %.5f %.5f', cos(i*pi/6)*cos(j*pi/36), cos(i*pi/6)*sin(j*pi/36), sin(i*pi/6)) }
  print ''
}
do for [i=0:11] {
  do for [j=-18:18] { print sprintf('%.5f %.5f %.5f', cos(j*pi/36)*cos(i*pi/6), cos(j*pi/36)*sin(i*pi/6), sin(j*pi/36)) }
  print ''
}
unset print

# An axis from the surface outward; of one on the far side what the ball does not hide.
reach(x, y, z) = depth(x, y, z) >= 0 ? 1.0 : 1 / largest(1e-3, sqrt(rightward(x, y, z)**2 + upward(x, y, z)**2))
axis_end = 1.15
# of a line, to the right and up, and of its name a little beyond
axis_row(x, y, z) = reach(x, y, z) >= axis_end ? '' : sprintf("print '%.4f %.4f %.4f %.4f'; ", \
  reach(x, y, z) * rightward(x, y, z), reach(x, y, z) * upward(x, y, z), \
  (axis_end - reach(x, y, z)) * rightward(x, y, z), (axis_end - reach(x, y, z)) * upward(x, y, z))
name_at(x, y, z) = axis_end + 0.07 / sqrt(rightward(x, y, z)**2 + upward(x, y, z)**2)
axis_name(i, x, y, z) = reach(x, y, z) >= axis_end ? '' : \
  sprintf("set label 'x_%d' at first %.4f,%.4f center front textcolor rgb '#404040'; ", i, \
    name_at(x, y, z) * rightward(x, y, z), name_at(x, y, z) * upward(x, y, z))

# eval sphere(azimuth, elevation); then plot @ball, what is far, @graticule, what is near
sphere(azimuth, elevation) = (AZIMUTH = azimuth * pi / 180, ELEVATION = elevation * pi / 180, \
  "unset border; unset tics; set xrange [-1.24:1.24]; set yrange [-1.24:1.24]; " \
  .axis_name(1, 1, 0, 0).axis_name(2, 0, 1, 0).axis_name(3, 0, 0, 1) \
  ."set print $axes; ".axis_row(1, 0, 0).axis_row(0, 1, 0).axis_row(0, 0, 1)."unset print")
ball = "$shades using 1:2:3:4 with circles fillstyle solid 1 noborder linecolor rgb variable, for [near=0:0] $graticule @seen with lines linewidth 0.5 linecolor rgb '#d2d2d2'"
graticule = "for [near=1:1] $graticule @seen with lines linewidth 0.5 linecolor rgb '#b4b4b4', $axes using 1:2:3:4 with vectors nohead linewidth 1 linecolor rgb '#707070'"

# ---- maps ----

# Scales: symmetric about zero in lightness too, blue and red as ColorBrewer has them; and from light to dark.
diverging = "defined (-5 '#053061', -4 '#2166ac', -3 '#4393c3', -2 '#92c5de', -1 '#d1e5f0', 0 '#f7f7f7', 1 '#fddbc7', 2 '#f4a582', 3 '#d6604d', 4 '#b2182b', 5 '#67001f')"
sequential = "defined (0 '#fff7ec', 1 '#fee8c8', 2 '#fdd49e', 3 '#fdbb84', 4 '#fc8d59', 5 '#ef6548', 6 '#d7301f', 7 '#b30000', 8 '#7f0000')"

# eval colour_tics(low, high, length, room), before the plot: labels of a colour scale of this length, each with so much
# room along it, at multiples of 1, 2 or 5 times a power of ten. Numbers of more than four digits are in units of a power
# of ten, which colour_units(units) then names too.
round_step(step) = (POWER = 10.0**floor(log10(step)), step > 5.001 * POWER ? 10 * POWER : step > 2.001 * POWER ? 5 * POWER : \
  step > 1.001 * POWER ? 2 * POWER : POWER)
colour_list(i, last) = i > last ? '' : \
  sprintf("'%g' %.17g%s", i * STEP / UNIT, i * STEP, i < last ? ', ' : '').colour_list(i + 1, last)
colour_tics(low, high, length, room) = ( \
  MOST = largest(abs(low), abs(high)), \
  UNIT = MOST < 0.1 || MOST >= 1e4 ? 10.0**floor(log10(MOST)) : 1, \
  STEP = least(round_step((high - low) / largest(2, floor(length / room))), round_step(MOST / 2.5)), \
  sprintf("set cbrange [%.17g:%.17g]; set cbtics (", low, high) \
  .colour_list(int(ceil(low / STEP - 1e-6)), int(floor(high / STEP + 1e-6))).')')
colour_units(units) = (POWER_TEXT = UNIT == 1 ? '' : sprintf('10^{%d}', floor(log10(UNIT) + 0.5)), \
  TEXT = POWER_TEXT.(strlen(POWER_TEXT) && strlen(units) ? ' ' : '').units, strlen(TEXT) ? ' ['.TEXT.']' : '')

# eval map_axes(i), behind panel(i), with torus, orthographic, west, east, south, north, columns, rows; then plot a block
# @pixels, @near_lines. Grey shows where there is no number; there
# is room for the outline of a disc.
quarters(named) = sprintf("('%s' 0, '' pi/2 1, '%s' pi, '' 3*pi/2 1, '%s' 2*pi) out nomirror; ", named ? '0' : '', named ? 'π' : '', named ? '2π' : '')
flat_tics(a, named) = sprintf("set format %s '%s'; set %stics ", a, named ? '%g°' : '', a) \
  .(torus ? quarters(named) : a eq 'x' ? '90 out nomirror; ' : '45 out nomirror; ')
flat_axes(i) = flat_tics('x', is_lowest(i)).flat_tics('y', is_left(i)) \
  ."set object rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder fillcolor rgb '#c0c0c0'; " \
  .(is_lowest(i) ? sprintf("set xlabel '%s'; ", torus ? 'x_1' : 'longitude') : '') \
  .(is_left(i) ? sprintf("set ylabel '%s' offset character %g,0; ", torus ? 'x_2' : 'latitude', torus ? -0.5 : 0.8) : '')
disc_axes = "unset border; unset xtics; unset ytics; AZIMUTH = azimuth * pi / 180; ELEVATION = elevation * pi / 180; " \
  ."set object circle at first 0,0 size first 1 behind fillstyle solid noborder fillcolor rgb '#c0c0c0'; " \
  ."set object circle at first 0,0 size first 1 front fillstyle empty border linecolor rgb '#606060' linewidth 0.8; "
map_axes(i) = (ROUND = orthographic ? 1.02 : 1, \
  sprintf("set xrange [%.10g:%.10g]; set yrange [%.10g:%.10g]; ", ROUND * west, ROUND * east, ROUND * south, ROUND * north)) \
  .(orthographic ? disc_axes : flat_axes(i))
pixels = "matrix using (west + ($1 + 0.5) * (east - west) / columns):(south + ($2 + 0.5) * (north - south) / rows):3 with image"
AZIMUTH = 0
ELEVATION = 0
near_lines = "for [near=1:orthographic] $graticule @seen with lines linewidth 0.4 linecolor rgb '#909090'"
