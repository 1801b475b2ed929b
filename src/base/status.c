#include "base/text.h"

#include <casimir/status.h>
#include <stdarg.h>
#include <string.h>

static const struct {
  const char *text;
  int code;
} statuses[] = {
#define STATUS(name, value, code, text) [name] = {text, code},
    CAS_STATUS_LIST(STATUS)
#undef STATUS
};

static bool is_known(cas_status s) { return s < sizeof statuses / sizeof *statuses; }

const char *cas_status_text(cas_status s) {
  return is_known(s) ? statuses[s].text : "unknown status";
}

int cas_exit_status(cas_status s) { return statuses[is_known(s) ? s : CAS_INTERNAL].code; }

/* A message too long for its buffer ends in "...", and never in half of a UTF-8 character. */
static void mark_truncation(char *text, size_t size) {
  size_t end = strlen(text) < size - sizeof "..." ? strlen(text) : size - sizeof "...";
  while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
    end--;
  memcpy(text + end, "...", sizeof "...");
}

cas_status cas_fail(cas_error *err, cas_status s, const char *format, ...) {
  CAS_LOCALE_OF_C;
  if (!err || err->status != CAS_OK)
    return s;
  err->status = s;
  char text[sizeof err->text];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0)
    snprintf(text, sizeof text, "%s", cas_status_text(s));
  else if ((size_t)length >= sizeof text)
    mark_truncation(text, sizeof text);
  if (!cas_text_show(err->text, sizeof err->text, text))
    mark_truncation(err->text, sizeof err->text);
  return s;
}

cas_status cas_no_memory(cas_error *err) { return cas_fail(err, CAS_NO_MEMORY, "out of memory"); }

void cas_append(char *out, size_t size, const char *format, ...) {
  CAS_LOCALE_OF_C;
  size_t used = strlen(out);
  va_list args;
  va_start(args, format);
  vsnprintf(out + used, size - used, format, args);
  va_end(args);
}
