#include "paths/problem/parameters.h"
#include "base/hash.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "base/text.h"
#include "files/safe_file.h"

/* ---- what paths draw ---- */

/* The first uniform, or normal, of a path that has this name. */
static double draw(const cas_problem *p, const char *name, int64_t stream, bool normal) {
  _Alignas(64) double u[CAS_NOISE_DRAW], z[CAS_NOISE_DRAW];
  const int64_t step = (int64_t)(cas_hash(CAS_HASH_START, name, strlen(name)) >> 1);
  p->kernels->threefry((int)p->random.seed, CAS_PURPOSE_PARAMETERS, stream, step, CAS_NOISE_DRAW,
                       u);
  if (!normal)
    return u[0];
  p->kernels->normals(CAS_NOISE_DRAW, u, z);
  return z[0];
}

/* Options draw one row of files with one name; check_files has refused two names of one file. */
static int64_t row_of(const cas_problem *p, const cas_uncertain_value *v, int64_t path,
                      int64_t stream) {
  const int64_t rows = v->from.source.dims[0];
  if (v->from.row == CAS_UNCERTAIN_ROW_OWN)
    return path < rows ? path : 0;
  const int64_t row = (int64_t)(draw(p, v->from.source.file, stream, false) * (double)rows);
  return row < rows ? row : rows - 1;
}

void cas_parameters_draw(const cas_problem *p, int64_t path, int64_t stream, double *out) {
  const cas_uncertain *u = &p->parameters.uncertain->found;
  for (int i = 0; i < u->numbers; i++) {
    const cas_uncertain_number *n = &u->number[i];
    const cas_uncertain_value *v = &u->value[n->value];
    if (v->law == CAS_UNCERTAIN_FILE)
      out[i] = v->from.source.value[row_of(p, v, path, stream) * v->columns + n->column];
    else if (v->law == CAS_UNCERTAIN_NORMAL)
      out[i] = n->a + n->b * draw(p, n->path, stream, true);
    else
      out[i] = fmin(n->a + (n->b - n->a) * draw(p, n->path, stream, false), n->b);
  }
}

cas_status cas_parameters_set(const cas_problem *p, int64_t path, int64_t stream, double *drawn,
                              cas_error *err) {
  cas_parameters_draw(p, path, stream, drawn);
  for (int i = 0; i < p->parameters.uncertain->found.numbers; i++)
    CAS_CALL(cas_uncertain_set(&p->parameters.uncertain->found, i, drawn[i], err));
  return CAS_OK;
}

cas_status cas_parameters_centre(const cas_problem *p, cas_error *err) {
  cas_uncertain *u = &p->parameters.uncertain->found;
  for (int i = 0; i < u->numbers; i++) {
    const cas_uncertain_number *n = &u->number[i];
    const bool uniform = u->value[n->value].law == CAS_UNCERTAIN_UNIFORM;
    CAS_CALL(cas_uncertain_set(u, i, uniform ? n->a + (n->b - n->a) / 2 : n->a, err));
  }
  return CAS_OK;
}

cas_status cas_parameters_explain(const cas_problem *p, int64_t path, bool others, cas_status st,
                                  const cas_error *why, cas_error *err) {
  const cas_uncertain *u = &p->parameters.uncertain->found;
  char drawn[300] = "";
  CAS_FAIL_IF(st != CAS_BAD_INPUT, st, "%s", why->text);
  for (int i = 0; i < u->numbers && strlen(drawn) < 200; i++)
    cas_append(drawn, sizeof drawn, "%s%s = %.6g", i ? ", " : "", u->number[i].path,
               strtod(cas_config_text(u->config, u->number[i].path), NULL));
  return cas_fail(err, st, "path %lld draws %s%s: %s%s", (long long)path, drawn,
                  u->numbers > 4 && strlen(drawn) >= 200 ? ", .." : "", why->text,
                  others ? ". Numbers that no path may have must not be drawn: choose a smaller "
                           "deviation, or {uniform: [least, greatest], each: path} within what is "
                           "allowed"
                         : "");
}

/* ---- finding them ---- */

/* Rows of one file are drawn together, which is told by its name: it must have one. */
static cas_status check_files(const cas_config *c, const cas_uncertain *u, cas_error *err) {
  for (int i = 0; i < u->values; i++)
    for (int j = 0; j < i; j++) {
      const cas_uncertain_rows *a = &u->value[i].from, *b = &u->value[j].from;
      CAS_REFUSE(c,
                 a->source.file && b->source.file && a->row == CAS_UNCERTAIN_ROW_DRAWN &&
                     b->row == a->row && strcmp(a->source.file, b->source.file) != 0 &&
                     cas_file_is_same(a->source.file, b->source.file),
                 u->value[i].path,
                 "found the file %s, which %s calls %s, must have the same name: "
                 "options draw one row together of a file of one name",
                 a->source.file, u->value[j].path, b->source.file);
    }
  return CAS_OK;
}

