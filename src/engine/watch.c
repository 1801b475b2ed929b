#include "engine/watch.h"

#include <time.h>

/* words of a round, of which the largest of all ranks counts */
enum { FAILED, LEAVE, SAVE, UNFINISHED };

/* Seconds between rounds: a few in the time between checkpoints, where that is short. */
static double interval_for(double checkpoint_every) {
  const double usual = 0.25, least = 0.001;
  if (checkpoint_every <= 0 || checkpoint_every > 4 * usual)
    return usual;
  return checkpoint_every > 4 * least ? checkpoint_every / 4 : least;
}

cas_status cas_watch_begin(cas_run_state *r, cas_watch *w, cas_error *err) {
  double now = MPI_Wtime();
  *w = (cas_watch){.run = r,
                   .request = MPI_REQUEST_NULL,
                   .interval = interval_for(r->checkpoint_every),
                   .told = now};
  if (r->vigil.saved == 0)
    r->vigil.saved = now;
  if (MPI_Comm_dup(r->comm, &w->comm))
    return cas_fail(err, CAS_INTERNAL, "MPI_Comm_dup failed");
  return CAS_OK;
}

void cas_watch_end(cas_watch *w) { MPI_Comm_free(&w->comm); }

void cas_watch_saved(cas_watch *w, double begun) {
  cas_vigil *v = &w->run->vigil;
  v->saved = MPI_Wtime();
  v->saving = v->saved - begun;
  v->wishes &= ~(unsigned)CAS_WISH_SAVE;
}

/* The clock is rank 0's matter; time is left for a checkpoint and for what ends the program, and for
   steps that take longer than the interval. */
static void look_at_clock(cas_watch *w, double now) {
  const cas_run_request *q = w->run->request;
  cas_vigil *v = &w->run->vigil;
  double between = now - w->told > 2 * w->interval ? now - w->told : w->interval;
  if (w->run->rank != 0)
    return;
  if (q->max_walltime > 0 && now - w->run->clock > q->max_walltime - 2 * v->saving - 2 * between)
    v->wishes |= CAS_WISH_LEAVE;
  if (w->run->checkpoint_every > 0 && now - v->saved > w->run->checkpoint_every)
    v->wishes |= CAS_WISH_SAVE;
}

static void tell(cas_watch *w, bool finished, cas_status st, double now) {
  const cas_run_request *q = w->run->request;
  cas_vigil *v = &w->run->vigil;
  if (q->wishes)
    v->wishes |= q->wishes(q->wishes_context);
  look_at_clock(w, now);
  w->mine[FAILED] = st != CAS_OK;
  w->mine[LEAVE] = (v->wishes & CAS_WISH_LEAVE) != 0;
  w->mine[SAVE] = (v->wishes & CAS_WISH_SAVE) != 0;
  w->mine[UNFINISHED] = !finished;
  MPI_Iallreduce(w->mine, w->all, CAS_WATCH_WORDS, MPI_INT, MPI_MAX, w->comm, &w->request);
  w->pending = true;
  w->told = now;
}

/* A run that all have finished needs no checkpoint any more. */
static cas_watch_signal agreed(const cas_watch *w) {
  if (w->all[FAILED])
    return CAS_WATCH_FAILED;
  if (!w->all[UNFINISHED])
    return CAS_WATCH_DONE;
  if (w->all[LEAVE])
    return CAS_WATCH_LEAVE;
  return w->all[SAVE] ? CAS_WATCH_SAVE : CAS_WATCH_ON;
}

static cas_watch_signal step(cas_watch *w, bool finished, cas_status st) {
  int complete = 0;
  if (w->held != CAS_WATCH_ON) {
    cas_watch_signal held = w->held;
    w->held = CAS_WATCH_ON;
    return held;
  }
  if (!w->pending) {
    double now = MPI_Wtime();
    if (finished || st || now - w->told >= w->interval)
      tell(w, finished, st, now);
  }
  if (!w->pending)
    return CAS_WATCH_ON;
  MPI_Test(&w->request, &complete, MPI_STATUS_IGNORE);
  if (!complete)
    return CAS_WATCH_ON;
  w->pending = false;
  return agreed(w);
}

cas_watch_signal cas_watch_poll(cas_watch *w) { return step(w, false, CAS_OK); }

bool cas_watch_glance(cas_watch *w) {
  if (w->held == CAS_WATCH_ON)
    w->held = step(w, false, CAS_OK);
  return w->held == CAS_WATCH_LEAVE || w->held == CAS_WATCH_FAILED;
}

static cas_watch_signal wait_for(cas_watch *w, bool finished, cas_status st) {
  const struct timespec nap = {0, 200000}; /* leaves the core to ranks that still work on it */
  cas_watch_signal s;
  while ((s = step(w, finished, st)) == CAS_WATCH_ON)
    nanosleep(&nap, NULL);
  return s;
}

cas_watch_signal cas_watch_wait(cas_watch *w, cas_status st) { return wait_for(w, !st, st); }

cas_watch_signal cas_watch_leave(cas_watch *w) {
  w->run->vigil.wishes |= CAS_WISH_LEAVE;
  return wait_for(w, false, CAS_OK);
}
