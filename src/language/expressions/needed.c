#include "language/expressions/needed.h"

void cas_needed_free(cas_needed *s) {
  free(s->operation);
  free(s->uses);
  *s = (cas_needed){0};
}

static void take(const cas_operations *l, int operation, cas_needed *s) {
  const int place = l->place[operation];
  if (place < s->n && s->operation[place] == operation)
    return;
  l->place[operation] = s->n;
  s->operation[s->n++] = operation;
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

bool cas_needed_find(const cas_operations *l, int roots, const int *root, int first, int next,
                     cas_needed *s) {
  int last = 0;
  for (int k = 0; k < roots; k++)
    last = root[k] > last ? root[k] : last;
  *s = (cas_needed){0};
  s->operation = l->failed ? NULL : malloc(((size_t)last + 1) * sizeof *s->operation);
  for (int k = 0; s->operation && k < roots; k++)
    take(l, root[k], s);
  for (int i = 0; i < s->n; i++) {
    const cas_operation *o = &l->operation[s->operation[i]];
    const int operands = cas_operator_operands((cas_operator)o->operator_);
    if (operands > 0)
      take(l, o->a, s);
    if (operands > 1)
      take(l, o->b, s);
  }
  s->uses = s->operation ? malloc((size_t)s->n + 1) : NULL;
  if (!s->uses) {
    cas_needed_free(s);
    return false;
  }
  qsort(s->operation, (size_t)s->n, sizeof *s->operation, ascending);
  for (int i = 0; i < s->n; i++) {
    const cas_operation *o = &l->operation[s->operation[i]];
    const int operands = cas_operator_operands((cas_operator)o->operator_);
    l->place[s->operation[i]] = i;
    s->uses[i] = o->operator_ == CAS_OPERATOR_VARIABLE
                     ? o->a >= first && o->a < next
                     : (operands > 0 && s->uses[l->place[o->a]]) ||
                           (operands > 1 && s->uses[l->place[o->b]]);
  }
  return true;
}
