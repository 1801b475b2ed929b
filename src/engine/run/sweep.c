/* Parameter sweeps: many runs of one configuration by one communicator. Ranks form groups, each of
   which does one point after another, as it comes for them. */
#include "base/owned.h"
#include "base/text.h"
#include "engine/run/points.h"
#include "engine/run/run.h"
#include "engine/shares.h"
#include "language/config/keys.h"

#include <math.h>

/* ---- the points ---- */

typedef struct {
  const cas_sweep_request *request;
  cas_points points;
  char *stem;  /* of the names of files, owned */
  int *status; /* [points], owned: a cas_status of those of this rank's group, -1 of others */
  double begun;
  MPI_Comm comm, group; /* of all ranks; of ranks that do a point together */
  int rank, group_rank;
} sweep;

static char *file_of(const sweep *s, int64_t point) {
  char *name;
  int digits = snprintf(NULL, 0, "%lld", (long long)s->points.points);
  return asprintf(&name, "%s-%0*lld.h5", s->stem, digits, (long long)point + 1) < 0 ? NULL : name;
}

/* Takes the name of the output from the assignments: one name for the files of all points. */
static cas_status set_output(const cas_points *p, cas_config *c, cas_error *err) {
  for (int i = 0; i < p->keys; i++) {
    const cas_points_key *k = &p->key[i];
    CAS_OWNED char *assignment = NULL;
    if (strcmp(k->key, "output") != 0 && strcmp(k->key, "output.file") != 0)
      continue;
    CAS_FAIL_IF(k->values > 1, CAS_BAD_INPUT,
                "sweep: %s has %d values, must have one: the files of the points are "
                "FILE-1.h5, FILE-2.h5, .. of one name FILE",
                k->key, k->values);
    CAS_NEED(asprintf(&assignment, "%s=%s", k->key, k->value[0]) >= 0);
    CAS_CALL(cas_config_set(c, assignment, err));
  }
  return CAS_OK;
}

static cas_status find_points(sweep *s, cas_error *err) {
  const cas_sweep_request *a = s->request;
  CAS_OWNED_BY(cas_config_release) cas_config *c = NULL;
  CAS_CALL(cas_config_parse(a->text, a->size, a->run.configuration, &c, err));
  CAS_CALL(cas_points_create(c, a->set, a->sets, a->zip, &s->points, err));
  CAS_CALL(set_output(&s->points, c, err));
  const char *output = a->run.output ? a->run.output : cas_config_text(c, "output.file");
  CAS_FAIL_IF(!output || !output[0], CAS_BAD_INPUT,
              "the output is missing: name it by --output FILE or output.file");
  CAS_NEED((s->stem = strndup(output, cas_text_stem(output, ".h5"))));
  CAS_FAIL_IF(a->point > s->points.points, CAS_BAD_INPUT,
              "--point: found %lld, but the sweep has %lld points", (long long)a->point,
              (long long)s->points.points);
  return CAS_OK;
}

static void describe(const sweep *s, int64_t point, char *text, size_t size) {
  int used =
      snprintf(text, size, "point %lld of %lld", (long long)point + 1, (long long)s->points.points);
  char values[800], shown[800];
  cas_points_describe(&s->points, point, values, sizeof values);
  cas_text_show(shown, sizeof shown, values);
  if (values[0])
    snprintf(text + used, size - (size_t)used, ": %s", shown);
}

/* Whether this is the first of several points whose noise has other seeds. */
static bool sweeps_seed(const sweep *s, int64_t point) {
  for (int i = 0; i < s->points.keys; i++)
    if (strcmp(s->points.key[i].key, "random.seed") == 0 && s->points.key[i].values > 1)
      return point == 0 || s->request->point;
  return false;
}

/* The configuration of a point. The caller frees *c even on failure. */
static cas_status configure(const sweep *s, int64_t point, cas_config **c, cas_error *err) {
  const cas_sweep_request *a = s->request;
  *c = NULL;
  CAS_CALL(cas_config_parse(a->text, a->size, a->run.configuration, c, err));
  if (cas_config_has(*c, "sweep"))
    CAS_CALL(cas_config_set(*c, "sweep=null", err));
  return cas_points_set(&s->points, point, *c, err);
}

