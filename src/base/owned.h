/* What the end of a block gives back, however the block is left: by its last statement, a
   return, or a CAS_CALL that fails. The last of several variables is given back first. Whoever
   includes this has the functions of the C library for memory, texts and streams. */
#ifndef CAS_OWNED_H
#define CAS_OWNED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** In front of a variable: function(&variable) is called at the end of its block. */
#define CAS_OWNED_BY(function) __attribute__((cleanup(function), unused))
/** In front of pointers from malloc, which may be NULL. */
#define CAS_OWNED CAS_OWNED_BY(cas_owned_free)

static inline void cas_owned_free(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}

/** Resizes the memory of a pointer to n items of this size; false, unchanged, without memory. */
static inline bool cas_owned_resize(void *pointer, int64_t n, size_t size) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  memory = realloc(memory, (size_t)n * size);
  if (memory)
    memcpy(pointer, &memory, sizeof memory);
  return memory;
}

static inline void cas_owned_stream(FILE *const *stream) {
  if (*stream)
    fclose(*stream);
}

static inline void cas_owned_descriptor(const int *descriptor) {
  if (*descriptor >= 0)
    close(*descriptor);
}

#endif
