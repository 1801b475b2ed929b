/* The commands that need no MPI: describe, plot, report. */
#include "app.h"
#include "plot.h"

#include <stdlib.h>

typedef struct {
  const char *what, *output;
} arguments;

static error_t one_argument(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  if (key == 'o')
    a->output = argument;
  else if (key == ARGP_KEY_ARG && !a->what)
    a->what = argument;
  else if (key == ARGP_KEY_ARG)
    argp_error(state, "one argument only, found '%s' too", argument);
  else
    return ARGP_ERR_UNKNOWN;
  return 0;
}

static error_t one_file(int key, char *argument, struct argp_state *state) {
  if (key == ARGP_KEY_END && !((arguments *)state->input)->what)
    argp_error(state, "the results file is missing");
  return one_argument(key, argument, state);
}

static int finish(cas_status st, const cas_error *err) {
  if (!st && fflush(stdout) == EOF)
    return cas_complain(&(cas_error){CAS_FILE_ERROR, "standard output could not be written"});
  return st ? cas_complain(err) : EXIT_SUCCESS;
}

int cas_command_describe(int argc, char **argv) {
  const struct argp parser = {
      .parser = one_argument,
      .args_doc = "[systems | integrators | generators | studies | observables | NAME]",
      .doc = "What casimir knows, from the tables that check configurations."};
  arguments a = {0};
  cas_error err = {0};
  argp_parse(&parser, argc, argv, 0, NULL, &a);
  return finish(cas_describe(stdout, a.what, &err), &err);
}

int cas_command_plot(int argc, char **argv) {
  const struct argp_option options[] = {
      {"output", 'o', "FIGURE", 0, "figure to write: .svg, .pdf or .png (default: RESULTS.svg)", 0},
      {0}};
  const struct argp parser = {
      .options = options,
      .parser = one_file,
      .args_doc = "RESULTS.h5",
      .doc = "Draw the figure of a results file, chosen by what the file holds."};
  arguments a = {0};
  cas_error err = {0};
  argp_parse(&parser, argc, argv, 0, NULL, &a);
  return finish(cas_plot(a.what, a.output, &err), &err);
}

int cas_command_report(int argc, char **argv) {
  const struct argp parser = {
      .parser = one_file, .args_doc = "RESULTS.h5", .doc = "Print the tables of a results file."};
  arguments a = {0};
  cas_results results = {0};
  cas_error err = {0};
  argp_parse(&parser, argc, argv, 0, NULL, &a);
  cas_status st = cas_results_read(a.what, &results, &err);
  if (!st)
    cas_results_print(stdout, &results);
  cas_results_free(&results);
  return finish(st, &err);
}
