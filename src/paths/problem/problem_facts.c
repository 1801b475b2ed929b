/* What sections of a configuration are read by, and what follows from a problem. */
#include "base/owned.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/parameters.h"

const cas_option cas_initial_option_table[] = {
    {.key = "initial",
     .type = CAS_STATE,
     .offset = offsetof(cas_problem_initial, source),
     .fallback = "",
     .help = "one of these; without it, the system's own state, if it has one:\n"
             "[x1, x2, ..]                             the numbers themselves\n"
             "{file: F, dataset: D, index: I}          a state of an HDF5 file\n"
             "{file: F, index: [RECORD, PATH]}         of a stack of records and paths\n"
             "{random: {seed: S, norm: R}}             normal components, scaled to this norm\n"
             "{random: {seed: S, law: L}}              by a law of the system\n"
             "{random: {.., lmin: A, lmax: B}}         of these degrees of harmonics, or shells\n"
             "{coefficients: [[l, m, value], ..], norm: R}\n"
             "                                         of harmonics; others are 0. These are real\n"
             "                                         and orthonormal, without (-1)^m: m > 0 has\n"
             "                                         sin(m phi), m < 0 cos(m phi)\n"
             "{coefficients: {file: F, dataset: D, index: I}}\n"
             "                                         all of them from a file\n"
             "{map: {file: F, dataset: D, index: I}}   the vorticity on a grid\n"
             "With `each: path` beside file, random or map, or coefficients of a file, every path "
             "has its own."},
    {0}};

const void *cas_problem_registry_find(const cas_config *c, const char *path, const char *fallback,
                                      const void *registry, cas_error *err) {
  const char *name = cas_config_has(c, path) ? cas_config_text(c, path) : fallback;
  const void *found = name ? cas_kernels_find(registry, name) : NULL;
  CAS_OWNED_BY(cas_name_list_free) cas_name_list known = {0};
  for (const void *const *entry = registry; !found && *entry; entry++)
    cas_name_list_add(&known, *(const char *const *)*entry);
  if (!found && !cas_name_list_check(&known, err))
    cas_config_unknown(c, err, path, NULL, known.name);
  return found;
}

bool cas_problem_commuting(const cas_problem *p) {
  return cas_dissipation_noises(p) < 2 &&
         (p->parameters.uncertain ? p->parameters.uncertain->commuting
                                  : cas_system_commutes(p->system, p->parameters.all));
}

bool cas_problem_changes_casimirs(const cas_problem *p) { return isnan(cas_exchange_decay(p)); }

bool cas_problem_is_exact(const cas_problem *p) {
  return p->noise.noises == 0 && cas_exchange_kicks(p) == 0 && !p->initial.source.each &&
         !p->parameters.uncertain;
}
