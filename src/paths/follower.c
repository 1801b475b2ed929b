#include "paths/follower.h"
#include "paths/increments.h"
#include "paths/problem/exchange.h"

/* Rows of the kinds, and their numbers. */
enum { SO_FAR, BEFORE, TIME = SO_FAR, SIDE = 2, SURVIVAL, MOST_ROWS };
static const int rows_of[] = {
    [CAS_PATH_MAX] = 1,           [CAS_PATH_MIN] = 1,        [CAS_PATH_INTEGRAL] = 2,
    [CAS_PATH_MEAN] = 2,          [CAS_PATH_TIME_ABOVE] = 2, [CAS_PATH_FIRST_PASSAGE] = MOST_ROWS,
    [CAS_PATH_PASSED] = MOST_ROWS};

static bool is_passage(cas_path_function kind) {
  return kind == CAS_PATH_FIRST_PASSAGE || kind == CAS_PATH_PASSED;
}

/* ---- places ---- */

/* Those within an expression come before those of it, which use them. */
cas_status cas_followers_add(cas_problem *p, const cas_formula *of, cas_error *err) {
  cas_followers *all = &p->study.followers;
  for (int i = 0; i < of->variables; i++) {
    cas_follower *f = of->variable[i].follower;
    if (!f)
      continue;
    CAS_CALL(cas_followers_add(p, &f->formula, err));
    CAS_NEED(cas_owned_resize(&all->follower, all->n + 1, sizeof f));
    all->follower[all->n++] = f;
    f->row = all->rows;
    f->passage = is_passage(f->kind) ? all->passages++ : -1;
    all->rows += rows_of[f->kind];
    f->now = calloc((size_t)p->W, sizeof *f->now);
    CAS_NEED(f->now);
  }
  return CAS_OK;
}

void cas_follower_free(cas_follower *f) {
  if (!f)
    return;
  cas_formula_free(&f->formula);
  free(f->now);
  free(f);
}

/* ---- orders ---- */

bool cas_followers_know_noise(const cas_problem *p) {
  return p->study.followers.passages > 0 && p->normals.noises > 0 && cas_exchange_kicks(p) == 0;
}

/* Smooth paths are straight between steps up to h^2. Of those with noise, extremes exceed those at
   the steps by h^(1/2), and bridges have the noise of the beginning of a step. */
static double order_of(const cas_problem *p, cas_path_function kind) {
  if (kind == CAS_PATH_INTEGRAL || kind == CAS_PATH_MEAN ||
      (p->normals.noises == 0 && cas_exchange_kicks(p) == 0))
    return 2;
  if (kind == CAS_PATH_TIME_ABOVE || (is_passage(kind) && cas_followers_know_noise(p)))
    return 1;
  return 0.5;
}

double cas_followers_order(const cas_problem *p, const cas_formula *f) {
  double order = INFINITY;
  for (int i = 0; i < f->variables; i++)
    if (f->variable[i].follower) {
      order = fmin(order, order_of(p, f->variable[i].follower->kind));
      order = fmin(order, cas_followers_order(p, &f->variable[i].follower->formula));
    }
  return order;
}

const char *cas_followers_monitoring(const cas_problem *p) {
  static const char *const texts[2][3] = {
      {NULL, "passages at the steps", "passages by Brownian bridges between steps"},
      {"extremes at the steps", "passages and extremes at the steps",
       "passages by Brownian bridges between steps, extremes at the steps"}};
  bool extremes = false;
  for (int i = 0; i < p->study.followers.n; i++)
    extremes |= rows_of[p->study.followers.follower[i]->kind] == 1;
  return texts[extremes][p->study.followers.passages == 0 ? 0
                         : cas_followers_know_noise(p)    ? 2
                                                          : 1];
}

/* ---- the rows of a follower ---- */

