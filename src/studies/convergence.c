/* Strong and weak errors of all levels in one pass: error of a level = its difference from the
   reference on the same path; and differences of neighbouring levels. Quantities of a path, in this
   order (cas_convergence_pairs): if strong errors are asked for, of the differences d = X_j - X_ref
   for each level j and d = X_j - X_j+1 for each but the last what cas_strong_measures lists, |d|^2
   at the horizon, its maximum over the coarsest grid, the sum of |d(t_k) - d(t_k-1)|^2 over the
   coarsest steps, and the first two of the part that a state may have behind its components; then
   for each functional phi(X_j) for each j and the reference, phi(X_j) - phi(X_ref) for each j, and
   phi(X_j) - phi(X_j+1) for each but the last. */
#include "studies/convergence.h"
#include "studies/curve.h"

#include "engine/chunks.h"
#include "engine/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cas_option reference_options[] = {
    CAS_OPTION(cas_reference_options, INT, level, .low = 1, .high = 40,
               .help = "the reference step is coarsest_step / refinement^level; at least `levels`"),
    CAS_OPTION(cas_reference_options, STRING, integrator, .fallback = "",
               .help = "scheme of the reference, with its default options, except `compensated`, "
                       "which is the same on all levels; default: the scheme of all levels"),
    {0}};

const cas_option cas_convergence_level_options[] = {
    {.type = CAS_INCLUDE,
     .offset = offsetof(cas_convergence_options, span),
     .section = cas_span_options},
    CAS_OPTION(cas_convergence_options, INT, levels, .low = 1, .high = CAS_LEVELS_MAX - 1,
               .help = "number of step sizes, each that before / refinement"),
    CAS_OPTION(cas_convergence_options, SECTION, reference, .section = reference_options,
               .alone = "level",
               .help = "reference step on the same path, against which errors are measured"),
    CAS_OPTION(cas_convergence_options, INT, paths, .low = 1, .high = 1e15,
               .help = "number of Brownian paths"),
    CAS_OPTION(cas_convergence_options, INT, first_path, .fallback = "0", .high = 1e15,
               .help = CAS_SPAN_FIRST_PATH_HELP),
    {0}};

static const char functionals_help[] =
    "test functions for weak errors: names of functionals and of observables that are single "
    "numbers, or {name: expression}";

static const cas_option cost_options[] = {
    CAS_OPTION(cas_convergence_options, BOOL, path_cost, .fallback = "false",
               .help = "also measure the cost of a path at every step size, at the end of the run, "
                       "for casimir plot --picture work"),
    {0}};

static const cas_option strong_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};
static const cas_option weak_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals, .help = functionals_help),
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};
static const cas_option convergence_options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    CAS_OPTION(cas_convergence_options, BOOL, strong, .fallback = "true",
               .help = "strong errors too"),
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals, .fallback = "",
               .help = functionals_help),
    {.type = CAS_INCLUDE, .section = cost_options},
    {0}};

/* ---- checking ---- */

static cas_status check_levels(const cas_run_state *r, cas_convergence_options *o, cas_error *err) {
  CAS_CALL(cas_span_check(r, &o->span, o->reference.level, "reference", err));
  if (o->reference.level < o->levels)
    return cas_config_fail(
        r->config, err, "study.reference",
        "found %lld, must be at least %lld: the reference must be finer than all %lld levels",
        (long long)o->reference.level, (long long)o->levels, (long long)o->levels);
  return CAS_OK;
}

static cas_status check_functionals(cas_run_state *r, const cas_convergence_options *o,
                                    cas_convergence *v, cas_error *err) {
  if (!v->strong && o->functionals.n == 0)
    return cas_config_fail(r->config, err, "study.functionals",
                           "is empty, and nothing else is asked for");
  return cas_functionals_find(r->config, "study.functionals", &o->functionals, &r->problem,
                              &v->functionals, err);
}

cas_status cas_convergence_plan(cas_run_state *r, cas_convergence_options *o, cas_error *err) {
  CAS_CALL(check_levels(r, o, err));
  r->plan = cas_span_plan(&o->span, (int)o->levels, (int)o->reference.level);
  r->plan.reference = true;
  r->paths = o->paths;
  r->first_path = o->first_path;
  if (!o->reference.integrator)
    return CAS_OK;
  CAS_CALL(cas_problem_reference_scheme(r->config, "study.reference.integrator", &r->problem, err));
  const double finest = r->plan.h[r->plan.levels - 1];
  if (r->problem.reference.options.truncation > 0 && finest >= 1)
    return cas_config_fail(
        r->config, err, "study.reference",
        "the reference step is %g, must be less than 1: %s cuts normals at sqrt(2 l |ln h|)",
        finest, r->problem.reference.integrator->name);
  return CAS_OK;
}

