/* Pictures in the terminal, by its graphics protocol (kitty, iTerm2; sixel by the program chafa) or
 * with character cells (chafa). $GPA_GRAPHICS selects one: kitty, sixel, iterm,
 * symbols, none; by default the name of the terminal does. */
#ifndef GPA_REPL_PICTURE_H
#define GPA_REPL_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Draws the n bytes of a PNG file on standard output. words (may be NULL): text over the picture,
 * in the format of gpa_host.symbols. */
typedef enum {
    PICTURE_DRAWN,
    PICTURE_UNWANTED,  /* $GPA_GRAPHICS is none, or the terminal understands no escape sequences */
    PICTURE_IMPOSSIBLE /* chafa is missing or failed */
} picture_result;
picture_result picture_draw(const char *png, size_t n, const char *words, size_t n_words);
/* The value of GPA_GRAPHICS if it names none of these; else NULL. */
const char *picture_unknown_graphics(void);
/* The available size of a picture of character cells; 0 if the terminal has graphics. */
void picture_size(int *columns, int *rows);

#endif
