/* The programs of a device, by their whole structural key. */
#ifndef GPA_EXEC_PROGRAM_CACHE_H
#define GPA_EXEC_PROGRAM_CACHE_H

#include "runtime/exec/device.h"

typedef struct cache_entry {
    uint64_t hash;
    size_t n_key;
    gpa_prog *prog;
    double compile_seconds;
    struct cache_entry *next;
    char key[];
} cache_entry;

/* The program for f: known, or checked and built now (*built says which). Owned by the cache. */
gpa_code cache_get(gpa_rt *rt, gpa_device *d, const kir_func *f, const cache_entry **out,
                   bool *built, gpa_err *e);

#endif
