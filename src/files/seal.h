/* Seals: by which a file shows that no byte has changed since it was written. */
#ifndef CAS_SEAL_H
#define CAS_SEAL_H

#include "base/owned.h"

#include <casimir/status.h>

/** The seal of an open file that is read in parts. */
typedef struct cas_seal cas_seal;

/* Bytes of large data, which are sealed by themselves, in whole words. */
typedef struct {
  uint64_t offset, length;
} cas_extent;

/* Bytes that are checked together, from the start of an extent on. */
enum { CAS_SEAL_PIECE = 1 << 20 };

/** How many pieces n extents have, the last of each being shorter. */
int64_t cas_seal_pieces(int n, const cas_extent *data);
/** The sums (hash.h) of pieces [first, last) of n extents in the file; false with errno. */
bool cas_seal_sums(int fd, int n, const cas_extent *data, int64_t first, int64_t last,
                   uint64_t *sum);
/** Adds the sum of the bytes [from, to) of a file; false with errno. */
bool cas_file_sum(int fd, uint64_t from, uint64_t to, uint64_t *sum);

/** Appends a seal: the sums of the pieces of n ascending extents, and a hash of them and of the
    rest of the file. HDF5 ignores what follows its data, and drops it when it changes the file. */
cas_status cas_seal_append(const char *path, int n, const cas_extent *data, const uint64_t *sum,
                           cas_error *err) CAS_MUST_CHECK;
/** Refuses a file with bytes that differ from the sealed ones. A file without a seal passes. */
cas_status cas_seal_check(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Checks a file but for large data, and refuses one without a seal; *size: the bytes that were
    sealed. *damaged: it is not what was sealed; false where it could not be read. */
cas_status cas_seal_require(const char *path, size_t *size, bool *damaged,
                            cas_error *err) CAS_MUST_CHECK;

/** Checks as cas_seal_check does, but for large data. HDF5 may crash on damaged metadata, so this
    comes before opening. Caller closes. */
cas_status cas_seal_open(const char *path, cas_seal **out, cas_error *err) CAS_MUST_CHECK;
/** Refuses bytes [from, to), and the rest of their pieces, if they differ from the sealed ones.
    Each piece is read once. Bytes outside of large data were checked before. */
cas_status cas_seal_check_part(cas_seal *s, uint64_t from, uint64_t to,
                               cas_error *err) CAS_MUST_CHECK;
/** Whether the file has a seal. */
bool cas_seal_is(const cas_seal *s);
/** Refuses a file that was written to since it was opened. */
cas_status cas_seal_unchanged(const cas_seal *s, cas_error *err) CAS_MUST_CHECK;
void cas_seal_close(cas_seal *s);

#endif
