/* Terminal modes and signals. Signal handlers set flags; terminal_wait checks the flags and waits
 * for the terminal in one step (ppoll) with the signals blocked otherwise, so that none is missed.
 * The flags and the saved modes are global: signal handlers have no argument. */
#include "repl/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

bool terminal_capable(void) {
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb") != 0;
}

static const int noted[] = {SIGINT, SIGWINCH, SIGTSTP, SIGCONT};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGQUIT};
enum { NOTED = sizeof noted / sizeof *noted, FATAL = sizeof fatal / sizeof *fatal };

static struct termios first;
static bool first_known;
static volatile sig_atomic_t arrived[NOTED];
static struct sigaction noted_before[NOTED], fatal_before[FATAL];
static sigset_t mask_before;
static struct termios modes;
static bool modes_known;

static void note(int signal_number) {
    for (int i = 0; i < NOTED; i++)
        if (noted[i] == signal_number) arrived[i] = 1;
}

/* Restores modes, bracketed paste, colours and cursor; then the default action of the signal. */
static void restore(int signal_number) {
    static const char text[] = "\033[?2004l\033[?25h\033[m\r\n";
    int keep = errno;
    if (modes_known) tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) errno = keep;
    for (int i = 0; i < FATAL; i++)
        if (fatal[i] == signal_number) sigaction(signal_number, &fatal_before[i], NULL);
    errno = keep;
    raise(signal_number);
}

void terminal_begin(void) { first_known = tcgetattr(STDIN_FILENO, &first) == 0; }

void terminal_mend(void) {
    const tcflag_t in = ICRNL, out = OPOST | ONLCR, local = ICANON | ECHO | ISIG | IEXTEN;
    static const char text[] = "\033[m\033[?25h";
    struct termios now;
    if (!first_known || tcgetattr(STDIN_FILENO, &now)) return;
    struct termios mended = now;
    mended.c_iflag |= first.c_iflag & in;
    mended.c_oflag |= first.c_oflag & out;
    mended.c_lflag |= first.c_lflag & local;
    if (mended.c_iflag == now.c_iflag && mended.c_oflag == now.c_oflag &&
        mended.c_lflag == now.c_lflag)
        return;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mended);
    if (!terminal_capable()) return;
    fwrite(text, 1, sizeof text - 1, stdout);
    fflush(stdout);
}

void terminal_hold(void) {
    struct sigaction on_note = {.sa_handler = note}, on_fatal = {.sa_handler = restore};
    sigset_t block;
    sigemptyset(&on_note.sa_mask);
    sigemptyset(&on_fatal.sa_mask);
    sigemptyset(&block);
    modes_known = tcgetattr(STDIN_FILENO, &modes) == 0;
    for (int i = 0; i < NOTED; i++) {
        arrived[i] = 0;
        sigaddset(&block, noted[i]);
        sigaction(noted[i], &on_note, &noted_before[i]);
    }
    for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &on_fatal, &fatal_before[i]);
    sigprocmask(SIG_BLOCK, &block, &mask_before);
}

void terminal_release(void) {
    for (int i = 0; i < NOTED; i++) sigaction(noted[i], &noted_before[i], NULL);
    for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &fatal_before[i], NULL);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

static bool take(int signal_number) {
    for (int i = 0; i < NOTED; i++) {
        if (noted[i] != signal_number || !arrived[i]) continue;
        arrived[i] = 0;
        return true;
    }
    return false;
}

terminal_event terminal_wait(int ms) {
    for (;;) {
        struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
        struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};
        int ready = ppoll(&fd, 1, ms < 0 ? NULL : &limit, &mask_before);
        if (take(SIGINT)) return TERMINAL_INTERRUPT;
        if (take(SIGTSTP)) return TERMINAL_STOP;
        if (take(SIGCONT)) return TERMINAL_CONTINUED;
        if (take(SIGWINCH)) return TERMINAL_RESIZED;
        if (ready > 0) return TERMINAL_INPUT;
        if (ready == 0) return TERMINAL_NOTHING;
        if (errno != EINTR) return TERMINAL_INPUT; /* the following read reports it */
    }
}

void terminal_stop(void) {
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    sigset_t one, old;
    sigemptyset(&usual.sa_mask);
    sigemptyset(&one);
    sigaddset(&one, SIGTSTP);
    sigaction(SIGTSTP, &usual, &before);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &one, &old); /* the process stops here */
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGTSTP, &before, NULL);
}
