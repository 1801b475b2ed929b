/* From a configuration to a finished study. */
#include "engine/run/run.h"
#include "base/owned.h"
#include "base/text.h"
#include "engine/outcome.h"
#include "engine/output.h"
#include "engine/resume/identity.h"
#include "engine/resume/store.h"
#include "engine/study/failures.h"
#include "engine/sums.h"
#include "files/lock.h"
#include "files/safe_file.h"
#include "language/config/keys.h"
#include "math/blas/blas.h"
#include "math/blas/threads.h"
#include "paths/problem/initial.h"

#include <math.h>
#include <sched.h>
#include <time.h>

const cas_study *const cas_studies[] = {
#define CAS_STUDY(name) &cas_study_##name,
#include "studies/studies.def"
#undef CAS_STUDY
    NULL};

typedef struct {
  char *file;
  double checkpoint_every;
} output_options;

const cas_option cas_output_option_table[] = {
    CAS_OPTION(output_options, STRING, file, .fallback = "",
               .help = "HDF5 file of the results; or --output FILE"),
    CAS_OPTION(
        output_options, DURATION, checkpoint_every, .fallback = "10min", .high = INFINITY,
        .help = "time between checkpoints, which are in FILE.checkpoint; 0: only after a signal"),
    {0}};

/* Makes chunks of as many blocks as are worth it, whose merging then costs nothing, by the
   configuration alone, unless the study has listed its chunks. */
static cas_status cut_chunks(cas_run_state *r, cas_error *err) {
  const cas_pass_plan *p = &r->run.plan;
  if (r->run.chunks > 0)
    return CAS_OK;
  const double enough = 1 << 18, /* lane steps of the reference, in those of small systems */
      one = cas_sizes_step_cost(&r->run.problem, p->size[p->levels - 1]) * r->run.problem.W *
            (double)p->steps;
  int64_t blocks = r->run.study->defaults.blocks_per_chunk;
  if (!blocks)
    for (blocks = 1; blocks < 64 && (double)blocks * one < enough;)
      blocks *= 2;
  r->blocks_per_chunk = blocks;
  int64_t paths = r->blocks_per_chunk * r->run.problem.W;
  CAS_REFUSE(r->run.config, r->run.first_path % paths, "study.first_path",
             "found %lld, must be a multiple of %lld, the paths of a chunk",
             (long long)r->run.first_path, (long long)paths);
  r->first_chunk = r->run.first_path / paths;
  r->run.chunks = (cas_study_path_end(&r->run) + paths - 1) / paths;
  return CAS_OK;
}

/* Generated numbers depend on the number of a path; files and lists begin with path 0. */
static cas_status check_first_path(const cas_run_state *r, cas_error *err) {
  const cas_problem *p = &r->run.problem;
  const char *listed = p->noise.generator->replayed ? "random.file"
                       : p->initial.source.each && p->initial.source.kind == CAS_STATE_FILE
                           ? "system.initial.each"
                       : p->initial.source.keep       ? "system.initial.keep"
                       : cas_parameters_are_listed(p) ? p->parameters.uncertain->found.value[0].path
                                                      : NULL;
  CAS_REFUSE(r->run.config, r->run.first_path > 0 && listed, "study.first_path",
             "found %lld, must be 0 with %s: its list begins with path 0",
             (long long)r->run.first_path, listed);
  return CAS_OK;
}

/* Refuses a key that this kind of study does not have, but others do: it names them. */
static cas_status check_keys(const cas_run_state *r, const cas_study *of, cas_error *err) {
  for (cas_walk w = cas_walk_begin(of->options.table); w.option; cas_walk_next(&w)) {
    char path[100], kinds[300] = "";
    snprintf(path, sizeof path, "study.%s", w.option->key);
    if (!cas_config_has(r->run.config, path) ||
        cas_option_find(r->run.study->options.table, w.option->key))
      continue;
    for (const cas_study *const *s = cas_studies; *s; s++)
      if (cas_option_find((*s)->options.table, w.option->key))
        cas_append(kinds, sizeof kinds, "%s%s", kinds[0] ? ", " : "", (*s)->name);
    return cas_config_fail(r->run.config, err, path,
                           "study %s has no key '%s', which belongs to: %s (casimir describe %s "
                           "lists the keys of this one)",
                           r->run.study->name, w.option->key, kinds, r->run.study->name);
  }
  return CAS_OK;
}

