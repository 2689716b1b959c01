/* Interrupt flags of launches.
 *
 * Invariant: a flag that was set while its launch was in the queue stays set until all queued work
 * is done. So launches end after a caught KeyboardInterrupt, whether it came before the launch,
 * before the kernel started, or while it ran.
 *
 * A request may come at any time. After clearing flags, the request is read again, and if it is set
 * the flags are set again: with sequentially consistent atomics one side sees the other's store. */
#include "runtime/cuda/driver/interrupt.h"

static void set_flags(gpa_dev *d, uint32_t from, int v) {
    int *flag = __atomic_load_n(&d->interrupt, __ATOMIC_ACQUIRE);
    for (uint32_t i = from; flag && i < FAULT_SLOTS; i++)
        __atomic_store_n(&flag[i], v, __ATOMIC_SEQ_CST);
}

/* Clears the flags from slot `from` on, unless a request is pending. */
static void clear_flags(gpa_dev *d, uint32_t from) {
    set_flags(d, from, 0);
    if (interrupt_requested(d)) set_flags(d, 0, 1);
}

void interrupt_request(gpa_dev *d, bool on) {
    __atomic_store_n(&d->is_requested, on, __ATOMIC_SEQ_CST);
    if (on)
        set_flags(d, 0, 1);
    else
        clear_flags(d, d->faults.n);
}

void interrupt_open(gpa_dev *d) {
    __atomic_store_n(&d->interrupt, d->mapped->interrupt, __ATOMIC_SEQ_CST);
    clear_flags(d, 0);
}

void interrupt_close(gpa_dev *d) { __atomic_store_n(&d->interrupt, NULL, __ATOMIC_SEQ_CST); }

void interrupt_settled(gpa_dev *d) {
    const int *flag = d->interrupt; /* slots are allocated from the first on */
    if (flag && __atomic_load_n(&flag[0], __ATOMIC_RELAXED)) clear_flags(d, 0);
}
