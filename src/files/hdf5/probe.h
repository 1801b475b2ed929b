/* A trial of files that nothing vouches for. */
#ifndef CAS_PROBE_H
#define CAS_PROBE_H

typedef enum {
  CAS_PROBE_OTHER,   /* HDF5 reads it, or refuses it, and it is not casimir's */
  CAS_PROBE_CASIMIR, /* HDF5 reads it, and it has the root attribute of casimir's files */
  CAS_PROBE_CRASHED  /* HDF5 crashes on it, or does not come to an end */
} cas_probe_result;

/** Opens the file and all that is in it in a process of its own, because HDF5 may crash on damaged
    metadata. Of the numbers of a dataset the first and the last are read. Where no process can be
    had, what is open is CAS_PROBE_OTHER. Not collective. */
cas_probe_result cas_probe(const char *path);

#endif
