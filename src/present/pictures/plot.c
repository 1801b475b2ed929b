/* `casimir plot`: the pictures that fit what results files hold, one of them drawn. */
#include "files/safe_file.h"
#include "present/pictures/picture.h"
#include "version.h"
#include <casimir/results.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cas_picture *const pictures[] = {
#define CAS_PICTURE(name) &cas_picture_##name,
#include "present/pictures/pictures.def"
#undef CAS_PICTURE
};
#define PICTURES (sizeof pictures / sizeof *pictures)

void cas_plot_list(FILE *f) {
  for (size_t i = 0; i < PICTURES; i++)
    fprintf(f, "  %-18s %s\n", pictures[i]->name, pictures[i]->summary);
}

/* The name of the picture of a file: results.svg of results.h5. */
static char *default_output(const char *file) {
  size_t n = strlen(file);
  const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
  char *name = malloc(n + sizeof ".svg");
  if (!name)
    return NULL;
  if (dot && dot > slash && dot != file && dot[-1] != '/')
    n = (size_t)(dot - file);
  memcpy(name, file, n);
  strcpy(name + n, ".svg");
  return name;
}

/* ---- which picture ---- */

/* The first source that does not fit, NULL if all do. */
static const cas_source *misfit(const cas_picture *p, const cas_source *s, int n) {
  for (int i = 0; i < n; i++)
    if (!p->matches(&s[i]))
      return &s[i];
  return NULL;
}

static bool fits(const cas_picture *p, const cas_source *s, int n) {
  return (p->map || !s->map) && (p->show || !s->show) && n >= p->least && n <= p->files &&
         !misfit(p, s, n);
}

/* "conservation, paths": what fits, but `except`. Returns how many. */
static int list_fitting(const cas_source *s, int n, const cas_picture *except, char *text,
                        size_t size) {
  int found = 0;
  text[0] = '\0';
  for (size_t i = 0; i < PICTURES; i++)
    if (pictures[i] != except && fits(pictures[i], s, n))
      cas_append(text, size, "%s%s", found++ ? ", " : "", pictures[i]->name);
  return found;
}

static cas_status find_unknown(const char *name, const char *offers, cas_error *err) {
  const char *names[PICTURES + 1] = {0}, *near;
  for (size_t i = 0; i < PICTURES; i++)
    names[i] = pictures[i]->name;
  near = cas_nearest(name, names);
  return cas_fail(err, CAS_BAD_INPUT, "there is no picture '%.40s'%s%s%s; what is given offers: %s",
                  name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                  offers[0] ? offers : "none");
}

static cas_status find_named(const cas_source *s, int n, const char *name,
                             const cas_picture **picture, cas_error *err) {
  char offers[400];
  const cas_source *bad;
  list_fitting(s, n, NULL, offers, sizeof offers);
  for (size_t i = 0; i < PICTURES; i++)
    if (strcmp(pictures[i]->name, name) == 0)
      *picture = pictures[i];
  if (!*picture)
    return find_unknown(name, offers, err);
  bad = misfit(*picture, s, n);
  if (bad)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: cannot be drawn as '%s', which needs %s; what is given offers: %s",
                    bad->file, name, (*picture)->needs, offers[0] ? offers : "none");
  if (n > (*picture)->files)
    return cas_fail(err, CAS_BAD_INPUT, "'%s' is a picture of at most %d file%s; found %d", name,
                    (*picture)->files, (*picture)->files > 1 ? "s" : "", n);
  if (n < (*picture)->least)
    return cas_fail(err, CAS_BAD_INPUT, "'%s' is a picture of at least %d files; found %d", name,
                    (*picture)->least, n);
  return CAS_OK;
}

/* The pictures that films can be made of: "paths, vorticity". */
static cas_status no_film(const cas_source *s, cas_error *err) {
  char films[400] = "";
  for (size_t i = 0; i < PICTURES; i++)
    if (pictures[i]->film)
      cas_append(films, sizeof films, "%s%s (%s)", films[0] ? ", " : "", pictures[i]->name,
                 pictures[i]->needs);
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: holds nothing that there is a film of; there are those of: %s", s->file,
                  films);
}

static cas_status find_first(const cas_source *s, int n, bool film, const cas_picture **picture,
                             cas_error *err) {
  char offers[400];
  for (size_t i = 0; i < PICTURES && !*picture; i++)
    if ((pictures[i]->film || !film) && fits(pictures[i], s, n))
      *picture = pictures[i];
  if (*picture)
    return CAS_OK;
  if (film)
    return no_film(s, err);
  if (n == 1)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: holds nothing that there is a picture of (its study is of kind '%s'; "
                    "casimir plot --help lists the pictures)",
                    s->file, s->results.provenance.study ? s->results.provenance.study : "?");
  list_fitting(s, 1, NULL, offers, sizeof offers);
  return cas_fail(err, CAS_BAD_INPUT,
                  "no picture shows these %d files together; %s alone offers: %s", n, s->file,
                  offers[0] ? offers : "none");
}

