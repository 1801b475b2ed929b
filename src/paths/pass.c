#include "paths/pass.h"
#include "base/clock.h"
#include "base/denormals.h"
#include "base/scratch.h"
#include "math/kernels/plugin.h"
#include "paths/problem/initial.h"

/* ---- memory ---- */

cas_status cas_pass_create(const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                           cas_error *err) {
  const size_t bytes = cas_pass_bytes(p, plan);
  *s = (cas_pass){
      .problem = p, .plan = plan, .memory = aligned_alloc(64, bytes), .steps_per_check = 1};
  CAS_FAIL_IF(!s->memory, CAS_NO_MEMORY, "out of memory: a block of paths needs %zu bytes", bytes);
  memset(s->memory, 0, bytes);
  cas_block_lay_out(s->memory, p, plan, s);
  for (int i = 0; i < plan->levels; i++)
    cas_level_set(cas_plan_problem(p, plan, i), plan, i, &s->space, &s->level[i]);
  if (!p->parameters.uncertain)
    return CAS_OK;
  s->own = malloc(sizeof *s->own);
  s->lanes = calloc(1, sizeof *s->lanes);
  CAS_NEED(s->own && s->lanes);
  *s->own = *p;
  s->own->parameters.lanes = s->lanes;
  s->problem = s->own;
  for (int i = 0; i < plan->levels; i++)
    s->level[i].problem = s->own;
  return CAS_OK;
}

void cas_pass_free(cas_pass *s) {
  if (s->lanes)
    cas_initial_close(s->problem, s->lanes);
  free(s->lanes);
  free(s->own);
  free(s->memory);
  *s = (cas_pass){0};
}

/* ---- polling ---- */

/* A pass polls after POLL_STEPS finest steps, beside which a poll costs little, or after
   poll_seconds, where steps take long. */
enum { POLL_STEPS = 64 };
static const double poll_seconds = 0.05;

static cas_status poll(cas_pass *s, cas_error *err) {
  CAS_CALL(cas_plugin_guard(err)); /* before a checkpoint is written */
  cas_status st = s->poll(s->poll_context, err);
  s->last_poll = cas_clock_seconds();
  return st;
}

/* Whether to poll: after POLL_STEPS steps, or when poll_seconds are over. The clock is read after
   every step at first, and ever less often as long as that is often enough. */
static bool poll_is_due(cas_pass *s) {
  if (s->done % POLL_STEPS == 0)
    return true;
  if (s->done % s->steps_per_check)
    return false;
  double spent = cas_clock_seconds() - s->last_poll;
  if (spent < poll_seconds / 4 && s->steps_per_check < POLL_STEPS)
    s->steps_per_check *= 2;
  else if (spent > poll_seconds && s->steps_per_check > 1)
    s->steps_per_check /= 2;
  return spent > poll_seconds;
}

static bool check_cancelled(void *pass) {
  cas_pass *s = pass;
  if (!s->abandoned && s->cancelled && cas_clock_seconds() - s->last_poll > poll_seconds) {
    s->abandoned = s->cancelled(s->poll_context);
    s->last_poll = cas_clock_seconds();
  }
  return s->abandoned;
}

/* ---- steps ---- */

static void exchange(cas_pass *s, cas_level *l, int half) {
  if (cas_exchange_acts(s->problem))
    cas_exchange_half(l->problem, &s->exchange, l->stepper.h, half, l->kick, l->x, l->carry);
}

/* One step of level i from the increments since its last step. Denormal numbers count as zero in
   it: the entries of smooth fields fall off below them, and would take most of the time. They are
   back for the observations, whose libraries (LAPACK, HDF5) may need them. */
static void step_level(cas_pass *s, int i, const double *increments) {
  cas_level *l = &s->level[i];
  const cas_problem *p = l->problem;
  const uint64_t denormals = cas_denormals_flush(), mode = cas_denormals_mode();
  cas_following_look(p, &s->space, &s->following, l);
  exchange(s, l, 0);
  cas_level_step(p, &s->space, l, increments);
  exchange(s, l, 1);
  if (cas_denormals_mode() != mode)
    cas_plugin_guard_other_mode();
  cas_denormals_restore(denormals);
  l->steps++;
  cas_following_step(p, &s->following, l);
  if (s->stepped)
    s->stepped(s->stepped_context, s, i);
}

/* The coarser levels, from fine to coarse, as far as their steps end at finest step n. A level that
   completes a step hands its sum of normals on to the next coarser one and begins again. */
