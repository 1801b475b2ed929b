#include "base/clock.h"
#include "base/owned.h"
#include "engine/run/run.h"

#include <math.h>

/* Leaves levels out of a plan that are hardly any work: with one step for 1024 of the finest. */
static void drop_coarse_levels(cas_pass_plan *p) {
  int drop = 0;
  while (!p->paired && drop < p->levels - 1 && p->ratio[drop] > 1024)
    drop++;
  p->levels -= drop;
  memmove(p->h, p->h + drop, (size_t)p->levels * sizeof *p->h);
  memmove(p->ratio, p->ratio + drop, (size_t)p->levels * sizeof *p->ratio);
  memmove(p->size, p->size + drop, (size_t)p->levels * sizeof *p->size);
  if (drop)
    p->grid = p->ratio[0];
}

/* Time of a clock and of the processor, which others may use too. */
typedef struct {
  double clock, own;
} moment;

static moment now(void) { return (moment){MPI_Wtime(), cas_clock_processor()}; }

static void add_time(moment *sum, moment since) {
  moment t = now();
  sum->clock += t.clock - since.clock;
  sum->own += t.own - since.own;
}

/* Seconds to open the stream of block 0, which a pass does that runs it. */
static double opening(const cas_run_state *r, const cas_pass_plan *plan) {
  if (r->run.problem.noise.noises == 0 || r->run.problem.noise.generator->replayed)
    return 0;
  return cas_pass_open_seconds(&r->run.problem, plan, 0, 1);
}

/* Processor seconds that this rank needs for one block of the plan, besides its stream, from as
   many coarsest steps as fit into a fifth of a second; of a single level ever more steps, because
   one of them may take long. *spent: how long it took. */
static cas_status calibrate(const cas_run_state *r, const cas_pass_plan *plan, double *seconds,
                            moment *spent, cas_error *err) {
  const double enough = 0.2;
  cas_pass_plan shorter = *plan;
  CAS_OWNED_BY(cas_pass_free) cas_pass pass = {0};
  int64_t steps = 0, runs = 0;
  drop_coarse_levels(&shorter);
  bool single = shorter.levels == 1;
  shorter.observed = NULL;
  shorter.steps = shorter.grid = single                   ? 1
                                 : shorter.ratio[0] > 256 ? shorter.ratio[0]
                                                          : shorter.grid;
  if (shorter.steps > plan->steps)
    shorter.steps = shorter.grid = plan->steps;
  const double open = opening(r, plan);
  CAS_CALL(cas_pass_create(&r->run.problem, &shorter, &pass, err));
  while (spent->own < enough + open * (double)runs && spent->clock < 20 * enough + open) {
    const moment begun = now();
    CAS_CALL(cas_pass_run(&pass, 0, NULL, NULL, err));
    add_time(spent, begun);
    steps += shorter.steps;
    runs++;
    if (single && 2 * shorter.steps <= plan->steps)
      shorter.grid = shorter.steps *= 2;
  }
  double stepping = fmax(spent->own - open * (double)runs, spent->own / 100);
  *seconds = stepping / (double)steps * (double)plan->steps;
  return CAS_OK;
}

/* Processor seconds of an observation of a block, from all that fit into 0.2 s, at least one, and
   to add its numbers to the study's statistics. */
static cas_status calibrate_observation(const cas_run_state *r, double *seconds, moment *spent,
                                        cas_error *err) {
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  const cas_observables *o = k->observed ? r->run.prepared : NULL;
  cas_pass_plan one = r->run.plan;
  CAS_OWNED_BY(cas_pass_free) cas_pass pass = {0};
  CAS_OWNED double *out = NULL;
  moment all = {0, 0};
  int64_t n = 0;
  *seconds = 0;
  if (!o)
    return CAS_OK;
  one.observed = NULL;
  one.steps = one.grid = 1; /* all of these plans have one level */
  CAS_CALL(cas_pass_create(&r->run.problem, &one, &pass, err));
  CAS_NEED((out = malloc(cas_observables_most(o) * (size_t)r->run.problem.W * sizeof *out)));
  CAS_CALL(cas_pass_run(&pass, 0, NULL, NULL, err));
  for (; n == 0 || all.clock < 0.2; n++) {
    const moment begun = now();
    cas_pass_departure(&pass, 0, pass.level[0].coef);
    for (int i = 0; i < o->n; i++)
      cas_observable_evaluate(&o->observable[i], &pass, 0, out);
    add_time(&all, begun);
  }
  *seconds = all.own / (double)n;
  spent->clock += all.clock;
  spent->own += all.own;
  const int64_t lanes = r->run.paths < r->run.problem.W ? r->run.paths : r->run.problem.W;
  if (k->adding_seconds)
    *seconds += k->adding_seconds(&r->run) * o->numbers * (double)lanes;
  return CAS_OK;
}

static int64_t observations_of(const cas_pass_plan *plan) {
  int64_t n = 0;
  if (!plan->observed)
    return plan->steps / plan->grid + 1;
  while (plan->observed[n] < plan->steps)
    n++;
  return n + 2; /* with the last, and the initial state */
}

static double streams_seconds(const cas_run_state *r) {
  int64_t first = r->run.first_path / r->run.problem.W,
          next = (cas_study_path_end(&r->run) + r->run.problem.W - 1) / r->run.problem.W;
  if (r->run.problem.noise.noises == 0)
    return 0;
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  if (k->open_seconds)
    return k->open_seconds(&r->run) / r->run.ranks;
  return cas_pass_open_seconds(&r->run.problem, &r->run.plan, first, next) / r->run.ranks;
}

static double load_of(const moment *spent) {
  return spent->own > 0 ? fmax(spent->clock / spent->own, 1) : 1;
}

cas_status cas_costs_find(const cas_run_state *r, cas_costs *c, cas_error *err) {
  double observation = 0;
  moment spent = {0, 0};
  *c = (cas_costs){0};
  CAS_CALL(calibrate(r, &r->run.plan, &c->steps, &spent, err));
  if (r->run.rank == 0) {
    CAS_CALL(calibrate_observation(r, &observation, &spent, err));
    c->streams = streams_seconds(r);
  }
  c->load = load_of(&spent);
  c->records = observation * (double)observations_of(&r->run.plan);
  return CAS_OK;
}

cas_status cas_costs_find_path(const cas_run_state *r, const cas_pass_plan *plan, cas_costs *c,
                               cas_error *err) {
  moment spent = {0, 0};
  *c = (cas_costs){0};
  CAS_CALL(calibrate(r, plan, &c->steps, &spent, err));
  c->streams = opening(r, plan);
  c->load = load_of(&spent);
  return CAS_OK;
}
