/* Invariant: a word that was set while its launch was in the queue stays set until all that was
 * queued is done. So what a caught KeyboardInterrupt leaves behind ends, whether the interrupt came
 * before the launch, between launch and begin, or while it ran.
 *
 * A request may come at any moment. Who clears words looks again afterwards whether somebody is
 * asking, and then sets them again: one of the two sees what the other has written. */
#include "runtime/cuda/driver/interrupt.h"

static void put(gpa_dev *d, uint32_t from, int v) {
    int *word = __atomic_load_n(&d->interrupt, __ATOMIC_ACQUIRE);
    for (uint32_t i = from; word && i < FAULT_SLOTS; i++)
        __atomic_store_n(&word[i], v, __ATOMIC_SEQ_CST);
}

/* From this slot on launches are not asked, unless the user asks right now. */
static void let(gpa_dev *d, uint32_t from) {
    put(d, from, 0);
    if (interrupt_requested(d)) put(d, 0, 1);
}

void interrupt_request(gpa_dev *d, bool on) {
    __atomic_store_n(&d->is_requested, on, __ATOMIC_SEQ_CST);
    if (on)
        put(d, 0, 1);
    else
        let(d, d->faults.n);
}

void interrupt_open(gpa_dev *d) {
    __atomic_store_n(&d->interrupt, d->mapped->interrupt, __ATOMIC_SEQ_CST);
    let(d, 0);
}

void interrupt_close(gpa_dev *d) { __atomic_store_n(&d->interrupt, NULL, __ATOMIC_SEQ_CST); }

void interrupt_settled(gpa_dev *d) {
    const int *word = d->interrupt; /* slots are taken from the first on */
    if (word && __atomic_load_n(&word[0], __ATOMIC_RELAXED)) let(d, 0);
}
