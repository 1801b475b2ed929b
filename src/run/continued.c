#include "run/continued.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char key[] = "random.stream";

/* The run that a record is of. */
typedef struct {
  cas_results results;
  double time;    /* of the record */
  int64_t before; /* steps of its streams before that run began */
} origin;

static bool wanted(const cas_run_state *r) {
  const char *stream = r->run.problem.random.stream;
  return stream && strcmp(stream, "continue") == 0;
}

/* The time of the record; false: the file has no times, as of states that are no records. */
static bool find_time(const cas_state_source *i, double *time) {
  char name[300];
  const char *end = strrchr(i->dataset, '/');
  int rank;
  int64_t dims[4], at = i->index.n ? i->index.value[0] : 0;
  bool is_complex;
  double *times;
  cas_error none = {0};
  snprintf(name, sizeof name, "%.*s/time", end ? (int)(end - i->dataset) : 0, i->dataset);
  if (!end || cas_dataset_read(i->file, name, &rank, dims, &is_complex, &times, &none))
    return false;
  bool found = rank == 1 && at < dims[0];
  *time = found ? times[at] : 0;
  free(times);
  return found;
}

/* Whether the state is a record of a run by the same streams, after its first step. */
static bool repeats(const cas_run_state *r, origin *o) {
  const cas_problem *p = &r->run.problem;
  cas_error none = {0};
  if (p->initial.kind != CAS_STATE_FILE || p->form || p->noise.noises == 0 ||
      p->noise.generator->replayed || !find_time(&p->initial, &o->time) ||
      cas_results_read(p->initial.file, &o->results, &none))
    return false;
  const cas_provenance *of = &o->results.provenance;
  o->before = of->first_step;
  return (o->time > 0 || o->before > 0) && of->generator &&
         strcmp(of->generator, p->noise.generator->name) == 0 && of->seed == p->noise.seed;
}

/* Whether that run has one step size, too, and the same. */
static bool same_step(const cas_run_state *r, const origin *o) {
  static const char step[] = "study.step";
  const char *text = o->results.provenance.configuration, *mine = cas_config_text(r->written, step);
  cas_config *config = NULL;
  cas_error none = {0};
  if (!text || !mine || cas_config_parse(text, strlen(text), "", &config, &none))
    return false;
  const char *theirs = cas_config_text(config, step);
  bool same = theirs && strcmp(mine, theirs) == 0;
  cas_config_free(config);
  return same;
}

static cas_status go_on(cas_run_state *r, const origin *o, cas_error *err) {
  const double n = o->time / r->run.plan.h[0];
  if (!same_step(r, o) || fabs(n - nearbyint(n)) > 1e-9 * fmax(n, 1))
    return cas_config_fail(r->run.config, err, key,
                           "found continue, but %s has no steps of study.step after which the "
                           "record at time %.10g was made",
                           r->run.problem.initial.file, o->time);
  r->run.problem.noise_begin = o->before + llround(n);
  if (o->results.provenance.magnitude > 0)
    r->run.problem.magnitude = o->results.provenance.magnitude;
  return CAS_OK;
}

static cas_status find(cas_run_state *r, cas_error *err) {
  origin o = {.time = 0};
  bool same = repeats(r, &o);
  cas_status st = CAS_OK;
  if (same && wanted(r))
    st = go_on(r, &o, err);
  else if (wanted(r))
    st = cas_config_fail(r->run.config, err, key,
                         "found continue, but system.initial is no record, after the first, of a "
                         "run with this random.generator and random.seed");
  else if (same && !r->run.problem.random.stream)
    cas_study_notice(
        r,
        "the initial state is the record at time %.10g of a run with the same "
        "random.generator and random.seed, whose noise this run repeats from its beginning: "
        "state and noise are not independent. Another random.seed makes them independent, "
        "random.stream: continue uses the noise that follows the record, and random.stream: "
        "begin suppresses this message.",
        o.time);
  cas_results_free(&o.results);
  return st;
}

static cas_status check_key(const cas_run_state *r, cas_error *err) {
  const char *stream = r->run.problem.random.stream;
  if (stream && strcmp(stream, "begin") != 0 && !wanted(r))
    return cas_config_fail(r->run.config, err, key, "found '%s', must be one of: begin, continue",
                           stream);
  if (wanted(r) && (r->run.plan.levels > 1 || r->blocks_per_chunk == 0))
    return cas_config_fail(r->run.config, err, key,
                           "found continue, but study %s has several step sizes: only those of "
                           "one go on with the noise of another",
                           r->run.study->name);
  return CAS_OK;
}

cas_status cas_continued_find(cas_run_state *r, cas_error *err) {
  CAS_CALL(check_key(r, err));
  CAS_CALL(cas_agree(r->run.rank == 0 ? find(r, err) : CAS_OK, r->run.comm, err));
  cas_bcast(&r->run.problem.noise_begin, 1, MPI_INT64_T, 0, r->run.comm);
  cas_bcast(&r->run.problem.magnitude, 1, MPI_DOUBLE, 0, r->run.comm);
  return CAS_OK;
}
