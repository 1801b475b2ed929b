/* Strong and weak scaling over numbers of ranks: the time of a run and the parallel efficiency,
   from what jobs/scaling.sh has measured. */
#include "present/pictures/picture.h"
#include <float.h>

enum { STRONG, WEAK, KINDS };
static const char *const kinds[KINDS] = {"strong", "weak"};

typedef struct {
  cas_reals ranks, paths, efficiency, efficiency_low, efficiency_high, reduction;
  cas_vectors seconds, slowest, mean, reduce;
} scaling;

#define COLUMN(member) CAS_OPTION(scaling, REALS, member, .high = DBL_MAX, .help = #member)
#define RUNS(member) \
  CAS_OPTION(scaling, VECTORS, member, .high = DBL_MAX, .help = #member " of every run")
static const cas_option options[] = {COLUMN(ranks),
                                     COLUMN(paths),
                                     COLUMN(efficiency),
                                     COLUMN(efficiency_low),
                                     COLUMN(efficiency_high),
                                     COLUMN(reduction),
                                     RUNS(seconds),
                                     RUNS(slowest),
                                     RUNS(mean),
                                     RUNS(reduce),
                                     {0}};

static bool matches_scaling(const cas_source *s) { return s->values != NULL; }

/* ---- reading ---- */

static cas_status check(const cas_source *s, const char *kind, const scaling *m, cas_error *err) {
  int n = m->ranks.n;
  if (n < 1 || m->efficiency.n != n || m->efficiency_low.n != n || m->efficiency_high.n != n ||
      m->seconds.rows != n || m->seconds.columns < 1)
    return cas_config_fail(s->values, err, kind, "its columns are not of one length");
  for (int i = 0; i < n; i++)
    if (m->ranks.value[i] < 1 || (i && m->ranks.value[i] <= m->ranks.value[i - 1]))
      return cas_config_fail(s->values, err, kind, "ranks must ascend from 1 or more");
  return CAS_OK;
}

/* ---- what is drawn ---- */

static double median(const double *ascending, int n) {
  return (ascending[(n - 1) / 2] + ascending[n / 2]) / 2;
}

static void write_kind(cas_figure *g, const char *kind, const scaling *m) {
  int runs = m->seconds.columns;
  CAS_FIGURE_DATA(g, kind, {"ranks", "1"}, {"seconds", "s"}, {"least", "s"}, {"most", "s"},
                  {"efficiency", "1"}, {"efficiency_low", "1"}, {"efficiency_high", "1"});
  for (int i = 0; i < m->ranks.n; i++) {
    const double *t = m->seconds.value + i * runs; /* ascending */
    CAS_FIGURE_ROW(g, m->ranks.value[i], median(t, runs), t[0], t[runs - 1], m->efficiency.value[i],
                   m->efficiency_low.value[i], m->efficiency_high.value[i]);
  }
  cas_figure_data_end(g);
}

static cas_status draw_scaling(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                               cas_error *err) {
  scaling m[KINDS] = {0};
  cas_status st = CAS_OK;
  for (int k = 0; !st && k < KINDS; k++) {
    st = cas_options_read(s->values, kinds[k], options, NULL, &m[k], err);
    if (!st)
      st = check(s, kinds[k], &m[k], err);
  }
  if (!st) {
    const scaling *strong = &m[STRONG];
    cas_figure_real(g, "least_ranks", strong->ranks.value[0]);
    cas_figure_real(g, "most_ranks", strong->ranks.value[strong->ranks.n - 1]);
    cas_figure_real(g, "ideal",
                    median(strong->seconds.value, strong->seconds.columns) *
                        strong->ranks.value[0]);
    for (int k = 0; k < KINDS; k++)
      write_kind(g, kinds[k], &m[k]);
  }
  for (int k = 0; k < KINDS; k++)
    cas_options_free(options, &m[k]);
  return st;
}

const cas_picture cas_picture_scaling = {
    .name = "scaling",
    .summary = "time and parallel efficiency over numbers of ranks, of jobs/scaling.sh",
    .needs = "the JSON of jobs/scaling.sh",
    .files = 1,
    .matches = matches_scaling,
    .draw = draw_scaling,
};
