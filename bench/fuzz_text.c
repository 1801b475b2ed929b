/* Any bytes as a name that a figure shows, for libFuzzer: gnuplot is given one string without
   markup, which says what people are shown. */
#include "../tests/text_fixture.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  char *text = strndup((const char *)bytes, size);
  if (text && !text_stays_text(text))
    abort();
  free(text);
  return 0;
}
