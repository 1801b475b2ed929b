#include "present/figure/encoder.h"
#include "present/figure/process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

cas_status cas_encoder_check(const char *output, cas_error *err) {
  size_t n = strlen(output);
  if (n < 5 || strcasecmp(output + n - 4, ".mp4") != 0)
    return cas_fail(err, CAS_BAD_INPUT, "--film: found '%s', must end in .mp4", output);
  return cas_replacement_check(output, CAS_LEFTOVER_FILM, err);
}

/* In a process group of its own, so that Ctrl-C reaches this program alone, which then ends it.
   Widths and heights are even, as most players want them. `film`: the file, named so that ffmpeg
   takes it for no option and no address of a network. */
static int spawn(cas_encoder *e, int rate, int from, char *film) {
  char frames[16];
  char *arguments[] = {
      "ffmpeg", "-loglevel",  "error",      "-y",
      "-f",     "image2pipe", "-framerate", frames,
      "-i",     "-",          "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
      "-c:v",   "libx264",    "-pix_fmt",   "yuv420p",
      "-crf",   "18",         "-movflags",  "+faststart",
      "-f",     "mp4",        film,         NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  snprintf(frames, sizeof frames, "%d", rate);
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, from, 0);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, fileno(e->messages), 1);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, fileno(e->messages), 2);
    if (!error)
      error = posix_spawnp(&e->pid, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static cas_status start(cas_encoder *e, int rate, bool *missing, cas_error *err) {
  int ends[2], error;
  char *film;
  if (asprintf(&film, "file:%s", e->film.temporary) < 0)
    return cas_no_memory(err);
  if (pipe2(ends, O_CLOEXEC)) {
    free(film);
    return cas_fail(err, CAS_INTERNAL, "cannot make a pipe for ffmpeg: %s", strerror(errno));
  }
  error = spawn(e, rate, ends[0], film);
  free(film);
  close(ends[0]);
  *missing = error == ENOENT;
  if (!error) {
    e->to = ends[1];
    return CAS_OK;
  }
  e->pid = 0;
  close(ends[1]);
  return *missing ? cas_fail(err, CAS_INTERNAL,
                             "ffmpeg was not found on the PATH; films need it (Debian: apt-get "
                             "install ffmpeg)")
                  : cas_fail(err, CAS_INTERNAL, "cannot start ffmpeg: %s", strerror(error));
}

cas_status cas_encoder_begin(cas_encoder *e, const char *output, int rate, bool *missing,
                             cas_error *err) {
  *missing = false;
  *e = (cas_encoder){.messages = tmpfile(), .to = -1};
  CAS_CALL(cas_replacement_begin(output, CAS_LEFTOVER_FILM, &e->film, err));
  if (!e->messages)
    return cas_fail(err, CAS_FILE_ERROR, "cannot make a temporary file for ffmpeg: %s",
                    strerror(errno));
  cas_status st = start(e, rate, missing, err);
  return st ? cas_replacement_end(&e->film, st, err) : CAS_OK;
}

static cas_status fail(const cas_encoder *e, cas_error *err) {
  char text[500];
  cas_process_messages(e->messages, text, sizeof text);
  return cas_fail(err, CAS_INTERNAL, "ffmpeg did not make the film: %s",
                  text[0] ? text : "no reason given");
}

cas_status cas_encoder_add(cas_encoder *e, const char *png, size_t size, cas_error *err) {
  while (size > 0) {
    ssize_t n = write(e->to, png, size);
    if (n < 0 && errno != EINTR)
      return fail(e, err);
    png += n > 0 ? n : 0;
    size -= n > 0 ? (size_t)n : 0;
  }
  return CAS_OK;
}

/* Waits for ffmpeg to write the end of the film; a failure that was before ends it at once. */
static cas_status wait_for(cas_encoder *e, cas_status st, cas_error *err) {
  int status = 0;
  if (e->to >= 0)
    close(e->to);
  if (st)
    kill(e->pid, SIGKILL);
  while (waitpid(e->pid, &status, 0) < 0)
    if (errno != EINTR)
      return cas_fail(err, CAS_INTERNAL, "ffmpeg: %s", strerror(errno));
  return st || status == 0 ? st : fail(e, err);
}

cas_status cas_encoder_end(cas_encoder *e, cas_status st, cas_error *err) {
  if (e->pid > 0)
    st = wait_for(e, st, err);
  st = cas_replacement_end(&e->film, st, err);
  if (e->messages)
    fclose(e->messages);
  *e = (cas_encoder){0};
  return st;
}
