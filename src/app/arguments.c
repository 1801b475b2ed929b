#include "app/arguments.h"
#include "app/app.h"
#include "base/name_list.h"
#include "base/text.h"
#include "files/lock.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>

/* What becomes of the value of an option. */
typedef enum {
  FLAG,   /* true in a bool */
  TEXT,   /* kept */
  OUTPUT, /* kept; what looks like an option is refused */
  SET,    /* appended to the list of --set */
  COUNT,  /* an int64_t of at least `least` */
  TIME,   /* seconds in a double, of at least `least` */
  FORMAT, /* a cas_rows_format */
  ASK     /* handed to the package that draws, and kept if there is a place */
} kind;

typedef struct {
  unsigned commands; /* that have it */
  const char *name, *argument;
  kind kind;
  size_t place; /* in cas_arguments; 0: none */
  int letter;   /* 0: none */
  double least;
  const char *must; /* what is said of less, and of what is no number */
  const char *help;
} option;

#define PLACE(field) offsetof(cas_arguments, field)

static const option options[] = {
    /* ---- runs ---- */
    {CAS_APP_RUN, "set", "KEY=VALUE", SET, 0,
     .help = "override one value, such as study.paths=1000; null removes a key, such as "
             "coarsest_steps if a horizon is given instead; may be repeated"},
    {CAS_APP_SWEEP, "set", "KEY=A,B,..", SET, 0,
     .help = "values of a key, one run each; of one value alone, for all runs; may be repeated"},
    {CAS_APP_SWEEP, "zip", NULL, FLAG, PLACE(zip),
     .help = "combine the first values of all keys, then the second ones, .., instead of all "
             "combinations"},
    {CAS_APP_RUN, "only-path", "I", COUNT, PLACE(only_path),
     .must = "must be the number of a path, 0 or more",
     .help = "integrate only path I and print it on every level; with --output FILE write all its "
             "steps"},
    {CAS_APP_SWEEP, "point", "I", COUNT, PLACE(point), .least = 1, .must = "must be 1 or more",
     .help = "this point alone, from 1 on, such as $SLURM_ARRAY_TASK_ID"},
    {CAS_APP_SWEEP, "groups", "G", COUNT, PLACE(groups), .least = 1, .must = "must be 1 or more",
     .help = "groups of ranks (default: a group for each point or rank)"},
    {CAS_APP_RUN, "dry-run", NULL, FLAG, PLACE(dry_run),
     .help = "check everything and print what would run, with estimates of time and memory"},
    {CAS_APP_SWEEP, "dry-run", NULL, FLAG, PLACE(dry_run), .help = "check and list the points"},
    {CAS_APP_RUN, "resume", NULL, FLAG, PLACE(resume),
     .help = "continue from FILE.checkpoint, or extend the finished FILE by more paths or steps; "
             "start if there is neither"},
    {CAS_APP_SWEEP, "resume", NULL, FLAG, PLACE(resume),
     .help = "go on with points that are begun, skip those that are done"},
    {CAS_APP_RUN, "max-walltime", "TIME", TIME, PLACE(max_walltime), .least = DBL_MIN,
     .must = "must be more than 0",
     .help =
         "write a checkpoint and end with status 75 before this time is over (90, 10min, 3h50m)"},
    {CAS_APP_SWEEP, "max-walltime", "TIME", TIME, PLACE(max_walltime), .least = DBL_MIN,
     .must = "must be more than 0",
     .help = "write checkpoints and leave with status 75 before this time is over"},
    {CAS_APP_RUN | CAS_APP_SWEEP, "wait", "TIME", TIME, PLACE(lock_wait),
     .help = "wait so long for another run that is writing the same output, such as one that was "
             "killed and is still ending (default 30s; 0s: do not wait)"},
    {CAS_APP_RUN, "quiet", NULL, FLAG, PLACE(quiet), .help = "no progress and no tables"},
    {CAS_APP_SWEEP, "quiet", NULL, FLAG, PLACE(quiet),
     .help = "no line for each point and no table"},
    {CAS_APP_MERGE, "quiet", NULL, FLAG, PLACE(quiet), .help = "no tables"},

    /* ---- what is written ---- */
    {CAS_APP_RUN, "output", "FILE", OUTPUT, PLACE(output), .letter = 'o',
     .help = "results file, instead of output.file"},
    {CAS_APP_SWEEP, "output", "FILE", OUTPUT, PLACE(output), .letter = 'o',
     .help = "results: FILE-1.h5, FILE-2.h5, .. of FILE or FILE.h5, instead of output.file"},
    {CAS_APP_MERGE, "output", "FILE", OUTPUT, PLACE(output), .letter = 'o',
     .help = "results file to write"},
    {CAS_APP_PLOT, "output", "FIGURE", OUTPUT, PLACE(output), .letter = 'o',
     .help = "figure to write: .svg, .pdf, .eps or .png (default: RESULTS.svg)"},
    {CAS_APP_EXPORT, "output", "FILE.vtkhdf", OUTPUT, PLACE(output), .letter = 'o',
     .help = "file to write (default: RESULTS.vtkhdf)"},
    {CAS_APP_BUILD, "output", "FILE", OUTPUT, PLACE(output), .letter = 'o',
     .help = "instead of the name of the source with .so"},
    {CAS_APP_REPORT, "html", "PAGE", TEXT, PLACE(html),
     .help = "instead of tables on the screen, a page of HTML with tables, figures and "
             "configuration (-: to standard output)"},
    {CAS_APP_REPORT | CAS_APP_SWEEP, "format", "FORMAT", FORMAT, PLACE(format),
     .help = "csv or json: all estimates with their standard errors or intervals, a row each, and "
             "the keys that differ between the files; latex: the main estimates as a table"},
    {CAS_APP_REPORT, "differences", NULL, FLAG, PLACE(differences),
     .help = "differences of neighbouring runs of a sweep on the same paths, at all times"},
    {CAS_APP_RUN | CAS_APP_MERGE | CAS_APP_REPORT, "long", NULL, FLAG, PLACE(all),
     .help = "all tables"},
    {CAS_APP_SWEEP, "long", NULL, FLAG, PLACE(all),
     .help = "instead of one table, all tables of each point"},
    {CAS_APP_BUILD, "template", "system|scheme|splitting", TEXT, PLACE(template),
     .help = "print a commented file to begin with, which compiles and runs"},

    /* ---- what is read ---- */
    {CAS_APP_RUN, "unsealed", NULL, FLAG, PLACE(unsealed),
     .help = "read results of casimir also if their seal is missing, as initial state, as normals "
             "or for --resume"},
    {CAS_APP_PLOT | CAS_APP_EXPORT | CAS_APP_EVALUATE | CAS_APP_REPORT, "unsealed", NULL, FLAG,
     PLACE(unsealed), .help = "read results of casimir also if their seal is missing"},
    {CAS_APP_EVALUATE, "size", "N", COUNT, PLACE(size), .letter = 's', .least = 1,
     .must = "must be how many numbers a state has",
     .help = "numbers (doubles) of a state that is given, where it has more than the system needs"},

    /* ---- figures ---- */
    {CAS_APP_PLOT, "picture", "NAME", ASK, 0, .letter = 'p',
     .help = "which picture, if several are possible"},
    {CAS_APP_PLOT, "at", "T,..", ASK, PLACE(plot.at), .letter = 'a',
     .help = "times of snapshots: of maps, spectra and members"},
    {CAS_APP_PLOT, "map", "OBSERVABLE", ASK, 0, .letter = 'm',
     .help =
         "what maps show, such as stream_function (default: the vorticity, or else the first map)"},
    {CAS_APP_PLOT, "show", "NAME,..", ASK, 0,
     .help = "what 'observables' draws over time, a panel each, and 'plane' against each other: "
             "recorded observables, components of the state, or one number of many as NAME[2]"},
    {CAS_APP_PLOT, "contours", "OBSERVABLE", ASK, 0,
     .help = "contours of this observable of the system behind 'paths' and 'plane'"},
    {CAS_APP_PLOT, "section", "NAME=VALUE", ASK, 0,
     .help = "of 'plane' the points where this observable passes the value upwards"},
    {CAS_APP_PLOT, "until", "T", ASK, 0, .letter = 'u',
     .help = "trajectories up to this time only"},
    {CAS_APP_PLOT, "style", "FILE", ASK, 0,
     .help = "a style sheet of matplotlib (.mplstyle) besides the own one"},
    {CAS_APP_PLOT, "template", "FILE.py", ASK, PLACE(template),
     .help = "draw by the function draw(data, figure, request) of this file, as --script has it"},
    {CAS_APP_PLOT, "data", "TEXT", ASK, PLACE(plot.data),
     .help = "instead of a figure, write its data as text (-: to standard output)"},
    {CAS_APP_PLOT, "script", "FILE.py", ASK, PLACE(plot.script),
     .help = "instead of a figure, write a script of Python that draws it from the file, to be "
             "edited (-: to standard output)"},
    {CAS_APP_PLOT, "label", "TEXT", ASK, 0,
     .help =
         "text of a file in the legend instead of its name; once for each file, in their order"},
    {CAS_APP_PLOT, "title", "TITLE", ASK, 0,
     .help = "text above the figure, instead of what the file concludes; empty: none"},
    {CAS_APP_PLOT, "width", "MM", ASK, 0,
     .help = "width of the figure, such as 84 or 174 mm; text of 7 to 8 pt"},
    {CAS_APP_PLOT, "xrange", "LOW:HIGH,..", ASK, 0,
     .help = "range of the horizontal axis, of all panels or of each"},
    {CAS_APP_PLOT, "yrange", "LOW:HIGH,..", ASK, 0, .help = "range of the vertical axis, likewise"},
    {CAS_APP_PLOT, "view", "LONGITUDE,LATITUDE", ASK, 0,
     .help = "spheres as they are seen from above this point, maps too, which are flat otherwise"},
    {CAS_APP_PLOT, "film", "FILM.mp4", ASK, PLACE(plot.film),
     .help = "instead of a figure, a film of maps, 'paths' or 'members' with a frame for every "
             "record, by ffmpeg"},
    {CAS_APP_PLOT, "frames", "DIRECTORY", ASK, PLACE(plot.frames),
     .help = "the frames of a film, with or without --film, as DIRECTORY/frame-00001.png, .."},
    {CAS_APP_PLOT, "fps", "N", ASK, 0, .help = "frames of a film in a second (default: 25)"},
};
enum { OPTIONS = sizeof options / sizeof *options, FIRST_KEY = 0x100 };

