#include "engine/outcome.h"
#include "base/owned.h"
#include "base/text.h"
#include "engine/resume/identity.h"
#include "engine/study/failures.h"
#include "files/results/results_file.h"
#include "math/blas/blas.h"
#include "paths/follower.h"
#include "paths/problem/initial.h"
#include "version.h"

static char *hash_text(cas_input_hash h, bool *failed) {
  return h.text[0] ? cas_text_copy(h.text, failed) : NULL;
}

/* A configuration has one seed: a comment behind it names several whose sums are merged. */
static char *configuration_text(const cas_run_state *r) {
  size_t size;
  char *text = NULL;
  const cas_earlier_run *e = &r->earlier;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  fputs(r->effective, f);
  if (e->seeds)
    fprintf(f, "# merged from runs with these random.seed:");
  for (int i = 0; e->seeds && i < e->merged; i++)
    fprintf(f, " %lld%s", (long long)e->seeds[i].seed, i + 1 < e->merged ? "" : "\n");
  return cas_text_close(f, &text);
}

/* The keys of the configuration of this run; merged runs had others. */
static char *given_text(const cas_run_state *r) {
  size_t size;
  char *text = NULL;
  FILE *f = r->earlier.merged ? NULL : open_memstream(&text, &size);
  if (!f)
    return NULL;
  fputc('\n', f);
  cas_config_list(f, r->run.config);
  return cas_text_close(f, &text);
}

static bool provenance(const cas_run_state *r, cas_provenance *p) {
  bool failed = false;
  const cas_kernels *k = r->run.problem.kernels;
  p->casimir.version = cas_text_copy(CAS_VERSION, &failed);
  p->casimir.commit = cas_text_copy(CAS_COMMIT, &failed);
  p->configuration = configuration_text(r);
  p->given = given_text(r);
  p->generator = cas_text_copy(r->run.problem.noise.generator->name, &failed);
  p->system = cas_text_copy(r->run.problem.system->name, &failed);
  p->integrator = cas_text_copy(r->run.problem.scheme.integrator->name, &failed);
  if (r->run.problem.reference.integrator)
    p->reference_integrator = cas_text_copy(r->run.problem.reference.integrator->name, &failed);
  if (cas_problem_changes_casimirs(&r->run.problem))
    p->casimirs =
        cas_text_copy("damping or forcing changes them, so they are not checked", &failed);
  if (cas_followers_monitoring(&r->run.problem))
    p->monitoring = cas_text_copy(cas_followers_monitoring(&r->run.problem), &failed);
  p->study = cas_text_copy(r->run.study->name, &failed);
  p->started = cas_text_copy(r->started, &failed);
  p->hash.initial = hash_text(cas_identity_initial(r), &failed);
  p->hash.noise = hash_text(cas_identity_noise(r), &failed);
  if (asprintf(&p->kernels, "%s (%d doubles a vector, log sin cos from %s), %s", k->name,
               k->vector_lanes, k->elementary, CAS_COMPILER) < 0)
    p->kernels = NULL;
  p->blas = cas_text_copy(cas_blas().text, &failed);
  p->first_step = r->run.problem.normals.begin;
  p->draws = cas_exchange_draws(&r->run.problem);
  p->magnitude = r->run.problem.initial.magnitude;
  p->seed = r->run.problem.noise.seed;
  p->paths = r->run.paths;
  p->ranks = r->run.ranks;
  p->lanes = r->run.problem.W;
  p->seconds = r->seconds;
  p->seconds.elapsed = MPI_Wtime() - r->clock;
  return !failed && p->kernels && p->configuration;
}

static void health(const cas_run_state *r, cas_summary *total, cas_health *h) {
  const cas_path_health *p = cas_summary_paths(total);
  for (int i = 0; i < r->run.plan.levels; i++) {
    const cas_level_health *l = cas_summary_level(total, i);
    h->steps_taken[i] = l->steps;
    h->not_converged[i] = l->not_converged;
    h->second_method[i] = l->second_method;
    h->nan[i] = l->nan;
    h->clipped[i] = l->clipped;
    h->iterations[i] = l->iterations;
    h->iterations_max[i] = l->iterations_max;
  }
  h->casimir_drift_max = p->drift;
  h->drift_path = p->drift_path;
  h->drift_level = (int)p->drift_level;
  h->failed_paths = p->failed_paths;
  h->first_failed_path = p->first_failed_path;
  memcpy(h->failed_path_numbers, p->failed_numbers, sizeof h->failed_path_numbers);
  h->first_failed_level = (int)p->first_failed_level;
  h->first_failed_cause = (int)p->first_failed_cause;
  h->first_failed_time = p->first_failed_time;
  cas_observables_title(&r->run.problem, p->first_failed_quantity, h->first_failed_quantity,
                        sizeof h->first_failed_quantity);
  h->noises =
      r->run.problem.normals.noises * (r->run.problem.scheme.options.weak_order == 2 ? 2 : 1);
  h->left_out_paths = r->run.study->defaults.recorded ? 0 : p->left_out_paths;
  h->on_failure = r->run.problem.study.on_failure;
}

