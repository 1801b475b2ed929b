/* HDF5 identifiers, files and errors: the calls that both writer and reader need. */
#include "files/hdf5/hdf5.h"
#include <stdarg.h>

/* ---- errors ---- */

cas_h5 cas_h5_begin(const char *path, cas_error *err) {
  cas_h5 h = {.path = path, .err = err, .status = CAS_OK};
  if (H5Eget_auto2(H5E_DEFAULT, &h.printer, &h.printer_data) < 0 ||
      H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
    h.status = cas_fail(err, CAS_INTERNAL, "HDF5 cannot be initialised.");
  return h;
}

cas_status cas_h5_end(cas_h5 *h) {
  if (H5Eset_auto2(H5E_DEFAULT, h->printer, h->printer_data) < 0)
    cas_h5_refuse(h, "HDF5 cannot restore its error printing");
  return h->status;
}

enum { REASON = 400 };

static herr_t take_innermost(unsigned n, const H5E_error2_t *e, void *out) {
  if (n == 0)
    snprintf(out, REASON, "%s", e->desc ? e->desc : "");
  return 0;
}

void cas_h5_fail(cas_h5 *h, const char *format, ...) {
  static const char mark[] = "error message = '";
  if (h->status)
    return;
  char what[1000], text[REASON] = "", *why = text;
  if (H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, text) < 0 || !text[0])
    snprintf(text, sizeof text, "HDF5 gives no reason");
  /* Of a failed read or write the system's message, which is what helps: HDF5 tells time,
     descriptor and addresses, too. */
  if (strstr(text, mark)) {
    why = strstr(text, mark) + strlen(mark);
    why[strcspn(why, "'")] = '\0';
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  /* HDF5 has no code of its own for memory, but these words wherever it finds none. */
  const bool no_memory = strstr(why, "memory allocation failed") != NULL;
  h->status = cas_fail(h->err, no_memory ? CAS_NO_MEMORY : CAS_FILE_ERROR, "%s: %s: %s.", h->path,
                       what, why);
}

void cas_h5_refuse(cas_h5 *h, const char *format, ...) {
  if (h->status)
    return;
  char what[1500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  h->status = cas_fail(h->err, CAS_FILE_ERROR, "%s: %s.", h->path, what);
}

void cas_h5_no_memory(cas_h5 *h) {
  if (!h->status)
    h->status = cas_no_memory(h->err);
}

/* ---- files ---- */

void cas_h5_close(cas_h5 *h, hid_t id) {
  if (id >= 0 && H5Idec_ref(id) < 0)
    cas_h5_fail(h, "cannot close an object of the file");
}

void cas_h5_close_file(cas_h5 *h, hid_t file) {
  if (file >= 0 && H5Fclose(file) < 0)
    cas_h5_fail(h, "cannot close the file");
}

hid_t cas_h5_access(cas_h5 *h) {
  if (h->status)
    return H5I_INVALID_HID;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0 || H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
      H5Pset_file_locking(access, false, true) < 0)
    cas_h5_fail(h, "cannot prepare the access to the file");
  return access;
}

hid_t cas_h5_create(cas_h5 *h, hid_t access) {
  if (h->status)
    return H5I_INVALID_HID;
  CAS_OWNED_BY(cas_h5_release) hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = H5I_INVALID_HID;
  if (creation < 0 || H5Pset_obj_track_times(creation, false) < 0 ||
      (file = H5Fcreate(h->path, H5F_ACC_TRUNC, creation, access)) < 0)
    cas_h5_fail(h, "cannot create the file");
  return file;
}

hid_t cas_h5_open(cas_h5 *h, unsigned mode) {
  CAS_OWNED_BY(cas_h5_release) hid_t access = cas_h5_access(h);
  hid_t file = H5I_INVALID_HID;
  if (!h->status && (file = H5Fopen(h->path, mode, access)) < 0)
    cas_h5_fail(h, "HDF5 cannot open the file");
  return file;
}

/* ---- what lies in the file ---- */

typedef struct {
  char file[200], object[200];
  bool met;
} way_out;

/* Is asked before a link to another file is followed, and refuses. */
static herr_t note_way_out(const char *parent_file CAS_UNUSED, const char *parent CAS_UNUSED,
                           const char *file, const char *object, unsigned *flags CAS_UNUSED,
                           hid_t access CAS_UNUSED, void *data) {
  way_out *w = data;
  w->met = true;
  snprintf(w->file, sizeof w->file, "%s", file);
  snprintf(w->object, sizeof w->object, "%s", object);
  return -1;
}

hid_t cas_h5_object_open(cas_h5 *h, hid_t at, const char *name) {
  way_out w = {.met = false};
  if (h->status)
    return H5I_INVALID_HID;
  CAS_OWNED_BY(cas_h5_release) hid_t access = H5Pcreate(H5P_LINK_ACCESS);
  if (access < 0 || H5Pset_elink_cb(access, note_way_out, &w) < 0)
    cas_h5_fail(h, "cannot prepare to open '%s'", name);
  hid_t object = h->status ? H5I_INVALID_HID : H5Oopen(at, name, access);
  if (w.met)
    cas_h5_refuse(h,
                  "the name '%s' leads to '%s' of another file, '%s', whose changes could not be "
                  "detected. Name that file, or copy the object into this one",
                  name, w.object, w.file);
  else if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
    CAS_OWNED_BY(cas_h5_release) hid_t creation = H5Dget_create_plist(object);
    const bool is_virtual = H5Pget_layout(creation) == H5D_VIRTUAL;
    if (is_virtual || H5Pget_external_count(creation) > 0)
      cas_h5_refuse(
          h,
          "the dataset '%s' is %s: its numbers are in other files, and missing ones could "
          "not be detected. Copy them into an ordinary dataset",
          name, is_virtual ? "virtual" : "stored externally");
  }
  if (!h->status)
    return object;
  cas_h5_close(h, object);
  return H5I_INVALID_HID;
}