static cas_status read_study(cas_run_state *r, cas_error *err) {
  static const char *const also[] = {"kind", "on_failure", NULL};
  r->run.study = cas_problem_registry_find(r->run.config, "study.kind", NULL,
                                           (const void *const *)cas_studies, err);
  if (!r->run.study)
    return CAS_BAD_INPUT;
  r->run.options = calloc(1, r->run.study->options.size);
  r->run.prepared = calloc(1, r->run.study->options.prepared + 1);
  CAS_NEED(r->run.options && r->run.prepared);
  for (const cas_study *const *s = cas_studies; *s; s++)
    CAS_CALL(check_keys(r, *s, err));
  return cas_options_read(r->run.config, "study", r->run.study->options.table, also, r->run.options,
                          err);
}

/* More threads than one share the work on a large path, and have to have processors. */
static cas_status use_threads(const cas_run_state *r, cas_error *err) {
  /* Processors that this rank may use; 0: nobody tells. */
  cpu_set_t allowed[8]; /* 8192 of them */
  int processors =
      sched_getaffinity(0, sizeof allowed, allowed) ? 0 : CPU_COUNT_S(sizeof allowed, allowed);
  CAS_REFUSE(r->run.config, r->threads > 1 && r->run.problem.W > 1, "threads",
             "found %d, must be 1: a block is %d paths, which are stepped together "
             "on one processor; more ranks use more",
             r->threads, r->run.problem.W);
  if (processors > 0 && processors < r->threads)
    cas_study_notice(r,
                     "threads: %d are asked for, and rank 0 may use %d processor%s. Start with "
                     "`mpirun --map-by slot:PE=%d` or `srun --cpus-per-task=%d`.",
                     r->threads, processors, processors > 1 ? "s" : "", r->threads, r->threads);
  cas_threads_use(r->threads);
  return CAS_OK;
}

static cas_status name_files(cas_run_state *r, const char *file, cas_error *err) {
  r->file = cas_file_link_target(file);
  CAS_NEED(r->file);
  if (asprintf(&r->checkpoint, "%s.checkpoint", r->file) < 0)
    r->checkpoint = NULL;
  if (asprintf(&r->previous, "%s.checkpoint.previous", r->file) < 0)
    r->previous = NULL;
  CAS_NEED(r->checkpoint && r->previous);
  return CAS_OK;
}

static cas_status read_output(cas_run_state *r, cas_error *err) {
  output_options o;
  cas_status st = CAS_OK;
  CAS_CALL(cas_options_read(r->run.config, "output", cas_output_option_table, NULL, &o, err));
  const cas_run_request *q = r->request;
  const char *file = q->in_memory ? NULL : q->output ? q->output : o.file;
  if (q->in_memory && r->run.study->defaults.recorded)
    st = cas_config_fail(r->run.config, err, "study.kind",
                         "found '%s', which records paths in a file, and a run in memory has none",
                         r->run.study->name);
  else if (!file && !q->only_path && !q->in_memory)
    st = cas_config_fail(r->run.config, err, "output",
                         "'file' is missing: name the results file here or by --output FILE");
  else if (file)
    st = name_files(r, file, err);
  r->checkpoint_every = file ? o.checkpoint_every : 0;
  cas_options_free(cas_output_option_table, &o);
  return st;
}

/* The hashes of the states that paths begin at, where a file has one for each, and of the replayed
   normals that all ranks together will use. Rank 0 reads both once. */
static cas_status hash_inputs(cas_run_state *r, cas_error *err) {
  cas_problem *p = &r->run.problem;
  cas_status st = CAS_OK;
  if (r->run.rank == 0 && p->initial.stack.source.source)
    st = cas_initial_hash(r->run.config, p, r->run.paths, &p->initial.hash, err);
  if (!st && r->run.rank == 0 && p->noise.generator->replayed)
    st = cas_problem_noise_hash(r->run.config, p, r->run.paths, r->run.plan.steps, &r->noise_hash,
                                err);
  CAS_CALL(cas_agree(st, r->run.comm, err));
  cas_bcast(&p->initial.hash, 1, MPI_UINT64_T, 0, r->run.comm);
  cas_bcast(&r->noise_hash, 1, MPI_UINT64_T, 0, r->run.comm);
  return CAS_OK;
}

