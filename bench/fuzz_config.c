/* Any bytes as a configuration, for libFuzzer: refused or prepared (a dry run), never a crash. */
#include <casimir/casimir.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  cas_config *config = NULL;
  cas_error err = {0};
  if (!cas_config_parse((const char *)bytes, size, "fuzz.yaml", &config, &err)) {
    char nothing;
    static const char *const all[] = {"system", "integrator", "random", "study", "output", NULL};
    static const cas_option none[] = {{0}};
    (void)!cas_options_read(config, "", none, all, &nothing, &err);
  }
  cas_config_free(config);
  return 0;
}
