/* Convergence in law: distances of a functional's law at the horizon between step sizes, and from
   its law for states that are uniform on their orbit. Quantities of a path, for each functional and
   level, the reference last: 1 for the place of its value, below all bins, in one of them or above,
   and 0 for the others, so that means times paths are counts, exact on any number of ranks. */
#include "base/owned.h"
#include "engine/sums.h"
#include "files/results/frame.h"
#include "files/results/table.h"
#include "paths/problem/exchange.h"
#include "studies/convergence.h"
#include "studies/laws/distribution.h"

#include <math.h>

typedef struct {
  cas_convergence_options convergence;
  cas_reals range;
  int64_t bins;
  bool uniform;
} law_options;

typedef struct {
  cas_observables functionals;
  int bins;
  double *low, *high; /* [functionals] of the bins */
} law_study;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals,
               .help = "functionals whose distributions are compared"),
    CAS_OPTION(law_options, INT, bins, .fallback = "1024", .low = 2, .high = 4096,
               .help = "number of equal bins, at whose edges distribution functions are compared; "
                       "what is narrower than a bin is not seen"),
    CAS_OPTION(
        law_options, REALS, range, .fallback = "", .low = -1e300, .high = 1e300,
        .help =
            "[LOW, HIGH] of the bins; needed if the functional has no known range on the orbit"),
    CAS_OPTION(law_options, BOOL, uniform, .fallback = "false",
               .help = "also the distance from the uniform distribution on the orbit, the limit of "
                       "linear noise in all directions"),
    {0}};

/* ---- the table ---- */

