/* What is written to the file descriptors 1 and 2 by libraries, drivers and child processes shows
 * up as streams. */
#ifndef GPA_CAPTURE_H
#define GPA_CAPTURE_H

#include <stddef.h>

/* Called with what was written, under a lock: one call at a time. `name`: "stdout" or "stderr". */
typedef void capture_sink(void *user, const char *name, const char *text, size_t n);

/* Puts pipes in the place of 1 and 2, and /dev/null in that of 0; starts the thread that reads.
 * Returns a descriptor of the old 2, for the kernel's own reports, or -1 when it cannot be done.
 * Once in a process. */
int capture_start(capture_sink *sink, void *user);
/* Hands over what has been written up to now. Any thread. */
void capture_drain(void);
/* The descriptors 1 and 2 are again what they were; the thread ends. */
void capture_stop(void);

#endif
