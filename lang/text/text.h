/* UTF-8 text: code points, character positions, and character classes.
 *
 * The text of a str is always valid UTF-8 (v_str validates). The language counts positions in
 * code points; functions here convert them to byte offsets, in constant time where the text is
 * ASCII (size == length). */
#ifndef GPA_TEXT_TEXT_H
#define GPA_TEXT_TEXT_H

#include "runtime/base/base.h"
#include "runtime/base/str.h"

/* Decodes the code point at p (of n bytes) and its length in bytes; U+FFFD and 1 for invalid
 * bytes. */
uint32_t text_decode(const char *p, size_t n, size_t *len);
/* Encodes a code point as 1 to 4 bytes and returns their number. */
size_t text_encode(uint32_t c, char out[4]);
void text_put(gpa_str *s, uint32_t c);
/* The number of code points in n bytes; the byte offset of code point i. */
size_t text_count(const char *p, size_t n);
size_t text_offset(const char *p, size_t n, size_t i);
/* Byte offset of the first occurrence of a text at or after byte `from`, or SIZE_MAX. */
size_t text_find(const char *hay, size_t n, const char *needle, size_t m, size_t from);
/* Byte offset of the last occurrence that ends at or before byte n, or SIZE_MAX. */
size_t text_rfind(const char *hay, size_t n, const char *needle, size_t m);
/* The width of the text in terminal cells. */
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
