/* `casimir plot` and `casimir export`: files are checked here, the package draws. */
#include "app/app.h"
#include "app/arguments.h"
#include "base/text.h"
#include "files/safe_file.h"

#include <strings.h>

/* ---- files ---- */

static bool ends_in(const char *name, const char *ending) {
  const size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcasecmp(name + n - m, ending) == 0;
}

/* Looks at every byte of the results, none of which may give way to the output. JSON of
   measurements is no results. */
static cas_status check_files(const cas_arguments *a, const char *command, const char *output,
                              cas_error *err) {
  for (int i = 0; i < a->names; i++) {
    if (!ends_in(a->name[i], ".json")) {
      CAS_OWNED_BY(cas_results_free) cas_results r = {0};
      CAS_CALL(cas_results_read(a->name[i], &r, err));
      CAS_CALL(cas_results_check(a->name[i], err));
    }
    CAS_FAIL_IF(output && cas_file_is_same(a->name[i], output), CAS_BAD_INPUT,
                "%s is what is %s; give another --output", output,
                strcmp(command, "export") == 0 ? "exported" : "drawn");
  }
  return CAS_OK;
}

/* results.svg of results.h5. NULL without memory. Caller frees. */
static char *default_output(const char *file, const char *extension) {
  const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
  const bool cut = dot && dot > slash && dot != file && dot[-1] != '/';
  char *name = NULL;
  return asprintf(&name, "%.*s%s", cut ? (int)(dot - file) : (int)strlen(file), file, extension) < 0
             ? NULL
             : name;
}

/* Has the package perform a command on the files. `output`: NULL where there is none. */
static int make(cas_arguments *a, const char *command, const char *output, cas_leftover kind) {
  cas_error err = {0};
  if (check_files(a, command, output, &err))
    return cas_app_error(&err);
  for (int i = 0; i < a->names; i++)
    cas_drawing_ask(&a->drawing, "file", a->name[i]);
  if (a->unsealed)
    cas_drawing_ask(&a->drawing, "unsealed", "yes");
  if (output)
    cas_drawing_ask(&a->drawing, "output", output);
  return cas_drawing_make(&a->drawing, command, output, kind);
}

/* ---- plot ---- */

static bool is_film(const cas_arguments *a) { return a->plot.film || a->plot.frames; }

static void check_plot(const cas_arguments *a, struct argp_state *state) {
  if (a->plot.data && (a->output || a->template))
    argp_error(state, "--data writes text instead of a figure: no --output, no --template");
  if (a->plot.script && (a->output || a->plot.data))
    argp_error(state, "--script writes a script instead of a figure: no --output, no --data");
  if (is_film(a) && (a->output || a->plot.data || a->plot.script || a->plot.at))
    argp_error(
        state,
        "--film and --frames draw every record: no --output, no --data, no --script, no --at");
  if (is_film(a) && a->names > 1)
    argp_error(state, "a film is of one results file; found %d", a->names);
}

/* NULL without memory. Caller frees. */
static char *plot_help(bool list) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  fputs(
      "Draw one picture of what a results file holds: by default the first of these that fits.\n\n",
      f);
  if (list)
    cas_drawing_list(f, "pictures");
  fputs("\v'paths' takes a second file of the same system and draws it in black, 'comparison' and "
        "'work' take errors of several schemes:\n"
        "  casimir plot STOCHASTIC.h5 DETERMINISTIC.h5\n"
        "  casimir plot A.h5 B.h5 --label midpoint --label Heun",
        f);
  return cas_text_close(f, &text);
}

static int plot(cas_arguments *a) {
  if (is_film(a))
    return make(a, "film", a->plot.film, CAS_LEFTOVER_FILM);
  if (a->plot.data || a->plot.script)
    return make(a, a->plot.data ? "data" : "script", a->plot.data ? a->plot.data : a->plot.script,
                CAS_LEFTOVER_TEXT);
  CAS_OWNED char *own = a->output ? NULL : default_output(a->name[0], ".svg");
  return make(a, "plot", a->output ? a->output : own, CAS_LEFTOVER_FIGURE);
}

int cas_app_plot(int argc, char **argv) {
  CAS_OWNED char *help = plot_help(cas_arguments_ask_for_help(argc, argv));
  const cas_app_command command = {.command = CAS_APP_PLOT,
                                   .least = 1,
                                   .missing = "the results file is missing",
                                   .names = "RESULTS.h5 [RESULTS.h5]",
                                   .check = check_plot,
                                   .doc = help};
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_arguments_parse(&command, argc, argv, 0, &a);
  return plot(&a);
}

/* ---- export ---- */

static void check_export(const cas_arguments *a, struct argp_state *state) {
  if (a->output && !ends_in(a->output, ".vtkhdf"))
    argp_error(state, "--output: found '%.60s', must end in .vtkhdf", a->output);
}

static const cas_app_command export = {
    .command = CAS_APP_EXPORT,
    .least = 1,
    .most = 1,
    .missing = "the results file is missing",
    .allowed = "one results file only",
    .names = "RESULTS.h5",
    .check = check_export,
    .doc = "Write what a results file holds as a VTKHDF file with all its times, which ParaView "
           "opens (5.12 or later): maps of the vorticity on the sphere or the torus, their mean "
           "and variance over an ensemble, members of an ensemble, or states of 3 or n x 3 "
           "numbers."};

int cas_app_export(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_arguments_parse(&export, argc, argv, 0, &a);
  CAS_OWNED char *own = a.output ? NULL : default_output(a.name[0], ".vtkhdf");
  return make(&a, "export", a.output ? a.output : own, CAS_LEFTOVER_EXPORT);
}
