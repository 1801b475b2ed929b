/* The local weak error of one step, without sampling: E f(X_1) by Gauss and Hermite's quadrature in
   all normals of the step, against f + h L f + h^2/2 L^2 f, where L is the generator. The rigid
   body with quadratic noise, of which V_k f = grad f . (x x grad H_k) are polynomials as f is. A
   local error of order 3 is weak order 2. bench_quadrature [SCHEME] prints errors and orders of a
   step of weak order 2 and of a step of the scheme. */
#include <casimir/casimir.h>
#include <casimir/dataset.h>

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- polynomials in x1, x2, x3 ---- */

enum { D = 8, NODES = 5, FUNCTIONS = 3, STEPS = 4 }; /* D: above the degree of each variable */

typedef struct {
  double of[D][D][D]; /* of x1^i x2^j x3^k */
} polynomial;

static const double inertia[3] = {2, 1, 2.0 / 3}, sigma = 0.3, x0[3] = {0.36, 0.48, 0.8};

static double value(const polynomial *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++)
      for (int k = 0; k < D; k++)
        sum += p->of[i][j][k] * pow(x[0], i) * pow(x[1], j) * pow(x[2], k);
  return sum;
}

/* to += factor x_a x_b dp/dx_c */
static void add_term(const polynomial *p, double factor, int a, int b, int c, polynomial *to) {
  for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++)
      for (int k = 0; k < D; k++) {
        int e[3] = {i, j, k};
        if (p->of[i][j][k] == 0 || e[c] == 0)
          continue;
        const double f = factor * p->of[i][j][k] * e[c]--;
        e[a]++;
        e[b]++;
        to->of[e[0]][e[1]][e[2]] += f;
      }
}

/* V_H p of H = sum_k w_k x_k^2/2: grad p . (x x (w x)) */
static polynomial derivative(const polynomial *p, const double *w) {
  polynomial out = {0};
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    add_term(p, w[b] - w[a], a, b, c, &out);
  }
  return out;
}

static void add(const polynomial *p, double factor, polynomial *to) {
  for (int i = 0; i < D * D * D; i++)
    ((double *)to->of)[i] += factor * ((const double *)p->of)[i];
}

/* L = V_0 + 1/2 sum_k V_k^2 */
static polynomial generator(const polynomial *p) {
  const double drift[3] = {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]};
  polynomial out = derivative(p, drift);
  for (int k = 0; k < 3; k++) {
    const double noise[3] = {k == 0 ? sigma : 0, k == 1 ? sigma : 0, k == 2 ? sigma : 0};
    polynomial once = derivative(p, noise), twice = derivative(&once, noise);
    add(&twice, 0.5, &out);
  }
  return out;
}

/* ---- quadrature ---- */

/* Nodes and weights of the standard normal distribution, exact to degree 9. */
static const double node[NODES] = {-2.8569700138728056, -1.3556261799742659, 0, 1.3556261799742659,
                                   2.8569700138728056},
                    weight[NODES] = {0.011257411327720689, 0.22207592200561264, 0.53333333333333333,
                                     0.22207592200561264, 0.011257411327720689};

static long count(int normals) {
  long n = 1;
  for (int i = 0; i < normals; i++)
    n *= NODES;
  return n;
}

/* A dataset "zeta" of every combination of nodes, paths x 1 x normals. */
static void write_nodes(const char *file, int normals) {
  const hsize_t dims[3] = {(hsize_t)count(normals), 1, (hsize_t)normals};
  double *z = malloc((size_t)dims[0] * (size_t)normals * sizeof *z);
  for (long path = 0; path < (long)dims[0]; path++)
    for (long i = 0, rest = path; i < normals; i++, rest /= NODES)
      z[path * normals + i] = node[rest % NODES];
  const hid_t f = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              space = H5Screate_simple(3, dims, NULL),
              d = H5Dcreate2(f, "zeta", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                             H5P_DEFAULT);
  H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, z);
  H5Dclose(d);
  H5Sclose(space);
  H5Fclose(f);
  free(z);
}

