#include "base/owned.h"
#include "paths/problem/problem.h"

static const char cut[] = "l in A_h = sqrt(2 l |ln h|), where normals are cut; 0: no truncation; "
                          "for multilevel studies of implicit schemes the default is 4",
                  kahan[] = "Kahan's addition of the increment of a step; for trajectories the "
                            "default is true",
                  drift[] = "a run whose Casimirs drift further (relatively) ends with status 1; "
                            "default 1e-10 where the scheme keeps them, .inf where it does not";

static const cas_option shared_options[] = {
    CAS_OPTION(cas_integrator_options, INT, weak_order, .fallback = "", .low = 1, .high = 2,
               .help = "2: a step is a composition of six steps of a symmetric scheme, of weak "
                       "order 2 (docs/schemes.md); normals are then cut by l = 3 where the default "
                       "is 2; 1, the default: a step of the scheme itself"),
    CAS_OPTION(cas_integrator_options, INT, areas, .fallback = "", .low = 0, .high = 1e6,
               .help = "strong order 1 for noises that do not commute: Levy's areas of a step from "
                       "this many parts of it, or of the finest step of a study (docs/schemes.md); "
                       "0, the default: steps without areas"),
    CAS_OPTION(cas_integrator_options, BOOL, compensated, .fallback = "false", .help = kahan),
    CAS_OPTION(cas_integrator_options, REAL, casimir_tolerance, .fallback = "", .open_low = true,
               .high = INFINITY, .help = drift),
    {0}};

static const cas_option iteration_options[] = {
    CAS_OPTION(cas_integrator_options, REAL, tolerance, .fallback = "1e-15", .high = 1,
               .open_low = true,
               .help = "of the fixed point: largest change of a component, relative to the largest "
                       "component of the initial state; of a state that has grown, or where "
                       "rounding allows no less, an iteration ends when changes no longer fall"),
    CAS_OPTION(
        cas_integrator_options, INT, max_iterations, .fallback = "1000", .low = 1, .high = 1e6,
        .help = "largest number of iterations; a step that needs more counts as not converged"),
    {0}};

/* Increments that are bounded leave an equation solvable. */
#define TRUNCATION(bound)                                                                        \
  CAS_OPTION(cas_integrator_options, REAL, truncation, .fallback = bound, .low = 0, .high = 1e6, \
             .help = cut)

static const cas_option explicit_options[] = {
    TRUNCATION("0"), {.type = CAS_INCLUDE, .section = shared_options}, {0}};

static const cas_option implicit_options[] = {{.type = CAS_INCLUDE, .section = iteration_options},
                                              TRUNCATION("2"),
                                              {.type = CAS_INCLUDE, .section = shared_options},
                                              {0}};

/* The keys of an implicit scheme whose equation has a solution whatever the increments are. */
static const cas_option solvable_options[] = {{.type = CAS_INCLUDE, .section = iteration_options},
                                              {.type = CAS_INCLUDE, .section = explicit_options},
                                              {0}};

static const char *const retractions[] =
    {[CAS_RETRACTION_CAYLEY] = "cayley", [CAS_RETRACTION_EXP] = "exp", NULL},
                         *const variants[] = {[CAS_VARIANT_SYMPLECTIC] = "symplectic",
                                              [CAS_VARIANT_ENERGY_MOMENTUM] = "energy_momentum",
                                              NULL};

static const cas_option retracting_options[] = {
    {.type = CAS_INCLUDE, .section = implicit_options},
    CAS_OPTION(cas_integrator_options, CHOICE, retraction, .fallback = "cayley",
               .choices = retractions, .help = "map from angular velocities to rotations"),
    CAS_OPTION(cas_integrator_options, CHOICE, variant, .fallback = "symplectic",
               .choices = variants,
               .help = "symplectic: a Poisson map; energy_momentum: not a Poisson map, but "
                       "conserves the energy of the free body; needs retraction cayley"),
    {0}};

const cas_option *cas_scheme_options(const cas_integrator *i) {
  return i->is_explicit   ? explicit_options
         : i->retracts    ? retracting_options
         : i->is_solvable ? solvable_options
                          : implicit_options;
}

bool cas_scheme_composes(const cas_integrator *i) {
  return i->symmetric && !i->normals && !(i->asks & CAS_ASKS_HALVES);
}

