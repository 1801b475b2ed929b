/* The points of a sweep: what some keys of a configuration are set to in each of many runs. */
#ifndef CAS_POINTS_H
#define CAS_POINTS_H

#include <casimir/config.h>
#include <stdint.h>

typedef struct {
  char *key; /* owned, as its values are */
  int values;
  char **value;
} cas_points_key;

typedef struct {
  int keys;
  cas_points_key *key;
  bool zip;
  int64_t points;
} cas_points;

/** The section `sweep:` of a configuration. */
extern const cas_option cas_points_options[];

/** Reads the section `sweep:` of the configuration, if there is one, takes it out, and adds the
    assignments "key=a,b,c" of the command line; a key in both has the values of the latter. zip:
    the keys take their values side by side, otherwise every combination, of which the last key
    changes fastest. The caller frees *p even on failure. */
cas_status cas_points_create(cas_config *c, const char *const *assignment, int assignments,
                             bool zip, cas_points *p, cas_error *err) CAS_MUST_CHECK;
void cas_points_free(cas_points *p);
/** Sets the keys to the values of a point. */
cas_status cas_points_set(const cas_points *p, int64_t point, cas_config *c,
                          cas_error *err) CAS_MUST_CHECK;
/** Such as "system.noise.sigma=0.1 study.levels=3"; cut off if there is no more room. */
void cas_points_describe(const cas_points *p, int64_t point, char *text, size_t size);
/** A message about a point without what stands in this description too: the assignment that it
    begins with, and the key where the description has no other. */
const char *cas_points_message(const cas_points *p, int64_t point, const char *message);

#endif
