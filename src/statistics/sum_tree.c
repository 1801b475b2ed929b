#include "statistics/sum_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The head of a node, which its summary follows. */
typedef struct {
  int64_t first, chunks; /* chunks is a power of two that divides first */
} node_head;

static size_t node_size(cas_summary_shape shape) {
  return sizeof(node_head) + cas_summary_size(shape);
}

static node_head *node(const cas_sum_tree *f, int i) {
  return (node_head *)(void *)((char *)(f + 1) + (size_t)i * node_size(f->shape));
}

static cas_summary *summary(node_head *n) { return (cas_summary *)(void *)(n + 1); }

size_t cas_sum_tree_size(const cas_sum_tree *f) {
  return sizeof *f + (size_t)f->capacity * node_size(f->shape);
}

size_t cas_sum_tree_used(const cas_sum_tree *f) {
  return sizeof *f + (size_t)f->nodes * node_size(f->shape);
}

static bool is_node(const node_head *n, int64_t at) {
  return n->first == at && n->chunks > 0 && (n->chunks & (n->chunks - 1)) == 0 &&
         at % n->chunks == 0 && n->chunks <= INT64_MAX - at;
}

/* The nodes must cover [first, next) without gaps. */
const cas_sum_tree *cas_sum_tree_from_bytes(const void *bytes, size_t size,
                                            cas_summary_shape shape) {
  const cas_sum_tree *f = bytes;
  if (size < sizeof *f || memcmp(&f->shape, &shape, sizeof shape) != 0 || f->nodes < 0 ||
      f->nodes > f->capacity || cas_sum_tree_used(f) != size || f->first < 0)
    return NULL;
  int64_t at = f->first;
  for (int i = 0; i < f->nodes; i++) {
    const node_head *n = node(f, i);
    if (!is_node(n, at))
      return NULL;
    at += n->chunks;
  }
  return at == f->next ? f : NULL;
}

/* An empty tree; a range of n chunks has at most 2 log2(n) maximal subtrees, and one more while a
   chunk is appended. */
static cas_sum_tree empty(cas_summary_shape shape, int64_t first, int64_t chunks) {
  cas_sum_tree f = {.shape = shape, .capacity = 4, .first = first, .next = first};
  for (int64_t n = chunks; n > 0; n /= 2)
    f.capacity += 2;
  return f;
}

size_t cas_sum_tree_bytes(cas_summary_shape shape, int64_t chunks) {
  cas_sum_tree f = empty(shape, 0, chunks);
  return cas_sum_tree_size(&f);
}

cas_sum_tree *cas_sum_tree_create(cas_summary_shape shape, int64_t first, int64_t chunks) {
  cas_sum_tree head = empty(shape, first, chunks);
  cas_sum_tree *f = calloc(1, cas_sum_tree_size(&head));
  if (f)
    *f = head;
  return f;
}

static void merge_siblings(cas_sum_tree *f) {
  while (f->nodes > 1) {
    node_head *left = node(f, f->nodes - 2), *right = node(f, f->nodes - 1);
    if (left->chunks != right->chunks || left->first % (2 * left->chunks) != 0)
      return;
    cas_summary_merge(f->shape, summary(left), summary(right));
    left->chunks *= 2;
    f->nodes--;
  }
}

static void push(cas_sum_tree *f, const node_head *head, const cas_summary *s) {
  node_head *n = node(f, f->nodes++);
  *n = *head;
  memcpy(summary(n), s, cas_summary_size(f->shape));
  f->next = head->first + head->chunks;
  merge_siblings(f);
}

void cas_sum_tree_append(cas_sum_tree *f, const cas_summary *chunk) {
  push(f, &(node_head){f->next, 1}, chunk);
}

void cas_sum_tree_join(cas_sum_tree *left, const cas_sum_tree *right) {
  if (left->nodes == 0)
    left->first = right->first;
  for (int i = 0; i < right->nodes; i++)
    push(left, node(right, i), summary(node(right, i)));
}

void cas_sum_tree_total(const cas_sum_tree *f, cas_summary *out) {
  cas_summary_clear(f->shape, out);
  for (int i = 0; i < f->nodes; i++)
    cas_summary_merge(f->shape, out, summary(node(f, i)));
}
