/* What every file may use: the one allocation gate, and small macros.
 *
 * Every heap block of the program comes from here, so that a test can make the n-th allocation fail
 * and can ask how many blocks are alive at exit. Allocation failure is an ordinary result: NULL,
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
/* n bytes of room at *at, in the block that is returned; large ones ask for huge pages, since new
 * pages are a good part of the cost. */
void *mem_large(size_t n, void **at);
/* The same, filled with zero bytes. */
void *mem_zero(size_t n);
/* Grows or shrinks a block (p NULL: a new one). On failure NULL, and p stays as it was. */
void *mem_resize(void *p, size_t n);
/* A copy of n bytes plus a terminating zero. */
char *mem_text(const char *s, size_t n);
/* Gives a block back; NULL is ignored. */
void mem_free(void *p);

/* From now on freed blocks of some megabytes stay with the process, as far as the C library can be
 * told: the pages of a new one cost more than most that is done with it. Beyond 128 MB, and for
 * blocks above 32 MB, the system has them back at once. */
void mem_keep_pages(void);

/* Makes room for one more element in a growing array: *items has *cap elements of the given size,
 * of which `count` are used. True when there is room; false leaves everything as it was. */
bool mem_grow(void *items, size_t count, size_t *cap, size_t size);

/* For the tests: fail the n-th allocation from now (0 switches off) and every one after it until
 * switched off; and how many blocks are alive. */
void mem_fail_at(uint64_t n);
int64_t mem_alive(void);

/* 64-bit hash of a byte string (FNV-1a with a final mix): for tables in memory, and for files that
 * only this version reads. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* Another one, of words, for tables in memory that are looked at all the time: two chains of
 * products, which wait for nobody else. */
uint64_t hash_words(const uint64_t *words, size_t n, uint64_t seed);

#endif