/* ---- values ---- */

static const char *read_count(const option *o, const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  const bool read = !errno && !*end && isdigit((unsigned char)*text);
  return read && (double)*out >= o->least ? NULL : o->must;
}

static const char *read_time(const option *o, const char *text, double *out) {
  const char *wrong = cas_parse_duration(text, out);
  return wrong ? wrong : *out < o->least ? o->must : NULL;
}

static const char *read_format(const char *text, cas_rows_format *out) {
  static const char *const names[] = {"csv", "json", "latex", NULL}; /* from CAS_ROWS_CSV on */
  const int i = cas_name_list_find(names, text);
  *out = (cas_rows_format)(CAS_ROWS_CSV + i);
  return i < 0 ? "must be csv, json or latex" : NULL;
}

/* Returns NULL, or what the text must be. */
static const char *keep(const option *o, char *text, cas_arguments *a) {
  void *place = (char *)a + o->place;
  switch (o->kind) {
  case FLAG:
    *(bool *)place = true;
    return NULL;
  case SET:
    a->set[a->sets++] = text;
    return NULL;
  case COUNT:
    return read_count(o, text, place);
  case TIME:
    return read_time(o, text, place);
  case FORMAT:
    return read_format(text, place);
  case ASK:
    cas_drawing_ask(&a->drawing, o->name, text);
    break;
  case OUTPUT:
  case TEXT:
    break;
  }
  if (o->place)
    *(const char **)place = text;
  return NULL;
}

