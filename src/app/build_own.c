/* casimir build: one file of a user, compiled once for each instruction set. No shell is involved,
   and nothing of a configuration comes here: what is compiled is what the command line names. */
#include "app/app.h"
#include "app/arguments.h"
#include "base/text.h"
#include "base/unchanged.h"
#include "files/replace.h"
#include "math/kernels/plugin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/wait.h>

/* The instruction sets of this build, with the words that a compiler needs for each. */
static const struct {
  const char *name, *words;
} sets[] = {
    {"generic", ""},
#ifdef CAS_HAVE_AVX2
    {"avx2", CAS_BUILD_AVX2},
#endif
#ifdef CAS_HAVE_AVX512
    {"avx512", CAS_BUILD_AVX512},
#endif
};
enum { SETS = sizeof sets / sizeof *sets, MOST_WORDS = 128 };

typedef struct {
  const char *source, *output, *template;
  char headers[PATH_MAX];  /* the directory that files are compiled with */
  char scratch[PATH_MAX];  /* directory of objects, beside the output */
  char finished[PATH_MAX]; /* the output */
  char compiler[200];      /* CC, or what casimir was compiled with */
  char scheme[PATH_MAX];   /* the source as C includes it, if it declares a scheme; else empty */
  struct stat found;       /* the source, before it was compiled */
} job;

/* ---- words of a command ---- */

typedef struct {
  char *word[MOST_WORDS + 1];
  int n;
  bool failed;
} command;

static void add(command *c, const char *word) {
  char *copy = c->n < MOST_WORDS ? strdup(word) : NULL;
  c->failed |= !copy;
  if (copy)
    c->word[c->n++] = copy;
}

static void add_words(command *c, const char *words) {
  CAS_OWNED char *copy = strdup(words);
  char *rest;
  c->failed |= !copy;
  for (char *w = copy ? strtok_r(copy, " ", &rest) : NULL; w; w = strtok_r(NULL, " ", &rest))
    add(c, w);
}

static void CAS_PRINTF(2, 3) add_format(command *c, const char *format, ...) {
  char text[2 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->failed |= n < 0 || n >= (int)sizeof text;
  add(c, text);
}

static const char *output_of(const command *c) {
  int i = 1;
  while (i < c->n && strcmp(c->word[i - 1], "-o") != 0)
    i++;
  return i < c->n ? c->word[i] : "";
}

/* Runs the command and frees it; its messages go to standard error. */
static cas_status run_compiler(command *c, cas_error *err) {
  struct stat made;
  pid_t child;
  int status = 0, why = 0;
  cas_status st = CAS_OK;
  if (c->failed)
    st = cas_fail(err, CAS_NO_MEMORY, "the command of the compiler is too long");
  else if ((why = posix_spawnp(&child, c->word[0], NULL, NULL, c->word, environ)))
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: %s. Files are compiled by the C compiler that CC names, or that casimir was "
                  "compiled with.",
                  c->word[0], strerror(why));
  else if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
    st = cas_fail(err, CAS_BAD_INPUT, "%s reports errors, which stand above", c->word[0]);
  else if (stat(output_of(c), &made) || made.st_size == 0)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s ended as if all were well and has compiled nothing: it is no C compiler. CC "
                  "names another one.",
                  c->word[0]);
  for (int i = 0; i < c->n; i++)
    free(c->word[i]);
  return st;
}

/* ---- places ---- */

static cas_status find_headers(job *j, cas_error *err) {
  static const char *const beside[] = {"share/casimir/own", CAS_OWN_INSTALLED};
  char program[PATH_MAX];
  CAS_FAIL_IF(!cas_app_find(beside, "plugin_table.c", program, j->headers), CAS_FILE_ERROR,
              "the headers for systems are not in %s of the directory of %s: install casimir with "
              "`cmake --install`",
              CAS_OWN_INSTALLED, program);
  return CAS_OK;
}

static cas_status name_output(job *j, cas_error *err) {
  size_t length = strlen(j->source);
  CAS_FAIL_IF(length < 3 || strcmp(j->source + length - 2, ".c") != 0, CAS_BAD_INPUT,
              "%s: the name of a file in C ends in .c", j->source);
  CAS_FAIL_IF(access(j->source, R_OK) || stat(j->source, &j->found), CAS_BAD_INPUT, "%s: %s",
              j->source, strerror(errno));
  CAS_FAIL_IF(!S_ISREG(j->found.st_mode), CAS_BAD_INPUT, "%s: is no regular file", j->source);
  int n = j->output
              ? snprintf(j->finished, sizeof j->finished, "%s", j->output)
              : snprintf(j->finished, sizeof j->finished, "%.*s.so", (int)length - 2, j->source);
  CAS_FAIL_IF(n >= (int)sizeof j->finished - 10, CAS_BAD_INPUT, "%s: the name is too long",
              j->source);
  return CAS_OK;
}

