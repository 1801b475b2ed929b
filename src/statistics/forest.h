/* Summaries of a contiguous range of chunks, merged along one fixed binary tree over chunk indices:
   node (k, i) covers the chunks [i 2^k, (i+1) 2^k). A forest keeps the maximal complete subtrees of
   its range, O(log n) of them, so the bits of the root do not depend on how the range was divided
   among ranks or over time. */
#ifndef CAS_FOREST_H
#define CAS_FOREST_H

#include "statistics/summary.h"

#include <casimir/status.h>

/* One block of bytes, so that it can be sent and stored: this head, then `capacity` nodes. */
typedef struct {
  cas_summary_shape shape;
  int32_t capacity, nodes;
  int64_t first, next; /* the chunks [first, next) are in it */
} cas_forest;

/** A forest for a range that starts at chunk `first` of at most `chunks` chunks in all. NULL if out
 * of memory; free(). */
cas_forest *cas_forest_new(cas_summary_shape shape, int64_t first, int64_t chunks);
size_t cas_forest_size(const cas_forest *f);
/** Bytes of a forest for at most `chunks` chunks in all. */
size_t cas_forest_bytes(cas_summary_shape shape, int64_t chunks);
/** Adds the summary of chunk f->next. */
void cas_forest_push(cas_forest *f, const cas_summary *chunk);
/** Adds the forest of the neighbouring range: right->first == left->next, unless either is empty.
 */
void cas_forest_join(cas_forest *left, const cas_forest *right);
/** Bytes at the front that hold all there is: what has to be stored. */
size_t cas_forest_used(const cas_forest *f);
/** What was stored of a forest of this shape, read only, in aligned memory; NULL if these bytes are
    none. */
const cas_forest *cas_forest_stored(const void *bytes, size_t size, cas_summary_shape shape);
/** The summary of the whole range into *out. */
void cas_forest_total(const cas_forest *f, cas_summary *out);

#endif
