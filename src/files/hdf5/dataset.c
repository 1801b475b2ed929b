/* Datasets of any HDF5 file as arrays of doubles, and what datasets a file has. */
#include "files/hdf5/dataset.h"
#include "files/hdf5/hdf5.h"

enum { MOST_DIMENSIONS = 4, LARGEST_NUMBER = 16 /* bytes */ };

/* ---- a missing dataset is answered by the names of the others ---- */

enum { LISTING = 700 }; /* bytes */

static bool is_dataset(cas_h5 *h, hid_t file, const char *name) {
  CAS_OWNED_BY(cas_h5_release) hid_t object = cas_h5_object_open(h, file, name);
  return object >= 0 && H5Iget_type(object) == H5I_DATASET && !h->status;
}

/* Whether the file has a dataset of this name which can be read; what is refused is passed over. */
static bool lists_dataset(hid_t file, const char *name) {
  cas_error ignored = {0};
  return is_dataset(&(cas_h5){.path = "", .err = &ignored}, file, name);
}

static herr_t take_dataset(hid_t file, const char *name, const H5L_info_t *info CAS_UNUSED,
                           void *data) {
  char *text = data;
  if (!lists_dataset(file, name))
    return 0;
  const bool full = strlen(text) + strlen(name) + sizeof ", ..., " > LISTING;
  cas_append(text, LISTING, "%s%s", *text ? ", " : "", full ? "..." : name);
  return full;
}

/* ---- types ---- */

static const char *class_text(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_STRING:
    return "text";
  case H5T_COMPOUND:
    return "a compound other than (r, i)";
  case H5T_REFERENCE:
    return "references";
  case H5T_ENUM:
    return "an enumeration";
  case H5T_ARRAY:
  case H5T_VLEN:
    return "arrays of their own";
  default:
    return "no numbers";
  }
}

static void check_type(cas_h5 *h, hid_t dataset, const char *name, bool *is_complex) {
  if (h->status)
    return;
  CAS_OWNED_BY(cas_h5_release) hid_t type = H5Dget_type(dataset);
  H5T_class_t class = H5Tget_class(type);
  *is_complex = cas_h5_is_complex(type);
  if (type < 0)
    cas_h5_fail(h, "cannot read the type of the dataset '%s'", name);
  else if (!*is_complex && class != H5T_FLOAT && class != H5T_INTEGER)
    cas_h5_refuse(h, "the dataset '%s' holds %s; real or complex (r, i) numbers are needed", name,
                  class_text(type));
  else if (H5Tget_size(type) > 2 * LARGEST_NUMBER)
    cas_h5_refuse(h, "the dataset '%s' holds numbers of %zu bytes", name, H5Tget_size(type));
}

/* ---- shape ---- */

static void check_shape(cas_h5 *h, hid_t dataset, const char *name, int *rank, int64_t dims[4]) {
  if (h->status)
    return;
  hsize_t extent[H5S_MAX_RANK];
  CAS_OWNED_BY(cas_h5_release) hid_t space = H5Dget_space(dataset);
  int n = *rank = H5Sget_simple_extent_ndims(space);
  if (n < 0 || H5Sget_simple_extent_dims(space, extent, NULL) < 0)
    cas_h5_fail(h, "cannot read the shape of the dataset '%s'", name);
  else if (H5Sget_simple_extent_type(space) == H5S_NULL)
    cas_h5_refuse(h, "the dataset '%s' is empty", name);
  else if (n > MOST_DIMENSIONS)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions; at most %d can be read", name, n,
                  MOST_DIMENSIONS);
  for (int i = 0; i < n && !h->status; i++)
    dims[i] = (int64_t)extent[i];
}

/* Number of doubles, at least 1 to have something to free; 0 if no memory can hold them. */
static size_t count_of(int rank, const int64_t dims[4], bool is_complex) {
  size_t n = is_complex ? 2 : 1, most = PTRDIFF_MAX / sizeof(double);
  for (int i = 0; i < rank; i++) {
    if (dims[i] == 0)
      return 1;
    if (dims[i] < 0 || (uint64_t)dims[i] > most / n)
      return 0;
    n *= (size_t)dims[i];
  }
  return n;
}

