/* Strong and weak errors of all levels in one pass: error of a level = its difference from the
   reference on the same path; and differences of neighbouring levels. Quantities of a path, in this
   order (cas_convergence_pairs): if strong errors are asked for, of the differences d = X_j - X_ref
   for each level j and d = X_j - X_j+1 for each but the last what cas_strong_measures lists, |d|^2
   at the horizon, its maximum over the coarsest grid, the sum of |d(t_k) - d(t_k-1)|^2 over the
   coarsest steps, and the first two of the part that a state may have behind its components; then
   for each functional, or its average over the coarsest grid from a time on, phi(X_j) for each j
   and the reference, phi(X_j) - phi(X_ref) for each j, or what phi(X_j) differs by from an exact
   mean, and phi(X_j) - phi(X_j+1) for each but the last. */
#include "studies/convergence.h"
#include "studies/curve.h"
#include "studies/path_cost.h"

#include <math.h>

static const cas_option reference_options[] = {
    CAS_OPTION(cas_reference_options, INT, level, .low = 1, .high = 40,
               .help = "the reference step is coarsest_step / refinement^level; at least `levels`"),
    CAS_OPTION(cas_reference_options, STRING, integrator, .fallback = "",
               .help = "scheme of the reference, with its default options, except `compensated`, "
                       "which is the same on all levels; default: the scheme of all levels"),
    {0}};

static const cas_option finer_options[] = {
    CAS_OPTION(cas_reference_options, INT, level, .fallback = "", .low = 1, .high = 40,
               .help = "the reference step is coarsest_step / refinement^level; default: `levels`"),
    CAS_OPTION(cas_reference_options, STRING, integrator, .fallback = "",
               .help = "scheme of the reference, as in the study weak"),
    {0}};

static const cas_option step_options[] = {
    {.type = CAS_INCLUDE, .section = cas_span_options},
    CAS_OPTION(cas_convergence_options, INT, levels, .fallback = "", .low = 1,
               .high = CAS_PLAN_LEVELS_MAX - 1,
               .help = "number of step sizes, each the one before / refinement; required, unless "
                       "refine lists the levels"),
    {0}};

static const cas_option path_options[] = {
    CAS_OPTION(cas_convergence_options, INT, paths, .low = 1, .high = 1e15,
               .identity = CAS_MORE_PATHS, .help = "number of Brownian paths"),
    CAS_OPTION(cas_convergence_options, INT, first_path, .fallback = "0", .high = 1e15,
               .identity = CAS_OF_PART, .help = CAS_SPAN_FIRST_PATH_HELP),
    {0}};

const cas_option cas_convergence_level_options[] = {
    {.type = CAS_INCLUDE, .section = step_options},
    CAS_OPTION(cas_convergence_options, SECTION, reference, .fallback = "",
               .section = reference_options, .alone = "level",
               .help = "reference step on the same path, against which errors are measured; "
                       "required, unless refine lists the levels"),
    {.type = CAS_INCLUDE, .section = path_options},
    {0}};

static const char functionals_help[] =
    "test functions for weak errors: names of functionals and of observables that are single "
    "numbers, or {name: expression}, also of whole paths: path_max(x1), integral(x1), passed(x1, "
    "0.5) (docs/own-system.md)";

static const cas_option cost_options[] = {
    CAS_OPTION(cas_convergence_options, BOOL, path_cost, CAS_PATH_COST_OPTION), {0}};

static const cas_option truth_options[] = {CAS_OPTION(cas_convergence_options, REALS, exact,
                                                      .fallback = "",
                                                      .help = CAS_CONVERGENCE_EXACT_HELP),
                                           {0}};

static const cas_option strong_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    {.type = CAS_INCLUDE, .section = cas_span_size_options},
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};
static const cas_option weak_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    {.type = CAS_INCLUDE, .section = cas_span_size_options},
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals, .help = functionals_help),
    {.type = CAS_INCLUDE, .section = truth_options},
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};
static const cas_option convergence_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    {.type = CAS_INCLUDE, .section = cas_span_size_options},
    CAS_OPTION(cas_convergence_options, BOOL, strong, .fallback = "true",
               .help = "strong errors too"),
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals, .fallback = "",
               .help = functionals_help),
    {.type = CAS_INCLUDE, .section = truth_options},
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};

static const cas_option invariant_options[] = {
    {.type = CAS_INCLUDE, .section = step_options},
    CAS_OPTION(cas_convergence_options, SECTION, reference, .fallback = "",
               .section = finer_options, .alone = "level",
               .help = "finer step on the same path, against which averages are measured where no "
                       "exact values are given"),
    {.type = CAS_INCLUDE, .section = path_options},
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals,
               .help = "functions of the state that are averaged, at the coarsest steps"),
    CAS_OPTION(cas_convergence_options, REAL, from, .low = 0, .high = 1e300,
               .help = "start of the averages, a multiple of the coarsest step: late enough that "
                       "the initial state has no influence"),
    CAS_OPTION(cas_convergence_options, REALS, exact, .fallback = "",
               .help = "exact mean of each functional by the invariant law, against which averages "
                       "are measured"),
    {0}};

