/* Arena allocator: a list of blocks, the newest first; only the newest has free space. */
#include "runtime/base/arena.h"

#include <stdalign.h>

#include "runtime/base/base.h"

enum { BLOCK_BYTES = 16 * 1024 };

typedef struct block {
    struct block *older;
    alignas(max_align_t) char bytes[];
} block;

struct arena {
    block *newest;
    char *at, *end;
};

arena *arena_new(void) { return mem_zero(sizeof(arena)); }

void arena_free(arena *a) {
    if (!a) return;
    for (block *b = a->newest; b;) {
        block *older = b->older;
        mem_free(b);
        b = older;
    }
    mem_free(a);
}

/* A block for at least n bytes. A large request gets a block of its own and leaves the current one
 * in use. */
static void *new_block(arena *a, size_t n) {
    size_t size = MAX(n, (size_t)BLOCK_BYTES);
    block *b = mem_new(sizeof *b + size);
    if (!b) return NULL;
    if (n > BLOCK_BYTES / 4 && a->newest) {
        b->older = a->newest->older;
        a->newest->older = b;
    } else {
        b->older = a->newest;
        a->newest = b;
        a->at = b->bytes + n;
        a->end = b->bytes + size;
    }
    return memset(b->bytes, 0, n);
}

void *arena_alloc(arena *a, size_t n) {
    n = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if ((size_t)(a->end - a->at) < n || !a->at) return new_block(a, n);
    void *p = a->at;
    a->at += n;
    return memset(p, 0, n);
}

char *arena_text(arena *a, const char *s, size_t n) {
    char *t = arena_alloc(a, n + 1);
    if (t && n) memcpy(t, s, n);
    return t;
}
