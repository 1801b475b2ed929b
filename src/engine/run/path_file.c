#include "base/name_list.h"
#include "base/owned.h"
#include "engine/outcome.h"
#include "engine/output.h"
#include "engine/run/run.h"
#include "files/lock.h"
#include "files/safe_file.h"

/* The name of the study in files of one path. */
static const char path_study[] = "path";

/* Counts that are recorded of every step, besides the state and the observables. */
enum { ITERATIONS, NOT_CONVERGED, CLIPPED, TALLIES };

/* A slab holds records until they are written together. */
typedef struct {
  int64_t records, slab; /* in all, and in a slab */
  int64_t first, held;   /* record numbers in the slab: first .. first + held - 1 */
  double before[TALLIES];
  double **values; /* [datasets], each [slab][numbers] */
} level_recorder;

struct cas_path_recorder {
  cas_run_state *run;
  const cas_pass_plan *plan;
  int64_t path;
  int lane;
  cas_observables observables;
  int datasets; /* of a level: the state, the observables, the tallies */
  cas_trajectory_file *file;
  cas_lock lock;
  level_recorder level[CAS_PLAN_LEVELS_MAX];
  double *lanes, *packed; /* one observable, one state */
  cas_error failure;
};

/* ---- what is recorded ---- */

static void list_names(const cas_problem *p, const cas_functional *list, cas_name_list *names) {
  for (; list->name; list++)
    if (!list->axes && !(list->undefined && list->undefined(p->parameters.all)))
      cas_name_list_add_once(names, list->name);
}

/* All observables of the system that are single numbers; the state is there for the rest. */
static cas_status choose_observables(cas_path_recorder *w, cas_error *err) {
  cas_problem *p = &w->run->run.problem;
  CAS_OWNED_BY(cas_name_list_free) cas_name_list names = {0};
  cas_name_list_add(&names, "casimir_departure");
  list_names(p, p->system->observables, &names);
  list_names(p, p->system->functionals, &names);
  for (int i = 0; p->system->formulas && i < p->system->formulas(p->parameters.all)->n; i++)
    cas_name_list_add(&names, p->system->formulas(p->parameters.all)->name[i]);
  CAS_CALL(cas_name_list_check(&names, err));
  const cas_formulas recorded = {.n = names.n, .name = (char **)names.name};
  CAS_CALL(cas_observables_find(w->run->run.config, "study", &recorded, p, &w->observables, err));
  w->datasets = 1 + w->observables.n + TALLIES;
  return CAS_OK;
}

static int64_t numbers_of(const cas_path_recorder *w, int dataset) {
  return dataset == 0 ? (int64_t)cas_problem_state_doubles(&w->run->run.problem) : 1;
}

static int64_t numbers_of_all(const cas_path_recorder *w) {
  return numbers_of(w, 0) + w->datasets - 1;
}

static int64_t records_of(const cas_pass_plan *plan, int level) {
  return plan->steps / plan->ratio[level] + 1;
}

/* ---- recording ---- */

static void record(void *context, cas_pass *s, int level) {
  cas_path_recorder *w = context;
  level_recorder *l = &w->level[level];
  const cas_tally *t = &s->level[level].tally;
  const double now[TALLIES] = {t->iterations[w->lane], t->not_converged[w->lane],
                               t->clipped[w->lane]};
  double **values = l->values;
  cas_problem_state_put(s->problem, s->level[level].x + w->lane, w->packed,
                        *values++ + l->held * numbers_of(w, 0));
  for (int i = 0; i < w->observables.n; i++) {
    cas_observable_evaluate(&w->observables.observable[i], s, level, w->lanes);
    (*values++)[l->held] = w->lanes[w->lane];
  }
  for (int i = 0; i < TALLIES; i++) {
    (*values++)[l->held] = now[i] - l->before[i];
    l->before[i] = now[i];
  }
  if (++l->held < l->slab && l->first + l->held < l->records)
    return;
  if (!w->failure.status)
    (void)!cas_trajectory_write_group(w->file, level, l->first, l->held, 0, 1,
                                      (const double *const *)l->values, &w->failure);
  l->first += l->held;
  l->held = 0;
}

cas_status cas_path_file_observe(void *recorder, cas_pass *s, int64_t observation, cas_error *err) {
  cas_path_recorder *w = recorder;
  for (int i = 0; observation == 0 && i < s->plan->levels; i++)
    record(w, s, i);
  return w->failure.status ? cas_fail(err, w->failure.status, "%s", w->failure.text) : CAS_OK;
}

/* ---- the file ---- */

