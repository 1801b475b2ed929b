/* The commands that need no MPI: describe, plot, report. */
#include "app/app.h"
#include "present/figure/plot.h"
#include "present/page/page.h"
#include "results/rows.h"
#include "results/sensitivity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  KEY_UNSEALED = 0x100,
  KEY_TEMPLATE,
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
  KEY_RATE,
  KEY_FORMAT,
  KEY_HTML,
  KEY_DIFFERENCES
};

static const char unsealed_help[] = "read results of casimir also if their seal is missing";

typedef struct {
  const char *what;
} arguments;

static error_t one_argument(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  if (key == ARGP_KEY_ARG && !a->what)
    a->what = argument;
  else if (key == ARGP_KEY_ARG)
    argp_error(state, "one argument only, found '%s' too", argument);
  else
    return ARGP_ERR_UNKNOWN;
  return 0;
}

static int finish(cas_status st, const cas_error *err) {
  return st ? cas_app_error(err) : EXIT_SUCCESS;
}

int cas_app_describe(int argc, char **argv) {
  const struct argp parser = {
      .parser = one_argument,
      .args_doc = "[all | systems | integrators | schemes | generators | studies | observables | "
                  "keys | NAME "
                  "| FILE.so]",
      .doc = "What casimir knows, from the tables that check configurations: without an argument "
             "the names, with one what it says of them."};
  arguments a = {0};
  cas_listing tables;
  cas_error err = {0};
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_listing_begin(&tables);
  cas_faults_watch();
  cas_status st = tables.stream ? cas_describe(tables.stream, a.what, &err) : CAS_OK;
  cas_faults_leave();
  cas_status printed = cas_listing_end(&tables, &err);
  return finish(st ? st : printed, &err);
}

/* ---- plot ---- */

typedef struct {
  const char **file;  /* [files], into argv */
  const char **label; /* [labels], into argv */
  double at[CAS_PLOT_MOST_TIMES];
  cas_plot_request request;
  cas_film_request film;
} plot_arguments;

/* "0,5.5,20" */
static error_t parse_times(char *text, plot_arguments *a, struct argp_state *state) {
  for (char *end = text; a->request.times < CAS_PLOT_MOST_TIMES; text = end + 1) {
    double t = strtod(text, &end);
    if (end == text || !isfinite(t) || (*end && *end != ','))
      break;
    a->at[a->request.times++] = t;
    if (!*end)
      return 0;
  }
  argp_error(state, "--at: found '%.40s'; up to %d times with commas between, such as 0,5,20", text,
             CAS_PLOT_MOST_TIMES);
  return EINVAL;
}

/* One end, or NaN where there is none. */
static bool parse_end(const char **text, double *value) {
  char *end;
  *value = NAN;
  if (**text == ':' || **text == ',' || !**text)
    return true;
  *value = strtod(*text, &end);
  if (end == *text || !isfinite(*value))
    return false;
  *text = end;
  return true;
}

/* "0.1:10", or with commas between one for each panel; ends may be left out */
static error_t parse_ranges(const char *option, const char *given, cas_plot_ranges *r,
                            struct argp_state *state) {
  const char *text = given;
  for (r->n = 0; r->n < CAS_PLOT_MOST_RANGES; text++) {
    double low, high;
    if (!parse_end(&text, &low) || *text++ != ':' || !parse_end(&text, &high) || low >= high ||
        (*text && *text != ','))
      break;
    r->low[r->n] = low;
    r->high[r->n++] = high;
    if (!*text)
      return 0;
  }
  argp_error(
      state,
      "--%s: found '%.60s', must be LOW:HIGH with LOW < HIGH, such as 1e-6:1e-2, or up to %d "
      "of them with commas between; an end that is left out stays",
      option, given, CAS_PLOT_MOST_RANGES);
  return EINVAL;
}

