#include "base/build.h"
#include "version.h"

#include <casimir/parallel.h>

#include <cblas.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_SIZE = 2 * 32 + 1 };

/* A segment of notes: each a header, a name and a descriptor, all three padded. */
static void read_notes(const char *at, const char *end, size_t align, char id[ID_SIZE]) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) n;
    memcpy(&n, at, sizeof n);
    const char *name = at + sizeof n;
    const unsigned char *bytes =
        (const unsigned char *)name + (n.n_namesz + align - 1) / align * align;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof ELF_NOTE_GNU &&
        memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      for (size_t i = 0; i < n.n_descsz && 2 * i + 2 < ID_SIZE; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    at = (const char *)bytes + (n.n_descsz + align - 1) / align * align;
  }
}

static bool holds(const struct dl_phdr_info *object, uintptr_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && address - object->dlpi_addr - p->p_vaddr < p->p_memsz)
      return true;
  }
  return false;
}

static int read_object(struct dl_phdr_info *object, size_t size, void *id) {
  (void)size;
  if (!holds(object, (uintptr_t)&cas_build_id))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    const char *begin = (const char *)(object->dlpi_addr + p->p_vaddr);
    if (p->p_type == PT_NOTE)
      read_notes(begin, begin + p->p_memsz, p->p_align == 8 ? 8 : 4, id);
  }
  return 1;
}

const char *cas_build_id(void) {
  static char id[ID_SIZE];
  if (!id[0])
    dl_iterate_phdr(read_object, id);
  return id[0] ? id : "unknown";
}

cas_blas_name cas_blas(void) {
  cas_blas_name b;
  snprintf(b.text, sizeof b.text, "%s, core %s", openblas_get_config(), openblas_get_corename());
  return b;
}

void cas_blas_choose(char **argv) {
#if defined __x86_64__
  static const char unknown[] = "Prescott", variable[] = "OPENBLAS_CORETYPE";
  bool wide = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512vl"),
       narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (getenv(variable) || !(wide || narrow) || strcmp(openblas_get_corename(), unknown) != 0)
    return;
  /* It reads the variable before main; where starting again fails, all goes on as it is. */
  if (setenv(variable, wide ? "SkylakeX" : "Haswell", 1) == 0)
    execv("/proc/self/exe", argv);
#else
  (void)argv;
#endif
}

cas_status cas_build_compare(MPI_Comm comm, cas_error *err) {
  char mine[300];
  snprintf(mine, sizeof mine, "version: %s\ncommit: %s\nbuild: %s\n", CAS_VERSION, CAS_COMMIT,
           cas_build_id());
  return cas_compare_ranks(mine, "Start one build of casimir on all ranks.", comm, err);
}