static void free_contents(cas_path_recorder *w) {
  for (int i = 0; i < w->plan->levels; i++) {
    for (int k = 0; w->level[i].values && k < w->datasets; k++)
      free(w->level[i].values[k]);
    free(w->level[i].values);
  }
  cas_observables_free(&w->observables);
  cas_lock_release(&w->lock);
  free(w->lanes);
  free(w->packed);
}

static cas_status refuse(const char *file, const char *what, cas_error *err) {
  return cas_fail(err, CAS_BAD_INPUT, "--only-path: %s %s; give the path another --output.", file,
                  what);
}

/* --only-path after the command of a run must not replace the results of that run. */
static cas_status check_file(const cas_run_state *r, const char *file, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results old = {0};
  cas_error unreadable = {0};
  CAS_REFUSE(r->run.config, r->run.problem.sizes, "study.refine",
             "its levels have states of several sizes, which no file of one path "
             "holds; leave out --output");
  if (r->checkpoint && cas_checkpoint_exists(r->checkpoint))
    return refuse(file, "belongs to a run that is not finished", err);
  const bool there = cas_file_present(file);
  if (there && cas_results_read(file, &old, &unreadable))
    return refuse(file, "is there already", err);
  if (there && (!old.provenance.study || strcmp(old.provenance.study, path_study) != 0))
    return refuse(file, "holds the results of a study", err);
  return cas_output_allowed(r, err);
}

static cas_status check_space(const cas_path_recorder *w, const char *file, double *bytes,
                              double *space, cas_error *err) {
  *bytes = 1 << 20;
  for (int i = 0; i < w->plan->levels; i++)
    *bytes += sizeof(double) * (double)records_of(w->plan, i) * (double)(numbers_of_all(w) + 1);
  return cas_file_check_space(file, *bytes, space, err);
}

cas_status cas_path_file_check(cas_run_state *r, const cas_pass_plan *plan, const char *file,
                               double *bytes, double *space, cas_error *err) {
  CAS_OWNED_BY(free_contents) cas_path_recorder w = {.run = r, .plan = plan, .lock = CAS_LOCK_NONE};
  CAS_CALL(check_file(r, file, err));
  CAS_CALL(choose_observables(&w, err));
  return check_space(&w, file, bytes, space, err);
}

static void list_datasets(const cas_path_recorder *w, cas_file_dataset *d) {
  static const cas_file_dataset tally[TALLIES] = {
      [ITERATIONS] = {.name = "iterations",
                      .long_name = "fixed-point iterations of the step that ends here",
                      .unit = "1"},
      [NOT_CONVERGED] = {.name = "not_converged",
                         .long_name = "1 where that step missed the tolerance",
                         .unit = "1"},
      [CLIPPED] = {
          .name = "clipped", .long_name = "normals of that step that were truncated", .unit = "1"}};
  cas_observables_state_dataset(&w->run->run.problem, d++);
  for (int i = 0; i < w->observables.n; i++)
    cas_observable_dataset(&w->observables.observable[i], d++);
  memcpy(d, tally, sizeof tally);
}

static const char *role_of(const cas_pass_plan *plan, int level) {
  const bool fine = plan->paired ? plan->ratio[level] == 1 : level + 1 == plan->levels;
  if (!plan->paired || level < 2)
    return fine ? "finest step" : "coarser step, on the same Brownian path";
  return plan->twin[level] == CAS_PASS_TWIN_REVERSED && fine
             ? "finest step, swapped: with the increments of every coarse step in reverse order"
             : "twin, with increments of every coarse step in reverse order, or other signs of the "
               "further normals";
}

static bool fill_layout(const cas_path_recorder *w, int level, const cas_file_dataset *dataset,
                        char group[32], cas_trajectory_layout *l) {
  static const char *const suffix[] = {"", "_swapped", "_negated", "_swapped_negated"}; /* twins */
  int64_t records = records_of(w->plan, level);
  double *time = malloc((size_t)records * sizeof *time);
  for (int64_t n = 0; time && n < records; n++)
    time[n] = (double)n * w->plan->h[level];
  snprintf(group, 32, "path/level_%d%s", cas_pass_counted_as(w->plan, level),
           suffix[w->plan->paired ? w->plan->twin[level] : 0]);
  *l = (cas_trajectory_layout){.records = records,
                               .time = time,
                               .paths = 1,
                               .datasets = w->datasets,
                               .dataset = dataset,
                               .group = group,
                               .role = role_of(w->plan, level),
                               .step = w->plan->h[level],
                               .only_path = &w->path};
  return time;
}

