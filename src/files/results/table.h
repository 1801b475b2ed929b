/* Tables of results: structs of statistics, and their kinds, which name their members and from
   which all that is done with a table follows: write, read, compare, print, free. */
#ifndef CAS_TABLE_H
#define CAS_TABLE_H

#include "files/hdf5/hdf5.h"

#include <casimir/results.h>

enum { CAS_TABLE_AXES = 4 };

/** The step sizes that columns of levels + extra values run over, by their number alone: for
    extra < 0 the geometric means of 1 - extra neighbours, for 1 the reference too. */
cas_file_axis cas_table_step_axis(int levels, int extra);
/** The neighbours of which such an axis has means, from 1 on; 0 for all other axes. */
int cas_table_step_neighbours(const cas_file_axis *a);

/** Where the tables of a kind are in a file. */
typedef enum {
  CAS_TABLE_ALONE, /* in a group for one table: "mlmc" */
  CAS_TABLE_EACH,  /* in a group of their own name in that group: "weak/sin2pi" */
  CAS_TABLE_SHARED /* together in that group, with a name that begins with the first column's, and
                      what comes behind it at the end of all columns and values: "error_sup",
                      "standard_error_sup", "verdict_sup" */
} cas_table_place;

/** An axis of a table besides its step sizes, such as times, which are members of its struct. */
typedef struct {
  const char *name, *long_name, *unit;
  size_t length;      /* of a member int */
  size_t coordinates; /* of a member double *, owned: [length] */
} cas_table_axis;

/** cas_field.over of a column, where its table has an axis besides its steps; otherwise it runs
    over the steps, if the table has levels, and over that axis. */
enum { CAS_TABLE_OVER_STEPS = 1, CAS_TABLE_OVER_AXIS = 2 };

typedef struct cas_table_kind cas_table_kind;
struct cas_table_kind {
  const char *group; /* parts are in the group of the whole, in groups of their own names */
  cas_table_place place;
  size_t size;              /* of the struct */
  const cas_field *columns; /* arrays; NULL: none */
  const cas_field *values;  /* datasets without axes; NULL: none */
  /* attributes of the group, as of one whose names are those of parts; NULL: none */
  const cas_field *attributes;
  const cas_field *apart; /* values that `put` and `get` write and read; NULL: none */
  /* of members char [64], where tables of the kind have names: all but those alone */
  size_t name, unit;   /* none is the first member, whose offset 0 stands for none */
  size_t levels;       /* of a member int; 0: columns have other axes, or those of the whole */
  cas_table_axis axis; /* its name NULL: columns run over steps alone, or as axes() says */
  int more_levels;     /* more than the study has, which counts no reference */
  int most_levels;     /* files with more are refused; 0: any number */
  size_t laws;         /* of a member cas_laws; 0: none */
  size_t findings;     /* of a member cas_findings, what the verdict found; 0: none */
  /** Tables that belong to this one: [n] structs of a kind, and where their array and n are.
      optional */
  struct {
    const cas_table_kind *kind;
    size_t array, number;
    bool scales_above; /* their scales are in the group of the whole */
  } parts;
  /* all optional */
  /** The axes of a column, and how many, where `axis` does not say enough. */
  int (*axes)(const cas_table *t, const cas_field *column, cas_file_axis axis[CAS_TABLE_AXES]);
  /** What "%s" in long names stands for. */
  const char *(*subject)(const void *object);
  /** What the file has besides columns and values; `get` comes before them, when the name and the
      number of levels are known, and finds the lengths of all other axes. */
  void (*put)(cas_h5 *h, hid_t group, const cas_table *t);
  void (*get)(cas_h5 *h, hid_t group, cas_table *t);
  /** Frees what is neither a column nor a value. */
  void (*release)(void *object);
  /** Appends what a study of values with such tables says first: "Wasserstein error of ..";
      without it the first values are its headline. */
  void (*say)(const cas_results *r, const cas_table *t, char *text, size_t size);
  /** What its laws were fitted to, which begins with "squared" for squares; NULL where they are not
      to be shown. Without it: "differences" */
  const char *(*fitted)(const cas_results *r, const cas_table *t);
};

