/* Text between the session (bytes, UTF-8) and the protocol (JSON, code points). */
#ifndef GPA_KERNEL_TEXT_H
#define GPA_KERNEL_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. NULL when memory is short. */
json_t *text_json(const char *text, size_t n);
/* A JSON string with the bytes in base64. NULL when memory is short. */
json_t *text_base64(const void *data, size_t n);
/* How many bytes at the end of the text are the beginning of a character that is not complete. */
size_t text_unfinished(const char *text, size_t n);
/* The byte at which a code point begins, and the code point at a byte; beyond the end is the end.
 */
size_t text_byte_at(const char *text, size_t n, json_int_t point);
json_int_t text_point_at(const char *text, size_t n, size_t byte);

#endif
