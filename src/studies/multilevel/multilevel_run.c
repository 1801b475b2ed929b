#include "studies/multilevel/multilevel_run.h"
#include "base/clock.h"
#include "engine/chunks.h"
#include "engine/output.h"

#include <math.h>

/* ---- quantities of a path, and moments of a level from their sums ---- */

/* A summary holds the quantities of a path: the shared ones, */
enum {
  ITERATIONS,      /* of all that is coupled */
  FINE_ITERATIONS, /* of one path of step h */
  SHARED
};
/* Quantities of each functional follow, with powers of Y, as a summary has only two moments. */
enum {
  Y,
  Y2,
  Y3,
  Y4,
  COARSE, /* phi(X_rh), r the refinement; 0 without a coarse step */
  FINE,   /* phi(X_h) of one path */
  PAIR,   /* the difference of these two */
  QUANTITIES
};

/* Fourth central moment over the squared second, from means of powers. Where the mean is so far
   larger than the deviation that no digits are left, NaN. */
static double kurtosis(const double *power, double variance) {
  const double lost = 1e3;
  double m = power[Y], m2 = power[Y2], m3 = power[Y3], m4 = power[Y4];
  if (!(variance > 0) || m * m > lost * lost * variance)
    return NAN;
  return (m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m) / (variance * variance);
}

cas_level_moments cas_multilevel_moments(const cas_multilevel_run *c, int level, int functional) {
  const double *group = cas_summary_group(c->shape, c->total, level);
  const int at = SHARED + QUANTITIES * functional;
  const double n = group[0], divisor = n > 1 ? n - 1 : NAN, *all = group + 1, *mean = all + at,
               *m2 = mean + c->shape.quantities;
  return (cas_level_moments){.paths = n,
                             .iterations = all[ITERATIONS],
                             .fine_iterations = all[FINE_ITERATIONS],
                             .mean = n > 0 ? mean[Y] : NAN,
                             .variance = m2[Y] / divisor,
                             .kurtosis = kurtosis(mean, n > 0 ? m2[Y] / n : NAN),
                             .coarse_mean = n > 0 ? mean[COARSE] : NAN,
                             .coarse_variance = m2[COARSE] / divisor,
                             .fine_mean = n > 0 ? mean[FINE] : NAN,
                             .fine_variance = m2[FINE] / divisor,
                             .pair_mean = n > 0 ? mean[PAIR] : NAN,
                             .pair_variance = m2[PAIR] / divisor};
}

/* ---- one block ---- */

/* The mean of a functional over coarse, or fine, levels for a lane of its values [level][W]. */
static double mean_of(const cas_pass_plan *plan, bool coarse, int W, const double *value) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < plan->levels; i++)
    if (cas_plan_is_coarse(plan, i) == coarse) {
      sum += value[i * W];
      n++;
    }
  return sum / n;
}

static void collect(const cas_multilevel_run *c, const cas_pass *s, int lane, double *q) {
  const cas_pass_plan *plan = s->plan;
  const cas_problem *p = s->problem;
  const int W = p->W, finer = plan->levels > 1; /* the finer level, if two are coupled */
  const double *value = c->value + lane;
  q[ITERATIONS] = 0;
  for (int i = 0; i < plan->levels; i++)
    q[ITERATIONS] += cas_sizes_cost(p, plan->size[i]) * s->level[i].tally.iterations[lane];
  q[FINE_ITERATIONS] =
      cas_sizes_cost(p, plan->size[finer]) * s->level[finer].tally.iterations[lane];
  q += SHARED;
  for (int f = 0; f < c->hierarchy->functionals.n; f++, value += plan->levels * W) {
    const double coarse = finer ? value[0] : 0, fine = value[finer * W],
                 y = finer ? mean_of(plan, true, W, value) - mean_of(plan, false, W, value) : fine;
    q[Y] = y;
    q[Y2] = y * y;
    q[Y3] = y * y * y;
    q[Y4] = y * y * y * y;
    q[COARSE] = coarse;
    q[FINE] = fine;
    q[PAIR] = finer ? coarse - fine : fine;
    q += QUANTITIES;
  }
}