#define COLUMN(member, longer, meaning, unit) \
  CAS_FIELD_COLUMN(cas_distribution_table, REAL, #member, member, longer, meaning, unit)
#define VALUE(kind, called, member, meaning, unit) \
  CAS_TABLE_VALUE(cas_distribution_table, kind, called, member, meaning, unit)
#define INTERVAL(member, longer, meaning, unit) \
  CAS_FIELD_INTERVAL(cas_distribution_table, member, longer, meaning, unit)

/* The Wasserstein distance, of which orders are, at the finest step. */
static void say(const cas_results *r, const cas_table *table, char *text, size_t size) {
  const cas_distribution_table *t = table->object;
  const int finest = t->levels - 1;
  cas_append(text, size, "Wasserstein error of the law of %s ", t->name);
  cas_frame_append(text, size, t->wasserstein.value[finest], NAN, t->wasserstein.low[finest],
                   t->wasserstein.high[finest], INFINITY);
  cas_table_append_level(text, size, " at step ", r, finest);
  cas_table_append_pair_order(text, size, r, table, 0);
  if (t->outside > 0)
    cas_append(text, size, "; up to %.3g%% of paths lie outside study.range, unseen",
               100 * t->outside);
  if (isnan(t->uniform_smirnov.value[0]))
    return;
  int rejected = 0; /* by Bonferroni: of all steps at 5%, so of each at this part of it */
  for (int l = 0; l <= t->levels; l++)
    rejected += t->uniform_p_value[l] * (t->levels + 1) <= 0.05;
  cas_append(text, size, "; not uniform on the orbit at %d of %d steps", rejected, t->levels + 1);
}

const cas_table_kind cas_table_law = {
    .group = "law",
    .place = CAS_TABLE_EACH,
    .size = sizeof(cas_distribution_table),
    .columns = CAS_FIELDS(
        INTERVAL(wasserstein, 0, "Wasserstein-1 distance from the law of the reference", NULL),
        INTERVAL(smirnov, 0,
                 "largest difference from the distribution function of the reference, at the edges "
                 "of bins",
                 "1"),
        COLUMN(p_value, 0, "of the hypothesis that both laws are the same", "1"),
        INTERVAL(local_order, -1, "order of the Wasserstein distance between neighbouring levels",
                 "1"),
        INTERVAL(
            uniform_smirnov, 1,
            "largest difference from the distribution function on the orbit, at the edges of bins",
            "1"),
        INTERVAL(uniform_wasserstein, 1, "Wasserstein-1 distance from the law on the orbit", NULL),
        COLUMN(uniform_p_value, 1,
               "of the hypothesis that states are uniform on the orbit; its replicates show 0.0005 "
               "at least",
               "1")),
    .values = CAS_FIELDS(VALUE(INT, "bins", bins, "number of bins", "1"),
                         VALUE(REAL, "low", low, "where the first bin begins", NULL),
                         VALUE(REAL, "high", high, "where the last bin ends", NULL),
                         CAS_TABLE_INTERVAL(cas_distribution_table, "outside", outside, outside_low,
                                            outside_high,
                                            "largest share of paths outside the bins, which say "
                                            "nothing of distances: choose study.range",
                                            "1"),
                         VALUE(INT64, "paths_counted", counted, "counted paths", "1")),
    .name = offsetof(cas_distribution_table, name),
    .unit = offsetof(cas_distribution_table, unit),
    .levels = offsetof(cas_distribution_table, levels),
    .say = say,
};

/* ---- checking ---- */

static cas_status find_range(const cas_study_run *r, const law_options *o, law_study *v, int i,
                             cas_error *err) {
  const cas_observable *phi = &v->functionals.observable[i];
  const bool known = phi->functional && phi->functional->range;
  double range[2] = {0, 0};
  if (o->range.n == 2)
    memcpy(range, o->range.value, sizeof range);
  else if (known && !r->problem.initial.source.each && !r->problem.parameters.uncertain)
    phi->functional->range(r->problem.parameters.all, r->problem.initial.x0, range);
  else
    return cas_config_fail(r->config, err, "study", "'range' is missing: %s has no known range%s",
                           phi->name,
                           known ? " where every path has an orbit or parameters of its own" : "");
  CAS_REFUSE(r->config, !(range[0] < range[1]) || !isfinite(range[1] - range[0]), "study",
             "the bins of %s begin at %.6g and end at %.6g, must ascend", phi->name, range[0],
             range[1]);
  v->low[i] = range[0];
  v->high[i] = range[1];
  return CAS_OK;
}

static cas_status check_uniform(const cas_study_run *r, const law_study *v, cas_error *err) {
  const cas_problem *p = &r->problem;
  CAS_REFUSE(r->config,
             p->initial.source.each &&
                 (p->initial.law || p->initial.source.kind != CAS_STATE_RANDOM),
             "study.uniform", "found true, but every path has an orbit of its own");
  CAS_REFUSE(r->config, cas_exchange_acts(p), "study.uniform",
             "found true, but damping leads away from the orbit");
  CAS_REFUSE(r->config, p->dissipation.drag, "study.uniform",
             "found true, but with dissipation states are not uniform on the orbit");
  CAS_REFUSE(r->config, p->parameters.uncertain, "study.uniform",
             "found true, but every path has parameters of its own, on which this "
             "distribution may depend: leave it out");
  for (int i = 0; i < v->functionals.n; i++)
    CAS_REFUSE(r->config,
               !v->functionals.observable[i].functional ||
                   !v->functionals.observable[i].functional->uniform_distribution,
               "study.uniform", "found true, but the law of %s on the orbit is not known",
               v->functionals.observable[i].name);
  return CAS_OK;
}

static int places_of(const law_study *v) { return v->bins + 2; }

static cas_status prepare(cas_study_run *r, cas_error *err) {
  law_options *o = r->options;
  law_study *v = r->prepared;
  v->bins = (int)o->bins;
  CAS_CALL(cas_convergence_plan(r, &o->convergence, err));
  CAS_CALL(cas_functionals_find(r->config, "study.functionals", &o->convergence.functionals,
                                &r->problem, &v->functionals, err));
  v->low = calloc((size_t)v->functionals.n + 1, sizeof *v->low);
  v->high = calloc((size_t)v->functionals.n + 1, sizeof *v->high);
  CAS_NEED(v->low && v->high);
  CAS_REFUSE(r->config, v->functionals.n == 0, "study.functionals", "is empty");
  CAS_REFUSE(r->config, o->range.n != 0 && o->range.n != 2, "study.range",
             "found %d numbers, must be [LOW, HIGH]", o->range.n);
  for (int i = 0; i < v->functionals.n; i++)
    CAS_CALL(find_range(r, o, v, i, err));
  const double most = 1e6, counts = (double)v->functionals.n * r->plan.levels * places_of(v);
  CAS_REFUSE(r->config, counts > most, "study.bins",
             "found %d, which with %d functionals and %d step sizes makes %.3g counts; "
             "must be at most %.3g",
             v->bins, v->functionals.n, r->plan.levels, counts, most);
  return o->uniform ? check_uniform(r, v, err) : CAS_OK;
}

static void release(cas_study_run *r) {
  law_study *v = r->prepared;
  free(v->low);
  free(v->high);
}

/* ---- one block ---- */

static void sizes(const cas_study_run *r, size_t *doubles, int *quantities) {
  const law_study *v = r->prepared;
  const int series = v->functionals.n * r->plan.levels;
  *doubles = (size_t)series * (size_t)r->problem.W;
  *quantities = series * places_of(v);
}

static int place_of(const law_study *v, int i, double value) {
  double at = (value - v->low[i]) / (v->high[i] - v->low[i]) * v->bins;
  if (!(at >= 0))
    return 0;
  return at < v->bins ? 1 + (int)at : v->bins + 1;
}

/* value[functionals][L+1][W] at the horizon */
static void finish(const cas_study_run *r, cas_pass *s, double *value) {
  const law_study *v = r->prepared;
  const int levels = r->plan.levels;
  for (int i = 0; i < v->functionals.n; i++)
    for (int l = 0; l < levels; l++)
      cas_observable_evaluate(&v->functionals.observable[i], s, l,
                              value + (i * levels + l) * r->problem.W);
}

/* A path whose value is no number has failed, and is in no place. */
static void collect(const cas_study_run *r, const double *value, int lane, double *quantity) {
  const law_study *v = r->prepared;
  const int series = v->functionals.n * r->plan.levels;
  memset(quantity, 0, (size_t)series * (size_t)places_of(v) * sizeof *quantity);
  for (int i = 0; i < series; i++) {
    double x = value[i * r->problem.W + lane], *place = quantity + (size_t)i * (size_t)places_of(v);
    place[isnan(x) ? 0 : place_of(v, i / r->plan.levels, x)] = isnan(x) ? NAN : 1;
  }
}

/* ---- from counts to distances ---- */

/* The laws of one functional on all levels: distribution functions of each group at all edges. */
typedef struct {
  int edges, levels;
  double *edge;       /* [edges] */
  double *count;      /* [CAS_SUMMARY_GROUPS] */
  double *function;   /* [levels][CAS_SUMMARY_GROUPS][edges] */
  double *difference; /* [CAS_SUMMARY_GROUPS][edges] */
} laws;

static void find_laws(const cas_study_run *r, int i, const laws *w) {
  const law_study *v = r->prepared;
  for (int k = 0; k < w->edges; k++)
    w->edge[k] = v->low[i] + (v->high[i] - v->low[i]) * k / v->bins;
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++) {
    const double *moments = cas_sums_group(r, g);
    w->count[g] = moments[0];
    for (int l = 0; l < w->levels; l++) {
      const double *place = moments + 1 + (i * w->levels + l) * places_of(v);
      double below = 0,
             *to = w->function + ((size_t)l * CAS_SUMMARY_GROUPS + (size_t)g) * (size_t)w->edges;
      for (int k = 0; k < w->edges; k++)
        to[k] = below += place[k];
    }
  }
}

