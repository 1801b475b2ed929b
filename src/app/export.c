/* `casimir export`. */
#include "present/vtk/export.h"
#include "app/app.h"
#include "hdf5/hdf5_begin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_UNSEALED = 0x100 };

static error_t parse(int key, char *argument, struct argp_state *state) {
  cas_export_request *q = state->input;
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &q->output, state);
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    return 0;
  case ARGP_KEY_ARG:
    if (q->file)
      argp_error(state, "one results file only, found '%s' too", argument);
    q->file = argument;
    return 0;
  case ARGP_KEY_END:
    if (!q->file)
      argp_error(state, "the results file is missing");
    if (q->output &&
        (strlen(q->output) < 8 || strcmp(q->output + strlen(q->output) - 7, ".vtkhdf") != 0))
      argp_error(state, "--output: found '%.60s', must end in .vtkhdf", q->output);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int cas_app_export(int argc, char **argv) {
  const struct argp_option options[] = {
      {"output", 'o', "FILE.vtkhdf", 0, "file to write (default: RESULTS.vtkhdf)", 0},
      {"unsealed", KEY_UNSEALED, NULL, 0, "read results of casimir also if their seal is missing",
       0},
      {0}};
  const struct argp parser = {
      .options = options,
      .parser = parse,
      .args_doc = "RESULTS.h5",
      .doc =
          "Write what a results file holds as a VTKHDF file with all its times, which ParaView "
          "opens (5.12 or later): maps of the vorticity on the sphere or the torus, their mean and "
          "variance over an ensemble, members of an ensemble, or states of 3 or n x 3 numbers."};
  cas_progress_film progress = {.what = "record", .terminal = isatty(STDERR_FILENO)};
  cas_export_request q = {.cancelled = cas_progress_film_cancelled,
                          .progress = cas_progress_film_show,
                          .context = &progress};
  cas_error err = {0};
  cas_app_parse(&parser, argc, argv, 0, &q);
  cas_hdf5_begin(); /* whose handler at the exit fails on a file that could not be written */
  cas_signals_catch();
  cas_status st = cas_export(&q, &err);
  cas_signals_restore();
  return st ? cas_app_error(&err) : EXIT_SUCCESS;
}