/* "LONGITUDE,LATITUDE" */
static error_t parse_view(const char *text, cas_plot_request *q, struct argp_state *state) {
  char *comma, *end = NULL;
  q->view[0] = strtod(text, &comma);
  if (comma != text && *comma == ',')
    q->view[1] = strtod(comma + 1, &end);
  q->has_view = true;
  if (end && end != comma + 1 && !*end && fabs(q->view[0]) <= 360 && fabs(q->view[1]) <= 90)
    return 0;
  argp_error(state,
             "--view: found '%.40s', must be LONGITUDE,LATITUDE in degrees, such as 40,22 or 0,90 "
             "for the north pole",
             text);
  return EINVAL;
}

/* `least`: of a number; `what`: it must be. */
static error_t parse_number(const char *option, const char *text, double least, const char *what,
                            double *number, struct argp_state *state) {
  char *end;
  *number = strtod(text, &end);
  if (end == text || *end || !isfinite(*number) || *number < least) {
    argp_error(state, "--%s: found '%.40s', must be %s", option, text, what);
    return EINVAL;
  }
  return 0;
}

static error_t parse_rate(const char *text, int *rate, struct argp_state *state) {
  char *end;
  long found = strtol(text, &end, 10);
  *rate = (int)found;
  if (end != text && !*end && found >= 1 && found <= 120)
    return 0;
  argp_error(state, "--fps: found '%.40s', must be from 1 to 120", text);
  return EINVAL;
}

static bool is_film(const plot_arguments *a) { return a->film.output || a->film.frames; }

/* Arguments that do not go together, or are missing, end the program. */
static void check_plot(const plot_arguments *a, struct argp_state *state) {
  if (a->request.n == 0)
    argp_error(state, "the results file is missing");
  if (a->request.data && (a->request.output || a->request.template_file))
    argp_error(state, "--data writes text instead of a figure: no --output, no --template");
  if (a->request.script && (a->request.output || a->request.data))
    argp_error(state, "--script writes a script instead of a figure: no --output, no --data");
  if (is_film(a) && (a->request.output || a->request.data || a->request.script || a->request.times))
    argp_error(
        state,
        "--film and --frames draw every record: no --output, no --data, no --script, no --at");
}

/* Where an option keeps its text as it is, or NULL. */
static const char **text_of(plot_arguments *a, int key) {
  switch (key) {
  case 'p':
    return &a->request.picture;
  case 'm':
    return &a->request.map;
  case KEY_SHOW:
    return &a->request.show;
  case KEY_CONTOURS:
    return &a->request.contours;
  case KEY_SECTION:
    return &a->request.section;
  case KEY_TEMPLATE:
    return &a->request.template_file;
  case KEY_DATA:
    return &a->request.data;
  case KEY_LABEL:
    return &a->label[a->request.n_labels++];
  case KEY_TITLE:
    return &a->request.title;
  case KEY_SCRIPT:
    return &a->request.script;
  case KEY_FILM:
    return &a->film.output;
  case KEY_FRAMES:
    return &a->film.frames;
  case ARGP_KEY_ARG:
    return &a->file[a->request.n++];
  default:
    return NULL;
  }
}

static error_t parse_plot(int key, char *argument, struct argp_state *state) {
  plot_arguments *a = state->input;
  const char **text = text_of(a, key);
  if (text) {
    *text = argument;
    return 0;
  }
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &a->request.output, state);
  case 'a':
    a->request.times = 0;
    return parse_times(argument, a, state);
  case 'u':
    return parse_number("until", argument, -INFINITY, "a time", &a->request.until, state);
  case KEY_XRANGE:
    return parse_ranges("xrange", argument, &a->request.x, state);
  case KEY_YRANGE:
    return parse_ranges("yrange", argument, &a->request.y, state);
  case KEY_VIEW:
    return parse_view(argument, &a->request, state);
  case KEY_RATE:
    return parse_rate(argument, &a->film.rate, state);
  case KEY_WIDTH:
    return parse_number("width", argument, 10, "10 mm or more", &a->request.width, state);
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    return 0;
  case ARGP_KEY_END:
    check_plot(a, state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* NULL without memory. Caller frees. */
static char *plot_help(void) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  fputs(
      "Draw one picture of what a results file holds: by default the first of these that fits.\n\n",
      f);
  cas_plot_list(f);
  fputs("\v'paths' takes a second file of the same system and draws it in black, 'comparison' and "
        "'work' take errors of several schemes:\n"
        "  casimir plot STOCHASTIC.h5 DETERMINISTIC.h5\n"
        "  casimir plot A.h5 B.h5 --label midpoint --label Heun",
        f);
  fclose(f);
  return text;
}

