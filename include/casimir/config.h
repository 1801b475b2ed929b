/** Configurations: a YAML tree with line numbers, and option tables that read, check, document and
    write it. Not collective: rank 0 reads the text, every rank parses the same bytes. */
#ifndef CASIMIR_CONFIG_H
#define CASIMIR_CONFIG_H

#include <casimir/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parsed configuration. */
typedef struct cas_config cas_config;

/** Parses YAML text; `filename` appears in messages. Refuses duplicate keys, anchors and aliases,
   several documents, a top level that is no mapping, depth over 32. On failure *out is NULL. */
cas_status cas_config_parse(const char *text, size_t length, const char *filename, cas_config **out,
                            cas_error *err) CAS_MUST_CHECK;
/** Overrides or adds one value: "study.paths=1000", "system.noise={kind: linear, chi: [[1,0,0]]}".
   The right side is YAML; null takes a key away that is there. Messages about it later name "--set
   study.paths=1000" instead of file and line. */
cas_status cas_config_set(cas_config *c, const char *assignment, cas_error *err) CAS_MUST_CHECK;
/** Frees a configuration; NULL is allowed. */
void cas_config_free(cas_config *c);
/** Writes a line such as "system.noise.chi[0][1]: 0.02" for every value that is given, as it is
    written there; defaults are not among them. */
void cas_config_list(FILE *f, const cas_config *c);

/* ---- option tables ---- */

/** The type of an option, and of the member that it is read into. */
typedef enum {
  CAS_INT,      /* int64_t */
  CAS_REAL,     /* double; .inf allowed where the range has it, NaN never */
  CAS_STEP,     /* double > 0: a number, 2^-7, or 1/128 */
  CAS_BOOL,     /* bool */
  CAS_STRING,   /* char *, owned, NULL if absent */
  CAS_CHOICE,   /* int, index into choices */
  CAS_INTS,     /* cas_ints: an integer, or a list of them */
  CAS_REALS,    /* cas_reals */
  CAS_VECTORS,  /* cas_vectors: a list of lists of equal length */
  CAS_STRINGS,  /* cas_strings */
  CAS_FORMULAS, /* cas_formulas: names and {name: expression} */
  CAS_DURATION, /* double, seconds: 90, 10min, 3h50m, 45s */
  CAS_STATE,    /* cas_state_source */
  CAS_SECTION,  /* a nested mapping; its options write at `offset` + their own offsets */
  /* cas_reals_or_key: a list of reals, or a mapping {KEY: list of reals} */
  CAS_REALS_OR_KEY,
  /* the options of `section` as if they stood here, at `offset` + their own offsets; it has no key,
     and nests three deep at most */
  CAS_INCLUDE
} cas_option_type;

/** A list of integers. */
typedef struct {
  int n;          /* their number */
  int64_t *value; /* [n] */
} cas_ints;
/** A list of reals. */
typedef struct {
  int n;         /* their number */
  double *value; /* [n] */
} cas_reals;
/** A list of reals, or {KEY: list of reals}. KEY, with the range and the help of its numbers, is
    the only option of the option's `section`, of type CAS_REALS and at offset 0. */
typedef struct {
  cas_reals values; /* the numbers, of either form */
  bool by_key;      /* the values stood below KEY */
} cas_reals_or_key;
/** A list of lists of equal length. */
typedef struct {
  int rows, columns; /* number of lists, and their length */
  double *value;     /* [rows][columns] */
} cas_vectors;
/** A list of texts. */
typedef struct {
  int n;        /* their number */
  char **value; /* [n] */
} cas_strings;
/** A list of names and of mappings {name: expression, ..}, or one such mapping. */
typedef struct {
  int n;        /* number of entries */
  char **name;  /* [n] */
  char **text;  /* [n] the expression as it is written; NULL of a name alone */
  char **place; /* "[2]", "[2].tilt" or ".tilt": where an entry stands below the option's key */
} cas_formulas;

/** Rows of numbers of the configuration, or an array of a file: `{file: F, dataset: D}`. A key has
    either by {.type = CAS_SECTION, .section = cas_array_options, .alone = "rows"}. */
typedef struct {
  cas_vectors rows;     /* of the configuration; of 0 rows: none */
  char *file, *dataset; /* that the array is read from; NULL: from none */
  char *hash;           /* of its numbers, by which a run knows them */
  int rank;             /* of the array, while the system is checked */
  int64_t dims[4];      /* its shape */
  double *value;        /* its numbers, which are real and finite, row by row */
} cas_array_source;

/** Where an initial state comes from: numbers (any nesting, flattened row by row), a dataset in an
   HDF5 file (`index`: which state of a stack, one number for each axis in front of the axes of a
   state), as records have it or in another form that the system reads, or, where the system offers
   them, a random state or coefficients of harmonics. It is one state for all paths, or one for
   each. */
typedef struct {
  enum {
    CAS_STATE_DEFAULT,     /* the system's own */
    CAS_STATE_VALUES,      /* numbers of the configuration */
    CAS_STATE_FILE,        /* a dataset */
    CAS_STATE_RANDOM,      /* random numbers */
    CAS_STATE_COEFFICIENTS /* coefficients of harmonics */
  } kind;                  /* which of the members that follow are used */
  cas_reals values;        /* of CAS_STATE_VALUES */
  char *file, *dataset;    /* of CAS_STATE_FILE */
  const char *form;        /* of CAS_STATE_FILE: "map", "coefficients"; NULL: as in records */
  cas_ints index;          /* of CAS_STATE_FILE: the state in a stack of states */
  int64_t seed;            /* of CAS_STATE_RANDOM */
  bool seeded; /* whether the initial state has a seed of its own, beside the seed of the noise */
  double norm; /* of coefficients: 0 leaves them as they are */
  int64_t lmin, lmax;       /* degrees of a random state; 0: not given */
  cas_vectors coefficients; /* rows (l, m, value) */
  char *law;                /* of a random state, which the system offers; NULL: normal numbers */
  int each;                 /* 1: every path has a state of its own */
  bool keep;                /* those states are kept in the results */
} cas_state_source;