cas_status cas_picture_find(const cas_source *s, int n, const char *name, bool film,
                            const cas_picture **picture, cas_error *err) {
  *picture = NULL;
  CAS_CALL(name ? find_named(s, n, name, picture, err) : find_first(s, n, film, picture, err));
  return film && !(*picture)->film ? no_film(s, err) : CAS_OK;
}

static cas_status check_options(const cas_plot_request *q, const cas_picture *p, cas_error *err) {
  if (q->times && !p->at)
    return cas_fail(err, CAS_BAD_INPUT, "--at: '%s' is no picture at single times", p->name);
  if (q->until < INFINITY && !p->until)
    return cas_fail(err, CAS_BAD_INPUT, "--until: '%s' is no picture of a trajectory", p->name);
  if (q->map && !p->map)
    return cas_fail(err, CAS_BAD_INPUT, "--map: '%s' is no picture of maps", p->name);
  if (q->show && !p->show)
    return cas_fail(err, CAS_BAD_INPUT, "--show: '%s' is no picture of observables over time",
                    p->name);
  if (q->contours && !p->contours)
    return cas_fail(err, CAS_BAD_INPUT, "--contours: '%s' has none", p->name);
  if (q->section && !p->section)
    return cas_fail(err, CAS_BAD_INPUT, "--section: '%s' has none", p->name);
  if (q->n_labels && !p->labels)
    return cas_fail(err, CAS_BAD_INPUT, "--label: '%s' has no legend of files", p->name);
  if (q->n_labels && q->n_labels != q->n)
    return cas_fail(err, CAS_BAD_INPUT, "--label: found %d, must be one for each of the %d files",
                    q->n_labels, q->n);
  if (q->has_view && !p->view)
    return cas_fail(err, CAS_BAD_INPUT, "--view: '%s' is no picture of a sphere", p->name);
  if ((q->x.n || q->y.n) && p->plain)
    return cas_fail(err, CAS_BAD_INPUT, "--%crange: '%s' shows all of a surface",
                    q->x.n ? 'x' : 'y', p->name);
  return CAS_OK;
}

/* ---- drawing ---- */

static void remark_others(const cas_plot_request *q, const cas_source *s,
                          const cas_picture *drawn) {
  char offers[400];
  if (q->remarks && list_fitting(s, q->n, drawn, offers, sizeof offers))
    fprintf(q->remarks, "casimir: drew %s; --picture also offers: %s\n", drawn->name, offers);
}

