/* The fault of a launch: fault.h. */
#include "runtime/cpu/emit/fault.h"

void cpu_fault_keep(cpu_fault_cell *cell, int64_t lo, int64_t from, const kir_fault_record *r) {
    if (!cell->record) return;
    while (__atomic_exchange_n(&cell->lock, 1, __ATOMIC_ACQUIRE)) continue;
    if (!cell->record->set || lo < cell->lo || (lo == cell->lo && from < cell->from)) {
        *cell->record = *r;
        cell->record->set = 1;
        cell->lo = lo, cell->from = from;
    }
    __atomic_store_n(&cell->lock, 0, __ATOMIC_RELEASE);
}
