#include "engine/study/failures.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "language/config/keys.h"

#include <math.h>

/* ---- study.on_failure ---- */

#define ON_FAILURE(by_default, meaning)                                       \
  {                                                                           \
    .key = "on_failure", .type = CAS_CHOICE, .choices = cas_on_failure_names, \
    .fallback = by_default, .identity = CAS_OF_FAILED,                        \
    .help = "paths that do not converge or become NaN: " meaning              \
  }

/* Studies that record paths have no statistics to leave a path out of. */
static const cas_option
    averaged[] = {ON_FAILURE(
                      "drop",
                      "drop leaves them out of every statistic, keep includes those that did "
                      "not converge, stop ends the run at the first failure, with a "
                      "checkpoint"),
                  {0}},
    recorded[] = {ON_FAILURE("keep",
                             "keep writes their records unchanged, stop ends the run at the first "
                             "one, with a checkpoint; drop is refused here"),
                  {0}};

const cas_option *cas_on_failure_options(const cas_study *s) {
  return s->defaults.recorded ? recorded : averaged;
}

cas_status cas_on_failure_read(cas_study_run *r, cas_error *err) {
  int policy;
  CAS_CALL(cas_options_read(r->config, "study", cas_on_failure_options(r->study),
                            cas_keys_of_others, &policy, err));
  CAS_REFUSE(r->config, r->study->defaults.recorded && policy == CAS_ON_FAILURE_DROP,
             "study.on_failure",
             "found 'drop', but study %s has no statistics to leave a path out of; "
             "must be keep or stop",
             r->study->name);
  r->problem.study.on_failure = (cas_on_failure)policy;
  return CAS_OK;
}

/* ---- stopping ---- */

const cas_failed_path cas_failed_path_none = {.path = INT64_MAX};

cas_failed_path cas_failed_path_of_lane(const cas_pass *s, int64_t first_path, int active) {
  for (int lane = 0; lane < active; lane++) {
    const cas_pass_failure f = cas_pass_failed(s, lane);
    if (f.cause != CAS_FAILURE_NONE)
      return (cas_failed_path){first_path + lane, f};
  }
  return cas_failed_path_none;
}

void cas_failed_path_agree(cas_failed_path *p, MPI_Comm comm) {
  int64_t lowest;
  int rank, owner;
  MPI_Comm_rank(comm, &rank);
  cas_allreduce(&p->path, &lowest, 1, MPI_INT64_T, MPI_MIN, comm);
  rank = p->path == lowest ? rank : -1;
  cas_allreduce(&rank, &owner, 1, MPI_INT, MPI_MAX, comm);
  cas_bcast(p, sizeof *p, MPI_BYTE, owner, comm);
}

/* What may help against a failure: only what can. */
static void advise(const cas_study_run *r, const cas_failed_path *p, char *text, size_t size) {
  const cas_problem *problem = &r->problem;
  if (p->failure.cause == CAS_FAILURE_VALUE) {
    snprintf(text, size,
             "Its states are numbers, so no other step helps: take a quantity that is a number on "
             "every path, or record it at other times.");
    return;
  }
  snprintf(text, size, "See it alone with --only-path %lld; a smaller %s", (long long)p->path,
           cas_config_has(r->config, "study.step") ? "study.step" : "study.coarsest_step");
  if (problem->normals.noises > 0)
    cas_append(text, size, " or %s",
               cas_config_has(r->config, "system.noise.amplitude") ? "system.noise.amplitude"
                                                                   : "system.noise");
  if (p->failure.cause == CAS_FAILURE_NOT_CONVERGED)
    cas_append(text, size, ", or a greater integrator.max_iterations");
  cas_append(text, size, " may help.");
}

const char *cas_failed_path_text(const cas_study_run *r, const cas_failed_path *p,
                                 const char *quantity, char *text, size_t size) {
  char step[64], why[CAS_FAILED_QUANTITY + 80], advice[400];
  const cas_pass_failure *f = &p->failure;
  cas_step_format(r->plan.h[f->level], step, sizeof step);
  cas_failure_describe((cas_failure)f->cause, quantity, f->time, why, sizeof why);
  advise(r, p, advice, sizeof advice);
  snprintf(text, size, "at step size %s (%s). %s", step, why, advice);
  return text;
}

cas_status cas_failed_path_stop(const cas_run_state *r, const cas_failed_path *p,
                                const char *unsaved, cas_error *err) {
  char saved[1000], text[1000], quantity[CAS_FAILED_QUANTITY];
  cas_observables_title(&r->run.problem, p->failure.quantity, quantity, sizeof quantity);
  if (unsaved)
    snprintf(saved, sizeof saved, "Nothing of it could be saved: %.900s", unsaved);
  else if (!r->checkpoint)
    snprintf(saved, sizeof saved, "A run in memory has no checkpoint.");
  else
    snprintf(saved, sizeof saved,
             "What came before, %.1f%% of the run, is saved in %s: the same command with --resume "
             "and --set study.on_failure=%s goes on from there.",
             100 * r->saved_share, r->checkpoint,
             r->run.study->defaults.recorded ? "keep" : "drop");
  return cas_fail(
      err, CAS_STOPPED, "path %lld failed %s The run ends, as study.on_failure is stop. %s",
      (long long)p->path, cas_failed_path_text(&r->run, p, quantity, text, sizeof text), saved);
}

/* ---- the first paths ---- */

