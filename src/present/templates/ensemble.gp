# Statistics of observables over time, a panel each: quantiles as bands, median, extremes, and the mean with
# its interval. Few times are boxes instead.
#
# Values: panels; of panel i: name[i], number[i] (which number of an observable), units[i];
# boxes (1: few times), half_width (of a box, in time); start, end (time); has_median; bands, between the
# probabilities band_low[k] and band_high[k].
# members (drawn).
# Blocks: members_i (time, then a number of each member) of panels of a component of the state; panel_i (time, mean, its interval from, to, least, greatest, median, and for each band from, to).

panel_width = 3.1
panel_height = 2.2
left = 1.2
right = 0.22
top = 0.14
most_columns = 3
legend_entries = bands + has_median + 2 + (members > 0)
mean_title = 'mean, 95 % confidence'
legend_characters = strlen(mean_title)

band_colour(k) = tint(colour(1), 0.5 - 0.15 * (bands - k))
mean_line = "dashtype (8,5) linewidth 1.5 linecolor rgb colour(2)"
mean_mark = "pointtype 7 pointsize 0.45 linecolor rgb colour(2)"
mean_bar = "with vectors nohead linewidth 1.4 linecolor rgb colour(2)"
median_line = "linewidth 1.5 linecolor rgb colour(1)"
member_mark = "pointtype 7 pointsize 0.2 linecolor rgb '#606060'"
member_line = "linewidth 0.4 linecolor rgb '#606060'"
extreme_line = "linewidth 0.7 linecolor rgb '#606060'"
members_in(i) = exists('$members_'.i) ? members : 0
# a line across `share` of its box
across_box = "with vectors nohead"
part(share) = share * half_width

array from[panels]
array to[panels]
do for [i=1:panels] {
  eval range('$2', block('panel', i))
  do for [c=3:7+2*bands] { eval widen(sprintf('$%d', c), block('panel', i)) }
  from[i] = LOW
  to[i] = HIGH
}

eval begin(panels)
do for [i=1:panels] {
  eval panel(i)
  if (i == 1) {
    do for [k=1:bands] {
      eval legend_area(sprintf('%g–%g %%', 100 * band_low[k], 100 * band_high[k]), band_colour(k))
    }
    if (has_median) { eval legend_line('median', median_line) }
    if (boxes) { eval legend_mark(mean_title, mean_mark) } else { eval legend_line(mean_title, mean_line) }
    eval legend_line('least, greatest', extreme_line)
    if (members > 0) {
      member_title = members > 1 ? sprintf('%d members', members) : 'a member'
      if (boxes) { eval legend_mark(member_title, member_mark) } else { eval legend_line(member_title, member_line) }
    }
  }
  margin = boxes ? 2 * half_width : 0
  eval time_axis(start - margin, end + margin)
  if (!is_lowest(i)) { unset xlabel }
  eval linear_axis_y(from[i], to[i])
  eval label_y(name[i].(number[i] eq '' ? '' : ' '.number[i]), units[i])
  if (boxes) {
    plot NaN, \
      for [k=1:bands] block('panel', i) using 1:6+2*k:($1-half_width):($1+half_width):6+2*k:7+2*k with boxxyerror \
        fillstyle solid noborder linecolor rgb band_colour(k), \
      for [m=1:members_in(i)] block('members', i) using 1:1+m with points @member_mark, \
      for [c=5:6] block('panel', i) using ($1-part(0.5)):c:(2*part(0.5)):(0) @across_box @extreme_line, \
      block('panel', i) using ($1-part(1)):7:(2*part(1)):(0) @across_box @median_line, \
      block('panel', i) using 1:3:(0):($4-$3) @mean_bar, \
      for [c=3:4] block('panel', i) using ($1-part(0.3)):c:(2*part(0.3)):(0) @mean_bar, \
      block('panel', i) using 1:2 with points @mean_mark
  } else {
    plot NaN, \
      for [k=1:bands] block('panel', i) using 1:6+2*k:7+2*k with filledcurves fillstyle solid noborder \
        linecolor rgb band_colour(k), \
      for [m=1:members_in(i)] block('members', i) using 1:1+m with lines @member_line, \
      for [c=5:6] block('panel', i) using 1:c with lines @extreme_line, \
      block('panel', i) using 1:7 with lines @median_line, \
      block('panel', i) using 1:3:4 with filledcurves fillstyle transparent solid 0.3 noborder linecolor rgb colour(2), \
      block('panel', i) using 1:2 with lines @mean_line
  }
}
unset multiplot
