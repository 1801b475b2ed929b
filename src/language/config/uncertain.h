/* Numbers of a configuration that every path draws for itself: `inertia: [1, {normal: [2, 0.1],
   each: path}, 3]`. Such a value may stand wherever a section takes real numbers, alone, in lists,
   or as constants of expressions. */
#ifndef CAS_UNCERTAIN_H
#define CAS_UNCERTAIN_H

#include "language/config/keys.h"

typedef enum {
  CAS_UNCERTAIN_NORMAL,  /* mean and standard deviation */
  CAS_UNCERTAIN_UNIFORM, /* least and greatest value */
  CAS_UNCERTAIN_FILE,    /* rows of a dataset */
  CAS_UNCERTAIN_LAWS     /* how many there are */
} cas_uncertain_law;

/** Which row of a dataset is that of a path. */
enum {
  CAS_UNCERTAIN_ROW_OWN,  /* the row with the number of the path */
  CAS_UNCERTAIN_ROW_DRAWN /* one drawn at random, every row with the same probability */
};

/** Rows of a dataset, as the configuration has them: one for each path. */
typedef struct {
  cas_array_source source;
  int row, each;
} cas_uncertain_rows;

/** One value of the configuration that says how paths draw it. */
typedef struct {
  char *path; /* "system.inertia[0]", of a list as a whole "system.inertia" */
  cas_uncertain_law law;
  cas_uncertain_rows from; /* of CAS_UNCERTAIN_FILE */
  int columns;             /* numbers of a row */
  struct cas_node *node;   /* in the copy of the configuration */
} cas_uncertain_value;

/** One number that paths draw. */
typedef struct {
  char *path;            /* "system.inertia[0]" */
  int value;             /* that it is of */
  double a, b;           /* mean and deviation, or least and greatest value */
  int column;            /* of a row of a dataset */
  struct cas_node *node; /* in the copy of the configuration, whose text it becomes */
} cas_uncertain_number;

/** The keys of the laws, CAS_UNCERTAIN_LAWS of them. */
extern const char *const cas_uncertain_laws[];
/** The names of rows in the order of their enumeration, ended by NULL. */
extern const char *const cas_uncertain_row_names[];

/** All of them; zeroed: there are none. */
typedef struct {
  const cas_config *given; /* the configuration that has them */
  cas_config *config;      /* a copy in which they are numbers; NULL: there are none */
  int values, numbers;
  cas_uncertain_value *value;
  cas_uncertain_number *number;
} cas_uncertain;

/** Finds the uncertain values in a section, whose options are in `table`. Refuses those of options
    that take no real numbers. *u refers to c; the caller frees it, after failures too. */
cas_status cas_uncertain_find(const cas_config *c, const char *section, const cas_option *table,
                              cas_uncertain *u, cas_error *err) CAS_MUST_CHECK;
/** Replaces them in the copy of the configuration by numbers, once value[].from.source of those
    from files has been read. */
cas_status cas_uncertain_expand(cas_uncertain *u, cas_error *err) CAS_MUST_CHECK;
/** Gives a number its value in the copy of the configuration. */
cas_status cas_uncertain_set(cas_uncertain *u, int number, double value,
                             cas_error *err) CAS_MUST_CHECK;
void cas_uncertain_free(cas_uncertain *u);

/** Writes the options of a section as cas_options_write does, those with uncertain numbers as the
    configuration gives them. */
void cas_uncertain_write(FILE *f, int indent, const char *section, const cas_option *table,
                         const void *values, const cas_uncertain *u);

/** Writes the keys of a table whose values may be uncertain, such as "inertia, noise.sigma". */
void cas_uncertain_list_keys(FILE *f, const cas_option *table);

#endif
