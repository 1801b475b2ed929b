/* What the tables of a loaded file must have: a null pointer there, or a number out of range, would
   end the program later. */
#include "base/text.h"
#include "kernels/kernels.h"
#include "kernels/plugin.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 1024, MOST_NUMBERS = 1 << 24, BEYOND = 64 };

/* What is missing in a list of functionals or observables, or NULL. */
static const char *check_functionals(const cas_functional *list) {
  for (const cas_functional *f = list; f->name; f++)
    if (!f->name[0] || !f->summary || !f->unit || !f->value)
      return "a functional or an observable has no name, summary, unit or value";
  return NULL;
}

static const char *missing_member(const cas_system *s) {
  const struct {
    bool there;
    const char *what;
  } required[] = {{s->name && s->name[0], "name"},
                  {s->summary, "summary"},
                  {s->source, "source"},
                  {s->options, "options"},
                  {s->parameters_size, "parameters_size"},
                  {s->body, "body"},
                  {s->geometry, "geometry"},
                  {s->noises, "noises"},
                  {s->commuting, "commuting"},
                  {s->components, "components"},
                  {s->unit, "unit"},
                  {s->coefficients, "coefficients"},
                  {s->prepare, "prepare"},
                  {s->functionals, "functionals"},
                  {s->observables && s->observables[0].name, "observables"},
                  {!s->one_path || s->path_body, "path_body"},
                  {!s->shape || (s->pack && s->unpack), "pack and unpack, which shape needs"}};
  for (size_t i = 0; i < sizeof required / sizeof *required; i++)
    if (!required[i].there)
      return required[i].what;
  return NULL;
}

static cas_status check_system(const char *file, const cas_system *s, cas_error *err) {
  const char *missing = missing_member(s), *wrong = NULL;
  if (missing)
    return cas_fail(err, CAS_BAD_INPUT, "%s: the table of its system has no %s", file, missing);
  if (s->lanes < 16 || s->lanes % 16 || s->lanes > MOST_LANES)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: the table of its system has %d lanes, must be a multiple of 16 from 16 to "
                    "%d",
                    file, s->lanes, MOST_LANES);
  wrong = check_functionals(s->functionals);
  wrong = wrong ? wrong : check_functionals(s->observables);
  return wrong ? cas_fail(err, CAS_BAD_INPUT, "%s: in the table of its system %s", file, wrong)
               : CAS_OK;
}

static cas_status check_schemes(const char *file, const cas_plugin_schemes *s, cas_error *err) {
  bool any = s->integrators && s->integrators[0] && s->group && s->one_path;
  if (!any)
    return cas_fail(err, CAS_BAD_INPUT, "%s: holds no scheme", file);
  for (const cas_integrator *const *i = s->integrators; *i; i++)
    if (!(*i)->name || !(*i)->summary || !(*i)->source || !((*i)->scale > 0) || (*i)->arrays < 0)
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s: its scheme has no name, summary, source or scale above 0, or a negative "
                      "number of arrays",
                      file);
  return CAS_OK;
}

static const cas_algebra *find_algebra(const cas_kernels *k, const cas_body *b) {
  for (const cas_algebra *const *a = k->algebras; b && b->algebra && *a; a++)
    if (strcmp((*a)->name, b->algebra) == 0)
      return *a;
  return NULL;
}

/* The body for zeroed parameters, which `describe` speaks of. Code for another processor is not
   run. */
static cas_status check_body(const char *file, const cas_system *s, cas_error *err) {
  void *zeroed = calloc(1, s->parameters_size);
  if (!zeroed)
    return cas_no_memory(err);
  bool found = find_algebra(cas_kernels_get(), s->body(zeroed));
  free(zeroed);
  return found
             ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT,
                        "%s: body() gives no steps for an algebra of this casimir, with parameters "
                        "that are 0",
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

/* Whether prepare() leaves alone what is behind the numbers that coefficients() promises. */
static cas_status check_prepare(const cas_system *s, const void *parameters, int W, int noises,
                                cas_error *err) {
  const size_t lanes = (size_t)W, promised = (size_t)s->coefficients(parameters) * lanes,
               all = promised + BEYOND * lanes;
  double *coef = aligned_alloc(64, (all * sizeof *coef + 63) / 64 * 64),
         *dw = calloc((size_t)noises * lanes + 1, sizeof *dw);
  unsigned char pattern = 0xA5;
  bool kept = true;
  if (coef && dw) {
    memset(coef, pattern, all * sizeof *coef);
    s->prepare(parameters, W, 0x1p-10, dw, coef);
    const unsigned char *bytes = (const unsigned char *)(coef + promised);
    for (size_t i = 0; i < BEYOND * lanes * sizeof *coef; i++)
      kept &= bytes[i] == pattern;
  }
  cas_status st = coef && dw ? CAS_OK : cas_no_memory(err);
  free(dw);
  free(coef);
  return st || kept ? st
                    : cas_fail(err, CAS_BAD_INPUT,
                               "prepare() writes more than the %d numbers a lane of coefficients()",
                               s->coefficients(parameters));
}

static int count_words(const char *text) {
  int n = 0;
  for (bool in_word = false; *text; text++) {
    n += *text != ' ' && !in_word;
    in_word = *text != ' ';
  }
  return n;
}

/* The names of components, one for each in files of trajectories. */
static cas_status check_names(const cas_system *s, const void *parameters, int components,
                              cas_error *err) {
  const char *names = s->components(parameters);
  int found = names ? count_words(names) : 0;
  if (s->shape || found == components)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT, "components() names %d components (%s) of %d", found,
                  names ? names : "none", components);
}

cas_status cas_plugin_check_system(const cas_system *s, const void *parameters, cas_error *err) {
  bool one_path = s->one_path && s->one_path(parameters);
  const cas_body *b = one_path ? s->path_body : s->body(parameters);
  const cas_algebra *a = find_algebra(cas_kernels_get(), b);
  int n = 0, factors = 0, noises = s->noises(parameters), each = s->coefficients(parameters);
  if (!a || !b->steps)
    return cas_fail(err, CAS_BAD_INPUT, "body() gives no steps for an algebra of this casimir");
  s->geometry(parameters, &n, &factors);
  if (n < 1 || factors < 1 || a->dimension(n) < 1 || a->dimension(n) > MOST_NUMBERS / factors)
    return cas_fail(err, CAS_BAD_INPUT, "geometry() gives n = %d and %d factors of %s", n, factors,
                    a->name);
  if (noises < 0 || noises > MOST_NUMBERS)
    return cas_fail(err, CAS_BAD_INPUT, "noises() gives %d, must be 0 or more", noises);
  if (each < 1 || each > MOST_NUMBERS)
    return cas_fail(err, CAS_BAD_INPUT, "coefficients() gives %d, must be 1 or more", each);
  const cas_part *part = s->part ? s->part(parameters) : NULL;
  CAS_CALL(check_names(s, parameters, factors * a->dimension(n) + (part ? part->numbers : 0), err));
  return check_prepare(s, parameters, one_path ? 1 : s->lanes, noises, err);
}
