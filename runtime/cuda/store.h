/* The cache of compiled programs on disk: $GPA_CACHE_DIR, else $XDG_CACHE_HOME/gpa, else ~/.cache/gpa.
 *
 * Nothing here is ever an error: a cache that cannot be read or written is an empty one. */
#ifndef GPA_CUDA_STORE_H
#define GPA_CUDA_STORE_H

#include <stddef.h>

/* The text stored under the key of n bytes (owned: mem_free), or NULL. */
char *store_get(const char *key, size_t n);
/* Stores a text; drops those used longest ago when the cache has grown too large. */
void store_put(const char *key, size_t n, const char *text);

#endif
