/* The runtime's own structure, for the files of runtime/ that share it. */
#ifndef GPA_EXEC_RT_H
#define GPA_EXEC_RT_H

#include <stdatomic.h>

#include "runtime/exec/storage.h"
#include "runtime/exec/device.h"

enum { NODE_CLASSES = 6, ARR_POOLED_DIMS = 4 };

struct explain; /* explain.h */
struct profile; /* profile.h */
struct opener;  /* device.c: a device that is coming up */
struct roll;    /* loop_batch.c: the trips of a loop that are held back */
struct exec;    /* exec.c: scratch of the fuser, the program under construction, fault records */

struct gpa_rt {
    rt_config config;
    gpa_span at; /* who is writing */
    atomic_bool interrupted;

    gpa_device *device;    /* the default one, once opened; NULL before */
    gpa_device *devices;   /* all opened */
    char device_name[16];  /* asked for; "" : the best there is */
    bool prepared;         /* rt_prepare was here */
    uint32_t n_streams;    /* made so far */
    struct opener *opener; /* NULL: no device is coming up */

    gpa_storage pending; /* head of the ring of pending storages, oldest first */
    size_t n_pending;
    uint64_t pending_limit; /* bytes that only pending work may keep alive, at least */

    struct { /* node.c */
        node **slot;
        size_t cap, count;
        node *free[NODE_CLASSES];
        uint32_t mark;    /* the last traversal's number */
        size_t unchecked; /* gathers that nobody has looked at, checks that wait */
    } nodes;

    struct { /* unused_gather.c: checks that wait */
        node **check;
        size_t n, cap;
        bool closed; /* the runtime ends: no more of them */
    } unread;

    gpa_arr *free_arrs; /* handles of up to ARR_POOLED_DIMS dimensions, linked through `base` */
    gpa_storage *free_storages; /* linked through `next` */

    struct exec *exec;
    struct roll *roll;
    struct explain *explain; /* NULL: not recording */
    struct profile *profile; /* the same */
    char memory_limit[32];   /* rt_set_memory_limit; "": GPA_MEMORY_LIMIT holds */
    rt_stats stats;
};

#endif
