/* Comparison of the text that ranks hold: by a hash, then line by line with the text of rank 0. */
#include "base/hash.h"
#include "base/owned.h"

#include <casimir/parallel.h>

enum { NAMED = 3, NAME_SIZE = 100, VALUE_SIZE = 72 };

/* One name whose value on this rank differs from the value on rank 0. */
typedef struct {
  char name[NAME_SIZE], first[VALUE_SIZE], mine[VALUE_SIZE];
} difference;

typedef struct {
  int n; /* number of differences, at most NAMED; further ones are not counted */
  difference of[NAMED];
} differences;

/* ---- lines ---- */

typedef struct {
  const char *name, *value;
  size_t name_length, value_length;
} line;

/* The line at *at, which then points to the next; false: there is none. */
static bool next_line(const char **at, line *l) {
  const size_t length = strcspn(*at, "\n");
  const char *colon = strstr(*at, ": ");
  if (!**at)
    return false;
  l->name = *at;
  l->name_length = colon && colon < *at + length ? (size_t)(colon - *at) : length;
  l->value = *at + (l->name_length < length ? l->name_length + 2 : length);
  l->value_length = (size_t)(*at + length - l->value);
  *at += length + ((*at)[length] == '\n');
  return true;
}

/* The line of the name in `text`, looked for from *near on, where it is if both have one order. */
static bool find(const char *text, const char **near, const line *wanted, line *found) {
  for (const char *at = *near; next_line(&at, found);)
    if (found->name_length == wanted->name_length &&
        memcmp(found->name, wanted->name, wanted->name_length) == 0) {
      *near = at;
      return true;
    }
  if (*near == text)
    return false;
  *near = text;
  return find(text, near, wanted, found);
}

/* ---- what differs from rank 0 ---- */

static void copy(char *out, size_t size, const char *text, size_t length) {
  const bool cut = length >= size;
  size_t n = cut ? size - sizeof "..." : length;
  while (cut && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) /* within a character of UTF-8 */
    n--;
  snprintf(out, size, "%.*s%s", (int)n, text, cut ? "..." : "");
}

/* Copies a value; of a long one, the part that follows a beginning which both have. */
static void copy_value(char out[VALUE_SIZE], const line *l, const line *other) {
  size_t same = 0;
  if (!l) {
    snprintf(out, VALUE_SIZE, "not given");
    return;
  }
  while (other && same < l->value_length && same < other->value_length &&
         l->value[same] == other->value[same])
    same++;
  size_t from = same < VALUE_SIZE / 2 ? 0 : same - VALUE_SIZE / 4;
  while (from > 0 && ((unsigned char)l->value[from] & 0xC0) == 0x80)
    from--;
  char shown[VALUE_SIZE - 3];
  copy(shown, sizeof shown, l->value + from, l->value_length - from);
  snprintf(out, VALUE_SIZE, "%s%s", from ? "..." : "", shown[0] ? shown : "empty");
}

static void add(differences *d, const line *first, const line *mine) {
  const line *named = first ? first : mine;
  if (d->n++ >= NAMED)
    return;
  difference *to = &d->of[d->n - 1];
  copy(to->name, sizeof to->name, named->name, named->name_length);
  copy_value(to->first, first, mine);
  copy_value(to->mine, mine, first);
}

static differences differences_of(const char *first, const char *mine) {
  differences d = {0};
  line a, b;
  const char *near = mine;
  for (const char *at = first; d.n <= NAMED && next_line(&at, &a);) {
    const bool given = find(mine, &near, &a, &b);
    if (!given || a.value_length != b.value_length || memcmp(a.value, b.value, a.value_length) != 0)
      add(&d, &a, given ? &b : NULL);
  }
  near = first;
  for (const char *at = mine; d.n <= NAMED && next_line(&at, &b);)
    if (!find(first, &near, &b, &a))
      add(&d, NULL, &b);
  return d;
}

/* ---- the message, on rank 0 ---- */

/* Appends a text such as " and 0.3 on ranks 1, 2 and 5 more", and removes these differences. */
static void describe_value(differences *d, int ranks, const char *name, const char *value,
                           char *text, size_t size) {
  enum { SHOWN = 4 };
  char list[100] = "";
  int n = 0;
  for (int rank = 1; rank < ranks; rank++)
    for (int i = 0; i < NAMED; i++)
      if (strcmp(d[rank].of[i].name, name) == 0 && strcmp(d[rank].of[i].mine, value) == 0) {
        if (n++ < SHOWN)
          cas_append(list, sizeof list, "%s%d", n > 1 ? ", " : "", rank);
        d[rank].of[i].name[0] = '\0';
      }
  cas_append(text, size, " and %s on rank%s %s", value, n > 1 ? "s" : "", list);
  if (n > SHOWN)
    cas_append(text, size, " and %d more", n - SHOWN);
}

static void describe_name(differences *d, int ranks, const difference *one, char *text,
                          size_t size) {
  const difference named = *one;
  cas_append(text, size, "%s is %s on rank 0", named.name, named.first);
  for (int rank = 1; rank < ranks; rank++)
    for (int i = 0; i < NAMED; i++)
      if (strcmp(d[rank].of[i].name, named.name) == 0) {
        char value[VALUE_SIZE];
        memcpy(value, d[rank].of[i].mine, sizeof value);
        describe_value(d, ranks, named.name, value, text, size);
      }
}

static cas_status describe(differences *d, int ranks, const char *remedy, cas_error *err) {
  char text[1500] = "";
  int described = 0, most = 0;
  for (int rank = 1; rank < ranks; rank++)
    for (int i = 0; i < NAMED; i++)
      if (d[rank].of[i].name[0] && described++ < NAMED) {
        cas_append(text, sizeof text, "%s", described > 1 ? "; " : "");
        describe_name(d, ranks, &d[rank].of[i], text, sizeof text);
      }
  for (int rank = 1; rank < ranks; rank++)
    most = d[rank].n > most ? d[rank].n : most;
  if (most == 0) /* but for the order */
    return CAS_OK;
  if (most > NAMED || described > NAMED)
    cas_append(text, sizeof text, "; and more");
  return cas_fail(err, CAS_BAD_INPUT, "ranks differ: %s. %s", text, remedy);
}

/* ---- together ---- */

static cas_status name_differences(const char *mine, const char *remedy, MPI_Comm comm,
                                   cas_error *err) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  void *first = (void *)(uintptr_t)mine; /* rank 0's is sent and not changed */
  size_t size = strlen(mine);
  CAS_OWNED differences *all = rank == 0 ? calloc((size_t)ranks, sizeof *all) : NULL;
  cas_status st = cas_broadcast(&first, &size, comm, err);
  CAS_OWNED void *received = rank > 0 ? first : NULL;
  CAS_CALL(st);
  CAS_CALL(cas_agree(all || rank > 0 ? CAS_OK : cas_no_memory(err), comm, err));
  const differences own = differences_of(first, mine);
  MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, comm);
  return cas_agree(rank == 0 ? describe(all, ranks, remedy, err) : CAS_OK, comm, err);
}

cas_status cas_compare_ranks(const char *mine, const char *remedy, MPI_Comm comm, cas_error *err) {
  CAS_CALL(cas_agree(mine ? CAS_OK : cas_no_memory(err), comm, err));
  const uint64_t hash = cas_hash(CAS_HASH_START, mine, strlen(mine));
  uint64_t own[2] = {hash, ~hash}, most[2];
  cas_allreduce(own, most, 2, MPI_UINT64_T, MPI_MAX, comm);
  return most[0] == ~most[1] ? CAS_OK : name_differences(mine, remedy, comm, err);
}
