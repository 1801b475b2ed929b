/* The bodies of a fluid, of paths that go across LANES lanes and of paths alone, with noise and
   with double-bracket dissipation, from functions across_psi, across_ito, alone_psi and alone_ito
   of the file that includes this. It has no guard, as it is the text of that file. */

#define SYS across
#define SYS_ALGEBRA cas_su_n
#define SYS_LANES LANES
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS alone
#define SYS_ALGEBRA cas_su_n_path
#define SYS_ONE_PATH 1
#define SYS_ITO 1
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
