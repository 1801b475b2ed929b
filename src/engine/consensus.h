/* Ranks work at their own pace. Several times a second they tell each other, without waiting, what
   is wanted of them and whether they have finished; what they have agreed on in that way all of
   them then do together. Nothing here has an influence on what is computed. */
#ifndef CAS_CONSENSUS_H
#define CAS_CONSENSUS_H

#include "engine/study.h"

typedef enum {
  CAS_ACTION_CONTINUE, /* nothing to do */
  CAS_ACTION_SAVE,     /* write a checkpoint and go on */
  CAS_ACTION_LEAVE,    /* write a checkpoint and leave */
  CAS_ACTION_DONE,     /* every rank has finished */
  CAS_ACTION_FAILED    /* a rank has failed: stop */
} cas_action;

enum { CAS_CONSENSUS_WORDS = 4 };

typedef struct {
  cas_run_state *run;
  MPI_Comm comm;
  MPI_Request request;
  bool pending;
  int mine[CAS_CONSENSUS_WORDS], all[CAS_CONSENSUS_WORDS];
  double interval; /* seconds between rounds */
  double told;     /* when the last round began */
  cas_action held; /* agreed on at a glance, and not yet handed out */
} cas_consensus;

/** Collective. What run->pending says of an earlier watch still holds. */
cas_status cas_consensus_begin(cas_run_state *r, cas_consensus *w, cas_error *err) CAS_MUST_CHECK;
/** From within the work, as often as every millisecond. */
cas_action cas_consensus_poll(cas_consensus *w);
/** From within a piece of work whose state cannot be stored: whether to give that piece up, because all
    will leave or stop. What is agreed on meanwhile is held for the next call of another function. */
bool cas_consensus_must_stop(cas_consensus *w);
/** After the last piece of work (st: CAS_OK), or after what failed here: waits for the others.
    Never returns CAS_ACTION_CONTINUE. */
cas_action cas_consensus_wait(cas_consensus *w, cas_status st);
/** From within work that cannot go on: signals to leave, and waits for what is agreed on. Never
    returns CAS_ACTION_CONTINUE. */
cas_action cas_consensus_leave(cas_consensus *w);
/** A checkpoint was begun at `begun` and is complete. */
void cas_consensus_saved(cas_consensus *w, double begun);
/** Collective, after the same signal on all ranks. */
void cas_consensus_end(cas_consensus *w);

#endif