/* ---- argp ---- */

typedef struct {
  const cas_app_command *command;
  cas_arguments *arguments;
  bool given[OPTIONS];
} parsing;

static int key_of(int i) { return options[i].letter ? options[i].letter : FIRST_KEY + i; }

/* Returns from a function of argp where something is wrong. */
#define REFUSE_IF(wrong, ...)         \
  do {                                \
    if (wrong) {                      \
      argp_error(state, __VA_ARGS__); \
      return EINVAL;                  \
    }                                 \
  } while (0)

static error_t take_option(parsing *p, int i, char *text, struct argp_state *state) {
  const option *o = &options[i];
  const bool one = o->argument && o->kind != SET;
  REFUSE_IF(p->command->once && one && p->given[i], "--%s is given twice", o->name);
  p->given[i] = true;
  REFUSE_IF(o->kind == OUTPUT && strncmp(text, "--", 2) == 0,
            "--%s: found '%.60s', must be the name of a file (./%.60s if it is one)", o->name, text,
            text);
  const char *must = keep(o, text, p->arguments);
  REFUSE_IF(must, "--%s: found '%.40s', %s", o->name, text, must);
  return 0;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  parsing *p = state->input;
  const cas_app_command *c = p->command;
  cas_arguments *a = p->arguments;
  if (key == ARGP_KEY_ARG) {
    REFUSE_IF(c->most && a->names == c->most, "%s, found '%s' too", c->allowed, text);
    a->name[a->names++] = text;
    return 0;
  }
  if (key == ARGP_KEY_END) {
    REFUSE_IF(a->names < c->least, "%s", c->missing);
    if (c->check)
      c->check(a, state);
    return 0;
  }
  for (int i = 0; i < OPTIONS; i++)
    if ((options[i].commands & c->command) && key_of(i) == key)
      return take_option(p, i, text, state);
  return ARGP_ERR_UNKNOWN;
}

