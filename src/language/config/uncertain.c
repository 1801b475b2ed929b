#include "language/config/uncertain.h"
#include "language/config/config_impl.h"

#define FORMS                                                                          \
  "{normal: [mean, deviation], each: path}, {uniform: [least, greatest], each: path} " \
  "or {file: F, dataset: D, each: path}"

const char *const cas_uncertain_laws[] = {[CAS_UNCERTAIN_NORMAL] = "normal",
                                          [CAS_UNCERTAIN_UNIFORM] = "uniform",
                                          [CAS_UNCERTAIN_FILE] = "file"};
const char *const cas_uncertain_row_names[] = {"own", "drawn", NULL};
static const char *const each_names[] = {"path", NULL};

static const cas_option file_options[] = {
    CAS_OPTION(cas_array_source, STRING, file, .help = "HDF5 file with the numbers"),
    CAS_OPTION(cas_array_source, STRING, dataset, .help = "its dataset, a row a path"),
    CAS_OPTION(cas_uncertain_rows, CHOICE, row, .choices = cas_uncertain_row_names,
               .fallback = "own",
               .help = "own: the row with the number of the path; drawn: a row at random"),
    CAS_OPTION(cas_array_source, STRING, hash, .fallback = "",
               .help = "hash of the numbers; a file with other numbers is refused"),
    CAS_OPTION(cas_uncertain_rows, CHOICE, each, .choices = each_names,
               .help = "path: every path has numbers of its own"),
    {0}};

/* The numbers begin the struct, so that the options above are read into it. */
_Static_assert(offsetof(cas_uncertain_rows, source) == 0, "the source comes first");

/* ---- what may be uncertain ---- */

/* Types of options whose numbers are real: those of all others are sizes, choices or names. */
static bool takes_reals(cas_option_type type) {
  return type == CAS_REAL || type == CAS_STEP || type == CAS_REALS || type == CAS_REALS_OR_KEY ||
         type == CAS_VECTORS || type == CAS_FORMULAS;
}

/* The option that a value which is no mapping has, of a section that stands for one. */
static const cas_option *find_alone(const cas_option *section) {
  return section->alone ? cas_option_find(section->section, section->alone) : NULL;
}

static const cas_node *find(const cas_node *n, const char *key) {
  return cas_node_find(n, key, strlen(key));
}

/* Whether it says `each: path`, with any law: an unknown one is refused by its name. */
static bool is_each_path(const cas_node *n) {
  const cas_node *each = find(n, "each");
  return each && each->kind == CAS_NODE_TEXT && strcmp(each->text, each_names[0]) == 0;
}

static bool is_uncertain(const cas_node *n) {
  return n->kind == CAS_NODE_MAP && (find(n, "normal") || find(n, "uniform") || is_each_path(n) ||
                                     (find(n, "file") && find(n, "each")));
}

static const cas_node *find_uncertain(const cas_node *n) {
  const cas_node *found = is_uncertain(n) ? n : NULL;
  for (const cas_node *child = n->first; child && !found; child = child->next)
    found = find_uncertain(child);
  return found;
}

/* Lists the keys of a table, each behind `before`; returns whether the next one is the first. */
static bool list_keys(FILE *f, const cas_option *table, const char *before, bool first) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option, *of = o->type == CAS_SECTION ? find_alone(o) : o;
    char inner[CAS_KEY_PATH_SIZE];
    if (of && takes_reals(of->type)) {
      fprintf(f, "%s%s%s", first ? "" : ", ", before, o->key);
      first = false;
    } else if (o->type == CAS_SECTION) {
      snprintf(inner, sizeof inner, "%.500s%s.", before, o->key);
      first = list_keys(f, o->section, inner, first);
    }
  }
  return first;
}

void cas_uncertain_list_keys(FILE *f, const cas_option *table) { list_keys(f, table, "", true); }

/* ---- finding them ---- */

typedef struct {
  cas_uncertain *u;
  cas_error *err;
  int value; /* whose numbers are put in their places */
} work;

