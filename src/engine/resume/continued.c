/* Runs that begin at a record of an earlier run, and take up its noise. */
#include "base/owned.h"
#include "engine/resume/store.h"
#include "files/results/results_file.h"
#include "language/config/keys.h"
#include "paths/problem/initial.h"

#include <math.h>

static const char key[] = "random.stream";

/* The run that a record is of. */
typedef struct {
  cas_provenance of;
  double time; /* of the record */
} origin;

static bool wanted(const cas_run_state *r) {
  const char *stream = r->run.problem.random.stream;
  return stream && strcmp(stream, "continue") == 0;
}

/* The time of the record; 0 where the file has no times, as of states that paths begin from. */
static double time_of(const cas_state_source *i) {
  char name[300];
  const char *end = strrchr(i->dataset, '/');
  int rank;
  int64_t dims[4], at = i->index.n ? i->index.value[0] : 0;
  bool is_complex;
  CAS_OWNED double *times = NULL;
  cas_error none = {0};
  snprintf(name, sizeof name, "%.*s/time", end ? (int)(end - i->dataset) : 0, i->dataset);
  if (!end || cas_dataset_read(i->file, name, 0, -1, &rank, dims, &is_complex, &times, &none))
    return 0;
  return rank == 1 && at < dims[0] ? times[at] : 0;
}

/* Whether the state is a record of a run by the same streams, after its first step. */
static bool repeats(const cas_run_state *r, cas_results *of, origin *o) {
  const cas_problem *p = &r->run.problem;
  const cas_step_draws draws = cas_exchange_draws(p);
  cas_error none = {0};
  if (p->initial.source.kind != CAS_STATE_FILE || p->initial.form ||
      draws.noise + draws.forcing == 0 || p->noise.generator->replayed ||
      cas_results_read(p->initial.source.file, of, &none))
    return false;
  *o = (origin){of->provenance, time_of(&p->initial.source)};
  return (o->time > 0 || o->of.first_step > 0) && o->of.generator &&
         strcmp(o->of.generator, p->noise.generator->name) == 0 && o->of.seed == p->noise.seed;
}

/* Whether a step of that run took as many numbers of every stream: of a stream of which it took
   more, some would be used twice. */
static bool same_draws(const cas_run_state *r, const origin *o) {
  const cas_step_draws draws = cas_exchange_draws(&r->run.problem), theirs = o->of.draws;
  const bool known = theirs.noise + theirs.forcing > 0;
  return o->of.lanes == r->run.problem.W &&
         (!known || (theirs.noise == draws.noise && theirs.forcing == draws.forcing));
}

/* Whether that run has one step size, too, and the same. */
static bool same_step(const cas_run_state *r, const origin *o) {
  static const char step[] = "study.step";
  const char *text = o->of.configuration, *mine = cas_config_text(r->written, step);
  CAS_OWNED_BY(cas_config_release) cas_config *config = NULL;
  cas_error none = {0};
  if (!text || !mine || cas_config_parse(text, strlen(text), "", &config, &none))
    return false;
  const char *theirs = cas_config_text(config, step);
  return theirs && strcmp(mine, theirs) == 0;
}

/* Copies the first level of n lanes of a block from one on, lane by lane. */
static void copy_lanes(const cas_problem *p, const double *x, const double *carry, int64_t from,
                       int64_t lanes, double *out) {
  const size_t n = (size_t)p->components, W = (size_t)p->W;
  for (int64_t lane = from; lane < from + lanes; lane++, out += 2 * n)
    for (size_t k = 0; k < n; k++) {
      out[k] = x[k * W + (size_t)lane];
      out[n + k] = carry ? carry[k * W + (size_t)lane] : 0;
    }
}

/* Copies the ends of p->initial.ends.lanes lanes from path `first` on, of whole blocks or one lane,
   which have to have taken `steps` steps; false: not all are there. */
static bool copy_ends(cas_run_state *r, const cas_sections *ends, int64_t first, int64_t steps) {
  const cas_problem *p = &r->run.problem;
  const int64_t together = p->initial.ends.lanes > 1 ? p->W : 1,
                next = first + p->initial.ends.lanes;
  double *out = p->initial.ends.values;
  size_t at = 0;
  int64_t path = 0;
  for (const void *state; path < next && (state = cas_blocks_next_end(r, ends, &at));
       path += p->W) {
    const double *x, *carry;
    if (cas_pass_state_begin(p, &r->run.plan, state, &x, &carry) != steps)
      return false;
    if (path + p->W <= first)
      continue;
    copy_lanes(p, x, carry, first > path ? first - path : 0, together, out);
    out += 2 * p->components * together;
  }
  return path >= next;
}

/* The number of lanes to go on from: all of the blocks of the paths, or one that they share. */
static int64_t lanes_of(const cas_run_state *r, int64_t first) {
  const cas_problem *p = &r->run.problem;
  const int64_t paths = p->initial.source.each ? p->initial.paths : 1;
  const bool same = p->initial.source.each || (first == 0 && cas_study_path_end(&r->run) == 1);
  return same ? (paths + p->W - 1) / p->W * p->W : 1;
}

