#include "engine/study/study.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>

const cas_study_costs *cas_study_costs_of(const cas_study_run *r) {
  static const cas_study_costs none = {0};
  return r->study->costs ? r->study->costs : &none;
}

/* Paths of a chunk; where the study lists its chunks, their mean. */
static int64_t chunk_paths(const cas_run_state *r) {
  return r->blocks_per_chunk ? r->blocks_per_chunk * r->run.problem.W
                             : r->run.paths / r->run.chunks;
}

int64_t cas_study_path_end(const cas_study_run *r) { return r->first_path + r->paths; }

int64_t cas_study_full_chunks(const cas_run_state *r) {
  return r->blocks_per_chunk ? cas_study_path_end(&r->run) / chunk_paths(r) : r->run.chunks;
}

int64_t cas_study_chunk_in_sums(const cas_run_state *r, int64_t chunk) {
  return chunk < cas_study_full_chunks(r) ? chunk : CAS_STUDY_UNFILLED;
}

int64_t cas_study_remaining_chunks(const cas_run_state *r) {
  const cas_earlier_run *e = &r->earlier;
  return e->merged ? 0 : r->run.chunks - r->first_chunk - cas_sum_tree_chunks(&e->tree);
}

int64_t cas_study_remaining_chunk(const cas_run_state *r, int64_t i) {
  const cas_sum_tree *done = &r->earlier.tree;
  i += r->first_chunk;
  for (int k = 0; k < done->nodes && done->node[k]->first <= i; k++)
    i += done->node[k]->chunks;
  return i;
}

double cas_study_plan_steps(const cas_pass_plan *plan, const cas_problem *p,
                            double (*cost)(const cas_problem *p, int size)) {
  double steps = 0;
  for (int i = 0; i < plan->levels; i++)
    steps += (double)(plan->steps / plan->ratio[i]) * (cost ? cost(p, plan->size[i]) : 1);
  return steps;
}

cas_status cas_study_steps_check(const cas_study_run *r, const char *key, cas_error *err) {
  const cas_pass_plan *p = &r->plan;
  const cas_study_costs *k = cas_study_costs_of(r);
  const double most = 0x1p57, /* steps of all paths on all levels */
      steps = k->path_steps
                  ? k->path_steps(r)
                  : cas_study_plan_steps(p, &r->problem, cas_sizes_cost) * (double)r->paths;
  double horizon = p->h[0] * (double)(p->steps / p->ratio[0]);
  CAS_FAIL_IF(!(steps >= 1 && p->steps >= 1), CAS_INTERNAL,
              "the study takes no step: a defect of casimir");
  CAS_REFUSE(r->config, !isfinite(horizon), key,
             "asks for %lld steps of %g, and their end is no number in double "
             "precision: take smaller steps, or fewer",
             (long long)(p->steps / p->ratio[0]), p->h[0]);
  CAS_REFUSE(r->config, steps > most, key,
             "asks for %.3g steps of all %lld paths; must be at most 2^57 = %.2g, so "
             "that their iterations can be counted: take fewer paths, fewer steps or "
             "fewer levels",
             steps, (long long)r->paths, most);
  return CAS_OK;
}

void cas_study_notice(const cas_run_state *r, const char *format, ...) {
  char text[2300], shown[2300];
  va_list arguments;
  if (r->run.rank != 0 || !r->request->notice)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cas_text_show(shown, sizeof shown, text);
  r->request->notice(r->request->notice_context, shown);
}

void cas_study_show_progress(const cas_run_state *r, double share) {
  const cas_run_request *q = r->request;
  int64_t paths = cas_study_remaining_chunks(r) * chunk_paths(r);
  if (r->run.rank == 0 && q->progress)
    q->progress(q->progress_context, r->run.round, share,
                paths < r->run.paths ? paths : r->run.paths, MPI_Wtime() - r->round_begun);
}
