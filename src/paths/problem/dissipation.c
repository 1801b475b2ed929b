/* Double-bracket dissipation with noise of its own, of sigma^2 = 2 theta kT. With L_k f = ad*_{e_k}
   X . grad f the equation has the generator {., H0} - theta sum_k (L_k H0) L_k + sigma^2/2 sum_k
   L_k^2. The L_k have no divergence on an orbit, so that a density p with sigma^2/2 L_k p = -theta
   (L_k H0) p for all k is invariant: exp(-H0/kT). */
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/parameters.h"

static const cas_dissipation *dissipation_of(const cas_system *s, const void *parameters) {
  return s->dissipated ? (const cas_dissipation *)(const void *)((const char *)parameters +
                                                                 s->dissipated->offset)
                       : NULL;
}

bool cas_dissipation_acts(const cas_system *s, const void *parameters) {
  const cas_dissipation *d = dissipation_of(s, parameters);
  return d && d->theta > 0;
}

int cas_dissipation_noises(const cas_problem *p) {
  return p->dissipation.drag && dissipation_of(p->system, p->parameters.all)->kT > 0
             ? p->geometry.components
             : 0;
}

const char *cas_dissipation_misfit(unsigned missing, const char *otherwise) {
  return missing & CAS_FLOWS    ? "the flow of dissipation is not known exactly"
         : missing & CAS_AFFINE ? "with dissipation psi is not affine in the state"
         : missing & CAS_ITO    ? "the Ito drift of the noise of dissipation is not given"
                                : otherwise;
}

/* Rounds up to doubles of whole cache lines. */
static size_t whole_lines(size_t doubles) { return (doubles + 7) / 8 * 8; }

/* A step of one path reads and writes whole cache lines. */
static size_t components(const cas_problem *p) {
  const size_t n = (size_t)p->geometry.components;
  return p->W == 1 ? whole_lines(n) : n;
}

cas_status cas_dissipation_read(const cas_config *c, cas_problem *p, cas_error *err) {
  const cas_dissipation *d = dissipation_of(p->system, p->parameters.all);
  if (d && !(d->theta > 0) && cas_config_has(c, "system.dissipation")) {
    CAS_REFUSE(c, !cas_config_has(c, "system.dissipation.theta"), "system.dissipation",
               "'theta' is missing (factor of the dissipation, such as theta: 0.5)");
    CAS_REFUSE(c, d->kT > 0, "system.dissipation.theta",
               "found 0, must be more than 0: noise of the temperature kT comes with "
               "dissipation; leave out 'dissipation' for none of both");
  }
  if (!cas_dissipation_acts(p->system, p->parameters.all))
    return CAS_OK;
  CAS_REFUSE(c, p->system->noise.number(p->parameters.all) > 0, "system.dissipation",
             "has noise of its own, with which the invariant law is known; leave out "
             "'noise', whose %d noises would change it",
             p->system->noise.number(p->parameters.all));
  CAS_REFUSE(c, cas_exchange_acts(p), "system.dissipation",
             "leaves the Casimirs as they are; leave out damping and forcing, which change them");
  const size_t n = components(p), size = whole_lines(2 * n);
  double *drag = p->dissipation.drag = aligned_alloc(64, size * sizeof *drag);
  CAS_NEED(drag);
  for (size_t k = 0; k < size; k++)
    drag[k] = 1;
  if (p->system->dissipated->weights)
    p->system->dissipated->weights(p->parameters.all, drag, drag + n);
  for (size_t k = 0; k < n; k++) {
    drag[k] *= d->theta;
    drag[n + k] *= sqrt(2 * d->theta * d->kT);
  }
  p->dissipation.noise = drag + n;
  return CAS_OK;
}

int cas_dissipation_behind(const cas_problem *p) {
  const int rows = cas_system_coefficients(p->system, p->parameters.all);
  return (int)whole_lines((size_t)p->W * (size_t)rows);
}

size_t cas_dissipation_coefficients(const cas_problem *p) {
  const size_t noise = p->dissipation.drag ? (size_t)p->W * components(p) : 0;
  return (size_t)cas_dissipation_behind(p) + whole_lines(noise);
}

size_t cas_dissipation_workspace(const cas_problem *p) {
  return p->dissipation.drag ? components(p) * (size_t)p->body->lanes : 0;
}

void cas_dissipation_prepare(const cas_problem *p, double h, const double *dw, double *coef) {
  const int W = p->W, noises = cas_dissipation_noises(p);
  const size_t rows = (size_t)cas_system_coefficients(p->system, p->parameters.all);
  double *row = coef + cas_dissipation_behind(p);
  if (p->parameters.lanes && p->parameters.lanes->number)
    p->system->psi.by_coefficients->prepare(p->parameters.all, p->parameters.lanes->number, W, h,
                                            dw, coef);
  else
    for (cas_each e = cas_each_begin(p, rows, coef); e.one; cas_each_next(&e))
      p->system->psi.prepare(e.one->parameters.all, W, h, dw, e.out);
  if (p->dissipation.drag && noises == 0)
    memset(row, 0, (size_t)W * components(p) * sizeof *row);
  for (int k = 0; k < noises; k++, row += W)
    for (int lane = 0; lane < W; lane++)
      row[lane] =
          (p->parameters.lanes ? &p->parameters.lanes->lane[lane] : p)->dissipation.noise[k] *
          dw[k * W + lane];
}
