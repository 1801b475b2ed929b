#include "language/config/config_impl.h"
#include "language/config/keys.h"

#include <float.h>

static const char *const each_names[] = {"run", "path", NULL};

static const cas_option each_options[] = {
    CAS_OPTION(cas_state_source, CHOICE, each, .choices = each_names, .fallback = "run",
               .help = "path: every path has its own state, from the dataset or at random, which "
                       "depends only on the number of the path; run: one state for all paths"),
    CAS_OPTION(cas_state_source, BOOL, keep, .fallback = "false",
               .help = "with each: path, store the states of all paths as /initial/state"),
    {0}};

static const cas_option place_options[] = {
    CAS_OPTION(cas_state_source, STRING, file, .help = "HDF5 file with states"),
    CAS_OPTION(cas_state_source, STRING, dataset, .fallback = "x", .help = "dataset of states"),
    CAS_OPTION(cas_state_source, INTS, index, .fallback = "", .high = INFINITY,
               .help = "which state of the dataset: a number for each leading axis; with each: "
                       "path, for all of them but the last"),
    {0}};

static const cas_option file_options[] = {{.type = CAS_INCLUDE, .section = place_options},
                                          {.type = CAS_INCLUDE, .section = each_options},
                                          {0}};

static const cas_option random_options[] = {
    CAS_OPTION(cas_state_source, INT, seed, .fallback = "", .high = 0x7fffffff,
               .help = "seed of the random state; without it, with each: path, random.seed, so "
                       "that runs with other seeds of the noise begin at independent states"),
    CAS_OPTION(cas_state_source, REAL, norm, .fallback = "", .open_low = true, .high = DBL_MAX,
               .help = "norm of the random state, which has normally distributed components; "
                       "required without a law"),
    CAS_OPTION(cas_state_source, STRING, law, .fallback = "",
               .help = "instead of norm: a distribution of the system (casimir describe SYSTEM)"),
    CAS_OPTION(cas_state_source, INT, lmin, .fallback = "", .low = 1, .high = INFINITY,
               .help = "lowest degree of its harmonics, or shell of its modes"),
    CAS_OPTION(cas_state_source, INT, lmax, .fallback = "", .low = 1, .high = INFINITY,
               .help = "highest degree of its harmonics, or shell of its modes"),
    {0}};

static const cas_option coefficients_options[] = {
    CAS_OPTION(cas_state_source, VECTORS, coefficients, .help = "rows [l, m, value]; others are 0"),
    CAS_OPTION(cas_state_source, REAL, norm, .fallback = "", .open_low = true, .high = DBL_MAX,
               .help = "scales the state to this norm"),
    {0}};

/* A section, and what each state may say beside it. */
#define BESIDE_EACH(called, options, of)                                     \
  static const cas_option called##_section[] = {                             \
      {.key = #called, .type = CAS_SECTION, .section = options, .help = of}, \
      {.type = CAS_INCLUDE, .section = each_options},                        \
      {0}};

BESIDE_EACH(random, random_options, "a random state")
/* states in a file in another form than that of records */
BESIDE_EACH(map, place_options, "a map of the vorticity")
BESIDE_EACH(coefficients, place_options, "an array of all coefficients of harmonics")

/* The mappings of initial states: the first whose first key is there, if need be as a mapping. */
static const struct {
  const cas_option *table;
  bool mapping;
  int kind;
} forms[] = {{map_section, true, CAS_STATE_FILE},
             {coefficients_section, true, CAS_STATE_FILE},
             {random_section, false, CAS_STATE_RANDOM},
             {coefficients_options, false, CAS_STATE_COEFFICIENTS},
             {file_options, false, CAS_STATE_FILE}};
enum { FILES = sizeof forms / sizeof *forms - 1 };

/* ---- the type ---- */

