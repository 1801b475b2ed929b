/* Seals: [data: offset, length]* [sum of a piece of data]* [number of data] [bytes sealed] [FNV-1a]
   [magic], 64-bit words behind the data. Those of earlier files, which have the older magic, know
   no sums: of them the large data are not sealed. */
#include "files/seal.h"
#include "base/hash.h"
#include "base/unchanged.h"
#include "files/io.h"
#include <fcntl.h>

enum { MOST_EXTENTS = 4096, BUFFER = 1 << 16 };

typedef struct {
  uint64_t extents, length, hash, magic;
} tail;

static const uint64_t magic = UINT64_C(0x326c616573736163);         /* "casseal2" */
static const uint64_t earlier_magic = UINT64_C(0x316c616573736163); /* "casseal1" */

struct cas_seal {
  char *path;
  int fd;
  struct stat found; /* when it was opened */
  tail tail;
  cas_extent *data;    /* [tail.extents] */
  int64_t pieces;      /* with sums; 0 without a seal */
  unsigned char *seen; /* [pieces], whether they were checked */
};

/* ---- reading in pieces ---- */

typedef uint64_t take_bytes(uint64_t so_far, uint64_t at, const void *bytes, size_t n);

static uint64_t take_hash(uint64_t so_far, uint64_t at CAS_UNUSED, const void *bytes, size_t n) {
  return cas_hash(so_far, bytes, n);
}

static uint64_t take_sum(uint64_t so_far, uint64_t at, const void *bytes, size_t n) {
  return so_far + cas_hash_sum(at, bytes, n);
}

static bool take_range(int fd, uint64_t from, uint64_t to, take_bytes *take, uint64_t *value) {
  unsigned char buffer[BUFFER];
  while (from < to) {
    size_t n = to - from < BUFFER ? (size_t)(to - from) : BUFFER;
    if (!cas_io_read_at(fd, buffer, n, from))
      return false;
    *value = take(*value, from, buffer, n);
    from += n;
  }
  return true;
}

bool cas_file_sum(int fd, uint64_t from, uint64_t to, uint64_t *sum) {
  return take_range(fd, from, to, take_sum, sum);
}

static int64_t pieces_of(const cas_extent *e) {
  return (int64_t)(e->length / CAS_SEAL_PIECE + (e->length % CAS_SEAL_PIECE > 0));
}

int64_t cas_seal_pieces(int n, const cas_extent *data) {
  int64_t pieces = 0;
  for (int i = 0; i < n; i++)
    pieces += pieces_of(&data[i]);
  return pieces;
}

bool cas_seal_sums(int fd, int n, const cas_extent *data, int64_t first, int64_t last,
                   uint64_t *sum) {
  int64_t number = 0; /* of the first piece of the extent */
  for (int i = 0; i < n; number += pieces_of(&data[i++]))
    for (int64_t k = first > number ? first : number; k < last && k < number + pieces_of(&data[i]);
         k++) {
      uint64_t at = (uint64_t)(k - number) * CAS_SEAL_PIECE, left = data[i].length - at;
      sum[k - first] = 0;
      at += data[i].offset;
      if (!cas_file_sum(fd, at, at + (left < CAS_SEAL_PIECE ? left : CAS_SEAL_PIECE),
                        &sum[k - first]))
        return false;
    }
  return true;
}

/* What is not data, then what the seal says of these. */
static bool hash_file(int fd, const tail *t, const cas_extent *data, uint64_t *hash) {
  uint64_t at = 0;
  *hash = CAS_HASH_START;
  for (uint64_t i = 0; i < t->extents; i++) {
    if (!take_range(fd, at, data[i].offset, take_hash, hash))
      return false;
    at = data[i].offset + data[i].length;
  }
  if (!take_range(fd, at, t->length, take_hash, hash))
    return false;
  *hash = cas_hash(*hash, data, t->extents * sizeof *data);
  *hash = cas_hash(*hash, &t->length, sizeof t->length);
  return true;
}