static cas_status read_files(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  cas_uncertain *u = &p->parameters.uncertain->found;
  for (int i = 0; i < u->values; i++) {
    cas_uncertain_value *v = &u->value[i];
    if (v->law != CAS_UNCERTAIN_FILE)
      continue;
    CAS_CALL(cas_input_read_array(c, v->path, &v->from.source, comm, err));
    CAS_REFUSE(c, v->from.source.dims[0] == 0, v->path, "dataset %s of %s has no rows",
               v->from.source.dataset, v->from.source.file);
  }
  return cas_agree(check_files(c, u, err), comm, err);
}

cas_status cas_parameters_find(const cas_config **c, cas_problem *p, MPI_Comm comm,
                               cas_error *err) {
  cas_uncertain found;
  cas_status st = cas_uncertain_find(*c, "system", p->system->parameters.options, &found, err);
  if (!st && found.values)
    p->parameters.uncertain = calloc(1, sizeof *p->parameters.uncertain);
  if (!p->parameters.uncertain) {
    st = !st && found.values ? cas_no_memory(err) : st;
    cas_uncertain_free(&found);
    return st;
  }
  cas_uncertain *u = &p->parameters.uncertain->found;
  *u = found;
  p->parameters.uncertain->written = calloc(1, p->system->parameters.size);
  CAS_NEED(p->parameters.uncertain->written);
  /* Paths cannot draw where their noise has no seed. */
  for (int i = 0; p->noise.generator->replayed && i < u->values; i++)
    CAS_REFUSE(
        *c, u->value[i].law != CAS_UNCERTAIN_FILE || u->value[i].from.row != CAS_UNCERTAIN_ROW_OWN,
        u->value[i].path,
        "every path draws numbers by random.seed, but normals of a file have no seed: give the "
        "numbers in a file as well, {file: F, dataset: D, each: path}");
  CAS_CALL(read_files(*c, p, comm, err));
  CAS_CALL(cas_uncertain_expand(u, err));
  CAS_OWNED double *drawn = malloc((size_t)u->numbers * sizeof *drawn);
  st = drawn ? cas_parameters_set(p, 0, 0, drawn, err) : cas_no_memory(err);
  *c = p->config = u->config;
  return st;
}

void cas_parameters_free(cas_problem *p) {
  cas_parameters *u = p->parameters.uncertain;
  if (!u)
    return;
  if (u->written)
    cas_options_free(p->system->parameters.options, u->written);
  free(u->written);
  cas_uncertain_free(&u->found);
  free(u);
  p->parameters.uncertain = NULL;
}

bool cas_parameters_are_listed(const cas_problem *p) {
  const cas_uncertain *u = p->parameters.uncertain ? &p->parameters.uncertain->found : NULL;
  for (int i = 0; u && i < u->values; i++)
    if (u->value[i].law == CAS_UNCERTAIN_FILE && u->value[i].from.row == CAS_UNCERTAIN_ROW_OWN)
      return true;
  return false;
}

/* ---- functions of a block ---- */

cas_each cas_each_begin(const cas_problem *p, size_t rows, double *out) {
  const size_t numbers = rows * (size_t)p->W, line = 64;
  cas_each e = {.one = p, .out = out, .all = p, .rows = rows, .kept = out};
  if (!p->parameters.lanes)
    return e;
  /* Functions of blocks may read whole cache lines. */
  e.memory = cas_scratch(numbers * sizeof *out + 2 * line);
  e.one = e.memory ? p->parameters.lanes->lane : NULL;
  for (size_t i = 0; !e.memory && i < numbers; i++)
    out[i] = NAN;
  if (e.memory) {
    e.out = (double *)(void *)((char *)e.memory + (line - (uintptr_t)e.memory % line));
    memcpy(e.out, out, numbers * sizeof *out);
  }
  return e;
}

void cas_each_next(cas_each *e) {
  const size_t W = (size_t)e->all->W;
  const cas_lane_parameters *l = e->all->parameters.lanes;
  const size_t lane = l ? (size_t)(e->one - l->lane) : W;
  for (size_t k = 0; l && k < e->rows; k++)
    e->kept[k * W + lane] = e->out[k * W + lane];
  if (lane + 1 < W) {
    e->one++;
    memcpy(e->out, e->kept, e->rows * W * sizeof *e->out);
  } else {
    e->one = NULL;
    free(e->memory);
  }
}

void cas_parameters_value(const cas_problem *p, const cas_functional *f, int numbers,
                          const double *x, double *out) {
  for (cas_each e = cas_each_begin(p, (size_t)numbers, out); e.one; cas_each_next(&e))
    f->value(e.one->parameters.all, p->W, x, e.out);
}

void cas_parameters_casimirs(const cas_problem *p, int casimirs, const double *x, double *out) {
  for (cas_each e = cas_each_begin(p, (size_t)casimirs, out); e.one; cas_each_next(&e))
    e.one->geometry.algebra->casimir(&e.one->geometry, p->W, x, e.out);
}