static cas_status run_block(void *run, cas_pass *s, int64_t block, int active, cas_summary *chunk,
                            cas_error *err) {
  cas_multilevel_run *c = run;
  const cas_observables *o = &c->hierarchy->functionals;
  const int W = s->problem->W, levels = s->plan->levels;
  CAS_CALL(cas_pass_run(s, block, NULL, NULL, err));
  for (int f = 0; f < o->n; f++)
    for (int i = 0; i < levels; i++)
      cas_observable_evaluate(&o->observable[f], s, i, c->value + (f * levels + i) * W);
  for (int lane = 0; lane < active; lane++) {
    collect(c, s, lane, c->quantity);
    if (cas_pass_admits(s, lane, c->shape.quantities, c->quantity))
      cas_summary_add(c->shape, chunk, c->level, c->quantity);
  }
  cas_pass_health(s, c->hierarchy->level[c->level].first_path + block * W, 0, active, chunk);
  if (block == c->last)
    c->seconds[c->level] += cas_clock_process() - c->begun; /* others' time is no cost of a path */
  return CAS_OK;
}

static cas_status begin_chunk(void *run, int64_t chunk, cas_blocks *b, cas_error *err) {
  cas_multilevel_run *c = run;
  c->level = cas_hierarchy_chunk(c->hierarchy, chunk, &b->first, &b->next);
  const cas_hierarchy_level *l = &c->hierarchy->level[c->level];
  b->pass = &c->pass[c->level];
  b->paths = l->paths;
  b->first_path = l->first_path;
  c->last = b->next - 1;
  c->begun = cas_clock_process();
  return b->pass->memory ? CAS_OK : cas_pass_create(&c->run->problem, &l->plan, b->pass, err);
}

/* ---- checkpoints ---- */

/* Seconds of processors that all ranks have spent on each level, on rank 0. Collective. */
static void sum_seconds(const cas_multilevel_run *c, double seconds[CAS_PLAN_LEVELS_MAX]) {
  MPI_Reduce(c->seconds, seconds, CAS_PLAN_LEVELS_MAX, MPI_DOUBLE, MPI_SUM, 0, c->run->comm);
  for (int k = 0; c->run->rank == 0 && k < CAS_PLAN_LEVELS_MAX; k++)
    seconds[k] += c->earlier[k];
}

/* A section of a checkpoint: this, then the paths that each round goes up to, [rounds][levels]. */
typedef struct {
  int64_t rounds, levels;
  double seconds[CAS_PLAN_LEVELS_MAX];
} rounds_head;

static cas_status store(void *run, cas_sections *s, cas_error *err) {
  cas_multilevel_run *c = run;
  const cas_hierarchy *h = c->hierarchy;
  const size_t round = (size_t)h->levels * sizeof *h->round[0].paths;
  rounds_head head = {.rounds = h->rounds, .levels = h->levels};
  sum_seconds(c, head.seconds);
  if (c->run->rank != 0)
    return CAS_OK;
  char *to = cas_sections_add(s, "rounds", sizeof head + (size_t)h->rounds * round, err);
  CAS_NEED(to);
  memcpy(to, &head, sizeof head);
  for (int i = 0; i < h->rounds; i++)
    memcpy(to + sizeof head + (size_t)i * round, h->round[i].paths, round);
  return c->study->kept.name
             ? cas_sections_put(s, c->study->kept.name,
                                (const char *)c->run->prepared + c->study->kept.offset,
                                c->study->kept.size, err)
             : CAS_OK;
}

/* The paths of all rounds, [rounds][levels]. */
static const int64_t *paths_of(const cas_section *s) {
  return (const void *)((const char *)s->bytes + sizeof(rounds_head));
}

static bool is_sound(const cas_section *s, const rounds_head *head, const cas_hierarchy *h) {
  const int64_t most = INT64_C(1) << 51;
  if (head->levels != h->levels || head->rounds < 1 || head->rounds > CAS_ROUNDS_MAX ||
      s->size != sizeof *head + (size_t)(head->rounds * head->levels) * sizeof *paths_of(s))
    return false;
  for (int64_t i = 0; i < head->rounds * head->levels; i++)
    if (paths_of(s)[i] < 0 || paths_of(s)[i] > most)
      return false;
  return true;
}

