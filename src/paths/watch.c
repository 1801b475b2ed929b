#include "paths/watch.h"
#include "base/count.h"
#include "paths/pass.h"

/* ---- invariants ---- */

/* The Casimirs of the algebra, or the momentum maps of the system, and behind them what the part
   behind the components keeps. */
static void find_invariants(const cas_level *l, const double *x, double *out) {
  const cas_problem *p = l->problem;
  if (l->kept.casimirs > 0 && !p->system->momenta.number)
    cas_parameters_casimirs(p, l->kept.casimirs, x, out);
  else if (l->kept.casimirs > 0)
    for (cas_each e = cas_each_begin(p, (size_t)l->kept.casimirs, out); e.one; cas_each_next(&e))
      p->system->momenta.value(e.one->parameters.all, l->kept.step, p->W, x, e.out);
  if (p->part)
    p->part->invariant(&p->geometry, p->W, x, out + l->kept.casimirs * p->W);
}

/* Departures of Casimirs are relative to the path's largest, those of the part to its length. */
static void find_scales(const cas_level *l) {
  const int W = l->problem->W;
  for (int lane = 0; lane < W; lane++) {
    double most = 0, square = 0;
    for (int c = 0; c < l->kept.all; c++)
      if (c < l->kept.casimirs)
        most = fmax(most, fabs(l->kept.initial[c * W + lane]));
      else
        square += pow(l->kept.initial[c * W + lane], 2);
    for (int c = 0; c < l->kept.all; c++) {
      const double size = c < l->kept.casimirs ? most : sqrt(square);
      l->kept.scale[c * W + lane] = size > 0 ? 1 / size : 1;
    }
  }
}

void cas_watch_begin(cas_pass *s) {
  const cas_problem *p = s->problem;
  for (int i = 0; i < s->plan->levels; i++) {
    const cas_level *l = &s->level[i];
    find_invariants(l, l->x, l->kept.initial);
    find_scales(l);
    cas_parameters_value(l->problem, &p->system->observables[0], 1, l->x, l->hamiltonian0);
  }
  if (cas_exchange_damping(p) > 0)
    memcpy(s->watch.x0, s->level[0].x, (size_t)p->components * (size_t)p->W * sizeof(double));
}

/* ---- drift ---- */

/* The largest departure of an invariant from its due value, by lane; NaN if one is. */
static void find_departure(cas_pass *s, int level, const double *due, double *out) {
  const cas_level *l = &s->level[level];
  const int W = s->problem->W;
  find_invariants(l, l->x, s->watch.now);
  memset(out, 0, (size_t)W * sizeof *out);
  for (int c = 0; c < l->kept.all * W; c++) {
    double d = fabs(s->watch.now[c] - due[c]) * l->kept.scale[c], *most = &out[c % W];
    if (!(d <= *most) && !isnan(*most))
      *most = d;
  }
}

void cas_pass_departure(cas_pass *s, int level, double *out) {
  find_departure(s, level, s->level[level].kept.initial, out);
}

void cas_watch_drift(cas_pass *s) {
  const cas_problem *p = s->problem;
  const bool damped = cas_exchange_damping(p) > 0;
  const int W = p->W, n = p->geometry.components * W;
  const double time = (double)s->done * s->plan->h[s->plan->levels - 1];
  double *now = s->level[0].coef; /* free between steps */
  /* What is left of states by linear damping, or of Casimirs by an exchange with one rate. */
  for (cas_each e = cas_each_begin(p, 1, s->watch.left); e.one; cas_each_next(&e)) {
    const double rate = cas_exchange_decay(e.one);
    for (int lane = 0; lane < W; lane++)
      e.out[lane] = isnan(rate) ? 1 : exp(-rate * time);
  }
  /* With linear damping states have the orbit of what is left of the initial ones. */
  for (int i = 0; damped && i < p->components * W; i++)
    s->watch.faded[i] = (i < n ? s->watch.left[i % W] : 1) * s->watch.x0[i];
  if (damped)
    find_invariants(&s->level[0], s->watch.faded, s->watch.due);
  for (int i = 0; i < s->plan->levels; i++) {
    const cas_level *l = &s->level[i];
    for (int c = 0; !damped && c < l->kept.all * W; c++)
      s->watch.due[c] = (c < l->kept.casimirs * W ? s->watch.left[c % W] : 1) * l->kept.initial[c];
    find_departure(s, i, s->watch.due, now);
    for (int lane = 0; lane < W; lane++)
      s->level[i].drift[lane] =
          fmax(s->level[i].drift[lane], isnan(now[lane]) ? INFINITY : now[lane]);
  }
}

/* ---- health ---- */

static bool finite_lane(const cas_level *l, int lane) {
  for (int k = 0; k < l->problem->components; k++)
    if (!isfinite(l->x[k * l->problem->W + lane]))
      return false;
  return true;
}

void cas_pass_refuse(cas_pass *s, int lane) { s->watch.refused[lane] = 1; }

/* A count as a whole number, even if a stored state that was resumed holds something else. */
static int64_t whole(double count) {
  int64_t n = 0;
  (void)cas_count_whole(count, INT64_C(1) << 62, &n);
  return n;
}

enum { QUANTITY, LEVEL, TIME };

static double unfinite(const cas_pass *s, int row, int lane) {
  return s->watch.unfinite[row * s->problem->W + lane];
}