static cas_status read_values(const cas_option *o, const cas_node *n, cas_state_source *s,
                              cas_error *err) {
  cas_type_array a = {.option = o};
  for (const cas_node *list = n; list && list->kind == CAS_NODE_LIST && a.depth < CAS_TYPE_NESTING;
       list = list->first)
    a.length[a.depth++] = list->n;
  CAS_CALL(cas_type_read_array(n, &a, err));
  s->kind = CAS_STATE_VALUES;
  s->values = (cas_reals){a.n, a.value};
  return CAS_OK;
}

static cas_status read_state(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  cas_state_source *s = out;
  if (n->kind == CAS_NODE_LIST)
    return read_values(o, n, s, err);
  if (n->kind != CAS_NODE_MAP || n->n == 0)
    return cas_node_refuse(
        err, n,
        "must be a list of numbers, {file: .., dataset: .., index: ..}, {random: {seed: .., norm: "
        "..}}, {coefficients: [[l, m, value], ..]} or {map: {file: .., dataset: ..}}");
  int form = 0;
  for (; form < FILES; form++) {
    const char *key = forms[form].table->key;
    const cas_node *first = cas_node_find(n, key, strlen(key));
    if (first && (first->kind == CAS_NODE_MAP || !forms[form].mapping))
      break;
  }
  CAS_CALL(cas_option_table_read(forms[form].table, NULL, n, s, err));
  const cas_node *random = cas_node_find(n, "random", strlen("random"));
  s->kind = forms[form].kind;
  s->form = forms[form].mapping ? forms[form].table->key : NULL;
  s->seeded = random && cas_node_find(random, "seed", strlen("seed"));
  return CAS_OK;
}

/* Writes the options that have a value, behind `between`. */
static void write_keys(FILE *f, const cas_option *table, const cas_state_source *s,
                       const char *between) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const void *value = (const char *)s + w.offset;
    const bool section = w.option->type == CAS_SECTION;
    if (value == &s->seed ? !s->seeded : !section && cas_type_is_absent(w.option->type, value))
      continue;
    fprintf(f, "%s%s: %s", between, w.option->key, section ? "{" : "");
    if (section)
      write_keys(f, w.option->section, s, "");
    else
      cas_type_of(w.option->type)->write(f, w.option, value);
    fputs(section ? "}" : "", f);
    between = ", ";
  }
}

static bool has_form(const cas_state_source *s, int i) {
  const char *form = forms[i].mapping ? forms[i].table->key : NULL;
  return forms[i].kind == (int)s->kind && !form == !s->form &&
         (!form || strcmp(form, s->form) == 0);
}

static void write_state(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_state_source *s = value;
  int form = 0;
  if (s->kind == CAS_STATE_VALUES) {
    cas_type_reals.write(f, &(cas_option){.type = CAS_REALS}, &s->values);
    return;
  }
  while (form < FILES && !has_form(s, form))
    form++;
  fputc('{', f);
  write_keys(f, forms[form].table, s, "");
  fputc('}', f);
}

static void release_state(void *value) {
  cas_state_source *s = value;
  free(s->values.value);
  free(s->coefficients.value);
  free(s->index.value);
  free(s->file);
  free(s->dataset);
  free(s->law);
  memset(s, 0, sizeof *s);
}

/* ---- arrays of files ---- */

const cas_option cas_array_options[] = {
    CAS_OPTION(cas_array_source, VECTORS, rows, .fallback = "",
               .help = "rows of numbers, or a file with them:"),
    CAS_OPTION(cas_array_source, STRING, file, .fallback = "", .help = "HDF5 file"),
    CAS_OPTION(cas_array_source, STRING, dataset, .fallback = "", .help = "its dataset"),
    CAS_OPTION(cas_array_source, STRING, hash, .fallback = "",
               .help = "hash of the numbers; a file with other numbers is refused"),
    {0}};

CAS_CONFIG_TYPE(state, cas_state_source, ((cas_state_source *)0)->kind, "state", read_state,
                write_state, .release = release_state)
