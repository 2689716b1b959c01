/* UTF-8: code points, positions, and what kind of character a code point is.
 *
 * Text in a str is always valid UTF-8 (v_str sees to it). Positions in the language count code
 * points; functions here turn them into bytes, at once where the text is ASCII (size == length). */
#ifndef GPA_TEXT_TEXT_H
#define GPA_TEXT_TEXT_H

#include "runtime/base/base.h"
#include "runtime/base/str.h"

/* The code point at p (within n bytes) and its length in bytes; U+FFFD and 1 for bytes that are no
 * character. */
uint32_t text_decode(const char *p, size_t n, size_t *len);
/* Writes a code point as 1 to 4 bytes, and returns how many. */
size_t text_encode(uint32_t c, char out[4]);
void text_put(gpa_str *s, uint32_t c);
/* Code points in n bytes; the byte where code point i begins. */
size_t text_count(const char *p, size_t n);
size_t text_offset(const char *p, size_t n, size_t i);
/* The first occurrence of a text at or after byte `from`, or SIZE_MAX. */
size_t text_find(const char *hay, size_t n, const char *needle, size_t m, size_t from);
/* The last one that ends at or before byte n. */
size_t text_rfind(const char *hay, size_t n, const char *needle, size_t m);
/* How many terminal cells the text takes. */
size_t text_width(const char *p, size_t n);

bool text_is_space(uint32_t c);
bool text_is_digit(uint32_t c);
bool text_is_alpha(uint32_t c);
bool text_is_upper(uint32_t c);
bool text_is_lower(uint32_t c);
bool text_is_printable(uint32_t c);
uint32_t text_upper(uint32_t c);
uint32_t text_lower(uint32_t c);

#endif
