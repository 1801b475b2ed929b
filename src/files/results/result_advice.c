/* Options of `casimir run` that resolve what is not: another study where errors against a reference
   are noise, more or smaller steps where these are too few or too large, less clipping where that
   makes outliers, or more paths. They run as they are, behind the command of the run. */
#include "files/results/result.h"

#include <casimir/config.h>

#include <inttypes.h>
#include <math.h>

typedef struct {
  const cas_results *results;
  const cas_config *effective;
  char *text;
  size_t size;
} adviser;

static void set(const adviser *to, const char *assignment, double x) {
  cas_append(to->text, to->size, "%s--set %s%.15g", to->text[0] ? " " : "", assignment, x);
}

static void set_text(const adviser *to, const char *assignment) {
  cas_append(to->text, to->size, "%s--set %s", to->text[0] ? " " : "", assignment);
}

/* The number behind a key of the effective configuration, 0 if there is none. */
static double configured(const adviser *of, const char *key) {
  const char *text = cas_config_text(of->effective, key);
  return text ? strtod(text, NULL) : 0;
}

/* Whether the configuration of the run has a key. Of runs whose configuration is not known, such as
   merged ones, it is what differs from the default. */
static bool is_given(const adviser *of, const char *key, const char *fallback) {
  const char *given = of->results->provenance.given, *at = given,
             *value = cas_config_text(of->effective, key);
  while (at && (at = strstr(at, key)))
    if (at[-1] == '\n' && strchr(":.[", at[strlen(key)]))
      return true;
    else
      at++;
  return !given && cas_config_has(of->effective, key) &&
         !(value && fallback && strcmp(value, fallback) == 0);
}

/* What the rows lack that are not resolved. */
typedef struct {
  bool weak;     /* some are weak errors with noise in them */
  bool any;      /* something helps */
  bool coarse;   /* steps are too large for any law */
  bool outliers; /* a few paths dominate */
  int levels;    /* step sizes that an order takes more than there are */
  double seen;   /* least standard errors between a leading term and 0 */
} lack;

/* As if 5 standard errors made the interval as narrow as it takes. */
static double seen_of(const cas_remark *m) {
  const cas_law h = cas_laws_headline(&m->curve->laws);
  const double half = (h.high - h.low) / 2, wanted = 0.3;
  if (isfinite(m->seen))
    return fmax(m->seen, 0.5);
  return isfinite(half) && half > 0 ? 5 * wanted / half : 1;
}

static lack find_lack(const cas_answers *a) {
  lack l = {.seen = INFINITY};
  for (int i = 0; i < a->rows; i++) {
    const cas_remark *m = &a->remark[i];
    if (m->judgement != CAS_UNRESOLVED || !cas_answers_count(a, i) ||
        cas_findings_have(m->curve->findings, CAS_ALL_ROUNDING) ||
        (isnan(m->row.theory) && isfinite(cas_laws_headline(&m->curve->laws).high)))
      continue;
    l.any = true;
    l.weak |= i >= a->strong && m->random;
    l.outliers |= cas_findings_have(m->curve->findings, CAS_OUTLIERS);
    if (cas_findings_have(m->curve->findings, CAS_TOO_FEW_LEVELS))
      l.levels = (int)fmax(l.levels, m->curve->laws.least - m->curve->laws.points);
    else if (m->lawless)
      l.coarse = true;
    else if (m->random)
      l.seen = fmin(l.seen, seen_of(m));
  }
  return l;
}

/* A study of its own noise: the keys of the other study that it does not have are taken away. */
static void advise_multilevel(const adviser *to, const lack *l) {
  static const char *const foreign[][2] = {
      {"study.reference", NULL}, {"study.first_path", "0"}, {"study.strong", "true"}};
  enum { LEAST = 5 }; /* differences with a degree of freedom left */
  const double truncation = configured(to, "integrator.truncation");
  char away[64];
  set_text(to, "study.kind=weak_multilevel");
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (is_given(to, foreign[i][0], foreign[i][1])) {
      snprintf(away, sizeof away, "%s=null", foreign[i][0]);
      set_text(to, away);
    }
  if (l->levels > 0)
    set(to, "study.levels=", LEAST);
  if (truncation > 0 && truncation < 4)
    set_text(to, "integrator.truncation=4");
}

/* One step size more than an order takes, which leaves a degree of freedom. */
static void advise_levels(const adviser *to, const lack *l) {
  const char *nested = "study.reference.level", *alone = "study.reference";
  const double levels = configured(to, "study.levels") + l->levels + 1,
               reference = fmax(configured(to, alone), configured(to, nested));
  set(to, "study.levels=", levels);
  if (reference > 0 && reference < levels + 2)
    set(to, configured(to, nested) > 0 ? "study.reference.level=" : "study.reference=", levels + 2);
}