static cas_status prepare(cas_run_state *r, bool strong, cas_error *err) {
  cas_convergence_options *o = r->options;
  cas_convergence *v = r->prepared;
  v->strong = strong;
  v->levels = (int)o->levels;
  v->parts = r->problem.part ? 2 : 1;
  CAS_CALL(cas_convergence_plan(r, o, err));
  return check_functionals(r, o, v, err);
}

static cas_status prepare_strong(cas_run_state *r, cas_error *err) { return prepare(r, true, err); }

static cas_status prepare_weak(cas_run_state *r, cas_error *err) { return prepare(r, false, err); }

static cas_status prepare_both(cas_run_state *r, cas_error *err) {
  return prepare(r, ((cas_convergence_options *)r->options)->strong, err);
}

static void release(cas_run_state *r) {
  cas_observables_free(&((cas_convergence *)r->prepared)->functionals);
}

/* ---- one block ---- */

typedef struct {
  const cas_run_state *run;
  const cas_convergence *study;
  cas_summary_shape shape;
  /* [parts][2L-1][W] of the last observation: from the reference, from the next level */
  double *distance2;
  double *supremum2;  /* [parts][2L-1][W] over the observations */
  double *increment2; /* [2L-1][W] the latest squared increment of each difference */
  double *sum2;       /* [2L-1][W] of squared increments over the observations */
  double *before;     /* [L+1][components][W] states at the observation before */
  double *value;      /* [F][L+1][W] at the horizon */
  double *quantity;   /* of one path */
} block_context;

int cas_convergence_pairs(const cas_convergence *v) { return 2 * v->levels - 1; }

int cas_convergence_strong(const cas_convergence *v) {
  return !v->strong ? 0 : v->parts > 1 ? CAS_STRONG_MEASURES : CAS_STRONG_MEASURES_OF_ALL;
}

int cas_convergence_quantities(const cas_convergence *v) {
  int pairs = cas_convergence_pairs(v);
  return cas_convergence_strong(v) * pairs + v->functionals.n * (v->levels + 1 + pairs);
}

/* The levels of a pair: each with the reference, then each with its neighbour. */
static int coarser(const cas_convergence *v, int pair) { return pair % v->levels; }

static int finer(const cas_convergence *v, int pair) {
  return pair < v->levels ? v->levels : pair - v->levels + 1;
}

/* out[pair][lane]: squared distances of one part of states */
static void measure(const cas_convergence *v, const cas_pass *s, int part, double *out) {
  const cas_problem *p = s->problem;
  for (int k = 0; k < cas_convergence_pairs(v); k++, out += p->W) {
    const double *x = s->level[coarser(v, k)].x, *y = s->level[finer(v, k)].x;
    int behind = p->geometry.components * p->W;
    if (part == 0)
      p->geometry.algebra->distance2(&p->geometry, p->W, x, y, out);
    else
      p->part->distance2(p->W, x + behind, y + behind, out);
  }
}

static size_t state_size(const cas_problem *p) {
  return (size_t)p->geometry.components * (size_t)p->W;
}

/* |d(t_k) - d(t_k-1)|^2 of each pair, where d is the difference of its levels: the distance of the
   increments that both have made, which takes the place of the states before for a moment. */
static void add_increments(block_context *b, const cas_pass *s) {
  const cas_problem *p = s->problem;
  const cas_convergence *v = b->study;
  size_t n = state_size(p);
  for (int j = 0; j <= v->levels; j++)
    for (size_t i = 0; i < n; i++)
      b->before[(size_t)j * n + i] = s->level[j].x[i] - b->before[(size_t)j * n + i];
  for (int k = 0; k < cas_convergence_pairs(v); k++)
    p->geometry.algebra->distance2(&p->geometry, p->W, b->before + (size_t)coarser(v, k) * n,
                                   b->before + (size_t)finer(v, k) * n, b->increment2 + k * p->W);
  for (int i = 0; i < cas_convergence_pairs(v) * p->W; i++)
    b->sum2[i] += b->increment2[i];
}

static void remember(block_context *b, const cas_pass *s) {
  size_t n = state_size(s->problem);
  for (int j = 0; j <= b->study->levels; j++)
    memcpy(b->before + (size_t)j * n, s->level[j].x, n * sizeof(double));
}

static cas_status observe(void *context, cas_pass *s, int64_t observation, cas_error *err) {
  block_context *b = context;
  const cas_convergence *v = b->study;
  int n = cas_convergence_pairs(v) * s->problem->W;
  (void)err;
  if (!v->strong)
    return CAS_OK;
  for (int part = 0; part < v->parts; part++)
    measure(v, s, part, b->distance2 + part * n);
  for (int i = 0; i < v->parts * n; i++)
    b->supremum2[i] = observation == 0 ? 0 : fmax(b->supremum2[i], b->distance2[i]);
  if (observation == 0)
    memset(b->sum2, 0, (size_t)n * sizeof(double));
  else
    add_increments(b, s);
  remember(b, s);
  return CAS_OK;
}

