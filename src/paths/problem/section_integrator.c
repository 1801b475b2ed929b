#include "base/text.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/sections.h"

size_t cas_scheme_work(const cas_body *b, const cas_integrator *i, const cas_geometry *g) {
  size_t components = (size_t)g->components, lanes = (size_t)b->lanes;
  return (size_t)i->arrays * (lanes == 1 ? (components + 7) / 8 * 8 : components * lanes);
}

cas_step_function *cas_scheme_find_step(const cas_body *b, const cas_integrator *i) {
  const cas_scheme_step *s = b->steps;
  if (i->needs & ~b->features)
    return NULL;
  while (s->integrator && strcmp(s->integrator, i->name) != 0)
    s++;
  return s->step;
}

/* Why a system without a feature has no step of a scheme that needs it. */
static const struct {
  unsigned feature;
  const char *why;
} missing[] = {
#define CAS_FEATURE(name, why) {CAS_##name, why},
#include "integrators/features.def"
#undef CAS_FEATURE
};

const char *cas_scheme_misfit(const cas_body *b, const cas_integrator *i) {
  if (!(b->features & CAS_COADJOINT) &&
      i->needs & ~(unsigned)(CAS_COTANGENT | CAS_DRIFT | CAS_CONSTRAINED | CAS_ITO))
    return "it needs a Lie-Poisson equation, and this system has positions and momenta with forces "
           "on them";
  if (b->features & CAS_CONSTRAINED && i->needs & CAS_ITO)
    return "it takes no account of constraints";
  if (b->features & CAS_ATTITUDE && i->needs & (CAS_ADDITION | CAS_ITO))
    return "its increments are added to the momentum and turn nothing, so that it cannot carry the "
           "attitude along";
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (i->needs & ~b->features & missing[k].feature)
      return missing[k].why;
  return NULL;
}

/* The step of a scheme; NULL where a file has it. With Levy's areas the body is another, for which
   not every scheme has a step. */
static cas_status find_step(const cas_config *c, const char *path, const cas_problem *p,
                            const cas_integrator *i, cas_step_function **step, cas_error *err) {
  char fitting[512] = "", own[400] = "";
  const char *why = cas_scheme_misfit(p->body, i), *areas = "";
  *step = cas_scheme_find_step(p->body, i);
  if (!why)
    return CAS_OK;
  if (p->dissipation.drag)
    why = cas_dissipation_misfit(i->needs & ~p->body->features, why);
  else if (p->scheme.options.areas) {
    areas = " with areas";
    why = "brackets of the noises' Hamiltonians are of a higher degree than it takes";
  } else if (p->system->misfit)
    p->system->misfit(p->parameters.all, i->needs & ~p->body->features, own, sizeof own);
  for (const cas_integrator *const *other = p->kernels->integrators; *other; other++)
    if (!cas_scheme_misfit(p->body, *other))
      cas_append(fitting, sizeof fitting, "%s%s", *fitting ? ", " : "", (*other)->name);
  return cas_config_fail(c, err, path, "%s does not fit system %s%s: %s (those that fit: %s)",
                         i->name, p->system->name, areas, own[0] ? own : why, fitting);
}

static cas_status take_areas(const cas_config *c, cas_problem *p, cas_error *err) {
  if (p->scheme.options.areas == 0)
    return CAS_OK;
  CAS_REFUSE(c, p->dissipation.drag, "integrator.areas",
             "found %lld, but the noise of system.dissipation has none",
             (long long)p->scheme.options.areas);
  CAS_REFUSE(c, !p->system->noise.take_areas, "integrator.areas",
             "found %lld, but system %s gives no brackets of its noises' Hamiltonians%s",
             (long long)p->scheme.options.areas, p->system->name,
             p->body->features & CAS_COTANGENT ? ": they depend on positions alone, so that the "
                                                 "noises commute, and strong order 1 needs no areas"
                                               : "");
  CAS_CALL(p->system->noise.take_areas(c, p->parameters.all, err));
  cas_section_geometry(p);
  CAS_REFUSE(c,
             (p->scheme.integrator->asks & (CAS_ASKS_HALVES | CAS_ASKS_PARTS)) == CAS_ASKS_HALVES,
             "integrator.areas",
             "found %lld, but %s asks for the halves of a step, which have no areas; "
             "those of the step are s->sets.areas with CAS_ASKS_PARTS",
             (long long)p->scheme.options.areas, p->scheme.integrator->name);
  return p->own.scheme.file
             ? CAS_OK
             : find_step(c, "integrator.areas", p, p->scheme.integrator, &p->scheme.step, err);
}