static const double *function_of(const laws *w, int level) {
  return w->function + (size_t)level * CAS_SUMMARY_GROUPS * (size_t)w->edges;
}

static double outside_of(const laws *w, int level) {
  const double *to = function_of(w, level);
  double paths = 0, inside = 0;
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++) {
    paths += w->count[g];
    inside += w->count[g] * (to[(g + 1) * w->edges - 1] - to[g * w->edges]);
  }
  return paths - inside > 0.5 ? (paths - inside) / paths : 0; /* a difference of counts */
}

/* The distances from the law of another level, or, where phi is given, from that on the orbit. */
static cas_status find_distances(const cas_study_run *r, const laws *w, int level, int other,
                                 const cas_functional *phi, cas_distance d[2], cas_error *err) {
  const double *a = function_of(w, level), *b = function_of(w, other);
  for (int k = 0; k < w->edges; k++) {
    const double known = phi ? phi->uniform_distribution(r->problem.parameters.all,
                                                         r->problem.initial.x0, w->edge[k])
                             : 0;
    for (int i = k; i < CAS_SUMMARY_GROUPS * w->edges; i += w->edges)
      w->difference[i] = a[i] - (phi ? known : b[i]);
  }
  const cas_distribution_difference f = {w->edges, w->edge, w->count, w->difference};
  return cas_distribution_distances(&f, &d[0], &d[1], err);
}

