/* UTF-8 decoding and the character classes that the lexer and the error renderer need. */
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

/* Decodes the character at s (s < end). Returns its length in bytes, or 0 for invalid UTF-8. */
size_t utf8_get(const char *s, const char *end, uint32_t *cp);
/* Encodes cp (a lone surrogate too) into at most 4 bytes and returns their number. */
size_t utf8_put(char *to, uint32_t cp);

/* The U_ classes of a character, or 0. */
unsigned unicode_classes(uint32_t cp);
/* The width of n bytes of text in terminal cells; invalid bytes and control characters count 1. */
size_t unicode_width(const char *text, size_t n);

#endif
