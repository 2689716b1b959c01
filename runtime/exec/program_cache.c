/* A hash table with chains. Keys are compared whole, so two programs are never mistaken for each
 * other. */
#include "runtime/exec/program_cache.h"

#include <time.h>

#include "runtime/exec/rt.h"

struct cache {
    cache_entry **slot;
    size_t cap, count;
    gpa_str key; /* of the program looked up: kept, so that a lookup allocates nothing */
};

static void drop_all(gpa_device *d) {
    struct cache *c = d->programs;
    for (size_t i = 0; i < c->cap; i++) {
        for (cache_entry *x = c->slot[i], *next; x; x = next) {
            next = x->next;
            d->be->drop(d->dev, x->prog);
            mem_free(x);
        }
    }
    mem_free(c->slot);
    str_free(&c->key);
    mem_free(c);
    d->programs = NULL;
}

static gpa_code make(gpa_device *d, gpa_err *e) {
    struct cache *c = mem_zero(sizeof *c);
    if (!c) return gpa_no_memory(e);
    str_init(&c->key);
    d->programs = c;
    d->free_programs = drop_all;
    return GPA_OK;
}

static bool grow(struct cache *c) {
    size_t cap = c->cap ? c->cap * 2 : 64;
    cache_entry **slot = mem_zero(cap * sizeof *slot);
    if (!slot) return c->cap != 0;
    for (size_t i = 0; i < c->cap; i++) {
        for (cache_entry *x = c->slot[i], *next; x; x = next) {
            next = x->next;
            x->next = slot[x->hash & (cap - 1)];
            slot[x->hash & (cap - 1)] = x;
        }
    }
    mem_free(c->slot);
    c->slot = slot;
    c->cap = cap;
    return true;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void rt_finish_builds(gpa_rt *rt) {
    double begun = now();
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (!d->gone && d->be->finish_builds) d->be->finish_builds(d->dev);
    rt->stats.compile_seconds += now() - begun;
}

static gpa_code build(gpa_rt *rt, gpa_device *d, const kir_func *f, cache_entry *x, gpa_err *e) {
    double begun = now();
    gpa_code rc = kir_check(f, e);
    if (!rc) rc = d->be->build(d->dev, f, &x->prog, e);
    x->compile_seconds = now() - begun;
    rt->stats.compiles += !rc;
    rt->stats.compile_seconds += x->compile_seconds;
    return rc;
}

gpa_code cache_get(gpa_rt *rt, gpa_device *d, const kir_func *f, const cache_entry **out,
                   bool *built, gpa_err *e) {
    gpa_code rc = d->programs ? GPA_OK : make(d, e);
    if (rc) return rc;
    struct cache *c = d->programs;
    str_clear(&c->key);
    kir_key(f, &c->key);
    if (c->key.failed || (c->count >= c->cap && !grow(c))) return gpa_no_memory(e);
    uint64_t hash = hash_bytes(c->key.text, c->key.len, 0);
    cache_entry **at = &c->slot[hash & (c->cap - 1)];
    *built = false;
    for (cache_entry *x = *at; x; x = x->next) {
        if (x->hash != hash || x->n_key != c->key.len || memcmp(x->key, c->key.text, x->n_key) != 0)
            continue;
        rt->stats.cache_hits++;
        *out = x;
        return GPA_OK;
    }
    cache_entry *x = mem_new(sizeof *x + c->key.len);
    if (!x) return gpa_no_memory(e);
    *x = (cache_entry){.hash = hash, .n_key = c->key.len};
    memcpy(x->key, c->key.text, c->key.len);
    if ((rc = build(rt, d, f, x, e))) {
        mem_free(x);
        return rc;
    }
    x->next = *at;
    *at = x;
    c->count++;
    *built = true;
    *out = x;
    return GPA_OK;
}
