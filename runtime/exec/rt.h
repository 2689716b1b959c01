/* The runtime object, for the files of runtime/ that share it. */
#ifndef GPA_EXEC_RT_H
#define GPA_EXEC_RT_H

#include <stdatomic.h>

#include "runtime/exec/storage.h"
#include "runtime/exec/device.h"

enum { NODE_CLASSES = 6, ARR_POOLED_DIMS = 4 };

struct explain; /* explain.h */
struct profile; /* profile.h */
struct opener;  /* device.c: a device that is opening in the background */
struct roll;    /* loop_batch.c: loop iterations that are held back */
struct exec;    /* exec.c: scratch of plans and lowering, deferred errors, plan cache */

struct gpa_rt {
    rt_config config;
    gpa_span at; /* the current source location (rt_at) */
    atomic_bool interrupted;

    gpa_device *device;    /* the current one, once opened; NULL before */
    gpa_device *devices;   /* all opened */
    char device_name[16];  /* requested; "": the best available */
    bool prepared;         /* rt_prepare was called */
    uint32_t n_streams;    /* created so far */
    struct opener *opener; /* NULL: no device is opening */

    gpa_storage pending; /* sentinel of the circular list of pending storages, oldest first */
    size_t n_pending;
    uint64_t pending_limit; /* bytes that pending work alone may keep alive on any device */

    struct { /* node.c */
        node **slot;
        size_t cap, count;
        node *free[NODE_CLASSES];
        uint32_t mark;    /* number of the last traversal */
        size_t unchecked; /* gathers without a bounds check yet, and queued checks */
    } nodes;

    struct { /* unused_gather.c: queued bounds checks */
        node **check;
        size_t n, cap;
        bool closed; /* the runtime is being freed: no more checks */
    } unread;

    gpa_arr *free_arrs; /* handles of up to ARR_POOLED_DIMS dimensions, linked through `base` */
    gpa_storage *free_storages; /* linked through `next` */

    struct exec *exec;
    struct roll *roll;
    struct explain *explain; /* NULL: not recording */
    struct profile *profile; /* NULL: not profiling */
    char memory_limit[32];   /* of rt_set_memory_limit; "": GPA_MEMORY_LIMIT applies */
    rt_stats stats;
};

#endif
