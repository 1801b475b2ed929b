#include "files/link.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of a symbolic link, seen from the directory that `name` is seen from; NULL if it is
   none. */
static char *follow(const char *name) {
  char to[PATH_MAX], *target = NULL;
  ssize_t n = readlink(name, to, sizeof to - 1);
  const char *slash = strrchr(name, '/');
  if (n <= 0)
    return NULL;
  to[n] = '\0';
  if (to[0] == '/' || !slash)
    return strdup(to);
  return asprintf(&target, "%.*s%s", (int)(slash + 1 - name), name, to) < 0 ? NULL : target;
}

char *cas_link_target(const char *name) {
  const int most = 40; /* links, as the system has it */
  char *target = strdup(name), *next;
  for (int i = 0; target && i < most && (next = follow(target)); i++) {
    free(target);
    target = next;
  }
  return target;
}
