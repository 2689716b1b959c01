/* Records of consecutive iterations of a loop: whether they repeat.
 *
 * A segment is the records of one iteration. Two segments repeat if they have the same operations
 * on arrays of the same layouts, and their storages correspond: storages are named by the order in
 * which the records refer to them. Offsets may advance by constant amounts. */
#ifndef GPA_ARRAY_TAPE_PATTERN_H
#define GPA_ARRAY_TAPE_PATTERN_H

#include "runtime/array/tape.h"

enum { PATTERN_MAX_RECORDS = 96, PATTERN_MAX_OPERANDS = 320, PATTERN_MAX_STORAGES = 64 };

/* The storages of a segment, by name, and the arrays that its records keep, in order. */
typedef struct {
    uint64_t storage[PATTERN_MAX_STORAGES];
    gpa_arr *kept[RT_LOOP_MAX_ARRAYS];
    size_t n_storages, n_kept;
} segment;

/* The records that the segments after `first` repeat. */
typedef struct {
    const tape_record *record[PATTERN_MAX_RECORDS]; /* of the first one */
    size_t n_records;
    int16_t name[PATTERN_MAX_OPERANDS];       /* of the storage of each operand; -1: a scalar */
    int64_t advance[PATTERN_MAX_OPERANDS];    /* of its offset, from segment to segment, */
    int64_t kept_advance[RT_LOOP_MAX_ARRAYS]; /* and of those of kept arrays */
    int16_t same_memory[RT_LOOP_MAX_ARRAYS];  /* the first kept array with the same storage */
    int16_t link[PATTERN_MAX_STORAGES]; /* its name in the segment before; -1: not in that one */
    segment first;
} pattern;

/* Finds the repeated pattern of two segments: the one whose last record is `last`, and the one that
 * was recorded before it, at *next. False: they do not, or are too large. `end`: the record before
 * a segment. */
bool pattern_make(pattern *p, const tape_record *last);
/* Matches the segment whose last record is `last`, k segments from the first one, against the
 * pattern; `before`: the segment that comes k - 1 segments from the first one. */
bool pattern_match(const pattern *p, int64_t k, const tape_record *last, const segment *before,
                   segment *out);
/* The record that begins the next segment, going back; NULL: none. */
const tape_record *segment_next(const tape_record *last);

#endif
