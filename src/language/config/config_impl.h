/** Private to src/language/config: the tree of a configuration, and the types of options. */
#ifndef CASIMIR_CONFIG_IMPL_H
#define CASIMIR_CONFIG_IMPL_H

#include "base/owned.h"
#include "language/config/number.h"

#include <casimir/config.h>
#include <math.h>
#include <stdarg.h>

/* ---- text shown to people (config_text.c) ---- */

enum {
  CAS_CONFIG_CLIP = 40,                       /* characters of foreign text that a message quotes */
  CAS_CONFIG_CLIP_SIZE = 8 * CAS_CONFIG_CLIP, /* enough for them, escaped */
  CAS_KEY_PATH_SIZE = 600,
  CAS_CONFIG_KNOWN_SIZE = 600,
  CAS_CONFIG_DEPTH = 32,
  CAS_NUMBER_SIZE = 40
};

#define CAS_CONFIG_DECIMAL_POINT "numbers have a decimal point, as in 0.5, no comma"

/** Prints UTF-8 `text`, escaped (\xNN, \uNNNN) where a terminal or YAML would not show a character,
    and characters of `quoted` behind a backslash. */
void cas_config_put(FILE *f, const char *text, const char *quoted);
/** `text` with at most `limit` characters, escaped, "..." where it was cut. */
void cas_config_clip(char *out, size_t size, size_t limit, const char *text);
/** "; did you mean 'noise'? (known: name, noise)". */
void cas_config_suggestion(char *out, size_t size, const char *found, const char *const *names);

/* ---- tree (config_tree.c) ---- */

/** Where text came from: a file, one --set, or a default. */
typedef struct cas_origin {
  struct cas_origin *next;
  bool has_lines;
  char *label;
} cas_origin;

typedef enum { CAS_NODE_TEXT, CAS_NODE_LIST, CAS_NODE_MAP } cas_node_kind;

typedef struct cas_node {
  cas_node_kind kind;
  bool plain; /* TEXT without quotes: may be a number or nothing */
  int line;   /* of the value; of the key for a list or mapping that has one */
  int key_line;
  int n; /* children */
  const cas_origin *origin;
  const struct cas_node *up;       /* what it is in; NULL: nothing */
  int index;                       /* in a list */
  const struct cas_node *original; /* of a copy */
  char *key, *text;
  char *source; /* of TEXT in a file: as it is written there, from the column of its line on */
  int column;
  struct cas_node *first, *last, *next;
} cas_node;

cas_node *cas_node_new(cas_node_kind kind, const cas_origin *origin);
void cas_node_free(cas_node *n);
void cas_node_free_children(cas_node *n);
/** Where a value is, "system.noise.chi[0][1]"; NULL without memory. The caller frees it. */
char *cas_node_path(const cas_node *n);
void cas_node_append(cas_node *parent, cas_node *child);
/** Appends a new value, of the origin of `parent`; NULL without memory. */
cas_node *cas_node_add(cas_node *parent, int line);
/** Finds the child with that key, or NULL. */
cas_node *cas_node_find(const cas_node *map, const char *key, size_t length);
/** Nothing written after the colon, or YAML's null. */
bool cas_node_is_null(const cas_node *n);
/** What stands there, for "found ...": the clipped text, bare for a number; "a list", "nothing". */
void cas_node_found(const cas_node *n, char *out, size_t size);

/** CAS_BAD_INPUT, "run.yaml:12:31: study.paths: <message>"; at NULL: the whole; column 0: none. */
cas_status cas_config_place_fail(cas_error *err, const cas_origin *origin, int line, int column,
                                 const cas_node *at, const char *format, va_list args);
cas_status cas_node_fail(cas_error *err, const cas_node *n, const char *format, ...)
    CAS_PRINTF(3, 4);
/** "<place>: found <what stands there>, <complaint>". */
cas_status cas_node_refuse(cas_error *err, const cas_node *n, const char *complaint);

/** Parses one YAML document, the value of `up`, NULL: of nothing. `depth` collections already
    surround it. On failure *out is NULL. */
