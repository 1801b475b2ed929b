/* `casimir plot` and `casimir export`: what they are asked for goes to the package that draws;
   files are checked here. */
#include "app/app.h"
#include "app/drawing.h"
#include "files/safe_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  KEY_UNSEALED = 0x100,
  KEY_TEMPLATE,
  KEY_STYLE,
  KEY_DATA,
  KEY_TITLE,
  KEY_LABEL,
  KEY_WIDTH,
  KEY_SCRIPT,
  KEY_XRANGE,
  KEY_YRANGE,
  KEY_VIEW,
  KEY_SHOW,
  KEY_CONTOURS,
  KEY_SECTION,
  KEY_FILM,
  KEY_FRAMES,
  KEY_RATE
};

static const char unsealed_help[] = "read results of casimir also if their seal is missing";

typedef struct {
  const char **file; /* [files], into argv */
  int files;
  const char *output, *data, *script, *film, *frames;
  bool at, template;
  cas_drawing drawing;
} arguments;

/* ---- files ---- */

static bool ends_in(const char *name, const char *ending) {
  const size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcasecmp(name + n - m, ending) == 0;
}

/* Looks at every byte of the results, none of which may give way to the output. JSON of
   measurements is no results. */
static cas_status check_files(const arguments *a, const char *command, const char *output,
                              cas_error *err) {
  for (int i = 0; i < a->files; i++) {
    if (!ends_in(a->file[i], ".json")) {
      cas_results r = {0};
      cas_status st = cas_results_read(a->file[i], &r, err);
      cas_results_free(&r);
      CAS_CALL(st);
      CAS_CALL(cas_results_check(a->file[i], err));
    }
    if (output && cas_file_is_same(a->file[i], output))
      return cas_fail(err, CAS_BAD_INPUT, "%s is what is %s; give another --output", output,
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
static int make(arguments *a, const char *command, const char *output, cas_leftover kind) {
  cas_error err = {0};
  if (check_files(a, command, output, &err))
    return cas_app_error(&err);
  for (int i = 0; i < a->files; i++)
    cas_drawing_ask(&a->drawing, "file", a->file[i]);
  if (output)
    cas_drawing_ask(&a->drawing, "output", output);
  return cas_drawing_make(&a->drawing, command, output, kind);
}

/* ---- plot ---- */

static bool is_film(const arguments *a) { return a->film || a->frames; }

/* Arguments that do not go together, or are missing, end the program. */
static void check_plot(const arguments *a, struct argp_state *state) {
  if (a->files == 0)
    argp_error(state, "the results file is missing");
  if (a->data && (a->output || a->template))
    argp_error(state, "--data writes text instead of a figure: no --output, no --template");
  if (a->script && (a->output || a->data))
    argp_error(state, "--script writes a script instead of a figure: no --output, no --data");
  if (is_film(a) && (a->output || a->data || a->script || a->at))
    argp_error(
        state,
        "--film and --frames draw every record: no --output, no --data, no --script, no --at");
  if (is_film(a) && a->files > 1)
    argp_error(state, "a film is of one results file; found %d", a->files);
}

static const struct argp_option plot_options[] = {
    {"output", 'o', "FIGURE", 0, "figure to write: .svg, .pdf, .eps or .png (default: RESULTS.svg)",
     0},
    {"picture", 'p', "NAME", 0, "which picture, if several are possible", 0},
    {"at", 'a', "T,..", 0, "times of snapshots: of maps, spectra and members", 0},
    {"map", 'm', "OBSERVABLE", 0,
     "what maps show, such as stream_function (default: the vorticity, or else the first map)", 0},
    {"show", KEY_SHOW, "NAME,..", 0,
     "what 'observables' draws over time, a panel each, and 'plane' against each other: recorded "
     "observables, components of the state, or one number of many as NAME[2]",
     0},
    {"contours", KEY_CONTOURS, "OBSERVABLE", 0,
     "contours of this observable of the system behind 'paths' and 'plane'", 0},
    {"section", KEY_SECTION, "NAME=VALUE", 0,
     "of 'plane' the points where this observable passes the value upwards", 0},
    {"until", 'u', "T", 0, "trajectories up to this time only", 0},
    {"style", KEY_STYLE, "FILE", 0, "a style sheet of matplotlib (.mplstyle) besides the own one",
     0},
    {"template", KEY_TEMPLATE, "FILE.py", 0,
     "draw by the function draw(data, figure, request) of this file, as --script has it", 0},
    {"data", KEY_DATA, "TEXT", 0,
     "instead of a figure, write its data as text (-: to standard output)", 0},
    {"script", KEY_SCRIPT, "FILE.py", 0,
     "instead of a figure, write a script of Python that draws it from the file, to be edited (-: "
     "to standard output)",
     0},
    {"label", KEY_LABEL, "TEXT", 0,
     "text of a file in the legend instead of its name; once for each file, in their order", 0},
    {"title", KEY_TITLE, "TITLE", 0,
     "text above the figure, instead of what the file concludes; empty: none", 0},
    {"width", KEY_WIDTH, "MM", 0, "width of the figure, such as 84 or 174 mm; text of 7 to 8 pt",
     0},
    {"xrange", KEY_XRANGE, "LOW:HIGH,..", 0,
     "range of the horizontal axis, of all panels or of each", 0},
    {"yrange", KEY_YRANGE, "LOW:HIGH,..", 0, "range of the vertical axis, likewise", 0},
    {"view", KEY_VIEW, "LONGITUDE,LATITUDE", 0,
     "spheres as they are seen from above this point, maps too, which are flat otherwise", 0},
    {"film", KEY_FILM, "FILM.mp4", 0,
     "instead of a figure, a film of maps, 'paths' or 'members' with a frame for every record, by "
     "ffmpeg",
     0},
    {"frames", KEY_FRAMES, "DIRECTORY", 0,
     "the frames of a film, with or without --film, as DIRECTORY/frame-00001.png, ..", 0},
    {"fps", KEY_RATE, "N", 0, "frames of a film in a second (default: 25)", 0},
    {"unsealed", KEY_UNSEALED, NULL, 0, unsealed_help, 0},
    {0}};

/* The name of an option, by which the package knows it. */
static const char *name_of(int key) {
  const struct argp_option *o = plot_options;
  while (o->name && o->key != key)
    o++;
  return o->name;
}

/* Where an argument is kept here too, or NULL. */
static const char **kept(arguments *a, int key) {
  return key == KEY_DATA     ? &a->data
         : key == KEY_SCRIPT ? &a->script
         : key == KEY_FILM   ? &a->film
         : key == KEY_FRAMES ? &a->frames
                             : NULL;
}

static error_t parse_plot(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  const char **keep = kept(a, key);
  if (keep)
    *keep = argument;
  a->at |= key == 'a';
  a->template |= key == KEY_TEMPLATE;
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &a->output, state);
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    cas_drawing_ask(&a->drawing, "unsealed", "yes");
    return 0;
  case ARGP_KEY_ARG:
    a->file[a->files++] = argument;
    return 0;
  case ARGP_KEY_END:
    check_plot(a, state);
    return 0;
  default:
    if (!name_of(key))
      return ARGP_ERR_UNKNOWN;
    cas_drawing_ask(&a->drawing, name_of(key), argument);
    return 0;
  }
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0)
      return true;
  return false;
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
  fclose(f);
  return text;
}