/* Sets problem.initial.ends from the results of the earlier run, if the record is the last one and
   the file has the ends of its paths. */
static cas_status take_ends(cas_run_state *r, int64_t steps, cas_error *err) {
  cas_problem *p = &r->run.problem;
  const cas_state_source *i = &p->initial.source;
  const int64_t first = !i->each && i->index.n > 1 ? i->index.value[1] : 0;
  CAS_OWNED_BY(cas_sections_free) cas_sections ends = {0};
  cas_error none = {0};
  p->initial.ends.lanes = lanes_of(r, first);
  p->initial.ends.values = malloc((size_t)p->initial.ends.lanes * 2 * (size_t)p->components *
                                  sizeof *p->initial.ends.values);
  CAS_NEED(p->initial.ends.values);
  bool are = !cas_results_restart_read(i->file, &ends, &none) && copy_ends(r, &ends, first, steps);
  cas_status st = are ? cas_initial_ends_check(p, &are, err) : CAS_OK;
  if (!are)
    p->initial.ends.lanes = 0;
  return st;
}

static void notice_lost(const cas_run_state *r, const origin *o) {
  const cas_problem *p = &r->run.problem;
  /* whether states in files have other numbers than states of steps */
  const bool packed = cas_problem_state_doubles(p) != (size_t)p->components;
  if (p->initial.ends.lanes || !(p->scheme.options.compensated || packed))
    return;
  cas_study_notice(
      r,
      "%s does not have what rounding took from the record at time %.10g: only a run of the "
      "same integrator with study.ends: true has, of its last record. The states agree with "
      "those of one run to rounding, but not bit for bit.",
      p->initial.source.file, o->time);
}

static cas_status go_on(cas_run_state *r, const origin *o, cas_error *err) {
  const cas_state_source *i = &r->run.problem.initial.source;
  const double n = o->time / r->run.plan.h[0];
  CAS_REFUSE(r->run.config, !same_step(r, o) || fabs(n - nearbyint(n)) > 1e-9 * fmax(n, 1), key,
             "found continue, but %s has no steps of study.step after which the "
             "record at time %.10g was made",
             i->file, o->time);
  CAS_REFUSE(r->run.config, !same_draws(r, o), key,
             "found continue, but a step of this run takes another number of random "
             "numbers than one of %s took: give the noise, forcing and scheme of that "
             "run, or another random.seed",
             i->file);
  CAS_REFUSE(
      r->run.config,
      !i->each && i->index.n > 1 && i->index.value[1] != 0 && cas_study_path_end(&r->run) <= 1, key,
      "found continue, but the record is of path %lld, and a path that is alone "
      "goes on with the noise of path 0: go on with all paths, by "
      "system.initial.each: path, or give another random.seed",
      (long long)i->index.value[1]);
  r->run.problem.normals.begin = o->of.first_step + llround(n);
  if (o->of.magnitude > 0)
    r->run.problem.initial.magnitude = o->of.magnitude;
  CAS_CALL(take_ends(r, llround(n), err));
  notice_lost(r, o);
  return CAS_OK;
}

static cas_status find(cas_run_state *r, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results of = {0};
  origin o = {.time = 0}; /* borrows texts of these results */
  bool same = repeats(r, &of, &o);
  if (same && wanted(r))
    return go_on(r, &o, err);
  CAS_REFUSE(r->run.config, wanted(r), key,
             "found continue, but system.initial is no record, after the first, of a "
             "run with this random.generator and random.seed");
  if (same && !r->run.problem.random.stream)
    cas_study_notice(
        r,
        "the initial state is the record at time %.10g of a run with the same "
        "random.generator and random.seed, whose noise this run repeats from its beginning: "
        "state and noise are not independent. Another random.seed makes them independent, "
        "random.stream: continue uses the noise that follows the record, and random.stream: "
        "begin suppresses this message.",
        o.time);
  return CAS_OK;
}

cas_status cas_continued_find(cas_run_state *r, cas_error *err) {
  const char *stream = r->run.problem.random.stream;
  CAS_REFUSE(r->run.config, stream && strcmp(stream, "begin") != 0 && !wanted(r), key,
             "found '%s', must be one of: begin, continue", stream);
  CAS_REFUSE(r->run.config, wanted(r) && (r->run.plan.levels > 1 || r->blocks_per_chunk == 0), key,
             "found continue, but study %s has several step sizes: only those of "
             "one go on with the noise of another",
             r->run.study->name);
  CAS_CALL(cas_agree(r->run.rank == 0 ? find(r, err) : CAS_OK, r->run.comm, err));
  cas_bcast(&r->run.problem.normals.begin, 1, MPI_INT64_T, 0, r->run.comm);
  cas_bcast(&r->run.problem.initial.magnitude, 1, MPI_DOUBLE, 0, r->run.comm);
  cas_initial_ends *e = &r->run.problem.initial.ends;
  cas_bcast(&e->lanes, 1, MPI_INT64_T, 0, r->run.comm);
  size_t size = 2 * (size_t)r->run.problem.components * (size_t)e->lanes * sizeof *e->values;
  return e->lanes ? cas_broadcast((void **)&e->values, &size, r->run.comm, err) : CAS_OK;
}
