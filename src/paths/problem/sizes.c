#include "paths/problem/sizes.h"
#include "base/text.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"

static cas_status check_problem(const cas_config *c, const char *key, const cas_ints *sizes,
                                const cas_problem *p, cas_error *err) {
  const cas_sized *s = p->system->sized;
  char last[64];
  CAS_REFUSE(c, p->parameters.uncertain, key,
             "found beside parameters that differ by path, which levels of several "
             "%s do not have; must be numbers",
             s->key);
  CAS_REFUSE(c, cas_dissipation_acts(p->system, p->parameters.all), key,
             "found beside system.dissipation, whose noise is another one at every "
             "%s; must be absent",
             s->key);
  snprintf(last, sizeof last, "system.%s", s->key);
  for (int i = 1; i < sizes->n; i++)
    CAS_REFUSE(c, sizes->value[i] <= sizes->value[i - 1], key, "found %lld after %lld, must ascend",
               (long long)sizes->value[i], (long long)sizes->value[i - 1]);
  for (int i = 2; i < sizes->n; i++) {
    const double ratio = (double)sizes->value[i] / (double)sizes->value[i - 1],
                 first = (double)sizes->value[1] / (double)sizes->value[0];
    CAS_REFUSE(c, fabs(ratio / first - 1) > 0.1, key,
               "found %lld after %lld, must have the ratio of the first two within "
               "10%%, as 16, 32, 64",
               (long long)sizes->value[i], (long long)sizes->value[i - 1]);
  }
  CAS_REFUSE(c, sizes->n < 2 || sizes->n > CAS_SIZES_MAX, key, "found %d number%s, must be 2 to %d",
             sizes->n, sizes->n == 1 ? "" : "s", CAS_SIZES_MAX);
  CAS_REFUSE(c, p->geometry.n != sizes->value[sizes->n - 1], last,
             "found %d, must be the last of %s, %lld", p->geometry.n, key,
             (long long)sizes->value[sizes->n - 1]);
  return CAS_OK;
}

/* Noises of a smaller size are the first of those of the largest. */
static cas_status check_noise(const cas_config *c, const cas_problem *small, const cas_problem *p,
                              cas_error *err) {
  const char *const size = p->system->sized->key;
  CAS_REFUSE(c, small->noise.first != p->noise.first, "system.noise",
             "begins with another mode at every %s; give noise.lmin", size);
  CAS_REFUSE(c, cas_exchange_kicks(small) != cas_exchange_kicks(p), "system.forcing.white",
             "has %d integrals at %s = %d and %d at %d; must be of modes that all sizes have",
             cas_exchange_kicks(small), size, small->geometry.n, cas_exchange_kicks(p),
             p->geometry.n);
  if (small->normals.noises == p->normals.noises)
    return CAS_OK;
  CAS_REFUSE(c, !cas_noise_is_by_path(&p->noise), "random.generator",
             "found %s, but there are %d noises at %s = %d and %d at %d, which have "
             "the same paths with threefry alone",
             p->noise.generator->name, small->normals.noises, size, small->geometry.n,
             p->normals.noises, p->geometry.n);
  CAS_REFUSE(c, p->normals.areas || p->normals.further || p->normals.halves, "integrator",
             "takes areas, halves or further normals, whose rows do not fit %d "
             "noises at %s = %d and %d at %d; must be a scheme of increments alone",
             small->normals.noises, size, small->geometry.n, p->normals.noises, p->geometry.n);
  return CAS_OK;
}

static cas_status create(const cas_config *c, bool compensated, MPI_Comm comm, const cas_problem *p,
                         cas_sizes *s, int i, cas_error *err) {
  char assignment[80];
  snprintf(assignment, sizeof assignment, "system.%s=%lld", p->system->sized->key,
           (long long)s->size[i]);
  CAS_CALL(cas_config_copy(c, &s->config[i], err));
  CAS_CALL(cas_config_set(s->config[i], assignment, err));
  cas_problem *small = malloc(sizeof *small);
  CAS_NEED(small);
  cas_status st = cas_problem_create(s->config[i], compensated, comm, small, err);
  if (st) {
    cas_append(err->text, sizeof err->text, " (at %s = %lld of study.refine)",
               p->system->sized->key, (long long)s->size[i]);
    free(small);
    return st;
  }
  s->problem[i] = small;
  CAS_FAIL_IF(small->W != 1 || p->W != 1, CAS_INTERNAL,
              "levels of several sizes need blocks of one path");
  small->scheme.options.truncation = p->scheme.options.truncation;
  small->study.on_failure = p->study.on_failure;
  return check_noise(c, small, p, err);
}

cas_status cas_sizes_create(const cas_config *c, const char *key, const cas_ints *sizes,
                            bool compensated, MPI_Comm comm, cas_problem *p, cas_error *err) {
  CAS_CALL(check_problem(c, key, sizes, p, err));
  cas_sizes *s = p->sizes = calloc(1, sizeof *s);
  CAS_NEED(s);
  s->n = sizes->n;
  for (int i = 0; i < s->n; i++)
    s->size[i] = sizes->value[i];
  s->problem[s->n - 1] = p;
  for (int i = 0; i + 1 < s->n; i++)
    CAS_CALL(create(c, compensated, comm, p, s, i, err));
  return CAS_OK;
}

/* Products of matrices are of N^3 operations, of which small ones make less use. */
double cas_sizes_cost(const cas_problem *p, int size) {
  const cas_sizes *s = p->sizes;
  return s ? pow((double)s->size[size] / (double)s->size[0], 2.5) : 1;
}

double cas_sizes_step_cost(const cas_problem *p, int size) {
  const double n = p->sizes ? p->sizes->problem[size]->components : p->components;
  return fmax(1, floor(n * sqrt(n) / 64));
}

void cas_sizes_free(cas_sizes *s) {
  for (int i = 0; s && i + 1 < s->n; i++) {
    if (s->problem[i])
      cas_problem_free(s->problem[i]);
    free(s->problem[i]);
    cas_config_free(s->config[i]);
  }
  free(s);
}
