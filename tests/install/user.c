#include <casimir/results.h>
#include <casimir/status.h>
#include <stdio.h>
#include <string.h>

/* reading a file that is not there pulls in the HDF5 side of the library as well */
int main(void) {
  cas_error err = {CAS_OK, ""};
  cas_results r;
  cas_status st = cas_results_read("there-is-no-such-file.h5", &r, &err);
  printf("casimir %s: %s\n", VERSION, cas_status_text(st));
  return st == CAS_FILE_ERROR && strlen(err.text) > 0 ? 0 : 1;
}
