/* Tapes inside runtime/: recording an operation (the interface of the language: runtime/tape.h). */
#ifndef GPA_ARRAY_TAPE_H
#define GPA_ARRAY_TAPE_H

#include "runtime/array/array.h"
#include "runtime/exec/rt.h"
#include "runtime/tape.h"

/* An operation to record: see tape_record. */
typedef struct {
    const char *rule; /* NULL: the elementwise operation op */
    gpa_op op;
    const gpa_opnd *in;
    gpa_arr *const *out;
    int n_in, n_out;
    uint32_t keep_in, keep_out; /* bit per operand, per result: the rule needs its value */
    const int64_t *ints;
    int n_ints;
    double scale;
    const gpa_index *index;
    int n_index;
    bool stores;   /* the result is an array that existed */
    bool constant; /* the derivative is zero */
} tape_entry;

/* True if operations are recorded now: a tape is open, and no recorded operation is under way. */
static inline bool tape_is_on(const gpa_rt *rt) { return rt->tape && !rt->tape_paused; }
/* Records an operation on every tape on which an operand is active. */
gpa_code tape_note(gpa_rt *rt, const tape_entry *n, gpa_err *e);
/* Records an elementwise operation; dtype: the one that was asked for, or DT_NONE. */
gpa_code tape_note_ufunc(gpa_rt *rt, gpa_op op, gpa_dtype dtype, const gpa_opnd *in, gpa_arr *out,
                         gpa_err *e);
/* True if iterations may be replayed: a tape that is not of vmap is the only one, or there is none.
 */
bool tape_is_replayable(const gpa_rt *rt);
/* Tells %explain what the records keep, from the last one on. */
void tape_explain(gpa_rt *rt, const tape_record *last);
/* The last record of the innermost tape. */
const tape_record *tape_last(const gpa_rt *rt);
/* True if a storage is active on the innermost tape. */
bool tape_storage_is_active(const gpa_rt *rt, uint64_t number);
/* Adds a storage by its number, which is new, to the innermost tape. False: memory is short. */
bool tape_add_storage(gpa_rt *rt, uint64_t number, bool active);
/* A copy of a record that keeps no values; NULL when memory is short. */
tape_record *tape_copy_record(const tape_record *r);
/* Appends such a record, which is consumed, to the innermost tape. value[i], consumed, is what it
 * keeps of operand i; may be NULL. */
void tape_append_take(gpa_rt *rt, tape_record *r, gpa_arr *const *value);
/* Records an operation on one array; ints may be NULL. */
gpa_code tape_note_unary(gpa_rt *rt, const char *rule, gpa_arr *in, gpa_arr *out,
                         const tape_entry *options, gpa_err *e);
/* An indexed read or store. */
typedef struct {
    const char *rule;
    const gpa_indices *indices; /* NULL: of all elements */
    const gpa_opnd *value;      /* that is stored; NULL: a read */
} tape_indexing;
/* Records a[indices] = value, or out = a[indices]. */
gpa_code tape_note_index(gpa_rt *rt, const tape_indexing *x, gpa_arr *a, gpa_arr *out, gpa_err *e);
/* GPA_E_TYPE if the value of the array is not known: a tape of vmap is open, and it is active. */
gpa_code tape_concrete(gpa_rt *rt, gpa_arr *a, gpa_err *e);
/* Likewise GPA_E_INDEX for masks. */
gpa_code tape_concrete_masks(gpa_rt *rt, const gpa_indices *ix, gpa_err *e);
/* Before a[ix...] = rhs: a tape of vmap on which the value is active, and the storage of `a` is
 * not, records the elements of that storage ("initial"). ix and rhs may be NULL. */
gpa_code tape_before_assign(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, const gpa_opnd *rhs,
                            gpa_err *e);
/* Before `a` is stored into: records keep the old values of its elements. */
gpa_code tape_before_store(gpa_rt *rt, gpa_arr *a, gpa_err *e);
/* GPA_E_UNSUPPORTED, naming the function, if one of n arrays (some may be NULL) is active. */
gpa_code tape_refuse(gpa_rt *rt, const char *function, gpa_arr *const *in, int n, gpa_err *e);

/* Around an operation that is recorded as a whole, whose parts are not. */
static inline bool tape_enter(gpa_rt *rt) {
    const bool on = tape_is_on(rt);
    if (on) rt->tape_paused++;
    return on;
}
static inline void tape_leave(gpa_rt *rt, bool on) {
    if (on) rt->tape_paused--;
}

#endif
