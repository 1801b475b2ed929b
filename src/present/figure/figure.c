/* gnuplot: what every figure sets, and how the program is run. */
#include "base/link.h"
#include "base/text.h"
#include "hdf5/hdf5_impl.h"
#include "present/figure/plot_impl.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sizes are in inches everywhere but in two terminals, and each has its own idea of a line of text:
   these give the same figure in all three. Fonts are named as SVG viewers know them; fontconfig
   finds its equivalent. */
static const struct {
  const char *extension, *terminal;
  const char *ending; /* of a whole file, but for blank space */
  double unit;        /* of a length, per inch */
  double spacing;     /* of key entries */
} formats[] = {
    {"svg", "svg enhanced font 'Helvetica,13' linewidth 1.2 background '#ffffff'", "</svg>", 96,
     0.9},
    {"pdf", "pdfcairo enhanced color font 'Helvetica,7.2' fontscale 1 linewidth 1.2 pointscale 1",
     "%%EOF", 1, 1.15},
    {"png",
     "pngcairo enhanced color font 'Helvetica,10' fontscale 2.2 linewidth 2.4 pointscale 3.1 "
     "background '#ffffff'",
     "IEND\xae\x42\x60\x82", 220, 1.15},
};
#define FORMATS ((int)(sizeof formats / sizeof *formats))

static const char *const colours[CAS_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};

const char *cas_figure_colour(int i) { return colours[i % CAS_COLOURS]; }

void cas_figure_tint(const char *colour, double share, char text[8]) {
  unsigned long rgb = strtoul(colour + 1, NULL, 16);
  unsigned mixed[3];

  for (int i = 0; i < 3; i++)
    mixed[i] = (unsigned)(255.5 - share * (255 - (double)(rgb >> (16 - 8 * i) & 255)));
  snprintf(text, 8, "#%02x%02x%02x", mixed[0] & 255, mixed[1] & 255, mixed[2] & 255);
}

static int format_of(const char *output) {
  const char *dot = strrchr(output, '.'), *slash = strrchr(output, '/');

  for (int i = 0; dot && dot > slash && i < FORMATS; i++)
    if (strcasecmp(dot + 1, formats[i].extension) == 0)
      return i;
  return -1;
}

cas_status cas_figure_begin(cas_figure *g, const char *output, cas_error *err) {
  cas_status st;

  *g = (cas_figure){.output = output, .format = format_of(output)};
  if (g->format < 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "cannot tell the format of the figure '%s' from its name; it should end in "
                    ".svg, .pdf or .png",
                    output);
  g->target = cas_link_target(output);
  g->temporary = g->target ? cas_temporary_name(g->target) : NULL;
  if (!g->temporary)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  st = cas_file_probe(g->target, err);
  if (!st)
    st = cas_left_check(g->temporary, CAS_LEFT_FIGURE, err);
  if (st)
    return st;
  g->script = tmpfile();
  if (!g->script)
    return cas_fail(err, CAS_FILE_ERROR, "cannot make a temporary file for gnuplot: %s",
                    strerror(errno));
  return CAS_OK;
}

cas_status cas_figure_nothing(const char *file, const char *numbers, cas_error *err) {
  return cas_fail(err, CAS_BAD_INPUT, "%s: no %s is a number: nothing is there to draw", file,
                  numbers);
}

void cas_figure_remark(const cas_figure *g, const char *format, ...) {
  va_list arguments;
  char text[2000], shown[2000];

  if (!g->remarks)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cas_text_show(shown, sizeof shown, text);
  fprintf(g->remarks, "casimir: %s\n", shown);
}

void cas_figure_size(cas_figure *g, double width, double height) {
  double unit = formats[g->format].unit;

  fprintf(g->script, "set terminal %s size %g,%g\n", formats[g->format].terminal, width * unit,
          height * unit);
  fputs("set encoding utf8\n"
        "set border 31 linewidth 0.8 linecolor '#333333'\n"
        "set tics scale 0.7 textcolor '#000000'\n"
        "set errorbars small\n"
        "set key noautotitle samplen 2.2\n",
        g->script);
  fprintf(g->script, "set key spacing %g\n", formats[g->format].spacing);
}

void cas_figure_frame(cas_figure *g, const cas_frame *f) {
  fprintf(g->script,
          "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
          "set bmargin at screen %.5f\nset tmargin at screen %.5f\n",
          f->left / f->figure_width, (f->left + f->width) / f->figure_width,
          f->bottom / f->figure_height, (f->bottom + f->height) / f->figure_height);
}

/* ---- running gnuplot ---- */

/* A script in a file instead of a pipe: a gnuplot that dies cannot take this process along by
 * SIGPIPE. */