static void begin(const cas_follower *f, int W, double *rows) {
  memset(rows, 0, (size_t)(rows_of[f->kind] * W) * sizeof *rows);
  for (int l = 0; l < W; l++) {
    const double now = f->now[l];
    if (rows_of[f->kind] == 1) {
      rows[SO_FAR * W + l] = now;
    } else if (!is_passage(f->kind)) {
      rows[BEFORE * W + l] = now;
    } else {
      const double side = now < 0 ? -1 : 1;
      rows[TIME * W + l] = isnan(now) ? NAN : now == 0 ? 0 : -1; /* -1: not yet */
      rows[BEFORE * W + l] = side * now;
      rows[SIDE * W + l] = side;
      rows[SURVIVAL * W + l] = 1;
    }
  }
}

/* A NaN stays. */
static void take_extreme(int W, double sign, const double *now, double *most) {
  for (int l = 0; l < W; l++)
    most[l] = sign * now[l] > sign * most[l] || isnan(now[l]) ? now[l] : most[l];
}

/* The part of a step in which the straight line from a to b is above 0. */
static double part_above(double a, double b) {
  if (isnan(a) || isnan(b))
    return NAN;
  if ((a > 0) == (b > 0))
    return a > 0;
  return (a > 0 ? a : b) / fabs(a - b);
}

/* The integral of the numbers by the trapezoidal rule, or the time in which they are above 0. */
static void integrate(int W, double h, bool above, const double *now, double *rows) {
  double *sum = rows + SO_FAR * W, *before = rows + BEFORE * W;
  for (int l = 0; l < W; l++) {
    sum[l] += h * (above ? part_above(before[l], now[l]) : 0.5 * (before[l] + now[l]));
    before[l] = now[l];
  }
}

/* Whether the path, which is on its side at both ends, has been on the other between them: given
   the states at the steps, Brownian bridges do not pass with the probability `survival`, so that
   the path has passed as soon as that is below its uniform. */
static bool passes_between(double a, double b, double variance, double uniform, double *survival) {
  if (variance > 0)
    *survival *= -expm1(-2 * a * b / variance);
  return *survival < uniform;
}

/* time: at the end of the step; variance[W]: of the noise of the formula per unit of time, at the
   beginning of the step; NULL: not known, and a passage is seen only if the formula has changed
   sides. uniform[W]: one for each path, in (0, 1). */
static void look_for_passage(int W, double time, double h, const double *now,
                             const double *variance, const double *uniform, double *rows) {
  for (int l = 0; l < W; l++) {
    double *passed = &rows[TIME * W + l], *before = &rows[BEFORE * W + l];
    const double a = *before, b = rows[SIDE * W + l] * now[l];
    *before = b;
    if (!(*passed < 0))
      continue;
    if (isnan(b))
      *passed = NAN;
    else if (b <= 0)
      *passed = time - h * (-b / (a - b));
    else if (variance && passes_between(a, b, h * variance[l], uniform[l], &rows[SURVIVAL * W + l]))
      *passed = time - h / 2;
  }
}

/* Adds to variance[passage][W] the squared differences of formulas per unit of `distance`. */
static void add_variance(const cas_problem *p, const cas_formula_place *one,
                         const cas_formula_place *two, double distance, double *other,
                         double *variance) {
  for (int i = 0; i < p->study.followers.n; i++) {
    const cas_follower *f = p->study.followers.follower[i];
    double *of = variance + f->passage * p->W;
    if (f->passage < 0)
      continue;
    cas_formula_evaluate(&f->formula, p, one, f->now);
    cas_formula_evaluate(&f->formula, p, two, other);
    for (int l = 0; l < p->W; l++) {
      const double slope = (f->now[l] - other[l]) / distance;
      of[l] += slope * slope;
    }
  }
}

void cas_follower_value(const cas_follower *f, const cas_problem *p, const cas_formula_place *at,
                        double *out) {
  const double *row = at->followed + f->row * p->W;
  for (int l = 0; l < p->W; l++)
    if (f->kind == CAS_PATH_FIRST_PASSAGE)
      out[l] = row[l] < 0 ? at->time : row[l];
    else if (f->kind == CAS_PATH_MEAN) /* of a path without a length the limit */
      out[l] = at->time > 0 ? row[l] / at->time : row[BEFORE * p->W + l];
    else if (f->kind == CAS_PATH_PASSED)
      out[l] = isnan(row[l]) ? NAN : row[l] >= 0;
    else
      out[l] = row[l];
}