static cas_status make_film(const plot_arguments *a, cas_error *err) {
  cas_signals_catch();
  cas_status st = cas_plot_film(&a->request, &a->film, err);
  cas_signals_restore();
  return st;
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
    {"template", KEY_TEMPLATE, "FILE", 0, "draw with this script of gnuplot", 0},
    {"data", KEY_DATA, "TEXT", 0,
     "instead of a figure, write its data as text (-: to standard output)", 0},
    {"script", KEY_SCRIPT, "FILE", 0,
     "instead of a figure, write a gnuplot script that draws it, including the data (-: to "
     "standard output)",
     0},
    {"label", KEY_LABEL, "TEXT", 0,
     "text of a file in the legend instead of its name; once for each file, in their order", 0},
    {"title", KEY_TITLE, "TITLE", 0, "text above the figure", 0},
    {"width", KEY_WIDTH, "MM", 0, "width of the figure, such as 84 or 174 mm; text of 8 to 9 pt",
     0},
    {"xrange", KEY_XRANGE, "LOW:HIGH,..", 0,
     "range of the horizontal axis, of all panels or of each", 0},
    {"yrange", KEY_YRANGE, "LOW:HIGH,..", 0, "range of the vertical axis, likewise", 0},
    {"view", KEY_VIEW, "LONGITUDE,LATITUDE", 0,
     "spheres as they are seen from above this point, maps too, which are flat otherwise", 0},
    {"film", KEY_FILM, "FILM.mp4", 0,
     "instead of a figure, a film of maps, 'paths' or 'members' with a frame for every record, "
     "by ffmpeg",
     0},
    {"frames", KEY_FRAMES, "DIRECTORY", 0,
     "the frames of a film, with or without --film, as DIRECTORY/frame-00001.png, ..", 0},
    {"fps", KEY_RATE, "N", 0, "frames of a film in a second (default: 25)", 0},
    {"unsealed", KEY_UNSEALED, NULL, 0, unsealed_help, 0},
    {0}};

int cas_app_plot(int argc, char **argv) {
  cas_progress_film progress = {.what = "frame", .terminal = isatty(STDERR_FILENO)};
  plot_arguments a = {.file = calloc((size_t)argc, sizeof *a.file),
                      .label = calloc((size_t)argc, sizeof *a.label),
                      .request = {.until = INFINITY, .remarks = stderr},
                      .film = {.rate = 25,
                               .cancelled = cas_progress_film_cancelled,
                               .progress = cas_progress_film_show,
                               .context = &progress}};
  char *help = plot_help();
  const struct argp parser = {.options = plot_options,
                              .parser = parse_plot,
                              .args_doc = "RESULTS.h5 [RESULTS.h5]",
                              .doc = help};
  cas_error err = {0};
  cas_status st;
  if (!a.file || !a.label || !help)
    st = cas_no_memory(&err);
  else {
    cas_app_parse(&parser, argc, argv, 0, &a);
    a.request.files = a.file;
    a.request.labels = a.label;
    a.request.at = a.at;
    st = is_film(&a) ? make_film(&a, &err) : cas_plot(&a.request, &err);
  }
  free(help);
  free(a.label);
  free(a.file);
  return finish(st, &err);
}

/* ---- report ---- */

typedef struct {
  const char **file; /* [files], into argv */
  int files;
  cas_rows_format format;
  const char *html; /* NULL: no page */
  bool differences;
  cas_tables_length length;
} report_arguments;

