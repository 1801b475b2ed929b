#include "studies/probabilities.h"

const cas_option cas_probability_options[] = {{.key = "quantiles",
                                               .type = CAS_REALS,
                                               .fallback = "[0.05, 0.25, 0.5, 0.75, 0.95]",
                                               .low = 0,
                                               .high = 1,
                                               .help = "probabilities, ascending"},
                                              {0}};

cas_status cas_probabilities_check(const cas_run_state *r, const cas_reals *p, cas_error *err) {
  for (int i = 1; i < p->n; i++)
    if (p->value[i] <= p->value[i - 1])
      return cas_config_fail(r->config, err, "study.quantiles",
                             "found %.10g after %.10g, must ascend", p->value[i], p->value[i - 1]);
  return CAS_OK;
}

cas_file_axis cas_probability_axis(int n, const double *p) {
  return (cas_file_axis){.name = "probability",
                         .long_name = "probability of the quantiles",
                         .unit = "1",
                         .length = n,
                         .coordinates = p};
}
