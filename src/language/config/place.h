/* Errors at characters of a value, with their line and column in the file. */
#ifndef CAS_PLACE_H
#define CAS_PLACE_H

#include <casimir/config.h>

/** An error about byte `at` (from 0) of the scalar at `path`: "run.yaml:12:31: system.hamiltonian:
    <message>"; where that is in no file, or not at a place of its own there, "--set ..:
    system.hamiltonian: at character 7: <message>". Returns CAS_BAD_INPUT. */
cas_status cas_config_fail_at(const cas_config *c, cas_error *err, const char *path, int at,
                              const char *format, ...) CAS_PRINTF(5, 6);

#endif
