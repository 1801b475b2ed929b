/* Members of a struct by name: one list for its memory, writer, reader, comparison and report. */
#ifndef CAS_FIELD_H
#define CAS_FIELD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  CAS_FIELD_REAL,  /* double */
  CAS_FIELD_INT64, /* int64_t */
  CAS_FIELD_INT,   /* int */
  CAS_FIELD_TEXT,  /* char *, owned; NULL is not stored */
  CAS_FIELD_WORDS  /* char [extra] */
} cas_field_type;

/** A value of a struct, or an array that it points to: a column of a table, which runs over its
    levels unless the table says otherwise. */
typedef struct cas_field {
  const char *name; /* NULL ends a list */
  cas_field_type type;
  size_t offset;            /* of the value, or of the pointer to an array */
  int extra;                /* arrays: length minus the number of levels */
  const char *long_name;    /* arrays only, as units; the table replaces "%s" by its subject */
  const char *units;        /* NULL: those of the table; "^2": their square */
  const char *cell_methods; /* arrays: of CF, what statistic they are; NULL where it has no word */
  bool optional;            /* files of earlier versions may lack it, and columns without a value */
  /* of an estimate, by the names of other fields of its list: its standard error, or NULL, and the
     ends of its interval, or NULL. CSV and JSON list only fields with `error` or `low`. */
  const char *error, *low, *high;
  int over;            /* columns: axes of a table that has several (files/results/table.h) */
  bool headline;       /* values only: what the whole table estimates */
  const char *heading; /* columns of frames (files/results/frame.h): in text; NULL: not shown */
  bool attribute;      /* values only: an attribute of the group, which any program can read */
} cas_field;

/** A list of rows, with its end: .values = CAS_FIELDS(CAS_FIELD_VALUE(..), ..). */
#define CAS_FIELDS(...) \
  (const cas_field[]) { \
    __VA_ARGS__, { 0 }  \
  }

/** Rows of lists: a value; a text of fixed length; an array. */
#define CAS_FIELD_VALUE(owner, kind, called, member) \
  { .name = called, .type = CAS_FIELD_##kind, .offset = offsetof(owner, member) }
/** A value that files of earlier versions lack: it is 0 where they are read. */
#define CAS_FIELD_LATER(owner, kind, called, member) \
  { .name = called, .type = CAS_FIELD_##kind, .offset = offsetof(owner, member), .optional = true }
/** Behind the units may stand what else the column has: .error = "standard_error". */
#define CAS_FIELD_COLUMN(owner, kind, called, member, longer, meaning, ...)                       \
  {                                                                                               \
    .name = called, .type = CAS_FIELD_##kind, .offset = offsetof(owner, member), .extra = longer, \
    .long_name = meaning, .units = __VA_ARGS__                                                    \
  }

/** A column that is a statistic, by the cell_methods of CF; their "realization" are the paths. */
#define CAS_FIELD_STATISTIC(owner, called, member, longer, meaning, unit, ...)                  \
  {                                                                                             \
    .name = called, .type = CAS_FIELD_REAL, .offset = offsetof(owner, member), .extra = longer, \
    .long_name = meaning, .units = unit, .cell_methods = __VA_ARGS__                            \
  }

/** A member cas_estimates. */
#define CAS_FIELD_ESTIMATE(owner, called, member, error_called, longer, meaning, unit) \
  CAS_FIELD_COLUMN(owner, REAL, called, member.value, longer, meaning, unit,           \
                   .error = error_called),                                             \
      CAS_FIELD_COLUMN(owner, REAL, error_called, member.standard_error, longer,       \
                       "standard error: " meaning, unit)

/** A member cas_means; the ends of its intervals are called "FIRST_low" and "FIRST_high". What all
    of them run over: `axes`. */
#define CAS_FIELD_MEAN(owner, called, member, error_called, first, longer, meaning, axes)      \
  CAS_FIELD_STATISTIC(owner, called, member.value, longer, meaning, NULL, "realization: mean", \
                      .error = error_called, .low = #first "_low", .high = #first "_high",     \
                      .over = axes),                                                           \
      CAS_FIELD_COLUMN(owner, REAL, error_called, member.standard_error, longer,               \
                       "standard error: " meaning, NULL, .over = axes),                        \
      CAS_FIELD_COLUMN(                                                                        \
          owner, REAL, #first "_low", member.low, longer,                                      \
          "lower end of the 95% interval of a mean that is a probability, by Clopper "         \
          "and Pearson",                                                                       \
          NULL, .optional = true, .over = axes),                                               \
      CAS_FIELD_COLUMN(                                                                        \
          owner, REAL, #first "_high", member.high, longer,                                    \
          "upper end of the 95% interval of a mean that is a probability, by Clopper "         \
          "and Pearson",                                                                       \
          NULL, .optional = true, .over = axes)

/** A member cas_intervals, whose columns are called like it. */
#define CAS_FIELD_INTERVAL(owner, member, longer, meaning, ...)                      \
  CAS_FIELD_COLUMN(owner, REAL, #member, member.value, longer, meaning, __VA_ARGS__, \
                   .low = #member "_low", .high = #member "_high"),                  \
      CAS_FIELD_COLUMN(owner, REAL, #member "_low", member.low, longer,              \
                       "lower end of its 95% interval", __VA_ARGS__),                \
      CAS_FIELD_COLUMN(owner, REAL, #member "_high", member.high, longer,            \
                       "upper end of its 95% interval", __VA_ARGS__)

/** The array behind a column of the struct at `base`. */
void *cas_field_array(const cas_field *f, const void *base);
size_t cas_field_size(cas_field_type type);
void cas_field_columns_free(const cas_field *columns, void *base);
/** Frees texts. */
void cas_field_values_free(const cas_field *values, void *base);

/** The field of this name; NULL where there is none. */
const cas_field *cas_field_find(const cas_field *list, const char *name);
/** Whether a field is the standard error, or an end of the interval, of another one of the list. */
bool cas_field_is_uncertainty(const cas_field *list, const cas_field *f);

bool cas_field_same_text(const char *a, const char *b);
/** Bit for bit; two NULLs are the same. */
bool cas_field_same_array(const void *a, const void *b, size_t bytes);
/** Of all fields of a list; columns have `levels` values and `extra` more. */
bool cas_field_same_values(const cas_field *values, const void *a, const void *b);
bool cas_field_same_columns(const cas_field *columns, int levels, const void *a, const void *b);

#endif
