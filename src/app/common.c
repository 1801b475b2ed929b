/* What all commands need. */
#include "app/app.h"

#include <stdio.h>

int cas_app_error(const cas_error *err) {
  fprintf(stderr, "casimir: %s\n", err->text[0] ? err->text : cas_status_text(err->status));
  return cas_exit_status(err->status);
}

void cas_app_notice(void *context CAS_UNUSED, const char *text) {
  fprintf(stderr, "casimir: %s\n", text);
}
