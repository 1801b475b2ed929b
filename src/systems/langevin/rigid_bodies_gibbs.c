/* Equilibrium of rigid bodies: states with the density exp(-H0/kT). */
#include "systems/langevin/rigid_bodies.h"

#include <math.h>
#include <string.h>

typedef cas_rigid_bodies parameters;

/* The rotation of a unit quaternion, row by row. */
static void rotation_of(const double q[4], double *R) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double rows[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, rows, sizeof rows);
}

static void draw_rotation(cas_draws *d, double *R) {
  double q[4], square = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = cas_draw_normal(d);
    square += q[k] * q[k];
  }
  for (int k = 0; k < 4; k++)
    q[k] /= sqrt(square);
  rotation_of(q, R);
}

/* Places, momenta and attitudes of the bodies as if there were no field and no attraction. */
static void draw_free(const parameters *p, cas_draws *d, double *x) {
  for (int b = 0; b < p->mass.n; b++) {
    double *y = x + b * CAS_RIGID_MOTIONS_STATE, seen[3];
    for (int k = 0; k < 3; k++) {
      y[k] = sqrt(p->temperature / p->trap) * cas_draw_normal(d);
      y[CAS_RIGID_MOTIONS_P + k] = sqrt(p->temperature * p->mass.value[b]) * cas_draw_normal(d);
      seen[k] = sqrt(p->temperature * p->inertia.value[3 * b + k]) * cas_draw_normal(d);
    }
    draw_rotation(d, y + CAS_RIGID_MOTIONS_R);
    for (int a = 0; a < 3; a++) {
      const double *row = y + CAS_RIGID_MOTIONS_R + 3 * a;
      y[CAS_RIGID_MOTIONS_PI + a] = row[0] * seen[0] + row[1] * seen[1] + row[2] * seen[2];
    }
  }
}

/* By rejection, with the least energy that field and attraction can have. */
static const char *draw_gibbs(const void *parameters_, cas_draws *d, double *x) {
  const parameters *p = parameters_;
  const double *f = p->field.value;
  const int bodies = p->mass.n;
  const double least = -bodies * sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) -
                       fabs(p->epsilon) * bodies * (bodies - 1) / 2;
  if (!(p->temperature > 0))
    return "the temperature is 0";
  if (!(p->trap > 0))
    return "without a trap places have no equilibrium";
  if (-least > 12 * p->temperature)
    return "field and attraction are that large beside the temperature that states by rejection "
           "would take long";
  do
    draw_free(p, d, x);
  while (!(cas_draw_uniform(d) <
           exp((least - CAS_ISA(cas_rigid_bodies_interaction)(p, 1, x, 0)) / p->temperature)));
  return NULL;
}

const cas_initial_distribution CAS_ISA(cas_rigid_bodies_distributions)[] = {
    {.name = "gibbs",
     .summary = "equilibrium at the temperature, with density exp(-H0/kT)",
     .source = "Bou-Rabee and Owhadi, section 5",
     .draw = draw_gibbs},
    {0}};
