/* The options of a table one after another. */
#ifndef CAS_KEYS_H
#define CAS_KEYS_H

#include "base/name_list.h"

#include <casimir/config.h>

/** A walk over the options of a table and of the tables that it includes. */
typedef struct {
  const cas_option *option; /* NULL at the end */
  size_t offset;            /* of its value in the struct that the table fills */
  int depth;
  struct {
    const cas_option *next;
    size_t base;
  } table[4]; /* tables that include one another */
} cas_walk;

cas_walk cas_walk_begin(const cas_option *table);
void cas_walk_next(cas_walk *w);

/** The characters of the key that "KEY=VALUE" is to; spaces around it are none of them. */
size_t cas_config_key_of(const char *assignment, const char **key);
/** A copy, whose messages are those of c; it must not outlive c. The caller frees it. */
cas_status cas_config_copy(const cas_config *c, cas_config **out, cas_error *err) CAS_MUST_CHECK;

/** An error about byte `at` (from 0) of the scalar at `path`: "run.yaml:12:31: system.hamiltonian:
    <message>"; where that is in no file, or not at a place of its own there, "--set ..:
    system.hamiltonian: at character 7: <message>". Returns CAS_BAD_INPUT. */
cas_status cas_config_fail_at(const cas_config *c, cas_error *err, const char *path, int at,
                              const char *format, ...) CAS_PRINTF(5, 6);

/** Frees the configuration of a variable (base/owned.h). */
static inline void cas_config_release(cas_config *const *c) { cas_config_free(*c); }

/** The options of a section of a configuration: several tables may be of one section. */
typedef struct {
  const char *section; /* "study"; "": the top. NULL ends a list */
  const cas_option *table;
  const void *values; /* filled by cas_options_read; NULL where nobody asks */
} cas_section_table;

/** By which options two configurations are compared. */
typedef struct {
  const cas_section_table *tables;
  unsigned ignored; /* identity of options that may have any value */
  unsigned grown;   /* identity of those of which "theirs" may be the beginning of "mine" */
} cas_config_rule;

/** Whether two effective configurations state the same: an absent key equals its default. Keys that
    are in no table are compared as texts. If not, `key` tells the first that differs, as in
    "system.noise.chi", [size] characters. */
bool cas_config_agrees(const cas_config *mine, const cas_config *theirs, const cas_config_rule *by,
                       char *key, size_t size);

/** For `also` of cas_options_read where another reader of the mapping checks the keys. */
extern const char *const cas_keys_of_others[];

/** The option of a key in a table; NULL: there is none. */
const cas_option *cas_option_find(const cas_option *table, const char *key);

/** Refuses a table by which readers would leave the `size` bytes that it fills, or fail: types
    unknown here, sections and choices without a list, values in each other's place, keys that
    stand twice, defaults that their options do not take. For tables that are no part of casimir. */
cas_status cas_option_table_check(const cas_option *table, size_t size,
                                  cas_error *err) CAS_MUST_CHECK;

#endif
