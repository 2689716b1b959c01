/* The state of one runtime: a record that all rooms from here on share.
 *
 * It is declared below the graph, because nodes are allocated from it. Later rooms keep their state
 * behind pointers to their own types, and nodes call them through function pointers, so this header
 * includes no later room. */
#ifndef GPA_GRAPH_STATE_H
#define GPA_GRAPH_STATE_H

#include <stdatomic.h>

#include "runtime/graph/storage.h"
#include "runtime/tables/precision.h"

enum { NODE_CLASSES = 6 };

struct explain;     /* explain.h */
struct profile;     /* profile.h */
struct opener;      /* device.c: a device that is being opened */
struct loop_batch;  /* loop_batch.h: iterations of a loop that are recorded and not yet launched */
struct loop_replay; /* loop_replay.h: the loop that is being recorded */
struct exec; /* exec.c: scratch of the fuser, the program under construction, fault records */

struct gpa_rt {
    rt_config config;
    gpa_span at; /* source location of the statement that runs */
    atomic_bool interrupted;

    struct gpa_device *device;  /* the default one, once opened; NULL before */
    struct gpa_device *devices; /* all opened */
    bool simulating;            /* compiled functions run on the current device (rt_simulate) */
    char device_name[16];       /* asked for; "" : the best there is */
    gpa_precision precision;    /* of products of float32 matrices */
    bool prepared;              /* rt_prepare was called */
    uint32_t n_streams;         /* made so far */
    struct opener *opener;      /* NULL: no device is being opened */

    gpa_storage pending; /* head of the ring of pending storages, oldest first */
    size_t n_pending;
    uint64_t pending_limit; /* bytes that only pending work may keep alive, at least */

    struct { /* node.c */
        node **slot;
        size_t cap, count;
        node *free[NODE_CLASSES];
        uint32_t mark;    /* the last traversal's number */
        size_t unchecked; /* gathers without a bounds check yet, and checks that wait */
        /* Called with an unchecked gather before it is freed; NULL: none. */
        void (*on_unused_gather)(gpa_rt *rt, const node *n);
    } nodes;

    struct { /* exec/product.c: matrix products that are not computed yet */
        size_t n;
        /* Computes one; *out is owned. */
        gpa_code (*compute)(gpa_rt *rt, const node *n, gpa_buf **out, gpa_err *e);
    } products;

    struct { /* unused_gather.c: checks that wait */
        node **check;
        size_t n, cap;
        bool closed; /* the runtime ends: no more of them */
    } unused_gathers;

    struct { /* shared_memory.c: buffers whose address another language knows */
        gpa_buf **at;
        size_t n, cap;
    } shared;

    gpa_arr *free_arrs;         /* pooled handles (rt.h), linked through `base` */
    gpa_storage *free_storages; /* linked through `next` */

    struct exec *exec;
    struct loop_batch *loop_batch;
    struct loop_replay *loop_replay; /* NULL before the first recording */
    bool loops_replayed;             /* unless GPA_LOOPS=off */
    bool loops_everywhere;           /* GPA_LOOPS=on: also on a GPU without graphs, and where
                                        a replay was measured to gain nothing */
    bool loops_held;                 /* only the backward pass of a tape may record one */
    struct gpa_tape *tape;           /* the innermost open one; NULL: none */
    uint64_t n_numbered;             /* storages that have a number on tapes */
    int tape_paused;                 /* > 0: within an operation that is recorded as a whole */
    struct explain *explain;         /* NULL: not recording */
    struct profile *profile;         /* the same */
    char memory_limit[32];           /* rt_set_memory_limit; "": GPA_MEMORY_LIMIT holds */
    rt_stats stats;
};

#endif
