/* Whole paths over time. Ranks own contiguous ranges of blocks and integrate them in rounds, one
   block a rank, because all ranks write together: a rank without a block left joins every write
   with nothing. */
#include "studies/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double step;
  int64_t steps, every, paths;
  cas_strings observables;
} trajectory_options;

/* NULL value: the departure of the Casimirs, which every geometry has */
typedef struct {
  const char *name;
  const cas_functional *functional;
} observable;

typedef struct {
  int observables;
  observable *observable;
} trajectory;

static const cas_option options[] = {{.key = "step",
                                      .type = CAS_STEP,
                                      .offset = offsetof(trajectory_options, step),
                                      .help = "step size"},
                                     {.key = "steps",
                                      .type = CAS_INT,
                                      .offset = offsetof(trajectory_options, steps),
                                      .low = 1,
                                      .high = 1e15,
                                      .help = "number of steps"},
                                     {.key = "every",
                                      .type = CAS_INT,
                                      .offset = offsetof(trajectory_options, every),
                                      .fallback = "1",
                                      .low = 1,
                                      .high = 1e15,
                                      .help = "record each so many steps; divides steps"},
                                     {.key = "paths",
                                      .type = CAS_INT,
                                      .offset = offsetof(trajectory_options, paths),
                                      .fallback = "1",
                                      .low = 1,
                                      .high = 1e12,
                                      .help = "number of paths"},
                                     {.key = "observables",
                                      .type = CAS_STRINGS,
                                      .offset = offsetof(trajectory_options, observables),
                                      .fallback = "[hamiltonian, casimir_departure]",
                                      .help = "what is recorded besides the state"},
                                     {0}};

static const char casimir_departure[] = "casimir_departure";

/* ---- checking ---- */

static const cas_functional *find_in(const cas_functional *list, const char *name) {
  for (; list->name; list++)
    if (strcmp(list->name, name) == 0)
      return list;
  return NULL;
}

static bool find_observable(const cas_system *s, const char *name, observable *o) {
  *o = (observable){name, find_in(s->observables, name)};
  if (!o->functional)
    o->functional = find_in(s->functionals, name);
  return o->functional || strcmp(name, casimir_departure) == 0;
}

static int list_names(const cas_functional *f, const char **names, int n) {
  for (; f->name && n < 62; f++)
    names[n++] = f->name;
  return n;
}

static cas_status unknown_observable(const cas_run_state *r, const char *name, cas_error *err) {
  const char *known[64] = {casimir_departure};
  int n = list_names(r->problem.system->observables, known, 1);
  list_names(r->problem.system->functionals, known, n);
  return cas_config_unknown(r->config, err, "study.observables", name, known);
}

static cas_status check_observables(cas_run_state *r, const trajectory_options *o, trajectory *t,
                                    cas_error *err) {
  t->observables = o->observables.n;
  t->observable = calloc((size_t)t->observables + 1, sizeof *t->observable);
  if (!t->observable)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int i = 0; i < t->observables; i++) {
    if (!find_observable(r->problem.system, o->observables.value[i], &t->observable[i]))
      return unknown_observable(r, o->observables.value[i], err);
    for (int j = 0; j < i; j++)
      if (strcmp(t->observable[i].name, t->observable[j].name) == 0)
        return cas_config_fail(r->config, err, "study.observables", "names '%s' twice",
                               t->observable[i].name);
  }
  return CAS_OK;
}

static cas_status prepare(cas_run_state *r, cas_error *err) {
  trajectory_options *o = r->options;
  trajectory *t = r->prepared = calloc(1, sizeof *t);
  if (!t)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  if (r->problem.options.truncation > 0 && o->step >= 1)
    return cas_config_fail(
        r->config, err, "study.step",
        "found %g, must be less than 1: the truncation A_h = sqrt(2 l |ln h|) needs h < 1",
        o->step);
  if (o->steps % o->every)
    return cas_config_fail(r->config, err, "study.every", "found %lld, must divide steps: %lld",
                           (long long)o->every, (long long)o->steps);
  r->plan = (cas_sweep_plan){
      .levels = 1, .h = {o->step}, .ratio = {1}, .steps = o->steps, .grid = o->every};
  r->paths = o->paths;
  return check_observables(r, o, t, err);
}

static void release(cas_run_state *r) {
  trajectory *t = r->prepared;
  if (t)
    free(t->observable);
  free(t);
  r->prepared = NULL;
}

/* ---- recording ---- */

