/* Processes that a launcher started: how many there are, and whether they are to do the same. */
#include "app/app.h"
#include "base/text.h"
#include "engine/run/run.h"
#include "files/hdf5/hdf5.h"

#include <sys/resource.h>

/* Whether mpirun, srun or another that speaks PMI has launched this process. */
static bool launched(void) {
  static const char *const marks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_FD",
                                      NULL};
  for (const char *const *mark = marks; *mark; mark++)
    if (getenv(*mark))
      return true;
  return false;
}

bool cas_launch_several(void) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                      NULL};
  if (!launched())
    return false;
  for (const char *const *size = sizes; *size; size++)
    if (getenv(*size))
      return atoi(getenv(*size)) > 1;
  return true;
}

/* Raises a soft limit to the least that libraries need, or ends the program with what limits it,
   "the stack is limited to %lld KiB .. need %lld", both divided by `unit`. */
static void need_limit(int resource, rlim_t least, rlim_t unit, cas_status status,
                       const char *words) {
  cas_error err = {.status = status};
  struct rlimit l;
  if (getrlimit(resource, &l) || l.rlim_cur >= least)
    return;
  l.rlim_cur = least;
  if (l.rlim_max >= least && setrlimit(resource, &l) == 0)
    return;
  snprintf(err.text, sizeof err.text, words, (long long)(l.rlim_max / unit),
           (long long)(least / unit));
  exit(cas_app_error(&err));
}

void cas_launch_begin(int *argc, char ***argv, bool signals, int *rank, int *ranks) {
  /* MPI ends a program that may open few files with a status that would be one of its results; with
     a small stack MPI or BLAS ends by a fault before anything is said. */
  need_limit(RLIMIT_NOFILE, 32, 1, CAS_FILE_ERROR,
             "at most %lld open files are allowed (ulimit -n), and MPI and HDF5 need %lld");
  need_limit(RLIMIT_STACK, 256 << 10, 1 << 10, CAS_NO_MEMORY,
             "the stack is limited to %lld KiB (ulimit -s), and MPI and BLAS need %lld");
  /* Open MPI 4 starts a daemon for a program that no launcher started, and loads the drivers of all
     networks, of which PSM2 sleeps to time its clock: most of the time to the first path. One
     process needs neither, nor the directory below /tmp that all programs without a daemon would
     share, and that one of them removes while another one fills it. What the environment says goes
     first. */
  if (!launched()) {
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    setenv("OMPI_MCA_pml", "ob1", 0);
  }
  if (signals) { /* before MPI, which a signal could catch starting */
    cas_signals_catch();
    cas_signals_leave_at_once();
  }
  cas_hdf5_begin();
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  cas_faults_watch();
}

void cas_launch_finish(void) {
  cas_faults_leave();
  cas_signals_begin(NULL); /* The launcher ends the other ranks of a run that one has refused. */
  MPI_Finalize();
}

/* srun with an MPI that does not match starts P programs that each believe to be alone and
   overwrite each other's files. */
cas_status cas_launch_check_alone(int ranks, cas_error *err) {
  const char *tasks = getenv("SLURM_NTASKS"), *step = getenv("SLURM_STEP_NUM_TASKS");
  CAS_FAIL_IF(
      ranks == 1 && tasks && step && atoi(step) > 1, CAS_BAD_INPUT,
      "SLURM started %s tasks, but MPI sees one process: the launcher and MPI do not match. "
      "Use `srun --mpi=pmix` or `mpirun` inside the job.",
      step);
  return CAS_OK;
}

/* What ranks have to have in common before anything else that is collective, as
   cas_compare_ranks takes it. NULL without memory. The caller frees. */
static char *describe_command(const char *command, int argc, char **argv, bool help) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  fprintf(f, "the command: %s\n", command);
  if (help)
    fprintf(f, "--help: given\n");
  for (int i = 1; strcmp(command, "run") != 0 && i < argc; i++)
    fprintf(f, "argument %d: %s\n", i, argv[i]);
  return cas_text_close(f, &text);
}

cas_status cas_launch_compare(const char *command, int argc, char **argv, bool help,
                              cas_error *err) {
  CAS_CALL(cas_ranks_compare_build(MPI_COMM_WORLD, err));
  CAS_OWNED char *mine = describe_command(command, argc, argv, help);
  return cas_compare_ranks(mine, "Give all ranks the same command line.", MPI_COMM_WORLD, err);
}
