/* Dry runs, and runs of one path alone. */
#include "base/owned.h"
#include "base/text.h"
#include "engine/output.h"
#include "engine/resume/store.h"
#include "engine/run/run.h"

#include <math.h>
#include <sys/resource.h>

/* ---- dry run ---- */

/* The finest level that approximates the path, unlike a level of swapped normals, the last. */
static int finest_of(const cas_pass_plan *plan) { return plan->paired ? 1 : plan->levels - 1; }

static void describe_levels(FILE *f, const cas_problem *p, const cas_pass_plan *plan) {
  int finest = finest_of(plan);
  for (int i = 0; i < plan->levels; i++) {
    char step[64];
    (void)cas_plan_level_text(p, plan, i, step);
    fprintf(f, "  %-10s %-10s %12lld steps a path\n",
            i < finest    ? "level"
            : i == finest ? "finest"
                          : "swapped",
            step, (long long)(plan->steps / plan->ratio[i]));
  }
}

static void format_bytes(char *text, size_t size, double bytes) {
  if (bytes < 1e6)
    snprintf(text, size, "%.1f kB", bytes / 1e3);
  else
    snprintf(text, size, "%.1f MB", bytes / 1e6);
}

static void describe_memory(FILE *f, const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  char text[32];
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  double blocks =
             (double)(k->block_bytes ? k->block_bytes(&r->run) : cas_pass_bytes(p, &r->run.plan)),
         study = k->bytes ? k->bytes(&r->run) : 0, tables = 0;
  for (int i = 0; p->system->parameters.bytes && i < (p->sizes ? p->sizes->n : 1); i++)
    tables +=
        (double)p->system->parameters.bytes((p->sizes ? p->sizes->problem[i] : p)->parameters.all);
  format_bytes(text, sizeof text, blocks + study + tables);
  fprintf(f, "  memory     %s on the first rank", text);
  format_bytes(text, sizeof text, blocks);
  fprintf(f, ": %s for its block of %d path%s%s", text, p->W, p->W > 1 ? "s" : "",
          k->block_bytes ? " of each level" : "");
  if (study > 0) {
    format_bytes(text, sizeof text, study);
    fprintf(f, ", %s for what is recorded", text);
  }
  if (tables > 0) {
    format_bytes(text, sizeof text, tables);
    fprintf(f, " and %s for tables of the system", text);
  }
  /* What this process has had resident at most, libraries and MPI included; it only runs dry. */
  struct rusage used;
  const double resident = getrusage(RUSAGE_SELF, &used) ? NAN : 1024 * (double)used.ru_maxrss;
  format_bytes(text, sizeof text, blocks + study + tables + resident);
  fprintf(f, "; with libraries about %s resident\n", text);
}

static void describe_file(FILE *f, double bytes, double space) {
  fprintf(f, "  file       about %.0f bytes (%.3g MB)", bytes, bytes / 1e6);
  if (isfinite(space))
    fprintf(f, ", of %.3g GB free", space / 1e9);
  fprintf(f, "\n");
}

/* How far the time of a run has been from what a dry run measured. */
static const double uncertainty = 1.25;

/* The time of the run, from an otherwise idle machine to the load during the measurement. */
static void describe_range(FILE *f, const cas_costs *c, double seconds, bool grows) {
  char low[64], high[64];
  cas_text_duration(low, sizeof low, seconds / uncertainty);
  cas_text_duration(high, sizeof high, seconds * c->load * uncertainty);
  fprintf(f, "  time       %s%s to %s", grows ? "of the pilot " : "", low, high);
}

/* Proposes tasks and time of a batch job: tasks that need about twenty minutes each, and a limit of
   whole ten minutes that leaves half as much again. */
static void describe_job(FILE *f, const cas_run_state *r, double core_seconds) {
  const double most = (double)(r->run.chunks - r->first_chunk),
               tasks = fmax(fmin(ceil(core_seconds / 1200), most), 1),
               minutes = 10 * ceil(1.5 * core_seconds / tasks / 600);
  fprintf(f, "  batch job  sbatch --ntasks=%.0f --time=%02.0f:%02.0f:00 jobs/study.sbatch ..\n",
          tasks, floor(minutes / 60), fmod(minutes, 60));
}