static cas_status read_configuration(cas_run_state *r, cas_error *err) {
  static const char *const also[] = {"system", "integrator", "random", "study", "output", NULL};
  int64_t threads;
  CAS_REFUSE(r->run.config, cas_config_has(r->run.config, "sweep"), "sweep",
             "is for `casimir sweep`, which runs every point of it");
  CAS_CALL(cas_options_read(r->run.config, "", cas_identity_run_options, also, &threads, err));
  r->threads = (int)threads;
  CAS_CALL(read_study(r, err));
  CAS_CALL(cas_problem_create(r->run.config, r->run.study->defaults.compensated, r->run.comm,
                              &r->run.problem, err));
  CAS_CALL(cas_observables_check(r->run.config, &r->run.problem, err));
  CAS_CALL(cas_on_failure_read(&r->run, err));
  if (r->run.study->defaults.truncation > 0 && !r->run.problem.scheme.integrator->is_explicit &&
      !r->run.problem.scheme.integrator->is_solvable &&
      !cas_config_has(r->run.config, "integrator.truncation"))
    r->run.problem.scheme.options.truncation = r->run.study->defaults.truncation;
  CAS_CALL(r->run.study->prepare(&r->run, err));
  CAS_CALL(cas_study_steps_check(&r->run, "study", err));
  CAS_CALL(check_first_path(r, err));
  CAS_CALL(cas_problem_check_noise(r->run.config, &r->run.problem, cas_study_path_end(&r->run),
                                   r->run.plan.steps, err));
  CAS_CALL(cas_initial_check_paths(r->run.config, &r->run.problem, cas_study_path_end(&r->run),
                                   r->run.chunks > 0, err));
  CAS_CALL(read_output(r, err));
  CAS_CALL(cas_identity_write(r, err));
  CAS_CALL(use_threads(r, err));
  return cut_chunks(r, err);
}

void cas_run_release(cas_run_state *r) {
  cas_threads_use(1);
  if (r->run.prepared && r->run.study->release)
    r->run.study->release(&r->run);
  if (r->run.prepared && r->run.study->options.prepared)
    cas_observables_free(r->run.prepared);
  free(r->run.prepared);
  if (r->run.options)
    cas_options_free(r->run.study->options.table, r->run.options);
  free(r->run.options);
  if (r->run.problem.system)
    cas_problem_free(&r->run.problem);
  free(r->file);
  free(r->checkpoint);
  free(r->previous);
  cas_sum_tree_free(&r->earlier.tree);
  cas_sections_free(&r->earlier.sections);
  if (r->earlier.file)
    close(r->earlier.file);
  free(r->earlier.pass);
  free(r->earlier.seeds);
  cas_sections_free(&r->restart);
  cas_sections_free(&r->rescue);
  free(r->effective);
  cas_config_free(r->written);
}

/* Runs that differ in the seed of their noise are taken for independent samples. */
static void notice_shared_states(const cas_run_state *r) {
  const cas_state_source *i = &r->run.problem.initial.source;
  if (r->request->replicate && i->kind == CAS_STATE_RANDOM && i->each && i->seeded)
    cas_study_notice(
        r,
        "random.seed is %d, but the states that paths begin at are those of "
        "system.initial.random.seed %lld, in every run with that seed: such runs are not "
        "independent samples, and casimir merge refuses them. Without that key the states "
        "depend on random.seed.",
        r->run.problem.noise.seed, (long long)i->seed);
  if (r->request->replicate && cas_parameters_are_listed(&r->run.problem))
    cas_study_notice(r,
                     "random.seed is %d, but parameters of paths are rows of a file, in every run "
                     "that reads it: such runs are not independent samples, and casimir merge "
                     "refuses them. With `row: drawn` they depend on random.seed.",
                     r->run.problem.noise.seed);
  if (r->request->replicate && r->run.problem.noise.generator->replayed)
    cas_study_notice(r,
                     "random.seed is %d, but the noise is that of the normals in random.file, in "
                     "every run that replays them: such runs are not independent samples.",
                     r->run.problem.noise.seed);
}

/* Tells of numbers of input files that the system has no place for. */
static void notice_left_out(const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  const double least = 1e-8; /* below it there is rounding, of files in single precision too */
  char remark[500] = "";
  if (p->initial.form && p->initial.lost > least)
    cas_study_notice(
        r, "system.initial: %.2g%% of the norm of %s of %s%s is left out: states have %s.",
        100 * p->initial.lost, p->initial.source.dataset, p->initial.source.file,
        p->initial.source.each ? ", for path 0," : "", p->initial.form->place);
  if (p->system->parameters.remark)
    p->system->parameters.remark(p->parameters.all, remark, sizeof remark);
  if (remark[0])
    cas_study_notice(r, "%s", remark);
}

