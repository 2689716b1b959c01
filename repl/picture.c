/* Display of pictures. Terminals with the protocols of kitty and iTerm2 get the PNG file itself,
 * which is compressed. For the others the program chafa reads the picture from a memory file on its
 * standard input and writes to the terminal. */
#include "repl/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "repl/colour.h"
#include "repl/terminal.h"

extern char **environ;

/* The picture as an open file, positioned at its start; -1: out of memory. */
static int as_file(const char *data, size_t n) {
    int fd = memfd_create("gpa-picture", MFD_CLOEXEC);
    while (fd >= 0 && n > 0) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) {
            close(fd);
            return -1;
        }
        data += k;
        n -= (size_t)k;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

/* ---- what the terminal can show ---- */

typedef enum { KITTY, SIXEL, ITERM, SYMBOLS, NONE, KINDS } graphics;

static const struct {
    const char *name, *format; /* value of $GPA_GRAPHICS; chafa's option */
} kinds[KINDS] = {
    [KITTY] = {"kitty", NULL}, [SIXEL] = {"sixel", "--format=sixels"},
    [ITERM] = {"iterm", NULL}, [SYMBOLS] = {"symbols", "--format=symbols"},
    [NONE] = {"none", NULL},
};

/* Terminals by prefixes of their variables. */
static const struct {
    const char *variable, *value;
    graphics kind;
} terminals[] = {
    {"TMUX", "", SYMBOLS},
    {"TERM", "screen", SYMBOLS},
    {"KITTY_WINDOW_ID", "", KITTY},
    {"TERM", "xterm-kitty", KITTY},
    {"TERM", "xterm-ghostty", KITTY},
    {"TERM_PROGRAM", "ghostty", KITTY},
    {"TERM_PROGRAM", "iTerm.app", ITERM},
    {"LC_TERMINAL", "iTerm2", ITERM},
    {"TERM_PROGRAM", "WezTerm", ITERM},
    {"TERM", "foot", SIXEL},
    {"TERM", "mlterm", SIXEL},
    {"TERM", "contour", SIXEL},
    {"TERM", "yaft", SIXEL},
    {"WT_SESSION", "", SIXEL},
};

/* The kind that $GPA_GRAPHICS names; KINDS if it names none. */
static graphics kind_wanted(void) {
    const char *wanted = getenv("GPA_GRAPHICS");
    int k = 0;
    while (k < KINDS && !(wanted && strcmp(wanted, kinds[k].name) == 0)) k++;
    return (graphics)k;
}

const char *picture_unknown_graphics(void) {
    const char *wanted = getenv("GPA_GRAPHICS");
    return wanted && *wanted && kind_wanted() == KINDS ? wanted : NULL;
}

static graphics kind_here(void) {
    graphics wanted = kind_wanted();
    if (wanted != KINDS) return wanted;
    if (!terminal_capable()) return NONE;
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        const char *value = getenv(terminals[i].variable);
        if (value && *value && strncmp(value, terminals[i].value, strlen(terminals[i].value)) == 0)
            return terminals[i].kind;
    }
    return SYMBOLS;
}

static void size_here(int *columns, int *rows) {
    struct winsize w = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col && w.ws_row;
    *columns = known ? w.ws_col : 80;
    *rows = known ? w.ws_row : 24;
}

void picture_size(int *columns, int *rows) {
    enum { LEFT = 3 }; /* rows left for the prompt */
    size_here(columns, rows);
    *rows -= LEFT;
    if (kind_here() != SYMBOLS || !isatty(STDOUT_FILENO)) *columns = *rows = 0;
}

/* ---- drawing ---- */

