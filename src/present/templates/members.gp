# Members of an ensemble on the sphere at a few times.
#
# Values: panels; when[i] (time); members; points (of a state, each in a colour).
# Blocks: points_i_k (right, up, 1 on the near side, of point k in panel i); near_graticule, far_graticule,
# axes (right, up, .., as they are seen).

panel_width = 2.5
panel_height = 2.5
left = 0
right = 0
bottom = 0
top = 0.36
outer_left = 0.12
outer_right = 0.12
outer_bottom = 0.1
most_columns = 5

mark_size = members <= 200 ? 0.6 : members <= 2000 ? 0.35 : 0.2
members_of = "using 1:($3 == side ? $2 : NaN) with points pointtype 7 pointsize mark_size linecolor rgb tint(colour(k), side ? 1 : 0.4)"

eval begin(panels)
do for [i=1:panels] {
  eval panel(i)
  eval sphere_axes
  set label sprintf('t = %g', when[i]) at graph 0.5,1.05 center
  plot @ball, \
    for [side=0:0] for [k=1:points] block(sprintf('points_%d', i), k) @members_of, \
    @graticule, \
    for [side=1:1] for [k=1:points] block(sprintf('points_%d', i), k) @members_of, \
    @axis_names
}
unset multiplot
