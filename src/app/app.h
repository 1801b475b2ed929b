/* The commands of the program; each gets its own arguments (argv[0] is "casimir COMMAND") and
 * returns an exit status. */
#ifndef CAS_APP_H
#define CAS_APP_H

#include <casimir/casimir.h>

#include <argp.h>

int cas_command_run(int argc, char **argv);
int cas_command_describe(int argc, char **argv);
int cas_command_plot(int argc, char **argv);
int cas_command_report(int argc, char **argv);

/** "casimir: <text>" on standard error; returns the exit status of err->status. */
int cas_complain(const cas_error *err);

/** The file that --output names; what looks like the end of the options is refused. */
error_t cas_parse_output(const char *argument, const char **output, struct argp_state *state);

/* ---- tables (tables.c) ---- */

/** What goes to standard output when it is complete, with what files and configurations bring along
    shown so that it cannot steer the terminal. */
typedef struct {
  FILE *stream; /* NULL without memory */
  char *text;
  size_t size;
} cas_tables;

void cas_tables_begin(cas_tables *t);
/** Prints and frees. */
cas_status cas_tables_end(cas_tables *t, cas_error *err) CAS_MUST_CHECK;

/* ---- signals (signals.c) ---- */

/** SIGUSR1: write a checkpoint and go on. SIGUSR2, SIGTERM, SIGHUP and the first SIGINT: write one and
    leave. */
void cas_signals_catch(void);
/** Where nothing is to be saved: signals end the program again. */
void cas_signals_obey(void);
/** For cas_run_request.wishes. */
unsigned cas_signals_wishes(void *context);

/* ---- progress (progress.c) ---- */

typedef struct {
  bool terminal;
  double shown_at; /* seconds */
  int tenths;      /* shown so far */
} cas_progress;

/** Progress on standard error: a bar on a terminal, a line every 10% otherwise. */
void cas_progress_show(void *progress, double share, int64_t paths, double seconds);

#endif