static void collect(const block_context *b, int W, int lane, double *q) {
  const cas_convergence *v = b->study;
  int L = v->levels, pairs = cas_convergence_pairs(v);
  const double *strong[CAS_STRONG_MEASURES] = {b->distance2, b->supremum2, b->sum2,
                                               b->distance2 + pairs * W, b->supremum2 + pairs * W};
  for (int m = 0; m < cas_convergence_strong(v); m++)
    for (int k = 0; k < pairs; k++)
      *q++ = strong[m][k * W + lane];
  for (int f = 0; f < v->functionals.n; f++) {
    const double *value = b->value + f * (L + 1) * W + lane;
    for (int j = 0; j <= L; j++)
      *q++ = value[j * W];
    for (int k = 0; k < pairs; k++)
      *q++ = value[coarser(v, k) * W] - value[finer(v, k) * W];
  }
}

static cas_status run_block(void *context, cas_pass *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err) {
  block_context *b = context;
  int W = s->problem->W, L = b->study->levels;
  CAS_CALL(cas_pass_run(s, block, observe, b, err));
  for (int f = 0; f < b->study->functionals.n; f++)
    for (int j = 0; j <= L; j++)
      cas_observable_evaluate(&b->study->functionals.observable[f], s, j,
                              b->value + (f * (L + 1) + j) * W);
  for (int lane = 0; lane < active; lane++) {
    collect(b, W, lane, b->quantity);
    if (cas_pass_admits(s, lane, b->shape.quantities, b->quantity))
      cas_summary_add(b->shape, chunk, (int)((block * W + lane) % CAS_SUMMARY_GROUPS), b->quantity);
  }
  cas_pass_health(s, block * W, active, chunk);
  return CAS_OK;
}

/* ---- the whole study ---- */

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_convergence *v = r->prepared;
  size_t W = (size_t)r->problem.W, L = (size_t)v->levels, F = (size_t)v->functionals.n;
  cas_summary *total = NULL;
  size_t each = v->strong ? (size_t)cas_convergence_pairs(v) * W : 0, all = (size_t)v->parts * each,
         states = v->strong ? (L + 1) * state_size(&r->problem) : 0,
         quantities = (size_t)cas_convergence_quantities(v),
         memory_size = (2 * (all + each) + states + F * (L + 1) * W + quantities) * sizeof(double);
  double *memory = calloc(1, memory_size);
  cas_status st = cas_agree(memory ? CAS_OK : cas_no_memory(err), r->comm, err);
  if (!st) {
    block_context b = {.run = r,
                       .study = v,
                       .shape = {(int)quantities, r->plan.levels, CAS_SUMMARY_GROUPS, 0},
                       .distance2 = memory,
                       .supremum2 = memory + all,
                       .increment2 = memory + 2 * all,
                       .sum2 = memory + 2 * all + each,
                       .before = memory + 2 * (all + each),
                       .value = memory + 2 * (all + each) + states,
                       .quantity = memory + 2 * (all + each) + states + F * (L + 1) * W};
    cas_block_work work = {.block = run_block,
                           .context = &b,
                           .memory = memory,
                           .memory_size = memory_size,
                           .extendable = true};
    st = cas_chunks_run(r, b.shape, &work, &total, err);
  }
  if (!st && r->rank == 0) {
    st = cas_convergence_results(r, v, total, out, err);
    if (!st)
      st = cas_output_write(r, out, err);
    if (!st && ((const cas_convergence_options *)r->options)->path_cost) {
      /* The file is complete, and stays so if measuring is interrupted. */
      st = cas_path_cost_add(r, out, err);
      if (!st)
        st = cas_output_write(r, out, err);
    }
  }
  free(total);
  free(memory);
  return cas_agree(st, r->comm, err);
}

enum { INCREMENTS = 1 }; /* sums have had them since */

const cas_study cas_study_strong = {
    .name = "strong",
    .summary = "root-mean-square error of each step size against a fine reference on the same "
               "Brownian paths",
    .options = strong_options,
    .sums_version = INCREMENTS,
    .options_size = sizeof(cas_convergence_options),
    .prepared_size = sizeof(cas_convergence),
    .prepare = prepare_strong,
    .run = run,
    .release = release,
};

const cas_study cas_study_weak = {
    .name = "weak",
    .summary = "error of expectations of each step size against a fine reference on the same "
               "Brownian paths",
    .options = weak_options,
    .options_size = sizeof(cas_convergence_options),
    .prepared_size = sizeof(cas_convergence),
    .prepare = prepare_weak,
    .run = run,
    .release = release,
};

const cas_study cas_study_convergence = {
    .name = "convergence",
    .summary = "strong and weak errors in one sweep",
    .options = convergence_options,
    .sums_version = INCREMENTS,
    .options_size = sizeof(cas_convergence_options),
    .prepared_size = sizeof(cas_convergence),
    .prepare = prepare_both,
    .run = run,
    .release = release,
};