/* ---- the directory of objects ---- */

/* All files in the directory go with it, as some compilers leave more than objects. */
static void remove_directory(const char *directory) {
  const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *files = fd < 0 ? NULL : fdopendir(fd);
  for (const struct dirent *file; files && (file = readdir(files));)
    unlinkat(fd, file->d_name, 0);
  if (files)
    closedir(files);
  else if (fd >= 0)
    close(fd);
  rmdir(directory);
}

/* The lock of the output keeps other builds out: what is there is of one that was killed. */
static cas_status make_scratch(job *j, const char *temporary, cas_error *err) {
  snprintf(j->scratch, sizeof j->scratch, "%s%s.objects", temporary[0] == '/' ? "" : "./",
           temporary);
  remove_directory(j->scratch);
  CAS_FAIL_IF(mkdir(j->scratch, S_IRWXU), CAS_FILE_ERROR, "%s: %s%s", j->scratch, strerror(errno),
              errno == EEXIST ? ". Objects are compiled there: remove what has this name." : "");
  return CAS_OK;
}

/* ---- schemes, which are text that is included several times ---- */

/* The user's file takes the place of the list of schemes. */
static cas_status find_scheme(job *j, cas_error *err) {
  char line[256];
  bool found = false;
  CAS_OWNED_BY(cas_owned_stream) FILE *f = fopen(j->source, "r");
  while (f && !found && fgets(line, sizeof line, f))
    found = strncmp(line, "CAS_SCHEME(", strlen("CAS_SCHEME(")) == 0;
  CAS_FAIL_IF(found && (!realpath(j->source, j->scheme) || strpbrk(j->scheme, "\"\\\n")),
              CAS_BAD_INPUT, "%s: no name that C can include", j->source);
  return CAS_OK;
}

/* ---- compiling and linking ---- */

static command compiler_of(const job *j) {
  command c = {.n = 0};
  add_words(&c, j->compiler);
  add_words(&c, CAS_BUILD_WORDS);
  return c;
}

static cas_status compile(const job *j, int set, cas_error *err) {
  command c = compiler_of(j);
  add_words(&c, sets[set].words);
  /* A mistake is the same for all sets, and what follows from one fills screens. */
  add(&c, set == 0 ? "-Wall" : "-w");
  add_words(&c, "-Wfatal-errors -Werror=implicit-function-declaration");
  add_format(&c, "-DCAS_ISA_SUFFIX=_%s", sets[set].name);
  if (j->scheme[0])
    add_format(&c, "-DCAS_SCHEMES=\"%s\"", j->scheme);
  add_format(&c, "-I%s", j->headers);
  add_format(&c, "-I%s/math", j->headers); /* for files that include "algebra/so3.h" */
  add_words(&c, "-c -o");
  add_format(&c, "%s/%s.o", j->scratch, sets[set].name);
  if (j->scheme[0])
    add_format(&c, "%s/integrators/scheme_bodies.c", j->headers);
  else
    add_format(&c, "%s%s", j->source[0] == '/' ? "" : "./", j->source);
  return run_compiler(&c, err);
}

static void quote(char *out, size_t size, const char *text) {
  size_t n = 0;
  for (; *text && n + 3 < size; text++) {
    if (*text == '"' || *text == '\\')
      out[n++] = '\\';
    out[n++] = *text == '\n' ? ' ' : *text;
  }
  out[n] = '\0';
}

static cas_status compile_table(const job *j, cas_error *err) {
  char source[PATH_MAX], compiler[1000], words[1200];
  command c = compiler_of(j);
  quote(source, sizeof source, j->source);
  snprintf(words, sizeof words, "%s %s", j->compiler, CAS_BUILD_WORDS);
  quote(compiler, sizeof compiler, words);
  add_format(&c, "-DCAS_PLUGIN_SOURCE=\"%s\"", source);
  add_format(&c, "-DCAS_PLUGIN_COMPILER=\"%s\"", compiler);
  add_format(&c, "-I%s", j->headers);
  add_words(&c, "-DCAS_ISA_SUFFIX=_table -c -o");
  add_format(&c, "%s/table.o", j->scratch);
  add_format(&c, "%s/plugin_table.c", j->headers);
  return run_compiler(&c, err);
}