/** What the value of an option is part of, by which two runs are compared: flags of
    cas_option.identity. Without a flag it is of the paths: other values make another run. */
enum {
  CAS_OF_FILE = 1u << 0,    /* of what the file holds, or of how it is computed, not of the paths */
  CAS_OF_FAILED = 1u << 1,  /* of paths that fail: compared once there are any */
  CAS_MORE_PATHS = 1u << 2, /* the number of paths: a run of fewer can be gone on with */
  CAS_MORE_STEPS =
      1u << 3,          /* an integer, or an ascending list, up to which paths are computed: a run
                               of less can be gone on with */
  CAS_OF_PART = 1u << 4 /* which sample of paths: runs that differ in it can be merged */
};

/** One option: a row of a table, which a row without key ends. */
typedef struct cas_option {
  const char *key;      /* NULL ends a table, unless it is CAS_INCLUDE */
  cas_option_type type; /* of the value */
  size_t offset;        /* of the value in the caller's struct */
  /* Default, as YAML text. NULL: required. "": may be absent, and is then zeroed; the options of an
     absent section take their own defaults, and required ones are zeroed. */
  const char *fallback;
  /* Inclusive range of numbers and of list elements; both 0: any finite number. high = INFINITY: no
     upper bound, and .inf is a value; DBL_MAX: none, but finite. */
  double low, high;
  bool open_low; /* low itself is refused; with low and high 0: any finite number above 0 */
  const char *const *choices;       /* CAS_CHOICE: NULL-terminated */
  const struct cas_option *section; /* CAS_SECTION, CAS_REALS_OR_KEY, CAS_INCLUDE */
  const char *alone;                /* CAS_SECTION: the key that a value which is no mapping has */
  const char *help;                 /* one line: meaning and unit */
  unsigned identity;                /* CAS_OF_FILE | ..: how runs with other values are compared */
} cas_option;

/** The keys of a cas_array_source. */
extern const cas_option cas_array_options[];

/** A row of a table of options, of a key that is called like the member it is read into:
    CAS_OPTION(parameters, REAL, sigma, .fallback = "0", .help = "strength of the noise"). */
#define CAS_OPTION(owner, kind, member, ...) \
  { .key = #member, .type = CAS_##kind, .offset = offsetof(owner, member), __VA_ARGS__ }
/** A row for the keys below a key, which may all be absent: CAS_SECTION_OPTION("noise", 0,
    noise_options, "random forces"). They write at this offset + their own; other members may follow
    the help. */
#define CAS_SECTION_OPTION(called, at, options, ...)                                      \
  {                                                                                       \
    .key = called, .type = CAS_SECTION, .offset = at, .fallback = "", .section = options, \
    .help = __VA_ARGS__                                                                   \
  }

/** Reads the mapping at dotted `path` ("study", "system.noise"; "" is the top) into *out, where
   every value is zeroed first. `also`: NULL-terminated keys that are read elsewhere. Unknown keys
   are refused with the nearest known one, other errors with what would be right. On failure nothing
   is left to free. */
cas_status cas_options_read(const cas_config *c, const char *path, const cas_option *table,
                            const char *const *also, void *out, cas_error *err) CAS_MUST_CHECK;
/** Frees what cas_options_read has allocated in *out. */
void cas_options_free(const cas_option *table, void *out);
/** The scalar at `path` as text, or NULL: for keys that select a table, as system.name does. */
const char *cas_config_text(const cas_config *c, const char *path);
/** Whether the configuration has a value at `path`. */
bool cas_config_has(const cas_config *c, const char *path);
/** Writes "key: value" lines, every option with its effective value, readable by cas_config_parse
   and bitwise faithful (shortest decimals), absent ones left out. `values` as filled by
   cas_options_read. */
void cas_options_write(FILE *f, int indent, const cas_option *table, const void *values);
/** Prints a description of a table: key, type, range, default, help. */
void cas_options_describe(FILE *f, int indent, const cas_option *table);

/** An error about the value at `path`: "run.yaml:12: system.noise.chi: <message>". Line of the
   nearest existing ancestor if `path` itself is absent. Returns CAS_BAD_INPUT. */
cas_status cas_config_fail(const cas_config *c, cas_error *err, const char *path,
                           const char *format, ...) CAS_PRINTF(4, 5);
/** Returns such an error from such a function as CAS_CALL is for, which has an `err`, where
    something is wrong:
    CAS_REFUSE(c, p->n < 2, "system.n", "found %d, must be at least 2", p->n). */
#define CAS_REFUSE(config, wrong, path, ...)                      \
  do {                                                            \
    if (wrong)                                                    \
      return cas_config_fail((config), err, (path), __VA_ARGS__); \
  } while (0)
/** An error about the name at `path`, which is none of `names` (NULL-terminated): "run.yaml:2:
   system.name: found 'rigid_bod'; did you mean 'rigid_body'? (known: manakov, rigid_body)".
   `element`: which name of the list at `path`; NULL if the name is the value itself. Returns
   CAS_BAD_INPUT. */
cas_status cas_config_unknown(const cas_config *c, cas_error *err, const char *path,
                              const char *element, const char *const *names);
/** Reads a duration such as 90, 45s, 10min or 3h50m. Returns NULL, or what would be right. */
const char *cas_parse_duration(const char *text, double *seconds);
/** The name nearest to `found` among `names` (NULL-terminated) if it is plausible, else NULL. */
const char *cas_nearest(const char *found, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