/* HDF5 would read numbers that were never written as zeros. */
static void check_written(cas_h5 *h, hid_t dataset, const char *name, int rank,
                          const int64_t dims[4]) {
  H5D_space_status_t status;
  if (h->status)
    return;
  CAS_OWNED_BY(cas_h5_release) hid_t creation = H5Dget_create_plist(dataset);
  H5D_layout_t layout = H5Pget_layout(creation);
  for (int i = 0; i < rank; i++)
    if (dims[i] == 0)
      return;
  if (layout < 0 || H5Dget_space_status(dataset, &status) < 0)
    cas_h5_fail(h, "cannot read how the dataset '%s' is stored", name);
  else if (layout == H5D_CHUNKED) {
    hsize_t chunk[H5S_MAX_RANK], there = 0, needed = 1;
    CAS_OWNED_BY(cas_h5_release) hid_t space = H5Dget_space(dataset);
    if (H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != rank ||
        H5Dget_num_chunks(dataset, space, &there) < 0)
      cas_h5_fail(h, "cannot find the chunks of the dataset '%s'", name);
    for (int i = 0; i < rank && !h->status; i++)
      needed *= ((hsize_t)dims[i] + chunk[i] - 1) / chunk[i];
    if (!h->status && there < needed)
      cas_h5_refuse(h, "of the dataset '%s' %llu of %llu chunks were never written", name,
                    (unsigned long long)(needed - there), (unsigned long long)needed);
  } else if (layout == H5D_CONTIGUOUS && status == H5D_SPACE_STATUS_NOT_ALLOCATED)
    cas_h5_refuse(h, "the dataset '%s' was never written", name);
}

/* ---- an open dataset ---- */

struct cas_dataset_source {
  char *file, *name;
  hid_t h5, dataset;
  cas_seal *seal;
};

enum { CHUNK_CACHE = 1 << 24 }; /* bytes; neighbouring parts are often in the same chunks */

static hid_t open_dataset(cas_h5 *h, hid_t file, const char *name) {
  if (!name[0] || !is_dataset(h, file, name)) {
    char others[LISTING] = "";
    if (h->status)
      return H5I_INVALID_HID;
    if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take_dataset, others) < 0 || !*others)
      cas_h5_refuse(h, "has no dataset '%s', nor any other that can be listed", name);
    else
      cas_h5_refuse(h, "has no dataset '%s'; it has %s", name, others);
    return H5I_INVALID_HID;
  }
  CAS_OWNED_BY(cas_h5_release) hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  if (access < 0 || H5Pset_chunk_cache(access, 12421, CHUNK_CACHE, H5D_CHUNK_CACHE_W0_DEFAULT) < 0)
    cas_h5_fail(h, "cannot prepare the access to the dataset '%s'", name);
  hid_t dataset = h->status ? H5I_INVALID_HID : H5Dopen2(file, name, access);
  if (!h->status && dataset < 0)
    cas_h5_fail(h, "cannot open the dataset '%s'", name);
  return dataset;
}

void cas_dataset_close(cas_open_dataset *d) {
  struct cas_dataset_source *s = d->source;
  if (s) {
    if (s->dataset >= 0)
      H5Dclose(s->dataset); /* it was only read */
    if (s->h5 >= 0)
      H5Fclose(s->h5);
    cas_seal_close(s->seal);
    free(s->file);
    free(s->name);
    free(s);
  }
  *d = (cas_open_dataset){0};
}

cas_status cas_dataset_open(const char *file, const char *name, cas_open_dataset *out,
                            cas_error *err) {
  *out = (cas_open_dataset){0};
  struct cas_dataset_source *s = out->source = calloc(1, sizeof *s);
  CAS_FAIL_IF(!s, CAS_NO_MEMORY, "%s: no memory for the dataset '%s'.", file, name);
  *s = (struct cas_dataset_source){strdup(file), strdup(name), H5I_INVALID_HID, H5I_INVALID_HID,
                                   NULL};
  cas_h5 h = cas_h5_begin(file, err);
  if (!s->file || !s->name)
    h.status = cas_fail(err, CAS_NO_MEMORY, "%s: no memory for the dataset '%s'.", file, name);
  s->h5 = cas_h5_open_sealed(&h, &s->seal);
  s->dataset = open_dataset(&h, s->h5, name);
  check_type(&h, s->dataset, name, &out->shape.is_complex);
  check_shape(&h, s->dataset, name, &out->shape.rank, out->shape.dims);
  check_written(&h, s->dataset, name, out->shape.rank, out->shape.dims);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_dataset_close(out);
  return st;
}

