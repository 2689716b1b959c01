/* Text encodings: UTF-8, ASCII and Latin-1, with CPython's UnicodeDecodeError and
 * UnicodeEncodeError. */
#ifndef GPA_TEXT_CODEC_H
#define GPA_TEXT_CODEC_H

#include "lang/vm/native.h"

typedef enum {
    CODEC_UTF8,
    CODEC_UTF8_MARK,
    CODEC_ASCII,
    CODEC_LATIN1
} codec_id; /* UTF8_MARK: UTF-8 with a byte order mark. */
typedef enum { CODEC_STRICT, CODEC_IGNORE, CODEC_REPLACE } codec_errors;

typedef struct {
    codec_id id;
    codec_errors errors; /* On an unencodable or undecodable item: raise, skip, substitute. */
} codec;

/* Looks up the codec of the arguments `encoding` and `errors` of a function. None and UNSET mean
 * "utf-8" and "strict". Raises LookupError for unknown names. */
gpa_code codec_of(gpa_vm *vm, const char *function, value encoding, value errors, codec *out);
/* The canonical name, "UTF-8", as file objects report it. */
const char *codec_name(codec c);
/* Decodes n bytes into *out, an owned str. Raises UnicodeDecodeError for invalid bytes. */
gpa_code codec_decode(gpa_vm *vm, codec c, const char *bytes, size_t n, value *out);
/* Encodes n bytes of UTF-8 text and appends the result to *out. Raises UnicodeEncodeError for
 * characters that the codec lacks. */
gpa_code codec_encode(gpa_vm *vm, codec c, const char *text, size_t n, gpa_str *out);
/* True if encoding copies the bytes of a str unchanged; true if every byte is one character. */
bool codec_is_plain(codec c);
bool codec_is_narrow(codec c);

#endif
