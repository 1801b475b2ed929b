/* Text of others: what people are shown of it. */
#include "base/text.h"
#include "files/results/frame.h"
#include "suite.h"

#include <casimir/status.h>

#include <math.h>
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

/* A line ends neither between a number and its error or interval, nor within the interval. */
static const char *const wholes[] = {"x1 = -0.39 +- 0.02", "order 0.48 [0.45, 0.51]",
                                     "error of [0.1, 0.2]"};

TEST_OVER(numbers_are_whole_in_lines, sizeof wholes / sizeof *wholes) {
  const char *number = strchr(wholes[_i], '=') ? wholes[_i] : strpbrk(wholes[_i], "0[");
  const int longest = (int)strlen(wholes[_i]);
  for (int last = 1; last <= longest; last++) {
    PRINTED(text, cas_text_wrap(f, wholes[_i], 0, last));
    ck_assert_msg(strstr(text, number), "before column %d: %s", last, text);
  }
}

static void assert_word(const char *word, const char *wanted) {
  PRINTED(text, cas_text_shell(f, word));
  ck_assert_str_eq(text, wanted);
}

TEST(words_are_for_a_shell) {
  assert_word("study.coarsest_step=2^-7", "study.coarsest_step=2^-7");
  assert_word("a b.h5", "'a b.h5'");
  assert_word("phi={it: 'x1'}", "'phi={it: '\\''x1'\\''}'");
  assert_word("", "''");
}

static void assert_number(double x, double error, double low, double high, const char *wanted) {
  char text[80] = "";
  cas_frame_append(text, sizeof text, x, error, low, high, INFINITY);
  ck_assert_str_eq(text, wanted);
}

/* Two digits of the standard error, or of half the interval. */
TEST(numbers_have_the_digits_of_their_errors) {
  assert_number(-1.56, NAN, -3.56, 0.436, "-1.6 [-3.6, 0.4]");
  assert_number(0.4986, NAN, 0.4973, 0.4999, "0.4986 [0.4973, 0.4999]");
  assert_number(0.4352, 0.02, NAN, NAN, "0.435 +- 0.020");
  assert_number(-1.34e-4, 1.4e-4, NAN, NAN, "-1.3e-04 +- 1.4e-04");
  assert_number(1.5e-5, NAN, 0, 8.5e-5, "1.5e-05 [0, 8.5e-05]");
  assert_number(-0.001, NAN, -0.1, 0.1, "0.00 [-0.10, 0.10]");
  assert_number(9.5e-4, NAN, 8.7e-4, 0.00112, "0.00095 [0.00087, 0.00112]");
  assert_number(6.7e-4, NAN, 5.3e-4, INFINITY, "6.7e-04 [5.3e-04, inf]");
  assert_number(0.25, NAN, NAN, NAN, "0.25");
}

RUN_TESTS
