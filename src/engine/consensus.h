/* Consensus of ranks that work at their own pace. Several times a second they tell each other,
   without waiting, which signals they have heard and whether they have finished; what follows from
   that they all do together. Nothing here has an influence on what is computed. */
#ifndef CAS_CONSENSUS_H
#define CAS_CONSENSUS_H

#include "engine/study/study.h"

/* What all ranks do next. */
typedef enum {
  CAS_ACTION_CONTINUE, /* nothing special */
  CAS_ACTION_SAVE,     /* write a checkpoint and go on */
  CAS_ACTION_LEAVE,    /* write a checkpoint and leave */
  CAS_ACTION_DONE,     /* every rank has finished */
  CAS_ACTION_FAILED    /* a rank has failed: stop */
} cas_action;

enum { CAS_CONSENSUS_WORDS = 4 };

typedef struct {
  cas_run_state *run;
  MPI_Comm comm;
  MPI_Request request; /* of the reduction under way, */
  bool under_way;      /* if there is one */
  int mine[CAS_CONSENSUS_WORDS], all[CAS_CONSENSUS_WORDS];
  double interval;   /* seconds from one reduction to the next */
  double last_begun; /* time when the last reduction began */
  cas_action held; /* agreed on in cas_consensus_must_stop, for the next call of another function */
} cas_consensus;

/** Begins with run->pending as an earlier round has left it. Collective. */
cas_status cas_consensus_begin(cas_run_state *r, cas_consensus *c, cas_error *err) CAS_MUST_CHECK;
/** The action that is due. To be called from within the work, as often as every millisecond. */
cas_action cas_consensus_poll(cas_consensus *c);
/** Whether to give up an observation, whose state is not stored: all ranks will leave or stop. */
bool cas_consensus_must_stop(cas_consensus *c);
/** Waits for the next action, when this rank has done its work (st: CAS_OK) or failed in it. Never
    returns CAS_ACTION_CONTINUE. */
cas_action cas_consensus_wait(cas_consensus *c, cas_status st);
/** Asks all ranks to leave, because this one cannot go on, and waits for the next action. Never
    returns CAS_ACTION_CONTINUE. */
cas_action cas_consensus_leave(cas_consensus *c);
/** Takes note that a checkpoint was begun at the time `begun` and is complete. */
void cas_consensus_saved(cas_consensus *c, double begun);
/** Ends after the same action on all ranks. Collective. */
void cas_consensus_end(cas_consensus *c);

#endif