/* ---- checking ---- */

cas_status cas_convergence_plan(cas_study_run *r, cas_convergence_options *o, cas_error *err) {
  CAS_CALL(cas_span_sizes(r, &o->span, "study.levels", 1, &o->levels, err));
  CAS_REFUSE(r->config,
             r->problem.sizes && (o->reference.integrator ||
                                  (o->reference.level && o->reference.level != o->levels)),
             "study.reference", "must be absent: the last of study.refine.N is the reference");
  if (r->problem.sizes)
    o->reference.level = o->levels; /* The last of several sizes is the reference. */
  CAS_REFUSE(r->config, !o->reference.level, "study", "'reference' is missing");
  CAS_CALL(cas_span_check(r, &o->span, o->reference.level, "reference", err));
  CAS_REFUSE(r->config, o->reference.level < o->levels, "study.reference",
             "found %lld, must be at least %lld: the reference must be finer than all %lld levels",
             (long long)o->reference.level, (long long)o->levels, (long long)o->levels);
  r->plan = cas_span_plan(&o->span, (int)o->levels, (int)o->reference.level);
  r->plan.reference = true;
  r->paths = o->paths;
  r->first_path = o->first_path;
  if (!o->reference.integrator)
    return CAS_OK;
  CAS_CALL(cas_problem_reference_scheme(r->config, "study.reference.integrator", &r->problem, err));
  const double finest = r->plan.h[r->plan.levels - 1];
  CAS_REFUSE(r->config, r->problem.reference.options.truncation > 0 && finest >= 1,
             "study.reference",
             "the reference step is %g, must be less than 1: %s cuts normals at sqrt(2 l |ln h|)",
             finest, r->problem.reference.integrator->name);
  return CAS_OK;
}

cas_status cas_convergence_truth(const cas_config *c, const cas_reals *exact, int functionals,
                                 const double **truth, cas_error *err) {
  CAS_REFUSE(c, exact->n && exact->n != functionals, "study.exact",
             "found %d number%s, must be one for each of the %d functionals", exact->n,
             exact->n == 1 ? "" : "s", functionals);
  *truth = exact->n ? exact->value : NULL;
  return CAS_OK;
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  cas_convergence_options *o = r->options;
  cas_convergence *v = r->prepared;
  v->strong = o->strong || r->study == &cas_study_strong;
  v->parts = r->problem.part ? 2 : 1;
  CAS_CALL(cas_convergence_plan(r, o, err));
  v->levels = (int)o->levels;
  CAS_REFUSE(r->config, !v->strong && o->functionals.n == 0, "study.functionals",
             "is empty, and nothing else is asked for");
  CAS_CALL(cas_functionals_find(r->config, "study.functionals", &o->functionals, &r->problem,
                                &v->functionals, err));
  return cas_convergence_truth(r->config, &o->exact, v->functionals.n, &v->truth, err);
}

static cas_status prepare_invariant(cas_study_run *r, cas_error *err) {
  cas_convergence_options *o = r->options;
  cas_convergence *v = r->prepared;
  if (!o->reference.level)
    o->reference.level = o->levels;
  CAS_CALL(prepare(r, err));
  CAS_REFUSE(r->config, r->problem.study.followers.n > 0, "study.functionals",
             "an invariant law has no means of path_max and other functionals of "
             "whole paths, must be functions of the state");
  const cas_time_span span = {.step = o->span.coarsest_step, .steps = o->span.coarsest_steps};
  CAS_CALL(cas_time_span_step(r, "study.from", &span, o->from, &v->first, err));
  CAS_REFUSE(r->config, v->first >= span.steps, "study.from",
             "found %.10g, must be before the horizon, %.10g", o->from,
             (double)span.steps * span.step);
  v->averages = true;
  v->from = o->from;
  v->exact = v->truth;
  return CAS_OK;
}

/* The times of the coarsest grid that averages are over. */
static int64_t times_of(const cas_study_run *r) {
  return r->plan.steps / r->plan.grid - ((const cas_convergence *)r->prepared)->first;
}

static void describe_invariant(FILE *f, const cas_study_run *r) {
  fprintf(f, "  average    from %.10g on, over %lld times of every path\n",
          ((const cas_convergence *)r->prepared)->from, (long long)times_of(r));
}

/* ---- one block ---- */