/* ---- reading a part ---- */

/* A part consists of runs of bytes, up to the axis behind which all are read whole. Looks each run
   up in the seal. */
static cas_status check_runs(const cas_open_dataset *d, uint64_t start, uint64_t element,
                             const int64_t *first, const int64_t *count, cas_error *err) {
  int64_t at[MOST_DIMENSIONS] = {0};
  int axis = d->shape.rank - 1;
  while (axis > 0 && count[axis] == d->shape.dims[axis])
    axis--;
  uint64_t run = element;
  for (int i = axis < 0 ? 0 : axis; i < d->shape.rank; i++)
    run *= (uint64_t)count[i];
  for (;;) {
    uint64_t number = 0;
    for (int i = 0; i < d->shape.rank; i++)
      number = number * (uint64_t)d->shape.dims[i] + (uint64_t)(first[i] + at[i]);
    uint64_t from = start + number * element;
    cas_status st = cas_seal_check_part(d->source->seal, from, from + run, err);
    int i = axis - 1;
    while (i >= 0 && ++at[i] == count[i])
      at[i--] = 0;
    if (st || i < 0)
      return st;
  }
}

static void read_part(cas_h5 *h, const cas_open_dataset *d, const int64_t *first,
                      const int64_t *count, double *values) {
  hsize_t start[MOST_DIMENSIONS] = {0}, extent[MOST_DIMENSIONS] = {0};
  for (int i = 0; i < d->shape.rank; i++) {
    start[i] = (hsize_t)first[i];
    extent[i] = (hsize_t)count[i];
  }
  CAS_OWNED_BY(cas_h5_release) hid_t from = H5Dget_space(d->source->dataset);
  CAS_OWNED_BY(cas_h5_release) hid_t to = H5Screate_simple(d->shape.rank, extent, NULL);
  CAS_OWNED_BY(cas_h5_release)
  hid_t pair = d->shape.is_complex ? cas_h5_complex_type(h) : H5I_INVALID_HID;
  if (from < 0 || to < 0 ||
      (d->shape.rank && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, extent, NULL) < 0))
    cas_h5_fail(h, "cannot select a part of the dataset '%s'", d->source->name);
  else if (!h->status && H5Dread(d->source->dataset, pair >= 0 ? pair : H5T_NATIVE_DOUBLE, to, from,
                                 H5P_DEFAULT, values) < 0)
    cas_h5_fail(h, "cannot read the dataset '%s'", d->source->name);
}

cas_status cas_dataset_read_part(const cas_open_dataset *d, const int64_t *first,
                                 const int64_t *count, double *values, cas_error *err) {
  for (int i = 0; i < d->shape.rank; i++)
    if (count[i] == 0)
      return CAS_OK;
  cas_h5 h = cas_h5_begin(d->source->file, err);
  const haddr_t start = H5Dget_offset(d->source->dataset);
  /* Only data in one piece are large enough to be sealed by themselves. */
  if (!h.status && start != HADDR_UNDEF) {
    CAS_OWNED_BY(cas_h5_release) hid_t type = H5Dget_type(d->source->dataset);
    h.status = check_runs(d, start, H5Tget_size(type), first, count, err);
  }
  if (!h.status)
    read_part(&h, d, first, count, values);
  cas_status st = cas_h5_end(&h);
  return st ? st : cas_seal_unchanged(d->source->seal, err);
}

/* ---- at once ---- */

