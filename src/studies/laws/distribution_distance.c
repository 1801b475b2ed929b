#include "math/kernels/kernels.h"
#include "paths/noise/noise.h"
#include "statistics/histogram.h"
#include "studies/laws/distribution.h"

#include <math.h>
#include <stdlib.h>

enum { REPLICATES = 1999 };

/* Both distances of a difference of distribution functions from 0. Between edges the area is that
   of the trapezium of the absolute values, which is not less than that of the difference itself. */
static void distances_of(const cas_distribution_difference *d, const double *f, double *smirnov,
                         double *wasserstein) {
  *smirnov = *wasserstein = 0;
  for (int k = 0; k < d->edges; k++) {
    *smirnov = fmax(*smirnov, fabs(f[k]));
    if (k > 0)
      *wasserstein += (d->edge[k] - d->edge[k - 1]) * (fabs(f[k]) + fabs(f[k - 1])) / 2;
  }
}

static double paths_of(const cas_distribution_difference *d, int *groups) {
  double paths = 0;
  *groups = 0;
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++) {
    paths += d->count[g];
    *groups += d->count[g] > 0;
  }
  return paths;
}

/* The mean over all groups, each with its share of the paths times a factor; NULL: 1. about: what
   is taken off every group first, or NULL. */
static void combine(const cas_distribution_difference *d, double paths, const double *factor,
                    const double *about, double *f) {
  for (int k = 0; k < d->edges; k++)
    f[k] = 0;
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++) {
    double share = d->count[g] / paths * (factor ? factor[g] : 1);
    for (int k = 0; share != 0 && k < d->edges; k++)
      f[k] += share * (d->difference[g * d->edges + k] - (about ? about[k] : 0));
  }
}

/* Standard normals, the same for all distances of all runs. */
static void weights(int replicate, double *z) {
  const cas_kernels *kernels = cas_kernels_get();
  _Alignas(64) double u[CAS_SUMMARY_GROUPS];
  kernels->threefry(0, CAS_PURPOSE_BOOTSTRAP, replicate, 0, CAS_SUMMARY_GROUPS, u);
  kernels->normals(CAS_SUMMARY_GROUPS, u, z);
}

/* noise: [REPLICATES], sorted here. Where no path differs from another the groups have no noise;
   then at most a share of -log(1 - confidence)/n of all paths does, each by `most`. */
static void conclude(double value, double *noise, double paths, double most, cas_distance *out) {
  int above = 0;
  cas_histogram_sort(noise, REPLICATES);
  for (int i = 0; i < REPLICATES; i++)
    above += noise[i] >= value;
  double often = noise[(int)(0.95 * (REPLICATES + 1)) - 1],
         more = noise[(int)(0.975 * (REPLICATES + 1)) - 1];
  if (noise[REPLICATES - 1] == 0) {
    often = -log(0.05) / paths * most;
    more = -log(0.025) / paths * most;
  }
  *out = (cas_distance){.value = value,
                        .low = fmax(value - often, 0),
                        .high = value + often,
                        .low_975 = fmax(value - more, 0),
                        .high_975 = value + more,
                        .p_value = (above + 1.0) / (REPLICATES + 1)};
}

static const cas_distance unknown = {NAN, NAN, NAN, NAN, NAN, NAN};

cas_status cas_distribution_distances(const cas_distribution_difference *d, cas_distance *smirnov,
                                      cas_distance *wasserstein, cas_error *err) {
  _Alignas(64) double z[CAS_SUMMARY_GROUPS];
  size_t K = (size_t)d->edges;
  int groups;
  double paths = paths_of(d, &groups), one, other;
  *smirnov = *wasserstein = unknown;
  if (groups < 2)
    return CAS_OK;
  double *memory = calloc(2 * K + 2 * REPLICATES, sizeof *memory);
  CAS_NEED(memory);
  double *mean = memory, *f = mean + K, *noise[2] = {f + K, f + K + REPLICATES};
  const double correction = sqrt(groups / (groups - 1.0));
  combine(d, paths, NULL, NULL, mean);
  for (int i = 0; i < REPLICATES; i++) {
    weights(i, z);
    combine(d, paths, z, mean, f);
    distances_of(d, f, &one, &other);
    noise[0][i] = correction * one;
    noise[1][i] = correction * other;
  }
  distances_of(d, mean, &one, &other);
  conclude(one, noise[0], paths, 1, smirnov);
  conclude(other, noise[1], paths, d->edge[d->edges - 1] - d->edge[0], wasserstein);
  free(memory);
  return CAS_OK;
}
