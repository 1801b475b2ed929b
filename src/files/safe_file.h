/* Files that are whole or not there, and where they may be. */
#ifndef CAS_SAFE_FILE_H
#define CAS_SAFE_FILE_H

#include "files/io.h"
#include "files/leftover.h"

/** "<path><ending>"; and "<path>.tmp", to be renamed over `path`. NULL without memory. Caller
    frees. */
char *cas_file_beside(const char *path, const char *ending);
char *cas_file_temporary_name(const char *path);
/** The name of the file that is meant by `name`: where that is a symbolic link, what it leads to,
    whether or not that exists. The caller frees; NULL without memory. */
char *cas_file_link_target(const char *name);
/** Refuses a name under which no file can be put, by writing one beside it. */
cas_status cas_file_probe(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Creates a file with these bytes, in the place of what a run has left there and of nothing else.
    It is as private as `like`, which it is to replace, if that is there. After a failure no file of
    the caller's is there. */
cas_status cas_file_write(const char *path, cas_leftover kind, const char *like, const void *bytes,
                          size_t size, cas_error *err) CAS_MUST_CHECK;
/** Appends to a file that exists. */
cas_status cas_file_append(const char *path, const void *bytes, size_t size,
                           cas_error *err) CAS_MUST_CHECK;
cas_status cas_file_sync(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Puts all of a sparse file, and `extra` bytes of zeros behind its end, on real blocks; where the
    file system cannot reserve, the extra bytes alone. */
cas_status cas_file_reserve(const char *path, int64_t extra, cas_error *err) CAS_MUST_CHECK;
/** Takes the permissions of `path`, if it exists; fsync, rename, fsync of the directory. */
cas_status cas_file_commit(const char *temporary, const char *path, cas_error *err) CAS_MUST_CHECK;

/* ---- before anything is computed ---- */

/** Refuses an output path that cannot be written (directory missing, no permission, is a
    directory, another file has the name of its temporary file). Not collective: rank 0. */
cas_status cas_file_check_output(const char *path, cas_error *err) CAS_MUST_CHECK;

/** Whether anything is there that a run would have to go on from or replace: an empty file is as
    good as none. What cannot be looked for may be there. */
bool cas_file_present(const char *path);

/** Whether two names are of one file, through links too. */
bool cas_file_is_same(const char *a, const char *b);

/** Refuses an output of `bytes` bytes for which its file system has no space. *space: the free
    space, INFINITY if the file system does not tell. Not collective: rank 0. */
cas_status cas_file_check_space(const char *path, double bytes, double *space,
                                cas_error *err) CAS_MUST_CHECK;

#endif
