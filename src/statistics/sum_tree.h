/* Summaries of sets of chunks, merged along one fixed binary tree over chunk indices: node (k, i)
   covers the chunks [i 2^k, (i+1) 2^k). A cas_sum_tree holds the maximal complete subtrees of its
   set, O(log n) of them for a range of n chunks, so that the bits of the whole sum do not depend on
   how the chunks were divided among ranks or over time. */
#ifndef CAS_SUM_TREE_H
#define CAS_SUM_TREE_H

#include "statistics/summary.h"

#include <casimir/status.h>
#include <stdbool.h>

/* A complete subtree, which its summary follows in memory. */
typedef struct {
  int64_t first, chunks; /* chunks is a power of two that divides first */
} cas_sum_node;

/* Begins as {.shape = shape}, empty. */
typedef struct {
  cas_summary_shape shape;
  int nodes;
  cas_sum_node **node; /* owned; ascending, disjoint, and no two that would make a larger one */
} cas_sum_tree;

void cas_sum_tree_free(cas_sum_tree *t);
/** The size of a node with its summary. */
size_t cas_sum_node_size(cas_summary_shape shape);
/** Adds a copy of a node of chunks that the tree does not hold yet, its summary behind it. */
cas_status cas_sum_tree_insert(cas_sum_tree *t, const cas_sum_node *n,
                               cas_error *err) CAS_MUST_CHECK;
/** Adds the summary of one chunk, which the tree does not hold yet. */
cas_status cas_sum_tree_add(cas_sum_tree *t, int64_t chunk, const cas_summary *s,
                            cas_error *err) CAS_MUST_CHECK;
/** Adds the nodes of a tree of other chunks. */
cas_status cas_sum_tree_join(cas_sum_tree *t, const cas_sum_tree *other,
                             cas_error *err) CAS_MUST_CHECK;
int64_t cas_sum_tree_chunks(const cas_sum_tree *t);
bool cas_sum_tree_has(const cas_sum_tree *t, int64_t chunk);
/** Takes out all nodes that begin at chunk `next` or behind it. */
void cas_sum_tree_cut(cas_sum_tree *t, int64_t next);
void cas_sum_tree_total(const cas_sum_tree *t, cas_summary *out);

/** The size of a tree of all of `chunks` chunks and of one more node. */
size_t cas_sum_tree_bytes(cas_summary_shape shape, int64_t chunks);

/* ---- as one block of bytes, to be sent and stored ---- */

size_t cas_sum_tree_packed_size(const cas_sum_tree *t);
void cas_sum_tree_pack(const cas_sum_tree *t, void *out);
/** Adds the nodes of a packed tree, whose bytes are aligned for numbers. CAS_FILE_ERROR: they are
    no tree of this shape and of other chunks. */
cas_status cas_sum_tree_unpack(cas_sum_tree *t, const void *bytes, size_t size,
                               cas_error *err) CAS_MUST_CHECK;
/** Adds the nodes of chunks [first, next) of a packed tree, whose shape t takes over, as nodes of
    chunks with numbers higher by `offset`, which all nodes must divide. */
cas_status cas_sum_tree_unpack_part(cas_sum_tree *t, const void *bytes, size_t size, int64_t first,
                                    int64_t next, int64_t offset, cas_error *err) CAS_MUST_CHECK;
/** The number of chunks below `next` of a packed tree; 0 if the bytes are none. */
int64_t cas_sum_tree_packed_chunks(const void *bytes, size_t size, int64_t next);

#endif
