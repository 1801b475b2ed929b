/* What truncations of the two-dimensional Euler equations on su(N) have in common, on the sphere
   (sphere/euler_zeitlin.h) as on the torus (sine_euler.h). A vorticity has N^2 - 1 real
   coefficients, omega[i * W + lane] of blocks of W lanes. The fields that belong to them are
   orthogonal, have the square `norm`, and are eigenvectors of -Lap. A coefficient w has

       dw = (-lambda w + f) dt + s dB,   lambda = nu e^p + mu,   s^2 = 2 laplacian rate/kicks/norm,

   with steady forcing f, and white forcing, which gives `kicks` coefficients the same energy. The e
   of viscosity is the eigenvalue of -Lap, on the sphere less that of the angular momentum. */
#ifndef CAS_FLUID_H
#define CAS_FLUID_H

#include "base/owned.h"
#include "math/kernels/kernels.h"

/* ---- what is configured ---- */

typedef struct {
  double viscosity, power, friction;
} cas_fluid_damping;

/* White noise in time that forces the modes of these degrees, or shells. */
typedef struct {
  int64_t lmin, lmax;
  double rate; /* of energy */
} cas_fluid_white;

typedef struct {
  cas_vectors steady; /* rows of two indices and a value */
  cas_fluid_white white;
} cas_fluid_forcing;

/* Forcing, viscosity, friction. */
enum { CAS_FLUID_TERMS = 3 };

/* The coefficient of degree 1 and order 0, which the Coriolis parameter has. */
enum { CAS_FLUID_ZONAL = 1 };

/* Coefficients begin .. end - 1 of one eigenvalue of -Lap: of a degree on the sphere, the parts of
   a mode on the torus. */
typedef struct {
  int begin, end;
  int band; /* degree, or shell */
  double laplacian;
} cas_fluid_level;

/* A term of a field of noise: value times the field of two indices. */
typedef struct {
  int noise, i, j;
  double value;
} cas_fluid_wave;

typedef struct cas_fluid_surface cas_fluid_surface;

/* The first member of the parameters of fluids. */
typedef struct {
  int64_t N, lowpass;
  double amplitude;        /* of the noise */
  cas_array_source source; /* of its fields: rows [k, i, j, a], or maps of stream functions */
  cas_dissipation dissipation;
  cas_fluid_damping damping;
  cas_fluid_forcing forcing;
  /* what is made of them */
  const cas_fluid_surface *surface;
  bool sized; /* The study has several N, and blocks of one path at each. */
  int map[2]; /* rows and columns of maps */
  int levels, bands;
  cas_fluid_level *level;
  double bracket;   /* factor of commutators */
  double *rest;     /* [coefficients] of X less the vorticity that is seen: on the sphere the
                      Coriolis parameter and topography; NULL: 0 */
  double rest_lost; /* the part of the norm of a map of topography that no coefficient has */
  bool inverted;    /* stream functions are by surface->invert(), not by (-Lap)^-1 */
  int waves, noises;
  /* [waves], sorted by noise, i, j and value; and behind them, where steps have areas, pair_waves
     of brackets of two fields, whose numbers are those of their areas behind all noises */
  cas_fluid_wave *wave;
  int pair_waves;
  double lost,
      lost_most; /* part of the norm of all maps, and of that of field `worst`, counted from 1, that
                    no coefficient has */
  int worst;
} cas_fluid;

/* Where two indices are among the coefficients: `sign` times their field belongs to number `at`. */
typedef struct {
  int at;
  double sign, laplacian;
} cas_fluid_place;

