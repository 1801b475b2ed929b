/* The bodies of a fluid, of paths that go across LANES lanes and of paths alone, with noise and
   with double-bracket dissipation, from functions across_psi and alone_psi of the file that
   includes this, and with FLUID_ITO 1 from across_ito and alone_ito, the Ito drift of noises that
   are no fields; and the slots of the table of a fluid, which such files call by the same names. It
   has no guard, as it is the text of that file. */

static int across_fields(const cas_stepper *s) {
  return ((const cas_fluid *)s->parameters)->noises;
}

static void alone_field(const cas_stepper *s, int k, cas_vec *xi) {
  const cas_fluid *f = s->parameters;
  memset(xi, 0, (size_t)s->geometry.components * sizeof(double));
  f->surface->field(f, k, (double *)xi);
}

/* The numbers of one path come first, and from the last one on are spread over all lanes. */
static void across_field(const cas_stepper *s, int k, cas_vec *xi) {
  alone_field(s, k, xi);
  for (int i = s->geometry.components - 1; i >= 0; i--) {
    const double value = ((const double *)xi)[i];
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      xi[i * CAS_GROUP_VECTORS + u] = cas_vec_splat(value);
  }
}

#define SYS across
#define SYS_ALGEBRA cas_su_n
#define SYS_LANES LANES
#define SYS_ITO FLUID_ITO
#define SYS_FIELDS 1
#include "integrators/steps.h"

#define alone_fields across_fields
#define SYS alone
#define SYS_ALGEBRA cas_su_n_path
#define SYS_ONE_PATH 1
#define SYS_ITO FLUID_ITO
#define SYS_FIELDS 1
#include "integrators/steps.h"

#define SYS damped
#define SYS_GRADIENT across_psi
#define SYS_ALGEBRA cas_su_n
#define SYS_LANES LANES
#include "integrators/steps.h"

#define SYS damped_alone
#define SYS_GRADIENT alone_psi
#define SYS_ALGEBRA cas_su_n_path
#define SYS_ONE_PATH 1
#include "integrators/steps.h"

static const cas_body *body(const void *fluid) {
  return cas_dissipation_given(&((const cas_fluid *)fluid)->dissipation) ? &damped_body
                                                                         : &across_body;
}

#define CAS_FLUID_SLOTS                                                                        \
  .parameters.options = options, .parameters.size = sizeof(parameters), .blocks.lanes = LANES, \
  .parameters.check = check, .parameters.release = release, .parameters.bytes = bytes,         \
  .blocks.body = body, .blocks.path_body = &alone_body,                                        \
  .space.geometry = CAS_ISA(cas_fluid_geometry), .state.shape = shape, .state.forms = forms,   \
  .parameters.remark = CAS_ISA(cas_fluid_remark), .state.unit = "time_unit^-1",                \
  .state.pack = pack, .initial.random = CAS_ISA(cas_fluid_random),                             \
  .initial.band = CAS_ISA(cas_fluid_keep_bands), .exchange = &CAS_ISA(cas_fluid_exchange),     \
  .blocks.one_path = one_path, .noise.number = noises, .noise.commuting = commuting,           \
  .noise.areas = CAS_ISA(cas_fluid_areas), .noise.add_areas = CAS_ISA(cas_fluid_add_areas),    \
  .dissipated = &(const cas_dissipated){.offset = offsetof(cas_fluid, dissipation),            \
                                        .weights = CAS_ISA(cas_fluid_weights),                 \
                                        .path_body = &damped_alone_body},                      \
  .sized = &(const cas_sized) {                                                                \
    .key = "N", .order = 1, .first_noise = first_noise, .cut = CAS_ISA(cas_fluid_cut)          \
  }
