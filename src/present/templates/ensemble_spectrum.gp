# Energy and enstrophy by degree l, or on the torus by wavenumber |n|, over an ensemble at a few times, from light to dark:
# means with two standard errors, and bands between quantiles, or of two standard errors where there are none.
#
# Values: panels; of panel p: quantity[p], units[p]; snapshots (how many), when[i] (time); torus (0 or 1); degrees (how
# many), first, last (degree); band_low, band_high (probabilities; NaN: bands are two standard errors).
# Blocks: spectrum_p_i (degree, mean, two standard errors, both edges of the band).

panel_width = 3.4
panel_height = 2.9
left = 1.05
legend_entries = snapshots + 1
band_text = is_number(band_low) ? sprintf('%g–%g %% of the paths', 100 * band_low, 100 * band_high) : 'two standard errors'
legend_characters = strlen(band_text)

shade(i) = word('#7fb3dc #5a98cd #3a7dba #2263a2 #124a86 #083268 #041c40', 1 + (snapshots > 1 ? (i - 1) * 6 / (snapshots - 1) : 4))
name(p, i) = block('spectrum_'.p, i)

# In degrees without energy rounding leaves some: the axis has no more than 12 decades.
array lowest[panels]
array most[panels]
do for [p=1:panels] {
  eval range('positive($5)', name(p, 1))
  do for [i=1:snapshots] { eval widen('positive($5)', name(p, i)); eval widen('positive($2)', name(p, i)) }
  most[p] = HIGH
  GREATEST = HIGH
  eval range('$2 >= 1e-12 * GREATEST ? $2 : NaN', name(p, 1))
  do for [i=1:snapshots] {
    eval widen('$2 >= 1e-12 * GREATEST ? $2 : NaN', name(p, i))
    eval widen('$2 >= 1e-12 * GREATEST && $4 >= 1e-3 * $2 ? $4 : NaN', name(p, i))
  }
  lowest[p] = LOW
}
seen_at(p, y) = y >= lowest[p] ? y : NaN
from_below(y) = largest(y, BOTTOM)

eval begin(panels)
do for [p=1:panels] {
  eval panel(p)
  eval log_axis('y', lowest[p] / 1.5, most[p] * 2)
  BOTTOM = LOWER_END
  eval log_axis('x', largest(first, 0.5) / 1.15, largest(last, 1) * 1.15)
  set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
  set format x '%g'
  set xlabel (torus ? 'wavenumber |n|' : 'degree l')
  eval label_y(quantity[p], units[p])
  if (p == 1) {
    do for [i=1:snapshots] {
      eval legend_line(sprintf('t = %g', when[i]), "linewidth 1.6 linecolor rgb '".shade(i)."'")
    }
    eval legend_area(band_text, tint(shade(snapshots), 0.3))
  }
  plot for [i=1:snapshots] name(p, i) using 1:(from_below($4)):(from_below($5)) with filledcurves \
      fillstyle transparent solid 0.3 noborder linecolor rgb shade(i), \
    for [i=1:snapshots] name(p, i) using 1:(from_below($2 - $3)):(0):($2 + $3 - from_below($2 - $3)) \
      with vectors nohead linewidth 1 linecolor rgb shade(i), \
    for [i=1:snapshots] name(p, i) using 1:(seen_at(p, $2)) with linespoints pointtype 7 \
      pointsize (degrees > 40 ? 0.25 : 0.5) linewidth 1.3 linecolor rgb shade(i)
}
unset multiplot
