/* Memory allocation with failure injection, growing arrays, hash functions, small macros.
 *
 * Every heap block of the program is allocated here, so that a test can make the n-th allocation
 * fail and count the blocks that are alive at exit. Allocation failure is an ordinary result: NULL,
 * and the caller reports GPA_E_MEMORY. */
#ifndef GPA_BASE_BASE_H
#define GPA_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* n bytes, uninitialised (n 0 gives a block too). NULL when memory is short. Owned: mem_free. */
void *mem_new(size_t n);
/* n uninitialised bytes, aligned for huge pages from two of those on: *at is the aligned address,
 * the result the block that mem_free takes. Page faults are a large part of the cost of a large
 * block. */
void *mem_large(size_t n, void **at);
/* n zero bytes; otherwise as mem_new. */
void *mem_zero(size_t n);
/* Grows or shrinks a block (p NULL: a new one). On failure NULL, and p stays as it was. */
void *mem_resize(void *p, size_t n);
/* A copy of n bytes plus a terminating zero. */
char *mem_text(const char *s, size_t n);
/* Frees a block; NULL is ignored. */
void mem_free(void *p);

/* Makes the C library keep the pages of freed blocks (glibc; a no-op elsewhere): page faults of a
 * fresh block cost more than most uses of it. Blocks above 32 MB, and free memory beyond 128 MB, go
 * back to the system at once. */
void mem_keep_pages(void);

/* Ensures capacity for one more element of a growing array: *items has *cap elements of the given
 * size, of which `count` are used. False when memory is short; nothing changes then. */
bool mem_grow(void *items, size_t count, size_t *cap, size_t size);

/* For tests: makes the n-th allocation from now fail, and every one after it, until n = 0 switches
 * this off. mem_alive is the number of blocks that are allocated and not freed. */
void mem_fail_at(uint64_t n);
int64_t mem_alive(void);

/* 64-bit hash of a byte string (FNV-1a over words, with a final mix): for tables in memory, and for
 * files that only this version reads. Not stable across versions, not for untrusted keys. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* 64-bit hash of words, for hot tables in memory: two independent multiplication chains, so that
 * their latencies overlap. */
uint64_t hash_words(const uint64_t *words, size_t n, uint64_t seed);

#endif
