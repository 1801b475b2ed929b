/* Faults on purpose: the n-th call that changes a file under test fails, or ends the process. */
#ifndef FAULTS_H
#define FAULTS_H

typedef enum {
  FAULT_NONE, /* only count */
  FAULT_KILL, /* the process dies before the call */
  FAULT_HALF, /* it dies after half of the bytes; other calls: after the call */
  FAULT_FAIL, /* the call fails: EIO */
  FAULT_FULL  /* it and all later ones fail: ENOSPC, with half of the bytes written by the first */
} fault_kind;

/** Calls on files whose path contains `match` count from 1 on; number `at` meets the fault. */
void faults_arm(const char *match, long at, fault_kind kind);
/** Calls since faults_arm. */
long faults_seen(void);

#endif
