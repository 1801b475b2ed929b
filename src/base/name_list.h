/* Lists of names that grow. */
#ifndef CAS_NAME_LIST_H
#define CAS_NAME_LIST_H

#include <casimir/status.h>
#include <stdbool.h>

/** Names, which are borrowed. Zeroed: empty, without memory of its own. */
typedef struct {
  const char **name; /* owned; NULL-terminated; NULL while nothing was added, and without memory */
  int n;
  bool failed; /* memory ran out, and names are missing */
} cas_name_list;

/** The place of a name in a list that NULL ends, or in NULL; -1: it is not there. */
int cas_name_list_find(const char *const *names, const char *name);

void cas_name_list_add(cas_name_list *l, const char *name);
void cas_name_list_add_once(cas_name_list *l, const char *name);
/** CAS_NO_MEMORY if a name could not be added. */
cas_status cas_name_list_check(const cas_name_list *l, cas_error *err) CAS_MUST_CHECK;
void cas_name_list_free(cas_name_list *l);

#endif
