/* Terminal modes and signals while a text is edited. */
#ifndef GPA_TERMINAL_H
#define GPA_TERMINAL_H

#include <stdbool.h>

typedef enum {
    TERMINAL_INPUT,     /* input is available */
    TERMINAL_INTERRUPT, /* Ctrl-C */
    TERMINAL_RESIZED,
    TERMINAL_STOP,      /* Ctrl-Z: call terminal_stop once the terminal is in the shell's state */
    TERMINAL_CONTINUED, /* terminal modes may have been changed by another program */
    TERMINAL_NOTHING    /* timeout */
} terminal_event;

/* True if $TERM names a terminal that understands escape sequences, as `dumb` does not. */
bool terminal_capable(void);
/* Saves the initial terminal modes; terminal_mend restores sane modes after programs that left
 * others. */
void terminal_begin(void);
void terminal_mend(void);
/* Until terminal_release signals relevant to editing are delivered by terminal_wait, and fatal
 * ones first restore the current terminal state. */
void terminal_hold(void);
void terminal_release(void);
/* The next event, after at most `ms` milliseconds (negative: no limit). */
terminal_event terminal_wait(int ms);
/* Stops the process as Ctrl-Z does; returns when it continues. */
void terminal_stop(void);

#endif
