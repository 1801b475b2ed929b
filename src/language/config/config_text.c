#include "base/text.h"
#include "language/config/config_impl.h"

#include <string.h>

/* Controls, YAML's line breaks, marks that reorder text, and what no YAML reader accepts raw. */
static bool is_printable(uint32_t code) {
  return code >= 0x20 && !(code >= 0x7F && code < 0xA0) && !(code >= 0x2028 && code <= 0x202E) &&
         !(code >= 0x2066 && code <= 0x2069) && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

size_t cas_config_show_character(const char *text, char shown[12]) {
  uint32_t code;
  size_t length = cas_text_decode(text, &code);
  if (length > 0 && is_printable(code)) {
    memcpy(shown, text, length);
    shown[length] = '\0';
    return length;
  }
  if (length == 0)
    code = (unsigned char)*text;
  snprintf(shown, 12, code <= 0xFF ? "\\x%02x" : "\\u%04x", (unsigned)code);
  return length > 0 ? length : 1;
}

void cas_config_clip(char *out, size_t size, size_t limit, const char *text) {
  static const char cut[] = "...";
  size_t used = 0;
  for (size_t count = 0; *text; count++) {
    char shown[12];
    text += cas_config_show_character(text, shown);
    size_t length = strlen(shown);
    if (count == limit || used + length + sizeof cut > size) {
      used += (size_t)snprintf(out + used, size - used, "%s", cut);
      break;
    }
    memcpy(out + used, shown, length);
    used += length;
  }
  out[used] = '\0';
}

void cas_config_suggestion(char *out, size_t size, const char *found, const char *const *names) {
  const char *nearest = cas_nearest(found, names);
  out[0] = '\0';
  if (nearest)
    cas_append(out, size, "; did you mean '%s'?", nearest);
  if (names[0])
    cas_append(out, size, " (known: ");
  for (int i = 0; names[i]; i++)
    cas_append(out, size, "%s%s", names[i], names[i + 1] ? ", " : ")");
}