static error_t parse_report(int key, char *argument, struct argp_state *state) {
  report_arguments *a = state->input;
  switch (key) {
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    return 0;
  case KEY_FORMAT:
    return cas_app_parse_format(argument, &a->format, state);
  case CAS_TABLES_KEY_BRIEF:
  case CAS_TABLES_KEY_LONG:
    a->length = key == CAS_TABLES_KEY_BRIEF ? CAS_TABLES_BRIEF : CAS_TABLES_LONG;
    return 0;
  case KEY_HTML:
    a->html = argument;
    return 0;
  case KEY_DIFFERENCES:
    a->differences = true;
    return 0;
  case ARGP_KEY_ARG:
    a->file[a->files++] = argument;
    return 0;
  case ARGP_KEY_END:
    if (a->files == 0)
      argp_error(state, "the results file is missing");
    if (a->html && (a->files > 1 || a->format != CAS_ROWS_TEXT))
      argp_error(state, "--html makes a page of one results file, without --format");
    if (a->differences && (a->html || a->length != CAS_TABLES_AS_FITS ||
                           (a->format != CAS_ROWS_TEXT && a->format != CAS_ROWS_CSV)))
      argp_error(state, "--differences prints text, or with --format csv rows, and nothing else");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Looks at every byte of a file, prints its tables where there is a listing for them, and writes
   its page where that has a name. */
static cas_status check(const report_arguments *a, int i, const cas_listing *tables,
                        cas_error *err) {
  cas_results results = {0};
  cas_status st = cas_results_read(a->file[i], &results, err);
  if (!st)
    st = cas_results_check(a->file[i], err);
  if (!st && a->html)
    st = cas_page_write(a->file[i], &results, a->html, err);
  if (!st && tables)
    cas_listing_results(tables, &results, a->length);
  cas_results_free(&results);
  return st;
}

static cas_status print_differences(const report_arguments *a, const cas_listing *l,
                                    cas_error *err) {
  bool any = false;
  CAS_CALL(cas_sensitivity_print(l->stream, a->format, a->file, a->files, false, &any, err));
  return any ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT,
                        "--differences: no two of these files are of the same paths, with one "
                        "number of `system` that differs; they need recorded paths of single "
                        "numbers, or study.path_groups");
}

static cas_status report(const report_arguments *a, const cas_listing *l, cas_error *err) {
  bool tables = a->files == 1 && a->format == CAS_ROWS_TEXT && !a->html && !a->differences;
  for (int i = 0; i < a->files; i++)
    CAS_CALL(check(a, i, tables ? l : NULL, err));
  if (tables || a->html || !l->stream)
    return CAS_OK;
  if (a->differences)
    return print_differences(a, l, err);
  return a->length != CAS_TABLES_AS_FITS && a->format == CAS_ROWS_TEXT
             ? cas_listing_files(l, a->file, a->files, a->length, err)
             : cas_rows_print(l->stream, a->format, a->file, a->files, err);
}

int cas_app_report(int argc, char **argv) {
  const struct argp_option options[] = {{"html", KEY_HTML, "PAGE", 0,
                                         "instead of tables on the screen, a page of HTML with "
                                         "tables, figures and configuration (-: to "
                                         "standard output)",
                                         0},
                                        {"format", KEY_FORMAT, "FORMAT", 0, cas_app_format_help, 0},
                                        {"differences", KEY_DIFFERENCES, NULL, 0,
                                         "differences of neighbouring runs of a sweep on the same "
                                         "paths, at all times",
                                         0},
                                        CAS_TABLES_OPTIONS,
                                        {"unsealed", KEY_UNSEALED, NULL, 0, unsealed_help, 0},
                                        {0}};
  const struct argp parser = {
      .options = options,
      .parser = parse_report,
      .args_doc = "RESULTS.h5 ..",
      .doc =
          "Print the tables of a results file, or the main estimates of several in one table, once "
          "every byte of them is known to be what was written."};
  report_arguments a = {.file = calloc((size_t)argc, sizeof *a.file)};
  cas_listing tables;
  cas_error err = {0};
  if (!a.file)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_listing_begin(&tables);
  cas_status st = report(&a, &tables, &err);
  cas_status printed = cas_listing_end(&tables, &err);
  free(a.file);
  return finish(st ? st : printed, &err);
}