static cas_status add_value(const work *s, cas_node *n) {
  cas_uncertain *u = s->u;
  if (!cas_owned_resize(&u->value, u->values + 1, sizeof *u->value))
    return cas_no_memory(s->err);
  cas_uncertain_value *v = &u->value[u->values++];
  *v = (cas_uncertain_value){.path = cas_node_path(n), .node = n};
  if (!v->path)
    return cas_no_memory(s->err);
  while (v->law < CAS_UNCERTAIN_LAWS && !find(n, cas_uncertain_laws[v->law]))
    v->law++;
  if (v->law == CAS_UNCERTAIN_LAWS) {
    /* {gauss: [1, 0.1], each: path} */
    const cas_node *other = n->first;
    while (other && strcmp(other->key, "each") == 0)
      other = other->next;
    return cas_node_fail(s->err, other ? other : n,
                         "found no law of an uncertain number%s%.40s%s, must be " FORMS,
                         other ? ", but '" : "", other ? other->key : "", other ? "'" : "");
  }
  if (v->law == CAS_UNCERTAIN_FILE)
    return cas_option_table_read(file_options, NULL, n, &v->from, s->err);
  /* {normal: [mean, deviation], each: path}; the numbers are looked at later */
  const cas_node *pair = find(n, cas_uncertain_laws[v->law]), *each = find(n, "each");
  if (!each)
    return cas_node_fail(s->err, n, "'each' is missing: it must be " FORMS);
  if (!is_each_path(n))
    return cas_node_fail(s->err, each, "found another 'each', must be each: path");
  if (n->n != 2 || pair->kind != CAS_NODE_LIST || pair->n != 2)
    return cas_node_fail(s->err, n, "found another form of an uncertain number, must be " FORMS);
  return CAS_OK;
}

static cas_status add_values(const work *s, cas_node *n) {
  if (is_uncertain(n))
    return add_value(s, n);
  for (cas_node *child = n->first; child; child = child->next)
    CAS_CALL(add_values(s, child));
  return CAS_OK;
}

static cas_status add_option(const work *s, const cas_option *table, const cas_option *o,
                             cas_node *n) {
  const cas_option *of = o->type == CAS_SECTION ? find_alone(o) : o;
  const cas_option *named = cas_option_find(table, "parameters"); /* numbers of expressions */
  if (of && named && named->type == CAS_FORMULAS &&
      (of->type == CAS_STRING || of->type == CAS_STRINGS))
    return cas_node_fail(s->err, find_uncertain(n),
                         "is an expression: give the number a name in '%s', {a: {normal: [mean, "
                         "deviation], each: path}}, and write that name here",
                         named->key);
  if (!of || !takes_reals(of->type))
    return cas_node_fail(s->err, find_uncertain(n),
                         "cannot differ from path to path: it decides what is computed. Real "
                         "numbers alone can be uncertain (casimir describe SYSTEM lists them); for "
                         "other values take one run each, as casimir sweep does");
  return add_values(s, n);
}

static cas_status search_table(const work *s, const cas_option *table, const cas_node *map) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    cas_node *n = cas_node_find(map, w.option->key, strlen(w.option->key));
    if (!n || !find_uncertain(n))
      continue;
    if (w.option->type == CAS_SECTION && n->kind == CAS_NODE_MAP && !is_uncertain(n))
      CAS_CALL(search_table(s, w.option->section, n));
    else
      CAS_CALL(add_option(s, table, w.option, n));
  }
  return CAS_OK;
}

cas_status cas_uncertain_find(const cas_config *c, const char *section, const cas_option *table,
                              cas_uncertain *u, cas_error *err) {
  const cas_node *nearest, *map = cas_config_find(c, section, &nearest);
  *u = (cas_uncertain){.given = c};
  if (!map || !find_uncertain(map))
    return CAS_OK;
  CAS_CALL(cas_config_copy(c, &u->config, err));
  CAS_CALL(search_table(&(work){u, err, 0}, table, cas_config_find(u->config, section, &nearest)));
  if (u->values == 0) { /* what has found them is refused by whoever reads it */
    cas_config_free(u->config);
    u->config = NULL;
  }
  return CAS_OK;
}

/* ---- numbers in their places ---- */

static cas_status add_number(const work *p, cas_uncertain_number number) {
  cas_uncertain *u = p->u;
  if (!cas_owned_resize(&u->number, u->numbers + 1, sizeof number))
    return cas_no_memory(p->err);
  number.node->plain = true;
  number.path = cas_node_path(number.node);
  number.value = p->value;
  u->number[u->numbers++] = number;
  return number.path ? cas_uncertain_set(u, u->numbers - 1, number.a, p->err)
                     : cas_no_memory(p->err);
}

static cas_status read_number(const work *p, const cas_node *n, double *value) {
  static const cas_option finite = {.type = CAS_REAL};
  return cas_type_real.read(&finite, n, value, p->err);
}

