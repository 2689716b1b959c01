/* Pictures in the terminal: drawn by the program chafa, with the terminal's own graphics (kitty, sixel, iTerm2) or else
 * with block symbols. */
#ifndef GPA_REPL_PICTURE_H
#define GPA_REPL_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Draws the n bytes of a PNG file on standard output, at most `columns` wide. False: chafa is not there, or failed. */
bool picture_draw(const char *png, size_t n, int columns);

#endif