static int spawn(FILE *script, int drawing, FILE *messages, pid_t *pid) {
  char *const arguments[] = {"gnuplot", "-d", "-", NULL};
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);

  if (error)
    return error;
  error = posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, drawing, 1);
  if (!error)
    error = posix_spawnp(pid, "gnuplot", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* What gnuplot complained about, as one line. */
static void read_messages(FILE *messages, char *text, size_t size) {
  size_t n;

  rewind(messages);
  n = fread(text, 1, size - 1, messages);
  while (n > 0 && strchr(" \n", text[n - 1]))
    n--;
  text[n] = '\0';
  for (char *c = text; *c; c++)
    if (*c == '\n')
      *c = ' ';
}

static cas_status wait_for(pid_t pid, FILE *messages, char *text, size_t size, cas_error *err) {
  int status;

  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return cas_fail(err, CAS_INTERNAL, "gnuplot: %s", strerror(errno));
  read_messages(messages, text, size);
  if (WIFSIGNALED(status))
    return cas_fail(err, CAS_INTERNAL, "gnuplot was killed by signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) == 127)
    return cas_fail(err, CAS_INTERNAL, "gnuplot could not be started");
  if (WEXITSTATUS(status))
    return cas_fail(err, CAS_INTERNAL, "gnuplot failed with exit status %d: %s",
                    WEXITSTATUS(status), text);
  return CAS_OK;
}

static cas_status start(const cas_figure *g, int drawing, FILE *messages, pid_t *pid,
                        cas_error *err) {
  int error = spawn(g->script, drawing, messages, pid);

  if (error == ENOENT)
    return cas_fail(err, CAS_INTERNAL,
                    "gnuplot was not found on the PATH; figures need it (Debian: apt-get install "
                    "gnuplot-nox)");
  if (error)
    return cas_fail(err, CAS_INTERNAL, "cannot start gnuplot: %s", strerror(error));
  return CAS_OK;
}

/* All that comes, which is read to its end in any case; false without memory. */
static bool read_all(FILE *from, char **bytes, size_t *size) {
  FILE *to = open_memstream(bytes, size);
  char block[1 << 14];
  bool ok = to;
  size_t n;

  while ((n = fread(block, 1, sizeof block, from)) > 0)
    ok = ok && fwrite(block, 1, n, to) == n;
  return to && !fclose(to) && ok;
}

static bool is_whole(const char *bytes, size_t size, const char *ending) {
  size_t n = strlen(ending);

  while (size > 0 && isspace((unsigned char)bytes[size - 1]))
    size--;
  return size >= n && memcmp(bytes + size - n, ending, n) == 0;
}

/* gnuplot draws into a pipe: it has exit status 0 also where a disk was full. */
static cas_status run(const cas_figure *g, FILE *messages, char **bytes, size_t *size,
                      cas_error *err) {
  char text[500];
  int ends[2];
  pid_t pid;
  FILE *from;
  bool ok;
  cas_status st;

  if (pipe2(ends, O_CLOEXEC))
    return cas_fail(err, CAS_INTERNAL, "cannot make a pipe for gnuplot: %s", strerror(errno));
  st = start(g, ends[1], messages, &pid, err);
  close(ends[1]);
  from = fdopen(ends[0], "rb");
  ok = !st && from && read_all(from, bytes, size);
  if (from)
    fclose(from);
  else
    close(ends[0]);
  if (st)
    return st;
  st = wait_for(pid, messages, text, sizeof text, err);
  if (!st && !ok)
    st = cas_fail(err, CAS_NO_MEMORY, "no memory for the figure");
  if (!st && !is_whole(*bytes, *size, formats[g->format].ending))
    st = cas_fail(err, CAS_FILE_ERROR, "gnuplot did not draw all of '%s': %s", g->output,
                  text[0] ? text : "no reason given");
  return st;
}

cas_status cas_figure_draw(cas_figure *g, cas_error *err) {
  FILE *messages = tmpfile();
  char *bytes = NULL;
  size_t size = 0;
  cas_status st = CAS_OK;

  fputs("unset output\n", g->script);
  if (!messages || fflush(g->script) || ferror(g->script) || fseek(g->script, 0, SEEK_SET))
    st = cas_fail(err, CAS_FILE_ERROR, "cannot write a temporary file for gnuplot: %s",
                  strerror(errno));
  if (!st)
    st = run(g, messages, &bytes, &size, err);
  g->written = !st;
  if (!st)
    st = cas_file_write(g->temporary, CAS_LEFT_FIGURE, g->target, bytes, size, err);
  if (!st)
    st = cas_file_commit(g->temporary, g->target, err);
  if (messages)
    fclose(messages);
  free(bytes);
  return st;
}

void cas_figure_end(cas_figure *g) {
  if (g->script)
    fclose(g->script);
  if (g->written)
    (void)!cas_left_remove(g->temporary, CAS_LEFT_FIGURE, &(cas_error){0});
  free(g->temporary);
  free(g->target);
  *g = (cas_figure){0};
}
