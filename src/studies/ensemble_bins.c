/* The bins of an ensemble's histograms, from the pilot, the first blocks. So that nothing is
   integrated twice, every rank holds values until all know the pilot's extremes, without waiting.
   */
#include "studies/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Any rank may get as many blocks as the pilot has. */
cas_status cas_ensemble_bins_hold(cas_collector *g, int64_t rows, cas_error *err) {
  g->capacity = rows + g->study->pilot * g->run->problem.W;
  g->held_value = malloc((size_t)g->capacity * (size_t)g->study->quantities * sizeof(double));
  g->path = malloc((size_t)g->capacity * sizeof *g->path);
  CAS_FAIL_IF(!g->held_value || !g->path, CAS_NO_MEMORY, "out of memory: the values of %lld paths",
              (long long)g->capacity);
  return CAS_OK;
}

/* Values held stay, for exact quantiles, where the pilot is all paths. */
void cas_ensemble_bins_set(cas_collector *g) {
  const size_t m = (size_t)g->study->quantities;
  const double *least = g->pilot.value;
  for (size_t i = 0; i < m; i++)
    cas_histogram_set_bins(&g->histogram, (int)i, least[i], -least[m + i]);
  for (int64_t p = 0; p < g->held; p++)
    g->path[p] = g->held_value + (size_t)p * m;
  cas_histogram_add(&g->histogram, g->held, g->path);
  if (!g->study->exact)
    g->held = 0;
}

void cas_ensemble_bins_count(cas_collector *g, int64_t block, int paths) {
  size_t m = (size_t)g->study->quantities;
  double *least = g->pilot.value, *negative = least + m;
  bool pilot = block < g->study->pilot, counts = block >= g->state->first_chunk;
  if (g->known && counts)
    cas_histogram_add(&g->histogram, paths, g->path);
  for (int p = 0; p < paths && counts && (!g->known || g->study->exact); p++)
    memcpy(g->held_value + (size_t)g->held++ * m, g->path[p], m * sizeof(double));
  for (int p = 0; p < paths && pilot && !g->known; p++)
    for (size_t i = 0; i < m; i++) { /* + 0.0: of 0 and -0 the least is whichever comes first */
      least[i] = fmin(least[i], g->path[p][i] + 0.0);
      negative[i] = fmin(negative[i], -g->path[p][i] + 0.0);
    }
}
