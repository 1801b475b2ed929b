# Energy by degree l at a few times, from light to dark, with the slopes of two-dimensional turbulence.
#
# Values: snapshots (how many), when[i] (time); degrees (how many), first, last (degree); from, to (of the energy axis); units.
# Blocks: spectrum_i (degree, energy); guide_k (degree, energy), a slope of -5/3 and one of -3.

panel_width = 3.9
panel_height = 3.1
left = 1.05
right = 1.25
top = 0.2
panels = 1

shade(i) = word('#a6cee8 #7fb3dc #5a98cd #3a7dba #2263a2 #124a86 #083268 #041c40', \
  1 + (snapshots > 1 ? (i - 1) * 7 / (snapshots - 1) : 5))

eval begin(1)
eval panel(1)
eval log_axis('y', from, to)
eval log_axis('x', largest(first, 0.5) / 1.15, largest(last, 1) * 1.15)
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
set format x '%g'
set xlabel 'degree l'
eval label_y('energy', units)
set key at graph 1.02,1 left top Left reverse samplen 1.4
plot for [k=1:2] block('guide', k) using 1:2 with lines dashtype (10,7) linewidth 1 linecolor rgb '#909090', \
  for [k=1:2] block('guide', k) every ::1 using 1:2:(k == 1 ? 'l^{-5/3}' : 'l^{-3}') with labels left offset character 0.4,0 textcolor rgb '#606060', \
  for [i=1:snapshots] block('spectrum', i) using 1:2 with linespoints pointtype 7 pointsize (degrees > 40 ? 0.25 : 0.5) \
    linewidth 1.3 linecolor rgb shade(i) title sprintf('t = %g', when[i])
unset multiplot
