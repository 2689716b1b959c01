/* The logo: an array of three by three elements on a dark ground. One description, drawn as SVG and
 * as PNG. */
#ifndef GPA_LOGO_H
#define GPA_LOGO_H

#include <stdbool.h>
#include <stdio.h>

/* Write a picture to a file; whether it succeeded shows in ferror. */
void logo_svg(FILE *f);
/* size: the edge in pixels, at most 128. */
void logo_png(FILE *f, int size);

#endif