/* The step of a scheme from a file, by the tables of the system for bracket and gradient. */
static cas_status find_own_step(const cas_config *c, cas_problem *p,
                                const cas_plugin_schemes *schemes, cas_error *err) {
  const cas_body *own = p->W == 1 ? schemes->one_path : schemes->group;
  CAS_REFUSE(c, p->part, "integrator.file",
             "system %s has an %s with these parameters, which schemes from files do "
             "not carry along",
             p->system->name, p->part->name);
  CAS_REFUSE(c, own->lanes != p->body->lanes, "integrator.file",
             "system %s steps groups of %d paths with these parameters, and schemes "
             "from files step groups of %d",
             p->system->name, p->body->lanes, own->lanes);
  p->scheme.step = cas_scheme_find_step(own, p->scheme.integrator);
  CAS_REFUSE(c, !p->scheme.step, "integrator.file",
             "%s needs what schemes from files cannot have: ADDITION, COADJOINT, EXPONENTIAL or "
             "SANDWICH alone",
             p->scheme.integrator->name);
  return CAS_OK;
}

cas_status cas_section_integrator(const cas_config *c, MPI_Comm comm, cas_problem *p,
                                  bool compensated, cas_error *err) {
  const cas_plugin_schemes *schemes = NULL;
  CAS_CALL(cas_own_file_scheme(c, p->kernels, comm, &p->own.scheme, &p->scheme.integrator, &schemes,
                               err));
  if (!schemes) { /* without a name the first that fits */
    const cas_integrator *const *first = p->kernels->integrators;
    while (cas_scheme_misfit(p->body, *first))
      first++;
    p->scheme.integrator = cas_problem_registry_find(c, "integrator.name", (*first)->name,
                                                     p->kernels->integrators, err);
  }
  if (!p->scheme.integrator)
    return CAS_BAD_INPUT;
  CAS_CALL(find_step(c, "integrator.name", p, p->scheme.integrator, &p->scheme.step, err));
  CAS_CALL(schemes ? find_own_step(c, p, schemes, err) : CAS_OK);
  CAS_CALL(cas_scheme_read(c, p->scheme.integrator, &p->scheme.options, err));
  CAS_CALL(take_areas(c, p, err));
  p->declared = cas_scheme_declared(p->scheme.integrator, &p->scheme.options);
  if (cas_exchange_acts(p)) /* half a step before and after, which is of order 2 */
    p->declared.order = fmin(p->declared.order, 2);
  p->scheme.integrator = &p->declared;
  if (!cas_config_has(c, "integrator.compensated"))
    p->scheme.options.compensated = compensated;
  p->keeps_casimirs = cas_scheme_keeps_casimirs(p->scheme.integrator, p->geometry.algebra) &&
                      !cas_problem_changes_casimirs(p);
  if (!cas_config_has(c, "integrator.casimir_tolerance"))
    p->scheme.options.casimir_tolerance = p->keeps_casimirs ? 1e-10 : INFINITY;
  return CAS_OK;
}

cas_status cas_problem_reference_scheme(const cas_config *c, const char *path, cas_problem *p,
                                        cas_error *err) {
  cas_scheme *s = &p->reference;
  s->integrator = cas_problem_registry_find(c, path, NULL, p->kernels->integrators, err);
  if (!s->integrator)
    return CAS_BAD_INPUT;
  CAS_CALL(find_step(c, path, p, s->integrator, &s->step, err));
  /* A configuration has no section of that name, so that every option takes its default. */
  CAS_CALL(
      cas_options_read(c, "defaults", cas_scheme_options(s->integrator), NULL, &s->options, err));
  s->options.compensated = p->scheme.options.compensated;
  if (!cas_scheme_keeps_casimirs(s->integrator, p->geometry.algebra)) {
    p->keeps_casimirs = false;
    if (!cas_config_has(c, "integrator.casimir_tolerance"))
      p->scheme.options.casimir_tolerance = INFINITY;
  }
  return CAS_OK;
}
