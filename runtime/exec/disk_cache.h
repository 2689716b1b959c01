/* Disk cache: compiled programs in files, keyed by their whole source, for plugins.
 *
 * Programs are written to $GPA_CACHE_DIR, else $XDG_CACHE_HOME/gpa, else ~/.cache/gpa. A lookup
 * searches that folder and then $GPA_CACHE_SHARED, a folder that was filled in advance (and made
 * readable for its users) and is never written to.
 *
 * Entries hold machine code. An entry is used only if it is a regular file, and if folder and file
 * belong to the user or to root and are writable by their owner only; both are checked at every
 * open. The folder is created with mode 0700, entries with 0600. A folder that fails the check is
 * reported once per process, on stderr.
 *
 * The name of an entry is a hash of its key; the file holds the whole key, the program and a
 * checksum. An entry that does not match is ignored, and replaced by the next disk_cache_put.
 * Entries appear and disappear atomically, so any number of processes may use one folder. When the
 * folder exceeds its limit ($GPA_CACHE_LIMIT bytes, else 256 MiB), the least recently used entries
 * are removed.
 *
 * disk_cache.c also implements rt_programs. No function fails: a cache that cannot be read or
 * written counts as empty. */
#ifndef GPA_EXEC_DISK_CACHE_H
#define GPA_EXEC_DISK_CACHE_H

#include "runtime/base/str.h"

/* The program of *n_data bytes stored under the key of n bytes, followed by a zero byte (owned by
 * the caller: mem_free), or NULL. */
char *disk_cache_get(const char *key, size_t n, size_t *n_data);
/* Stores a program; sometimes removes old ones. */
void disk_cache_put(const char *key, size_t n, const char *data, size_t n_data);

#endif
