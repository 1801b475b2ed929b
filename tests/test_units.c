/* Verdicts about brackets, Casimirs and noises do not depend on the units of the state: the same
   equations for x = u y are accepted or refused alike, and their noises commute or not. */
/* ranks: 1 */
/* needs: sprng */
#include "study_fixture.h"

#include <ctype.h>

/* A system with components that are written in brackets, as <x1>: u times the component. */
typedef struct {
  const char *algebra; /* keys; %g is 1/u in brackets of degree 1, and 1/u^2 in others */
  const char *hamiltonian, *noise, *initial;
  bool linear, built_in; /* brackets are linear; and those of an algebra that is named */
  enum { COMMUTES, DOES_NOT, REFUSED } verdict;
} written;

#define PLANE "algebra: {structure_constants: [[1, 2, 3, %g], [1, 3, 2, -%g]]}"
#define NO_ALGEBRA "algebra: {structure_constants: [[1, 2, 3, %g], [1, 3, 1, %g]]}"
#define VOLTERRA                                                                                 \
  "algebra: brackets, components: [x, y, z], brackets: {x y: %g*<x>*<y>, y z: <y>*<z>*%g, z x: " \
  "%g*<z>*<x>}, "
#define STATE "0.36, 0.48, 0.8"

static const written cases[] = {
    {"algebra: so3", "<x1>^2/4 + <x2>^2/2 + <x3>^2/1.3", "0.1*<x1>^2/2\", \"0.1*<x2>^2/2", STATE, 1,
     1, DOES_NOT},
    {"algebra: so3", "<x1>^2/4 + <x2>^2/2", "0.1*<x1>\", \"0.3*<x1>", STATE, 1, 1, COMMUTES},
    {"algebra: so3", "<x1>^2/4", "1e-6*<x1>^2\", \"1e-6*<x2>^2", STATE, 1, 1, DOES_NOT},
    {"algebra: so3", "<x1>", "sin(<x1>)\", \"cos(<x1>) + <x1>^2 + <x2>^2 + <x3>^2", STATE, 1, 1,
     COMMUTES},
    {"algebra: so3", "<x1>", "1e-5*<x1>^2\", \"1e4*(<x1>^2 + <x2>^2 + <x3>^2) + 1e-5*<x2>^2", STATE,
     1, 1, DOES_NOT},
    {"algebra: so3", "<x1>", "<x1>\", \"sqrt(<x2> - 5)", STATE, 1, 1, REFUSED},
    {"algebra: se3", "<Pi1>^2 + <Gamma3>", "<Gamma1>\", \"<Gamma2>^2", "0.3, 0.2, 0.5, 0, 0.6, 0.8",
     1, 1, COMMUTES},
    {"algebra: so_n, n: 4", "<x12>^2", "<x12>\", \"<x34>^2", "1, 2, 3, 4, 5, 6", 1, 1, COMMUTES},
    {"algebra: su_n, N: 2", "<d1>^2", "<d1>\", \"<d2>*<d1>", "0.1, 0.3, 0.2, 0.4", 1, 1, COMMUTES},
    {"algebra: su_n, N: 2", "<d1>^2", "<d1>\", \"<re12>", "0.1, 0.3, 0.2, 0.4", 1, 1, DOES_NOT},
    {"algebra: su2, factors: 2", "<x1_1>^2", "<x1_1>\", \"<x2_1>*<x2_2>", "1, 2, 3, 4, 5, 6", 1, 1,
     COMMUTES},
    {PLANE ", casimirs: [<x2>^2 + <x3>^2]", "<x1>^2", "<x2>\", \"<x3>", STATE, 1, 0, COMMUTES},
    {PLANE ", casimirs: [1e12*(<x2>^2 + <x3>^2)]", "<x1>^2", "<x1>\", \"<x3>", STATE, 1, 0,
     DOES_NOT},
    {PLANE ", casimirs: [1e-10*<x1>]", "<x1>^2", "<x1>", STATE, 1, 0, REFUSED},
    {PLANE ", casimirs: [\"sqrt(<x1> - 5)\"]", "<x1>^2", "<x1>", STATE, 1, 0, REFUSED},
    {NO_ALGEBRA, "<x1>^2", "<x1>", STATE, 1, 0, REFUSED},
    {VOLTERRA "casimirs: [<x>*<y>*<z>]", "<x> + <y> + <z>", "0.1*<x>\", \"0.2*<x>", STATE, 0, 0,
     COMMUTES},
    {VOLTERRA "casimirs: [<x>*<y>]", "<x> + <y> + <z>", "0.1*<x>", STATE, 0, 0, REFUSED},
    {"algebra: brackets, components: [x, y, z], brackets: {x y: %g*<x>*sqrt(<z> - 5), y z: %g*<x>, "
     "z x: %g*<y>}",
     "<x>", "<x>", STATE, 0, 0, REFUSED},
};