cas_status cas_node_parse(const char *text, size_t length, const cas_origin *origin,
                          const cas_node *up, int depth, cas_node **out,
                          cas_error *err) CAS_MUST_CHECK;

/** The node at a dotted path such as "system.initial.coefficients[3]", or NULL; *nearest is the
    deepest ancestor that exists (itself if it does). */
const cas_node *cas_config_find(const cas_config *c, const char *path, const cas_node **nearest);

/* ---- numbers (options_number.c, number.h) ---- */

/** Returns NULL, or what would have been right. */
const char *cas_number_parse_int(const char *text, int64_t *value);
/** The shortest decimal that reads back bitwise. */
void cas_number_text(double value, char out[CAS_NUMBER_SIZE]);
/** With 17 digits it reads back bitwise, in a fifth of the time. */
void cas_number_text_digits(double value, int digits, char out[CAS_NUMBER_SIZE]);
/** "must be at least 1": what is wrong with `value`, for cas_node_refuse; NULL: it is in range. */
const char *cas_option_check_range(const cas_option *o, double value, char *out, size_t size);
/** " >= 0", " in (0, 1]", or nothing: for tables of options. */
void cas_option_range_text(const cas_option *o, char *out, size_t size);

/* ---- types of options (options_scalar.c, options_list.c, options_state.c) ---- */

typedef struct cas_type {
  size_t size;
  size_t presence; /* leading bytes of a value that are all zero only in an absent one */
  const char *name;
  const struct cas_type *element; /* of lists */
  const char *form;               /* what a list must be; NULL: one value alone is a list, too */
  /* required; leaves *out zeroed on failure */
  cas_status (*read)(const cas_option *o, const cas_node *n, void *out, cas_error *err);
  /* required */
  void (*write)(FILE *f, const cas_option *o, const void *value);
  /* optional: NULL means that a value owns nothing */
  void (*release)(void *value);
} cas_type;

#define CAS_TYPE(name, type) extern const cas_type cas_type_##name;
#include "language/config/types.def"
#undef CAS_TYPE

/** Defines the type of values `of`, whose first member, or what `lead` is, is zero in absent ones;
    members of a cas_type may follow. */
#define CAS_CONFIG_TYPE(called, of, lead, text, reader, writer, ...) \
  const cas_type cas_type_##called = {.size = sizeof(of),            \
                                      .presence = sizeof(lead),      \
                                      .name = text,                  \
                                      .read = reader,                \
                                      .write = writer,               \
                                      __VA_ARGS__};

/** NULL for CAS_SECTION, which every walk over a table handles by itself. */
const cas_type *cas_type_of(cas_option_type type);
/** Whether a value is what an option without one has. */
bool cas_type_is_absent(cas_option_type type, const void *value);

enum { CAS_TYPE_NESTING = 3 };

/** Numbers in lists within lists. */
typedef struct {
  const cas_option *option; /* by which each is read */
  int depth;                /* of the numbers */
  int length[CAS_TYPE_NESTING];
  int n; /* numbers that are read */
  double *value;
} cas_type_array;

/** Reads as many numbers as a->length says, by a->option, into a->value, which the caller frees. */
cas_status cas_type_read_array(const cas_node *n, cas_type_array *a, cas_error *err) CAS_MUST_CHECK;

void cas_type_write_real(FILE *f, double value);
/** Plain where that is safe in YAML, else in double quotes. */
void cas_type_write_text(FILE *f, const char *text);

/* ---- tables (options.c) ---- */

cas_status cas_option_table_read(const cas_option *table, const char *const *also,
                                 const cas_node *map, void *out, cas_error *err) CAS_MUST_CHECK;
/** The values of the section `map` that is absent: defaults, and zero where there is none. */
cas_status cas_option_table_absent(const cas_option *table, const cas_node *map, void *out,
                                   cas_error *err) CAS_MUST_CHECK;
/** Bytes of a value; of a section, from its start to the end of its last value. */
size_t cas_option_extent(const cas_option *o);
/** The lines of a table with the values of a mapping, or of an absent one, to be freed. NULL: it is
    no mapping of these options, or memory ran out. */
char *cas_table_text(const cas_option *table, const cas_node *map);

#endif
