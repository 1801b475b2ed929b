/* Any sections, under a good seal and behind the right identity, as the checkpoint of a small
   study, for libFuzzer: refused or gone on with, never a crash. FUZZ_STUDY: convergence, ensemble
   or trajectory. */
#include "base/hash.h"
#include "engine/study/study.h"
#include "files/checkpoint.h"
#include "files/io.h"
#include "files/safe_file.h"

#include <casimir/casimir.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

/* looks: at signals, until the checkpoint to learn from has what the study can have in it. */
static const struct {
  const char *name, *text;
  int looks;
} studies[] = {
    {"convergence",
     "{kind: convergence, coarsest_step: 2^-4, coarsest_steps: 1, levels: 2, "
     "reference: 2, paths: 8200, "
     "functionals: [x1]}",
     80},
    {"ensemble",
     "{kind: ensemble, step: 2^-4, steps: 256, every: 128, paths: 200, bins: 4, "
     "observables: [x1]}",
     3},
    {"trajectory", "{kind: trajectory, step: 2^-4, steps: 256, every: 64, paths: 70}", 5}};

static cas_config *hasty, *config; /* with a checkpoint at every look at the clock, and with none */
static cas_sections identity;      /* what every checkpoint of the study begins with */
static char *records;              /* "fuzz.h5.tmp" beside it; NULL: the study has none */
static size_t records_size;

/* The clock of MPI goes by looks at it, so that a study of some milliseconds is interrupted where
   it looks first, on every machine. */
double MPI_Wtime(void) {
  static double now;
  return now += 1;
}

static int looks;

static unsigned leave(void *context CAS_UNUSED) { return looks-- > 0 ? 0 : CAS_SIGNAL_LEAVE; }

static cas_status run(const cas_config *c, cas_run_request request) {
  cas_results results = {0};
  cas_error err = {0};
  request.output = "fuzz.h5";
  cas_status st = cas_run(c, &request, MPI_COMM_SELF, &results, &err);
  if (!st)
    cas_results_free(&results);
  return st;
}

static void fail(const char *what) {
  fprintf(stderr, "fuzz_checkpoint: %s\n", what);
  exit(1);
}

/* A run that is interrupted at once leaves a checkpoint to learn from; FUZZ_SEED names a copy of
   the rest. */
static void learn(void) {
  cas_error err = {0};
  char *warning;
  int found;
  cas_sections s = {0};
  cas_checkpoint_remove("fuzz.h5.checkpoint");
  if (run(hasty, (cas_run_request){.signals = leave}) != CAS_INTERRUPTED)
    fail("the study was not interrupted");
  if (cas_checkpoint_read("fuzz.h5.checkpoint", &s, &found, &warning, &err) || !found)
    fail("no checkpoint");
  struct stat there;
  const int file = open("fuzz.h5.tmp", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    records_size = fstat(file, &there) ? 0 : (size_t)there.st_size;
    records = malloc(records_size + 1);
    if (!records || !cas_io_read_at(file, records, records_size, 0) || close(file))
      fail("the records cannot be read");
  }
  size_t at = 0;
  cas_section last;
  if (!cas_sections_next(&s, "paths", &at, &last) ||
      cas_sections_append(&identity, s.bytes, at, &err))
    fail("the checkpoint has no identity");
  FILE *f = getenv("FUZZ_SEED") ? fopen(getenv("FUZZ_SEED"), "wb") : NULL;
  if (f && (fwrite(s.bytes + at, 1, s.size - at, f) != s.size - at || fclose(f)))
    fail("the seed cannot be written");
  cas_sections_free(&s);
}

static cas_config *parse(const char *study, const char *every) {
  char text[1000];
  cas_config *c;
  cas_error err = {0};
  int n = snprintf(text, sizeof text,
                   "system: {name: rigid_body, inertia: [2, 1, 0.5], "
                   "noise: {kind: quadratic, sigma: 0.1}}\n"
                   "random: {generator: threefry}\nstudy: %s\noutput: {checkpoint_every: %s}\n",
                   study, every);
  if (cas_config_parse(text, (size_t)n, "fuzz.yaml", &c, &err))
    fail(err.text);
  return c;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *name = getenv("FUZZ_STUDY") ? getenv("FUZZ_STUDY") : studies[0].name, *study = NULL;
  MPI_Init(argc, argv);
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++)
    if (strcmp(studies[i].name, name) == 0) {
      study = studies[i].text;
      looks = studies[i].looks;
    }
  if (!study)
    fail("unknown study");
  hasty = parse(study, "0.001s");
  config = parse(study, "0");
  learn();
  return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  cas_sections s = {0};
  cas_error err = {0};
  unlink("fuzz.h5");
  unlink("fuzz.h5.tmp");
  FILE *f = records ? fopen("fuzz.h5.tmp", "wb") : NULL;
  if (records && (!f || fwrite(records, 1, records_size, f) != records_size || fclose(f)))
    fail("the records cannot be written");
  if (cas_sections_append(&s, identity.bytes, identity.size, &err) ||
      cas_sections_append(&s, bytes, size, &err) ||
      cas_checkpoint_write("fuzz.h5.checkpoint", &s, true, &err))
    fail(err.text);
  cas_sections_free(&s);
  /* Most inputs are read, added to and stored again: writing results takes most of a run. */
  (void)!run(config, (cas_run_request){
                         .resume = true,
                         .signals = cas_hash(CAS_HASH_START, bytes, size) % 16 ? leave : NULL});
  return 0;
}
