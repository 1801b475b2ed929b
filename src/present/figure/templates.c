/* Templates: the installed ones are found from the program's own place. */
#include "present/figure/figure.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the directory of the program: in the build tree, and installed (set by CMake). */
static const char *const places[] = {"share/casimir/templates", CAS_TEMPLATES_INSTALLED};

/* The program's directory; false where the system does not tell. */
static bool own_directory(char directory[PATH_MAX]) {
  ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
  char *slash;
  if (n <= 0)
    return false;
  directory[n] = '\0';
  slash = strrchr(directory, '/');
  if (slash)
    *slash = '\0';
  return slash != NULL;
}

cas_status cas_template_find(const char *name, char **path, cas_error *err) {
  char directory[PATH_MAX] = "";
  bool known = own_directory(directory);
  for (size_t i = 0; known && i < sizeof places / sizeof *places; i++) {
    if (asprintf(path, "%s/%s/%s.gp", directory, places[i], name) < 0) {
      *path = NULL;
      return cas_no_memory(err);
    }
    if (access(*path, R_OK) == 0)
      return CAS_OK;
    free(*path);
  }
  *path = NULL;
  return cas_fail(
      err, CAS_FILE_ERROR,
      "the template '%s.gp' of figures is neither in %s/%s nor in its %s; a program that "
      "is moved needs its directory of templates beside it: install casimir again with "
      "`cmake --install`, or copy src/present/templates there",
      name, directory, places[1], places[0]);
}

/* The file as gnuplot is given it, with a "./" that keeps gnuplot from taking the name for an
   option or for a command. */
cas_status cas_template_own(const char *file, char **path, cas_error *err) {
  *path = NULL;
  if (access(file, R_OK))
    return cas_fail(err, CAS_FILE_ERROR, "the template %s cannot be read: %s", file,
                    strerror(errno));
  if (asprintf(path, "%s%s", file[0] == '/' ? "" : "./", file) < 0) {
    *path = NULL;
    return cas_no_memory(err);
  }
  return CAS_OK;
}