static bool extents_fit(const tail *t, const cas_extent *data) {
  uint64_t at = 0;
  for (uint64_t i = 0; i < t->extents; i++) {
    if (data[i].offset < at || data[i].offset > t->length || data[i].length % sizeof(uint64_t) ||
        data[i].length > t->length - data[i].offset)
      return false;
    at = data[i].offset + data[i].length;
  }
  return true;
}

/* ---- sealing ---- */

static cas_status seal(int fd, const char *path, int n, const cas_extent *data, const uint64_t *sum,
                       cas_error *err) {
  off_t end = lseek(fd, 0, SEEK_END);
  tail t = {.extents = (uint64_t)n, .length = (uint64_t)end, .magic = magic};
  if (end < 0)
    return cas_file_fail(err, path, "its size is unknown");
  CAS_FAIL_IF(n > MOST_EXTENTS || !extents_fit(&t, data), CAS_INTERNAL,
              "%s: its data do not lie where they should.", path);
  if (!hash_file(fd, &t, data, &t.hash))
    return cas_file_fail(err, path, "cannot be read back");
  size_t bytes = (size_t)cas_seal_pieces(n, data) * sizeof *sum;
  t.hash = cas_hash(t.hash, sum, bytes);
  if (!cas_io_write_all(fd, data, (size_t)n * sizeof *data) || !cas_io_write_all(fd, sum, bytes) ||
      !cas_io_write_all(fd, &t, sizeof t))
    return cas_file_fail(err, path, "cannot be written");
  return CAS_OK;
}

cas_status cas_seal_append(const char *path, int n, const cas_extent *data, const uint64_t *sum,
                           cas_error *err) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be opened");
  cas_status st = seal(fd, path, n, data, sum, err);
  return cas_file_close(fd, path, st, err);
}

/* ---- checking ---- */

static cas_status refuse(const cas_seal *s, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "%s: is damaged: its bytes are not those that casimir wrote.", s->path);
}

static cas_status unreadable(const cas_seal *s, cas_error *err) {
  return cas_file_fail(err, s->path, "cannot be read");
}

static uint64_t sums_begin(const cas_seal *s) {
  return s->tail.length + s->tail.extents * sizeof *s->data;
}

static cas_status check_sealed(cas_seal *s, bool *damaged, cas_error *err) {
  const tail *t = &s->tail;
  uint64_t size = (uint64_t)s->found.st_size, bytes = t->extents * sizeof *s->data, hash = 0;
  *damaged = true;
  if (t->extents > MOST_EXTENTS || t->length > size || bytes + sizeof *t > size - t->length)
    return refuse(s, err);
  if (!(s->data = malloc(bytes + 1))) {
    *damaged = false;
    return cas_no_memory(err);
  }
  if (cas_io_read_at(s->fd, s->data, bytes, t->length)) {
    if (!extents_fit(t, s->data))
      return refuse(s, err);
    if (t->magic == magic)
      s->pieces = cas_seal_pieces((int)t->extents, s->data);
    uint64_t sums = (uint64_t)s->pieces * sizeof hash, from = sums_begin(s);
    if (from + sums + sizeof *t != size)
      return refuse(s, err);
    if (hash_file(s->fd, t, s->data, &hash) &&
        take_range(s->fd, from, from + sums, take_hash, &hash))
      return hash == t->hash ? CAS_OK : refuse(s, err);
  }
  *damaged = false;
  return unreadable(s, err);
}

/* What has no seal is told by its magic. */
static cas_status look(cas_seal *s, bool *damaged, cas_error *err) {
  tail *t = &s->tail;
  if (fstat(s->fd, &s->found))
    return unreadable(s, err);
  uint64_t size = (uint64_t)s->found.st_size;
  if (size < sizeof *t)
    return CAS_OK;
  if (!cas_io_read_at(s->fd, t, sizeof *t, size - sizeof *t))
    return unreadable(s, err);
  return cas_seal_is(s) ? check_sealed(s, damaged, err) : CAS_OK;
}

