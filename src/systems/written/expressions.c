#include "systems/written/expressions.h"
#include "language/config/keys.h"
#include "language/expressions/program.h"

#include <errno.h>

enum { PATH_SIZE = 128 };

static cas_status read_one(const cas_config *c, const cas_formulas *given,
                           const char *const *component, int i, cas_constants *out,
                           cas_error *err) {
  const char *name = given->name[i], *bad = cas_expression_bad_name(name);
  const cas_scope scope = {.constant = (const char *const *)out->name, .value = out->value};
  CAS_OWNED_BY(cas_operations_free) cas_operations list = {0};
  cas_complaint e;
  char path[PATH_SIZE];
  int root;
  snprintf(path, sizeof path, "system.parameters%s", given->place[i]);
  CAS_REFUSE(c, bad || !given->text[i], path, "found '%.40s', %s", name,
             bad ? bad : "must be {name: number or expression, ..}");
  CAS_REFUSE(c, cas_name_list_find(component, name) >= 0, path,
             "must be another name: a component is called '%s'", name);
  bool read = cas_expression_read(given->text[i], &scope, &list, &root, &e);
  if (read) {
    cas_operations_is_number(&list, root, &out->value[i]);
    out->name[i] = given->name[i];
    out->n++;
  }
  CAS_NEED(read || !e.no_memory);
  return read ? CAS_OK
              : cas_config_fail_at(c, err, path, e.at, "%s; a parameter may use those above it",
                                   e.text);
}

cas_status CAS_ISA(cas_written_read_parameters)(const cas_config *c, const cas_formulas *given,
                                                const char *const *component, cas_constants *out,
                                                cas_error *err) {
  const size_t n = (size_t)given->n;
  out->name = calloc(n + 1, sizeof *out->name);
  out->value = calloc(n + 1, sizeof *out->value);
  CAS_NEED(out->name && out->value);
  for (int i = 0; i < given->n; i++)
    CAS_CALL(read_one(c, given, component, i, out, err));
  return CAS_OK;
}

void CAS_ISA(cas_written_free_parameters)(cas_constants *p) {
  free(p->name);
  free(p->value);
  *p = (cas_constants){0};
}

cas_status CAS_ISA(cas_written_check_names)(const cas_config *c, const char *key,
                                            const cas_strings *names, cas_error *err) {
  for (int i = 0; i < names->n; i++) {
    const char *name = names->value[i], *bad = cas_expression_bad_name(name);
    CAS_REFUSE(c, bad, key, "found '%.40s', %s", name, bad);
    for (int j = 0; j < i; j++)
      CAS_REFUSE(c, strcmp(name, names->value[j]) == 0, key, "names '%s' twice", name);
  }
  return CAS_OK;
}

cas_status CAS_ISA(cas_written_read)(const cas_config *c, const char *path, const char *text,
                                     const char *const *variable, const cas_constants *constants,
                                     cas_operations *list, int *root, cas_error *err) {
  const cas_scope scope = {.variable = variable,
                           .constant = (const char *const *)constants->name,
                           .value = constants->value};
  cas_complaint e;
  if (cas_expression_read(text, &scope, list, root, &e))
    return CAS_OK;
  return e.no_memory ? cas_no_memory(err) : cas_config_fail_at(c, err, path, e.at, "%s", e.text);
}

cas_status CAS_ISA(cas_written_too_large)(const cas_config *c, cas_error *err) {
  if (errno == ENOMEM)
    return cas_no_memory(err);
  return cas_config_fail(c, err, "system",
                         "the expressions are too large: their derivatives are more than %d "
                         "operations, or more than %d of their results wait at a time",
                         CAS_OPERATIONS_MOST / 2, CAS_PROGRAM_WORKSPACE);
}
