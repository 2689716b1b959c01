/* The cache of compiled programs on disk, for plugins.
 *
 * Programs are kept in $GPA_CACHE_DIR, else $XDG_CACHE_HOME/gpa, else ~/.cache/gpa, and looked for
 * there and then in $GPA_CACHE_SHARED, which is never written to: a folder that somebody filled for
 * others. An entry is named by a hash of its key, and holds the whole key, the program and a
 * checksum; what does not fit is passed over, and replaced by the next disk_cache_put. Entries appear and
 * disappear whole, so any number of processes may use one folder. When the folder grows past its
 * limit ($GPA_CACHE_LIMIT bytes, else 256 MiB) what was used longest ago goes.
 *
 * disk_cache.c also implements rt_programs. Nothing here is ever an error: a cache that cannot be
 * read or written is an empty one. */
#ifndef GPA_EXEC_DISK_CACHE_H
#define GPA_EXEC_DISK_CACHE_H

#include "runtime/base/str.h"

/* The program of *n_data bytes stored under the key of n bytes (owned: mem_free; a zero byte
 * follows it), or NULL. */
char *disk_cache_get(const char *key, size_t n, size_t *n_data);
/* Stores a program; now and then makes room. */
void disk_cache_put(const char *key, size_t n, const char *data, size_t n_data);

#endif