/* *before: an earlier run had done it; on the first rank of the group alone. */
static cas_status run_point(const sweep *s, int64_t point, bool *before, cas_error *err) {
  CAS_OWNED_BY(cas_config_release) cas_config *c = NULL;
  CAS_OWNED_BY(cas_results_free) cas_results results = {0};
  CAS_OWNED char *file = file_of(s, point);
  cas_run_request request = s->request->run;
  const bool limited = request.max_walltime > 0;
  request.output = file;
  request.max_walltime -= limited ? MPI_Wtime() - s->begun : 0;
  cas_bcast(&request.max_walltime, 1, MPI_DOUBLE, 0, s->group);
  request.replicate = sweeps_seed(s, point);
  request.notice = request.replicate ? request.notice : NULL;
  cas_status st = file ? configure(s, point, &c, err) : cas_no_memory(err);
  st = cas_agree(st, s->group, err);
  if (!st && limited && request.max_walltime <= 0) /* on all ranks of the group */
    st = cas_fail(err, CAS_INTERRUPTED, "not begun: --max-walltime is over");
  if (!st)
    st = cas_run(c, &request, s->group, &results, err);
  *before = results.complete; /* those of a file that was read */
  return st;
}

/* ---- mistakes that all points share ---- */

/* Reads and checks the configuration of a point, and computes nothing. */
static cas_status check_point(const sweep *s, int64_t point, cas_error *err) {
  CAS_OWNED_BY(cas_config_release) cas_config *c = NULL;
  CAS_OWNED char *file = file_of(s, point);
  const cas_run_request request = {.configuration = s->request->run.configuration,
                                   .output = file,
                                   .resume = s->request->run.resume};
  cas_status st = file ? configure(s, point, &c, err) : cas_no_memory(err);
  CAS_CALL(cas_agree(st, s->comm, err));
  CAS_OWNED_BY(cas_run_release) cas_run_state run;
  return cas_run_start(&run, c, &request, s->comm, err);
}

/* Refuses a configuration that is wrong in the same way at every point, so that this is said once.
   Collective; rank 0 has the texts. */
static cas_status refuse_shared_mistake(const sweep *s, cas_error *err) {
  cas_error first = {0};
  if (s->request->point || s->points.points < 2 || check_point(s, 0, &first) != CAS_BAD_INPUT)
    return CAS_OK;
  for (int64_t i = 1; i < s->points.points; i++) {
    cas_error other = {0};
    bool same = check_point(s, i, &other) == CAS_BAD_INPUT && strcmp(first.text, other.text) == 0;
    cas_bcast(&same, sizeof same, MPI_BYTE, 0, s->comm);
    if (!same)
      return CAS_OK;
  }
  return cas_fail(err, CAS_BAD_INPUT, "%s", first.text);
}

/* Tells the caller on the first rank of the group. What is wrong with a value that the point is
   described by is said behind it. */
static void tell(const sweep *s, int64_t point, cas_status st, const cas_error *err,
                 double seconds) {
  char text[1000];
  if (s->group_rank > 0 || !s->request->done)
    return;
  describe(s, point, text, sizeof text);
  s->request->done(s->request->done_context, text, st,
                   cas_points_message(&s->points, point, err->text), seconds);
}

static void do_point(sweep *s, int64_t point) {
  cas_error err = {0};
  double begun = MPI_Wtime();
  bool before = false;
  s->status[point] = run_point(s, point, &before, &err);
  tell(s, point, s->status[point], &err, before ? NAN : MPI_Wtime() - begun);
}

/* The first ranks of groups come for points, and tell the others. */
static cas_status do_points(sweep *s, MPI_Comm leaders, cas_error *err) {
  cas_shares shares;
  cas_share share = {0};
  bool leads = s->group_rank == 0, left = false;
  cas_status st = leads ? cas_shares_begin(&shares, s->points.points, leaders, err) : CAS_OK;
  st = cas_agree(st, s->comm, err);
  while (!st && !left) {
    if (leads && !cas_shares_next(&shares, &share))
      share = (cas_share){0};
    cas_bcast(&share, sizeof share, MPI_BYTE, 0, s->group);
    if (share.first == share.next)
      break;
    for (int64_t i = share.first; i < share.next && !left; i++) {
      do_point(s, i);
      left = s->status[i] == CAS_INTERRUPTED;
    }
  }
  if (!st && leads)
    cas_shares_end(&shares);
  return st;
}

