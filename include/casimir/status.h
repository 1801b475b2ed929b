/** Status codes, their texts and exit statuses, and error messages. */
#ifndef CASIMIR_STATUS_H
#define CASIMIR_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All status codes: name, value, exit status of the program, text. */
#define CAS_STATUS_LIST(X)                                                         \
  X(CAS_OK, 0, 0, "done, and every check held")                                    \
  X(CAS_CHECK_FAILED, 1, 1, "done, but a check failed")                            \
  X(CAS_BAD_INPUT, 2, 2, "the command line or the configuration is wrong")         \
  X(CAS_FILE_ERROR, 3, 3, "a file could not be read or written")                   \
  X(CAS_NO_MEMORY, 4, 4, "out of memory")                                          \
  X(CAS_INTERNAL, 5, 5, "a library that casimir relies on failed")                 \
  X(CAS_STOPPED, 7, 6, "stopped because a path failed, with a checkpoint written") \
  X(CAS_INTERRUPTED, 6, 75, "interrupted with a checkpoint written")

/** The status of a call. CAS_OK is 0. */
typedef enum {
#define CAS_STATUS_ENUM(name, value, code, text) name = value,
  CAS_STATUS_LIST(CAS_STATUS_ENUM)
#undef CAS_STATUS_ENUM
} cas_status;

/** Warns where a returned status is not used. */
#define CAS_MUST_CHECK __attribute__((warn_unused_result))
/** Behind a parameter that its function does not use, as functions of tables need not. */
#define CAS_UNUSED __attribute__((unused))
/** Has the compiler check the arguments of a printf-like function. */
#define CAS_PRINTF(text, first) __attribute__((format(printf, text, first)))

/** An error: its status, and a message for the user that states what was found, where, and what
    would be right. No trailing newline. */
typedef struct cas_error {
  cas_status status; /* CAS_OK: no error was recorded */
  char text[2000];   /* the message, ended by a zero byte */
} cas_error;

/** The text of a status, as in "out of memory". */
const char *cas_status_text(cas_status s);
/** The exit status of the program for a status. */
int cas_exit_status(cas_status s);

/** Records an error and returns its status, so that `return cas_fail(err, CAS_FILE_ERROR, ...)`
   works. The first error recorded stays (later ones are consequences). err may be NULL. Control
   characters and bytes that are no UTF-8, as names of files may have, are recorded as \n, \x1b. */
cas_status cas_fail(cas_error *err, cas_status s, const char *format, ...) CAS_PRINTF(3, 4);

/** Records that memory ran out; cas_fail with CAS_NO_MEMORY can tell the size of an allocation. */
cas_status cas_no_memory(cas_error *err);

/** Returns the status of `call` from a function that holds only what the end of a block gives
    back, unless it is CAS_OK. */
#define CAS_CALL(call)           \
  do {                           \
    cas_status status_ = (call); \
    if (status_)                 \
      return status_;            \
  } while (0)

/** Returns such an error from such a function, which has an `err`, where something is wrong. */
#define CAS_FAIL_IF(wrong, status, ...)            \
  do {                                             \
    if (wrong)                                     \
      return cas_fail(err, (status), __VA_ARGS__); \
  } while (0)

/** Returns CAS_NO_MEMORY from such a function, which has an `err`, unless memory was allocated. */
#define CAS_NEED(allocated)      \
  do {                           \
    if (!(allocated))            \
      return cas_no_memory(err); \
  } while (0)

/** Appends to the string in `out` of `size` bytes, truncated if it does not fit. */
void cas_append(char *out, size_t size, const char *format, ...) CAS_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
