/* Headlines of studies of values. */
#include "base/text.h"
#include "files/results/result_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST = 3 }; /* results that fit a headline */

/* "x1 = -0.394 +- 0.006, x2 = ..", of the first few. */
static void append_values(char *text, size_t size, const cas_frame *f) {
  for (int i = 0; i < f->rows && i < MOST; i++) {
    const double error = cas_frame_numbers(f, "standard_error")[i],
                 low = error > 0 ? NAN : cas_frame_numbers(f, "low")[i],
                 high = error > 0 ? NAN : cas_frame_numbers(f, "high")[i];
    cas_append(text, size, "%s%s = ", i ? ", " : "", cas_frame_word(f, "name", i));
    cas_frame_append(text, size, cas_frame_numbers(f, "value")[i], error, low, high, INFINITY);
  }
  if (f->rows > MOST)
    cas_append(text, size, ", ..");
}

static void say_mlmc(const cas_mlmc *m, char *text, size_t size) {
  const double plain = isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work,
               gain = plain / m->total_work;
  for (int i = 0; i < m->functionals && i < 2; i++) {
    char x[32];
    cas_frame_format(m->functional[i].estimate, m->functional[i].total_error, x);
    cas_append(text, size, "%sE %s = %s within %.2g rms", i ? ", " : "", m->functional[i].name, x,
               m->functional[i].total_error);
  }
  cas_append(text, size, " (target %.4g %s)", m->epsilon, m->reached ? "reached" : "NOT REACHED");
  if (isfinite(gain))
    cas_append(text, size, ", %.*f times %s than plain Monte Carlo",
               fmax(gain, 1 / gain) < 10 ? 1 : 0, fmax(gain, 1 / gain),
               gain >= 1 ? "cheaper" : "dearer");
}

/* What the kinds of tables say of themselves; false where none does. */
static bool say_tables(const cas_results *r, char *text, size_t size) {
  int n = 0;
  for (int i = 0; i < r->tables; i++) {
    if (!r->table[i].kind->say || n++ > MOST)
      continue;
    cas_append(text, size, "%s", n == 1 ? "" : "; ");
    if (n > MOST)
      cas_append(text, size, "..");
    else
      r->table[i].kind->say(r, &r->table[i], text, size);
  }
  return n > 0;
}

static const char *name_of(const char *kind) {
  return strcmp(kind, "trajectory") == 0     ? "record"
         : strcmp(kind, "time_average") == 0 ? "averages over time"
         : strcmp(kind, "path_cost") == 0    ? "cost"
         : kind[0]                           ? kind
                                             : "results";
}

static void say_rows(const cas_results *r, const cas_frame *f, char *text, size_t size) {
  const cas_provenance *p = &r->provenance;
  const double time = f->rows ? cas_frame_numbers(f, "time")[0] : NAN,
               step = f->rows ? cas_frame_numbers(f, "step")[0] : NAN;
  if (p->alone)
    cas_append(text, size, "%s of 1 path", name_of(f->kind));
  else
    cas_append(text, size, "%s of %" PRId64 " path%s", name_of(f->kind), p->paths,
               p->paths == 1 ? "" : "s");
  if (isfinite(time))
    cas_append(text, size, " at t = %.6g", time);
  if (step > 0) {
    char h[32];
    cas_step_format(step, h, sizeof h);
    cas_append(text, size, ", step %s", h);
  }
  if (f->rows) {
    cas_append(text, size, ": ");
    append_values(text, size, f);
  }
}

void cas_result_say_values(const cas_results *r, cas_frame *f) {
  const size_t size = sizeof f->headline;
  if (cas_results_mlmc(r) && f->rows)
    say_mlmc(cas_results_mlmc(r), f->headline, size);
  else if (!f->rows || !say_tables(r, f->headline, size))
    say_rows(r, f, f->headline, size);
}
