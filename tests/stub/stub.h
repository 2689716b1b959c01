/* Shared by the stub libraries: $STUB_CUDA holds their settings, $STUB_CUDA_LOG is the file that
 * they log to, and held calls continue once the file $STUB_CUDA_GO exists. */
#ifndef GPA_TESTS_STUB_H
#define GPA_TESTS_STUB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cuda/driver/api.h"

/* Module loading and kernel launches; `image` is the compiler's output. They return a CUresult, and
 * do nothing by default. */
int stub_load(const void *image, CUmodule *out);
void stub_unload(CUmodule m);
int stub_find(CUmodule m, const char *name, CUfunction *out);
int stub_launch(CUfunction f, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                void **args);
const size_t *stub_sizes(CUfunction f); /* bytes of each argument, ended by 0 */

/* An operation in a stream (order.c). */
typedef struct stub_op {
    enum { STUB_COPY, STUB_FILL, STUB_FREE, STUB_LAUNCH, STUB_FOLLOW } what;
    void *to;
    const void *from;
    size_t n;
    unsigned char fill;
    bool keep; /* COPY: `from` may change after the call, so copy it */
    CUfunction program;
    unsigned blocks[3], threads[3], shared;
    void **args;
    CUstream other; /* FOLLOW: its operations before `at` come first */
    uint64_t at;
    void *kept;
    struct stub_op *next;
} stub_op;
int stub_put(CUstream s, stub_op op); /* a CUresult */
/* A copy of a kernel's arguments: their addresses, then their values; owned by the caller. */
void **stub_keep_arguments(CUfunction f, void *const *args);
CUstream stub_stream(void);
CUevent stub_event(void);
void stub_end(CUstream s);    /* executes the rest first */
void stub_finish(CUstream s); /* executes all operations */
void stub_mark(CUevent e, CUstream s);
void stub_reach(CUevent e);
int stub_follow(CUstream s, CUevent e);

/* The number after `name=` in $STUB_CUDA; 1 for the bare name; else `otherwise`. */
static inline long stub_word(const char *name, long otherwise) {
    const char *at = getenv("STUB_CUDA");
    size_t n = strlen(name);
    for (; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        if (strncmp(at, name, n)) continue;
        if (at[n] == '=') return atol(at + n + 1);
        if (!at[n] || at[n] == ' ') return 1;
    }
    return otherwise;
}

static inline void stub_log(const char *fmt, ...) {
    const char *path = getenv("STUB_CUDA_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    va_list ap;
    if (!f) return;
    va_start(ap, fmt);
    vfprintf(f, fmt, ap);
    va_end(ap);
    fclose(f);
}

static inline void stub_rest(long ms) {
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (ms && nanosleep(&left, &left)) {
    }
}

/* If the word is in $STUB_CUDA: logs it and waits for $STUB_CUDA_GO. */
static inline void stub_hold(const char *word) {
    const char *go = getenv("STUB_CUDA_GO");
    if (!stub_word(word, 0)) return;
    stub_log("%s\n", word);
    while (!go || access(go, F_OK)) stub_rest(10);
}

#endif
