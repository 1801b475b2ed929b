/* Summaries of a contiguous range of chunks, merged along one fixed binary tree over chunk indices:
   node (k, i) covers the chunks [i 2^k, (i+1) 2^k). A cas_sum_tree holds the maximal complete
   subtrees of its range, O(log n) of them, so that the bits of the whole sum do not depend on how
   the chunks were divided among ranks or over time. */
#ifndef CAS_SUM_TREE_H
#define CAS_SUM_TREE_H

#include "statistics/summary.h"

#include <casimir/status.h>

/* A tree is one block of bytes, so that it can be sent and stored: this head, then `capacity`
   nodes. */
typedef struct {
  cas_summary_shape shape;
  int32_t capacity, nodes;
  int64_t first, next; /* it is the sum of the chunks [first, next) */
} cas_sum_tree;

/** Creates an empty tree for a range that starts at chunk `first`, of a study of at most `chunks`
    chunks. NULL if out of memory. The caller frees it with free(). */
cas_sum_tree *cas_sum_tree_create(cas_summary_shape shape, int64_t first, int64_t chunks);
/** The size of a tree in bytes, unused capacity included. */
size_t cas_sum_tree_size(const cas_sum_tree *f);
/** The size of a tree for at most `chunks` chunks. */
size_t cas_sum_tree_bytes(cas_summary_shape shape, int64_t chunks);
/** Adds the summary of chunk f->next. */
void cas_sum_tree_append(cas_sum_tree *f, const cas_summary *chunk);
/** Adds a tree of the following range: right->first == left->next, unless either is empty. */
void cas_sum_tree_join(cas_sum_tree *left, const cas_sum_tree *right);
/** The number of leading bytes that are in use, which have to be stored. */
size_t cas_sum_tree_used(const cas_sum_tree *f);
/** The stored bytes of a tree of this shape, in aligned memory, as a tree to be read; NULL if they
    are not one. */
const cas_sum_tree *cas_sum_tree_from_bytes(const void *bytes, size_t size,
                                            cas_summary_shape shape);
/** Computes the summary of the whole range into *out. */
void cas_sum_tree_total(const cas_sum_tree *f, cas_summary *out);

#endif
