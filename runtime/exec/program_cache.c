/* LRU cache of compiled programs: a chained hash table and a list in order of use.
 *
 * An eviction drops an eighth of the cache at once, because it must wait for the device: queued
 * launches may still use the dropped programs. */
#include "runtime/exec/program_cache.h"

#include "runtime/base/clock.h"
#include "runtime/exec/rt.h"
#include "runtime/tables/tuning.h"

struct program_cache {
    program_cache_entry **bucket;
    size_t n_buckets, count, key_bytes;
    program_cache_entry *newest, *oldest;
    gpa_str key; /* scratch of lookups, kept so that a lookup does not allocate */
};

/* ---- entries ---- */

program_cache_entry *program_retain(program_cache_entry *x) {
    if (x) x->users++;
    return x;
}

void program_release(program_cache_entry *x) {
    if (x && --x->users == 0 && !x->prog) mem_free(x);
}

static void unlink_use(struct program_cache *c, program_cache_entry *x) {
    *(x->newer ? &x->newer->older : &c->newest) = x->older;
    *(x->older ? &x->older->newer : &c->oldest) = x->newer;
}

static void link_newest(struct program_cache *c, program_cache_entry *x) {
    x->newer = NULL;
    x->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = x;
    c->newest = x;
}

/* Drops the program; the entry remains while it has users. */
static void drop(gpa_device *d, program_cache_entry *x) {
    d->be->drop(d->dev, x->prog);
    x->prog = NULL;
    if (!x->users) mem_free(x);
}

static void drop_all(gpa_device *d) {
    struct program_cache *c = d->programs;
    for (program_cache_entry *x = c->newest, *next; x; x = next) {
        next = x->older;
        drop(d, x);
    }
    mem_free(c->bucket);
    str_free(&c->key);
    mem_free(c);
    d->programs = NULL;
}

static gpa_code make(gpa_device *d, gpa_err *e) {
    struct program_cache *c = mem_zero(sizeof *c);
    if (!c) return gpa_no_memory(e);
    str_init(&c->key);
    d->programs = c;
    d->free_programs = drop_all;
    return GPA_OK;
}

/* ---- the table ---- */

static program_cache_entry **bucket_of(const struct program_cache *c, uint64_t hash) {
    return &c->bucket[hash & (c->n_buckets - 1)];
}

/* Doubles the table. False: there is no table, and no memory for one. */
static bool grow(struct program_cache *c) {
    size_t n = c->n_buckets ? c->n_buckets * 2 : 64;
    program_cache_entry **bucket = mem_zero(n * sizeof *bucket);
    if (!bucket) return c->n_buckets != 0;
    mem_free(c->bucket);
    c->bucket = bucket;
    c->n_buckets = n;
    for (program_cache_entry *x = c->oldest; x; x = x->newer) {
        program_cache_entry **first = bucket_of(c, x->hash);
        x->chain = *first;
        *first = x;
    }
    return true;
}

static program_cache_entry *find(const struct program_cache *c, uint64_t hash) {
    for (program_cache_entry *x = *bucket_of(c, hash); x; x = x->chain)
        if (x->hash == hash && x->n_key == c->key.len && !memcmp(x->key, c->key.text, x->n_key))
            return x;
    return NULL;
}

static bool is_over(const struct program_cache *c, size_t programs, size_t key_bytes) {
    return c->count > programs || c->key_bytes > key_bytes;
}

/* If the cache exceeds its bound, evicts an eighth of it. */
static void evict(gpa_device *d) {
    const size_t programs = TUNE_PROGRAM_CACHE_MAX_PROGRAMS,
                 key_bytes = (size_t)TUNE_PROGRAM_CACHE_MAX_KEY_BYTES;
    struct program_cache *c = d->programs;
    gpa_err quiet = {0}; /* a failure is reported by the next call that waits */
    if (!is_over(c, programs, key_bytes)) return;
    d->be->sync(d->dev, &quiet);
    for (program_cache_entry *x = c->oldest, *next;
         x && is_over(c, programs - programs / 8, key_bytes - key_bytes / 8); x = next) {
        next = x->newer;
        if (x->users) continue;
        program_cache_entry **link = bucket_of(c, x->hash);
        while (*link != x) link = &(*link)->chain;
        *link = x->chain;
        unlink_use(c, x);
        c->count--;
        c->key_bytes -= x->n_key;
        drop(d, x);
    }
}

/* ---- lookups ---- */

void rt_finish_builds(gpa_rt *rt) {
    double start = clock_seconds();
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (!d->lost && d->be->finish_builds) d->be->finish_builds(d->dev);
    rt->stats.compile_seconds += clock_seconds() - start;
}

static gpa_code build(gpa_rt *rt, gpa_device *d, const kir_func *f, program_cache_entry *x,
                      gpa_err *e) {
    double start = clock_seconds();
    gpa_code rc = kir_check(f, e);
    if (!rc) rc = d->be->build(d->dev, f, &x->prog, e);
    x->compile_seconds = clock_seconds() - start;
    rt->stats.compiles += !rc;
    rt->stats.compile_seconds += x->compile_seconds;
    return rc;
}

gpa_code program_cache_get(gpa_rt *rt, gpa_device *d, const kir_func *f, program_cache_entry **out,
                           bool *built, gpa_err *e) {
    gpa_code rc = d->programs ? GPA_OK : make(d, e);
    if (rc) return rc;
    struct program_cache *c = d->programs;
    str_clear(&c->key);
    kir_key(f, &c->key);
    if (c->key.failed || (c->count >= c->n_buckets && !grow(c))) return gpa_no_memory(e);
    uint64_t hash = hash_bytes(c->key.text, c->key.len, 0);
    program_cache_entry *x = find(c, hash);
    *built = !x;
    *out = x;
    if (x) {
        rt->stats.cache_hits++;
        unlink_use(c, x);
        link_newest(c, x);
        return GPA_OK;
    }
    x = mem_new(sizeof *x + c->key.len + f->n_params);
    if (!x) return gpa_no_memory(e);
    *x = (program_cache_entry){.hash = hash, .n_key = c->key.len, .n_params = f->n_params};
    memcpy(x->key, c->key.text, c->key.len);
    if (f->n_params) memcpy(x->key + c->key.len, f->params, f->n_params);
    if ((rc = build(rt, d, f, x, e))) {
        mem_free(x);
        return rc;
    }
    evict(d);
    x->chain = *bucket_of(c, hash);
    *bucket_of(c, hash) = x;
    link_newest(c, x);
    c->count++;
    c->key_bytes += x->n_key;
    *out = x;
    return GPA_OK;
}