static void cascade(cas_pass *s, int64_t n) {
  const cas_problem *p = s->problem;
  const int64_t *ratio = s->plan->ratio;
  size_t bytes = cas_increments_size(p) * sizeof(double);
  double *const finest = s->increments.fine, *finer = finest;
  for (int i = s->plan->levels - 2; i >= 0; i--) {
    cas_level *l = &s->level[i];
    const int64_t parts = ratio[i] / ratio[i + 1];
    cas_increments_add(p, (n / ratio[i + 1] - 1) % parts, parts, finer, l->sum);
    if (finer != finest)
      memset(finer, 0, bytes);
    if (n % ratio[i])
      return;
    cas_increments_end(p, parts, l->sum);
    step_level(s, i, l->sum);
    finer = l->sum;
  }
  if (finer != finest)
    memset(finer, 0, bytes);
}

/* The kicks of finest step k of all that are drawn become part `part` of a step of level i. */
static void gather(cas_pass *s, int i, int64_t k, int64_t part) {
  if (cas_exchange_kicks(s->problem) > 0)
    cas_exchange_gather(s->problem, &s->exchange, k, part, s->plan->ratio[i], s->level[i].kick);
}

static cas_status step_coupled(cas_pass *s, cas_error *err) {
  const int64_t step = s->problem->normals.begin + s->done;
  CAS_CALL(cas_increments_draw(s->problem, &s->increments, step, 1, NULL, err));
  CAS_CALL(cas_exchange_draw(&s->exchange, step, 0, err));
  for (int i = 0; i < s->plan->levels; i++)
    gather(s, i, 0, s->done % s->plan->ratio[i]);
  step_level(s, s->plan->levels - 1, s->increments.fine);
  cascade(s, ++s->done);
  return CAS_OK;
}

/* ---- pairs ---- */

/* The coarse step of a level, whose increments are sums of fine ones, or are drawn with areas. */
static void step_coarse(cas_pass *s, int level) {
  const cas_problem *p = s->problem;
  const int64_t parts = s->plan->ratio[0];
  double *sum = s->level[level].sum;
  if (!p->normals.areas) {
    memset(sum, 0, cas_increments_size(p) * sizeof *sum);
    for (int64_t k = 0; k < parts; k++)
      cas_increments_add(p, k, parts, cas_increments_of_level(p, &s->increments, s->plan, level, k),
                         sum);
    cas_increments_end(p, parts, sum);
  }
  step_level(s, level, sum);
}

/* One coarse step and its fine steps, of all twins. */
static cas_status step_paired(cas_pass *s, cas_error *err) {
  const cas_problem *p = s->problem;
  const int64_t parts = s->plan->ratio[0];
  CAS_CALL(cas_increments_draw(p, &s->increments, s->done, parts, s->level[0].sum, err));
  for (int64_t k = 0; k < parts; k++)
    CAS_CALL(cas_exchange_draw(&s->exchange, s->done + k, k, err));
  for (int i = 0; i < s->plan->levels; i++) {
    const bool fine = s->plan->ratio[i] == 1;
    for (int64_t k = 0; k < parts; k++) {
      gather(s, i, cas_increments_twin_step(s->plan, i, k), fine ? 0 : k);
      if (fine)
        step_level(s, i, cas_increments_of_level(p, &s->increments, s->plan, i, k));
    }
    if (!fine)
      step_coarse(s, i);
  }
  s->done += parts;
  return CAS_OK;
}

/* ---- observations ---- */

/* Whether the observation after the last step is still to be made, because it was abandoned. */
static bool observation_is_missing(const cas_pass_plan *plan, int64_t done, int64_t observations) {
  if (done == 0 || !plan->observed)
    return done / plan->grid > observations;
  return (observations == 0 || plan->observed[observations - 1] < done) &&
         plan->observed[observations] == done;
}

static cas_status observe_now(cas_pass *s, int64_t observation, cas_observer *observe,
                              void *context, cas_error *err) {
  cas_cancel_check before = cas_cancel_check_set((cas_cancel_check){check_cancelled, s});
  cas_status st = CAS_OK;
  do {
    s->abandoned = false;
    if (observation > 0)
      cas_watch_drift(s);
    if (observe)
      st = observe(context, s, observation, err);
    if (s->abandoned)
      st = poll(s, err);
  } while (!st && s->abandoned);
  cas_cancel_check_set(before);
  if (!st)
    s->observations = observation;
  return st;
}

