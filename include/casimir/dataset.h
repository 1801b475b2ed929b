/** Datasets of HDF5 files: their description, and functions to read them. */
#ifndef CASIMIR_DATASET_H
#define CASIMIR_DATASET_H

#include <casimir/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An axis of an observable or a dataset other than time and paths. */
typedef struct {
  /** Name of the dimension scale, one for all datasets of the file; NULL: the axis has none */
  const char *name;
  const char *long_name, *unit; /* of its coordinates */
  int length;                   /* number of coordinates */
  const char *labels;           /* space separated, `length` of them; or NULL: */
  const double *coordinates;    /* [length]; or NULL: 1, 2, .. */
} cas_file_axis;

/** Numbers of a dataset: of a state, or what is recorded of every path, at every recorded time or
    once. */
typedef struct {
  const char *name, *long_name, *unit; /* as in the file */
  int axes;                            /* 0: a single number */
  cas_file_axis axis[2];               /* the first `axes` of them */
  bool is_complex;                     /* each number is a pair (re, im), which no axis counts */
  const char *components; /* what the numbers are, for the attribute of this name; or NULL */
  bool once;              /* of each path, not of each of its records; behind all that are */
} cas_file_dataset;

/** Reads a real (or compound r, i) dataset of any rank up to 4 as doubles, row by row: the whole
   one, or, where count is not negative, the records [first, first + count) of its first axis, and
   refuses what it does not have. dims has the shape of what is read and *rank its rank; if
   *is_complex, each of its elements is a pair r, i in *values, which dims does not count. Not
   collective. Caller frees *values. */
cas_status cas_dataset_read(const char *file, const char *dataset, int64_t first, int64_t count,
                            int *rank, int64_t dims[4], bool *is_complex, double **values,
                            cas_error *err) CAS_MUST_CHECK;

/** One dataset of a file, by what it says of itself. */
typedef struct {
  char *name;                           /* "/trajectory/hamiltonian" */
  int rank;                             /* at most 4 */
  int64_t dims[4];                      /* its shape, the first `rank` of them */
  bool is_complex;                      /* pairs r, i, which dims does not count */
  char *long_name, *units, *components; /* attributes; NULL where there is none */
} cas_dataset;

/** The datasets of a file that cas_dataset_read can read, by name. Owns everything it points to. */
typedef struct {
  int n;                /* number of datasets */
  cas_dataset *dataset; /* [n] */
} cas_contents;

/** Lists the datasets of any HDF5 file, without reading their numbers. Not collective. The caller
   frees *out by cas_contents_free; after a failure it is empty. */
cas_status cas_contents_read(const char *file, cas_contents *out, cas_error *err) CAS_MUST_CHECK;
/** Frees what cas_contents_read allocated. */
void cas_contents_free(cas_contents *c);
/** The dataset of this name; NULL if there is none. */
const cas_dataset *cas_contents_find(const cas_contents *c, const char *name);

/** Whether all functions here read results of casimir without a seal; initially false. Not for
    several threads. */
void cas_unsealed_accept(bool accept);

#ifdef __cplusplus
}
#endif
#endif