void cas_pass_note_value(cas_pass *s, int level, int lane, int observable) {
  const int W = s->problem->W;
  if (unfinite(s, QUANTITY, lane) > 0 || !finite_lane(&s->level[level], lane))
    return;
  s->watch.unfinite[QUANTITY * W + lane] = observable;
  s->watch.unfinite[LEVEL * W + lane] = level;
  s->watch.unfinite[TIME * W + lane] = cas_level_time(&s->level[level]);
}

int cas_pass_unfinite_at_start(const cas_pass *s, int active) {
  for (int lane = 0; lane < active; lane++)
    if (unfinite(s, QUANTITY, lane) == 0 || unfinite(s, TIME, lane) > 0)
      return 0;
  return active > 0 ? (int)whole(unfinite(s, QUANTITY, 0)) : 0;
}

/* A value whose observable is not known is one of the finest level. */
static bool is_refused(const cas_pass *s, int level, int lane) {
  const double of =
      unfinite(s, QUANTITY, lane) > 0 ? unfinite(s, LEVEL, lane) : s->plan->levels - 1;
  return s->watch.refused[lane] > 0 && level == of;
}

cas_failure cas_pass_cause(const cas_pass *s, int level, int lane) {
  if (!finite_lane(&s->level[level], lane))
    return CAS_FAILURE_NAN;
  if (is_refused(s, level, lane))
    return CAS_FAILURE_VALUE;
  return s->level[level].tally.not_converged[lane] > 0 ? CAS_FAILURE_NOT_CONVERGED
                                                       : CAS_FAILURE_NONE;
}

int cas_pass_failed_level(const cas_pass *s, int lane) {
  for (int i = 0; i < s->plan->levels; i++)
    if (cas_pass_cause(s, i, lane) != CAS_FAILURE_NONE)
      return i;
  return -1;
}

cas_pass_failure cas_pass_failed(const cas_pass *s, int lane) {
  const int level = cas_pass_failed_level(s, lane);
  if (level < 0)
    return (cas_pass_failure){.cause = CAS_FAILURE_NONE, .level = -1};
  cas_pass_failure f = {.cause = cas_pass_cause(s, level, lane),
                        .level = cas_pass_counted_as(s->plan, level)};
  if (f.cause == CAS_FAILURE_VALUE && unfinite(s, QUANTITY, lane) > 0) {
    f.quantity = whole(unfinite(s, QUANTITY, lane));
    f.time = unfinite(s, TIME, lane);
  }
  return f;
}

/* A path with a NaN never counts. */
bool cas_pass_counts(const cas_pass *s, int lane) {
  for (int i = 0; i < s->plan->levels; i++) {
    cas_failure cause = cas_pass_cause(s, i, lane);
    if (cause == CAS_FAILURE_NAN || cause == CAS_FAILURE_VALUE ||
        (cause && s->problem->study.on_failure != CAS_ON_FAILURE_KEEP))
      return false;
  }
  return true;
}

bool cas_pass_admits(cas_pass *s, int lane, int n, const double *quantity) {
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite &= isfinite(quantity[i]) != 0;
  if (!finite)
    cas_pass_refuse(s, lane);
  return cas_pass_counts(s, lane);
}

static void level_health(const cas_pass *s, int level, int from, int to, cas_level_health *h) {
  const cas_level *l = &s->level[level];
  const int64_t steps = s->plan->steps / s->plan->ratio[level];
  for (int lane = from; lane < to; lane++) {
    h->steps += steps;
    h->iterations += whole(l->tally.iterations[lane]);
    h->not_converged += whole(l->tally.not_converged[lane]);
    h->clipped += whole(l->tally.clipped[lane]);
    h->second_method += whole(l->tally.second_method[lane]);
    h->nan += !finite_lane(l, lane) || is_refused(s, level, lane);
    if (whole(l->tally.iterations_max[lane]) > h->iterations_max)
      h->iterations_max = whole(l->tally.iterations_max[lane]);
  }
}

static void path_health(const cas_pass *s, int64_t path, int lane, cas_path_health *h) {
  const cas_pass_failure failed = cas_pass_failed(s, lane);
  if (failed.cause != CAS_FAILURE_NONE) {
    int named = cas_failed_named(h->failed_paths);
    if (named < CAS_FAILED_NAMED)
      h->failed_numbers[named] = path;
    if (h->failed_paths++ == 0) {
      h->first_failed_path = path;
      h->first_failed_level = failed.level;
      h->first_failed_cause = failed.cause;
      h->first_failed_quantity = failed.quantity;
      h->first_failed_time = failed.time;
    }
    if (!cas_pass_counts(s, lane)) {
      h->left_out_paths++;
      return;
    }
  }
  for (int i = 0; i < s->plan->levels; i++)
    if (h->drift_path < 0 || s->level[i].drift[lane] > h->drift) {
      h->drift = s->level[i].drift[lane];
      h->drift_path = path;
      h->drift_level = cas_pass_counted_as(s->plan, i);
    }
}

void cas_pass_health(const cas_pass *s, int64_t path, int from, int to, cas_summary *summary) {
  for (int i = 0; i < s->plan->levels; i++)
    level_health(s, i, from, to, cas_summary_level(summary, cas_pass_counted_as(s->plan, i)));
  for (int lane = from; lane < to; lane++)
    path_health(s, path + lane - from, lane, cas_summary_paths(summary));
}
