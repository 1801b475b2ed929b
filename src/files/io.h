/* Reads and writes of a file that are done whole, and the failures of the system in words. */
#ifndef CAS_IO_H
#define CAS_IO_H

#include "base/owned.h"

#include <casimir/status.h>

/** Writes all bytes, from where the descriptor is; false with errno. */
bool cas_io_write_all(int fd, const void *bytes, size_t size);
/** Writes all bytes at an offset; false with errno. */
bool cas_io_write_at(int fd, const void *bytes, size_t size, uint64_t offset);
/** Reads exactly `size` bytes; false with errno, EIO where the file ends before. */
bool cas_io_read_at(int fd, void *bytes, size_t size, uint64_t offset);
/** Fails with "<path>: <what>: <the system's reason>.", as errno has it. */
cas_status cas_file_fail(cas_error *err, const char *path, const char *what);
/** Closes a file; returns `st`, or the failure to close where that is CAS_OK. */
cas_status cas_file_close(int fd, const char *path, cas_status st, cas_error *err) CAS_MUST_CHECK;

#endif
