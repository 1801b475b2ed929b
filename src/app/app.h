/* The commands of the program; each gets its own arguments (argv[0] is "casimir COMMAND") and
 * returns an exit status. */
#ifndef CAS_APP_H
#define CAS_APP_H

#include "base/owned.h"

#include <casimir/casimir.h>

#include <limits.h>
#include <time.h>

int cas_app_run(int argc, char **argv);
int cas_app_describe(int argc, char **argv);
int cas_app_plot(int argc, char **argv);
int cas_app_export(int argc, char **argv);
int cas_app_evaluate(int argc, char **argv);
int cas_app_report(int argc, char **argv);
int cas_app_build(int argc, char **argv);
int cas_app_merge(int argc, char **argv);
int cas_app_sweep(int argc, char **argv);

/** Prints "casimir: <text>" on standard error; returns the exit status of err->status. */
int cas_app_error(const cas_error *err);
/** The callback cas_run_request.notice: prints "casimir: <text>" on standard error. */
void cas_app_notice(void *context, const char *text);

/** The text of a configuration, which rank 0 reads for all; the caller frees it, after a failure
    too. Collective on MPI_COMM_WORLD. */
cas_status cas_app_configuration(const char *name, void **text, size_t *size,
                                 cas_error *err) CAS_MUST_CHECK;

/** Finds that of two places below the program's own directory, in the build tree and installed,
    that has the file `mark`, and the program itself; false: neither has it (drawing.c). */
bool cas_app_find(const char *const places[2], const char *mark, char program[PATH_MAX],
                  char found[PATH_MAX]);

/* ---- processes (launch.c) ---- */

/** Starts MPI for a command that all ranks execute, with what has to be done before and after.
    signals: whether they are caught (cas_signals_catch). Ends the program where too few files may
    be open, or the stack is too small. */
void cas_launch_begin(int *argc, char ***argv, bool signals, int *rank, int *ranks);
/** Ends MPI; code of users' files is not called any more. */
void cas_launch_finish(void);
/** Whether a launcher started several processes, as far as that is known before MPI_Init. */
bool cas_launch_several(void);
/** Collective on MPI_COMM_WORLD, the first thing after MPI_Init: refuses ranks that run another
    build or another command. Of commands other than `run`, all arguments have to be the same. */
cas_status cas_launch_compare(const char *command, int argc, char **argv, bool help,
                              cas_error *err) CAS_MUST_CHECK;
/** Refuses processes that a launcher started and that do not know of each other. */
cas_status cas_launch_check_alone(int ranks, cas_error *err) CAS_MUST_CHECK;

/* ---- listings (listing.c) ---- */

/** What goes to standard output when it is complete, with what files and configurations bring along
    shown so that it cannot steer the terminal. */
typedef struct {
  FILE *stream; /* NULL without memory */
  char *text;
  size_t size;
} cas_listing;

void cas_listing_begin(cas_listing *t);
/** Begins a listing that shows at once what is flushed, as what follows it takes time. */
void cas_listing_begin_at_once(cas_listing *t);
/** All tables of results, or a few lines; file and resolving as for cas_results_print_brief. */
void cas_listing_results(const cas_listing *t, const cas_results *r, bool all, const char *file,
                         const char *resolving);
/** All tables of several files, one after another, each below its name. */
cas_status cas_listing_files(const cas_listing *t, const char *const *file, int files,
                             cas_error *err) CAS_MUST_CHECK;
/** Prints and frees. Returns st, the status of what was listed, or if that is CAS_OK of this. */
cas_status cas_listing_end(cas_listing *t, cas_status st, cas_error *err) CAS_MUST_CHECK;

/* ---- signals (signals.c) ---- */

/** SIGUSR1: write a checkpoint and go on. SIGUSR2, SIGTERM, SIGHUP, the first SIGINT and time
    limits (SIGXCPU, SIGALRM, SIGVTALRM): write one and leave. A second SIGINT ends the program at
    once, and so does one of the others that no timer sends, a second after the first: a function of
    a user's file may never return. SIGPIPE: nothing, writes fail. */
void cas_signals_catch(void);
/** Lets signals end the program again, where nothing is to be saved. */
void cas_signals_restore(void);
/** Lets SIGPIPE alone end the program again. */
void cas_signals_restore_pipe(void);
/** Has signals that ask to leave end the program where it is, with the status of what was
    interrupted, until cas_signals_begin: while configurations and files are read and checked, which
    nothing interrupts, there is nothing to save. */
void cas_signals_leave_at_once(void);
/** The callback cas_run_request.begins. */
void cas_signals_begin(void *context);
/** The callback cas_run_request.signals. */
unsigned cas_signals_poll(void *context);

/* ---- faults (faults.c) ---- */

/** After MPI_Init, if at all: has a fault, and an exit(), _exit() or quick_exit() of code that is
    not casimir's, say in which file of the user's it was; such an end has the status of
    CAS_INTERNAL. Handlers of MPI come after. */
void cas_faults_watch(void);
/** Before MPI_Finalize, or where code of users' files is not called any more. */
void cas_faults_leave(void);
/** The file of the innermost function of the user's that has not returned; NULL: there is none.
    May be called by handlers of signals, after cas_faults_watch. */
const char *cas_faults_file(void);
/** Writes texts, of which NULL is the last, to standard error at once: handlers of signals may call
    this, and nothing of stdio. */
void cas_faults_write(const char *const *part);

#endif
