/* Text codecs: UTF-8, ASCII and Latin-1, with Python's error handlers and messages. */
#ifndef GPA_TEXT_CODEC_H
#define GPA_TEXT_CODEC_H

#include "lang/object/value.h"

typedef enum {
    CODEC_UTF8,
    CODEC_UTF8_MARK,
    CODEC_ASCII,
    CODEC_LATIN1
} codec_id; /* MARK: after a byte order mark */
typedef enum { CODEC_STRICT, CODEC_IGNORE, CODEC_REPLACE } codec_errors;

typedef struct {
    codec_id id;
    codec_errors errors; /* on invalid input: raise, skip, or replace */
} codec;

/* The codec for a function's arguments `encoding` and `errors`; None and UNSET mean "utf-8" and
 * "strict". LookupError for unknown names. */
gpa_code codec_of(gpa_vm *vm, const char *function, value encoding, value errors, codec *out);
/* "UTF-8": the name in the attribute `encoding` of a file. */
const char *codec_name(codec c);
/* Decodes n bytes to a str, owned by the caller. UnicodeDecodeError. */
gpa_code codec_decode(gpa_vm *vm, codec c, const char *bytes, size_t n, value *out);
/* Encodes a text (n bytes of UTF-8), appended to *out. UnicodeEncodeError. */
gpa_code codec_encode(gpa_vm *vm, codec c, const char *text, size_t n, gpa_str *out);
/* True if encoded bytes equal the stored UTF-8; true if each byte is one character. */
bool codec_is_plain(codec c);
bool codec_is_narrow(codec c);

#endif
