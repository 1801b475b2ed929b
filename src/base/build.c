#include "base/build.h"
#include "base/owned.h"

#include <casimir/status.h>

#include <link.h>

/* A segment of notes: each a header, a name and a descriptor, all three padded. */
static void read_notes(const char *at, const char *end, size_t align, char id[CAS_BUILD_ID_SIZE]) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) n;
    memcpy(&n, at, sizeof n);
    const char *name = at + sizeof n;
    const unsigned char *bytes =
        (const unsigned char *)name + (n.n_namesz + align - 1) / align * align;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof ELF_NOTE_GNU &&
        memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      for (size_t i = 0; i < n.n_descsz && 2 * i + 2 < CAS_BUILD_ID_SIZE; i++)
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

typedef struct {
  uintptr_t function;
  char *id;
} search;

static int read_object(struct dl_phdr_info *object, size_t size CAS_UNUSED, void *data) {
  search *s = data;
  if (!holds(object, s->function))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    const char *begin = (const char *)(object->dlpi_addr + p->p_vaddr);
    if (p->p_type == PT_NOTE)
      read_notes(begin, begin + p->p_memsz, p->p_align == 8 ? 8 : 4, s->id);
  }
  return 1;
}

void cas_build_id_of(uintptr_t function, char id[CAS_BUILD_ID_SIZE]) {
  search s = {function, id};
  id[0] = '\0';
  dl_iterate_phdr(read_object, &s);
  if (!id[0])
    snprintf(id, CAS_BUILD_ID_SIZE, "unknown");
}

const char *cas_build_id(void) {
  static char id[CAS_BUILD_ID_SIZE];
  if (!id[0])
    cas_build_id_of((uintptr_t)&cas_build_id, id);
  return id;
}
