#include "base/name_list.h"

#include <stdlib.h>

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

cas_status cas_name_list_check(const cas_name_list *l, cas_error *err) {
  return l->failed ? cas_no_memory(err) : CAS_OK;
}

void cas_name_list_free(cas_name_list *l) {
  free(l->name);
  *l = (cas_name_list){0};
}
