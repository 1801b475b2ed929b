/* Opening files for reading: what nothing vouches for is refused, or tried first. */
#include "files/hdf5/hdf5.h"
#include "files/safe_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* If the file cannot be opened at all, the system's reason, which HDF5 hides. */
static cas_status check_is_hdf5(const char *path, cas_error *err) {
  struct stat s;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is not waited for */
  if (fd < 0 && errno == ENOENT) {
    /* A run that has not ended has a checkpoint beside the file that it will write. */
    CAS_OWNED char *checkpoint = cas_file_beside(path, ".checkpoint");
    const bool there = checkpoint && access(checkpoint, R_OK) == 0;
    return cas_fail(err, CAS_BAD_INPUT, "%s: there is no such file%s%s.", path,
                    there ? ", as its run has not ended; what it has so far: casimir report " : "",
                    there ? checkpoint : "");
  }
  if (fd < 0 || fstat(fd, &s) || close(fd))
    return cas_file_fail(err, path, "cannot be read");
  CAS_FAIL_IF(!S_ISREG(s.st_mode), CAS_FILE_ERROR, "%s: is no regular file.", path);
  htri_t is = H5Fis_hdf5(path);
  CAS_FAIL_IF(is == 0, CAS_FILE_ERROR, "%s: is not an HDF5 file.", path);
  return is > 0 ? CAS_OK : cas_fail(err, CAS_FILE_ERROR, "%s: HDF5 cannot read it.", path);
}

/* ---- files that nothing vouches for ---- */

/* Exit statuses of a trial, which a crash does not have, and how long it may take. OTHER: HDF5
   reads the file, or refuses it, and it is not casimir's; CASIMIR: it reads it, and it has the root
   attribute of casimir's files. */
enum { OTHER = 40, CASIMIR, CRASHED, SECONDS = 60 };

static herr_t look_at_attribute(hid_t at, const char *name, const H5A_info_t *info CAS_UNUSED,
                                void *data CAS_UNUSED) {
  hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
  H5Tclose(H5Aget_type(attribute));
  H5Sclose(H5Aget_space(attribute));
  H5Aclose(attribute);
  return 0;
}

/* The first or the last number; conversions that fail do no harm. */
static void read_number(hid_t dataset, hid_t space, bool last) {
  hsize_t extent[H5S_MAX_RANK], at[H5S_MAX_RANK] = {0};
  double pair[2];
  cas_error ignored = {0};
  cas_h5 h = {.err = &ignored};
  int rank = H5Sget_simple_extent_dims(space, extent, NULL);
  for (int i = 0; i < rank; i++)
    at[i] = last ? extent[i] - 1 : 0;
  if (rank < 1 || H5Sselect_elements(space, H5S_SELECT_SET, 1, at) < 0)
    return;
  hid_t one = H5Screate(H5S_SCALAR), complex = cas_h5_complex_type(&h);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, pair) < 0)
    (void)!H5Dread(dataset, complex, one, space, H5P_DEFAULT, pair);
  H5Tclose(complex);
  H5Sclose(one);
}

/* What cannot be opened is refused later by whoever asks for it. */
static herr_t look_at_object(hid_t file, const char *name, const H5O_info_t *info CAS_UNUSED,
                             void *data CAS_UNUSED) {
  hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  if (object < 0)
    return 0;
  if (H5Iget_type(object) == H5I_DATASET) {
    hid_t creation = H5Dget_create_plist(object), space = H5Dget_space(object);
    hsize_t chunks;
    H5Tclose(H5Dget_type(object));
    if (H5Pget_layout(creation) == H5D_CHUNKED)
      (void)!H5Dget_num_chunks(object, space, &chunks);
    (void)!H5Dget_storage_size(object);
    read_number(object, space, false);
    read_number(object, space, true);
    H5Sclose(space);
    H5Pclose(creation);
  }
  (void)!H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, look_at_attribute, NULL);
  H5Oclose(object);
  return 0;
}

static bool is_casimir(const char *path) {
  cas_error ignored = {0};
  cas_h5 h = cas_h5_begin(path, &ignored);
  hid_t file = cas_h5_open(&h, H5F_ACC_RDONLY);
  if (file < 0)
    return false;
  bool is = cas_h5_has_attribute(&h, file, "casimir_version");
  (void)!H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, look_at_object, NULL, H5O_INFO_BASIC);
  cas_h5_close_file(&h, file);
  return is;
}

/* Opens the file and all that is in it in a process of its own, because HDF5 may crash on damaged
   metadata. Of the numbers of a dataset the first and the last are read. Where no process can be
   had, nothing is found. */
static int try_to_read(const char *path) {
  int status = 0;
  pid_t ended, child = fork();
  if (child == 0) {
    /* A crash is the child's alone: no word of it, no core, no handler of the parent's. */
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    const struct rlimit none = {0, 0}, time = {SECONDS, SECONDS};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
      signal(signals[i], SIG_DFL);
    if (null >= 0) {
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
    }
    (void)!setrlimit(RLIMIT_CORE, &none);
    (void)!setrlimit(RLIMIT_CPU, &time);
    _exit(is_casimir(path) ? CASIMIR : OTHER);
  }
  do
    ended = child < 0 ? child : waitpid(child, &status, 0);
  while (ended < 0 && child > 0 && errno == EINTR);
  if (ended < 0)
    return OTHER;
  return WIFEXITED(status) && (WEXITSTATUS(status) == CASIMIR || WEXITSTATUS(status) == OTHER)
             ? WEXITSTATUS(status)
             : CRASHED;
}

static bool unsealed_accepted;

void cas_unsealed_accept(bool accept) { unsealed_accepted = accept; }

hid_t cas_h5_open_sealed(cas_h5 *h, cas_seal **seal) {
  *seal = NULL;
  if (!h->status)
    h->status = check_is_hdf5(h->path, h->err);
  if (!h->status)
    h->status = cas_seal_open(h->path, seal, h->err);
  /* Other programs write files without a seal. */
  const int found = h->status || cas_seal_is(*seal) ? OTHER : try_to_read(h->path);
  if (found == CRASHED)
    cas_h5_refuse(h, "is damaged: a trial to read it with HDF5 did not come to an end");
  if (found == CASIMIR && !unsealed_accepted)
    cas_h5_refuse(h, "was written by casimir, and its seal is missing: the file was truncated or "
                     "changed. --unsealed reads it nevertheless, without this check");
  return h->status ? H5I_INVALID_HID : cas_h5_open(h, H5F_ACC_RDONLY);
}

hid_t cas_h5_open_checked(cas_h5 *h) {
  cas_seal *seal;
  hid_t file = cas_h5_open_sealed(h, &seal);
  cas_seal_close(seal);
  return file;
}