static cas_status open_seal(const char *path, cas_seal **out, bool *damaged, cas_error *err) {
  cas_seal *s = *out = calloc(1, sizeof *s);
  *damaged = false;
  CAS_NEED(s);
  s->path = strdup(path);
  s->fd = open(path, O_RDONLY | O_CLOEXEC);
  cas_status st = !s->path    ? cas_no_memory(err)
                  : s->fd < 0 ? unreadable(s, err)
                              : look(s, damaged, err);
  if (!st && !(s->seen = calloc((size_t)s->pieces + 1, 1)))
    st = cas_no_memory(err);
  if (st) {
    cas_seal_close(s);
    *out = NULL;
  }
  return st;
}

cas_status cas_seal_open(const char *path, cas_seal **out, cas_error *err) {
  bool damaged;
  return open_seal(path, out, &damaged, err);
}

void cas_seal_close(cas_seal *s) {
  if (!s)
    return;
  if (s->fd >= 0)
    close(s->fd); /* it was only read */
  free(s->path);
  free(s->data);
  free(s->seen);
  free(s);
}

bool cas_seal_is(const cas_seal *s) {
  return s->tail.magic == magic || s->tail.magic == earlier_magic;
}

cas_status cas_seal_unchanged(const cas_seal *s, cas_error *err) {
  struct stat now;
  if (fstat(s->fd, &now))
    return unreadable(s, err);
  CAS_FAIL_IF(!cas_unchanged(&s->found, &now), CAS_FILE_ERROR,
              "%s: was changed while it was in use (its bytes, name, owner or permissions).",
              s->path);
  return CAS_OK;
}

/* An error of the system may show only here. */
static cas_status close_checked(cas_seal *s, cas_status st, cas_error *err) {
  st = cas_file_close(s->fd, s->path, st, err);
  s->fd = -1;
  cas_seal_close(s);
  return st;
}

/* ---- large data ---- */

static cas_status check_piece(cas_seal *s, int64_t piece, cas_error *err) {
  uint64_t sealed, found = 0;
  if (s->seen[piece])
    return CAS_OK;
  if (!cas_io_read_at(s->fd, &sealed, sizeof sealed,
                      sums_begin(s) + (uint64_t)piece * sizeof sealed) ||
      !cas_seal_sums(s->fd, (int)s->tail.extents, s->data, piece, piece + 1, &found))
    return unreadable(s, err);
  if (found != sealed)
    return refuse(s, err);
  s->seen[piece] = 1;
  return CAS_OK;
}

cas_status cas_seal_check_part(cas_seal *s, uint64_t from, uint64_t to, cas_error *err) {
  int64_t number = 0;
  if (s->pieces == 0)
    return CAS_OK;
  for (uint64_t i = 0; i < s->tail.extents; number += pieces_of(&s->data[i++])) {
    const cas_extent *e = &s->data[i];
    uint64_t first = from > e->offset ? from - e->offset : 0, end = e->offset + e->length;
    uint64_t last = from < end ? (to < end ? to : end) : 0;
    for (uint64_t at = first / CAS_SEAL_PIECE * CAS_SEAL_PIECE; e->offset + at < last;
         at += CAS_SEAL_PIECE)
      CAS_CALL(check_piece(s, number + (int64_t)(at / CAS_SEAL_PIECE), err));
  }
  return CAS_OK;
}

cas_status cas_seal_check(const char *path, cas_error *err) {
  cas_seal *s;
  cas_status st = cas_seal_open(path, &s, err);
  if (!st)
    st = cas_seal_check_part(s, 0, UINT64_MAX, err);
  return s ? close_checked(s, st, err) : st;
}

cas_status cas_seal_require(const char *path, size_t *size, bool *damaged, cas_error *err) {
  cas_seal *s;
  CAS_CALL(open_seal(path, &s, damaged, err));
  *size = (size_t)s->tail.length;
  *damaged = !cas_seal_is(s);
  return close_checked(s, *damaged ? refuse(s, err) : CAS_OK, err);
}
