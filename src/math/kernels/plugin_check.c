/* Checks of loaded tables: null pointers or numbers out of range would end the program later. */
#include "base/owned.h"
#include "language/config/keys.h"
#include "language/expressions/expression.h"
#include "math/kernels/kernels.h"
#include "math/kernels/plugin.h"

enum { MOST_LANES = 1024, MOST_NUMBERS = 1 << 24, BEYOND = 64 };

/* Files and reports have such texts as they are. */
static bool is_line(const char *text) {
  while (text && *text && (unsigned char)*text >= ' ' && *text != '\177')
    text++;
  return text && !*text;
}

static bool has_other(const cas_functional *f, const cas_functional *of) {
  while (f->name && (f->value == of->value || strcmp(f->name, of->name) != 0))
    f++;
  return f->name;
}

/* What is wrong with a list of functionals or observables, or NULL; `also`: the other list. */
static const char *check_functionals(const cas_functional *list, const cas_functional *also) {
  for (const cas_functional *f = list; f->name; f++) {
    if (!f->name[0] || !is_line(f->summary) || !is_line(f->unit) || !f->value)
      return "a functional or an observable has no name, summary, unit or value, or one of several "
             "lines";
    if (cas_expression_bad_name(f->name))
      return "the name of a functional or an observable is none that expressions can use: of at "
             "most 40 letters, digits and _, beginning with a letter";
    if (has_other(f + 1, f) || has_other(also, f))
      return "two functionals or observables have one name";
  }
  return NULL;
}

static const char *missing_member(const cas_system *s) {
  const struct {
    bool there;
    const char *what;
  } required[] = {
      {s->name && s->name[0], "name"},
      {is_line(s->summary), "summary, of one line"},
      {is_line(s->source), "source, of one line"},
      {s->parameters.options, "parameters.options"},
      {s->parameters.size, "parameters.size"},
      {s->blocks.body, "blocks.body"},
      {s->space.n || s->space.geometry, "space.n or .geometry"},
      {s->noise.number, "noise.number"},
      {s->noise.always_commuting || s->noise.commuting, "noise.always_commuting or .commuting"},
      {s->state.names || s->state.components, "state.names or .components"},
      {is_line(s->state.unit), "state.unit, of one line"},
      {s->psi.doubles || s->psi.coefficients, "psi.doubles or .coefficients"},
      {s->psi.prepare, "psi.prepare"},
      {s->functionals, "functionals"},
      {s->observables && s->observables[0].name, "observables"},
      {!s->blocks.one_path || s->blocks.path_body, "blocks.path_body"},
      {!s->state.shape || (s->state.pack && s->state.unpack),
       "state.pack and .unpack, which .shape needs"}};
  for (size_t i = 0; i < sizeof required / sizeof *required; i++)
    if (!required[i].there)
      return required[i].what;
  return NULL;
}

static cas_status check_system(const char *file, const cas_system *s, cas_error *err) {
  const char *missing = missing_member(s), *wrong = NULL;
  CAS_FAIL_IF(missing, CAS_BAD_INPUT, "%s: the table of its system has no %s", file, missing);
  CAS_FAIL_IF(s->blocks.lanes < 16 || s->blocks.lanes % 16 || s->blocks.lanes > MOST_LANES,
              CAS_BAD_INPUT,
              "%s: the table of its system has %d lanes, must be a multiple of 16 from 16 to %d",
              file, s->blocks.lanes, MOST_LANES);
  wrong = check_functionals(s->functionals, s->observables);
  wrong = wrong ? wrong : check_functionals(s->observables, s->functionals);
  wrong = wrong || !cas_expression_bad_name(s->name) ? wrong : "the name is no name";
  wrong = wrong || s->parameters.size <= MOST_NUMBERS ? wrong : "parameters.size is too large";
  CAS_FAIL_IF(wrong, CAS_BAD_INPUT, "%s: in the table of its system %s", file, wrong);
  cas_error why = {0};
  cas_status st = cas_option_table_check(s->parameters.options, s->parameters.size, &why);
  return st ? cas_fail(err, st == CAS_NO_MEMORY ? st : CAS_BAD_INPUT,
                       "%s: in the table of its system %s", file, why.text)
            : CAS_OK;
}

static cas_status check_schemes(const char *file, const cas_plugin_schemes *s, cas_error *err) {
  bool any = s->integrators && s->integrators[0] && s->group && s->one_path;
  CAS_FAIL_IF(!any, CAS_BAD_INPUT, "%s: holds no scheme", file);
  for (const cas_integrator *const *i = s->integrators; *i; i++)
    CAS_FAIL_IF(!(*i)->name || cas_expression_bad_name((*i)->name) || !is_line((*i)->summary) ||
                    !is_line((*i)->source) || !((*i)->scale > 0) || (*i)->arrays < 0,
                CAS_BAD_INPUT,
                "%s: its scheme has no name, summary, source or scale above 0, texts of "
                "several lines, or a negative number of arrays",
                file);
  return CAS_OK;
}

static const cas_algebra *find_algebra(const cas_kernels *k, const cas_body *b) {
  return b && b->algebra ? cas_kernels_find(k->algebras, b->algebra) : NULL;
}

/* The body for zeroed parameters, as for `describe`. Code for another processor is not run. */
static cas_status check_body(const char *file, const cas_system *s, cas_error *err) {
  CAS_OWNED void *zeroed = calloc(1, s->parameters.size);
  CAS_NEED(zeroed);
  bool found = find_algebra(cas_kernels_get(), s->blocks.body(zeroed));
  return found ? CAS_OK
               : cas_fail(err, CAS_BAD_INPUT,
                          "%s: blocks.body() gives no steps for an algebra of this casimir, with "
                          "parameters that are 0",
                          file);
}

