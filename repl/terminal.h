/* The terminal's signals and modes while a text is edited. */
#ifndef GPA_TERMINAL_H
#define GPA_TERMINAL_H

#include <stdbool.h>

typedef enum {
    TERMINAL_INPUT,     /* a key waits to be read */
    TERMINAL_INTERRUPT, /* Ctrl-C */
    TERMINAL_RESIZED,
    TERMINAL_STOP,      /* Ctrl-Z: call terminal_stop when the terminal is as a shell expects it */
    TERMINAL_CONTINUED, /* somebody else may have changed the terminal's modes */
    TERMINAL_NOTHING    /* the time is over */
} terminal_event;

/* Keeps what the terminal was like when the program began; terminal_mend gives it back what a
 * shell's terminal must have, after programs that left it otherwise. */
void terminal_begin(void);
void terminal_mend(void);
/* From here to terminal_release the signals that concern an editor arrive by terminal_wait, and
 * those that end the program first put the terminal back into the state it has now. */
void terminal_hold(void);
void terminal_release(void);
/* The next event, after at most `ms` milliseconds (negative: without limit). */
terminal_event terminal_wait(int ms);
/* Stops the program as Ctrl-Z does; returns when it goes on. */
void terminal_stop(void);

#endif