static void describe_time(FILE *f, const cas_run_state *r, const cas_costs *c, int64_t paths) {
  char text[64];
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  const int64_t W = r->run.problem.W;
  double blocks = (double)((paths + W - 1) / W); /* of rank 0 */
  if (k->path_steps) /* of levels with paths of their own: what gives its share of steps */
    blocks = k->path_steps(&r->run) /
             (cas_study_plan_steps(&r->run.plan, &r->run.problem, cas_sizes_cost) * (double)W) /
             r->run.ranks;
  const double records = c->records * blocks, all = c->steps * blocks + records + c->streams;
  const bool grows = k->grows && k->grows(&r->run);
  describe_range(f, c, all, grows);
  fprintf(f, " (%.3g ns a path and finest step on rank 0",
          c->steps / r->run.problem.W / (double)r->run.plan.steps * 1e9);
  if (records > 0.01 * all) {
    cas_text_duration(text, sizeof text, records);
    fprintf(f, "; %s of it for observables", text);
  }
  if (c->streams > 0.01 * all) {
    cas_text_duration(text, sizeof text, c->streams);
    fprintf(f, "; %s of it to open streams of %s", text, r->run.problem.noise.generator->name);
  }
  if (c->load > 1.1)
    fprintf(f, "; other work left it %.0f%% of a processor", 100 / c->load);
  fprintf(f, ")\n");
  if (!grows)
    describe_job(f, r, uncertainty * all * r->run.ranks);
}

/* Says what every path draws besides its noise, and what path 0 has drawn. */
static void describe_uncertain(FILE *f, const cas_problem *p) {
  const cas_uncertain *u = &p->parameters.uncertain->found;
  fprintf(f, "  uncertain  %d number%s of every path%s; path 0:", u->numbers,
          u->numbers == 1 ? "" : "s",
          cas_parameters_are_listed(p) ? ", from its row in a file" : ", by random.seed");
  CAS_OWNED double *value = malloc((size_t)u->numbers * sizeof *value);
  if (value)
    cas_parameters_draw(p, 0, 0, value);
  for (int i = 0; value && i < u->numbers && i < 4; i++)
    fprintf(f, "%s %s = %.6g", i ? "," : "", u->number[i].path, value[i]);
  fprintf(f, "%s\n", u->numbers > 4 ? ", .." : "");
}

/* Says which state of a stack is the initial one, or that every path has its own. */
static void describe_initial(FILE *f, const cas_problem *p) {
  const cas_ints *index = &p->initial.source.index;
  char shape[128];
  if (p->parameters.uncertain)
    describe_uncertain(f, p);
  if (p->initial.source.each)
    fprintf(f, "  initial    a state for each path, %s\n",
            p->initial.source.kind == CAS_STATE_FILE ? "from the stack" : "at random");
  if (p->initial.source.kind != CAS_STATE_FILE)
    return;
  cas_array_describe(&p->initial.x0_from, shape, sizeof shape);
  fprintf(f, "  initial    ");
  for (int k = 0; k < index->n; k++)
    fprintf(f, "%s%lld%s", k ? ", " : "[", (long long)index->value[k],
            k + 1 < index->n ? "" : "] of ");
  fprintf(f, "%s, %s, in %s\n", p->initial.source.dataset, shape, p->initial.source.file);
}

/* Counts the paths of the chunks of one rank, if all get as many. */
static int64_t paths_of_rank(const cas_run_state *r) {
  int64_t paths = (r->run.chunks - r->first_chunk + r->run.ranks - 1) / r->run.ranks *
                  r->blocks_per_chunk * r->run.problem.W;
  return paths < r->run.paths ? paths : r->run.paths;
}

/* Prints all but the time, which is not known before some steps were run. */
static void describe_run(const cas_run_state *r, double bytes, double space) {
  FILE *f = r->request->report;
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  const int64_t here = paths_of_rank(r), chunks = r->run.chunks - r->first_chunk,
                chunk = r->blocks_per_chunk * r->run.problem.W;
  fprintf(f, "This would run (nothing was computed or written):\n\n%s", r->effective);
  fprintf(f, "output:\n  file: %s\n\n", r->file ? r->file : "(none)");
  describe_levels(f, &r->run.problem, &r->run.plan);
  describe_initial(f, &r->run.problem);
  fprintf(f, "  kernels    %s\n", r->run.problem.kernels->name);
  fprintf(f, "  noises     %d\n", r->run.problem.normals.noises);
  fprintf(f, "  paths      %lld in %lld chunk%s", (long long)r->run.paths, (long long)chunks,
          chunks == 1 ? "" : "s");
  if (r->blocks_per_chunk)
    fprintf(f, " of %lld, on %d rank%s: %lld path%s on each, if they are equally fast",
            (long long)chunk, r->run.ranks, r->run.ranks > 1 ? "s" : "", (long long)here,
            here == 1 ? "" : "s");
  fprintf(f, "\n");
  describe_memory(f, r);
  if (k->describe)
    k->describe(f, &r->run);
  if (bytes > 0)
    describe_file(f, bytes, space);
  (void)fflush(f); /* steps of large systems take minutes */
}

