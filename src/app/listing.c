/* Tables on standard output. */
#include "app/app.h"
#include "base/text.h"

#include <stdlib.h>

void cas_listing_begin(cas_listing *t) {
  *t = (cas_listing){0};
  t->stream = open_memstream(&t->text, &t->size);
}

cas_status cas_listing_end(cas_listing *t, cas_error *err) {
  bool complete = t->stream && fclose(t->stream) == 0;
  if (complete)
    cas_text_print(stdout, t->text);
  free(t->text);
  *t = (cas_listing){0};
  if (!complete)
    return cas_no_memory(err);
  return fflush(stdout) == EOF || ferror(stdout)
             ? cas_fail(err, CAS_FILE_ERROR, "standard output could not be written")
             : CAS_OK;
}
