# Members of an ensemble on the sphere at a few times.
#
# Values: panels; when[i] (time); members; points (of a state, each in a colour).
# azimuth, elevation (of the view, degrees).
# Blocks: points_i_k (x1, x2, x3 of point k of all members in panel i).

panel_width = 2.5
panel_height = 2.5
left = 0
right = 0
bottom = 0
top = 0.36
outer_left = 0.12
outer_right = 0.12
outer_bottom = 0.1
keep_shape = 1
most_columns = 5

mark_size = members <= 200 ? 0.6 : members <= 2000 ? 0.35 : 0.2
members_of = "with points pointtype 7 pointsize mark_size linecolor rgb tint(colour(k), near ? 1 : 0.4)"

eval begin(panels)
do for [i=1:panels] {
  eval panel(i)
  eval sphere(azimuth, elevation)
  set label sprintf('t = %g', when[i]) at graph 0.5,1.05 center
  plot @ball, \
    for [near=0:0] for [k=1:points] block(sprintf('points_%d', i), k) @seen @members_of, \
    @graticule, \
    for [near=1:1] for [k=1:points] block(sprintf('points_%d', i), k) @seen @members_of
}
unset multiplot