/* Means of the functions over the ends of one step from x0, by the program itself. */
static cas_status mean(const char *scheme, int order, double h, const polynomial *f, double *out,
                       cas_error *err) {
  const int normals = order == 2 ? 6 : 3;
  char text[1000];
  cas_config *c;
  cas_results r;
  double *x = NULL;
  int rank;
  int64_t dims[4];
  bool is_complex;
  write_nodes("quadrature-nodes.h5", normals);
  snprintf(text, sizeof text,
           "system: {name: rigid_body, inertia: [%.17g, %.17g, %.17g], noise: {kind: quadratic, "
           "sigma: %g}, initial: [%g, %g, %g]}\n"
           "integrator: {name: %s, weak_order: %d, truncation: 0, max_iterations: 10000}\n"
           "random: {generator: replay, file: quadrature-nodes.h5}\n"
           "study: {kind: trajectory, step: %.17g, steps: 1, every: 1, paths: %ld}\n",
           inertia[0], inertia[1], inertia[2], sigma, x0[0], x0[1], x0[2], scheme, order, h,
           count(normals));
  cas_status st = cas_config_parse(text, strlen(text), "quadrature", &c, err);
  if (st)
    return st;
  st = cas_run(c, &(cas_run_request){.output = "quadrature.h5"}, MPI_COMM_SELF, &r, err);
  cas_config_free(c);
  if (!st)
    st = cas_dataset_read("quadrature.h5", "/trajectory/state", 0, -1, &rank, dims, &is_complex, &x,
                          err);
  if (st)
    return st;
  for (int i = 0; i < FUNCTIONS; i++)
    out[i] = 0;
  for (long path = 0; path < count(normals); path++) {
    double w = 1;
    for (long i = 0, rest = path; i < normals; i++, rest /= NODES)
      w *= weight[rest % NODES];
    for (int i = 0; i < FUNCTIONS; i++)
      out[i] += w * value(&f[i], x + 3 * (count(normals) + path));
  }
  free(x);
  cas_results_free(&r);
  return CAS_OK;
}

static cas_status report(const char *scheme, int order, const polynomial *f, cas_error *err) {
  double error[STEPS][FUNCTIONS];
  printf("%s, one step of weak order %d: E f(X_1) - (f + h L f + h^2/2 L^2 f), and local orders\n"
         "  h              x1                  x2^2                x1 x3\n",
         scheme, order);
  for (int n = 0; n < STEPS; n++) {
    const double h = 0.32 / (1 << n);
    CAS_CALL(mean(scheme, order, h, f, error[n], err));
    printf("  %-8.4g", h);
    for (int i = 0; i < FUNCTIONS; i++) {
      polynomial once = generator(&f[i]), twice = generator(&once);
      error[n][i] -= value(&f[i], x0) + h * value(&once, x0) + h * h / 2 * value(&twice, x0);
      printf(" %12.3e", error[n][i]);
      if (n)
        printf("  %5.2f", log2(fabs(error[n - 1][i] / error[n][i])));
      else
        printf("       ");
    }
    printf("\n");
  }
  return CAS_OK;
}

int main(int argc, char **argv) {
  const char *scheme = argc > 1 ? argv[1] : "isospectral_midpoint";
  polynomial f[FUNCTIONS] = {0};
  cas_error err = {0};
  MPI_Init(&argc, &argv);
  f[0].of[1][0][0] = f[1].of[0][2][0] = f[2].of[1][0][1] = 1;
  cas_status st = report(scheme, 2, f, &err);
  if (!st)
    st = report(scheme, 1, f, &err);
  remove("quadrature-nodes.h5");
  remove("quadrature.h5");
  if (st)
    fprintf(stderr, "bench_quadrature: %s\n", err.text);
  MPI_Finalize();
  return st ? cas_exit_status(st) : EXIT_SUCCESS;
}
