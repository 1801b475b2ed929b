#include "base/build.h"
#include "base/hash.h"
#include "base/owned.h"
#include "base/text.h"
#include "engine/run/run.h"
#include "math/blas/blas.h"
#include "version.h"

/* The bits of a path depend on the instruction set, so all ranks must have chosen the same one. */
static cas_status check_kernels(const cas_run_state *r, cas_error *err) {
  const char *mine = cas_kernels_get()->name, *wanted = getenv("CASIMIR_KERNELS");
  char first[32] = "";
  snprintf(first, sizeof first, "%s", mine);
  cas_bcast(first, sizeof first, MPI_CHAR, 0, r->run.comm);
  CAS_FAIL_IF(wanted && strcmp(wanted, mine) != 0, CAS_BAD_INPUT,
              "CASIMIR_KERNELS: found '%.40s', which rank %d's processor does not run or this "
              "build does not have; `casimir --version` there lists what it runs",
              wanted, r->run.rank);
  CAS_FAIL_IF(strcmp(first, mine) != 0, CAS_BAD_INPUT,
              "rank 0 chose the kernels '%s' and rank %d '%s', whose results differ in the "
              "last bits: set CASIMIR_KERNELS to one that all nodes run, such as generic or avx2",
              first, r->run.rank, mine);
  return CAS_OK;
}

/* Bits of products depend on the processor: where states come from them, ranks need the same. */
static cas_status check_blas(const cas_run_state *r, cas_error *err) {
  const cas_blas_name mine = cas_blas();
  cas_blas_name first = mine;
  cas_bcast(&first, sizeof first, MPI_BYTE, 0, r->run.comm);
  CAS_FAIL_IF(r->run.problem.W == 1 && strcmp(first.text, mine.text) != 0, CAS_BAD_INPUT,
              "rank 0 has the BLAS '%s' and rank %d '%s', whose products differ in the last "
              "bits: %s",
              first.text, r->run.rank, mine.text,
              cas_blas_is_openblas()
                  ? "set OPENBLAS_CORETYPE to a core that all nodes run, such as Haswell"
                  : "run on nodes of one kind");
  return CAS_OK;
}

/* Lines for cas_compare_ranks, under the names that the options of the program have. NULL without
   memory. The caller frees. */
static char *describe_request(const cas_run_state *r) {
  const cas_run_request *q = r->request;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  if (q->configuration)
    fprintf(f, "the configuration: %s\n", q->configuration);
  if (q->output)
    fprintf(f, "--output: %s\n", q->output);
  if (q->in_memory)
    fprintf(f, "in memory: given\n");
  if (q->dry_run)
    fprintf(f, "--dry-run: given\n");
  if (q->resume)
    fprintf(f, "--resume: given\n");
  if (q->only_path)
    fprintf(f, "--only-path: %lld\n", (long long)*q->only_path);
  if (q->max_walltime > 0)
    fprintf(f, "--max-walltime: %.17g s\n", q->max_walltime);
  cas_config_list(f, r->run.config);
  return cas_text_close(f, &text);
}

cas_status cas_ranks_compare_build(MPI_Comm comm, cas_error *err) {
  char mine[300];
  snprintf(mine, sizeof mine, "version: %s\ncommit: %s\nbuild: %s\n", CAS_VERSION, CAS_COMMIT,
           cas_build_id());
  return cas_compare_ranks(mine, "Start one build of casimir on all ranks.", comm, err);
}

cas_status cas_ranks_compare_request(const cas_run_state *r, cas_error *err) {
  CAS_CALL(cas_ranks_compare_build(r->run.comm, err));
  CAS_OWNED char *mine = describe_request(r);
  CAS_CALL(cas_compare_ranks(mine, "Give all ranks the same command line and configuration.",
                             r->run.comm, err));
  return cas_agree(check_kernels(r, err), r->run.comm, err);
}

/* One configuration gives all ranks the same states unless elementary functions or files differ. */
cas_status cas_ranks_compare_prepared(const cas_run_state *r, cas_error *err) {
  char mine[200];
  const cas_problem *p = &r->run.problem;
  CAS_CALL(cas_agree(check_blas(r, err), r->run.comm, err));
  snprintf(mine, sizeof mine,
           "the effective configuration: %016llx\nthe initial state: %016llx\n"
           "the normals of random.file: %016llx\n",
           (unsigned long long)cas_hash(CAS_HASH_START, r->effective, strlen(r->effective)),
           (unsigned long long)cas_hash(CAS_HASH_START, p->initial.x0,
                                        (size_t)p->components * sizeof *p->initial.x0),
           (unsigned long long)r->noise_hash);
  return cas_compare_ranks(mine,
                           "Processors or libraries of their nodes differ in the last bits: run on "
                           "nodes of one kind.",
                           r->run.comm, err);
}
