/* Studies in memory for programs in any language, which read results by their names in files. */
#include "base/owned.h"
#include "base/text.h"
#include "engine/run/run.h"
#include "files/results/results_file.h"
#include "language/config/keys.h"

struct cas_computation {
  cas_error error;
  cas_results results;
  char name[64]; /* of the file in memory; no two open files have one name */
  hid_t file;    /* of the results, in memory; negative: there are none */
};

static void finalize(void) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized)
    MPI_Finalize();
}

cas_status cas_run_initialize(cas_error *err) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized)
    return CAS_OK;
  CAS_FAIL_IF(MPI_Init(NULL, NULL) || atexit(finalize), CAS_INTERNAL, "MPI cannot be initialised");
  return CAS_OK;
}

static cas_status make_readable(cas_computation *c, MPI_Comm comm, cas_error *err) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  snprintf(c->name, sizeof c->name, "results in memory at %p", (void *)c);
  cas_h5 h = cas_h5_begin(c->name, err);
  if (rank == 0)
    c->file = cas_results_in_memory(&h, &c->results);
  return cas_agree(cas_h5_end(&h), comm, err);
}

cas_computation *cas_compute(const char *yaml, const MPI_Comm *comm) {
  CAS_LOCALE_OF_C;
  cas_computation *c = calloc(1, sizeof *c);
  cas_error *err = c ? &c->error : NULL, unreadable = {CAS_OK, ""};
  CAS_OWNED_BY(cas_config_release) cas_config *config = NULL;
  if (!c)
    return NULL;
  c->file = H5I_INVALID_HID;
  cas_status st = cas_run_initialize(err);
  MPI_Comm on = comm ? *comm : MPI_COMM_WORLD;
  if (!st)
    st = cas_config_parse(yaml, strlen(yaml), "configuration", &config, err);
  if (!st)
    st = cas_run(config, &(cas_run_request){.in_memory = true}, on, &c->results, err);
  if ((!st || st == CAS_CHECK_FAILED) && make_readable(c, on, &unreadable))
    c->error = unreadable;
  return c;
}

void cas_computation_free(cas_computation *c) {
  if (!c)
    return;
  if (c->file >= 0)
    H5Fclose(c->file);
  cas_results_free(&c->results);
  free(c);
}

cas_status cas_computation_status(const cas_computation *c) { return c->error.status; }
const char *cas_computation_message(const cas_computation *c) { return c->error.text; }
const cas_results *cas_computation_results(const cas_computation *c) { return &c->results; }

static int get_numbers(const cas_computation *c, const char *name, int capacity, double *out,
                       int *rank, hsize_t dims[4]) {
  if (c->file < 0)
    return -1;
  cas_h5 h = cas_h5_begin(c->name, NULL);
  int n = cas_h5_get_numbers(&h, c->file, name, capacity, out, rank, dims);
  return cas_h5_end(&h) ? -1 : n;
}

int cas_computation_numbers(const cas_computation *c, const char *name, int capacity, double *out) {
  int rank;
  hsize_t dims[4];
  return get_numbers(c, name, capacity, out, &rank, dims);
}

int cas_computation_shape(const cas_computation *c, const char *name, int64_t dims[4]) {
  int rank = 0;
  hsize_t extent[4];
  if (get_numbers(c, name, 0, NULL, &rank, extent) < 0)
    return -1;
  for (int i = 0; i < rank; i++)
    dims[i] = (int64_t)extent[i];
  return rank;
}

int cas_computation_text(const cas_computation *c, const char *name, int size, char *out) {
  if (c->file < 0)
    return -1;
  cas_h5 h = cas_h5_begin(c->name, NULL);
  char *text = cas_h5_get_named_text(&h, c->file, name);
  int length = cas_h5_end(&h) || !text ? -1 : (int)strlen(text);
  if (length >= 0 && size > 0)
    snprintf(out, (size_t)size, "%s", text);
  free(text);
  return length;
}
