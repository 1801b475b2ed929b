/* From what a picture has handed over to a file: a figure by gnuplot, or text. */
#include "present/figure/figure.h"
#include "base/text.h"
#include "files/safe_file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *extension; /* the name of the format in templates too */
  const char *ending;    /* of a whole file, but for blank space */
} formats[] = {
    {"svg", "</svg>"}, {"pdf", "%%EOF"}, {"eps", "%%EOF"}, {"png", "IEND\xae\x42\x60\x82"}};
#define FORMATS ((int)(sizeof formats / sizeof *formats))

static int format_of(const char *output) {
  const char *dot = strrchr(output, '.'), *slash = strrchr(output, '/');
  for (int i = 0; dot && (!slash || dot > slash) && i < FORMATS; i++)
    if (strcasecmp(dot + 1, formats[i].extension) == 0)
      return i;
  return -1;
}

cas_status cas_figure_check(const char *output, cas_leftover kind, cas_error *err) {
  if (kind != CAS_LEFTOVER_FIGURE && strcmp(output, "-") == 0)
    return CAS_OK;
  if (kind != CAS_LEFTOVER_FIGURE || format_of(output) >= 0)
    return cas_replacement_check(output, kind, err);
  return cas_fail(err, CAS_BAD_INPUT,
                  "cannot tell the format of the figure '%s' from its name; it should end in "
                  ".svg, .pdf, .eps or .png",
                  output);
}

bool cas_figure_begin(cas_figure *g, const cas_plot_request *q) {
  *g = (cas_figure){.request = q, .as_text = q->data != NULL};
  g->values = open_memstream(&g->value_text, &g->value_size);
  g->blocks = open_memstream(&g->block_text, &g->block_size);
  return g->values && g->blocks;
}

void cas_figure_end(cas_figure *g) {
  if (g->values)
    fclose(g->values);
  if (g->blocks)
    fclose(g->blocks);
  free(g->value_text);
  free(g->block_text);
  *g = (cas_figure){0};
}

cas_status cas_figure_nothing(const char *file, const char *numbers, cas_error *err) {
  return cas_fail(err, CAS_BAD_INPUT, "%s: no %s is a number: nothing is there to draw", file,
                  numbers);
}

void cas_figure_remark(const cas_figure *g, const char *format, ...) {
  va_list arguments;
  char text[2000], shown[2000];
  if (!g->request->remarks)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cas_text_show(shown, sizeof shown, text);
  fprintf(g->request->remarks, "casimir: %s\n", shown);
}

/* ---- files ---- */

static cas_status save(const char *output, cas_leftover kind, const char *bytes, size_t size,
                       cas_error *err) {
  cas_replacement r = {0};
  cas_status st = cas_replacement_begin(output, kind, &r, err);
  if (!st)
    st = cas_file_write(r.temporary, kind, r.target, bytes, size, err);
  return cas_replacement_end(&r, st, err);
}

/* Both streams of the figure, complete; false without memory. */
static bool flush(cas_figure *g) {
  return !fflush(g->values) && !ferror(g->values) && !fflush(g->blocks) && !ferror(g->blocks);
}

cas_status cas_figure_put(const char *output, cas_leftover kind, const char *text, size_t size,
                          cas_error *err) {
  if (strcmp(output, "-") != 0)
    return save(output, kind, text, size, err);
  if (fwrite(text, 1, size, stdout) != size || fflush(stdout) == EOF)
    return cas_fail(err, CAS_FILE_ERROR, "standard output could not be written");
  return CAS_OK;
}

/* What is common to all figures, and the template of this one. Caller frees both, also after a
   failure. */
static cas_status find_scripts(const cas_figure *g, const char *picture, char **style,
                               char **template, cas_error *err) {
  const char *own = g->request->template_file;
  CAS_CALL(cas_template_find("style", style, err));
  return own ? cas_template_own(own, template, err) : cas_template_find(picture, template, err);
}

static cas_status append_file(FILE *f, const char *file, cas_error *err) {
  char block[1 << 14];
  size_t n;
  FILE *from = fopen(file, "r");
  while (from && (n = fread(block, 1, sizeof block, from)) > 0)
    fwrite(block, 1, n, f);
  if (!from || ferror(from))
    cas_fail(err, CAS_FILE_ERROR, "the template %s cannot be read: %s", file, strerror(errno));
  if (from)
    fclose(from);
  fputc('\n', f);
  return err->status;
}

/* One file, for `gnuplot FILE >FIGURE` on another machine. */
static cas_status write_script(cas_figure *g, const char *picture, const char *output,
                               cas_error *err) {
  char *style = NULL, *template = NULL, *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  cas_status st = f ? find_scripts(g, picture, &style, &template, err) : cas_no_memory(err);
  if (!st) {
    fprintf(f,
            "# casimir figure: gnuplot THIS >FIGURE.svg, or gnuplot -e \"FORMAT='pdf'\" THIS "
            ">FIGURE.pdf (eps, png)\n"
            "if (!exists('FORMAT')) FORMAT = 'svg'\n%s%s",
            g->value_text, g->block_text);
    st = append_file(f, style, err);
  }
  if (!st)
    st = append_file(f, template, err);
  if (f && fclose(f) && !st)
    st = cas_no_memory(err);
  if (!st)
    st = cas_figure_put(output, CAS_LEFTOVER_TEXT, text, size, err);
  free(text);
  free(template);
  free(style);
  return st;
}

static cas_status draw_picture(cas_figure *g, const char *picture, const char *output,
                               cas_error *err) {
  const char *own = g->request->template_file;
  char *style = NULL, *template = NULL, *bytes = NULL;
  int format = format_of(output);
  size_t size = 0;
  FILE *commands = tmpfile();
  cas_status st = find_scripts(g, picture, &style, &template, err);
  if (!st && !commands)
    st = cas_fail(err, CAS_FILE_ERROR, "cannot make a temporary file for gnuplot: %s",
                  strerror(errno));
  if (!st) {
    fprintf(commands, "FORMAT = '%s'\n%s%s", formats[format].extension, g->value_text,
            g->block_text);
    st = cas_gnuplot_run(commands, (const char *const[]){style, template, NULL},
                         own ? CAS_BAD_INPUT : CAS_INTERNAL, formats[format].ending, &bytes, &size,
                         err);
  }
  if (!st && g->request->bytes) {
    *g->request->bytes = bytes;
    *g->request->size = size;
    bytes = NULL;
  } else if (!st)
    st = save(output, CAS_LEFTOVER_FIGURE, bytes, size, err);
  if (commands)
    fclose(commands);
  free(bytes);
  free(template);
  free(style);
  return st;
}

cas_status cas_figure_finish(cas_figure *g, const char *picture, const char *output,
                             cas_error *err) {
  if (!flush(g))
    return cas_no_memory(err);
  if (g->as_text) {
    char *text = NULL;
    int size = asprintf(&text, "%s%s", g->value_text, g->block_text);
    cas_status st;
    if (size < 0)
      return cas_no_memory(err);
    st = cas_figure_put(output, CAS_LEFTOVER_TEXT, text, (size_t)size, err);
    free(text);
    return st;
  }
  return g->request->script ? write_script(g, picture, output, err)
                            : draw_picture(g, picture, output, err);
}