/* A slab holds the records of one block until they are written together. */
typedef struct {
  const cas_run_state *run;
  const trajectory *study;
  cas_trajectory_file *file;
  int64_t records, slab; /* in all, and in a slab */
  int64_t round, rounds; /* blocks of this rank done, and in all */
  int64_t path;          /* first of the block */
  int active;            /* paths of it that are recorded */
  int64_t first, held;   /* record numbers in the slab: first .. first + held - 1 */
  int64_t doubles;       /* of a state as files hold it */
  double *state, *observed, *lanes, *packed;
} recorder;

/* one lane's state as files hold it */
static void put_state(const cas_problem *p, const double *x, double *packed, double *state) {
  double *to = p->system->unpack ? packed : state;
  for (int k = 0; k < p->components; k++)
    to[k] = x[k * p->W];
  if (p->system->unpack)
    p->system->unpack(p->parameters, packed, state);
}

static cas_status flush(recorder *w, cas_error *err) {
  int64_t stride = w->slab * w->active;
  for (int i = 1; i < w->study->observables && w->held < w->slab;
       i++) /* the last slab is shorter */
    memmove(w->observed + i * w->held * w->active, w->observed + i * stride,
            (size_t)(w->held * w->active) * sizeof(double));
  cas_status st = cas_trajectory_write(w->file, w->first, w->held, w->path, w->active, w->state,
                                       w->observed, err);
  w->first += w->held;
  w->held = 0;
  cas_show_progress(w->run, w->round * w->records + w->first, w->rounds * w->records);
  return st;
}

static cas_status record(void *context, cas_sweep *s, int64_t observation, cas_error *err) {
  recorder *w = context;
  const cas_problem *p = s->problem;
  const double *x = s->level[0].x;
  double *state = w->state + w->held * w->active * w->doubles;
  (void)observation;
  for (int l = 0; l < w->active; l++, state += w->doubles)
    put_state(p, x + l, w->packed, state);
  for (int i = 0; i < w->study->observables; i++) {
    const cas_functional *f = w->study->observable[i].functional;
    if (f)
      f->value(p->parameters, p->W, x, w->lanes);
    else
      cas_sweep_departure(s, 0, w->lanes);
    memcpy(w->observed + (i * w->slab + w->held) * w->active, w->lanes,
           (size_t)w->active * sizeof(double));
  }
  w->held++;
  return w->held == w->slab || w->first + w->held == w->records ? flush(w, err) : CAS_OK;
}

/* the writes of a block, without one */
static cas_status join_writes(recorder *w, cas_error *err) {
  cas_status st = CAS_OK;
  for (int64_t done = 0; !st && done < w->records; done += w->slab)
    st = cas_trajectory_write(w->file, 0, 0, 0, 0, w->state, w->observed, err);
  return st;
}

static cas_status record_block(recorder *w, cas_sweep *s, int64_t block, cas_forest *forest,
                               cas_summary *summary, cas_error *err) {
  int W = s->problem->W;
  int64_t left = w->run->paths - block * W;
  w->path = block * W;
  w->active = left < W ? (int)left : W;
  w->first = w->held = 0;
  cas_status st = cas_sweep_run(s, block, record, w, err);
  if (st && w->first == 0 && w->held == 0) {
    /* nothing recorded: this rank alone failed, and the others wait for it in their writes */
    cas_status joined = join_writes(w, err);
    return joined ? joined : st;
  }
  if (st)
    return st;
  cas_summary_clear(forest->shape, summary);
  cas_sweep_health(s, w->path, w->active, summary);
  cas_forest_push(forest, summary);
  return CAS_OK;
}

static cas_status record_range(recorder *w, cas_sweep *s, cas_forest *forest, cas_summary *summary,
                               cas_error *err) {
  const cas_run_state *r = w->run;
  int64_t first, next, most_first, most_next;
  cas_status st = CAS_OK;
  cas_chunk_range(r, r->rank, &first, &next);
  cas_chunk_range(r, 0, &most_first, &most_next); /* no rank has more than rank 0 */
  w->rounds = most_next - most_first;
  for (w->round = 0; !st && w->round < w->rounds; w->round++) {
    int64_t block = first + w->round;
    st = block < next ? record_block(w, s, block, forest, summary, err) : join_writes(w, err);
    st = cas_agree(st, r->comm, err);
  }
  return st;
}

/* ---- the whole study ---- */

