/* The options of a table one after another. */
#ifndef CAS_KEYS_H
#define CAS_KEYS_H

#include "base/name_list.h"

#include <casimir/config.h>

/** A walk over the options of a table and of those that it includes. */
typedef struct {
  const cas_option *option; /* NULL at the end */
  size_t offset;            /* of its value in the struct that the table fills */
  int depth;
  struct {
    const cas_option *next;
    size_t base;
  } table[4]; /* those that include one another */
} cas_walk;

cas_walk cas_walk_begin(const cas_option *table);
void cas_walk_next(cas_walk *w);

/** Adds the keys of a table, which borrows them. */
void cas_option_keys(const cas_option *table, cas_name_list *keys);

#endif