struct cas_fluid_surface {
  const char *highest;    /* what the highest band is: "N - 1" */
  const char *most;       /* the same as a format of its number and of N */
  const char *row;        /* what rows of noise are: "k, l, m, a" */
  const char *grid;       /* key of the number of rows of maps */
  const char *place;      /* what a vorticity has a place for */
  const char *no_lowpass; /* that system.lowpass, in bands, is not given */
  double norm;
  bool is_mean;  /* Traces are means: divided by N. */
  double still;  /* the eigenvalue of -Lap that viscosity leaves alone */
  double stream; /* of the sign that stream functions have beside (-Lap)^-1 of the vorticity */
  double least;  /* the part of the largest coefficient of a map that is rounding */
  /* Whether two indices are those of a mode; if not, what is wrong, `name` before the indices. */
  bool (*is_mode)(const cas_fluid *f, const char *name, const double *index, char *wrong,
                  size_t size);
  cas_fluid_place (*find)(int N, const double *index);
  /* The wave of a noise whose field is `value` times that of coefficient i. */
  cas_fluid_wave (*wave)(int N, int noise, int i, double value);
  /* The number of coefficient i among those of all N. optional: its own */
  int (*number)(const cas_fluid *f, int i);
  /* Adds to the components of a path what psi has of noise k where its increment is 1. */
  void (*field)(const cas_fluid *f, int k, double *x);
  /* From components to coefficients of a block, and back of one lane. */
  void (*coefficients)(const cas_fluid *f, int W, const double *x, double *omega);
  void (*state)(const cas_fluid *f, const double *omega, double *x);
  /* map[point * W + lane] of a block, and the values at one point. */
  void (*map)(const cas_fluid *f, int W, const double *omega, double *map);
  void (*value)(const cas_fluid *f, const double index[2], int W, const double *omega, double *out);
  /* psi of omega that is seen, in the place of (-Lap)^-1 omega. optional: never `inverted` */
  void (*invert)(const cas_fluid *f, int W, const double *omega, double *psi);
  /* Coefficients of a map; lost: the part of its norm that none has, its mean if has_mean. */
  cas_status (*read_map)(const cas_fluid *f, const double *map, bool has_mean, double *omega,
                         double *lost, cas_error *err);
  /* Adds scale[level] w + gain[i * W + lane] to each coefficient w of X. */
  void (*change)(const cas_fluid *f, int W, const double *scale, const double *gain, double *x,
                 double *workspace);
  size_t (*change_size)(const cas_fluid *f, int W); /* doubles of that workspace */
};

static inline int cas_fluid_coefficients(const cas_fluid *f) { return (int)(f->N * f->N) - 1; }

/* ---- options and states ---- */

extern const cas_option CAS_ISA(cas_fluid_exchange_options)[]; /* of damping and forcing */

/* Refuses indices that are not those of a mode; name: as of is_mode. */
cas_status CAS_ISA(cas_fluid_check_mode)(const cas_config *c, const cas_fluid *f, const char *path,
                                         const char *name, const double *index, cas_error *err);
/* Checks the forcing, for which f->surface and f->bands have to be known. */
cas_status CAS_ISA(cas_fluid_check_forcing)(const cas_config *c, const cas_fluid *f,
                                            cas_error *err);
cas_status CAS_ISA(cas_fluid_add_levels)(cas_fluid *f, int levels, cas_error *err);
void CAS_ISA(cas_fluid_free)(cas_fluid *f);
size_t CAS_ISA(cas_fluid_bytes)(const cas_fluid *f);

/* The part of a state in the bands lmin .. lmax; 0: the lowest, or the highest. */
cas_status CAS_ISA(cas_fluid_keep_bands)(const cas_config *c, const void *fluid, int64_t lmin,
                                         int64_t lmax, double *x, cas_error *err);
int CAS_ISA(cas_fluid_map_shape)(const void *fluid, int64_t dims[3]);
const char *CAS_ISA(cas_fluid_pack_map)(const void *fluid, const double *map, double *x,
                                        double *lost);
void CAS_ISA(cas_fluid_random)(const void *fluid, double norm, double *x);
/* What a state has of the coefficients that states of a smaller N have. */
void CAS_ISA(cas_fluid_cut)(const void *from, const double *x, const void *to, double *out);
void CAS_ISA(cas_fluid_geometry)(const void *fluid, int *n, int *factors);
void CAS_ISA(cas_fluid_weights)(const void *fluid, double *drag, double *noise);

