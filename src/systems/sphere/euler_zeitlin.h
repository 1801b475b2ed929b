/* What the files of Euler-Zeitlin share. */
#ifndef CAS_EULER_ZEITLIN_H
#define CAS_EULER_ZEITLIN_H

#include "math/algebra/su_n.h"
#include "math/harmonics/hoppe_yau.h"
#include "math/kernels/kernels.h"
#include "systems/fluid.h"

enum { CAS_EULER_ZEITLIN_NOISE_MODAL, CAS_EULER_ZEITLIN_NOISE_TRANSPORT };

/* One field for each mode of degrees lmin .. lmax. */
typedef struct {
  int64_t lmin, lmax;
  char *spectrum; /* expression of l, the amplitude of each */
} cas_sphere_bands;

typedef struct {
  cas_fluid fluid;
  int kind; /* of the noise */
  int64_t lmin;
  cas_sphere_bands bands; /* of transport noise, instead of fields of the source */
  int noise_lmax;         /* highest degree of all fields, and of their brackets */
  double rotation, lamb;
  cas_array_source topography; /* rows l, m, value, or a map */
  int rest_lmax;               /* highest degree of fluid.rest that steps need */
  double *rest_stream;         /* of lamb > 0: (-Lap + lamb z^2)^-1 of it, packed */
  int time_unit;
  int64_t latitudes;
  cas_hoppe_yau harmonics;
} cas_euler_zeitlin;

/* Up to this N paths go across the lanes of a block, larger matrices fill vectors alone; and the
   length of half their eigenvectors, at most. */
enum { CAS_EULER_ZEITLIN_ACROSS = 22, CAS_EULER_ZEITLIN_ROW = 16 };

/* coef: h times the factor of the bracket, then from the 8th number on the noise (43): for each m,
   c_l dW_lm of l = max(lmin, m, 1) .. N-1, and then c_l dW_l,-m. (m = 0 has its noises in the
   second place.) Behind them, from a multiple of 8 on, what psi has that does not depend on the
   state, where there is anything: in packed components of one path by itself, by modes of a group
   of lanes */
int CAS_ISA(cas_euler_zeitlin_coefficients)(const void *parameters);
void CAS_ISA(cas_euler_zeitlin_prepare)(const void *parameters, int W, double h, const double *dw,
                                        double *coef);
void CAS_ISA(cas_euler_zeitlin_path_psi)(const cas_stepper *s, cas_lanes c, const cas_vec *x,
                                         cas_vec *xi);
void CAS_ISA(cas_euler_zeitlin_group_psi)(const cas_stepper *s, cas_lanes c, const cas_vec *x,
                                          cas_vec *xi);

/* The matrix of a state as files hold it. */
void CAS_ISA(cas_euler_zeitlin_unpack)(const void *parameters, const double *x, double *state);

/* q = scale times (-Lap + lamb z^2)^-1 x without its trace, both packed, of one path */
void CAS_ISA(cas_euler_zeitlin_path_invert)(const cas_euler_zeitlin *p, double scale,
                                            const double *x, double *q);

/* sum_k (D g_k) g_k of the noises (43) */
void CAS_ISA(cas_euler_zeitlin_ito)(const cas_stepper *s, const cas_vec *x, cas_vec *out);

extern const cas_functional CAS_ISA(cas_euler_zeitlin_functionals)[],
    CAS_ISA(cas_euler_zeitlin_observables)[];
extern const cas_indexed CAS_ISA(cas_euler_zeitlin_indexed)[];

/* Noises (43), c_l <T_lm, X> T_lm. */
static inline int cas_euler_zeitlin_modal(const cas_euler_zeitlin *p) {
  return p->kind == CAS_EULER_ZEITLIN_NOISE_MODAL && p->fluid.amplitude > 0
             ? (int)(p->fluid.N * p->fluid.N - p->lmin * p->lmin)
             : 0;
}

/* Whether part of psi is independent of X: transport noise, Coriolis parameter, topography. */
static inline bool cas_euler_zeitlin_affine(const cas_euler_zeitlin *p) {
  return p->fluid.noises > 0 || p->fluid.rest;
}

/* The sphere as fluids know it. Its coefficients are those of the T_lm; at rest X has those of the
   Coriolis parameter F = 2 Omega cos(colatitude), which is <T_10, F>, and of topography. */
extern const cas_fluid_surface CAS_ISA(cas_sphere);

extern const cas_option CAS_ISA(cas_sphere_transport_options)[];

/* Sets p->fluid.wave by the options of transport noise. */
cas_status CAS_ISA(cas_sphere_fields_read)(const cas_config *c, cas_euler_zeitlin *p,
                                           cas_error *err);
/* Whether the fields are known to commute: all are zonal. */
bool CAS_ISA(cas_sphere_fields_commute)(const cas_fluid *f);
/* Appends the waves of c [xi_i, xi_j] of all pairs of fields i < j, with the factor c of the fields
   in psi. Noise of kind modal is refused. */
cas_status CAS_ISA(cas_sphere_brackets_find)(const cas_config *c, void *parameters, cas_error *err);

#endif