/* The state of every path, [paths][state]. */
static cas_status initial_states(const cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_problem *p = &r->run.problem;
  size_t W = (size_t)p->W, n = (size_t)p->components, doubles = cas_problem_state_doubles(p);
  CAS_OWNED double *x = malloc((W * n + n) * sizeof *x),
                   *state = malloc((size_t)r->run.paths * doubles * sizeof *state);
  cas_file_dataset d;
  cas_lane_parameters lanes = {0};
  cas_status st = x && state ? CAS_OK : cas_no_memory(err);
  for (int64_t path = 0; !st && path < r->run.paths; path++) {
    if (path % p->W == 0)
      st = cas_initial_block(p, path / p->W, path / p->W, x, &lanes, err);
    if (!st)
      cas_problem_state_put(p, x + path % p->W, x + W * n, state + (size_t)path * doubles);
  }
  cas_observables_state_dataset(p, &d);
  d.long_name = "state that each path starts from";
  if (!st)
    st = cas_results_give(&out->initial, &d, r->run.paths, state, err);
  cas_initial_close(p, &lanes);
  return st;
}

static cas_status initial_state(const cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_problem *p = &r->run.problem;
  cas_file_dataset d;
  if (p->initial.source.each)
    return p->initial.source.keep && !r->request->only_path ? initial_states(r, out, err) : CAS_OK;
  CAS_OWNED double *state = malloc(cas_problem_state_doubles(p) * sizeof *state);
  CAS_NEED(state);
  cas_problem_state_unpack(p, p->initial.x0, state);
  cas_observables_state_dataset(p, &d);
  d.long_name = p->parameters.uncertain
                    ? "state that path 0 starts from, and others as far as it does not "
                      "depend on their parameters"
                    : "state that all paths start from";
  return cas_results_give(&out->initial, &d, 0, state, err);
}

cas_status cas_outcome_parameters(const cas_run_state *r, int64_t paths, const double *value,
                                  cas_results *out, cas_error *err) {
  const cas_uncertain *u = &r->run.problem.parameters.uncertain->found;
  const size_t section = strlen("system."); /* which all names begin with */
  size_t size;
  CAS_OWNED char *names = NULL;
  FILE *f = open_memstream(&names, &size);
  CAS_NEED(f);
  for (int i = 0; i < u->numbers; i++) {
    fputs(i ? " " : "", f);
    for (const char *c = u->number[i].path + section; *c; c++)
      fputc(*c == ' ' ? ',' : *c, f); /* labels have no blanks, and keys of brackets do */
  }
  CAS_NEED(!fclose(f));
  const cas_file_dataset d = {.name = "value",
                              .long_name = paths ? "uncertain parameters of each path"
                                                 : "uncertain parameters of this path",
                              .unit = "of each of them",
                              .axes = 1,
                              .axis = {{.name = "parameter",
                                        .long_name = "key below system",
                                        .unit = "1",
                                        .length = u->numbers,
                                        .labels = names}}};
  return cas_results_give(&out->parameters, &d, paths, value, err);
}

/* Of all paths that are recorded. */
static cas_status parameters(const cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_problem *p = &r->run.problem;
  if (!p->parameters.uncertain || r->request->only_path || !r->run.study->defaults.recorded)
    return CAS_OK;
  const int64_t n = p->parameters.uncertain->found.numbers;
  CAS_OWNED double *value = malloc((size_t)(r->run.paths * n) * sizeof *value);
  CAS_NEED(value);
  for (int64_t path = 0; path < r->run.paths; path++)
    cas_parameters_draw(p, path, path, value + path * n);
  return cas_outcome_parameters(r, r->run.paths, value, out, err);
}

static cas_status check_count(const cas_run_state *r, cas_summary_shape shape, cas_summary *total,
                              cas_error *err) {
  double n = (double)cas_summary_paths(total)->left_out_paths;
  for (int g = 0; g < shape.groups; g++)
    n += cas_summary_group(shape, total, g)[0];
  /* paths that are only recorded are no sums */
  CAS_FAIL_IF(shape.quantities > 0 && n != (double)r->run.paths, CAS_INTERNAL,
              "the statistics hold %.0f of %lld paths: a defect of casimir", n,
              (long long)r->run.paths);
  return CAS_OK;
}

