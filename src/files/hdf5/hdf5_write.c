/* Attributes and columns to HDF5 files. */
#include "files/hdf5/hdf5.h"

static hid_t file_type(cas_field_type type) {
  return type == CAS_FIELD_REAL    ? H5T_IEEE_F64LE
         : type == CAS_FIELD_INT64 ? H5T_STD_I64LE
                                   : H5T_STD_I32LE;
}

void cas_h5_put_value(cas_h5 *h, hid_t at, const char *name, hid_t stored, hid_t memory,
                      const void *value) {
  if (h->status)
    return;
  CAS_OWNED_BY(cas_h5_release) hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5I_INVALID_HID;
  if (space < 0 ||
      (attribute = H5Acreate2(at, name, stored, space, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
      H5Awrite(attribute, memory, value) < 0)
    cas_h5_fail(h, "cannot write the attribute '%s'", name);
  cas_h5_close(h, attribute);
}

void cas_h5_put_text(cas_h5 *h, hid_t at, const char *name, const char *text) {
  if (!text)
    return;
  CAS_OWNED_BY(cas_h5_release) hid_t type = cas_h5_text_type(h);
  cas_h5_put_value(h, at, name, type, type, &text);
}

void cas_h5_put_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type,
                          const void *value) {
  if (type == CAS_FIELD_TEXT || type == CAS_FIELD_WORDS)
    cas_h5_put_text(h, at, name, type == CAS_FIELD_TEXT ? *(char *const *)value : value);
  else
    cas_h5_put_value(h, at, name, file_type(type), cas_h5_memory_type(type), value);
}

void cas_h5_describe(cas_h5 *h, hid_t dataset, const char *long_name, const char *units) {
  cas_h5_put_text(h, dataset, "long_name", long_name);
  cas_h5_put_text(h, dataset, "units", units);
}

hid_t cas_h5_put_array(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int rank,
                       const hsize_t *dims, const void *data) {
  const bool is_text = type == CAS_FIELD_TEXT;
  hsize_t bytes = cas_field_size(type);
  for (int i = 0; i < rank; i++)
    bytes *= dims[i];
  /* Compact storage keeps the values in the object header, which HDF5 guards by a checksum. */
  const hsize_t few = 1 << 13;
  CAS_OWNED_BY(cas_h5_release)
  hid_t storage = h->status ? H5I_INVALID_HID : H5Pcreate(H5P_DATASET_CREATE),
        text = is_text ? cas_h5_text_type(h) : H5I_INVALID_HID;
  if (!h->status && (storage < 0 || (bytes <= few && H5Pset_layout(storage, H5D_COMPACT) < 0)))
    cas_h5_fail(h, "cannot prepare a dataset");
  hid_t dataset =
      cas_h5_dataset_create(h, at, name, is_text ? text : file_type(type), rank, dims, storage);
  if (!h->status && H5Dwrite(dataset, is_text ? text : cas_h5_memory_type(type), H5S_ALL, H5S_ALL,
                             cas_h5_transfer(), data) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s'", name);
  return dataset;
}

void cas_h5_put_column(cas_h5 *h, hid_t at, const cas_field *column, int n, const void *data,
                       hid_t scale) {
  const hsize_t dims[1] = {(hsize_t)n};
  hid_t dataset = cas_h5_put_array(h, at, column->name, column->type, n ? 1 : 0, dims, data);
  cas_h5_attach(h, dataset, column->name, 0, scale);
  cas_h5_describe(h, dataset, column->long_name, column->units);
  cas_h5_close(h, dataset);
}

void cas_h5_put_fields(cas_h5 *h, hid_t at, const cas_field *values, const void *base) {
  for (const cas_field *f = values; f && f->name; f++)
    cas_h5_put_attribute(h, at, f->name, f->type, (const char *)base + f->offset);
}
