/* Capture of stdout and stderr (file descriptors 1 and 2): output of libraries, drivers and
 * child processes becomes stream messages. */
#ifndef GPA_CAPTURE_H
#define GPA_CAPTURE_H

#include <stddef.h>

/* Called with captured output while a lock is held, so never concurrently. `name`: "stdout" or
 * "stderr". */
typedef void capture_sink(void *user, const char *name, const char *text, size_t n);

/* Redirects descriptors 1 and 2 to pipes and 0 to /dev/null, and starts the reading thread.
 * Returns a duplicate of the original descriptor 2 for the kernel's own log, or -1 on failure.
 * Call at most once per process. */
int capture_start(capture_sink *sink, void *user);
/* Passes all output written so far to the sink. Any thread. */
void capture_drain(void);
/* Restores descriptors 1 and 2 and joins the thread. */
void capture_stop(void);

#endif
