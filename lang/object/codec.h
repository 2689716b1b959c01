/* Text and bytes: UTF-8, ASCII and Latin-1, with Python's words for what does not fit. */
#ifndef GPA_TEXT_CODEC_H
#define GPA_TEXT_CODEC_H

#include "lang/object/value.h"

typedef enum {
    CODEC_UTF8,
    CODEC_UTF8_MARK,
    CODEC_ASCII,
    CODEC_LATIN1
} codec_id; /* MARK: behind a byte order mark */
typedef enum { CODEC_STRICT, CODEC_IGNORE, CODEC_REPLACE } codec_errors;

typedef struct {
    codec_id id;
    codec_errors errors; /* of what does not fit: an error, left out, a replacement */
} codec;

/* The codec of a function's arguments `encoding` and `errors`, None and UNSET of which are "utf-8"
 * and "strict". LookupError for others. */
gpa_code codec_of(gpa_vm *vm, const char *function, value encoding, value errors, codec *out);
/* "UTF-8", as a file tells it. */
const char *codec_name(codec c);
/* *out: n bytes as text, owned by the caller. UnicodeDecodeError where they are none. */
gpa_code codec_decode(gpa_vm *vm, codec c, const char *bytes, size_t n, value *out);
/* Appends the bytes of a text (n bytes of UTF-8) to *out. UnicodeEncodeError where there are none
 * for it. */
gpa_code codec_encode(gpa_vm *vm, codec c, const char *text, size_t n, gpa_str *out);
/* Whether its bytes are the text's, as it is kept, and whether each of its bytes is a character. */
bool codec_is_plain(codec c);
bool codec_is_narrow(codec c);

#endif