/* ---- in a pass ---- */

static cas_formula_place place_of(const cas_level *l) {
  return (cas_formula_place){.time = cas_level_time(l), .x = l->x, .followed = l->followed};
}

/* All levels of a path have one uniform for first passages, always from Threefry. */
void cas_following_draw(const cas_problem *p, const cas_pass_plan *plan, int64_t block,
                        cas_following *f) {
  const int draws = (p->W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
  if (p->study.followers.passages)
    p->kernels->threefry((int)p->random.seed,
                         cas_noise_purpose(CAS_PURPOSE_PASSAGES, plan->purpose),
                         cas_plan_stream(plan, block), p->normals.begin, draws, f->uniform);
}

void cas_following_begin(const cas_problem *p, cas_level *l) {
  const cas_formula_place at = place_of(l);
  for (int i = 0; i < p->study.followers.n; i++) {
    const cas_follower *f = p->study.followers.follower[i];
    cas_formula_evaluate(&f->formula, p, &at, f->now);
    begin(f, p->W, l->followed + f->row * p->W);
  }
}

/* A step of the level's scheme from x without drift, with one increment of one noise, to f->x. Its
   equations are not counted. */
static void probe(const cas_problem *p, cas_step_space *w, cas_following *f, const cas_level *l,
                  int noise, double increment) {
  const size_t state = (size_t)p->components * (size_t)p->W;
  memcpy(f->x, l->x, state * sizeof *f->x);
  memset(f->carry, 0, state * sizeof *f->carry);
  for (int i = 0; i < (p->normals.noises + p->normals.areas) * p->W; i++)
    f->dw[i] = i / p->W == noise ? increment : 0;
  if (p->declared.normals)
    cas_increments_normals(p, f->none, l->variance, w->normals);
  cas_level_move(p, w, l,
                 &(cas_move){.dw = f->dw,
                             .increments = f->none,
                             .x = f->x,
                             .carry = l->carry ? f->carry : NULL,
                             .tally = &f->tally});
}

/* The variance of the noise of every formula of first passages per unit of time, the sum over the
   noises of the squares of the derivatives along them, by central differences. */
void cas_following_look(const cas_problem *p, cas_step_space *w, cas_following *f,
                        const cas_level *l) {
  const double increment = 0x1p-7 * sqrt(l->stepper.h);
  const size_t state = (size_t)p->components * (size_t)p->W;
  if (!cas_followers_know_noise(p))
    return;
  memset(f->variance, 0, (size_t)(p->study.followers.passages * p->W) * sizeof *f->variance);
  for (int k = 0; k < p->normals.noises; k++) {
    cas_formula_place one = place_of(l), two = one;
    probe(p, w, f, l, k, -l->scheme_scale * increment);
    memcpy(f->before, f->x, state * sizeof *f->x);
    probe(p, w, f, l, k, l->scheme_scale * increment);
    one.x = f->x;
    two.x = f->before;
    add_variance(p, &one, &two, 2 * increment, f->other, f->variance);
  }
}

void cas_following_step(const cas_problem *p, const cas_following *of, cas_level *l) {
  const cas_formula_place at = place_of(l);
  const double h = l->stepper.h;
  const bool known = cas_followers_know_noise(p);
  for (int i = 0; i < p->study.followers.n; i++) {
    const cas_follower *f = p->study.followers.follower[i];
    double *rows = l->followed + f->row * p->W;
    cas_formula_evaluate(&f->formula, p, &at, f->now);
    if (is_passage(f->kind))
      look_for_passage(p->W, at.time, h, f->now, known ? of->variance + f->passage * p->W : NULL,
                       of->uniform, rows);
    else if (rows_of[f->kind] == 1)
      take_extreme(p->W, f->kind == CAS_PATH_MAX ? 1 : -1, f->now, rows);
    else
      integrate(p->W, h, f->kind == CAS_PATH_TIME_ABOVE, f->now, rows);
  }
}