typedef struct {
  /* [parts][2L-1][W] of the last observation: from the reference, from the next level */
  double *distance2;
  double *supremum2;  /* [parts][2L-1][W] over the observations */
  double *increment2; /* [2L-1][W] the latest squared increment of each difference */
  double *sum2;       /* [2L-1][W] of squared increments over the observations */
  double *before;     /* [L+1][components][W] states at the observation before */
  double *cut;        /* [components] of one size; workspace */
  double *value; /* [F][L+1][W] at the horizon, or sums of averages, then as many for one time */
} arrays;

int cas_convergence_pairs(const cas_convergence *v) { return 2 * v->levels - 1; }

int cas_convergence_strong(const cas_convergence *v) {
  return !v->strong ? 0 : v->parts > 1 ? CAS_STRONG_MEASURES : CAS_STRONG_MEASURES_OF_ALL;
}

/* The levels of a pair: each with the reference, then each with its neighbour. */
static int coarser(const cas_convergence *v, int pair) { return pair % v->levels; }

static int finer(const cas_convergence *v, int pair) {
  return pair < v->levels ? v->levels : pair - v->levels + 1;
}

/* out[pair][lane]: squared distances of one part of states */
static void measure(const cas_convergence *v, const cas_pass *s, int part, double *cut,
                    double *out) {
  const cas_problem *p = s->problem;
  const int behind = p->geometry.components * p->W;
  for (int k = 0; k < cas_convergence_pairs(v); k++, out += p->W) {
    const cas_level *a = &s->level[coarser(v, k)], *b = &s->level[finer(v, k)];
    if (part == 0)
      cas_level_distance2(a, b, a->x, b->x, cut, out);
    else
      p->part->distance2(p->W, a->x + behind, b->x + behind, out);
  }
}

static size_t state_size(const cas_problem *p) {
  return (size_t)p->geometry.components * (size_t)p->W;
}

/* The next n numbers of a memory of which *used are used; NULL where only these are counted. */
static double *take(double *memory, size_t *used, size_t n) {
  double *next = memory ? memory + *used : NULL;
  *used += n;
  return next;
}

static arrays arrays_of(const cas_study_run *r, double *memory, size_t *used) {
  const cas_convergence *v = r->prepared;
  const size_t W = (size_t)r->problem.W, levels = (size_t)v->levels + 1,
               state = v->strong ? state_size(&r->problem) : 0,
               each = v->strong ? (size_t)cas_convergence_pairs(v) * W : 0,
               all = (size_t)v->parts * each;
  *used = 0;
  arrays b = {.distance2 = take(memory, used, all)};
  b.supremum2 = take(memory, used, all);
  b.increment2 = take(memory, used, each);
  b.sum2 = take(memory, used, each);
  b.before = take(memory, used, levels * state);
  b.cut = take(memory, used, r->problem.sizes ? state : 0);
  b.value = take(memory, used, (v->averages ? 2 : 1) * (size_t)v->functionals.n * levels * W);
  return b;
}

static void sizes(const cas_study_run *r, size_t *doubles, int *quantities) {
  const cas_convergence *v = r->prepared;
  const int pairs = cas_convergence_pairs(v);
  (void)arrays_of(r, NULL, doubles);
  *quantities = cas_convergence_strong(v) * pairs + v->functionals.n * (v->levels + 1 + pairs);
}

/* |d(t_k) - d(t_k-1)|^2 of each pair, where d is the difference of its levels: the distance of the
   increments that both have made, which takes the place of the states before for a moment. */
static void add_increments(const cas_convergence *v, const arrays *b, const cas_pass *s) {
  const cas_problem *p = s->problem;
  size_t n = state_size(p);
  for (int j = 0; j <= v->levels; j++)
    for (size_t i = 0; i < state_size(s->level[j].problem); i++)
      b->before[(size_t)j * n + i] = s->level[j].x[i] - b->before[(size_t)j * n + i];
  for (int k = 0; k < cas_convergence_pairs(v); k++)
    cas_level_distance2(&s->level[coarser(v, k)], &s->level[finer(v, k)],
                        b->before + (size_t)coarser(v, k) * n, b->before + (size_t)finer(v, k) * n,
                        b->cut, b->increment2 + k * p->W);
  for (int i = 0; i < cas_convergence_pairs(v) * p->W; i++)
    b->sum2[i] += b->increment2[i];
}

/* Adds every functional on every level to its sum, which the first of its times begins. An
   abandoned observation is made again: nothing is added before all are evaluated. */
static void add_values(const cas_convergence *v, cas_pass *s, int64_t observation, double *value) {
  const int W = s->problem->W, levels = v->levels + 1, n = v->functionals.n * levels * W;
  double *now = value + n;
  for (int f = 0; f < v->functionals.n; f++)
    for (int j = 0; j < levels && !s->abandoned; j++)
      cas_observable_evaluate(&v->functionals.observable[f], s, j, now + (f * levels + j) * W);
  for (int i = 0; i < n && !s->abandoned; i++)
    value[i] = (observation == v->first + 1 ? 0 : value[i]) + now[i];
}

