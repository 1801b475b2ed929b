#include "math/blas/lapack.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/initial.h"
#include "paths/problem/parameters.h"
#include "paths/problem/sections.h"
#include "paths/problem/sizes.h"

static cas_status create(const cas_config *c, bool compensated, MPI_Comm comm, cas_problem *p,
                         cas_error *err) {
  cas_error why = {0};
  CAS_CALL(cas_own_file_system(c, p->kernels, comm, &p->own.system, &p->system, err));
  CAS_CALL(cas_section_system(&c, p, comm, err));
  /* Functions of a user's system may give wrong numbers; functions of casimir are tested. */
  CAS_REFUSE(c, p->own.system.file && cas_plugin_check_system(p->system, p->parameters.all, &why),
             "system.file", "%s: %s", p->own.system.file, why.text);
  cas_section_geometry(p);
  CAS_CALL(cas_section_names(p, err));
  if (p->geometry.algebra->properties & CAS_BLAS_CALLED)
    CAS_CALL(cas_agree(cas_blas_claim(1, err), comm, err));
  CAS_CALL(cas_dissipation_read(c, p, err));
  CAS_CALL(cas_section_integrator(c, comm, p, compensated, err));
  CAS_CALL(cas_section_random(c, p, comm, err));
  CAS_CALL(cas_initial_read(c, p, comm, err));
  CAS_CALL(cas_agree(cas_initial_magnitude(p, err), comm, err));
  if (p->parameters.uncertain)
    p->parameters.uncertain->commuting = cas_system_commutes(p->system, p->parameters.all);
  return CAS_OK;
}

cas_status cas_problem_create(const cas_config *c, bool compensated, MPI_Comm comm, cas_problem *p,
                              cas_error *err) {
  *p = (cas_problem){.kernels = cas_kernels_get(), .config = c};
  cas_status st = create(c, compensated, comm, p, err);
  if (st)
    cas_problem_free(p);
  return st;
}

void cas_problem_free(cas_problem *p) {
  cas_sizes_free(p->sizes);
  cas_section_release(p->system, p->parameters.all);
  free(p->parameters.configured);
  cas_parameters_free(p);
  free(p->names);
  cas_options_free(cas_own_file_options, &p->own.system);
  cas_options_free(cas_own_file_options, &p->own.scheme);
  cas_options_free(cas_initial_option_table, &p->initial);
  cas_options_free(cas_random_option_table, &p->random);
  cas_options_free(cas_replay_option_table, &p->random);
  cas_dataset_close(&p->replay.source);
  cas_dataset_close(&p->initial.stack.source);
  free(p->initial.x0);
  free(p->initial.ends.values);
  free(p->study.followers.follower);
  free(p->dissipation.drag);
  *p = (cas_problem){0};
}

int cas_problem_tables(const cas_problem *p, cas_section_table out[CAS_PROBLEM_TABLES]) {
  const cas_section_table tables[CAS_PROBLEM_TABLES] = {
      {"system", cas_own_file_options, &p->own.system},
      {"system", p->system->parameters.options,
       p->parameters.uncertain ? p->parameters.uncertain->written : p->parameters.all},
      {"system", cas_initial_option_table, &p->initial},
      {"integrator", cas_own_file_options, &p->own.scheme},
      {"integrator", cas_scheme_options(p->scheme.integrator), &p->scheme.options},
      {"random", cas_random_option_table, &p->random},
      {"random", cas_replay_option_table, &p->random}};
  memcpy(out, tables, sizeof tables);
  return CAS_PROBLEM_TABLES - !p->noise.generator->replayed;
}

void cas_problem_write(FILE *f, const cas_problem *p) {
  cas_section_table table[CAS_PROBLEM_TABLES];
  const struct {
    const char *section, *key, *name;
  } head[] = {{"system", "name", p->system->name},
              {"integrator", "name", p->scheme.integrator->name},
              {"random", "generator", p->noise.generator->name}};
  const int tables = cas_problem_tables(p, table);
  for (int i = 0; i < 3; i++) {
    fprintf(f, "%s:\n  %s: %s\n", head[i].section, head[i].key, head[i].name);
    for (int k = 0; k < tables; k++)
      if (strcmp(table[k].section, head[i].section) == 0)
        cas_uncertain_write(f, 2, table[k].section, table[k].table, table[k].values,
                            p->parameters.uncertain ? &p->parameters.uncertain->found : NULL);
  }
}

cas_status cas_problem_check_step(const cas_config *c, const cas_problem *p, const char *key,
                                  double step, double parts, cas_error *err) {
  const int least = -1022; /* the exponent of what still has all digits of double precision */
  const double smallest = parts * ldexp(1, least);
  char power[40] = "";
  if (!(step / parts >= ldexp(1, least))) {
    cas_step_format(smallest, power, sizeof power);
    return cas_config_fail(c, err, key,
                           "found %.5g, must be at least %s%s%.2g: steps below 2^%d%s have lost "
                           "digits in double precision",
                           step, power[1] == '^' ? power : "", power[1] == '^' ? " = " : "",
                           smallest, least, parts > 1 ? ", here the finest one," : "");
  }
  CAS_REFUSE(c, p->scheme.options.truncation > 0 && step >= 1, key,
             "found %g, must be less than 1: the truncation A_h = sqrt(2 l |ln h|) needs h < 1",
             step);
  return CAS_OK;
}
