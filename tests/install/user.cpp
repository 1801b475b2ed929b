// All public headers in C++, and functions of the library called from it.
#include <casimir/casimir.h>
#include <casimir/extend.h>
#include <cstdio>
#include <cstring>
#include <string>

int main(int argc, char **argv) {
  const std::string text = "system: {name: rigid_body, inertia: [1, 2, 3]}\n";
  cas_error err = {CAS_OK, ""};
  cas_config *config = nullptr;
  MPI_Init(&argc, &argv);
  cas_status st = cas_config_parse(text.data(), text.size(), "user.yaml", &config, &err);
  cas_run_request request = {};
  cas_results results;
  if (!st)
    st = cas_run(config, &request, MPI_COMM_WORLD, &results, &err);
  cas_config_free(config);
  MPI_Finalize();
  std::printf("casimir %s: %s\n", cas_version(), cas_status_text(st));
  return st == CAS_BAD_INPUT && std::strstr(err.text, "study") ? 0 : 1;
}