cas_status cas_failures_check_start(const cas_study_run *r, const cas_pass *s, int active,
                                    cas_error *err) {
  const int observable = cas_pass_unfinite_at_start(s, active);
  if (observable == 0 || (active == 1 && r->problem.initial.source.each))
    return CAS_OK;
  CAS_NEED(!cas_scratch_is_missing()); /* NaN for want of memory is none of the observable's */
  return cas_observables_refuse(
      r->config, &r->problem, observable,
      "is NaN or infinite at t = 0, on every path; must be a number at every time that is "
      "recorded. A mean over the time is path_mean(..), which has its limit at t = 0; else record "
      "later times, by study.times",
      err);
}

void cas_failures_notice_all(const cas_run_state *r, const cas_pass *s, int64_t first_path,
                             int active, bool *said) {
  char which[100] = "The first path has failed", text[1000], quantity[CAS_FAILED_QUANTITY];
  for (int lane = 0; lane < active; lane++)
    if (*said || cas_pass_failed_level(s, lane) < 0)
      return;
  *said = true;
  const cas_failed_path p = cas_failed_path_of_lane(s, first_path, active);
  if (active > 1)
    snprintf(which, sizeof which, "All of the first %d paths have failed", active);
  cas_observables_title(&r->run.problem, p.failure.quantity, quantity, sizeof quantity);
  cas_study_notice(r, "%s: path %lld %s%s", which, (long long)p.path,
                   cas_failed_path_text(&r->run, &p, quantity, text, sizeof text),
                   r->run.study->defaults.recorded ? ""
                                                   : " If all paths fail, there are no results.");
}

/* ---- what failed paths can have changed ---- */

double cas_failures_share(const cas_study_run *r, const cas_health *h) {
  bool off_orbit = h->failed_paths > h->left_out_paths &&
                   (!r->problem.keeps_casimirs ||
                    !(h->casimir_drift_max <= r->problem.scheme.options.casimir_tolerance));
  return off_orbit ? NAN : (double)h->failed_paths / (double)r->paths;
}

/* On the orbit every phi lies in [a, b], so a share s of the paths moves a mean by s (b - a) at
   most, whatever these paths would have done. */
static double width_of(const cas_study_run *r, const char *name) {
  const cas_system *s = r->problem.system;
  const cas_functional *const lists[] = {s->functionals, s->observables};
  /* Every path has an orbit or an observable of its own, or leaves its orbit. */
  if (r->problem.initial.source.each || r->problem.parameters.uncertain ||
      cas_exchange_acts(&r->problem))
    return NAN;
  double range[2] = {0, NAN};
  for (int i = 0; i < 2 && isnan(range[1]); i++) {
    const cas_functional *f = cas_observables_in(lists[i], name);
    if (f && f->range)
      f->range(r->problem.parameters.all, r->problem.initial.x0, range);
  }
  return range[1] - range[0];
}

/* Where Casimirs bound the norm no two states of an orbit are further apart than 2 |x0|; of paths
   with states of their own, random ones without a law have one norm. */
double cas_failures_orbit_diameter2(const cas_study_run *r) {
  const cas_problem *p = &r->problem;
  bool one_norm =
      !p->initial.source.each || (p->initial.source.kind == CAS_STATE_RANDOM && !p->initial.law);
  if (p->parameters.uncertain &&
      (p->system->initial.rest || p->initial.source.kind == CAS_STATE_DEFAULT))
    one_norm = false; /* states may depend on parameters */
  if (!one_norm || !(p->geometry.algebra->properties & CAS_COMPACT))
    return NAN;
  size_t W = (size_t)p->W, n = W * (size_t)p->components;
  CAS_OWNED double *memory = calloc(2 * n + W + 8, sizeof *memory);
  if (!memory)
    return NAN;
  for (size_t i = 0; i < n; i++)
    memory[i] = p->initial.x0[i / W];
  p->geometry.algebra->distance2(&p->geometry, p->W, memory, memory + n, memory + 2 * n);
  return 4 * memory[2 * n];
}

/* Differences of two phi lie within b - a of 0. Where one is NaN no path counts, and nothing is
   bounded. */
double cas_failures_difference_bound(const cas_study_run *r, double share, const char *name,
                                     const double *difference, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!isnan(most) && !(fabs(difference[i]) <= most))
      most = fabs(difference[i]);
  return share == 0 ? 0 : share * (width_of(r, name) + most);
}

double cas_failures_mean_bound(const cas_study_run *r, double share, const char *name) {
  return share * width_of(r, name);
}

cas_findings cas_failures_find(const cas_health *h, int64_t paths) {
  if (h->failed_paths == 0)
    return 0;
  if (h->left_out_paths == paths)
    return cas_finding_set(CAS_ALL_PATHS_FAILED);
  return cas_finding_set(CAS_PATHS_FAILED) |
         (h->left_out_paths > 0 ? cas_finding_set(CAS_NOT_VALID) : 0);
}

void cas_failures_unreach(const cas_health *h, int *reached, cas_findings *findings) {
  if (h->left_out_paths == 0)
    return;
  *reached = 0;
  *findings &= ~cas_finding_set(CAS_TARGET_REACHED);
}

/* It is not known on which level paths failed. If n paths of a level count and others are left out,
   the share of the latter is at most what it would be if all were on the level with the fewest
   paths. In sums over levels shares add up. */
double cas_failures_level_share(const cas_study_run *r, const cas_health *h, int levels,
                                const int64_t *paths, double *of_sum) {
  double fewest = INFINITY, failed = cas_failures_share(r, h) * (double)r->paths;
  for (int l = 0; l < levels; l++)
    fewest = fmin(fewest, (double)paths[l]);
  double share = failed / (fewest + (double)h->left_out_paths);
  *of_sum = fmin(levels * share, failed / fewest);
  return share;
}
