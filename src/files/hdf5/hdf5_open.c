/* Opening files for reading: what nothing vouches for is refused, or tried first. */
#include "files/hdf5/hdf5.h"
#include "files/hdf5/probe.h"
#include "files/io.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run that has not ended has a checkpoint beside the file that it will write. */
static cas_status no_such_file(const char *path, cas_error *err) {
  char *checkpoint;
  const bool named = asprintf(&checkpoint, "%s.checkpoint", path) >= 0,
             there = named && access(checkpoint, R_OK) == 0;
  cas_fail(err, CAS_BAD_INPUT, "%s: there is no such file%s%s%s.", path,
           there ? ", as its run has not ended; what it has so far: casimir report " : "",
           there ? path : "", there ? ".checkpoint" : "");
  if (named)
    free(checkpoint);
  return CAS_BAD_INPUT;
}

/* If the file cannot be opened at all, the system's reason, which HDF5 hides. */
static cas_status check_is_hdf5(const char *path, cas_error *err) {
  struct stat s;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is not waited for */
  if (fd < 0 || fstat(fd, &s) || close(fd))
    return errno == ENOENT ? no_such_file(path, err) : cas_file_fail(err, path, "cannot be read");
  CAS_FAIL_IF(!S_ISREG(s.st_mode), CAS_FILE_ERROR, "%s: is no regular file.", path);
  htri_t is = H5Fis_hdf5(path);
  CAS_FAIL_IF(is == 0, CAS_FILE_ERROR, "%s: is not an HDF5 file.", path);
  return is > 0 ? CAS_OK : cas_fail(err, CAS_FILE_ERROR, "%s: HDF5 cannot read it.", path);
}

static bool unsealed_accepted;

void cas_unsealed_accept(bool accept) { unsealed_accepted = accept; }

/* Checks a file without a seal, as other programs write them. */
static cas_status check_unsealed(const char *path, cas_error *err) {
  cas_probe_result found = cas_probe(path);
  CAS_FAIL_IF(found == CAS_PROBE_CRASHED, CAS_FILE_ERROR,
              "%s: is damaged: a trial to read it with HDF5 did not come to an end.", path);
  CAS_FAIL_IF(found == CAS_PROBE_CASIMIR && !unsealed_accepted, CAS_FILE_ERROR,
              "%s: was written by casimir, and its seal is missing: the file was truncated "
              "or changed. --unsealed reads it nevertheless, without this check.",
              path);
  return CAS_OK;
}

hid_t cas_h5_open_sealed(cas_h5 *h, cas_seal **seal) {
  *seal = NULL;
  if (!h->status)
    h->status = check_is_hdf5(h->path, h->err);
  if (!h->status)
    h->status = cas_seal_open(h->path, seal, h->err);
  if (!h->status && !cas_seal_is(*seal))
    h->status = check_unsealed(h->path, h->err);
  return h->status ? H5I_INVALID_HID : cas_h5_open(h, H5F_ACC_RDONLY);
}

hid_t cas_h5_open_checked(cas_h5 *h) {
  cas_seal *seal;
  hid_t file = cas_h5_open_sealed(h, &seal);
  cas_seal_close(seal);
  return file;
}
