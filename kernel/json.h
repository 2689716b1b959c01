/* JSON values of session text: UTF-8 to JSON strings, base64, code point positions; MIME bundles
 * and errors. */
#ifndef GPA_KERNEL_JSON_H
#define GPA_KERNEL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "lang/session.h"

/* ---- text ---- */

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

/* ---- MIME bundles ---- */

/* NULL when memory is short. Pictures are in base64, JSON is unpacked, all else is text. */
json_t *bundle_json(const gpa_repr *r, size_t n);
/* The metadata that goes with it: {mime: {"width": 640}}, of those that have some. */
json_t *bundle_meta(const gpa_repr *r, size_t n);
/* An uncaught error: {ename, evalue, traceback}. NULL when memory is short. */
json_t *bundle_error(const gpa_diag *d);

#endif