static int plot(arguments *a) {
  if (is_film(a))
    return make(a, "film", a->film, CAS_LEFTOVER_FILM);
  if (a->data || a->script)
    return make(a, a->data ? "data" : "script", a->data ? a->data : a->script, CAS_LEFTOVER_TEXT);
  char *own = a->output ? NULL : default_output(a->file[0], ".svg");
  const int status = make(a, "plot", a->output ? a->output : own, CAS_LEFTOVER_FIGURE);
  free(own);
  return status;
}

int cas_app_plot(int argc, char **argv) {
  arguments a = {.file = calloc((size_t)argc, sizeof *a.file)};
  char *help = plot_help(asks_for_help(argc, argv));
  const struct argp parser = {.options = plot_options,
                              .parser = parse_plot,
                              .args_doc = "RESULTS.h5 [RESULTS.h5]",
                              .doc = help};
  cas_error err = {0};
  int status = a.file && help ? EXIT_SUCCESS : (cas_no_memory(&err), cas_app_error(&err));
  if (status == EXIT_SUCCESS) {
    cas_app_parse(&parser, argc, argv, 0, &a);
    status = plot(&a);
  }
  free(help);
  free(a.file);
  return status;
}

/* ---- export ---- */

static error_t parse_export(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &a->output, state);
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    cas_drawing_ask(&a->drawing, "unsealed", "yes");
    return 0;
  case ARGP_KEY_ARG:
    if (a->files)
      argp_error(state, "one results file only, found '%s' too", argument);
    a->file[a->files++] = argument;
    return 0;
  case ARGP_KEY_END:
    if (a->files == 0)
      argp_error(state, "the results file is missing");
    if (a->output && !ends_in(a->output, ".vtkhdf"))
      argp_error(state, "--output: found '%.60s', must end in .vtkhdf", a->output);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int cas_app_export(int argc, char **argv) {
  const struct argp_option options[] = {
      {"output", 'o', "FILE.vtkhdf", 0, "file to write (default: RESULTS.vtkhdf)", 0},
      {"unsealed", KEY_UNSEALED, NULL, 0, unsealed_help, 0},
      {0}};
  const struct argp parser = {
      .options = options,
      .parser = parse_export,
      .args_doc = "RESULTS.h5",
      .doc =
          "Write what a results file holds as a VTKHDF file with all its times, which ParaView "
          "opens (5.12 or later): maps of the vorticity on the sphere or the torus, their mean and "
          "variance over an ensemble, members of an ensemble, or states of 3 or n x 3 numbers."};
  const char *file[2] = {NULL};
  arguments a = {.file = file};
  cas_app_parse(&parser, argc, argv, 0, &a);
  char *own = a.output ? NULL : default_output(a.file[0], ".vtkhdf");
  const int status = make(&a, "export", a.output ? a.output : own, CAS_LEFTOVER_EXPORT);
  free(own);
  return status;
}
