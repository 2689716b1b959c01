/* Disk cache: compiled programs in files, keyed by their whole source, for plugins.
 *
 * Programs are kept in $GPA_CACHE_DIR, else $XDG_CACHE_HOME/gpa, else ~/.cache/gpa. Lookups go
 * there and then to $GPA_CACHE_SHARED, a folder filled in advance (and made readable for its users)
 * that is never written to.
 *
 * An entry is machine code that will be run. It is used only if it is a regular file and folder and
 * file belong to the user or to root and no one else may write to them; both are checked at every
 * open. The folder is created with mode 0700, entries with 0600. A folder that is not used because
 * of that is reported once, in a line on stderr.
 *
 * An entry is named by a hash of its key, and holds the whole key, the program and a checksum; one
 * that does not match is ignored, and replaced by the next disk_cache_put. Entries appear and
 * disappear atomically, so any number of processes may use one folder. When the folder grows past
 * its limit ($GPA_CACHE_LIMIT bytes, else 256 MiB) the least recently used entries are removed.
 *
 * disk_cache.c also implements rt_programs. Nothing here is ever an error: a cache that cannot be
 * read or written is an empty one. */
#ifndef GPA_EXEC_DISK_CACHE_H
#define GPA_EXEC_DISK_CACHE_H

#include "runtime/base/str.h"

/* The program of *n_data bytes stored under the key of n bytes, followed by a zero byte (owned by
 * the caller: mem_free), or NULL. */
char *disk_cache_get(const char *key, size_t n, size_t *n_data);
/* Stores a program; sometimes removes old ones. */
void disk_cache_put(const char *key, size_t n, const char *data, size_t n_data);

#endif
