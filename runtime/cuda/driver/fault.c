/* Delivery of fault records: from pinned memory to the callers of their launches. */
#include "runtime/cuda/driver/fault.h"

#include <string.h>

#include "runtime/cuda/driver/interrupt.h"

bool fault_is_set(const gpa_dev *d) {
    for (uint32_t i = 0; i < d->faults.n; i++)
        if (d->faults.host[i].set) return true;
    return false;
}

void fault_deliver(gpa_dev *d) {
    cu_faults *x = &d->faults;
    bool any = false;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!x->host[i].set) continue;
        any = true;
        if (x->to[i] && !x->to[i]->set) *x->to[i] = x->host[i];
    }
    if (any) {
        memset(x->host, 0, FAULT_SLOTS * sizeof *x->host);
        d->cu->fill(x->locks, 0, FAULT_SLOTS * FAULT_LOCK_BYTES, d->stream);
        d->cu->fill(x->seen, 0, FAULT_SLOTS * SEEN_BYTES, d->stream);
        d->touched = ++d->queued;
    }
    x->n = 0;
    interrupt_settled(d);
}

void fault_discard(gpa_dev *d, bool interrupted) {
    for (uint32_t i = 0; i < d->faults.n; i++) {
        kir_fault_record *to = d->faults.to[i];
        if (to && interrupted && !to->set)
            *to = (kir_fault_record){.set = 1, .kind = KIR_FT_STOPPED};
        d->faults.to[i] = NULL;
    }
}
