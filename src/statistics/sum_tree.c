#include "statistics/sum_tree.h"
#include "base/owned.h"

size_t cas_sum_node_size(cas_summary_shape shape) {
  return sizeof(cas_sum_node) + cas_summary_size(shape);
}

static cas_summary *summary(cas_sum_node *n) { return (cas_summary *)(void *)(n + 1); }

static int64_t end_of(const cas_sum_node *n) { return n->first + n->chunks; }

static bool is_node(const cas_sum_node *n) {
  return n->first >= 0 && n->chunks > 0 && (n->chunks & (n->chunks - 1)) == 0 &&
         n->chunks <= INT64_MAX / 2 && n->first % n->chunks == 0 &&
         n->chunks <= INT64_MAX - n->first;
}

static bool are_siblings(const cas_sum_node *left, const cas_sum_node *right) {
  return left->chunks == right->chunks && left->first % (2 * left->chunks) == 0 &&
         end_of(left) == right->first;
}

void cas_sum_tree_free(cas_sum_tree *t) {
  for (int i = 0; i < t->nodes; i++)
    free(t->node[i]);
  free(t->node);
  *t = (cas_sum_tree){.shape = t->shape};
}

static void remove_node(cas_sum_tree *t, int i) {
  free(t->node[i]);
  t->nodes--;
  memmove(t->node + i, t->node + i + 1, (size_t)(t->nodes - i) * sizeof(cas_sum_node *));
}

static void merge_siblings(cas_sum_tree *t, int i) {
  for (;;) {
    if (i > 0 && are_siblings(t->node[i - 1], t->node[i]))
      i--;
    else if (i + 1 == t->nodes || !are_siblings(t->node[i], t->node[i + 1]))
      return;
    cas_summary_merge(t->shape, summary(t->node[i]), summary(t->node[i + 1]));
    t->node[i]->chunks *= 2;
    remove_node(t, i + 1);
  }
}

/* Refuses what is no node, and chunks that the tree holds already. */
static cas_status insert(cas_sum_tree *t, cas_sum_node head, const cas_summary *s, cas_error *err) {
  /* The place of the first node behind this chunk. Chunks mostly come in ascending order. */
  int i = t->nodes;
  while (i > 0 && t->node[i - 1]->first > head.first)
    i--;
  CAS_FAIL_IF(!is_node(&head) || (i > 0 && end_of(t->node[i - 1]) > head.first) ||
                  (i < t->nodes && t->node[i]->first < end_of(&head)),
              CAS_FILE_ERROR, "chunks from %lld on are counted twice", (long long)head.first);
  CAS_NEED(cas_owned_resize(&t->node, t->nodes + 1, sizeof(cas_sum_node *)));
  cas_sum_node *n = malloc(cas_sum_node_size(t->shape));
  CAS_NEED(n);
  *n = head;
  memcpy(summary(n), s, cas_summary_size(t->shape));
  memmove(t->node + i + 1, t->node + i, (size_t)(t->nodes - i) * sizeof(cas_sum_node *));
  t->node[i] = n;
  t->nodes++;
  merge_siblings(t, i);
  return CAS_OK;
}

cas_status cas_sum_tree_add(cas_sum_tree *t, int64_t chunk, const cas_summary *s, cas_error *err) {
  return insert(t, (cas_sum_node){chunk, 1}, s, err);
}

cas_status cas_sum_tree_insert(cas_sum_tree *t, const cas_sum_node *n, cas_error *err) {
  return insert(t, *n, (const cas_summary *)(const void *)(n + 1), err);
}

cas_status cas_sum_tree_join(cas_sum_tree *t, const cas_sum_tree *other, cas_error *err) {
  for (int i = 0; i < other->nodes; i++)
    CAS_CALL(cas_sum_tree_insert(t, other->node[i], err));
  return CAS_OK;
}

int64_t cas_sum_tree_chunks(const cas_sum_tree *t) {
  int64_t chunks = 0;
  for (int i = 0; i < t->nodes; i++)
    chunks += t->node[i]->chunks;
  return chunks;
}

bool cas_sum_tree_has(const cas_sum_tree *t, int64_t chunk) {
  int i = 0;
  while (i < t->nodes && end_of(t->node[i]) <= chunk)
    i++;
  return i < t->nodes && t->node[i]->first <= chunk;
}