/* Replaces the hierarchy's rounds by the checkpoint's, if it has any; alike on every rank. */
static cas_status resume(cas_multilevel_run *c, cas_error *err) {
  cas_section found;
  rounds_head head = {0};
  cas_hierarchy *h = c->hierarchy;
  if (!cas_sections_find(&c->state->earlier.sections, "rounds", &found))
    return CAS_OK;
  if (found.size >= sizeof head)
    memcpy(&head, found.bytes, sizeof head);
  CAS_FAIL_IF(!is_sound(&found, &head, h), CAS_FILE_ERROR,
              "--resume: the rounds of paths in %s do not fit this study; remove it to begin "
              "anew.",
              c->state->checkpoint);
  memcpy(c->earlier, head.seconds, sizeof c->earlier);
  h->rounds = 0;
  h->chunks = 0;
  for (int k = 0; k < h->levels; k++)
    h->level[k].paths = 0;
  for (int64_t i = 0; i < head.rounds; i++)
    CAS_CALL(cas_hierarchy_extend(c->run, h, paths_of(&found) + i * head.levels, "study", err));
  return CAS_OK;
}

/* ---- rounds ---- */

static cas_status begin(cas_run_state *r, const cas_multilevel_study *study, cas_multilevel_run *c,
                        cas_error *err) {
  size_t W = (size_t)r->run.problem.W;
  cas_hierarchy *h = r->run.prepared;
  *c = (cas_multilevel_run){.state = r,
                            .run = &r->run,
                            .study = study,
                            .hierarchy = h,
                            /* group k is level k */
                            .shape = {.quantities = SHARED + QUANTITIES * h->functionals.n,
                                      .levels = h->steps.levels,
                                      .groups = h->levels}};
  r->run.plan = h->steps;
  c->value = calloc((size_t)h->functionals.n * CAS_HIERARCHY_PAIRED_LEVELS * W, sizeof(double));
  c->quantity = calloc((size_t)c->shape.quantities, sizeof(double));
  cas_status st = c->value && c->quantity ? resume(c, err) : cas_no_memory(err);
  if (!st && study->kept.name)
    (void)cas_sections_get(&r->earlier.sections, study->kept.name,
                           (char *)r->run.prepared + study->kept.offset, study->kept.size);
  return cas_agree(st, r->run.comm, err);
}

/* Paths of a round are the first ones of the next, and the total has all rounds. */
static cas_status run_rounds(cas_multilevel_run *c, cas_error *err) {
  cas_study_run *r = c->run;
  const cas_block_work work = {
      .block = run_block, .begin_chunk = begin_chunk, .context = c, .store = store, .rounds = true};
  for (;;) {
    cas_multilevel_decision d = {0};
    free(c->total);
    c->total = NULL;
    if (c->hierarchy->plain)
      cas_hierarchy_plan_plain(c->hierarchy, cas_hierarchy_used_levels(c->hierarchy) - 1);
    CAS_CALL(cas_chunks_run(c->state, c->shape, &work, &c->total, err));
    sum_seconds(c, c->total_seconds);
    cas_status st = r->rank == 0 ? c->study->decide(c, &d, err) : CAS_OK;
    CAS_CALL(cas_agree(st, r->comm, err));
    cas_bcast(&d, sizeof d, MPI_BYTE, 0, r->comm);
    if (!d.more)
      return CAS_OK;
    CAS_CALL(cas_hierarchy_extend(r, c->hierarchy, d.paths, c->study->key, err));
  }
}

cas_status cas_multilevel_compute(cas_run_state *r, const cas_multilevel_study *study,
                                  cas_results *out, cas_error *err) {
  cas_multilevel_run c;
  cas_status st = begin(r, study, &c, err);
  if (!st)
    st = run_rounds(&c, err);
  if (!st && r->run.rank == 0)
    st = study->conclude(&c, out, err);
  if (!st && r->run.rank == 0)
    st = cas_output_write_and_extend(r, study->extend, out, err);
  for (int k = 0; k < CAS_PLAN_LEVELS_MAX; k++)
    cas_pass_free(&c.pass[k]);
  free(c.value);
  free(c.quantity);
  free(c.total);
  return cas_agree(st, r->run.comm, err);
}
