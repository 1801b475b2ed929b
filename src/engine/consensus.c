#include "engine/consensus.h"

#include <math.h>
#include <time.h>

/* Words that ranks reduce to the maximum over all ranks. */
enum { FAILED, LEAVE, SAVE, UNFINISHED };

cas_status cas_consensus_begin(cas_run_state *r, cas_consensus *c, cas_error *err) {
  const double now = MPI_Wtime(), usual = 0.25, least = 0.001, every = r->checkpoint_every;
  /* Reductions are a quarter of a second apart, or less: at least four between two checkpoints. */
  *c = (cas_consensus){.run = r,
                       .request = MPI_REQUEST_NULL,
                       .interval = every > 0 ? fmin(usual, fmax(every / 4, least)) : usual,
                       .last_begun = now};
  if (r->pending.last_save == 0)
    r->pending.last_save = now;
  cas_meet(r->run.comm);
  CAS_FAIL_IF(MPI_Comm_dup(r->run.comm, &c->comm), CAS_INTERNAL, "MPI_Comm_dup failed");
  return CAS_OK;
}

void cas_consensus_end(cas_consensus *c) { MPI_Comm_free(&c->comm); }

void cas_consensus_saved(cas_consensus *c, double begun) {
  cas_pending_signals *p = &c->run->pending;
  p->last_save = MPI_Wtime();
  p->save_seconds = p->last_save - begun;
  p->signals &= ~(unsigned)CAS_SIGNAL_SAVE;
}

/* Rank 0 alone reads the clock. Before a time limit there has to be time for a checkpoint that is
   under way, for another one, and for steps that take longer than the interval. */
static void check_clock(cas_consensus *c, double now) {
  const cas_run_request *q = c->run->request;
  cas_pending_signals *p = &c->run->pending;
  double between = now - c->last_begun > 2 * c->interval ? now - c->last_begun : c->interval;
  if (c->run->run.rank != 0)
    return;
  if (q->max_walltime > 0 &&
      now - c->run->clock > q->max_walltime - 2 * p->save_seconds - 2 * between)
    p->signals |= CAS_SIGNAL_LEAVE;
  if (c->run->checkpoint_every > 0 && now - p->last_save > c->run->checkpoint_every)
    p->signals |= CAS_SIGNAL_SAVE;
}

static void begin_reduction(cas_consensus *c, bool finished, cas_status st, double now) {
  const cas_run_request *q = c->run->request;
  cas_pending_signals *p = &c->run->pending;
  if (q->signals)
    p->signals |= q->signals(q->signals_context);
  check_clock(c, now);
  c->mine[FAILED] = st != CAS_OK;
  c->mine[LEAVE] = (p->signals & CAS_SIGNAL_LEAVE) != 0;
  c->mine[SAVE] = (p->signals & CAS_SIGNAL_SAVE) != 0;
  c->mine[UNFINISHED] = !finished;
  MPI_Iallreduce(c->mine, c->all, CAS_CONSENSUS_WORDS, MPI_INT, MPI_MAX, c->comm, &c->request);
  c->under_way = true;
  c->last_begun = now;
}

static cas_action step(cas_consensus *c, bool finished, cas_status st) {
  int complete = 0;
  if (c->held != CAS_ACTION_CONTINUE) {
    cas_action held = c->held;
    c->held = CAS_ACTION_CONTINUE;
    return held;
  }
  if (!c->under_way) {
    double now = MPI_Wtime();
    if (finished || st || now - c->last_begun >= c->interval)
      begin_reduction(c, finished, st, now);
  }
  if (!c->under_way)
    return CAS_ACTION_CONTINUE;
  MPI_Test(&c->request, &complete, MPI_STATUS_IGNORE);
  if (!complete)
    return CAS_ACTION_CONTINUE;
  c->under_way = false;
  /* A run that all ranks have finished needs no checkpoint any more. */
  if (c->all[FAILED])
    return CAS_ACTION_FAILED;
  if (!c->all[UNFINISHED])
    return CAS_ACTION_DONE;
  if (c->all[LEAVE])
    return CAS_ACTION_LEAVE;
  return c->all[SAVE] ? CAS_ACTION_SAVE : CAS_ACTION_CONTINUE;
}

cas_action cas_consensus_poll(cas_consensus *c) { return step(c, false, CAS_OK); }

bool cas_consensus_must_stop(cas_consensus *c) {
  if (c->held == CAS_ACTION_CONTINUE)
    c->held = step(c, false, CAS_OK);
  return c->held == CAS_ACTION_LEAVE || c->held == CAS_ACTION_FAILED;
}

static cas_action wait_for(cas_consensus *c, bool finished, cas_status st) {
  const struct timespec nap = {0, 200000}; /* leaves the core to ranks that still work on it */
  cas_action s;
  while ((s = step(c, finished, st)) == CAS_ACTION_CONTINUE)
    nanosleep(&nap, NULL);
  return s;
}

cas_action cas_consensus_wait(cas_consensus *c, cas_status st) { return wait_for(c, !st, st); }

cas_action cas_consensus_leave(cas_consensus *c) {
  c->run->pending.signals |= CAS_SIGNAL_LEAVE;
  return wait_for(c, false, CAS_OK);
}
