#include "base/text.h"
#include "base/count.h"
#include "base/name_list.h"
#include "base/owned.h"

size_t cas_text_stem(const char *text, const char *ending) {
  const size_t n = strlen(text), end = strlen(ending);
  return n > end && strcmp(text + n - end, ending) == 0 ? n - end : n;
}

const char *cas_text_behind(const char *text, const char *start) {
  return text && strncmp(text, start, strlen(start)) == 0 ? text + strlen(start) : NULL;
}

char *cas_text_copy(const char *text, bool *failed) {
  char *copy = text ? strdup(text) : NULL;
  *failed |= text && !copy;
  return copy;
}

char *cas_text_close(FILE *f, char **text) {
  if (fclose(f) == 0)
    return *text;
  free(*text);
  return NULL;
}

size_t cas_text_decode(const char *text, uint32_t *code) {
  const unsigned char *s = (const unsigned char *)text;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = s[0] < 0x80   ? 1
             : s[0] < 0xC0 ? 0
             : s[0] < 0xE0 ? 2
             : s[0] < 0xF0 ? 3
             : s[0] < 0xF8 ? 4
                           : 0;
  *code = n < 2 ? s[0] : s[0] & (0x7Fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80)
      return 0;
    *code = *code << 6 | (s[i] & 0x3F);
  }
  bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
  return n && *code >= least[n] && *code <= 0x10FFFF && !surrogate ? n : 0;
}

/* Control characters, separators of lines, marks of direction, and what is no character. */
static bool is_hidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         (code & 0xFFFE) == 0xFFFE;
}

enum { SHOWN = 24 /* bytes of a character, or of escapes of its bytes, and the end */ };

/* Takes a character and leaves in `shown` what stands for it; the bytes of text it has, 0 at the
   end. */
static size_t next_character(const char *text, char shown[SHOWN]) {
  static const char named[] = "\t\n\r", letter[] = "tnr";
  uint32_t code = 0;
  size_t n = *text ? cas_text_decode(text, &code) : 0;
  shown[0] = '\0';
  if (!*text)
    return 0;
  if (n && !is_hidden(code)) {
    memcpy(shown, text, n);
    shown[n] = '\0';
    return n;
  }
  const char *found = strchr(named, *text);
  n = n ? n : 1;
  if (found)
    snprintf(shown, SHOWN, "\\%c", letter[found - named]);
  for (size_t i = 0; !found && i < n; i++)
    snprintf(shown + 4 * i, SHOWN - 4 * i, "\\x%02x", (unsigned char)text[i]);
  return n;
}

bool cas_text_show(char *out, size_t size, const char *text) {
  char shown[SHOWN];
  size_t used = 0, n;
  while ((n = next_character(text, shown)) > 0 && used + strlen(shown) < size) {
    memcpy(out + used, shown, strlen(shown));
    used += strlen(shown);
    text += n;
  }
  out[used] = '\0';
  return n == 0;
}

void cas_text_print(FILE *f, const char *text) {
  char shown[SHOWN];
  for (size_t n; (n = next_character(text, shown)) > 0; text += n)
    fputs(*text == '\n' ? "\n" : shown, f);
}

void cas_text_put(FILE *f, const char *text) {
  char shown[SHOWN];
  for (size_t n; (n = next_character(text, shown)) > 0; text += n)
    fputs(shown, f);
}

void cas_text_shell(FILE *f, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,^@%";
  if (*word && word[strspn(word, plain)] == '\0') {
    fputs(word, f);
    return;
  }
  fputc('\'', f);
  for (; *word; word++)
    fprintf(f, "%s%c", *word == '\'' ? "'\\'" : "", *word);
  fputc('\'', f);
}

/* Whether a number goes on behind a space: "x1 = 0.5 +- 0.1", "0.5 [0.4, 0.6]". */
static bool goes_on(const char *begin, const char *space) {
  static const char sign[] = "+-";
  if (strncmp(space + 1, sign, 2) == 0 || (space - begin >= 2 && strncmp(space - 2, sign, 2) == 0))
    return true;
  if (strncmp(space + 1, "= ", 2) == 0 || (space > begin && space[-1] == '='))
    return true;
  return space > begin && space[-1] >= '0' && space[-1] <= '9' && space[1] == '[';
}

/* The bytes up to the next space where a line may end: not within a number with its error. */
static size_t unbroken(const char *text) {
  size_t n = 0;
  while (text[n] && text[n] != '\n') {
    if (text[n] == ' ' && !goes_on(text, text + n))
      break;
    const bool ends = text[n] == '[' && text[n + 1] && strchr("-.0123456789", text[n + 1]);
    n += ends ? strcspn(text + n, "]\n") : 1;
  }
  return n;
}

void cas_text_wrap(FILE *f, const char *text, int column, int last) {
  int at = column;
  while (*text) {
    int gap = (int)strspn(text, " "), word = (int)unbroken(text + gap);
    if (at > column && at + gap + word > last)
      at = fprintf(f, "\n%*s%.*s", column, "", word, text + gap) - 1;
    else
      at += fprintf(f, "%.*s", gap + word, text);
    text += gap + word;
    if (*text == '\n' && *++text)
      at = fprintf(f, "\n%*s", column, "") - 1;
  }
  fputc('\n', f);
}

void cas_text_duration(char *out, size_t size, double seconds) {
  const int64_t whole = cas_count_clamped(seconds, INT64_MAX);
  if (seconds < 9.5)
    snprintf(out, size, "%.2g s", seconds < 0.001 ? 0 : seconds);
  else if (seconds < 60)
    snprintf(out, size, "%.0f s", seconds);
  else if (seconds < 3600)
    snprintf(out, size, "%d min %02d s", (int)(whole / 60), (int)(whole % 60));
  else if (seconds < 1e12)
    snprintf(out, size, "%lld h %02d min", (long long)(whole / 3600), (int)(whole / 60 % 60));
  else
    snprintf(out, size, "%.2g years", seconds / (365.25 * 86400));
}

/* The C library has this locale at hand, and without memory for it the thread keeps its own. */
cas_locale cas_locale_enter(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (cas_locale){c, uselocale(c)};
}

void cas_locale_leave(const cas_locale *l) {
  uselocale(l->before);
  if (l->c != (locale_t)0)
    freelocale(l->c);
}

int cas_name_list_find(const char *const *names, const char *name) {
  for (int i = 0; names && names[i]; i++)
    if (strcmp(names[i], name) == 0)
      return i;
  return -1;
}

void cas_name_list_add(cas_name_list *l, const char *name) {
  if (!cas_owned_resize(&l->name, l->n + 2, sizeof name)) {
    l->failed = true;
    return;
  }
  l->name[l->n++] = name;
  l->name[l->n] = NULL;
}

void cas_name_list_add_once(cas_name_list *l, const char *name) {
  if (cas_name_list_find(l->name, name) < 0)
    cas_name_list_add(l, name);
}

cas_status cas_name_list_check(const cas_name_list *l, cas_error *err) {
  return l->failed ? cas_no_memory(err) : CAS_OK;
}

void cas_name_list_free(cas_name_list *l) {
  free(l->name);
  *l = (cas_name_list){0};
}
