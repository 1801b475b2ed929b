#include "engine/output.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "base/text.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"

#include <limits.h>
#include <math.h>

/* Files that runs keep beside their results, and the results. */
static const struct {
  const char *ending;
  cas_leftover kind;
} beside[] = {{".lock", CAS_LEFTOVER_LOCK},
              {".probe", CAS_LEFTOVER_RESERVATION},
              {".reserved", CAS_LEFTOVER_RESERVATION},
              {".checkpoint.previous", CAS_LEFTOVER_CHECKPOINT},
              {".checkpoint.tmp", CAS_LEFTOVER_CHECKPOINT},
              {".checkpoint", CAS_LEFTOVER_CHECKPOINT},
              {".tmp", CAS_LEFTOVER_RESULTS},
              {"", CAS_LEFTOVER_RESULTS}};
enum {
  BESIDE = sizeof beside / sizeof *beside,
  CLAIMED = 5 /* the first of them, which only this file checks */
};

static cas_status check_name(const char *file, cas_error *err) {
  for (int i = 0; i < BESIDE - 1; i++)
    CAS_FAIL_IF(file[cas_text_stem(file, beside[i].ending)], CAS_BAD_INPUT,
                "%s: names that end in %s are for what runs keep beside their results; choose "
                "another output.",
                file, beside[i].ending);
  return CAS_OK;
}

/* Refuses an output if one of these files would take the place of an input. */
static cas_status check_input(const char *file, const char *input, const char *what,
                              cas_error *err) {
  char name[PATH_MAX];
  if (!input)
    return CAS_OK;
  for (int i = 0; i < BESIDE; i++)
    CAS_FAIL_IF(snprintf(name, sizeof name, "%s%s", file, beside[i].ending) < (int)sizeof name &&
                    cas_file_is_same(name, input),
                CAS_BAD_INPUT,
                "%s: is %s of this run, which would replace it; choose another output.", name,
                what);
  return CAS_OK;
}

static cas_status check_array(void *context, const char *key, cas_array_source *a, cas_error *err) {
  const cas_run_state *r = context;
  char what[240];
  snprintf(what, sizeof what, "the file of %s", key);
  return check_input(r->file, a->file, what, err);
}

cas_status cas_output_allowed(const cas_run_state *r, cas_error *err) {
  const cas_problem *p = &r->run.problem;
  CAS_CALL(check_name(r->file, err));
  CAS_CALL(check_input(r->file, r->request->configuration, "the configuration", err));
  if (p->initial.source.kind == CAS_STATE_FILE)
    CAS_CALL(check_input(r->file, p->initial.source.file, "the initial state", err));
  CAS_CALL(cas_input_visit_all(p->system->parameters.options, "system", p->parameters.all,
                               check_array, (void *)r, err));
  if (p->noise.generator->replayed)
    CAS_CALL(check_input(r->file, p->random.file, "the file of normals", err));
  CAS_CALL(cas_file_check_output(r->file, err));
  /* Files beside the output may replace what a run has left there, and nothing else. */
  char name[PATH_MAX];
  for (int i = 0; i < CLAIMED; i++)
    if (snprintf(name, sizeof name, "%s%s", r->file, beside[i].ending) < (int)sizeof name)
      CAS_CALL(cas_leftover_check(name, beside[i].kind, err));
  bool again = r->request->resume && cas_checkpoint_exists(r->checkpoint);
  return cas_results_replaceable(r->file, again, err);
}

cas_status cas_output_agree_allowed(const cas_run_state *r, cas_error *err) {
  return cas_agree(r->run.rank == 0 && r->file ? cas_output_allowed(r, err) : CAS_OK, r->run.comm,
                   err);
}

cas_status cas_output_check_space(const cas_run_state *r, double *bytes, double *space,
                                  cas_error *err) {
  cas_status st = CAS_OK;
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  *bytes = k->file_bytes ? k->file_bytes(&r->run) : 0;
  *space = INFINITY;
  if (r->run.rank == 0 && r->file)
    st = cas_file_check_space(r->file, *bytes, space, err);
  return cas_agree(st, r->run.comm, err);
}

static char *reserve_name(const cas_run_state *r) {
  char *name;
  return asprintf(&name, "%s.reserved", r->file) < 0 ? NULL : name;
}

cas_status cas_output_reserve(cas_run_state *r, cas_error *err) {
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  const double bytes = k->late_bytes ? k->late_bytes(&r->run) : 0;
  if (bytes <= 0)
    return CAS_OK;
  CAS_OWNED char *name = reserve_name(r);
  CAS_NEED(name);
  CAS_CALL(cas_file_write(name, CAS_LEFTOVER_RESERVATION, r->file, NULL, 0, err));
  r->reserved = true;
  return cas_file_reserve(name, (int64_t)bytes, err);
}

void cas_output_release(cas_run_state *r) {
  CAS_OWNED char *name = r->reserved ? reserve_name(r) : NULL;
  if (name)
    unlink(name);
  r->reserved = false;
}

cas_status cas_output_write(const cas_run_state *r, const cas_results *out, cas_error *err) {
  CAS_NEED(!cas_scratch_is_missing()); /* a fit or an observable did without its memory */
  return r->file ? cas_results_write(out, r->file, err) : CAS_OK;
}

cas_status cas_output_write_and_extend(const cas_run_state *r, cas_study_extension *extend,
                                       cas_results *out, cas_error *err) {
  bool added = false;
  CAS_CALL(cas_output_write(r, out, err));
  if (extend)
    CAS_CALL(extend(&r->run, out, &added, err));
  return added ? cas_output_write(r, out, err) : CAS_OK;
}
