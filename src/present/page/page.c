/* A page of HTML: text that is escaped, and figures of gnuplot within it. */
#include "present/page/page.h"
#include "base/text.h"
#include "files/safe_file.h"
#include "present/figure/figure.h"
#include "present/page/style.h"
#include "version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* What stands for a character of markup; NULL: it is none. */
static const char *escaped(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

/* Text of whatever origin as text of the page; control characters are shown as escapes, lines
   stay. */
static void put(FILE *f, const char *text, size_t size) {
  const char *end = text + size;
  while (text < end) {
    char shown[CAS_TEXT_SHOWN] = "\n";
    text += *text == '\n' ? 1 : cas_text_next(text, shown);
    for (const char *c = shown; *c; c++)
      if (escaped(*c))
        fputs(escaped(*c), f);
      else
        fputc(*c, f);
  }
}

static void put_all(FILE *f, const char *text) { put(f, text, strlen(text)); }

static const char *known(const char *text) { return text && *text ? text : "?"; }

static void heading(FILE *f, const char *text) { fprintf(f, "<h2>%s</h2>\n", text); }

static void row(FILE *f, const char *name, const char *value) {
  if (!value || !*value)
    return;
  fprintf(f, "<tr><th>%s</th><td>", name);
  put_all(f, value);
  fputs("</td></tr>\n", f);
}

static void row_number(FILE *f, const char *name, int64_t value) {
  fprintf(f, "<tr><th>%s</th><td>%" PRId64 "</td></tr>\n", name, value);
}

/* ---- the report: blocks of lines, verdicts among them ---- */

/* The end of a line, its break included. */
static const char *line_end(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* A verdict goes on over lines that are further in. */
static const char *verdict_end(const char *line) {
  line = line_end(line);
  while (strncmp(line, "     ", 5) == 0)
    line = line_end(line);
  return line;
}

/* The title of a verdict is the first line of the block that it stands in. */
static void put_verdicts(FILE *f, const char *report) {
  const char *title = report;
  bool any = false;
  for (const char *line = report; *line; line = line_end(line)) {
    if (line > report + 1 && line[-1] == '\n' && line[-2] == '\n')
      title = line;
    if (strncmp(line, "  =>", 4) != 0)
      continue;
    if (!any)
      heading(f, "Verdicts");
    any = true;
    fputs("<div class=\"verdict\"><b>", f);
    put(f, title, strcspn(title, "\n"));
    fputs("</b><br>", f);
    put(f, line + 4, (size_t)(verdict_end(line) - line) - 4);
    fputs("</div>\n", f);
  }
}

/* Without the head of the report, whose lines the page has in a table of its own. */
static void put_tables(FILE *f, const char *report) {
  const char *tables = strstr(report, "\n\n");
  if (!tables)
    return;
  heading(f, "Tables and health");
  fputs("<pre>", f);
  put_all(f, tables + 2);
  fputs("</pre>\n", f);
}

/* ---- figures ---- */

typedef struct {
  FILE *f;
  int figures;
} gallery;

/* Names of parts are the same in all figures of gnuplot; in the page each figure has its own. */
static void put_svg(FILE *f, const char *svg, int figure) {
  static const char *const before[] = {"id=\"", "id='", "href='#", "href=\"#", "url(#"};
  for (const char *c = svg; *c;) {
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof before / sizeof *before; i++)
      if (strncmp(c, before[i], strlen(before[i])) == 0)
        found = before[i];
    if (found) {
      fprintf(f, "%sf%d-", found, figure);
      c += strlen(found);
    } else
      fputc(*c++, f);
  }
}

static void receive(void *context, const char *name, const char *svg, const cas_error *err) {
  gallery *g = context;
  const char *begin = svg ? strstr(svg, "<svg") : NULL;
  if (g->figures++ == 0)
    heading(g->f, "Figures");
  if (begin) {
    fputs("<figure>\n", g->f);
    put_svg(g->f, begin, g->figures);
    fprintf(g->f, "<figcaption>%s</figcaption>\n</figure>\n", name);
    return;
  }
  fprintf(g->f, "<p>No figure <code>%s</code>: ", name);
  put_all(g->f, err ? err->text : "gnuplot has drawn none");
  fputs("</p>\n", g->f);
}

/* ---- where it comes from ---- */

static void put_provenance(FILE *f, const char *file, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  heading(f, "Provenance");
  fputs("<table>\n", f);
  row(f, "file", file);
  row(f, "study", p->study);
  row(f, "system", p->system);
  row(f, "integrator", p->integrator);
  row(f, "integrator of the reference", p->reference_integrator);
  row(f, "generator", p->generator);
  row_number(f, "seed", p->seed);
  row_number(f, "paths", p->paths);
  row_number(f, "ranks", p->ranks);
  row(f, "kernels", p->kernels);
  row(f, "BLAS", p->blas);
  row(f, "started", p->started);
  fprintf(f, "<tr><th>took</th><td>%.4g s</td></tr>\n", p->elapsed_seconds);
  row(f, "casimir", p->version);
  row(f, "commit", p->commit);
  row(f, "hash of initial states", p->initial_hash);
  row(f, "hash of the noise", p->noise_hash);
  fputs("</table>\n", f);
}

/* The effective configuration is all that a run needs; numbers do not depend on ranks. */
static void put_repetition(FILE *f, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  if (!p->configuration)
    return;
  heading(f, "How to repeat it");
  fputs("<p>With casimir ", f);
  put_all(f, known(p->version));
  fputs(" (commit <code>", f);
  put_all(f, known(p->commit));
  fputs(
      "</code>) and the configuration below as <code>run.yaml</code>, on any number of ranks:</p>\n"
      "<pre>mpirun -n 2 casimir run run.yaml --output again.h5",
      f);
  if (p->alone)
    fprintf(f, " --only-path %" PRId64, p->path);
  fputs("</pre>\n<p>With the same instruction set (kernels) every dataset of <code>again.h5</code> "
        "has the same bits, as <code>h5diff</code> tells.</p>\n",
        f);
  heading(f, "Configuration");
  fputs("<pre>", f);
  put_all(f, p->configuration);
  fputs("</pre>\n", f);
}

/* ---- the page ---- */

static void put_title(FILE *f, const cas_results *r) {
  put_all(f, known(r->provenance.study));
  fputs(" of ", f);
  put_all(f, known(r->provenance.system));
}

static cas_status put_page(FILE *f, const char *file, const cas_results *r, cas_error *err) {
  gallery g = {.f = f};
  char *report = NULL;
  size_t size;
  FILE *to = open_memstream(&report, &size);
  if (to)
    cas_results_print(to, r);
  if (!to || fclose(to)) {
    free(report);
    return cas_no_memory(err);
  }
  fprintf(f,
          "<!DOCTYPE html>\n<!-- casimir %s -->\n<html lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          CAS_VERSION);
  put_title(f, r);
  fprintf(f, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", cas_page_style);
  put_title(f, r);
  fputs("</h1>\n", f);
  put_verdicts(f, report);
  cas_status st = cas_plot_all(file, receive, &g, err);
  put_tables(f, report);
  put_provenance(f, file, r);
  put_repetition(f, r);
  fputs("</body>\n</html>\n", f);
  free(report);
  return st;
}

cas_status cas_page_write(const char *file, const cas_results *r, const char *output,
                          cas_error *err) {
  char *page = NULL;
  size_t size = 0;
  if (cas_file_is_same(file, output))
    return cas_fail(err, CAS_BAD_INPUT, "%s is what is reported; give the page another name",
                    output);
  CAS_CALL(cas_figure_check(output, CAS_LEFTOVER_PAGE, err));
  FILE *f = open_memstream(&page, &size);
  cas_status st = f ? put_page(f, file, r, err) : cas_no_memory(err);
  if (f && fclose(f) && !st)
    st = cas_no_memory(err);
  if (!st)
    st = cas_figure_put(output, CAS_LEFTOVER_PAGE, page, size, err);
  free(page);
  return st;
}