static inline void *cas_table_member(const cas_table *t, size_t offset) {
  return (char *)t->object + offset;
}
/** The name of a table, its group's if it has none. */
const char *cas_table_name(const cas_table *t);
/** The unit of its columns that name none, "1" if it has none. */
const char *cas_table_unit(const cas_table *t);
/** What its verdict found; 0 if it has none. */
cas_findings cas_table_findings(const cas_table *t);
/** What they are in files: their names, and their sentences. */
extern const cas_field cas_table_findings_field, cas_table_verdict_field;
/** Its laws; NULL if it has none. */
cas_laws *cas_table_laws(const cas_table *t);
/** Its place in a file: "weak/sin2pi". */
enum { CAS_TABLE_PATH = 200 };
void cas_table_path(const cas_table *t, char path[CAS_TABLE_PATH]);
cas_table cas_table_part(const cas_table *t, int i);
int cas_table_parts(const cas_table *t);
int cas_table_axes(const cas_table *t, const cas_field *column, cas_file_axis axis[CAS_TABLE_AXES]);
int cas_table_levels(const cas_table *t);
/** Gives the axis of step sizes among these its coordinates from the results, or takes its name
    away where it runs over more than there are. Returns their memory, for the caller to free. */
double *cas_table_step_fill(cas_h5 *h, const cas_results *r, int axes, cas_file_axis *axis);
/** What a column or a value is, with `subject` in the place of "%s"; "" where nothing is said. */
void cas_table_long_name(const cas_field *f, const char *subject, char *text, size_t size);
/** Whether an optional column of n numbers has none, so that files and rows leave it out. */
bool cas_table_is_absent(const cas_field *f, const void *array, size_t n);
size_t cas_table_count(const cas_table *t, const cas_field *column);
/** Makes numbers NaN, and takes laws away, as long as nothing is known of them. */
void cas_table_clear(const cas_table *t);
/** Number i of the real column of this name, and the real number of a list of values; NaN where
    there is none. */
double cas_table_real(const cas_table *t, const char *column, size_t i);
double cas_table_value(const cas_table *t, const cas_field *list, const char *name);
/** A new table of this name and unit, NULL where the kind has none, which begins as a copy of
    `like` (NULL: zeros) with the levels, lengths and numbers of parts that it has. It has its axis,
    zeroed, its parts, and all columns; real numbers are NaN. The caller gives it to cas_results_add
    or cas_table_delete. NULL with the error CAS_NO_MEMORY. */
void *cas_table_new(const cas_table_kind *kind, const char *name, const char *unit,
                    const void *like, cas_error *err) CAS_MUST_CHECK;
/** Frees it with all that it points to; nothing for NULL. */
void cas_table_delete(const cas_table_kind *kind, void *object);
/** Makes a new table and adds it to results, which own it. */
void *cas_table_create(cas_results *r, const cas_table_kind *kind, const char *name,
                       const char *unit, const void *like, cas_error *err) CAS_MUST_CHECK;
/** Allocates all columns when the lengths of their axes are known, real numbers NaN; what there is
    belongs to the table after a failure too. */
cas_status cas_table_create_columns(const cas_table *t, cas_error *err) CAS_MUST_CHECK;
/** Bytes of all that a file holds of the tables, and some more. A column that is NULL is in the
    file already, as a dataset without scales, and is not compared. */
int64_t cas_tables_bytes(const cas_results *r);
/** Adds a table, of calloc, to results, which own it and all it points to, after a failure too. */
cas_status cas_results_add(cas_results *r, const cas_table_kind *kind, void *object,
                           cas_error *err) CAS_MUST_CHECK;
void cas_tables_free(cas_results *r);
/** Bit for bit, NaN included. */
bool cas_tables_equal(const cas_results *a, const cas_results *b);

void cas_tables_put(cas_h5 *h, hid_t file, const cas_results *r);
/** All tables of known kinds. Every shape is checked before anything is read. */
void cas_tables_get(cas_h5 *h, hid_t file, cas_results *r);

/* ---- laws (laws.c) ---- */