/* Gives the levels of a problem of several sizes their N, and what orders are in as steps. */
static bool sizes(const cas_study_run *r, size_t n, cas_results *out) {
  out->time_step = out->step;
  out->step = malloc(n * sizeof *out->step);
  out->size = malloc(n * sizeof *out->size);
  for (size_t i = 0; out->step && out->size && i < n; i++) {
    out->step[i] = r->plan.resolution[i];
    out->size[i] = r->problem.sizes->size[r->plan.size[i]];
  }
  return out->step && out->size;
}

cas_status cas_outcome_fill(cas_run_state *r, cas_summary_shape shape, cas_summary *total,
                            cas_results *out, cas_error *err) {
  size_t n = (size_t)r->run.plan.levels;
  CAS_CALL(check_count(r, shape, total, err));
  CAS_CALL(cas_health_init(&out->health, r->run.plan.levels, err));
  out->step = calloc(n, sizeof *out->step);
  out->steps = calloc(n, sizeof *out->steps);
  CAS_NEED(provenance(r, &out->provenance) && out->step && out->steps);
  out->levels = r->run.plan.levels - 1;
  memcpy(out->step, r->run.plan.h, n * sizeof *out->step);
  CAS_NEED(!r->run.problem.sizes || sizes(&r->run, n, out));
  for (size_t i = 0; i < n; i++)
    out->steps[i] = r->run.plan.steps / r->run.plan.ratio[i];
  health(r, total, &out->health);
  out->restart = r->restart.bytes;
  out->restart_size = r->restart.size;
  r->restart = (cas_sections){0};
  CAS_CALL(initial_state(r, out, err));
  return parameters(r, out, err);
}

static cas_status paths_failed(const cas_run_state *r, const cas_health *h, cas_error *err) {
  char first[1000], consequence[160] = " and are left out of every statistic";
  const long long kept = (long long)(h->failed_paths - h->left_out_paths);
  const cas_failed_path p = {.path = h->first_failed_path,
                             .failure = {.cause = h->first_failed_cause,
                                         .level = h->first_failed_level,
                                         .time = h->first_failed_time}};
  if (r->run.study->defaults.recorded)
    snprintf(consequence, sizeof consequence, "; their records are in the file as they are");
  else if (kept > 0)
    snprintf(consequence, sizeof consequence,
             "; %lld of them did not converge and count as they are, %lld are left out of every "
             "statistic",
             kept, (long long)h->left_out_paths);
  return cas_fail(err, CAS_CHECK_FAILED,
                  "%s%lld of %lld paths failed%s; the first is path %lld, %s",
                  h->left_out_paths > 0 ? "not valid: " : "", (long long)h->failed_paths,
                  (long long)r->run.paths, consequence, (long long)h->first_failed_path,
                  cas_failed_path_text(&r->run, &p, h->first_failed_quantity, first, sizeof first));
}

cas_status cas_outcome_read_back(const cas_run_state *r, cas_results *out, cas_error *err) {
  if (r->run.rank != 0)
    return CAS_OK;
  cas_results_free(out);
  const cas_status st = cas_results_read(r->file, out, err);
  out->complete = false; /* as of results that were not read from a file */
  return st;
}

cas_status cas_outcome_verdict(const cas_run_state *r, const cas_results *out, cas_error *err) {
  const cas_health *h = &out->health;
  if (h->failed_paths > 0)
    return paths_failed(r, h, err);
  if (!(h->casimir_drift_max <= r->run.problem.scheme.options.casimir_tolerance)) {
    const cas_integrator *i =
        cas_pass_scheme(&r->run.problem, &r->run.plan, h->drift_level).integrator;
    char remedy[160] =
        "A smaller integrator.tolerance or integrator.compensated: true keeps them better.";
    if (!cas_scheme_keeps_casimirs(i, r->run.problem.geometry.algebra))
      snprintf(remedy, sizeof remedy, "%s does not keep them: smaller steps let them drift less.",
               i->name);
    return cas_fail(err, CAS_CHECK_FAILED,
                    "%s drifted by %.2e (relative, path %lld), more than "
                    "integrator.casimir_tolerance = %.2e. %s",
                    r->run.problem.system->momenta.number ? "Momentum maps" : "Casimirs",
                    h->casimir_drift_max, (long long)h->drift_path,
                    r->run.problem.scheme.options.casimir_tolerance, remedy);
  }
  return r->run.study->check ? r->run.study->check(out, err) : CAS_OK;
}