/* ---- dry run of one path ---- */

typedef struct {
  cas_pass_plan plan;
  int64_t block;
  int lane;
} place;

static cas_status locate(const cas_run_state *r, place *p, cas_error *err) {
  int64_t path = *r->request->only_path;
  *p = (place){r->run.plan, path / r->run.problem.W, (int)(path % r->run.problem.W)};
  CAS_FAIL_IF(path < 0, CAS_BAD_INPUT, "--only-path: found %lld, must be 0 or more",
              (long long)path);
  const cas_study_costs *k = cas_study_costs_of(&r->run);
  if (k->locate)
    return k->locate(&r->run, path, &p->plan, &p->block, &p->lane, err);
  CAS_FAIL_IF(path < r->run.first_path || path >= cas_study_path_end(&r->run), CAS_BAD_INPUT,
              "--only-path: found %lld, but the study has paths %lld to %lld", (long long)path,
              (long long)r->run.first_path, (long long)cas_study_path_end(&r->run) - 1);
  return CAS_OK;
}

static void describe_single(const cas_run_state *r, const cas_pass_plan *plan, const cas_costs *c,
                            double bytes, double space) {
  FILE *f = r->request->report;
  if (!f)
    return;
  fprintf(
      f,
      "This would run path %lld of the following alone (nothing was computed or written):\n\n%s\n",
      (long long)*r->request->only_path, r->effective);
  describe_levels(f, &r->run.problem, plan);
  describe_initial(f, &r->run.problem);
  fprintf(f, "  kernels    %s\n", r->run.problem.kernels->name);
  if (r->request->output)
    describe_file(f, bytes, space);
  else
    fprintf(f, "  file       none: the path is printed; --output FILE keeps every step of it\n");
  describe_range(f, c, c->steps + c->streams, false);
  fprintf(f, ", on one rank\n");
}

static cas_status preview_path(cas_run_state *r, cas_error *err) {
  const char *file = r->request->output;
  double bytes = 0, space = INFINITY;
  cas_costs c = {0};
  place p;
  cas_status st = locate(r, &p, err);
  if (!st && r->run.rank == 0 && file)
    st = cas_path_file_check(r, &p.plan, file, &bytes, &space, err);
  if (!st && r->run.rank == 0)
    st = cas_costs_find_path(r, &p.plan, &c, err);
  st = cas_agree(st, r->run.comm, err);
  if (!st && r->run.rank == 0)
    describe_single(r, &p.plan, &c, bytes, space);
  return st;
}

cas_status cas_preview_run(cas_run_state *r, cas_error *err) {
  double bytes, space;
  cas_costs c;
  bool finished = false;
  if (r->request->only_path)
    return preview_path(r, err);
  CAS_CALL(cas_output_agree_allowed(r, err));
  if (r->request->resume)
    CAS_CALL(cas_store_resume(r, &finished, err));
  if (finished) {
    if (r->run.rank == 0 && r->request->report)
      fprintf(r->request->report, "%s is finished already: nothing would be computed.\n", r->file);
    return CAS_OK;
  }
  CAS_CALL(cas_output_check_space(r, &bytes, &space, err));
  const bool reports = r->run.rank == 0 && r->request->report;
  if (reports)
    describe_run(r, bytes, space);
  CAS_CALL(cas_agree(cas_costs_find(r, &c, err), r->run.comm, err));
  if (reports)
    describe_time(r->request->report, r, &c, paths_of_rank(r));
  return CAS_OK;
}

/* ---- one path ---- */

/* The state of a path, as files and `system.initial` have it. */
static void print_state(FILE *f, const cas_problem *p, const double *x, int lane) {
  const size_t n = cas_problem_state_doubles(p), components = (size_t)p->components;
  CAS_OWNED double *packed = malloc((components + n) * sizeof *packed);
  if (!packed)
    return;
  const double *state = packed + components;
  cas_problem_state_put(p, x + lane, packed, packed + components);
  for (size_t k = 0; k < n; k++)
    fprintf(f, " %.17g", state[k]);
}