static const double units[] = {1e-8, 1e-5, 1e-2, 1, 1e3, 1e5, 1e8};

/* Copies text; <x> becomes (u*x), and %g the factor. */
static void expand(char *out, size_t size, const char *text, double factor) {
  for (; *text; text++)
    if (*text == '<')
      cas_append(out, size, "(u*");
    else if (*text == '>')
      cas_append(out, size, ")");
    else if (strncmp(text, "%g", 2) == 0)
      cas_append(out, size, "%.17g", factor), text++;
    else
      cas_append(out, size, "%c", *text);
}

/* With x = u y, {y_i, y_j} is {x_i, x_j}/u^2; brackets that are named are those of y, and then the
   Hamiltonian is divided by u. */
static void write_in_units(const written *w, double u, double constants, char *out, size_t size) {
  const double factor = constants * (w->linear ? 1 / u : 1 / (u * u));
  double x[6];
  int n = sscanf(w->initial, "%lf, %lf, %lf, %lf, %lf, %lf", x, x + 1, x + 2, x + 3, x + 4, x + 5);
  snprintf(out, size, "{system: {name: lie_poisson, parameters: {u: %.17g}, ", u);
  expand(out, size, w->algebra, factor);
  cas_append(out, size, ", hamiltonian: \"(");
  expand(out, size, w->hamiltonian, 1);
  cas_append(out, size, ")%s\", noise: [\"", w->built_in ? "/u" : "");
  expand(out, size, w->noise, 1);
  cas_append(out, size, "\"], initial: [");
  for (int i = 0; i < n; i++)
    cas_append(out, size, "%s%.17g", i ? ", " : "", x[i] / u);
  cas_append(out, size, "]}}");
}

static int verdict_of(const char *text, cas_error *err) {
  cas_problem p;
  *err = (cas_error){0};
  if (cas_problem_create(configuration("%s", text), false, MPI_COMM_SELF, &p, err))
    return REFUSED;
  const int verdict = cas_system_commutes(p.system, p.parameters.all) ? COMMUTES : DOES_NOT;
  cas_problem_free(&p);
  return verdict;
}

/* States in any unit, and constants of any size with the same state: another unit of time. */
TEST_OVER(verdicts_are_the_same_in_all_units, sizeof cases / sizeof *cases) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    for (int of_time = 0; of_time < (cases[_i].built_in ? 1 : 2); of_time++) {
      char text[2000] = "";
      cas_error err;
      write_in_units(&cases[_i], of_time ? 1 : units[i], of_time ? 3 * units[i] : 1, text,
                     sizeof text);
      const int verdict = verdict_of(text, &err);
      ck_assert_msg(verdict == (int)cases[_i].verdict, "%d, not %d: %s\n%s", verdict,
                    cases[_i].verdict, text, err.text);
      ck_assert_msg(verdict != REFUSED || strstr(err.text, "at a point") ||
                        strstr(err.text, "at no point") || strstr(err.text, "is nan there"),
                    "%s", err.text);
    }
}

/* Numbers with a decimal point, such as amplitudes, times a factor. */
static void scale_numbers(char *out, size_t size, const char *text, double factor) {
  while (*text) {
    char *end;
    double value = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (isdigit((unsigned char)*text) && memchr(text, '.', (size_t)(end - text))) {
      cas_append(out, size, "%.17g", factor * value);
      text = end;
    } else {
      cas_append(out, size, "%c", *text);
      text++;
    }
  }
}

/* The noises of the examples of all systems, of any strength. */
TEST(examples_commute_whatever_their_strength) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int commuting = 0; commuting < 2; commuting++) {
      const char *noise = commuting ? (*s)->example.commuting : (*s)->example.noise,
                 *system = formatted("{system: {name: %s, %s", (*s)->name, (*s)->example.keys);
      cas_error err;
      if (!noise)
        continue;
      const int as_written = verdict_of(formatted("%s, %s}}", system, noise), &err);
      ck_assert_msg(commuting ? as_written == COMMUTES : as_written != REFUSED, "%s, %s: %s",
                    system, noise, err.text);
      for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char scaled[1000] = "";
        scale_numbers(scaled, sizeof scaled, noise, units[i]);
        ck_assert_msg(verdict_of(formatted("%s, %s}}", system, scaled), &err) == as_written,
                      "%s, %s: %s", system, scaled, err.text);
      }
    }
}

RUN_TESTS_WITH_MPI
