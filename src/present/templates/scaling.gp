# Strong and weak scaling over numbers of ranks: the time of a run and the parallel efficiency.
#
# Values: least_ranks, most_ranks; ideal (ranks times seconds of the first strong run).
# Blocks: strong, weak (ranks, seconds, least, most, efficiency, least, most).

panels = 2
panel_width = 3.2
panel_height = 2.6
left = 0.95
right = 0.25
top = 0.12 + keys(3)

runs = "with yerrorlines linewidth 1.3 pointsize 0.7"
ranks = "set logscale x 2; set xlabel 'ranks'; unset mxtics"

eval begin(panels)
eval panel(1)
eval ranks
eval axis('x', least_ranks / 1.25, most_ranks * 1.25)
set logscale y 10
eval open_axis('y', '*', '*')
set ylabel 'time of a run [s]' offset character 0.5,0
plot $strong using 1:2:3:4 @runs pointtype 7 linecolor rgb colour(1) title 'strong', \
  $weak using 1:2:3:4 @runs pointtype 5 linecolor rgb colour(2) title 'weak', \
  ideal / x with lines @slope_line title 'ideal, strong'

eval panel(2)
eval ranks
eval axis('x', least_ranks / 1.25, most_ranks * 1.25)
eval open_axis('y', '0', '*')
set ylabel 'parallel efficiency' offset character 0.5,0
plot $strong using 1:5:6:7 @runs pointtype 7 linecolor rgb colour(1) title 'strong', \
  $weak using 1:5:6:7 @runs pointtype 5 linecolor rgb colour(2) title 'weak', \
  1 with lines @slope_line title 'ideal'
unset multiplot
