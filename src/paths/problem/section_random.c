#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/sections.h"

const cas_option cas_random_option_table[] = {
    CAS_OPTION(cas_random_options, INT, seed, .fallback = "1", .low = 0, .high = 0x7fffffff,
               .identity = CAS_OF_PART,
               .help = "seed of all random streams; studies with the same seed and generator use "
                       "the same streams and are not independent samples"),
    CAS_OPTION(cas_random_options, STRING, stream, .fallback = "",
               .help = "continue: where system.initial is a record of a run of the same seed, go "
                       "on with the noise that follows it; begin, the default: from the beginning"),
    {0}};

const cas_option cas_replay_option_table[] = {
    CAS_OPTION(cas_random_options, STRING, file,
               .help = "HDF5 file with the standard normals to replay"),
    CAS_OPTION(cas_random_options, STRING, dataset, .fallback = "zeta",
               .help = "steps x noises or paths x steps x noises"),
    {0}};

/* Every rank reads the normals of its own paths. */
static cas_status read_replay(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  cas_random_options *r = &p->random;
  char text[128];
  CAS_CALL(cas_options_read(c, "random", cas_replay_option_table, cas_keys_of_others, r, err));
  CAS_CALL(cas_input_open(c, "random", r->file, r->dataset, true, comm, &p->replay.source, err));
  const cas_array *s = &p->replay.source.shape;
  cas_array_describe(s, text, sizeof text);
  CAS_REFUSE(c, s->is_complex || s->rank < 2 || s->rank > 3, "random.dataset",
             "dataset %s of %s is %s, must be steps x noises or paths x steps x noises", r->dataset,
             r->file, text);
  p->replay.paths = s->rank == 3 ? s->dims[0] : 1;
  p->replay.steps = s->dims[s->rank - 2];
  if (p->noise.noises > 0 &&
      s->dims[s->rank - 1] != p->noise.noises) /* without noise none is read */
    return cas_config_fail(
        c, err, "random.dataset", "dataset %s of %s is %s, but system %s has %d noises here%s",
        r->dataset, r->file, text, p->system->name, p->normals.noises,
        p->normals.further ? ", and there must be as many further normals behind as the "
                             "steps take: for weak_order 2 one of each noise"
                           : "");
  p->replay.noises = p->noise.noises;
  return CAS_OK;
}

cas_status cas_problem_noise_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                                  int64_t steps, uint64_t *hash, cas_error *err) {
  int64_t bad = -1;
  CAS_CALL(cas_replay_hash(&p->replay, paths, steps * p->normals.parts, hash, &bad, err));
  CAS_REFUSE(c, bad >= 0, "random.dataset",
             "dataset %s of %s: number %lld, counted from 0, is not finite", p->random.dataset,
             p->random.file, (long long)bad);
  return CAS_OK;
}

cas_status cas_section_random(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  const cas_generator *g = p->noise.generator;
  p->normals.noises = p->system->noise.number(p->parameters.all) + cas_dissipation_noises(p);
  p->normals.further =
      p->normals.noises * (p->scheme.options.weak_order == 2 ? 1 : p->declared.normals);
  p->normals.halves = p->declared.asks & CAS_ASKS_HALVES;
  p->normals.parts = p->scheme.options.areas ? p->scheme.options.areas : 1;
  p->normals.parts *= p->normals.halves && p->normals.parts % 2 ? 2 : 1;
  p->normals.areas = p->scheme.options.areas ? p->system->noise.areas(p->parameters.all) : 0;
  p->noise = (cas_noise){.kernels = p->kernels,
                         .generator = g,
                         .seed = (int)p->random.seed,
                         .noises = p->normals.noises + p->normals.further,
                         .W = p->W,
                         .replay = &p->replay,
                         .by_path = p->system->sized,
                         .numbered = p->normals.noises};
  if (p->noise.by_path)
    p->noise.first = p->system->sized->first_noise(p->parameters.all);
  CAS_REFUSE(c, g->replayed && cas_exchange_kicks(p) > 0, "random.generator",
             "replay has no normals for white forcing, which draws its own: choose "
             "another generator");
  return g->replayed ? read_replay(c, p, comm, err) : CAS_OK;
}

cas_status cas_problem_check_noise(const cas_config *c, const cas_problem *p, int64_t paths,
                                   int64_t steps, cas_error *err) {
  const cas_generator *g = p->noise.generator;
  if (p->noise.noises == 0)
    return CAS_OK;
  CAS_REFUSE(
      c, g->replayed && (p->replay.paths < paths || p->replay.steps / p->normals.parts < steps),
      "random.file", "%s holds normals for %lld paths of %lld %s, the study needs %lld of %lld%s",
      p->random.file, (long long)p->replay.paths, (long long)p->replay.steps,
      p->normals.parts > 1 ? "rows" : "steps", (long long)paths, (long long)steps,
      p->normals.parts > 1 ? " steps, each of them as many rows as integrator.areas says" : "");
  CAS_REFUSE(c, (paths - 1) / p->W >= g->blocks, "study.paths",
             "found %lld, but generator %s has streams for %lld paths only", (long long)paths,
             g->name, (long long)(g->blocks * p->W));
  return CAS_OK;
}
