#include "present/pictures/observed/observed.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

bool cas_observed_next(const char **list, char name[CAS_OBSERVED_NAME]) {
  size_t n = strcspn(*list, ",");
  if (!**list)
    return false;
  snprintf(name, CAS_OBSERVED_NAME, "%.*s", (int)n, *list);
  *list += n + ((*list)[n] == ',');
  return true;
}

/* The axes of the real series of this name; -1: there is none. A vector of a single path comes
   first: cas_series_find takes it for numbers of several paths of older files too. */
static int axes_of(const cas_source *s, const char *name) {
  return cas_series_find(s, name, 1)   ? 1
         : cas_series_find(s, name, 0) ? 0
         : cas_series_find(s, name, 2) ? 2
                                       : -1;
}

int cas_observed_component(const cas_source *s, const char *name) {
  const cas_dataset *d = cas_contents_find(&s->contents, "/trajectory/state");
  const char *list = d && d->components && axes_of(s, "state") == 1 ? d->components : "";
  for (int k = 0; *list; k++) {
    size_t n = strcspn(list, " ");
    if (n == strlen(name) && strncmp(list, name, n) == 0 && k < d->dims[d->rank - 1])
      return k;
    list += n + strspn(list + n, " ");
  }
  return -1;
}

/* Where a name is: a series, and one number of it from 0 on, or -1 for all. False: nowhere. */
static bool find(const cas_source *s, const char *name, char series[CAS_OBSERVED_NAME], int *axes,
                 long *number) {
  const char *index = strchr(name, '[');
  char *end = NULL;
  snprintf(series, CAS_OBSERVED_NAME, "%s", name);
  *number = -1;
  *axes = axes_of(s, name);
  if (*axes >= 0)
    return true;
  *number = cas_observed_component(s, name);
  if (*number < 0 && index) {
    *number = strtol(index + 1, &end, 10) - 1;
    snprintf(series, CAS_OBSERVED_NAME, "%.*s", (int)(index - name), name);
    *axes = *number >= 0 && strcmp(end, "]") == 0 ? axes_of(s, series) : -1;
  } else if (*number >= 0) {
    snprintf(series, CAS_OBSERVED_NAME, "state");
    *axes = 1;
  }
  return *axes >= 0;
}

bool cas_observed_over_time(const cas_source *s) {
  return cas_contents_find(&s->contents, "/trajectory/time") != NULL;
}

bool cas_observed_is_other(const char *name) {
  static const char *const others[] = {"time", "path", "state"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0)
      return true;
  return false;
}

/* "x1 x2 x3, hamiltonian, angular_velocity[1] .. [3]": all names that there are. */
static void list_names(const cas_source *s, char *text, size_t size) {
  static const char group[] = "/trajectory/";
  const cas_dataset *d = cas_contents_find(&s->contents, "/trajectory/state");
  text[0] = '\0';
  if (d && d->components && axes_of(s, "state") == 1)
    cas_append(text, size, "%s", d->components);
  for (int i = 0; i < s->contents.n; i++) {
    d = &s->contents.dataset[i];
    const char *name = d->name + strlen(group);
    if (strncmp(d->name, group, strlen(group)) != 0 || cas_observed_is_other(name))
      continue;
    const int axes = axes_of(s, name);
    if (axes >= 0)
      cas_append(text, size, "%s%s", text[0] ? ", " : "", name);
    if (axes == 1)
      cas_append(text, size, "[1] .. [%lld]", (long long)d->dims[d->rank - 1]);
  }
}

static cas_status refuse_name(const cas_source *s, const char *name, cas_error *err) {
  char names[700];
  list_names(s, names, sizeof names);
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: has neither an observable nor a component of the state '%s' over time; it "
                  "has: %s",
                  s->file, name, names[0] ? names : "none");
}

cas_status cas_observed_read(const cas_source *s, const char *name, cas_observed *o,
                             cas_error *err) {
  char series[CAS_OBSERVED_NAME];
  int axes;
  long number;
  *o = (cas_observed){0};
  snprintf(o->name, sizeof o->name, "%s", name);
  if (!find(s, name, series, &axes, &number))
    return refuse_name(s, name, err);
  CAS_CALL(cas_series_read(s, series, axes, &o->series, err));
  o->first = number < 0 ? 0 : number;
  o->numbers = number < 0 ? o->series.numbers : 1;
  return o->first < o->series.numbers
             ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT, "%s: '%s' has %lld numbers only", s->file, series,
                        (long long)o->series.numbers);
}

void cas_observed_free(cas_observed *o) { cas_series_free(&o->series); }
