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

const void *cas_kernels_find(const void *registry, const char *name) {
  const void *const *entry = registry;
  while (*entry && strcmp(*(const char *const *)*entry, name) != 0)
    entry++;
  return *entry;
}

const cas_algebra *cas_algebra_find(const char *name) {
  return cas_kernels_find(cas_kernels_get()->algebras, name);
}

const cas_system *cas_system_find(const char *name) {
  return cas_kernels_find(cas_kernels_get()->systems, name);
}

const cas_integrator *cas_integrator_find(const char *name) {
  return cas_kernels_find(cas_kernels_get()->integrators, name);
}
