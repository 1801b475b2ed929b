/* `casimir plot --film`: one picture at every record, drawn by gnuplot and encoded by ffmpeg. */
#include "present/figure/encoder.h"
#include "present/pictures/picture.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FRAMES = 1500 };

/* The number of records from one frame to the next, so that there are at most MOST_FRAMES. */
static int64_t stride_of(int64_t records) { return (records - 1) / MOST_FRAMES + 1; }

static cas_status make_directory(const char *directory, cas_error *err) {
  struct stat s;
  if (mkdir(directory, 0777) == 0 ||
      (errno == EEXIST && !stat(directory, &s) && S_ISDIR(s.st_mode)))
    return CAS_OK;
  return cas_fail(err, CAS_FILE_ERROR, "--frames: the directory %s cannot be made: %s", directory,
                  strerror(errno));
}

static cas_status keep_frame(const char *directory, int64_t i, const char *png, size_t size,
                             cas_error *err) {
  char *name = NULL;
  if (asprintf(&name, "%s/frame-%05lld.png", directory, (long long)i + 1) < 0)
    return cas_no_memory(err);
  cas_status st = cas_figure_put(name, CAS_LEFTOVER_FIGURE, png, size, err);
  free(name);
  return st;
}

/* ---- frames ---- */

typedef struct {
  const cas_plot_request *request;
  const cas_film_request *film;
  const cas_picture *picture;
  const cas_source *source;
  cas_film_plan plan;
  cas_encoder encoder;
  bool encoding;
} work;

static cas_status draw_frame(const work *w, double time, char **png, size_t *size, cas_error *err) {
  const cas_plot_frame frame = {.from = time - w->plan.tail,
                                .greatest = w->plan.greatest,
                                .greatest_variance = w->plan.greatest_variance};
  cas_plot_request q = *w->request;
  cas_source s = *w->source;
  q.frame = &frame;
  q.at = &time;
  q.times = w->picture->at;
  q.bytes = png;
  q.size = size;
  q.remarks = NULL;
  s.until = w->picture->at ? s.until : time;
  if (w->plan.has_view && !q.has_view) {
    q.has_view = true;
    memcpy(q.view, w->plan.view, sizeof q.view);
  }
  return cas_picture_draw(&q, w->picture, &s, "frame.png", err);
}

static cas_status make_frame(work *w, int64_t i, double time, cas_error *err) {
  char *png = NULL;
  size_t size = 0;
  cas_status st = draw_frame(w, time, &png, &size, err);
  if (!st && w->film->frames)
    st = keep_frame(w->film->frames, i, png, size, err);
  if (!st && w->encoding)
    st = cas_encoder_add(&w->encoder, png, size, err);
  free(png);
  return st;
}

static bool cancelled(const work *w) {
  return w->film->cancelled && w->film->cancelled(w->film->context);
}

static cas_status make_frames(work *w, cas_error *err) {
  const int64_t stride = stride_of(w->plan.records),
                frames = (w->plan.records + stride - 1) / stride;
  cas_status st = CAS_OK;
  for (int64_t i = 0; i < frames && !st; i++) {
    st = make_frame(w, i, w->plan.time[i * stride], err);
    if (cancelled(w)) /* which may be why gnuplot has failed */
      *err = (cas_error){0},
      st = cas_fail(err, CAS_INTERRUPTED, "interrupted after %lld of %lld frames; there is no film",
                    (long long)i + !st, (long long)frames);
    if (!st && w->film->progress)
      w->film->progress(w->film->context, i + 1, frames);
  }
  return st;
}

/* ---- the film ---- */

/* What is left to say where frames were drawn and nobody is there to encode them. */
static cas_status without_encoder(const cas_film_request *f, cas_error *err) {
  return cas_fail(err, CAS_INTERNAL,
                  "ffmpeg was not found on the PATH (Debian: apt-get install ffmpeg); the frames "
                  "are in %s, and where it is installed this makes the film of them: ffmpeg "
                  "-framerate %d -i %s/frame-%%05d.png -pix_fmt yuv420p %s",
                  f->frames, f->rate, f->frames, f->output);
}

static cas_status encode(work *w, cas_error *err) {
  bool missing = false;
  cas_status st = CAS_OK;
  if (w->film->output)
    st = cas_encoder_begin(&w->encoder, w->film->output, w->film->rate, &missing, err);
  w->encoding = w->film->output && !st;
  if (missing && w->film->frames) {
    *err = (cas_error){0};
    st = CAS_OK;
  }
  if (!st)
    st = make_frames(w, err);
  st = cas_encoder_end(&w->encoder, st, err);
  return !st && missing ? without_encoder(w->film, err) : st;
}

static cas_status make(work *w, cas_error *err) {
  CAS_CALL(cas_picture_find(w->source, 1, w->request->picture, true, &w->picture, err));
  CAS_CALL(w->picture->film(w->source, &w->plan, err));
  if (stride_of(w->plan.records) > 1 && w->request->remarks)
    fprintf(w->request->remarks, "casimir: every %lld-th of %lld records is a frame\n",
            (long long)stride_of(w->plan.records), (long long)w->plan.records);
  return encode(w, err);
}

cas_status cas_plot_film(const cas_plot_request *q, const cas_film_request *f, cas_error *err) {
  cas_source s = {0};
  work w = {.request = q, .film = f, .source = &s};
  cas_status st = f->output ? cas_encoder_check(f->output, err) : CAS_OK;
  if (!st && q->n != 1)
    st = cas_fail(err, CAS_BAD_INPUT, "a film is of one results file; found %d", q->n);
  if (!st && f->frames)
    st = make_directory(f->frames, err);
  if (!st)
    st = cas_source_open(q->files[0], q->until, q->map, &s, err);
  if (!st)
    st = make(&w, err);
  free(w.plan.time);
  cas_source_close(&s);
  return st;
}
