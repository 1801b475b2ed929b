/* The arguments of all commands: one table has the options, and the struct below their values. */
#ifndef CAS_APP_ARGUMENTS_H
#define CAS_APP_ARGUMENTS_H

#include "files/leftover.h"
#include "files/results/rows.h"

#include <argp.h>
#include <casimir/casimir.h>

enum {
  CAS_APP_RUN = 1,
  CAS_APP_SWEEP = 2,
  CAS_APP_PLOT = 4,
  CAS_APP_EXPORT = 8,
  CAS_APP_EVALUATE = 16,
  CAS_APP_REPORT = 32,
  CAS_APP_MERGE = 64,
  CAS_APP_BUILD = 128,
  CAS_APP_DESCRIBE = 256
};

/* ---- what the Python package beside the program draws: figures, films, pages, exports ---- */

enum { CAS_DRAWING_MOST = 1024 /* arguments of one call */ };

/** What the package is asked for: a command and arguments "key=value", which it owns. */
typedef struct {
  char *argument[CAS_DRAWING_MOST + 4];
  int n;
  cas_error err; /* the first failure of cas_drawing_ask */
} cas_drawing;

/** Adds "key=value". */
void cas_drawing_ask(cas_drawing *d, const char *key, const char *value);
/** Has the package perform the command, which writes the file `output`, of this kind, complete
    or not at all; NULL: the package writes no file, or several by itself. "-" is standard
    output. Waits for it, hands signals that ask to leave on, and ends it where it does not obey.
    Returns an exit status; what there is to say of a failure is said. Frees. */
int cas_drawing_make(cas_drawing *d, const char *command, const char *output, cas_leftover kind);
/** Prints what the package says of `what`, such as "pictures"; nothing where it cannot be asked. */
void cas_drawing_list(FILE *f, const char *what);

/* ---- arguments ---- */

/** What the command line says; texts are those of argv. */
typedef struct {
  const char **name; /* [names]: arguments that belong to no option */
  int names;
  const char **set; /* [sets] */
  int sets;
  const char *output, *html, *template;
  /* Of `plot`, which looks at these itself; the package that draws has them, too. */
  struct {
    const char *data, *script, *film, *frames, *at;
  } plot;
  bool dry_run, resume, zip, quiet, all, differences, unsealed;
  int64_t only_path; /* -1: none */
  int64_t point, groups, size;
  double max_walltime, lock_wait; /* seconds */
  cas_rows_format format;
  cas_drawing drawing; /* what options ask of the package that draws */
} cas_arguments;

typedef struct {
  unsigned command;        /* its bit */
  int least, most;         /* names; most 0: any number */
  const char *missing;     /* what is said where there are fewer */
  const char *allowed;     /* what is said of more: "one configuration only" */
  bool once;               /* an option with a value is refused where it is given twice */
  const char *names, *doc; /* as argp has them */
  /** NULL, or reports arguments that do not go together by argp_error. */
  void (*check)(const cas_arguments *a, struct argp_state *state);
} cas_app_command;

/** Reads the command line by argp; its complaints show what cannot be printed as escapes. With
    ARGP_NO_EXIT it returns what is wrong, otherwise a mistake ends the program. The caller frees *a
    by cas_arguments_free in both cases. */
error_t cas_arguments_parse(const cas_app_command *c, int argc, char **argv, unsigned flags,
                            cas_arguments *a);
/** Whether help is asked for, which argp prints and then ends the program. */
bool cas_arguments_ask_for_help(int argc, char **argv);
/** How a run, or each of a sweep, is done by these arguments, with the signals of the program. */
cas_run_request cas_arguments_request(const cas_arguments *a);
void cas_arguments_help(const cas_app_command *c, char *program);
void cas_arguments_free(cas_arguments *a);

#endif
