/* The text being edited as rows of the terminal: laid out, wrapped, and redrawn where it changed.
 *
 * The screen owns the rows from the one where it began to the last it drew; what stands above is
 * never touched. It knows where the cursor is as long as nobody else writes. */
#ifndef GPA_SCREEN_H
#define GPA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to show. All is borrowed for the call. */
typedef struct {
    const char *prompt, *more; /* before the first line, before the others; with colour sequences */
    const char *text;
    size_t n, cursor;
    const uint8_t *tints; /* one for each byte of the text (colour.h); NULL: plain */
    const char *hint;     /* shown faintly behind the text, as far as the row goes; NULL: none */
    const char *
        below; /* lines below the text, each with its end, none wider than the screen; NULL: none */
} screen_view;

typedef struct screen screen;

/* NULL when memory is short. Owned: screen_free. */
screen *screen_new(void);
void screen_free(screen *s);
/* Asks the terminal for its size. When it changed, what is drawn is taken to be wrapped anew, and
 * drawn again next time. */
void screen_measure(screen *s);
int screen_rows(const screen *s);
int screen_columns(const screen *s);
/* Shows: afterwards the terminal's cursor is where the text's is. More text than the screen has
 * rows is shown in part. */
void screen_show(screen *s, const screen_view *v);
/* Shows the whole text, as it will stay, and leaves the cursor on a new row, where a next screen
 * begins. */
void screen_leave(screen *s, const screen_view *v);
/* Leaves what is shown as it is, and the cursor on a new row below. */
void screen_abandon(screen *s);
/* Takes away what is drawn, and begins again at the row where it began. */
void screen_erase(screen *s);
/* Begins again where the cursor is: somebody else wrote. */
void screen_forget(screen *s);
/* Clears the whole terminal, and begins again at its top. */
void screen_clear(screen *s);

#endif
