/* `casimir plot`: the picture that fits what a results file holds. */
#include "plot_impl.h"
#include <stdlib.h>
#include <string.h>

/* the first that matches is drawn */
static const cas_picture *const pictures[] = {&cas_picture_convergence, &cas_picture_trajectory};
#define PICTURES (sizeof pictures / sizeof *pictures)

/* results.h5 -> results.svg */
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

static cas_status choose(const cas_results *r, const char *file, const cas_picture **picture,
                         cas_error *err) {
  for (size_t i = 0; i < PICTURES; i++) {
    *picture = pictures[i];
    if (pictures[i]->matches(r))
      return CAS_OK;
  }
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: holds no error curves and no trajectory; there is no picture for a study of "
                  "kind '%s'",
                  file, r->provenance.study ? r->provenance.study : "?");
}

static cas_status draw(const cas_results *r, const char *file, const char *output, cas_error *err) {
  const cas_picture *picture = NULL;
  cas_figure g = {0};
  cas_status st = choose(r, file, &picture, err);

  if (!st)
    st = cas_figure_begin(&g, output, err);
  if (!st)
    st = picture->draw(&g, r, file, err);
  if (!st)
    st = cas_figure_draw(&g, err);
  cas_figure_end(&g);
  return st;
}

cas_status cas_plot(const char *results_file, const char *output, cas_error *err) {
  cas_results r = {0};
  char *own = output ? NULL : default_output(results_file);
  cas_status st = CAS_OK;

  if (!output && !own)
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory");
  if (!st)
    st = cas_results_read(results_file, &r, err);
  if (!st)
    st = draw(&r, results_file, output ? output : own, err);
  cas_results_free(&r);
  free(own);
  return st;
}
