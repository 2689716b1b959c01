/* Library calls that an interrupt detaches: they run on a thread of their own while the caller
 * polls.
 *
 * A library such as LAPACK cannot be stopped. After an interrupt the caller goes on, the thread
 * ends its call, and what it writes is freed. */
#ifndef GPA_CPU_PARALLEL_DETACHED_H
#define GPA_CPU_PARALLEL_DETACHED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    void (*run)(void *arg); /* the call, on the new thread */
    /* Takes over all memory that `run` uses, so that the caller may free or reuse its own; false:
     * memory is short, and the caller waits for the end. On the caller's thread. */
    bool (*take_over)(void *arg);
    void (*drop)(void *arg); /* frees `arg` and its memory, when a detached call has ended */
} detached_call;

/* Runs call->run(arg) and waits for it. True: it has ended. False: *stop was set first, and `arg`
 * belongs to the detached thread. While many detached calls run it waits for the
 * end of one of them, or for *stop (false, after `drop`). Without a thread it runs on the caller's.
 */
bool detached_run(const detached_call *call, void *arg, const int32_t *stop);
/* True while a detached call runs: its library must not be unloaded. At the exit of the process
 * such calls are abandoned. */
bool detached_is_running(void);

#endif