static cas_status put_pair(const work *p, const cas_node *one, const cas_node *two, cas_node *out) {
  const bool normal = p->u->value[p->value].law == CAS_UNCERTAIN_NORMAL;
  cas_uncertain_number number = {.node = out};
  if (two->kind == CAS_NODE_LIST)
    return cas_node_fail(p->err, two,
                         "found a list where one number stands before it, must be as many numbers "
                         "as that has, or one for all");
  CAS_CALL(read_number(p, one, &number.a));
  CAS_CALL(read_number(p, two, &number.b));
  if (normal && number.b < 0)
    return cas_node_refuse(p->err, two, "a standard deviation must be at least 0");
  if (!normal && number.b < number.a)
    return cas_node_refuse(p->err, two, "must be at least as large as the number before it");
  if (!normal && !isfinite(number.b - number.a))
    return cas_node_refuse(p->err, two,
                           "must be nearer to the number before it: their difference has no place "
                           "in double precision");
  return add_number(p, number);
}

/* Lists of the shape of `one`; `two` has the same shape or is one number. */
static cas_status put_pairs(const work *p, const cas_node *one, const cas_node *two,
                            cas_node *out) {
  if (one->kind == CAS_NODE_TEXT)
    return put_pair(p, one, two, out);
  const cas_node *other = two->kind == CAS_NODE_LIST ? two->first : two;
  if (one->kind == CAS_NODE_MAP || (two->kind == CAS_NODE_LIST && two->n != one->n))
    return cas_node_fail(p->err, two,
                         "found other numbers than the list before it has, must be as many, or one "
                         "for all");
  out->kind = CAS_NODE_LIST;
  for (const cas_node *n = one->first; n; n = n->next) {
    cas_node *entry = cas_node_add(out, out->line);
    if (!entry)
      return cas_no_memory(p->err);
    CAS_CALL(put_pairs(p, n, other, entry));
    other = two->kind == CAS_NODE_LIST ? other->next : two;
  }
  return CAS_OK;
}

/* Lists of the shape of a row of a dataset, whose axes from `axis` on are these. */
static cas_status put_row(const work *p, int axis, int *column, cas_node *out) {
  const cas_array_source *s = &p->u->value[p->value].from.source;
  const int most = (int)(sizeof s->dims / sizeof *s->dims);
  if (axis >= s->rank || axis == most) {
    const cas_uncertain_number number = {.a = s->value[*column], .column = *column, .node = out};
    ++*column;
    return add_number(p, number);
  }
  out->kind = CAS_NODE_LIST;
  for (int i = 0; i < s->dims[axis]; i++) {
    cas_node *entry = cas_node_add(out, out->line);
    if (!entry)
      return cas_no_memory(p->err);
    CAS_CALL(put_row(p, axis + 1, column, entry));
  }
  return CAS_OK;
}

static cas_status expand(const work *p) {
  cas_uncertain_value *v = &p->u->value[p->value];
  cas_node *n = v->node, map = {.kind = CAS_NODE_MAP, .first = n->first};
  const cas_node *pair = find(&map, cas_uncertain_laws[v->law]);
  n->kind = CAS_NODE_TEXT;
  n->first = n->last = NULL;
  n->n = 0;
  cas_status st = v->law == CAS_UNCERTAIN_FILE ? put_row(p, 1, &v->columns, n)
                                               : put_pairs(p, pair->first, pair->first->next, n);
  cas_node_free_children(&map);
  return st;
}

cas_status cas_uncertain_expand(cas_uncertain *u, cas_error *err) {
  for (int i = 0; i < u->values; i++)
    CAS_CALL(expand(&(work){u, err, i}));
  return CAS_OK;
}

cas_status cas_uncertain_set(cas_uncertain *u, int number, double value, cas_error *err) {
  char text[CAS_NUMBER_SIZE];
  cas_node *n = u->number[number].node;
  cas_number_text_digits(value, 17, text);
  free(n->text);
  n->text = strdup(text);
  return n->text ? CAS_OK : cas_no_memory(err);
}

void cas_uncertain_free(cas_uncertain *u) {
  for (int i = 0; i < u->values; i++) {
    free(u->value[i].path);
    free(u->value[i].from.source.value);
    cas_options_free(file_options, &u->value[i].from);
  }
  for (int i = 0; i < u->numbers; i++)
    free(u->number[i].path);
  free(u->value);
  free(u->number);
  cas_config_free(u->config);
  *u = (cas_uncertain){0};
}