/* Only objects are linked, so that a compiler that links nothing makes nothing. */
static cas_status link_all(const job *j, const char *temporary, cas_error *err) {
  command c = compiler_of(j);
  add_words(&c, "-shared -o");
  add_format(&c, "%s%s", temporary[0] == '/' ? "" : "./", temporary);
  for (int i = 0; i < SETS; i++)
    add_format(&c, "%s/%s.o", j->scratch, sets[i].name);
  add_format(&c, "%s/table.o", j->scratch);
  add(&c, "-lm");
  return run_compiler(&c, err);
}

/* Loads what was built, as a run does. */
static cas_status check(const job *j, const char *temporary, cas_error *err) {
  const cas_plugin *p;
  char hash[17], kernels[80];
  CAS_CALL(cas_plugin_load(temporary, &p, hash, err));
  cas_plugin_kernels(p, kernels, sizeof kernels);
  cas_text_print(stdout, j->finished);
  printf(": %s %s for %s of casimir %s, file_hash %s\n", j->scheme[0] ? "scheme" : "system",
         j->scheme[0] ? p->set[0].schemes->integrators[0]->name : p->set[0].system->name, kernels,
         cas_version(), hash);
  return CAS_OK;
}

static cas_status build_at(const job *j, const char *temporary, cas_error *err) {
  for (int i = 0; i < SETS; i++)
    CAS_CALL(compile(j, i, err));
  struct stat now;
  CAS_FAIL_IF(stat(j->source, &now) || !cas_unchanged(&j->found, &now), CAS_BAD_INPUT,
              "%s: was changed while it was compiled for one instruction set after another: "
              "build it again",
              j->source);
  CAS_CALL(compile_table(j, err));
  CAS_CALL(link_all(j, temporary, err));
  CAS_CALL(cas_plugin_sign(temporary, err));
  return check(j, temporary, err);
}

static cas_status build(job *j, cas_error *err) {
  cas_replacement r = {0};
  cas_status st = cas_replacement_begin(j->finished, CAS_LEFTOVER_COMPILED, &r, err);
  if (!st)
    st = make_scratch(j, r.temporary, err);
  if (!st) {
    st = build_at(j, r.temporary, err);
    remove_directory(j->scratch);
  }
  return cas_replacement_end(&r, st, err);
}

static cas_status print_template(const job *j, cas_error *err) {
  char name[PATH_MAX + 64], buffer[4096];
  snprintf(name, sizeof name, "%s/templates/%s.c", j->headers, j->template);
  CAS_OWNED_BY(cas_owned_stream) FILE *f = fopen(name, "r");
  CAS_FAIL_IF(!f, CAS_BAD_INPUT,
              "--template: found '%.40s', must be one of: system, scheme, splitting", j->template);
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
    fwrite(buffer, 1, n, stdout);
  return fflush(stdout) ? cas_fail(err, CAS_FILE_ERROR, "standard output could not be written")
                        : CAS_OK;
}

/* ---- the command line ---- */

static void check_arguments(const cas_arguments *a, struct argp_state *state) {
  if (!a->names == !a->template)
    argp_error(state, "a file in C, or --template, must be named");
}

static const cas_app_command command_of_build = {
    .command = CAS_APP_BUILD,
    .most = 1,
    .allowed = "one file only",
    .names = "FILE.c",
    .check = check_arguments,
    .doc = "Compile a system or a scheme of your own for configurations, which name it so: system: "
           "{file: ./FILE.so, name: NAME, ..}, integrator: {file: ./FILE.so, name: NAME}.\v"
           "  casimir build --template system >top.c\n"
           "  casimir build top.c\n\n"
           "docs/extending.md tells what such a file consists of. It is compiled once for each "
           "instruction set of this casimir, by the C compiler that CC names (" CAS_BUILD_CC
           " if it is not set), with these options:\n\n" CAS_BUILD_WORDS "\n\n"
           "No shell is involved. The code runs with all rights of whoever runs it; a "
           "configuration that names a file loads it."};

int cas_app_build(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_error err = {0};
  const char *cc = getenv("CC");
  cas_arguments_parse(&command_of_build, argc, argv, 0, &a);
  job j = {.source = a.name[0], .output = a.output, .template = a.template};
  snprintf(j.compiler, sizeof j.compiler, "%s", cc && *cc ? cc : CAS_BUILD_CC);
  cas_status st = find_headers(&j, &err);
  if (!st && j.template)
    st = print_template(&j, &err);
  if (!st && !j.template && !(st = name_output(&j, &err)) && !(st = find_scheme(&j, &err)))
    st = build(&j, &err);
  return st ? cas_app_error(&err) : EXIT_SUCCESS;
}
