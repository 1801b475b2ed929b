/* All columns that follow from moments, at the place of one number: text that ensemble_results.c
   includes once for each precision REAL that moments have, with another name PUT_NUMBER, behind
   tgmath.h. Both are undefined afterwards. A number that moments do not determine is NaN. */
static void PUT_NUMBER(const cas_ensemble_observable *o, size_t i, const cas_central_moments *m) {
  const REAL n = (REAL)m->n, m2 = (REAL)m->m2, m4 = (REAL)m->m4,
             variance = n > 1 ? m2 / (n - 1) : (REAL)NAN,
             squares = n > 2 ? m4 - m2 * m2 / n : (REAL)NAN,
             error = squares > 0 ? sqrt(n / (n - 1) * squares) / (n - 2) : (REAL)0;
  o->mean.value[i] = n > 0 ? m->mean : NAN;
  if (o->probability && n > 0)
    cas_probability_interval(llround(m->mean * m->n), (int64_t)m->n, 0.95, &o->mean.low[i],
                             &o->mean.high[i]);
  o->mean.standard_error[i] = (double)ldexp(sqrt(variance / n), m->scale);
  o->variance.value[i] = (double)ldexp(variance, 2 * m->scale);
  /* by the jackknife over single paths, from m2 and m4 alone */
  o->variance.standard_error[i] = isfinite(squares) ? ldexp((double)error, 2 * m->scale) : NAN;
  o->minimum[i] = n > 0 ? m->minimum : NAN;
  o->maximum[i] = n > 0 ? m->maximum : NAN;
}
#undef REAL
#undef PUT_NUMBER
