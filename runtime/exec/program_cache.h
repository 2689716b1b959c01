/* Program cache: the compiled programs of a device, by structural key, with LRU eviction.
 *
 * Keys are compared whole, so two programs are never mistaken for each other. The cache is bounded:
 * past TUNE_PROGRAM_CACHE_MAX_PROGRAMS or TUNE_PROGRAM_CACHE_MAX_KEY_BYTES the least recently used
 * programs are dropped, except for those with users: a holder of an entry beyond the next lookup
 * (a plan, a compiled kernel, a profile) retains it. */
#ifndef GPA_EXEC_PROGRAM_CACHE_H
#define GPA_EXEC_PROGRAM_CACHE_H

#include "runtime/exec/device.h"

typedef struct program_cache_entry {
    gpa_prog *prog; /* NULL: the device dropped its programs (a restart), and users remain */
    double compile_seconds;
    uint64_t hash;
    size_t n_key, n_params;
    int users;                                 /* program_retain less program_release */
    struct program_cache_entry *chain;         /* of its hash bucket */
    struct program_cache_entry *newer, *older; /* by last use */
    char key[]; /* n_key bytes, then the dtypes of the n_params parameters */
} program_cache_entry;

/* The dtypes of a program's parameters. */
static inline const uint8_t *program_params(const program_cache_entry *x) {
    return (const uint8_t *)x->key + x->n_key;
}

/* The program for f: cached, or verified and built now (*built says which). Owned by the cache and
 * valid until the next lookup, longer if retained. */
gpa_code program_cache_get(gpa_rt *rt, gpa_device *d, const kir_func *f, program_cache_entry **out,
                           bool *built, gpa_err *e);

/* Keeps an entry, for a holder that looks it up once and launches it later. NULL is ignored. An
 * entry outlives its device's programs while it has users; its prog must not be used then. */
program_cache_entry *program_retain(program_cache_entry *x);
void program_release(program_cache_entry *x);

#endif
