#include "app/app.h"
#include "base/text.h"

int cas_app_error(const cas_error *err) {
  fprintf(stderr, "casimir: %s\n", err->text[0] ? err->text : cas_status_text(err->status));
  return cas_exit_status(err->status);
}

void cas_app_notice(void *context CAS_UNUSED, const char *text) {
  fprintf(stderr, "casimir: %s\n", text);
}

void cas_listing_begin(cas_listing *t) {
  *t = (cas_listing){0};
  t->stream = open_memstream(&t->text, &t->size);
}

/* Shows what the stream was given since it was flushed last. Standard output keeps in mind that it
   could not be written, which the end of the listing asks; what fails here is memory alone. */
static ssize_t show(void *none CAS_UNUSED, const char *bytes, size_t n) {
  CAS_OWNED char *text = strndup(bytes, n);
  if (!text)
    return 0;
  cas_text_print(stdout, text);
  (void)fflush(stdout);
  return (ssize_t)n;
}

void cas_listing_begin_at_once(cas_listing *t) {
  const size_t most = 1 << 20; /* more than is listed at once, as a name must not be cut */
  *t = (cas_listing){.stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = show})};
  if (t->stream)
    setvbuf(t->stream, NULL, _IOFBF, most);
}

void cas_listing_results(const cas_listing *t, const cas_results *r, bool all, const char *file,
                         const char *resolving) {
  if (t->stream && all)
    cas_results_print(t->stream, r);
  else if (t->stream)
    cas_results_print_brief(t->stream, r, file, resolving);
}

cas_status cas_listing_files(const cas_listing *t, const char *const *file, int files,
                             cas_error *err) {
  for (int i = 0; t->stream && i < files; i++) {
    CAS_OWNED_BY(cas_results_free) cas_results r = {0};
    CAS_CALL(cas_results_read(file[i], &r, err));
    fprintf(t->stream, "%s%s\n", i ? "\n" : "", file[i]);
    cas_results_print(t->stream, &r);
  }
  return CAS_OK;
}

cas_status cas_listing_end(cas_listing *t, cas_status st, cas_error *err) {
  bool complete = t->stream && fclose(t->stream) == 0;
  if (complete && t->text)
    cas_text_print(stdout, t->text);
  free(t->text);
  *t = (cas_listing){0};
  const bool written = fflush(stdout) != EOF && !ferror(stdout);
  if (st)
    return st;
  CAS_NEED(complete);
  CAS_FAIL_IF(!written, CAS_FILE_ERROR, "standard output could not be written");
  return CAS_OK;
}