void cas_sum_tree_cut(cas_sum_tree *t, int64_t next) {
  while (t->nodes && t->node[t->nodes - 1]->first >= next)
    remove_node(t, t->nodes - 1);
}

void cas_sum_tree_total(const cas_sum_tree *t, cas_summary *out) {
  cas_summary_clear(t->shape, out);
  for (int i = 0; i < t->nodes; i++)
    cas_summary_merge(t->shape, out, summary(t->node[i]));
}

/* What the nodes follow. Checkpoints and results files hold it, and keep it. */
typedef struct {
  cas_summary_shape shape;
  int32_t capacity, nodes; /* capacity: no less than nodes */
  int64_t first, next;     /* the first chunk, and the one behind the last */
} packed_head;

size_t cas_sum_tree_bytes(cas_summary_shape shape, int64_t chunks) {
  size_t nodes = 1;
  for (int64_t n = chunks; n > 0; n /= 2)
    nodes++;
  return sizeof(packed_head) + nodes * cas_sum_node_size(shape);
}

size_t cas_sum_tree_packed_size(const cas_sum_tree *t) {
  return sizeof(packed_head) + (size_t)t->nodes * cas_sum_node_size(t->shape);
}

void cas_sum_tree_pack(const cas_sum_tree *t, void *out) {
  packed_head head = {.shape = t->shape, .capacity = t->nodes, .nodes = t->nodes};
  size_t size = cas_sum_node_size(t->shape);
  char *to = (char *)out + sizeof head;
  if (t->nodes) {
    head.first = t->node[0]->first;
    head.next = end_of(t->node[t->nodes - 1]);
  }
  memcpy(out, &head, sizeof head);
  for (int i = 0; i < t->nodes; i++)
    memcpy(to + (size_t)i * size, t->node[i], size);
}

static const cas_sum_node *packed_node(const void *bytes, int32_t i) {
  const packed_head *head = bytes;
  return (const void *)((const char *)(head + 1) + (size_t)i * cas_sum_node_size(head->shape));
}

static bool is_packed(const void *bytes, size_t size) {
  const packed_head *head = bytes;
  if (size < sizeof *head || head->nodes < 0 || head->nodes > head->capacity)
    return false;
  const cas_summary_shape s = head->shape;
  size_t nodes = (size_t)head->nodes, one = cas_sum_node_size(s);
  return s.quantities >= 0 && s.levels >= 0 && s.groups >= 0 && one > 0 && nodes <= size / one &&
         size == sizeof *head + nodes * one;
}

cas_status cas_sum_tree_unpack_part(cas_sum_tree *t, const void *bytes, size_t size, int64_t first,
                                    int64_t next, int64_t offset, cas_error *err) {
  const packed_head *head = bytes;
  CAS_FAIL_IF(!is_packed(bytes, size), CAS_FILE_ERROR, "the sums are damaged");
  t->shape = head->shape;
  int64_t end = head->first;
  for (int32_t i = 0; i < head->nodes; i++) {
    const cas_sum_node *n = packed_node(bytes, i);
    CAS_FAIL_IF(!is_node(n) || (i == 0 ? n->first != end : n->first < end), CAS_FILE_ERROR,
                "the sums are damaged");
    end = end_of(n);
    if (n->first >= first && n->first < next)
      CAS_CALL(insert(t, (cas_sum_node){n->first + offset, n->chunks},
                      (const cas_summary *)(const void *)(n + 1), err));
  }
  CAS_FAIL_IF(head->nodes && end != head->next, CAS_FILE_ERROR, "the sums are damaged");
  return CAS_OK;
}

cas_status cas_sum_tree_unpack(cas_sum_tree *t, const void *bytes, size_t size, cas_error *err) {
  CAS_FAIL_IF(size < sizeof(packed_head) || memcmp(bytes, &t->shape, sizeof t->shape) != 0,
              CAS_FILE_ERROR, "the sums are damaged");
  return cas_sum_tree_unpack_part(t, bytes, size, 0, INT64_MAX, 0, err);
}

int64_t cas_sum_tree_packed_chunks(const void *bytes, size_t size, int64_t next) {
  const packed_head *head = bytes;
  int64_t chunks = 0;
  for (int32_t i = 0; is_packed(bytes, size) && i < head->nodes; i++) {
    const cas_sum_node *n = packed_node(bytes, i);
    if (!is_node(n) || n->chunks > INT64_MAX - chunks)
      return 0;
    chunks += n->first < next ? n->chunks : 0;
  }
  return chunks;
}
