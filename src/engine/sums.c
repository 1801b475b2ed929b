#include "engine/sums.h"
#include "base/owned.h"
#include "engine/chunks.h"
#include "engine/outcome.h"
#include "engine/output.h"

#include <math.h>

const double *cas_sums_group(const cas_study_run *r, int group) {
  return cas_summary_group(r->sums->shape, r->sums->summary, group);
}

int64_t cas_sums_paths(const cas_study_run *r) { return (int64_t)cas_sums_group(r, 0)[0]; }

double cas_sums_mean(const cas_study_run *r, int quantity) {
  const double *moments = cas_sums_group(r, 0);
  return moments[0] > 0 ? moments[1 + quantity] : NAN;
}

double cas_sums_standard_error(const cas_study_run *r, int quantity) {
  const double *moments = cas_sums_group(r, 0), n = moments[0];
  return n > 1 ? sqrt(moments[1 + r->sums->shape.quantities + quantity] / (n - 1) / n) : NAN;
}

void cas_sums_path_groups(const cas_study_run *r, int quantity, int64_t *paths, double *mean) {
  for (int g = 0; g < r->path_groups; g++) {
    const double *of = cas_summary_mean(r->sums->shape, r->sums->summary, g);
    paths[g] = (int64_t)of[0];
    mean[g] = of[0] > 0 ? of[1 + quantity] : NAN;
  }
}

/* What the blocks of a rank share: a checkpoint keeps both arrays, in one piece. */
typedef struct {
  const cas_study_run *run;
  const cas_study_sums *study;
  cas_summary_shape shape;
  double *value;    /* [sizes.values] of a block */
  double *quantity; /* [shape.quantities] of a path */
} block_sums;

static cas_status observe(void *context, cas_pass *s, int64_t observation,
                          cas_error *err CAS_UNUSED) {
  const block_sums *b = context;
  b->study->observe(b->run, s, observation, b->value);
  return CAS_OK;
}

static cas_status sum_block(void *context, cas_pass *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err) {
  block_sums *b = context;
  const int64_t first = block * s->problem->W;
  CAS_CALL(cas_pass_run(s, block, b->study->observe ? observe : NULL, b, err));
  if (b->study->finish)
    b->study->finish(b->run, s, b->value);
  for (int lane = 0; lane < active; lane++) {
    b->study->collect(b->run, b->value, lane, b->quantity);
    if (!cas_pass_admits(s, lane, b->shape.quantities, b->quantity))
      continue;
    cas_summary_add(b->shape, chunk, (int)((first + lane) % b->shape.groups), b->quantity);
    cas_summary_add_mean(b->shape, chunk, first + lane, b->quantity);
  }
  cas_pass_health(s, first, 0, active, chunk);
  return CAS_OK;
}

/* On rank 0. */
static cas_status write_results(cas_run_state *r, const struct cas_sums *sums, cas_results *out,
                                cas_error *err) {
  const cas_study_sums *study = &r->run.study->sums;
  cas_study_run concluded = r->run;
  concluded.sums = sums;
  CAS_CALL(cas_outcome_fill(r, sums->shape, sums->summary, out, err));
  CAS_CALL(study->conclude(&concluded, out, err));
  return cas_output_write_and_extend(r, study->extend, out, err);
}

cas_status cas_sums_run(cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_study_sums *study = &r->run.study->sums;
  size_t doubles = 0;
  int quantities = 0;
  study->sizes(&r->run, &doubles, &quantities);
  const size_t size = (doubles + (size_t)quantities) * sizeof(double);
  const int groups = study->groups ? CAS_SUMMARY_GROUPS : 1;
  block_sums b = {.run = &r->run,
                  .study = study,
                  .shape = {.quantities = quantities,
                            .levels = r->run.plan.levels,
                            .groups = groups,
                            .means = (int16_t)r->run.path_groups}};
  CAS_OWNED cas_summary *total = NULL;
  CAS_OWNED double *value = b.value = calloc(1, size);
  CAS_CALL(cas_agree(value ? CAS_OK : cas_no_memory(err), r->run.comm, err));
  b.quantity = value + doubles;
  const cas_block_work work = {
      .block = sum_block, .context = &b, .memory = value, .memory_size = size, .extendable = true};
  CAS_CALL(cas_chunks_run(r, b.shape, &work, &total, err));
  const struct cas_sums sums = {total, b.shape};
  cas_status st = r->run.rank == 0 ? write_results(r, &sums, out, err) : CAS_OK;
  return cas_agree(st, r->run.comm, err);
}