/* The parser of a command, with its options in out[OPTIONS + 1]. */
static struct argp parser_of(const cas_app_command *c, struct argp_option *out) {
  int n = 0;
  for (int i = 0; i < OPTIONS; i++)
    if (options[i].commands & c->command)
      out[n++] = (struct argp_option){.name = options[i].name,
                                      .key = key_of(i),
                                      .arg = options[i].argument,
                                      .doc = options[i].help};
  out[n] = (struct argp_option){0};
  return (struct argp){.options = out, .parser = parse, .args_doc = c->names, .doc = c->doc};
}

typedef struct {
  FILE *to;
  const struct argp_option *known;
} speech;

/* The option nearest to one that argp does not know, or NULL; *rest: what follows its name. */
static const char *nearest_option(const speech *s, const char *text, const char **rest) {
  static const char said[] = "unrecognized option '--";
  const char *names[OPTIONS + 1] = {NULL}, *at = strstr(text, said);
  char found[80];
  for (int i = 0; s->known[i].name; i++)
    names[i] = s->known[i].name;
  at = at ? at + strlen(said) : "";
  *rest = strchr(at, '\n');
  snprintf(found, sizeof found, "%.*s", (int)strcspn(at, "='"), at);
  return *rest ? cas_nearest(found, names) : NULL;
}

/* The messages of argp contain arguments as they were given. */
static ssize_t show(void *speech_, const char *bytes, size_t size) {
  const speech *s = speech_;
  CAS_OWNED char *text = strndup(bytes, size), *more = NULL;
  const char *rest, *nearest = text ? nearest_option(s, text, &rest) : NULL;
  if (nearest &&
      asprintf(&more, "%.*s; did you mean '--%s'?%s", (int)(rest - text), text, nearest, rest) < 0)
    more = NULL;
  if (text)
    cas_text_print(s->to, more ? more : text);
  return (ssize_t)size;
}

error_t cas_arguments_parse(const cas_app_command *c, int argc, char **argv, unsigned flags,
                            cas_arguments *a) {
  struct argp_option own_options[OPTIONS + 1];
  const struct argp parser = parser_of(c, own_options);
  parsing p = {.command = c, .arguments = a};
  *a = (cas_arguments){.name = calloc((size_t)argc, sizeof *a->name),
                       .set = calloc((size_t)argc, sizeof *a->set),
                       .only_path = -1,
                       .lock_wait = CAS_LOCK_SECONDS};
  if (!a->name || !a->set)
    exit(cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"}));
  argp_err_exit_status = cas_exit_status(CAS_BAD_INPUT);
  FILE *const own = stderr;
  speech said = {own, own_options};
  FILE *shown = fopencookie(&said, "w", (cookie_io_functions_t){.write = show});
  stderr = shown ? shown : own; /* glibc lets a program set it, and argp speaks to it */
  unsetenv("POSIXLY_CORRECT");  /* options may follow the configuration, as pages have them */
  const error_t wrong = argp_parse(&parser, argc, argv, flags, NULL, &p);
  stderr = own;
  if (shown)
    fclose(shown);
  cas_unsealed_accept(a->unsealed);
  return wrong;
}

bool cas_arguments_ask_for_help(int argc, char **argv) {
  static const char *const words[] = {"--help", "-?", "--usage", NULL};
  for (int i = 1; i < argc; i++)
    if (cas_name_list_find(words, argv[i]) >= 0)
      return true;
  return false;
}

cas_run_request cas_arguments_request(const cas_arguments *a) {
  return (cas_run_request){.configuration = a->name[0],
                           .output = a->output,
                           .dry_run = a->dry_run,
                           .resume = a->resume,
                           .max_walltime = a->max_walltime,
                           .lock_wait = a->lock_wait,
                           .signals = cas_signals_poll,
                           .begins = cas_signals_begin,
                           .notice = cas_app_notice};
}

void cas_arguments_help(const cas_app_command *c, char *program) {
  struct argp_option own_options[OPTIONS + 1];
  const struct argp parser = parser_of(c, own_options);
  argp_help(&parser, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, program);
}

void cas_arguments_free(cas_arguments *a) {
  free(a->name);
  free(a->set);
  *a = (cas_arguments){0};
}