static bool start(int picture, const char *format, char *size, bool exact, pid_t *pid) {
    static char name[] = "chafa", still[] = "--animate=off", stretch[] = "--stretch",
                symbols[] = "--symbols=block+border+diagonal-wide", input[] = "-";
    char kind[32];
    snprintf(kind, sizeof kind, "%s", format);
    char *argv[] = {name, still, kind, size, input, exact ? stretch : NULL, symbols, NULL};
    posix_spawn_file_actions_t acts;
    posix_spawn_file_actions_init(&acts);
    posix_spawn_file_actions_adddup2(&acts, picture, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&acts, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(pid, name, &acts, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&acts);
    return started;
}

static bool draw(const char *png, size_t n, const char *format, int columns, int rows, bool exact) {
    char size[48];
    int status = -1;
    pid_t pid;
    int fd = as_file(png, n);
    if (fd < 0) return false;
    snprintf(size, sizeof size, "--size=%dx%d", columns, rows);
    fflush(stdout);
    bool started = start(fd, format, size, exact, &pid);
    close(fd);
    if (!started) return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the labels over the picture above the cursor. */
static void put_words(const char *words, size_t n, int rows) {
    const char *end = words + n;
    bool colours = colour_on(STDOUT_FILENO);
    for (const char *line = words, *next; line < end; line = next) {
        int column, row, text;
        unsigned colour;
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (sscanf(line, "%d %d %x%n", &column, &row, &colour, &text) < 3 || line + ++text >= next)
            continue;
        printf("\033[%dA\033[%dG", rows - row, column + 1);
        if (colours)
            printf("\033[48;5;231;38;2;%u;%u;%um", colour >> 16 & 255, colour >> 8 & 255,
                   colour & 255);
        fwrite(line + text, 1, (size_t)(next - line - text - 1), stdout);
        printf("\033[0m\033[%dB\r", rows - row);
    }
    fflush(stdout);
}

/* ---- PNG in escape sequences ---- */

static uint32_t big_endian(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The number of columns for a PNG file: its own size, or less if that is more than fits. */
static int columns_for(const char *png, size_t n, int columns, int rows) {
    enum { WIDTH_AT = 16, HEIGHT_AT = 20, HEADER = 24, USUAL_WIDTH = 10, USUAL_HEIGHT = 20 };
    struct winsize w = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_xpixel && w.ws_ypixel &&
                 w.ws_col && w.ws_row;
    double cell_width = known ? (double)w.ws_xpixel / w.ws_col : USUAL_WIDTH,
           cell_height = known ? (double)w.ws_ypixel / w.ws_row : USUAL_HEIGHT;
    double width = n > HEADER ? big_endian(png + WIDTH_AT) / cell_width : 0,
           height = n > HEADER ? big_endian(png + HEIGHT_AT) / cell_height : 0;
    double scale = 1;
    if (width > columns) scale = columns / width;
    if (height * scale > rows) scale = rows / height;
    return width * scale >= 1 ? (int)(width * scale + 0.5) : 1;
}

/* Writes n bytes in base64. */
static void put_base64(const char *data, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned char *b = (const unsigned char *)data + i;
        uint32_t bits =
            (uint32_t)b[0] << 16 | (i + 1 < n ? (uint32_t)b[1] << 8 : 0) | (i + 2 < n ? b[2] : 0);
        char out[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                       i + 1 < n ? digits[bits >> 6 & 63] : '=',
                       i + 2 < n ? digits[bits & 63] : '='};
        fwrite(out, 1, sizeof out, stdout);
    }
}

/* The graphics protocol of kitty: a PNG file in chunks. */
static void put_kitty(const char *png, size_t n, int columns) {
    enum { CHUNK = 3072 }; /* 4096 bytes of base64, the most that a chunk may have */
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t size = n - at < CHUNK ? n - at : CHUNK;
        if (at == 0)
            printf("\033_Ga=T,f=100,q=2,c=%d,m=%d;", columns, at + size < n);
        else
            printf("\033_Gm=%d;", at + size < n);
        put_base64(png + at, size);
        fputs("\033\\", stdout);
    }
    putchar('\n');
}

/* The inline images of iTerm2. */
static void put_iterm(const char *png, size_t n, int columns) {
    printf("\033]1337;File=inline=1;size=%zu;width=%d;height=auto;preserveAspectRatio=1:", n,
           columns);
    put_base64(png, n);
    fputs("\a\n", stdout);
}

picture_result picture_draw(const char *png, size_t n, const char *words, size_t n_words) {
    enum { WIDEST = 80, ROW_SHARE = 3, LEFT = 3 };
    graphics kind = kind_here();
    int columns, rows, wide, tall;
    if (kind == NONE) return PICTURE_UNWANTED;
    size_here(&columns, &rows);
    wide = columns < WIDEST ? columns : WIDEST;
    if (kind == KITTY || kind == ITERM) {
        wide = columns_for(png, n, wide, rows > LEFT + 1 ? rows - LEFT : 1);
        (kind == KITTY ? put_kitty : put_iterm)(png, n, wide);
        fflush(stdout);
        return PICTURE_DRAWN;
    }
    bool exact = words && sscanf(words, "%d %d", &wide, &tall) == 2;
    if (!exact) tall = (wide + ROW_SHARE - 1) / ROW_SHARE + 1;
    if (!draw(png, n, kinds[kind].format, wide, tall, exact)) return PICTURE_IMPOSSIBLE;
    const char *first = exact ? memchr(words, '\n', n_words) : NULL;
    if (first) put_words(first + 1, n_words - (size_t)(first + 1 - words), tall);
    return PICTURE_DRAWN;
}
