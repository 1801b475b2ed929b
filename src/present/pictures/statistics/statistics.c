#include "present/pictures/statistics/statistics.h"
#include "results/table.h"
#include <math.h>
#include <string.h>

const void *cas_statistics_subject(const cas_source *s, const char *group, int i) {
  for (int k = 0; k < s->results.tables; k++)
    if (strcmp(s->results.table[k].kind->group, group) == 0 && i-- == 0)
      return s->results.table[k].object;
  return NULL;
}

int cas_statistics_subjects(const cas_figure *g, const cas_source *s, const char *group) {
  int all = 0, drawn;
  while (cas_statistics_subject(s, group, all))
    all++;
  drawn = all < CAS_STATISTICS_MOST_SUBJECTS ? all : CAS_STATISTICS_MOST_SUBJECTS;
  if (drawn < all)
    cas_figure_remark(g, "the first %d of %d functionals are drawn", drawn, all);
  return drawn;
}

void cas_statistics_finest_order(cas_figure *g, int i, int n, int orders, const double *order,
                                 const double *low, const double *high) {
  int k = orders - 1;
  while (k >= 0 && !(isfinite(order[k]) && isfinite(low[k]) && isfinite(high[k])))
    k--;
  cas_picture_interval_of(g, "order", i, n, k < 0 ? NAN : order[k], k < 0 ? NAN : low[k],
                          k < 0 ? NAN : high[k]);
}
