#include "math/blas/threads.h"
#include "base/denormals.h"

#include <casimir/status.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  MOST = 1024,
  PATIENCE = 1 << 20, /* looks at a counter before a thread sleeps: about a millisecond, more than
                         what lies between two pieces of work. A thread that slept may wake up on
                         the processor of the one that woke it, and wait there for its end. */
  NO_PATIENCE = 1 << 11, /* of more threads than processors, which wait for each other */
  STACK = 1 << 20        /* bytes */
};

/* Work has a number, `given`, and ends when none of its parts is left. Threads take the next part
   from `next`, the number of the work times 2^32 and the parts that nobody has taken: a thread that
   comes late finds another number, or no part, and a slow one holds up no more than its part. */
static struct {
  int threads, patience;
  atomic_bool leave;
  pthread_t worker[MOST];
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  cas_threads_work *work;
  void *context;
  int parts;
  atomic_uint given;
  atomic_ullong next;
  atomic_int left;
} pool = {.threads = 1,
          .patience = NO_PATIENCE,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

static unsigned wait_for_work(unsigned done) {
  for (int i = 0; i < pool.patience && atomic_load(&pool.given) == done; i++)
    ;
  if (atomic_load(&pool.given) == done) {
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&pool.given) == done)
      pthread_cond_wait(&pool.begin, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
  }
  return atomic_load(&pool.given);
}

static void take_parts(unsigned number) {
  unsigned long long next = atomic_load(&pool.next);
  while (next >> 32 == number && (unsigned)next > 0) {
    if (!atomic_compare_exchange_weak(&pool.next, &next, next - 1))
      continue;
    pool.work(pool.context, pool.parts - (int)(unsigned)next, pool.parts);
    if (atomic_fetch_sub(&pool.left, 1) == 1) {
      pthread_mutex_lock(&pool.lock);
      pthread_cond_signal(&pool.end);
      pthread_mutex_unlock(&pool.lock);
    }
    next = atomic_load(&pool.next);
  }
}

static void *live(void *nothing CAS_UNUSED) {
  unsigned done = 0;
  (void)cas_denormals_flush();
  for (;;) {
    done = wait_for_work(done);
    if (atomic_load(&pool.leave))
      return NULL;
    take_parts(done);
  }
}

static unsigned give(int parts) {
  pthread_mutex_lock(&pool.lock);
  const unsigned number = atomic_load(&pool.given) + 1;
  atomic_store(&pool.left, parts);
  atomic_store(&pool.next, (unsigned long long)number << 32 | (unsigned)parts);
  atomic_store(&pool.given, number);
  pthread_cond_broadcast(&pool.begin);
  pthread_mutex_unlock(&pool.lock);
  return number;
}

void cas_threads_run(cas_threads_work *work, void *context, int pieces) {
  if (pool.threads == 1) {
    work(context, 0, 1);
    return;
  }
  pool.work = work;
  pool.context = context;
  pool.parts = pieces * pool.threads;
  take_parts(give(pool.parts));
  for (int i = 0; i < pool.patience && atomic_load(&pool.left) > 0; i++)
    ;
  if (atomic_load(&pool.left) == 0)
    return;
  pthread_mutex_lock(&pool.lock);
  while (atomic_load(&pool.left) > 0)
    pthread_cond_wait(&pool.end, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

void cas_threads_use(int threads) {
  pthread_attr_t attributes;
  sigset_t all, before;
  int n = 1;
  threads = threads > MOST ? MOST : threads;
  if (threads == pool.threads)
    return;
  atomic_store(&pool.leave, true);
  if (pool.threads > 1)
    (void)give(0);
  for (int i = 1; i < pool.threads; i++)
    pthread_join(pool.worker[i], NULL);
  atomic_store(&pool.leave, false);
  atomic_store(&pool.given, 0);
  pool.patience = threads <= processors() ? PATIENCE : NO_PATIENCE;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that called */
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  while (n < threads && !pthread_create(&pool.worker[n], &attributes, live, NULL))
    n++;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pool.threads = n;
}