static cas_status form_groups(sweep *s, MPI_Comm *leaders, cas_error *err) {
  const cas_sweep_request *a = s->request;
  int ranks;
  MPI_Comm_size(s->comm, &ranks);
  int64_t points = a->point ? 1 : s->points.points, groups = a->groups ? a->groups : points;
  if (groups > ranks)
    groups = ranks;
  int colour = (int)(s->rank * groups / ranks);
  CAS_FAIL_IF(MPI_Comm_split(s->comm, colour, s->rank, &s->group), CAS_INTERNAL,
              "MPI_Comm_split failed");
  MPI_Comm_rank(s->group, &s->group_rank);
  MPI_Comm_split(s->comm, s->group_rank == 0 ? 0 : MPI_UNDEFINED, s->rank, leaders);
  return CAS_OK;
}

static cas_status run_points(sweep *s, cas_error *err) {
  MPI_Comm leaders;
  CAS_CALL(form_groups(s, &leaders, err));
  cas_status st = CAS_OK;
  if (s->request->point)
    do_point(s, s->request->point - 1);
  else
    st = do_points(s, leaders, err);
  cas_allreduce(MPI_IN_PLACE, s->status, (int)s->points.points, MPI_INT, MPI_MAX, s->comm);
  if (leaders != MPI_COMM_NULL)
    MPI_Comm_free(&leaders);
  MPI_Comm_free(&s->group);
  return st;
}

/* ---- all ---- */

/* An interrupted point, or one that was not begun for that, decides the status, so that a script
   goes on; otherwise the first that failed. */
static cas_status summary(const sweep *s, cas_error *err) {
  cas_status worst = CAS_OK;
  int64_t missing = 0;
  bool resumed = false; /* whether another run may find more done */
  for (int64_t i = 0; i < s->points.points; i++) {
    if (s->request->point && i != s->request->point - 1)
      continue;
    cas_status st = s->status[i] < 0 ? CAS_INTERRUPTED : (cas_status)s->status[i];
    missing += st != CAS_OK;
    resumed |= st != CAS_OK && st != CAS_BAD_INPUT && st != CAS_CHECK_FAILED;
    if (worst == CAS_OK || st == CAS_INTERRUPTED)
      worst = st;
  }
  CAS_FAIL_IF(missing > 0, worst, "%lld of %lld points are not done, or failed a check%s",
              (long long)missing, (long long)s->points.points,
              resumed ? "; the same command with --resume does what is left" : "");
  return CAS_OK;
}

static void free_sweep(sweep *s) {
  cas_points_free(&s->points);
  free(s->stem);
  free(s->status);
}

static cas_status list_points(const sweep *s, cas_swept *out, cas_error *err) {
  char text[1000];
  out->point = calloc((size_t)s->points.points, sizeof *out->point);
  CAS_NEED(out->point);
  out->points = s->points.points;
  for (int64_t i = 0; i < out->points; i++) {
    cas_swept_point *p = &out->point[i];
    describe(s, i, text, sizeof text);
    p->status = s->status[i] < 0 ? CAS_INTERRUPTED : (cas_status)s->status[i];
    p->begun = s->status[i] >= 0;
    p->file = file_of(s, i);
    p->name = strdup(text);
    CAS_NEED(p->file && p->name);
  }
  return CAS_OK;
}

void cas_swept_free(cas_swept *s) {
  for (int64_t i = 0; i < s->points; i++) {
    free(s->point[i].file);
    free(s->point[i].name);
  }
  free(s->point);
  *s = (cas_swept){0};
}

cas_status cas_sweep(const cas_sweep_request *q, MPI_Comm comm, cas_swept *out, cas_error *err) {
  CAS_OWNED_BY(free_sweep) sweep s = {.request = q, .comm = comm, .begun = MPI_Wtime()};
  *out = (cas_swept){0};
  MPI_Comm_rank(comm, &s.rank);
  CAS_CALL(cas_agree(find_points(&s, err), comm, err));
  s.status = malloc((size_t)s.points.points * sizeof *s.status);
  CAS_CALL(cas_agree(s.status ? CAS_OK : cas_no_memory(err), comm, err));
  for (int64_t i = 0; i < s.points.points; i++)
    s.status[i] = -1;
  CAS_CALL(refuse_shared_mistake(&s, err));
  CAS_CALL(cas_agree(run_points(&s, err), comm, err));
  CAS_CALL(cas_agree(list_points(&s, out, err), comm, err));
  return summary(&s, err);
}