/* Cut before a whole character of UTF-8. */
void cas_source_name(const cas_source *s, char text[CAS_SOURCE_NAME]) {
  const char *slash = strrchr(s->file, '/'), *name = s->label ? s->label
                                                     : slash  ? slash + 1
                                                              : s->file;
  const char *dot = s->label ? NULL : strrchr(name, '.');
  const int most = 40;
  int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
  bool cut = length > most;
  length = cut ? most : length;
  while (cut && length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
    length--;
  snprintf(text, CAS_SOURCE_NAME, "%.*s%s", length, name, cut ? "…" : "");
}

/* None of them may give way to its figure. */
static cas_status check_sources(const cas_source *s, int n, const char *output, cas_error *err) {
  for (int i = 0; i < n; i++)
    if (cas_file_is_same(s[i].file, output))
      return cas_fail(err, CAS_BAD_INPUT, "%s is what is drawn; give the figure another --output",
                      output);
  return CAS_OK;
}

static const char *known(const char *text) { return text ? text : "?"; }

static void write_origin(FILE *f, const cas_source *s) {
  const cas_provenance *p = &s->results.provenance;
  char text[1000];
  snprintf(text, sizeof text,
           ": %s of %s by %s, %lld path%s, generator %s, seed %lld, casimir %s (%s)",
           known(p->study), known(p->system), known(p->integrator), (long long)p->paths,
           p->paths == 1 ? "" : "s", known(p->generator), (long long)p->seed, known(p->version),
           known(p->commit));
  fputs("# of ", f);
  cas_figure_plain(f, s->file);
  cas_figure_plain(f, s->values ? "" : text);
  fputc('\n', f);
}

/* What text says first: where the numbers are from, and how they are laid out. */
static void write_head(FILE *f, const cas_source *s, int n, const char *picture) {
  fprintf(f, "# casimir %s: what the picture '%s' shows\n", CAS_VERSION, picture);
  for (int i = 0; i < n; i++)
    write_origin(f, &s[i]);
  fputs("# Values come first, then blocks, two blank lines apart, with names and [units] of "
        "columns.\n"
        "# NaN: there is no number.\n",
        f);
}

/* "x_ranges = 1", and the ends; without ranges one end, because arrays are not empty. */
static void write_ranges(cas_figure *g, const char *ranges, const char *low, const char *high,
                         const cas_plot_ranges *r) {
  int n = r->n ? r->n : 1;
  cas_figure_count(g, ranges, r->n);
  for (int i = 0; i < n; i++)
    cas_figure_real_of(g, low, i, n, r->n ? r->low[i] : NAN);
  for (int i = 0; i < n; i++)
    cas_figure_real_of(g, high, i, n, r->n ? r->high[i] : NAN);
}

static void write_request(cas_figure *g) {
  cas_figure_text(g, "TITLE", CAS_FIGURE_AS_IT_IS, g->request->title);
  cas_figure_real(g, "WIDTH", g->request->width);
  cas_figure_count(g, "film", g->request->frame != NULL);
  write_ranges(g, "x_ranges", "x_low", "x_high", &g->request->x);
  write_ranges(g, "y_ranges", "y_low", "y_high", &g->request->y);
}

cas_status cas_picture_draw(const cas_plot_request *q, const cas_picture *picture,
                            const cas_source *s, const char *output, cas_error *err) {
  cas_figure g = {0};
  cas_status st = cas_figure_begin(&g, q) ? CAS_OK : cas_no_memory(err);
  if (!st && g.as_text)
    write_head(g.values, s, q->n, picture->name);
  else if (!st)
    write_request(&g);
  if (!st)
    st = picture->draw(&g, s, q->n, err);
  if (!st)
    st = cas_figure_finish(&g, picture->template ? picture->template : picture->name, output, err);
  cas_figure_end(&g);
  return st;
}

static cas_status draw_pictures(const cas_plot_request *q, const cas_source *s, const char *output,
                                cas_error *err) {
  const cas_picture *picture = NULL;
  CAS_CALL(cas_picture_find(s, q->n, q->picture, false, &picture, err));
  CAS_CALL(check_options(q, picture, err));
  CAS_CALL(check_sources(s, q->n, output, err));
  CAS_CALL(cas_figure_check(output, q->data || q->script ? CAS_LEFTOVER_TEXT : CAS_LEFTOVER_FIGURE,
                            err));
  CAS_CALL(cas_picture_draw(q, picture, s, output, err));
  remark_others(q, s, picture);
  return CAS_OK;
}

/* JSON is YAML. */
static cas_status read_values(const char *file, cas_source *s, cas_error *err) {
  char *text = NULL;
  size_t allocated = 0;
  FILE *f = fopen(file, "r");
  ssize_t size = f ? getdelim(&text, &allocated, '\0', f) : -1;
  cas_status st = CAS_OK;
  if (size < 0)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s", file, strerror(errno));
  else
    st = cas_config_parse(text, (size_t)size, file, &s->values, err);
  if (f)
    fclose(f);
  free(text);
  return st;
}

static bool is_json(const char *file) {
  const char *dot = strrchr(file, '.');
  return dot && strcasecmp(dot, ".json") == 0;
}

cas_status cas_source_open(const char *file, double until, const char *map, cas_source *s,
                           cas_error *err) {
  cas_status st;
  s->file = file;
  s->until = until;
  s->map = map;
  if (is_json(file))
    return read_values(file, s, err);
  st = cas_results_read(file, &s->results, err);
  return st ? st : cas_contents_read(file, &s->contents, err);
}

void cas_source_close(cas_source *s) {
  cas_results_free(&s->results);
  cas_contents_free(&s->contents);
  cas_config_free(s->values);
}

static void close_sources(cas_source *s, int n) {
  for (int i = 0; s && i < n; i++)
    cas_source_close(&s[i]);
  free(s);
}

cas_status cas_plot(const cas_plot_request *q, cas_error *err) {
  const char *output = q->data ? q->data : q->script ? q->script : q->output;
  char *own = output ? NULL : default_output(q->files[0]);
  cas_source *s = calloc((size_t)q->n, sizeof *s);
  cas_status st = CAS_OK;
  if (!s || (!output && !own))
    st = cas_no_memory(err);
  for (int i = 0; i < q->n && !st; i++)
    st = cas_source_open(q->files[i], q->until, q->map, &s[i], err);
  for (int i = 0; i < q->n && !st; i++) {
    s[i].label = i < q->n_labels ? q->labels[i] : NULL;
    s[i].show = q->show;
  }
  if (!st)
    st = draw_pictures(q, s, output ? output : own, err);
  close_sources(s, q->n);
  free(own);
  return st;
}

cas_status cas_plot_all(const char *file, cas_plot_receiver receive, void *context,
                        cas_error *err) {
  cas_source s = {0};
  cas_status st = cas_source_open(file, INFINITY, NULL, &s, err);
  for (size_t i = 0; i < PICTURES && !st; i++) {
    char *svg = NULL;
    size_t size;
    cas_error reason = {0};
    const cas_plot_request q = {
        .files = &file, .n = 1, .until = INFINITY, .bytes = &svg, .size = &size};
    if (!fits(pictures[i], &s, 1))
      continue;
    if (cas_picture_draw(&q, pictures[i], &s, "figure.svg", &reason))
      receive(context, pictures[i]->name, NULL, &reason);
    else
      receive(context, pictures[i]->name, svg, NULL);
    free(svg);
  }
  cas_source_close(&s);
  return st;
}
