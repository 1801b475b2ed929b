/* Repetitions of long tests, fewer of them where CASIMIR_REPETITIONS says how many percent: a build
   with sanitizers runs the same code as often as they need to see it, and leaves it to others to
   judge statistics closely. */
#ifndef CASIMIR_REPETITIONS_H
#define CASIMIR_REPETITIONS_H

#include <stdbool.h>
#include <stdlib.h>

static inline int repetitions(int all) {
  const char *text = getenv("CASIMIR_REPETITIONS");
  int percent = text ? atoi(text) : 100;
  return (int)(((long long)all * percent + 99) / 100);
}

/* Whether so few are asked for that accesses are looked for: one block of paths shows them. */
static inline bool looks_for_accesses(void) { return repetitions(100) < 20; }

#endif
