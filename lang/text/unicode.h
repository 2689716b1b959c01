/* UTF-8, and what the lexer and the renderer must know of a character. */
#ifndef GPA_TEXT_UNICODE_H
#define GPA_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

enum {
    U_S = 1, /* may start an identifier */
    U_C = 2, /* may continue one */
    U_W = 4, /* two terminal cells wide */
    U_Z = 8, /* no width of its own: combining marks, joiners */
    U_N = 16 /* not printable */
};

/* Decodes the character at s (s < end): its length in bytes, or 0 when the bytes are not UTF-8. */
size_t utf8_get(const char *s, const char *end, uint32_t *cp);
/* Encodes cp (also a lone surrogate) into at most 4 bytes; returns how many. */
size_t utf8_put(char *to, uint32_t cp);

/* The U_ classes of a character (0: none of them). */
unsigned unicode_classes(uint32_t cp);
/* Terminal cells of n bytes of text; a byte that is not UTF-8 and a control character count 1. */
size_t unicode_width(const char *text, size_t n);

#endif
