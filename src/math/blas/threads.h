/** Threads of a rank that share the work on one path. Only the thread that started them may call
    these functions. */
#ifndef CAS_THREADS_H
#define CAS_THREADS_H

/** Part number `part` of `parts` of some work. */
typedef void cas_threads_work(void *context, int part, int parts);

/** Makes `threads` threads from now on, the calling one among them: fewer where the system gives
    no more. They take denormal numbers as zero. */
void cas_threads_use(int threads);
/** Threads take part after part of the work, some pieces for each thread, and the
    call returns when all are done. What is computed must not depend on the number of parts. */
void cas_threads_run(cas_threads_work *work, void *context, int pieces);

#endif