static cas_status advance_block(cas_pass *s, cas_observer *observe, void *context, cas_error *err) {
  const cas_pass_plan *plan = s->plan;
  if (observation_is_missing(plan, s->done, s->observations))
    CAS_CALL(observe_now(s, s->observations + 1, observe, context, err));
  while (s->done < plan->steps) {
    CAS_CALL(plan->paired ? step_paired(s, err) : step_coupled(s, err));
    if (plan->observed ? plan->observed[s->observations] == s->done : s->done % plan->grid == 0)
      CAS_CALL(observe_now(s, s->observations + 1, observe, context, err));
    if (s->poll && s->done < plan->steps && poll_is_due(s))
      CAS_CALL(poll(s, err));
  }
  return s->poll ? poll(s, err) : CAS_OK;
}

/* ---- streams of a block ---- */

static void close_streams(cas_pass *s) {
  cas_block_noise_close(&s->increments.stream);
  cas_block_noise_close(&s->exchange.stream);
}

/* To be closed after a failure too. */
static cas_status open_streams(const cas_problem *p, const cas_pass_plan *plan, int64_t block,
                               cas_pass *s, cas_error *err) {
  const int64_t lanes = cas_noise_is_by_path(&p->noise) ? p->W : 1,
                stream = cas_plan_stream(plan, block * lanes);
  s->exchange.noise = cas_exchange_noise(p);
  s->increments.stream = s->exchange.stream = (cas_block_noise){0};
  CAS_CALL(cas_block_noise_open(&p->noise, plan->purpose, stream, &s->increments.stream, err));
  return cas_block_noise_open(&s->exchange.noise,
                              cas_noise_purpose(CAS_PURPOSE_FORCING, plan->purpose), stream,
                              &s->exchange.stream, err);
}

/* Skips the numbers of the steps that are done, which a stream may have to generate in turn. */
static cas_status skip(cas_pass *s, int64_t done, cas_error *err) {
  const int64_t some = 1024, steps = done * s->problem->normals.parts;
  cas_status st = CAS_OK;
  for (int64_t n = 0; !st && n < steps; n += some) {
    cas_block_noise_skip(&s->increments.stream, steps - n < some ? steps - n : some,
                         s->increments.u);
    if (s->poll && cas_clock_seconds() - s->last_poll > poll_seconds)
      st = poll(s, err);
  }
  cas_block_noise_skip(&s->exchange.stream, done, s->exchange.u);
  return st;
}

double cas_pass_open_seconds(const cas_problem *p, const cas_pass_plan *plan, int64_t first,
                             int64_t next) {
  static const int eighth[] = {7, 3, 5, 1, 6, 2, 4, 0};
  const double enough = 0.3; /* seconds */
  double begun = cas_clock_processor(), spent = 0;
  int n = 0;
  while (first < next && n < 8 && (n < 2 || spent < enough)) {
    cas_pass s = {0};
    cas_error err = {0};
    int64_t block = first + (int64_t)((eighth[n++] + 0.5) / 8 * (double)(next - first));
    (void)!open_streams(p, plan, block, &s, &err);
    close_streams(&s);
    spent = cas_clock_processor() - begun;
  }
  return n ? spent / n * (double)(next - first) : 0;
}

static cas_status run_block(cas_pass *s, int64_t block, cas_observer *observe, void *context,
                            cas_error *err) {
  CAS_CALL(open_streams(s->problem, s->plan, block, s, err));
  s->last_poll = cas_clock_seconds();
  CAS_CALL(skip(s, s->problem->normals.begin, err));
  if (s->resume) {
    CAS_CALL(cas_block_resume(s, block, err));
    CAS_CALL(skip(s, s->done, err));
  } else {
    CAS_CALL(cas_block_begin(s, block, err));
    if (observe)
      CAS_CALL(observe_now(s, 0, observe, context, err));
  }
  return advance_block(s, observe, context, err);
}

cas_status cas_pass_run(cas_pass *s, int64_t block, cas_observer *observe, void *context,
                        cas_error *err) {
  cas_status st = run_block(s, block, observe, context, err);
  close_streams(s);
  /* The guard looks after failures, too: a write that failed because a function of the user's has
     closed descriptors is told as that. */
  cas_error changed = {0};
  if (cas_plugin_guard(&changed)) {
    *err = changed;
    st = changed.status;
  }
  return cas_scratch_is_missing() && !st ? cas_no_memory(err) : st;
}