/* Appends sizes to those of the levels, and leaves out some of the coarsest. */
static void advise_sizes(const adviser *to, int more, int fewer) {
  const cas_results *r = to->results;
  const int n = (int)r->levels + 1;
  const double ratio = (double)cas_results_size(r, 1) / (double)cas_results_size(r, 0);
  const bool odd = cas_results_size(r, 0) % 2 && cas_results_size(r, 1) % 2;
  double last = (double)cas_results_size(r, n - 1);
  if (cas_config_has(to->effective, "study.paths_by_level")) /* as many as there are levels */
    return;
  char assignment[300] = "'study.refine.N=[";
  for (int l = fewer; l < n; l++)
    cas_append(assignment, sizeof assignment, "%s%" PRId64, l > fewer ? "," : "",
               cas_results_size(r, l));
  for (int k = 0; k < more; k++) {
    last = nearbyint(ratio * last);
    last += odd && fmod(last, 2) == 0; /* as the torus has it */
    cas_append(assignment, sizeof assignment, ",%.0f", last);
  }
  cas_append(assignment, sizeof assignment, "]'");
  set_text(to, assignment);
  set(to, "system.N=", last);
  for (const char *const *key =
           (const char *const[]){"study.levels", "study.reference", "study.max_levels", NULL};
       *key; key++)
    if (is_given(to, *key, NULL)) {
      snprintf(assignment, sizeof assignment, "%s=null", *key);
      set_text(to, assignment);
    }
}

/* All steps one level smaller, at the same horizon. */
static void advise_finer(const adviser *to) {
  const cas_results *r = to->results;
  const double refinement = (double)cas_results_refinement(r);
  char step[32], assignment[80];
  cas_step_format(r->step[0] / refinement, step, sizeof step);
  if (strncmp(step, "2^", 2) != 0) /* its digits may be fewer than it has */
    return;
  snprintf(assignment, sizeof assignment, "study.coarsest_step=%s", step);
  set_text(to, assignment);
  if (configured(to, "study.coarsest_steps") > 0)
    set(to, "study.coarsest_steps=", (double)r->steps[0] * refinement);
}

static void advise_paths(const adviser *to, double seen) {
  const double factor = fmin(fmax(ceil(25 / (seen * seen)), 4), 100),
               paths = configured(to, "study.paths"),
               relative = configured(to, "study.relative_error");
  if (paths > 0)
    set(to, "study.paths=", factor * paths);
  else if (relative > 0) {
    set(to, "study.relative_error=", relative / 4);
    set(to, "study.max_paths=", 16 * configured(to, "study.max_paths"));
  } else if (cas_config_has(to->effective, "study.paths_by_level")) {
    const cas_multilevel *m = cas_results_multilevel(to->results);
    char assignment[900] = "'study.paths_by_level=[";
    for (int l = 0; m && l < m->levels; l++)
      cas_append(assignment, sizeof assignment, "%s%.15g", l ? "," : "",
                 factor * (double)m->paths[l]);
    cas_append(assignment, sizeof assignment, "]'");
    set_text(to, assignment);
  }
}

static void advise(const adviser *to, const lack *l) {
  const cas_provenance *p = &to->results->provenance;
  const char *kind = p->study ? p->study : "";
  const double truncation = configured(to, "integrator.truncation");
  const bool against_reference = strcmp(kind, "weak") == 0 || strcmp(kind, "convergence") == 0;
  const bool sized = to->results->time_step;
  if (sized && (l->levels > 0 || l->coarse))
    advise_sizes(to, l->levels > 0 ? l->levels : 1, l->levels > 0 ? 0 : 1);
  else if (sized && isfinite(l->seen))
    advise_paths(to, l->seen);
  else if (l->weak && against_reference && !p->reference_integrator)
    advise_multilevel(to, l);
  else if (l->levels > 0)
    advise_levels(to, l);
  else if (l->coarse)
    advise_finer(to);
  else if (l->outliers && truncation > 0 && truncation < 4)
    set_text(to, "integrator.truncation=4");
  else if (isfinite(l->seen))
    advise_paths(to, l->seen);
}

void cas_answers_advise(const cas_results *r, const cas_answers *a, cas_frame *f) {
  const char *text = r->provenance.configuration;
  const lack l = find_lack(a);
  cas_config *c = NULL;
  cas_error err;
  if (f->judgement == CAS_UNRESOLVED && l.any && r->provenance.ranks > 0 && text &&
      !cas_config_parse(text, strlen(text), "configuration", &c, &err) &&
      /* paths may be as many as a file has states or normals for */
      !cas_config_has(c, "random.file") && !cas_config_has(c, "system.initial.file")) {
    const adviser to = {r, c, f->advice, sizeof f->advice};
    advise(&to, &l);
  }
  cas_config_free(c);
}