static void put(const cas_distance *d, int at, const cas_intervals *to) {
  to->value[at] = d->value;
  to->low[at] = d->low;
  to->high[at] = d->high;
}

static void fill_outside(const cas_study_run *r, const laws *w, cas_distribution_table *t) {
  const double confidence = 1 - 0.05 / (t->levels + 1);
  for (int l = 0; l <= t->levels; l++) {
    const double share = outside_of(w, l);
    double low = share, high = share;
    if (t->counted > 0 && !cas_problem_is_exact(&r->problem))
      cas_probability_interval(llround(share * (double)t->counted), t->counted, confidence, &low,
                               &high);
    t->outside = fmax(t->outside, share);
    t->outside_low = fmax(t->outside_low, low);
    t->outside_high = fmax(t->outside_high, high);
  }
}

static cas_status fill_levels(const cas_study_run *r, const laws *w, cas_distribution_table *t,
                              cas_error *err) {
  double before[3] = {0};
  fill_outside(r, w, t);
  for (int l = 0; l < t->levels; l++) {
    cas_distance d[2];
    CAS_CALL(find_distances(r, w, l, t->levels, NULL, d, err));
    put(&d[0], l, &t->smirnov);
    put(&d[1], l, &t->wasserstein);
    t->p_value[l] = d[0].p_value;
    const double now[] = {d[1].value, d[1].low_975, d[1].high_975};
    if (l > 0)
      cas_span_put_order(r, l - 1, before, now, &t->local_order);
    memcpy(before, now, sizeof before);
  }
  return CAS_OK;
}

static cas_status fill_uniform(const cas_study_run *r, int i, const laws *w,
                               cas_distribution_table *t, cas_error *err) {
  const law_study *v = r->prepared;
  for (int l = 0; l <= t->levels; l++) {
    cas_distance d[2] = {{NAN, NAN, NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN, NAN}};
    if (((const law_options *)r->options)->uniform)
      CAS_CALL(find_distances(r, w, l, l, v->functionals.observable[i].functional, d, err));
    put(&d[0], l, &t->uniform_smirnov);
    put(&d[1], l, &t->uniform_wasserstein);
    t->uniform_p_value[l] = d[0].p_value;
  }
  return CAS_OK;
}

static cas_status conclude(const cas_study_run *r, cas_results *out, cas_error *err) {
  const law_study *v = r->prepared;
  const cas_distribution_table like = {.levels = r->plan.levels - 1,
                                       .bins = v->bins,
                                       .counted = r->paths - out->health.left_out_paths};
  laws w = {.edges = v->bins + 1, .levels = r->plan.levels};
  size_t K = (size_t)w.edges, each = CAS_SUMMARY_GROUPS * K;
  CAS_OWNED double *memory =
      calloc(K + CAS_SUMMARY_GROUPS + each * ((size_t)w.levels + 1), sizeof *memory);
  CAS_NEED(memory);
  w.edge = memory;
  w.count = memory + K;
  w.difference = w.count + CAS_SUMMARY_GROUPS;
  w.function = w.difference + each;
  for (int i = 0; i < v->functionals.n; i++) {
    const cas_observable *phi = &v->functionals.observable[i];
    cas_distribution_table *t =
        cas_table_create(out, &cas_table_law, phi->name, phi->unit, &like, err);
    CAS_NEED(t);
    find_laws(r, i, &w);
    t->low = v->low[i];
    t->high = v->high[i];
    CAS_CALL(fill_levels(r, &w, t, err));
    CAS_CALL(fill_uniform(r, i, &w, t, err));
  }
  return CAS_OK;
}

const cas_study cas_study_law = {
    .name = "law",
    .summary = "distances between distributions of functionals for different step sizes, and from "
               "the uniform distribution",
    .options = {options, sizeof(law_options), sizeof(law_study)},
    .prepare = prepare,
    .sums = {.sizes = sizes,
             .groups = true,
             .finish = finish,
             .collect = collect,
             .conclude = conclude},
    .release = release,
};
