/* Screen renderer of the edited text: layout, wrapping, and incremental redraw of changed rows.
 *
 * The screen owns the rows from its first to the last that it drew; rows above are never changed.
 * The cursor position is known as long as nothing else writes to the terminal. */
#ifndef GPA_SCREEN_H
#define GPA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text and cursor to display. Borrowed for the call. */
typedef struct {
    const char *prompt, *more; /* before the first line, before the others; with escape sequences */
    const char *text;
    size_t n, cursor;
    const uint8_t *tints; /* one style per byte of the text (colour.h); NULL: plain */
    const char *hint; /* dimmed suggestion after the text, cut at the end of the row; NULL: none */
    const char *
        below; /* lines below the text, each with its end, none wider than the screen; NULL: none */
} screen_view;

typedef struct screen screen;

/* NULL when out of memory. Owned: screen_free. */
screen *screen_new(void);
void screen_free(screen *s);
/* Queries the size of the terminal. After a resize the rows count as rewrapped and are redrawn. */
void screen_measure(screen *s);
int screen_rows(const screen *s);
int screen_columns(const screen *s);
/* The width of a prompt in cells, without its escape sequences. */
size_t screen_width(const char *prompt);
/* Displays a view and places the terminal's cursor. Text longer than the screen is shown in
 * part. */
void screen_show(screen *s, const screen_view *v);
/* Displays the whole text in its final form and moves to a new row. */
void screen_leave(screen *s, const screen_view *v);
/* Leaves the screen as it is and moves to a new row below. */
void screen_abandon(screen *s);
/* Erases the drawn rows; the next view starts at the first of them. */
void screen_erase(screen *s);
/* The next view starts at the cursor: another program wrote to the terminal. */
void screen_forget(screen *s);
/* Clears the terminal; the next view starts at its top. */
void screen_clear(screen *s);

#endif
