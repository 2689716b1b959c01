/* Captured programs: launches of a program on other operands of the same structure, without a
 * graph or a plan.
 *
 * A reduction of a few elements costs less than planning it. The first one of a structure (dtypes,
 * which strides are 1, which operands share memory) is planned as usual and its program captured;
 * further ones bind their operands to it, so that their bits are the same. */
#ifndef GPA_EXEC_CAPTURED_H
#define GPA_EXEC_CAPTURED_H

#include "runtime/exec/device.h"
#include "runtime/plan/lower.h"

struct program_cache_entry;

enum { CAPTURED_OPERANDS = 2, CAPTURED_ARRAYS = CAPTURED_OPERANDS + 1, CAPTURED_SLOTS = 64 };

/* The operands of a reduction to one element: computed one-dimensional arrays of equal size, in
 * host-visible memory of one device. */
typedef struct {
    gpa_arr *operand[CAPTURED_OPERANDS];
    int n;
} captured_operands;

typedef struct captured_program {
    uint64_t key;                        /* what the caller reduces, and the operands' structure */
    const gpa_device *device;            /* NULL: nothing is captured */
    uint32_t epoch;                      /* of the device's memory */
    struct program_cache_entry *program; /* retained */
    size_t n_arrays;
    int8_t role[CAPTURED_ARRAYS]; /* per array of the program: its operand; -1: the result */
} captured_program;

/* True if the operands qualify: computed, on device d, without open deferred errors, of at least
 * two elements along a positive stride (at most one negative). */
bool captured_qualifies(const gpa_device *d, const captured_operands *x);
/* The key of a reduction `what` (below 2^16) of operands that qualify. */
uint64_t captured_key(uint32_t what, const captured_operands *x);
/* Captures the only launch of a plan: it reduces x to one new element. False: it has another form.
 */
bool captured_set(captured_program *c, uint64_t key, gpa_device *d, const lowered *l,
                  struct program_cache_entry *program, const captured_operands *x);
/* Runs a captured program on operands with its key; the result is element 0 of `result`. Waits. */
gpa_code captured_run(gpa_rt *rt, const captured_program *c, const captured_operands *x,
                      gpa_buf *result, gpa_err *e);
void captured_free(captured_program *c);

#endif
