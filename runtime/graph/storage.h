/* Storage: the cell that an array and its views share.
 *
 * It holds either `node`, a pending value whose elements in C order are the storage's, or `buf`,
 * device memory. Pending storages form a doubly linked ring of the runtime; a storage without
 * handles leaves the ring and is never computed. */
#ifndef GPA_GRAPH_STORAGE_H
#define GPA_GRAPH_STORAGE_H

#include "runtime/graph/node.h"

typedef struct gpa_storage {
    int32_t refs;     /* handles */
    uint8_t dtype;    /* of the pending value; afterwards of the elements first written */
    bool is_root;     /* scratch of exec: it is among the roots already */
    bool failed;      /* computing it failed: only an explicit read tries again */
    bool dead;        /* pending, and not read any more: a store need not compute it before */
    bool likely_dead; /* pending, and probably not read any more (rt_loop_dead) */
    bool waited;      /* it was not computed at the end of an iteration for that */
    int64_t size;     /* elements of that dtype */
    uint64_t number;  /* of the storage on tapes (runtime/tape.h); 0: on none yet */
    node *node;       /* pending; NULL once computed */
    gpa_buf *buf;     /* computed (an owner of it) */
    struct gpa_storage *prev, *next; /* the runtime's ring, while pending */
} gpa_storage;

#endif
