# Energy by degree l, or on the torus by wavenumber |n|, at a few times, from light to dark, with the slopes of
# two-dimensional turbulence.
#
# Values: snapshots (how many), when[i] (time); torus (0 or 1); degrees (how many), first, last (degree); units.
# Blocks: spectrum_i (degree, energy).

panel_width = 3.9
panel_height = 3.1
left = 1.05
panels = 1
legend_entries = snapshots
legend_characters = strlen('t = 0.0000')

shade(i) = word('#a6cee8 #7fb3dc #5a98cd #3a7dba #2263a2 #124a86 #083268 #041c40', \
  1 + (snapshots > 1 ? (i - 1) * 7 / (snapshots - 1) : 5))

# In degrees without energy rounding leaves some: the axis has no more than 12 decades.
eval range('positive($2)', '$spectrum_1')
do for [i=1:snapshots] { eval widen('positive($2)', block('spectrum', i)) }
most = HIGH
eval range('$2 >= 1e-12 * most ? $2 : NaN', '$spectrum_1')
do for [i=1:snapshots] { eval widen('$2 >= 1e-12 * most ? $2 : NaN', block('spectrum', i)) }
lowest = LOW

# From the upper right part of the panel, above the spectra: guides for the eye.
guide_from = largest(2, sqrt(last) / 1.5)
guide_to = last / 1.5
guide(y, order, text) = guide_to <= 2 * guide_from ? '' : sprintf("set arrow from first %.10g,%.10g to first %.10g,%.10g nohead back dashtype (10,7) linewidth 1 linecolor rgb '#909090'; set label '%s' at first %.10g,%.10g left offset character 0.4,0 textcolor rgb '#606060'", \
  guide_from, y, guide_to, y * (guide_to / guide_from)**order, text, guide_to, y * (guide_to / guide_from)**order)

eval begin(1)
eval panel(1)
eval log_axis('y', lowest / 1.5, most * 4)
eval log_axis('x', largest(first, 0.5) / 1.15, largest(last, 1) * 1.15)
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
set format x '%g'
set xlabel (torus ? 'wavenumber |n|' : 'degree l')
eval label_y('energy', units)
degree = torus ? '|n|' : 'l'
eval guide(2.2 * most, -5 / 3.0, degree.'^{-5/3}')
eval guide(1.2 * most, -3, degree.'^{-3}')
do for [i=1:snapshots] {
  eval legend_line(sprintf('t = %g', when[i]), "linewidth 1.6 linecolor rgb '".shade(i)."'")
}
plot for [i=1:snapshots] block('spectrum', i) using 1:($2 >= lowest ? $2 : NaN) with linespoints pointtype 7 pointsize (degrees > 40 ? 0.25 : 0.5) \
    linewidth 1.3 linecolor rgb shade(i)
unset multiplot