static cas_status create_file(cas_path_recorder *w, const char *file, cas_error *err) {
  int levels = w->plan->levels;
  cas_trajectory_layout layout[CAS_PLAN_LEVELS_MAX] = {{0}};
  char group[CAS_PLAN_LEVELS_MAX][32];
  CAS_OWNED cas_file_dataset *dataset = calloc((size_t)w->datasets, sizeof *dataset);
  bool complete = dataset;
  if (dataset)
    list_datasets(w, dataset);
  for (int i = 0; complete && i < levels; i++)
    complete = fill_layout(w, i, dataset, group[i], &layout[i]);
  cas_status st =
      complete ? cas_trajectory_create_groups(file, levels, layout, MPI_COMM_SELF, &w->file, err)
               : cas_no_memory(err);
  for (int i = 0; i < levels; i++)
    free((double *)layout[i].time);
  return st;
}

/* ---- memory ---- */

static cas_status allocate(cas_path_recorder *w, cas_error *err) {
  const int64_t enough = 1 << 16; /* doubles of a level */
  int64_t row = numbers_of_all(w);
  const cas_problem *p = &w->run->run.problem;
  w->lanes = calloc((size_t)p->W, sizeof *w->lanes);
  w->packed = calloc((size_t)p->components, sizeof *w->packed);
  bool complete = w->lanes && w->packed;
  for (int i = 0; complete && i < w->plan->levels; i++) {
    level_recorder *l = &w->level[i];
    l->records = records_of(w->plan, i);
    l->slab = enough / row > 0 ? enough / row : 1;
    l->slab = l->slab < l->records ? l->slab : l->records;
    l->values = calloc((size_t)w->datasets, sizeof *l->values);
    complete = l->values;
    for (int k = 0; complete && k < w->datasets; k++) {
      l->values[k] = calloc((size_t)(l->slab * numbers_of(w, k)), sizeof(double));
      complete = l->values[k];
    }
  }
  return complete ? CAS_OK : cas_no_memory(err);
}

static void free_recorder(cas_path_recorder *w) {
  free_contents(w);
  free(w);
}

static cas_status begin(cas_path_recorder *w, const char *file, cas_error *err) {
  const cas_run_request *q = w->run->request;
  double bytes, space;
  CAS_CALL(check_file(w->run, file, err));
  CAS_CALL(cas_lock_take(file, q->lock_wait, q->notice, q->notice_context, &w->lock, err));
  CAS_CALL(choose_observables(w, err));
  CAS_CALL(allocate(w, err));
  CAS_CALL(check_space(w, file, &bytes, &space, err));
  return create_file(w, file, err);
}

cas_status cas_path_file_record(cas_run_state *r, cas_pass *s, int64_t path, int lane,
                                const char *file, cas_path_recorder **out, cas_error *err) {
  cas_path_recorder *w = calloc(1, sizeof *w);
  *out = NULL;
  CAS_NEED(w);
  *w = (cas_path_recorder){
      .run = r, .plan = s->plan, .path = path, .lane = lane, .lock = CAS_LOCK_NONE};
  const cas_status st = begin(w, file, err);
  if (st) {
    free_recorder(w);
    return st;
  }
  s->stepped = record;
  s->stepped_context = w;
  *out = w;
  return CAS_OK;
}

/* ---- the end ---- */

/* Results of this path, from which no run can go on. */
static cas_status fill_results(cas_path_recorder *w, const cas_pass *s, cas_results *out,
                               cas_error *err) {
  cas_summary_shape shape = {.levels = w->run->run.plan.levels, .groups = 1};
  const int n = s->lanes ? s->problem->parameters.uncertain->found.numbers : 0;
  CAS_OWNED cas_summary *health = malloc(cas_summary_size(shape));
  CAS_OWNED double *parameter = malloc(((size_t)n + 1) * sizeof *parameter);
  CAS_NEED(health && parameter);
  cas_summary_clear(shape, health);
  cas_pass_health(s, w->path, w->lane, w->lane + 1, health);
  CAS_CALL(cas_outcome_fill(w->run, shape, health, out, err));
  for (int i = 0; i < n; i++)
    parameter[i] = s->lanes->drawn[i * s->problem->W + w->lane];
  if (s->lanes)
    CAS_CALL(cas_outcome_parameters(w->run, 0, parameter, out, err));
  free(out->provenance.study);
  out->provenance.study = strdup(path_study);
  out->provenance.alone = true;
  out->provenance.path = w->path;
  CAS_NEED(out->provenance.study);
  return CAS_OK;
}

cas_status cas_path_file_close(cas_path_recorder *w, const cas_pass *s, cas_status st,
                               cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results out = {0};
  if (!w)
    return st;
  if (!st)
    st = cas_path_file_observe(w, NULL, 1, err);
  if (!st)
    st = fill_results(w, s, &out, err);
  cas_status closed = cas_trajectory_close(w->file, st ? NULL : &out, err);
  free_recorder(w);
  return st ? st : closed;
}
