/* Memory allocation. Counters are atomic because plugins allocate on their own threads. */
#include "runtime/base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static _Atomic int64_t alive;
static _Atomic uint64_t fail_in; /* allocations until failure begins; 0: never */

/* False: this allocation is to fail. */
static bool may_allocate(void) {
    uint64_t n = atomic_load_explicit(&fail_in, memory_order_relaxed);
    if (n == 0) return true;
    if (n == 1) return false;
    atomic_store_explicit(&fail_in, n - 1, memory_order_relaxed);
    return true;
}

static void *count_in(void *p) {
    if (p) atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
    return p;
}

void *mem_new(size_t n) { return may_allocate() ? count_in(malloc(n ? n : 1)) : NULL; }

enum { HUGE_PAGE_BYTES = 2 << 20 };

void *mem_large(size_t n, void **at) {
    const size_t align = n >= 2 * (size_t)HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : sizeof(uint64_t);
    void *block = mem_new(n + align);
    if (!block) return NULL;
    *at = (void *)(((uintptr_t)block + align - 1) / align * align);
    if (align == HUGE_PAGE_BYTES)
        madvise(*at, n / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES, MADV_HUGEPAGE);
    return block;
}

/* calloc skips clearing pages that are fresh from the system; for small blocks malloc, which has a
 * cache for each thread, and memset are faster. */
enum { SMALL_BLOCK_BYTES = 1024 };

void *mem_zero(size_t n) {
    if (n == 0 || n > SMALL_BLOCK_BYTES)
        return may_allocate() ? count_in(calloc(1, n ? n : 1)) : NULL;
    void *p = mem_new(n);
    return p ? memset(p, 0, n) : NULL;
}

void *mem_resize(void *p, size_t n) {
    if (!p) return mem_new(n);
    return may_allocate() ? realloc(p, n ? n : 1) : NULL;
}

char *mem_text(const char *s, size_t n) {
    char *t = mem_new(n + 1);
    if (!t) return NULL;
    if (n) memcpy(t, s, n);
    t[n] = 0;
    return t;
}

void mem_free(void *p) {
    if (!p) return;
    atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
    free(p);
}

void mem_keep_pages(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* glibc accepts no more */
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

bool mem_grow(void *items, size_t count, size_t *cap, size_t size) {
    if (count < *cap) return true;
    size_t want = *cap ? *cap * 2 : 8;
    void *old, *grown;
    memcpy(&old, items, sizeof old);
    grown = mem_resize(old, want * size);
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    *cap = want;
    return true;
}

void mem_fail_at(uint64_t n) { atomic_store(&fail_in, n); }

int64_t mem_alive(void) { return atomic_load(&alive); }

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed) {
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (; n >= 8; s += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, s, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (size_t i = 0; i < n; i++) h = (h ^ s[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

uint64_t hash_words(const uint64_t *words, size_t n, uint64_t seed) {
    const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    uint64_t a = seed ^ 0xcbf29ce484222325u, b = a + n;
    for (; n >= 2; words += 2, n -= 2) {
        a = (a ^ words[0]) * golden;
        b = (b ^ words[1]) * golden;
        a = a >> 29 | a << 35;
        b = b >> 31 | b << 33;
    }
    if (n) a = (a ^ words[0]) * golden;
    a ^= b ^ a >> 32;
    a *= 0xd6e8feb86659fd93u;
    return a ^ a >> 32;
}
