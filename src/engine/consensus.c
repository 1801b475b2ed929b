#include "engine/consensus.h"

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

cas_status cas_consensus_begin(cas_run_state *r, cas_consensus *w, cas_error *err) {
  double now = MPI_Wtime();
  *w = (cas_consensus){.run = r,
                       .request = MPI_REQUEST_NULL,
                       .interval = interval_for(r->checkpoint_every),
                       .told = now};
  if (r->pending.saved == 0)
    r->pending.saved = now;
  if (MPI_Comm_dup(r->comm, &w->comm))
    return cas_fail(err, CAS_INTERNAL, "MPI_Comm_dup failed");
  return CAS_OK;
}

void cas_consensus_end(cas_consensus *w) { MPI_Comm_free(&w->comm); }

void cas_consensus_saved(cas_consensus *w, double begun) {
  cas_pending_signals *v = &w->run->pending;
  v->saved = MPI_Wtime();
  v->saving = v->saved - begun;
  v->signals &= ~(unsigned)CAS_SIGNAL_SAVE;
}

/* The clock is rank 0's matter; time is left for a checkpoint and for what ends the program, and for
   steps that take longer than the interval. */
static void look_at_clock(cas_consensus *w, double now) {
  const cas_run_request *q = w->run->request;
  cas_pending_signals *v = &w->run->pending;
  double between = now - w->told > 2 * w->interval ? now - w->told : w->interval;
  if (w->run->rank != 0)
    return;
  if (q->max_walltime > 0 && now - w->run->clock > q->max_walltime - 2 * v->saving - 2 * between)
    v->signals |= CAS_SIGNAL_LEAVE;
  if (w->run->checkpoint_every > 0 && now - v->saved > w->run->checkpoint_every)
    v->signals |= CAS_SIGNAL_SAVE;
}

static void tell(cas_consensus *w, bool finished, cas_status st, double now) {
  const cas_run_request *q = w->run->request;
  cas_pending_signals *v = &w->run->pending;
  if (q->signals)
    v->signals |= q->signals(q->signals_context);
  look_at_clock(w, now);
  w->mine[FAILED] = st != CAS_OK;
  w->mine[LEAVE] = (v->signals & CAS_SIGNAL_LEAVE) != 0;
  w->mine[SAVE] = (v->signals & CAS_SIGNAL_SAVE) != 0;
  w->mine[UNFINISHED] = !finished;
  MPI_Iallreduce(w->mine, w->all, CAS_CONSENSUS_WORDS, MPI_INT, MPI_MAX, w->comm, &w->request);
  w->pending = true;
  w->told = now;
}

/* A run that all have finished needs no checkpoint any more. */
static cas_action agreed(const cas_consensus *w) {
  if (w->all[FAILED])
    return CAS_ACTION_FAILED;
  if (!w->all[UNFINISHED])
    return CAS_ACTION_DONE;
  if (w->all[LEAVE])
    return CAS_ACTION_LEAVE;
  return w->all[SAVE] ? CAS_ACTION_SAVE : CAS_ACTION_CONTINUE;
}

static cas_action step(cas_consensus *w, bool finished, cas_status st) {
  int complete = 0;
  if (w->held != CAS_ACTION_CONTINUE) {
    cas_action held = w->held;
    w->held = CAS_ACTION_CONTINUE;
    return held;
  }
  if (!w->pending) {
    double now = MPI_Wtime();
    if (finished || st || now - w->told >= w->interval)
      tell(w, finished, st, now);
  }
  if (!w->pending)
    return CAS_ACTION_CONTINUE;
  MPI_Test(&w->request, &complete, MPI_STATUS_IGNORE);
  if (!complete)
    return CAS_ACTION_CONTINUE;
  w->pending = false;
  return agreed(w);
}

cas_action cas_consensus_poll(cas_consensus *w) { return step(w, false, CAS_OK); }

bool cas_consensus_must_stop(cas_consensus *w) {
  if (w->held == CAS_ACTION_CONTINUE)
    w->held = step(w, false, CAS_OK);
  return w->held == CAS_ACTION_LEAVE || w->held == CAS_ACTION_FAILED;
}

static cas_action wait_for(cas_consensus *w, bool finished, cas_status st) {
  const struct timespec nap = {0, 200000}; /* leaves the core to ranks that still work on it */
  cas_action s;
  while ((s = step(w, finished, st)) == CAS_ACTION_CONTINUE)
    nanosleep(&nap, NULL);
  return s;
}

cas_action cas_consensus_wait(cas_consensus *w, cas_status st) { return wait_for(w, !st, st); }

cas_action cas_consensus_leave(cas_consensus *w) {
  w->run->pending.signals |= CAS_SIGNAL_LEAVE;
  return wait_for(w, false, CAS_OK);
}
