/* Chooses among the instruction sets that this build holds. */
#include "math/kernels/kernels.h"

extern const cas_kernels cas_kernels_generic, cas_kernels_avx2, cas_kernels_avx512;

const cas_kernels *cas_kernels_list(int i) {
  const cas_kernels *list[4] = {&cas_kernels_generic};
  int n = 1;
#ifdef CAS_HAVE_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    list[n++] = &cas_kernels_avx2;
#endif
#ifdef CAS_HAVE_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    list[n++] = &cas_kernels_avx512;
#endif
  return i >= 0 && i < n ? list[i] : NULL;
}

const cas_kernels *cas_kernels_get(void) {
  const char *wanted = getenv("CASIMIR_KERNELS");
  const cas_kernels *best = NULL;
  for (int i = 0; cas_kernels_list(i); i++) {
    best = cas_kernels_list(i);
    if (wanted && strcmp(wanted, best->name) == 0)
      return best;
  }
  return best;
}

const cas_algebra *cas_algebra_find(const char *name) {
  for (const cas_algebra *const *a = cas_kernels_get()->algebras; *a; a++)
    if (strcmp((*a)->name, name) == 0)
      return *a;
  return NULL;
}

const cas_system *cas_system_find(const char *name) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    if (strcmp((*s)->name, name) == 0)
      return *s;
  return NULL;
}

const cas_integrator *cas_integrator_find(const char *name) {
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if (strcmp((*i)->name, name) == 0)
      return *i;
  return NULL;
}