cas_status cas_run_start(cas_run_state *r, const cas_config *c, const cas_run_request *q,
                         MPI_Comm comm, cas_error *err) {
  time_t now = time(NULL);
  struct tm utc;
  *r = (cas_run_state){.run = {.config = c, .comm = comm, .in_memory = q->in_memory},
                       .request = q,
                       .clock = MPI_Wtime()};
  MPI_Comm_rank(comm, &r->run.rank);
  MPI_Comm_size(comm, &r->run.ranks);
  strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  /* Bits of the BLAS change with the number of its threads. */
  cas_blas_use_threads(1);
  CAS_CALL(cas_ranks_compare_request(r, err));
  CAS_FAIL_IF(q->in_memory && q->resume, CAS_BAD_INPUT,
              "a run in memory leaves nothing that it could resume");
  CAS_CALL(cas_agree(read_configuration(r, err), r->run.comm, err));
  CAS_CALL(hash_inputs(r, err));
  CAS_CALL(cas_continued_find(r, err));
  notice_shared_states(r);
  notice_left_out(r);
  return cas_ranks_compare_prepared(r, err);
}

static cas_status run_study(cas_run_state *r, cas_results *out, cas_error *err) {
  return r->run.study->run ? r->run.study->run(r, out, err) : cas_sums_run(r, out, err);
}

/* Runs the study, unless it is finished already: then nothing changes. */
static cas_status run_unless_finished(cas_run_state *r, cas_results *out, cas_error *err) {
  bool finished = false;
  double bytes, space;
  if (r->request->resume)
    CAS_CALL(cas_store_resume(r, &finished, err));
  else
    CAS_CALL(cas_agree(r->run.rank == 0 ? cas_store_check_new(r, err) : CAS_OK, r->run.comm, err));
  if (finished) {
    cas_study_notice(r, "%s is finished already; nothing was computed", r->file);
    return cas_agree(r->run.rank == 0 ? cas_results_read(r->file, out, err) : CAS_OK, r->run.comm,
                     err);
  }
  CAS_CALL(cas_output_check_space(r, &bytes, &space, err));
  CAS_CALL(cas_agree(r->run.rank == 0 ? cas_output_reserve(r, err) : CAS_OK, r->run.comm, err));
  const cas_status st = run_study(r, out, err);
  cas_output_release(r); /* a checkpoint may need it */
  if (!st && r->run.rank == 0)
    cas_checkpoint_remove(r->checkpoint);
  else if (r->run.rank == 0 && !r->earlier.merged && st != CAS_INTERRUPTED && st != CAS_STOPPED &&
           st != CAS_BAD_INPUT) /* what was merged is in its files */
    cas_store_rescue(r, out, err);
  return st;
}

/* Before this nothing can be saved: a signal during the wait for a lock ends the run at once. */
static void begin(const cas_run_state *r) {
  if (r->request->begins)
    r->request->begins(r->request->signals_context);
}

static cas_status compute_into_file(cas_run_state *r, cas_results *out, cas_error *err) {
  cas_lock lock = CAS_LOCK_NONE;
  const cas_run_request *q = r->request;
  cas_status st = cas_output_agree_allowed(r, err);
  if (!st && r->run.rank == 0)
    st = cas_lock_take(r->file, q->lock_wait, q->notice, q->notice_context, &lock, err);
  st = cas_agree(st, r->run.comm, err);
  begin(r);
  if (!st)
    st = run_unless_finished(r, out, err);
  cas_output_release(r);
  cas_lock_release(&lock);
  return st;
}

cas_status cas_run_compute(cas_run_state *r, cas_results *out, cas_error *err) {
  if (!r->file)
    begin(r);
  cas_status st = r->file ? compute_into_file(r, out, err) : run_study(r, out, err);
  if (!st)
    st = cas_agree(r->run.rank == 0 ? cas_outcome_verdict(r, out, err) : CAS_OK, r->run.comm, err);
  return st;
}

cas_status cas_run(const cas_config *c, const cas_run_request *q, MPI_Comm comm, cas_results *out,
                   cas_error *err) {
  CAS_LOCALE_OF_C;
  CAS_OWNED_BY(cas_run_release) cas_run_state r;
  *out = (cas_results){0};
  cas_status st = cas_run_start(&r, c, q, comm, err);
  if (!st && q->dry_run)
    st = cas_preview_run(&r, err);
  else if (!st && q->only_path)
    st = cas_preview_path(&r, err);
  else if (!st)
    st = cas_run_compute(&r, out, err);
  if (st && st != CAS_CHECK_FAILED)
    cas_results_free(out);
  return st;
}
