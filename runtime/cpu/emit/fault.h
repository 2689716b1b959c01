/* The fault of a launch: which of those that threads report at the same time is kept. */
#ifndef GPA_CPU_EMIT_FAULT_H
#define GPA_CPU_EMIT_FAULT_H

#include "runtime/ir/kir.h"

/* The fault of the first outer point, there of the first inner one, so that the one reported does
 * not depend on the threads' timing. */
typedef struct {
    kir_fault_record *record; /* NULL: the program has none */
    int64_t lo, from;         /* the range that faulted, once record->set */
    int32_t lock;             /* spin lock */
} cpu_fault_cell;

/* Compile-time facts of a fault: passed by value, in two registers. Compiled code passes the
 * same two words as integers: the axis in the upper half of the first, the source line in the
 * second. */
typedef struct {
    uint32_t kind; /* kir_fault */
    uint32_t axis; /* or the text of a KIR_FAULT */
    uint32_t line;
} cpu_fault_site;

/* Records the fault of a call of compiled code on [lo, ..) and [from, ..), unless an earlier range
 * has faulted. Threads may call it at the same time. */
void cpu_fault_keep(cpu_fault_cell *cell, int64_t lo, int64_t from, const kir_fault_record *r);

#endif