/* ---- types, groups, datasets ---- */

hid_t cas_h5_memory_type(cas_field_type type) {
  return type == CAS_FIELD_REAL    ? H5T_NATIVE_DOUBLE
         : type == CAS_FIELD_INT64 ? H5T_NATIVE_INT64
                                   : H5T_NATIVE_INT;
}

hid_t cas_h5_text_type(cas_h5 *h) {
  if (h->status)
    return H5I_INVALID_HID;
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)
    cas_h5_fail(h, "cannot make a string type");
  return type;
}

hid_t cas_h5_transfer(void) {
  static hid_t small = H5I_INVALID_HID; /* which HDF5 frees at the end */
  if (small < 0 && (small = H5Pcreate(H5P_DATASET_XFER)) >= 0)
    (void)H5Pset_buffer(small, 1 << 14, NULL, NULL);
  return small < 0 ? H5P_DEFAULT : small;
}

hid_t cas_h5_complex_type(cas_h5 *h) {
  hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  if (pair < 0 || H5Tinsert(pair, "r", 0, H5T_NATIVE_DOUBLE) < 0 ||
      H5Tinsert(pair, "i", sizeof(double), H5T_NATIVE_DOUBLE) < 0)
    cas_h5_fail(h, "cannot make the type of complex numbers");
  return pair;
}

static bool is_float_member(hid_t type, const char *name) {
  int i = H5Tget_member_index(type, name);
  return i >= 0 && H5Tget_member_class(type, (unsigned)i) == H5T_FLOAT;
}

bool cas_h5_is_complex(hid_t type) {
  return H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2 &&
         is_float_member(type, "r") && is_float_member(type, "i");
}

