/* JSON values of session text: UTF-8 to JSON strings, base64, code point offsets; MIME bundles
 * and errors. */
#ifndef GPA_KERNEL_JSON_H
#define GPA_KERNEL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "lang/session.h"

/* ---- text ---- */

/* A JSON string of arbitrary bytes: invalid UTF-8 becomes U+FFFD. NULL when out of memory. */
json_t *text_json(const char *text, size_t n);
/* A JSON string with the bytes in base64. NULL when out of memory. */
json_t *text_base64(const void *data, size_t n);
/* Number of bytes at the end of the text that start an incomplete UTF-8 character. */
size_t text_unfinished(const char *text, size_t n);
/* Conversions between code point index and byte offset; an index beyond the end maps to the end. */
size_t text_byte_at(const char *text, size_t n, json_int_t point);
json_int_t text_point_at(const char *text, size_t n, size_t byte);

/* ---- MIME bundles ---- */

/* The data of a MIME bundle; NULL when out of memory. Images are in base64, JSON is parsed, all
 * else is text. */
json_t *bundle_json(const gpa_repr *r, size_t n);
/* The metadata of the bundle: {mime: {"width": 640}}, for the types that have any. */
json_t *bundle_meta(const gpa_repr *r, size_t n);
/* An uncaught error: {ename, evalue, traceback}. NULL when out of memory. */
json_t *bundle_error(const gpa_diag *d);

#endif