cas_status cas_dataset_read(const char *file, const char *dataset, int64_t first, int64_t count,
                            int *rank, int64_t dims[4], bool *is_complex, double **values,
                            cas_error *err) {
  CAS_OWNED_BY(cas_dataset_close) cas_open_dataset d;
  CAS_OWNED double *numbers = NULL;
  const int64_t from[MOST_DIMENSIONS] = {count < 0 ? 0 : first};
  *values = NULL;
  cas_status st = cas_dataset_open(file, dataset, &d, err);
  *rank = d.shape.rank;
  *is_complex = d.shape.is_complex;
  memcpy(dims, d.shape.dims, sizeof d.shape.dims);
  if (count >= 0)
    dims[0] = count;
  CAS_CALL(st);
  const int64_t records = d.shape.dims[0]; /* 0 of a single number */
  CAS_FAIL_IF(count >= 0 && (!*rank || first < 0 || first > records || count > records - first),
              CAS_FILE_ERROR,
              "%s: the dataset '%s' has %lld records; %lld from number %lld on are wanted.", file,
              dataset, (long long)records, (long long)count, (long long)first);
  const size_t n = count_of(*rank, dims, *is_complex);
  numbers = n ? malloc(n * sizeof *numbers) : NULL;
  CAS_FAIL_IF(!numbers, CAS_NO_MEMORY, "%s: no memory for the dataset '%s'.", file, dataset);
  CAS_CALL(cas_dataset_read_part(&d, from, dims, numbers, err));
  *values = numbers;
  numbers = NULL;
  return CAS_OK;
}

/* ---- what a file holds ---- */

typedef struct {
  cas_h5 *h;
  cas_contents *contents;
} catalogue;

/* Adds a dataset to the contents, but for text and for more dimensions than can be read. */
static void keep(cas_h5 *h, hid_t dataset, const char *name, cas_contents *c) {
  cas_dataset d = {0};
  cas_error ignored = {0};
  cas_h5 trial = {.path = "", .err = &ignored};
  check_type(&trial, dataset, "", &d.is_complex);
  check_shape(&trial, dataset, "", &d.rank, d.dims);
  if (trial.status)
    return;
  if (!cas_owned_resize(&c->dataset, c->n + 1, sizeof d) || asprintf(&d.name, "/%s", name) < 0) {
    cas_h5_no_memory(h);
    return;
  }
  cas_h5_get_attribute(h, dataset, "long_name", CAS_FIELD_TEXT, &d.long_name);
  cas_h5_get_attribute(h, dataset, "units", CAS_FIELD_TEXT, &d.units);
  cas_h5_get_attribute(h, dataset, "components", CAS_FIELD_TEXT, &d.components);
  c->dataset[c->n++] = d;
}

static herr_t list_dataset(hid_t file, const char *name, const H5L_info_t *info CAS_UNUSED,
                           void *data) {
  catalogue *c = data;
  if (!lists_dataset(file, name))
    return 0;
  CAS_OWNED_BY(cas_h5_release) hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  if (dataset < 0)
    cas_h5_fail(c->h, "cannot open the dataset '%s'", name);
  else
    keep(c->h, dataset, name, c->contents);
  return c->h->status ? 1 : 0;
}

cas_status cas_contents_read(const char *file, cas_contents *out, cas_error *err) {
  *out = (cas_contents){0};
  cas_h5 h = cas_h5_begin(file, err);
  hid_t f = cas_h5_open_checked(&h);
  catalogue c = {&h, out};
  if (!h.status && H5Lvisit(f, H5_INDEX_NAME, H5_ITER_INC, list_dataset, &c) < 0)
    cas_h5_fail(&h, "its contents cannot be listed");
  cas_h5_close_file(&h, f);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_contents_free(out);
  return st;
}

void cas_contents_free(cas_contents *c) {
  for (int i = 0; i < c->n; i++) {
    free(c->dataset[i].name);
    free(c->dataset[i].long_name);
    free(c->dataset[i].units);
    free(c->dataset[i].components);
  }
  free(c->dataset);
  *c = (cas_contents){0};
}

const cas_dataset *cas_contents_find(const cas_contents *c, const char *name) {
  for (int i = 0; i < c->n; i++)
    if (strcmp(c->dataset[i].name, name) == 0)
      return &c->dataset[i];
  return NULL;
}
