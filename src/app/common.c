/* What all commands need. */
#include "app/app.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cas_app_error(const cas_error *err) {
  fprintf(stderr, "casimir: %s\n", err->text[0] ? err->text : cas_status_text(err->status));
  return cas_exit_status(err->status);
}

void cas_app_notice(void *context CAS_UNUSED, const char *text) {
  fprintf(stderr, "casimir: %s\n", text);
}

const char cas_app_format_help[] =
    "csv or json: all estimates with their standard errors or intervals, a row each, and the keys "
    "that differ between the files; latex: the main estimates as a table";

error_t cas_app_parse_format(const char *argument, cas_rows_format *format,
                             struct argp_state *state) {
  static const struct {
    const char *name;
    cas_rows_format format;
  } formats[] = {{"csv", CAS_ROWS_CSV}, {"json", CAS_ROWS_JSON}, {"latex", CAS_ROWS_LATEX}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(argument, formats[i].name) == 0) {
      *format = formats[i].format;
      return 0;
    }
  argp_error(state, "--format: found '%.40s', must be csv, json or latex", argument);
  return EINVAL;
}

/* What argp says has arguments in it, as they are. */
static ssize_t show(void *to, const char *bytes, size_t size) {
  char *text = strndup(bytes, size);
  if (text)
    cas_text_print(to, text);
  free(text);
  return (ssize_t)size;
}

error_t cas_app_parse(const struct argp *parser, int argc, char **argv, unsigned flags,
                      void *input) {
  FILE *const own = stderr;
  FILE *shown = fopencookie(own, "w", (cookie_io_functions_t){.write = show});
  stderr = shown ? shown : own; /* glibc lets a program set it, and argp speaks to it */
  unsetenv("POSIXLY_CORRECT");  /* options may follow the configuration, as pages have them */
  error_t wrong = argp_parse(parser, argc, argv, flags, NULL, input);
  stderr = own;
  if (shown)
    fclose(shown);
  return wrong;
}

error_t cas_app_parse_time(const char *name, const char *argument, double least, double *seconds,
                           struct argp_state *state) {
  const char *wrong = cas_parse_duration(argument, seconds);
  if (!wrong && *seconds >= least)
    return 0;
  argp_error(state, "--%s: found '%.40s', %s", name, argument,
             wrong ? wrong : "must be more than 0");
  return EINVAL;
}

error_t cas_app_parse_output(const char *argument, const char **output, struct argp_state *state) {
  if (strncmp(argument, "--", 2) == 0) {
    argp_error(state, "--output: found '%.60s', must be the name of a file (./%.60s if it is one)",
               argument, argument);
    return EINVAL;
  }
  *output = argument;
  return 0;
}