static void observe(const cas_study_run *r, cas_pass *s, int64_t observation, double *memory) {
  const cas_convergence *v = r->prepared;
  size_t used;
  const arrays b = arrays_of(r, memory, &used);
  if (v->averages && observation > v->first)
    add_values(v, s, observation, b.value);
  const size_t state = state_size(s->problem);
  int n = cas_convergence_pairs(v) * s->problem->W;
  if (!v->strong)
    return;
  for (int part = 0; part < v->parts; part++)
    measure(v, s, part, b.cut, b.distance2 + part * n);
  for (int i = 0; i < v->parts * n; i++)
    b.supremum2[i] = observation == 0 ? 0 : fmax(b.supremum2[i], b.distance2[i]);
  if (observation == 0)
    memset(b.sum2, 0, (size_t)n * sizeof(double));
  else
    add_increments(v, &b, s);
  for (int j = 0; j <= v->levels; j++)
    memcpy(b.before + (size_t)j * state, s->level[j].x,
           state_size(s->level[j].problem) * sizeof(double));
}

static void finish(const cas_study_run *r, cas_pass *s, double *memory) {
  const cas_convergence *v = r->prepared;
  size_t used;
  const arrays b = arrays_of(r, memory, &used);
  for (int i = 0; v->averages && i < v->functionals.n * (v->levels + 1) * r->problem.W; i++)
    b.value[i] /= (double)times_of(r);
  for (int f = 0; !v->averages && f < v->functionals.n; f++)
    for (int j = 0; j <= v->levels; j++)
      cas_observable_evaluate(&v->functionals.observable[f], s, j,
                              b.value + (f * (v->levels + 1) + j) * r->problem.W);
}

static void collect(const cas_study_run *r, const double *memory, int lane, double *q) {
  const cas_convergence *v = r->prepared;
  size_t used;
  const arrays b = arrays_of(r, (double *)memory, &used);
  const int W = r->problem.W, L = v->levels, pairs = cas_convergence_pairs(v);
  const double *strong[CAS_STRONG_MEASURES] = {b.distance2, b.supremum2, b.sum2,
                                               b.distance2 + pairs * W, b.supremum2 + pairs * W};
  for (int m = 0; m < cas_convergence_strong(v); m++)
    for (int k = 0; k < pairs; k++)
      *q++ = strong[m][k * W + lane];
  for (int f = 0; f < v->functionals.n; f++) {
    const double *value = b.value + f * (L + 1) * W + lane;
    for (int j = 0; j <= L; j++)
      *q++ = value[j * W];
    for (int k = 0; k < pairs; k++) {
      const bool exact = v->exact && k < L;
      *q++ = value[coarser(v, k) * W] - (exact ? v->exact[f] : value[finer(v, k) * W]);
    }
  }
}

/* ---- the whole study ---- */

static cas_status extend(const cas_study_run *r, cas_results *out, bool *added, cas_error *err) {
  *added = ((const cas_convergence_options *)r->options)->path_cost;
  return *added ? cas_path_cost_add(r, out, err) : CAS_OK;
}

/* What the studies of errors have alike. */
#define ERRORS(table)                                                           \
  .options = {table, sizeof(cas_convergence_options), sizeof(cas_convergence)}, \
  .sums = {.sizes = sizes,                                                      \
           .groups = true,                                                      \
           .observe = observe,                                                  \
           .finish = finish,                                                    \
           .collect = collect,                                                  \
           .conclude = cas_convergence_results,                                 \
           .extend = extend}

enum { INCREMENTS = 1 }; /* sums have had them since */

const cas_study cas_study_strong = {
    .name = "strong",
    .summary = "root-mean-square error of each step size against a fine reference on the same "
               "Brownian paths",
    ERRORS(strong_options),
    .defaults = {.sums_version = INCREMENTS},
    .prepare = prepare,
};

const cas_study cas_study_weak = {
    .name = "weak",
    .summary = "error of expectations of each step size against a fine reference on the same "
               "Brownian paths",
    ERRORS(weak_options),
    .prepare = prepare,
};

const cas_study cas_study_invariant = {
    .name = "invariant",
    .summary = "bias of averages over a long time, by the step size: against exact means of the "
               "invariant law, or a finer step on the same Brownian paths",
    ERRORS(invariant_options),
    .prepare = prepare_invariant,
    .costs = &(const cas_study_costs){.describe = describe_invariant},
};

const cas_study cas_study_convergence = {
    .name = "convergence",
    .summary = "strong and weak errors in one sweep",
    ERRORS(convergence_options),
    .defaults = {.sums_version = INCREMENTS},
    .prepare = prepare,
};
