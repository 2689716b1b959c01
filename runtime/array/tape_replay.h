/* The records of iterations that are replayed while a tape is open.
 *
 * Each replayed iteration appends copies of the records of the last one that was interpreted, of
 * other storages: those that are linked to the iteration before (tape_pattern.h), or new ones. */
#ifndef GPA_ARRAY_TAPE_REPLAY_H
#define GPA_ARRAY_TAPE_REPLAY_H

#include "runtime/exec/loop_model.h"

typedef struct tape_replay tape_replay;

/* What the logged iterations recorded, in r->tape (NULL: nothing), and the memory that records
 * keep, in r->model.kept. Else why their records do not repeat. */
rt_loop_reason tape_replay_make(gpa_rt *rt, struct loop_replay *r);
void tape_replay_free(struct loop_replay *r);

/* An array that each iteration keeps: the name of its memory in the log, LOG_NO_MEMORY if it is the
 * same array in all iterations, and the storage that it is of. */
typedef struct {
    int32_t name;
    gpa_dtype dtype;
    int64_t size;
} tape_kept;
size_t tape_replay_kept(const tape_replay *t, const tape_kept **out);
/* Goes on to the next iteration: its storages get numbers. */
gpa_code tape_replay_next(gpa_rt *rt, tape_replay *t, gpa_err *e);
/* The number of the storage of kept array i in the iteration. */
uint64_t tape_replay_kept_number(const tape_replay *t, size_t i);
/* The number of the storage that variable i holds at its end; 0: none. */
uint64_t tape_replay_end_number(const tape_replay *t, size_t i);
/* Appends its records. storage[i] is that of kept array i. */
gpa_code tape_replay_record(gpa_rt *rt, tape_replay *t, gpa_storage *const *storage, gpa_err *e);

#endif