static cas_status create_file(cas_run_state *r, recorder *w, cas_error *err) {
  const trajectory *t = r->prepared;
  cas_array state;
  const char **names = calloc((size_t)t->observables + 1, sizeof *names);
  double *time = calloc((size_t)w->records, sizeof *time);
  cas_status st = names && time ? CAS_OK
                                : cas_fail(err, CAS_NO_MEMORY, "out of memory: %lld records",
                                           (long long)w->records);
  st = cas_agree(st, r->comm, err);
  cas_state_shape(&r->problem, &state);
  if (!st) {
    for (int i = 0; i < t->observables; i++)
      names[i] = t->observable[i].name;
    for (int64_t n = 0; n < w->records; n++)
      time[n] = (double)(n * r->plan.grid) * r->plan.h[0];
    cas_trajectory_layout layout = {.records = w->records,
                                    .time = time,
                                    .paths = r->paths,
                                    .components = (int)w->doubles,
                                    .rows = state.rank == 2 ? (int)state.dims[0] : 0,
                                    .is_complex = state.is_complex,
                                    .component_names =
                                        r->problem.system->components(r->problem.parameters),
                                    .observables = t->observables,
                                    .observable_names = names};
    st = cas_trajectory_create(r->file, &layout, r->comm, &w->file, err);
  }
  free(names);
  free(time);
  return st;
}

static cas_status allocate(cas_run_state *r, recorder *w, cas_sweep *s, cas_forest **forest,
                           cas_summary **summary, cas_error *err) {
  const int64_t enough = 1 << 16; /* doubles in a slab */
  const trajectory *t = r->prepared;
  cas_summary_shape shape = {0, 1, 1, 0};
  int64_t first, next, W = r->paths < r->problem.W ? r->paths : r->problem.W;
  w->doubles = (int64_t)cas_state_doubles(&r->problem);
  int64_t row = W * (w->doubles + t->observables);
  w->records = r->plan.steps / r->plan.grid + 1;
  w->slab = enough / row > 0 ? enough / row : 1;
  if (w->slab > w->records)
    w->slab = w->records;
  w->state = calloc((size_t)(w->slab * W * w->doubles), sizeof(double));
  w->packed = calloc((size_t)r->problem.components, sizeof(double));
  w->observed = calloc((size_t)(w->slab * W * t->observables + 1), sizeof(double));
  w->lanes = calloc((size_t)r->problem.W, sizeof(double));
  cas_chunk_range(r, r->rank, &first, &next);
  *forest = cas_forest_new(shape, first, cas_chunks(r));
  *summary = calloc(1, cas_summary_size(shape));
  if (!w->state || !w->observed || !w->lanes || !w->packed || !*forest || !*summary)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  return cas_sweep_create(&r->problem, &r->plan, s, err);
}

static cas_status finish(cas_run_state *r, recorder *w, cas_forest *forest, cas_summary *total,
                         cas_results *out, cas_error *err) {
  cas_status st = cas_agree(cas_forest_reduce(forest, r->comm, err), r->comm, err);
  if (!st && r->rank == 0) {
    cas_forest_total(forest, total);
    st = cas_outcome_fill(r, total, out, err);
  }
  st = cas_agree(st, r->comm, err);
  if (!st) {
    st = cas_trajectory_close(w->file, out, err);
    w->file = NULL;
  }
  return st;
}

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  recorder w = {.run = r, .study = r->prepared};
  cas_sweep sweep = {0};
  cas_forest *forest = NULL;
  cas_summary *summary = NULL;
  r->blocks_per_chunk = 1;
  cas_status st = cas_agree(allocate(r, &w, &sweep, &forest, &summary, err), r->comm, err);
  if (!st)
    st = create_file(r, &w, err);
  if (!st)
    st = record_range(&w, &sweep, forest, summary, err);
  if (!st)
    st = finish(r, &w, forest, summary, out, err);
  if (w.file) {
    cas_error ignored = {0}; /* the first error counts */
    if (cas_trajectory_close(w.file, NULL, &ignored))
      st = st ? st : CAS_FILE_ERROR;
  }
  cas_sweep_free(&sweep);
  free(w.state);
  free(w.observed);
  free(w.lanes);
  free(w.packed);
  free(forest);
  free(summary);
  return st;
}

extern const cas_study cas_study_trajectory;
const cas_study cas_study_trajectory = {
    .name = "trajectory",
    .summary = "paths over time: state and observables",
    .options = options,
    .options_size = sizeof(trajectory_options),
    .compensated = true,
    .prepare = prepare,
    .run = run,
    .release = release,
};
