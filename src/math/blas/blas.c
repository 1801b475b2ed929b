#include "math/blas/blas.h"
#include "base/build.h"
#include "base/denormals.h"

#include <casimir/status.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

/* What these BLAS say of themselves; others leave the addresses NULL. They are asked at run time,
   since the library behind a name such as libblas.so.3 can be exchanged. */
#define IF_THERE __attribute__((weak))

IF_THERE char *openblas_get_config(void);
IF_THERE char *openblas_get_corename(void);
IF_THERE void openblas_set_num_threads(int);

IF_THERE char *bli_info_get_version_str(void);
IF_THERE int bli_arch_query_id(void);
IF_THERE char *bli_arch_string(int);
IF_THERE void bli_thread_set_num_threads(int64_t);

typedef struct {
  int major, minor, update;
  char *status, *build, *processor, *platform;
} mkl_version;
IF_THERE void MKL_Get_Version(mkl_version *);
IF_THERE void MKL_Set_Num_Threads(int);

void dgemm_(void);

/* The kind of processor; 0: unknown. */
static unsigned processor(void) {
#if defined __x86_64__
  unsigned kind, b, c, d;
  if (__get_cpuid(1, &kind, &b, &c, &d))
    return kind;
#endif
  return 0;
}

static cas_blas_name name_of_file(void) {
  cas_blas_name b;
  Dl_info object;
  char id[CAS_BUILD_ID_SIZE];
  const char *file = "unknown";
  if (dladdr((void *)(uintptr_t)&dgemm_, &object) && object.dli_fname)
    file = strrchr(object.dli_fname, '/') ? strrchr(object.dli_fname, '/') + 1 : object.dli_fname;
  cas_build_id_of((uintptr_t)&dgemm_, id);
  snprintf(b.text, sizeof b.text, "%s, build %s, processor %x", file, id, processor());
  return b;
}

cas_blas_name cas_blas(void) {
  cas_blas_name b;
  if (cas_blas_is_openblas())
    snprintf(b.text, sizeof b.text, "%s, core %s", openblas_get_config(), openblas_get_corename());
  else if (bli_arch_query_id && bli_arch_string && bli_info_get_version_str)
    snprintf(b.text, sizeof b.text, "BLIS %s, core %s", bli_info_get_version_str(),
             bli_arch_string(bli_arch_query_id()));
  else if (MKL_Get_Version) {
    mkl_version v;
    MKL_Get_Version(&v);
    snprintf(b.text, sizeof b.text, "MKL %d.%d.%d %s, core %s", v.major, v.minor, v.update, v.build,
             v.processor);
  } else
    return name_of_file();
  return b;
}

bool cas_blas_is_openblas(void) { return openblas_get_config && openblas_get_corename; }

void cas_blas_use_threads(int threads) {
  /* Threads that start here take denormal numbers as those do that step paths. */
  const uint64_t denormals = cas_denormals_flush();
  if (openblas_set_num_threads)
    openblas_set_num_threads(threads);
  if (bli_thread_set_num_threads)
    bli_thread_set_num_threads(threads);
  if (MKL_Set_Num_Threads)
    MKL_Set_Num_Threads(threads);
  cas_denormals_restore(denormals);
}

void cas_blas_choose(char **argv CAS_UNUSED) {
#if defined __x86_64__
  static const char unknown[] = "Prescott", variable[] = "OPENBLAS_CORETYPE";
  bool wide = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512vl"),
       narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!cas_blas_is_openblas() || getenv(variable) || !(wide || narrow) ||
      strcmp(openblas_get_corename(), unknown) != 0)
    return;
  /* OpenBLAS reads the variable before main; if starting again fails, this process goes on. */
  if (setenv(variable, wide ? "SkylakeX" : "Haswell", 1) == 0)
    execv("/proc/self/exe", argv);
#endif
}