cas_status cas_plugin_check(const char *file, const cas_plugin *p, cas_error *err) {
  bool any = false;
  for (int i = 0; i < CAS_PLUGIN_SETS && p->set[i].kernels; i++) {
    if (p->set[i].system)
      CAS_CALL(check_system(file, p->set[i].system, err));
    if (p->set[i].system && strcmp(p->set[i].kernels, cas_kernels_get()->name) == 0)
      CAS_CALL(check_body(file, p->set[i].system, err));
    if (p->set[i].schemes)
      CAS_CALL(check_schemes(file, p->set[i].schemes, err));
    any = any || p->set[i].system || p->set[i].schemes;
  }
  return any ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT,
                        "%s: its source exports no system; its last line is to be "
                        "CAS_PLUGIN_SYSTEM(NAME)",
                        file);
}

/* ---- with parameters ---- */

/* Refuses a prepare() that writes behind the doubles that it is to fill. */
static cas_status check_prepare(const cas_system *s, const void *parameters, int W, int noises,
                                cas_error *err) {
  const size_t lanes = (size_t)W, promised = (size_t)cas_system_coefficients(s, parameters) * lanes,
               all = promised + BEYOND * lanes;
  CAS_OWNED double *coef = aligned_alloc(64, (all * sizeof *coef + 63) / 64 * 64);
  CAS_OWNED double *dw = calloc((size_t)noises * lanes + 1, sizeof *dw);
  unsigned char pattern = 0xA5;
  bool kept = true;
  CAS_NEED(coef && dw);
  memset(coef, pattern, all * sizeof *coef);
  s->psi.prepare(parameters, W, 0x1p-10, dw, coef);
  const unsigned char *bytes = (const unsigned char *)(coef + promised);
  for (size_t i = 0; i < BEYOND * lanes * sizeof *coef; i++)
    kept &= bytes[i] == pattern;
  return kept ? CAS_OK
              : cas_fail(err, CAS_BAD_INPUT,
                         "psi.prepare() writes more than the %d doubles a lane that the system has",
                         cas_system_coefficients(s, parameters));
}

static cas_status check_initial(const cas_system *s, const void *parameters, int components,
                                cas_error *err) {
  const size_t all = (size_t)components + BEYOND;
  CAS_OWNED double *x = calloc(all, sizeof *x);
  bool kept = true;
  CAS_NEED(x);
  if (s->initial.state)
    s->initial.state(parameters, x);
  for (size_t k = (size_t)components; k < all; k++)
    kept = kept && x[k] == 0;
  return kept ? CAS_OK
              : cas_fail(err, CAS_BAD_INPUT, "initial.state() writes more than the %d components",
                         components);
}

static int compare_words(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of components, one for each in files of trajectories. */
static cas_status check_names(const cas_system *s, const void *parameters, int components,
                              cas_error *err) {
  const char *names = cas_system_names(s, parameters);
  int found = 0;
  char *rest;
  if (s->state.shape)
    return CAS_OK;
  CAS_OWNED char *copy = strdup(names ? names : "");
  CAS_OWNED char **word = calloc((size_t)components, sizeof *word);
  CAS_NEED(copy && word);
  for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest), found++)
    if (found < components)
      word[found] = w;
  CAS_FAIL_IF(found != components, CAS_BAD_INPUT, "the system names %d components of %d", found,
              components);
  for (int k = 0; k < components; k++)
    CAS_FAIL_IF(cas_expression_bad_name(word[k]), CAS_BAD_INPUT,
                "the system names one '%.60s', which %s", word[k],
                cas_expression_bad_name(word[k]));
  qsort(word, (size_t)components, sizeof *word, compare_words);
  for (int k = 1; k < components; k++)
    CAS_FAIL_IF(strcmp(word[k - 1], word[k]) == 0, CAS_BAD_INPUT, "the system names two '%.60s'",
                word[k]);
  return CAS_OK;
}

cas_status cas_plugin_check_system(const cas_system *s, const void *parameters, cas_error *err) {
  bool one_path = s->blocks.one_path && s->blocks.one_path(parameters);
  const cas_body *b = one_path ? s->blocks.path_body : s->blocks.body(parameters);
  const cas_algebra *a = find_algebra(cas_kernels_get(), b);
  int n = 0, factors = 0, noises = s->noise.number(parameters),
      each = cas_system_coefficients(s, parameters);
  CAS_FAIL_IF(!a || !b->steps, CAS_BAD_INPUT,
              "blocks.body() gives no steps for an algebra of this casimir");
  cas_system_geometry(s, parameters, &n, &factors);
  CAS_FAIL_IF(n < 1 || factors < 1 || a->dimension(n) < 1 ||
                  a->dimension(n) > MOST_NUMBERS / factors,
              CAS_BAD_INPUT, "the system has n = %d and %d factors of %s", n, factors, a->name);
  CAS_FAIL_IF(noises < 0 || noises > MOST_NUMBERS, CAS_BAD_INPUT,
              "noise.number() gives %d, must be 0 or more", noises);
  CAS_FAIL_IF(each < 1 || each > MOST_NUMBERS, CAS_BAD_INPUT,
              "psi.prepare() is to fill %d doubles a lane, must be 1 or more", each);
  const cas_part *part = s->space.part ? s->space.part(parameters) : NULL;
  const int components = factors * a->dimension(n);
  CAS_CALL(check_names(s, parameters, components, err));
  CAS_CALL(check_initial(s, parameters, components + (part ? part->numbers : 0), err));
  return check_prepare(s, parameters, one_path ? 1 : s->blocks.lanes, noises, err);
}