/** The laws of all tables as "/fits" and "/orders". */
void cas_laws_put(cas_h5 *h, hid_t file, const cas_results *r);
/** Reads the laws of all tables. A file without them is refused. */
void cas_laws_get(cas_h5 *h, hid_t file, const cas_results *r);
bool cas_laws_equal(const cas_laws *a, const cas_laws *b);
/** Prints laws that were fitted to `of`, which begins with "squared" for squares, a line each. */
void cas_laws_print(FILE *f, const cas_laws *l, const char *of);

/** Rows of a list of values: a number, with what else it has behind the unit, and a text. */
#define CAS_TABLE_VALUE(owner, kind, called, member, meaning, ...) \
  CAS_FIELD_COLUMN(owner, kind, called, member, 0, meaning, __VA_ARGS__)
#define CAS_TABLE_TEXT(owner, member, meaning) \
  CAS_FIELD_COLUMN(owner, WORDS, #member, member, sizeof(((owner *)0)->member), meaning, "1")

/** A number with the ends of its 95% interval; behind the unit may stand what all three have. */
#define CAS_TABLE_INTERVAL(owner, called, member, low_member, high_member, meaning, ...)         \
  CAS_TABLE_VALUE(owner, REAL, called, member, meaning, __VA_ARGS__, .low = called "_low",       \
                  .high = called "_high"),                                                       \
      CAS_TABLE_VALUE(owner, REAL, called "_low", low_member, "lower end of its 95% interval",   \
                      __VA_ARGS__),                                                              \
      CAS_TABLE_VALUE(owner, REAL, called "_high", high_member, "upper end of its 95% interval", \
                      __VA_ARGS__)

/** The order of a member cas_laws, the first value of its list. */
#define CAS_TABLE_ORDER(owner)                                                         \
  CAS_TABLE_INTERVAL(owner, "order", laws.order, laws.order_low, laws.order_high,      \
                     "order of convergence, NaN where its interval is unbounded", "1", \
                     .attribute = true)

/** A member cas_fit. */
#define CAS_TABLE_FIT(owner, called, member, meaning, constant_called)                           \
  CAS_TABLE_INTERVAL(owner, called, member.order, member.low, member.high, meaning, "1"),        \
      CAS_TABLE_VALUE(owner, REAL, constant_called, member.constant, "factor of that power law", \
                      "1")

/** A member cas_extrapolation. */
#define CAS_TABLE_EXTRAPOLATION(owner, member)                                                  \
  CAS_FIELD_ESTIMATE(owner, "extrapolated_mean", member, "extrapolated_mean_standard_error", 0, \
                     "mean of the functional at h = 0, with the order of theory", NULL),        \
      CAS_TABLE_VALUE(owner, REAL, "extrapolated_mean_law_error", member.law_error,             \
                      "size of the last term of the law at the finest step", NULL)

#define CAS_TABLE_BIAS_BOUND(owner)                      \
  CAS_TABLE_VALUE(owner, REAL, "bias_bound", bias_bound, \
                  "upper bound on what failed paths can have changed, NaN if none is known", NULL)
#define CAS_TABLE_EXPECTED(owner)                                                         \
  CAS_TABLE_VALUE(owner, REAL, "expected_order", expected_order, "order of theory", "1"), \
      CAS_TABLE_BIAS_BOUND(owner)

/* ---- for people (table_print.c) ---- */

/** Appends what a level is, its step "2^-7" or its N, behind what comes before it. */
void cas_table_append_level(char *text, size_t size, const char *before, const cas_results *r,
                            int level);
/** Appends ", order 0.51 [0.38, 0.64] between 2^-8 and 2^-9" of the finest pair of levels whose
    interval has two ends, or that none is resolved, from the column local_order of a table, at
    place `at` along its second axis. */
void cas_table_append_pair_order(char *text, size_t size, const cas_results *r, const cas_table *t,
                                 int at);

/** Every table: its columns, what they are, its values, laws, and what is concluded. */
void cas_tables_print(FILE *f, const cas_results *r);

/* ---- the reference (table_describe.c) ---- */

/** Every kind that files are looked through for, the last NULL. */
extern const cas_table_kind *const cas_table_kinds[];
#define CAS_TABLE(name) extern const cas_table_kind cas_table_##name;
#include "studies/tables.def"
#undef CAS_TABLE
/** All groups and datasets of results, what they run over and what they are. */
void cas_tables_describe(FILE *f);

#endif
