# Averages over time: means of batches with two standard errors over paths, their running mean, and the average with its
# interval, a panel for each observable; and the autocorrelation times.
#
# Values: observables; paths; batches; start, end (of the window, time). Of observable i: name[i], units[i]; average[i] and
# autocorrelation[i] (time) with the ends of their intervals, average_low[i] ..; short_batches[i] (1: their halves are
# correlated).
# Blocks: batches_i (middle of the batch, its mean, two standard errors, its end, running mean).

panels = observables + 1
panel_width = 3.1
panel_height = 2.3
left = 1.15
top = 0.14
most_columns = panels == 4 ? 2 : 3
legend_entries = 3
mean_text = 'mean of a batch'.(paths > 1 ? ', two standard errors' : '')
average_text = 'average, 95 % confidence'
legend_characters = largest(strlen(mean_text), strlen(average_text))

array lowest[panels]
array highest[panels]
do for [p=1:observables] {
  eval range('$2', block('batches', p))
  eval widen('$2 - number(3)', block('batches', p))
  eval widen('$2 + number(3)', block('batches', p))
  LOW = least(LOW, average_low[p])
  HIGH = largest(HIGH, average_high[p])
  lowest[p] = LOW
  highest[p] = HIGH
}
LOW = NaN
HIGH = NaN
long_enough = (end - start) / batches / 20.0
do for [i=1:observables] {
  LOW = least(LOW, positive(autocorrelation_low[i]))
  HIGH = largest(HIGH, autocorrelation_high[i])
}
lowest[panels] = is_number(LOW) ? least(LOW, long_enough) / 1.6 : 0.1
highest[panels] = is_number(HIGH) ? largest(HIGH, long_enough) * 1.6 : 10

eval begin(panels)
do for [p=1:observables] {
  eval panel(p)
  if (p == 1) {
    eval legend_mark(mean_text, "pointtype 7 pointsize 0.7 linecolor rgb colour(1)")
    eval legend_line('running mean', "linewidth 1.2 linecolor rgb '#404040'")
    eval legend_area(average_text, tint(colour(2), 0.35))
  }
  eval time_axis(start, end)
  eval linear_axis_y(lowest[p], highest[p])
  eval label_y('average of '.name[p], units[p])
  set object rectangle from start,average_low[p] to end,average_high[p] behind fillstyle solid noborder \
    fillcolor rgb tint(colour(2), 0.35)
  set arrow from start,average[p] to end,average[p] nohead back linewidth 1.2 linecolor rgb colour(2)
  plot block('batches', p) using 4:5 with lines linewidth 1.2 linecolor rgb '#404040', \
    block('batches', p) using 1:($2 - $3):(0):(2 * $3) with vectors nohead linewidth 1 linecolor rgb colour(1), \
    block('batches', p) using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb colour(1)
}
eval panel(panels)
eval axis('x', 0.5, observables + 0.5)
set xtics () scale 0
do for [i=1:observables] { set xtics add (name[i] i) }
eval label_x('observable', '')
eval log_axis('y', lowest[panels], highest[panels])
eval label_y('autocorrelation time', 'time unit')
set arrow from graph 0,first long_enough to graph 1,first long_enough nohead back @slope_line
set label 'batch/20' at graph 0.98,first long_enough right offset character 0,0.5 textcolor rgb '#606060'
plot for [i=1:observables] $none using (NaN):(NaN), \
  for [i=1:observables] '+' using (i):(autocorrelation_low[i]):(0):(autocorrelation_high[i] - autocorrelation_low[i]) every ::0::0 @bar_style, \
  for [i=1:observables] '+' using (i):(autocorrelation[i]) every ::0::0 @mark
unset multiplot