/* Takes the key weak_order; 1 means the same as no key. */
static cas_status take_weak_order(const cas_config *c, const cas_integrator *i,
                                  cas_integrator_options *o, cas_error *err) {
  if (o->weak_order == 1)
    o->weak_order = 0;
  if (o->weak_order == 0)
    return CAS_OK;
  CAS_REFUSE(c, !i->symmetric, "integrator.weak_order",
             "found 2, which composes steps of symmetric schemes, and %s is not symmetric: a step "
             "of -h and -dW does not undo one of h and dW; must be absent, or the scheme another",
             i->name);
  CAS_REFUSE(c, !cas_scheme_composes(i), "integrator.weak_order",
             "found 2, but steps of %s take further normals or half increments, which its "
             "parts do not have; must be absent",
             i->name);
  return CAS_OK;
}

/* Refuses areas beside a composition, and in a scheme whose leading error is not theirs. */
static cas_status check_areas(const cas_config *c, const cas_integrator *i,
                              const cas_integrator_options *o, cas_error *err) {
  if (o->areas == 0)
    return CAS_OK;
  CAS_REFUSE(c, o->weak_order, "integrator.areas",
             "found %lld beside weak_order 2, whose steps imply areas of the right law; "
             "must have one of the two",
             (long long)o->areas);
  CAS_REFUSE(c, !i->antithetic, "integrator.areas",
             "found %lld, but areas alone do not give %s strong order 1: the leading error of its "
             "steps is not that of Levy's areas; must be absent, or the scheme another",
             (long long)o->areas, i->name);
  return CAS_OK;
}

cas_integrator cas_scheme_declared(const cas_integrator *i, const cas_integrator_options *o) {
  cas_integrator declared = *i;
  if (o->weak_order == 2) {
    declared.weak_order = 2;
    declared.order = 4;
    declared.evaluations.step *= CAS_SCHEME_COMPOSED_STEPS;
  }
  if (o->areas) {
    declared.strong_order = 1;
    declared.antithetic = false;
  }
  return declared;
}

cas_status cas_scheme_read(const cas_config *c, const cas_integrator *i, cas_integrator_options *o,
                           cas_error *err) {
  static const char *const also[] = {"name", NULL}, *const also_own[] = {"name", "file",
                                                                         "file_hash", NULL};
  const bool own = cas_config_has(c, "integrator.file");
  for (const cas_option *key = iteration_options; i->is_explicit && key->key; key++) {
    char path[64];
    snprintf(path, sizeof path, "integrator.%s", key->key);
    CAS_REFUSE(c, cas_config_has(c, path), path,
               "%s is an explicit scheme: it solves no equation and has no %s; must "
               "be absent (--set %s=null takes it away)",
               i->name, key->key, path);
  }
  CAS_CALL(cas_options_read(c, "integrator", cas_scheme_options(i), own ? also_own : also, o, err));
  CAS_REFUSE(c, o->variant == CAS_VARIANT_ENERGY_MOMENTUM && o->retraction != CAS_RETRACTION_CAYLEY,
             "integrator.retraction",
             "found %s, must be cayley: there is a variant energy_momentum of it alone",
             retractions[o->retraction]);
  CAS_CALL(take_weak_order(c, i, o, err));
  CAS_CALL(check_areas(c, i, o, err));
  /* Truncation by l has errors like h^(l/2) in mean square and h^l in the mean. By l = 2, the
     default of implicit_options, these are as large as the errors of a scheme of higher order. */
  if ((o->weak_order || o->areas) && !cas_config_has(c, "integrator.truncation") &&
      o->truncation == 2)
    o->truncation = 3;
  return CAS_OK;
}

bool cas_scheme_keeps_casimirs(const cas_integrator *i, const cas_algebra *a) {
  if (!a->casimirs)
    return i->keeps & CAS_KEEPS_MOMENTA;
  return i->keeps & CAS_KEEPS_CASIMIRS ||
         (i->keeps & CAS_KEEPS_QUADRATIC && a->properties & CAS_QUADRATIC_CASIMIRS);
}

bool cas_scheme_lets_casimirs_drift(const char *system, const char *integrator) {
  const cas_system *s = cas_system_find(system);
  const cas_integrator *i = cas_integrator_find(integrator);
  CAS_OWNED void *zeros = s && i ? calloc(1, s->parameters.size) : NULL;
  return zeros && !cas_scheme_keeps_casimirs(i, cas_algebra_find(s->blocks.body(zeros)->algebra));
}