static void describe_level(FILE *f, cas_pass *s, int i, int lane) {
  const cas_pass_plan *plan = s->plan;
  const cas_level *l = &s->level[i];
  const cas_problem *p = l->problem;
  int finest = finest_of(plan);
  double *out = l->coef; /* free after the last step */
  char step[64];
  (void)cas_plan_level_text(s->problem, plan, i, step);
  CAS_OWNED double *cut = calloc((size_t)p->components, sizeof *cut);
  *out = NAN;
  if (cut)
    cas_level_distance2(l, &s->level[finest], l->x, s->level[finest].x, cut, out);
  fprintf(f,
          "%s%s: distance from the finest level %.6e, Casimir drift %.2e, iterations %.2f mean "
          "%.0f max, "
          "%.0f not converged, %.0f clipped\n  state",
          step,
          i == finest                                           ? " (finest)"
          : i > finest && plan->ratio[i] == 1 && !plan->twin[i] ? " (finest)"
          : i > finest && plan->ratio[i] == 1                   ? " (finest, swapped)"
          : i > finest                                          ? " (swapped)"
                                                                : "",
          sqrt(out[lane]), l->drift[lane],
          l->tally.iterations[lane] * (double)plan->ratio[i] / (double)plan->steps,
          l->tally.iterations_max[lane], l->tally.not_converged[lane], l->tally.clipped[lane]);
  print_state(f, p, l->x, lane);
  fprintf(f, "\n ");
  for (const cas_functional *g = p->system->functionals; g->name; g++) {
    cas_parameters_value(p, g, 1, l->x, out);
    fprintf(f, " %s %.10g", g->name, out[lane]);
  }
  fprintf(f, "\n");
}

static cas_status describe_path(cas_run_state *r, cas_pass *s, int lane, cas_error *err) {
  FILE *f = r->request->report;
  int failed = cas_pass_failed_level(s, lane);
  char step[64];
  if (f) {
    fprintf(f, "path %lld of %s, seed %d, at time %.10g\n\n", (long long)*r->request->only_path,
            r->run.problem.noise.generator->name, r->run.problem.noise.seed,
            s->plan->h[0] * (double)(s->plan->steps / s->plan->ratio[0]));
    const cas_problem *p = s->problem;
    for (int i = 0; s->lanes && i < p->parameters.uncertain->found.numbers; i++)
      fprintf(f, "%s = %.17g\n", p->parameters.uncertain->found.number[i].path,
              s->lanes->drawn[i * p->W + lane]);
    for (int i = 0; i < s->plan->levels; i++)
      describe_level(f, s, i, lane);
    if (r->request->output && r->file)
      fprintf(f, "\nevery step of it is in %s\n", r->request->output);
  }
  if (failed < 0)
    return CAS_OK;
  (void)cas_plan_level_text(s->problem, s->plan, failed, step);
  return cas_fail(err, CAS_CHECK_FAILED, "path %lld failed at step size %s: %s",
                  (long long)*r->request->only_path, step,
                  cas_failure_text(cas_pass_cause(s, failed, lane)));
}

/* Integrates the block, and with --output keeps all that the path does in that file. */
static cas_status run_path(cas_run_state *r, cas_pass *s, int64_t block, int lane, cas_error *err) {
  const char *file = r->request->output ? r->file : NULL;
  cas_path_recorder *recorder = NULL;
  cas_status st =
      file ? cas_path_file_record(r, s, *r->request->only_path, lane, file, &recorder, err)
           : CAS_OK;
  if (!st)
    st = cas_pass_run(s, block, recorder ? cas_path_file_observe : NULL, recorder, err);
  return cas_path_file_close(recorder, s, st, err);
}

static cas_status preview_on_one(cas_run_state *r, const place *p, cas_error *err) {
  CAS_OWNED_BY(cas_pass_free) cas_pass pass = {0};
  CAS_CALL(cas_pass_create(&r->run.problem, &p->plan, &pass, err));
  CAS_CALL(run_path(r, &pass, p->block, p->lane, err));
  return describe_path(r, &pass, p->lane, err);
}

cas_status cas_preview_path(cas_run_state *r, cas_error *err) {
  place p;
  CAS_CALL(locate(r, &p, err));
  return cas_agree(r->run.rank == 0 ? preview_on_one(r, &p, err) : CAS_OK, r->run.comm, err);
}