hid_t cas_h5_complex_file_type(cas_h5 *h, hid_t at) {
  static const char name[] = "/complex";
  if (h->status)
    return H5I_INVALID_HID;
  if (H5Lexists(at, name, H5P_DEFAULT) > 0)
    return H5Topen2(at, name, H5P_DEFAULT);
  CAS_OWNED_BY(cas_h5_release) hid_t creation = H5Pcreate(H5P_DATATYPE_CREATE);
  hid_t pair = cas_h5_complex_type(h);
  if (creation < 0 || H5Pset_obj_track_times(creation, false) < 0 ||
      H5Tcommit2(at, name, pair, H5P_DEFAULT, creation, H5P_DEFAULT) < 0)
    cas_h5_fail(h, "cannot name the type of complex numbers");
  return pair;
}

hid_t cas_h5_group_create(cas_h5 *h, hid_t at, const char *name) {
  if (h->status)
    return H5I_INVALID_HID;
  CAS_OWNED_BY(cas_h5_release) hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  hid_t group = H5I_INVALID_HID;
  if (creation < 0 || H5Pset_obj_track_times(creation, false) < 0 ||
      H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0 ||
      (group = H5Gcreate2(at, name, H5P_DEFAULT, creation, H5P_DEFAULT)) < 0)
    cas_h5_fail(h, "cannot create the group '%s'", name);
  return group;
}

hid_t cas_h5_group_open(cas_h5 *h, hid_t at, const char *name) {
  if (h->status)
    return H5I_INVALID_HID;
  htri_t there = H5Lexists(at, name, H5P_DEFAULT);
  if (there == 0)
    return H5I_INVALID_HID;
  hid_t group = there > 0 ? cas_h5_object_open(h, at, name) : H5I_INVALID_HID;
  if (group >= 0 && H5Iget_type(group) != H5I_GROUP) {
    cas_h5_close(h, group);
    group = H5I_INVALID_HID;
  }
  if (group < 0 && !h->status)
    cas_h5_fail(h, "cannot open the group '%s'", name);
  return group;
}

hid_t cas_h5_group_at(cas_h5 *h, hid_t at, const char *name) {
  hid_t group = cas_h5_group_open(h, at, name);
  return group < 0 ? cas_h5_group_create(h, at, name) : group;
}

bool cas_h5_is_group(cas_h5 *h, hid_t at, const char *name) {
  CAS_OWNED_BY(cas_h5_release) hid_t object = cas_h5_object_open(h, at, name);
  return object >= 0 && H5Iget_type(object) == H5I_GROUP;
}

bool cas_h5_has_dataset(cas_h5 *h, hid_t at, const char *name) {
  return !h->status && H5Lexists(at, name, H5P_DEFAULT) > 0;
}

hid_t cas_h5_dataset_create(cas_h5 *h, hid_t at, const char *name, hid_t type, int rank,
                            const hsize_t *dims, hid_t creation) {
  if (h->status)
    return H5I_INVALID_HID;
  CAS_OWNED_BY(cas_h5_release)
  hid_t list = creation == H5P_DEFAULT ? H5Pcreate(H5P_DATASET_CREATE) : H5Pcopy(creation);
  CAS_OWNED_BY(cas_h5_release)
  hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t dataset = H5I_INVALID_HID;
  if (list < 0 || space < 0 || H5Pset_obj_track_times(list, false) < 0 ||
      (dataset = H5Dcreate2(at, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT)) < 0)
    cas_h5_fail(h, "cannot create the dataset '%s'", name);
  return dataset;
}

bool cas_h5_has_attribute(cas_h5 *h, hid_t at, const char *name) {
  if (h->status)
    return false;
  htri_t there = H5Aexists(at, name);
  if (there < 0)
    cas_h5_fail(h, "cannot look for the attribute '%s'", name);
  return there > 0;
}

/* HDF5 asks MPI to be told of its end only if MPI is there already. Without a handler at the exit
   of the program it does not write what it could not write before. */
void cas_hdf5_begin(void) {
  (void)!H5dont_atexit();
  (void)!H5open();
}
