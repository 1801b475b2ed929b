/* Text of others: what people are shown of it. */
#include "base/text.h"
#include "suite.h"

#include <casimir/status.h>

#include <stdlib.h>
#include <string.h>

static void assert_shown(const char *text, const char *wanted) {
  char shown[200];
  cas_error err = {0};
  ck_assert(cas_text_show(shown, sizeof shown, text));
  ck_assert_str_eq(shown, wanted);
  ck_assert_int_eq(cas_fail(&err, CAS_BAD_INPUT, "%s", text), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, wanted);
}

TEST(what_steers_a_terminal_is_escaped) {
  assert_shown("", "");
  assert_shown("a b~\\ 'x'", "a b~\\ 'x'");
  assert_shown("tab\tline\nreturn\r", "tab\\tline\\nreturn\\r");
  assert_shown("\033[31mred\007\177", "\\x1b[31mred\\x07\\x7f");
  assert_shown("E \xcf\x86 = 1 \xe2\x88\x92 2, \xf0\x9f\x8c\x80",
               "E \xcf\x86 = 1 \xe2\x88\x92 2, \xf0\x9f\x8c\x80");
  assert_shown("\xc2\x9b"
               "31m",
               "\\xc2\\x9b"
               "31m");                                   /* the same as ESC [ */
  assert_shown("\xe2\x80\xaetxt", "\\xe2\\x80\\xaetxt"); /* from right to left */
}

TEST(what_is_no_utf8_is_escaped) {
  assert_shown("\xe9t\xe9", "\\xe9t\\xe9"); /* Latin-1 */
  assert_shown("\xc3", "\\xc3");            /* cut */
  assert_shown("\xe2\x88", "\\xe2\\x88");
  assert_shown("\xc0\xaf", "\\xc0\\xaf");                   /* longer than needed */
  assert_shown("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
  assert_shown("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last character */
  assert_shown("\xef\xbf\xbf", "\\xef\\xbf\\xbf");          /* no character, which XML refuses */
  assert_shown("\x80\xff", "\\x80\\xff");
}

TEST(long_messages_are_cut_between_characters) {
  char text[3000];
  cas_error err = {0}, again = {0};
  for (int lead = 0; lead < 4; lead++) {
    memset(text, 'x', sizeof text);
    for (size_t i = (size_t)lead; i + 2 < sizeof text; i += 2)
      memcpy(text + i, lead % 2 ? "\xc3\xa9" : "\033\n", 2);
    text[sizeof text - 1] = '\0';
    err = again = (cas_error){0};
    (void)cas_fail(&err, CAS_BAD_INPUT, "%s", text);
    (void)cas_fail(&again, CAS_BAD_INPUT, "%s", err.text);
    ck_assert_str_eq(err.text, again.text); /* nothing is left to be escaped */
    ck_assert_uint_gt(strlen(err.text), sizeof err.text - 20);
    ck_assert_str_eq(err.text + strlen(err.text) - 3, "...");
  }
}

RUN_TESTS
