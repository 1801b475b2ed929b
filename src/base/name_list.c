#include "base/name_list.h"

#include <stdlib.h>
#include <string.h>

void cas_name_list_add(cas_name_list *l, const char *name) {
  const char **larger = realloc(l->name, ((size_t)l->n + 2) * sizeof *larger);
  if (!larger) {
    l->failed = true;
    return;
  }
  l->name = larger;
  larger[l->n++] = name;
  larger[l->n] = NULL;
}

void cas_name_list_add_once(cas_name_list *l, const char *name) {
  for (int i = 0; i < l->n; i++)
    if (strcmp(l->name[i], name) == 0)
      return;
  cas_name_list_add(l, name);
}

cas_status cas_name_list_check(const cas_name_list *l, cas_error *err) {
  return l->failed ? cas_no_memory(err) : CAS_OK;
}

void cas_name_list_free(cas_name_list *l) {
  free(l->name);
  *l = (cas_name_list){0};
}