/* ---- noise ---- */

/* Reads the fields of transport noise into f->wave. */
cas_status CAS_ISA(cas_fluid_read_fields)(const cas_config *c, cas_fluid *f, cas_error *err);
cas_status CAS_ISA(cas_fluid_add_waves)(cas_fluid *f, int waves, cas_error *err);
int CAS_ISA(cas_fluid_areas)(const void *fluid);
void CAS_ISA(cas_fluid_add_areas)(const void *fluid, int W, const double *v, const double *w,
                                  double *area);
/* Text about maps that do not fit. */
void CAS_ISA(cas_fluid_remark)(const void *fluid, char *out, size_t size);

static inline bool cas_fluid_has_fields(const cas_fluid *f) {
  return f->source.rows.rows > 0 || f->source.file;
}

static inline bool cas_fluid_is_whole(double a, double low, double high) {
  return a >= low && a <= high && a == nearbyint(a);
}

/* ---- damping and forcing ---- */

extern const cas_exchange CAS_ISA(cas_fluid_exchange);

static inline bool cas_fluid_acts(const cas_fluid *f) {
  return f->damping.viscosity > 0 || f->damping.friction > 0 || f->forcing.steady.rows > 0 ||
         f->forcing.white.rate > 0;
}

/* The rate of decay of coefficients that -Lap multiplies by this. */
static inline double cas_fluid_rate(const cas_fluid *f, double laplacian) {
  const double e = laplacian - f->surface->still;
  return f->damping.viscosity * (e > 0 ? pow(e, f->damping.power) : 0) + f->damping.friction;
}

static inline bool cas_fluid_is_white(const cas_fluid *f, const cas_fluid_level *level) {
  const cas_fluid_white *w = &f->forcing.white;
  return w->rate > 0 && level->band >= w->lmin && level->band <= w->lmax;
}

/* Number of coefficients with white forcing. */
int CAS_ISA(cas_fluid_kicks)(const void *fluid);

/* ---- functions of states ---- */

typedef void cas_fluid_function(const void *fluid, int W, const double *x, double *out);
cas_fluid_function CAS_ISA(cas_fluid_energy), CAS_ISA(cas_fluid_enstrophy),
    CAS_ISA(cas_fluid_energy_spectrum), CAS_ISA(cas_fluid_enstrophy_spectrum),
    CAS_ISA(cas_fluid_energy_balance), CAS_ISA(cas_fluid_enstrophy_balance),
    CAS_ISA(cas_fluid_vorticity), CAS_ISA(cas_fluid_absolute_vorticity),
    CAS_ISA(cas_fluid_stream_function), CAS_ISA(cas_fluid_lowpass), CAS_ISA(cas_fluid_eigenvalues),
    CAS_ISA(cas_fluid_traces);

int CAS_ISA(cas_fluid_along_balance)(const void *fluid, cas_axis axis[2]);
int CAS_ISA(cas_fluid_along_powers)(const void *fluid, cas_axis axis[2]);
int CAS_ISA(cas_fluid_along_eigenvalues)(const void *fluid, cas_axis axis[2]);
const char *CAS_ISA(cas_fluid_no_balance)(const void *fluid);
const char *CAS_ISA(cas_fluid_no_lowpass)(const void *fluid);
void CAS_ISA(cas_fluid_range_of_square)(const void *fluid, const double *x0, double range[2]);

/* Numbers of two indices: parts of energy and enstrophy in bands, and the vorticity at a point. */
typedef void cas_fluid_number(const void *fluid, const double index[2], int W, const double *x,
                              double *out);
cas_fluid_number CAS_ISA(cas_fluid_energy_of), CAS_ISA(cas_fluid_enstrophy_of),
    CAS_ISA(cas_fluid_vorticity_at);
bool CAS_ISA(cas_fluid_is_band)(const void *fluid, const double index[2], char *right, size_t size);

#endif
