/* Arena (bump) allocator: many small blocks, freed all at once. */
#ifndef GPA_BASE_ARENA_H
#define GPA_BASE_ARENA_H

#include <stddef.h>

typedef struct arena arena;

/* A new arena, or NULL when memory is short. Owned by the caller: arena_free (NULL is ignored). */
arena *arena_new(void);
void arena_free(arena *a);
/* n bytes of zeros, aligned for any type, alive until arena_free. NULL when memory is short. */
void *arena_alloc(arena *a, size_t n);
/* A zero-terminated copy of n bytes. */
char *arena_text(arena *a, const char *s, size_t n);

#endif
