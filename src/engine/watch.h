/* Ranks work at their own pace. Several times a second they tell each other, without waiting, what
   is wanted of them and whether they have finished; what they have agreed on in that way all of
   them then do together. Nothing here has an influence on what is computed. */
#ifndef CAS_WATCH_H
#define CAS_WATCH_H

#include "engine/study.h"

typedef enum {
  CAS_WATCH_ON,    /* nothing to do */
  CAS_WATCH_SAVE,  /* write a checkpoint and go on */
  CAS_WATCH_LEAVE, /* write a checkpoint and leave */
  CAS_WATCH_DONE,  /* every rank has finished */
  CAS_WATCH_FAILED /* a rank has failed: stop */
} cas_watch_signal;

enum { CAS_WATCH_WORDS = 4 };

typedef struct {
  cas_run_state *run;
  MPI_Comm comm;
  MPI_Request request;
  bool pending;
  int mine[CAS_WATCH_WORDS], all[CAS_WATCH_WORDS];
  double interval;       /* seconds between rounds */
  double told;           /* when the last round began */
  cas_watch_signal held; /* agreed on at a glance, and not yet handed out */
} cas_watch;

/** Collective. What run->vigil says of an earlier watch still holds. */
cas_status cas_watch_begin(cas_run_state *r, cas_watch *w, cas_error *err) CAS_MUST_CHECK;
/** From within the work, as often as every millisecond. */
cas_watch_signal cas_watch_poll(cas_watch *w);
/** From within a piece of work whose state cannot be stored: whether to give that piece up, because all
    will leave or stop. What is agreed on meanwhile is held for the next call of another function. */
bool cas_watch_glance(cas_watch *w);
/** After the last piece of work (st: CAS_OK), or after what failed here: waits for the others.
    Never returns CAS_WATCH_ON. */
cas_watch_signal cas_watch_wait(cas_watch *w, cas_status st);
/** From within work that cannot go on: wishes to leave, and waits for what is agreed on. Never
    returns CAS_WATCH_ON. */
cas_watch_signal cas_watch_leave(cas_watch *w);
/** A checkpoint was begun at `begun` and is complete. */
void cas_watch_saved(cas_watch *w, double begun);
/** Collective, after the same signal on all ranks. */
void cas_watch_end(cas_watch *w);

#endif
