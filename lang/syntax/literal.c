/* Values of literals: numbers, and the escape sequences of strings. */
#include "lang/syntax/literal.h"

#include <stdlib.h>

#include "lang/text/unicode.h"
#include "runtime/base/base.h"

/* ---- numbers ---- */

static unsigned digit_of(char c) {
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                  : 99;
}

bool literal_integer(const char *s, size_t n, uint64_t *out) {
    unsigned base = 10;
    size_t i = 0;
    if (n > 2 && s[0] == '0') {
        char c = (char)(s[1] | 0x20);
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
        i = base == 10 ? 0 : 2;
    }
    uint64_t value = 0;
    for (; i < n; i++) {
        if (s[i] == '_') continue;
        uint64_t next;
        if (__builtin_mul_overflow(value, (uint64_t)base, &next) ||
            __builtin_add_overflow(next, digit_of(s[i]), &next))
            return false;
        value = next;
    }
    *out = value;
    return true;
}

/* LC_NUMERIC is always "C", so strtod accepts Python's spelling; no character after a literal
 * extends it. */
bool literal_real(arena *a, const char *s, size_t n, double *out) {
    if (memchr(s, '_', n)) {
        char *plain = arena_alloc(a, n + 1);
        if (!plain) return false;
        size_t len = 0;
        for (size_t i = 0; i < n; i++)
            if (s[i] != '_') plain[len++] = s[i];
        s = plain;
    }
    *out = strtod(s, NULL);
    return true;
}

/* ---- strings ---- */

typedef struct {
    const char *s, *at, *end;
    char *out;
    unsigned flags;
    gpa_err *err;
} decoder;

/* The position that CPython's codec reports for p: it counts a character beyond ASCII as a \U
 * escape of ten bytes. */
static size_t codec_position(const decoder *d, const char *p) {
    size_t at = 0;
    for (const char *q = d->s; q < p; q++)
        at += ((unsigned char)*q & 0xc0) == 0x80 ? 0 : (unsigned char)*q < 0x80 ? 1 : 10;
    return at;
}

static bool truncated(const decoder *d, const char *escape, const char *stop, const char *what) {
    if (d->flags & LITERAL_BYTES) {
        gpa_fail(d->err, GPA_E_SYNTAX, "(value error) invalid \\x escape at position %zu",
                 codec_position(d, escape));
        return false;
    }
    gpa_fail(d->err, GPA_E_SYNTAX,
             "(unicode error) 'unicodeescape' codec can't decode bytes in position %zu-%zu: %s",
             codec_position(d, escape), codec_position(d, stop) - 1, what);
    return false;
}

/* \xhh, \uhhhh or \Uhhhhhhhh; d->at is after the letter. */
static bool hex_escape(decoder *d, unsigned digits, const char *what) {
    const char *escape = d->at - 2;
    uint32_t value = 0;
    for (unsigned i = 0; i < digits; i++, d->at++) {
        if (d->at == d->end || digit_of(*d->at) > 15) return truncated(d, escape, d->at, what);
        value = value << 4 | digit_of(*d->at);
    }
    if (value > 0x10ffff) return truncated(d, escape, d->at, "illegal Unicode character");
    if (d->flags & LITERAL_BYTES)
        *d->out++ = (char)value;
    else
        d->out += utf8_put(d->out, value);
    return true;
}

static void octal_escape(decoder *d) {
    uint32_t value = 0;
    for (int i = 0; i < 3 && d->at < d->end && *d->at >= '0' && *d->at <= '7'; i++)
        value = value << 3 | (uint32_t)(*d->at++ - '0');
    if (d->flags & LITERAL_BYTES)
        *d->out++ = (char)value;
    else
        d->out += utf8_put(d->out, value);
}

/* d->at is after the backslash. */
static bool escape(decoder *d) {
    static const char letters[] = "\\'\"abfnrtv", values[] = "\\'\"\a\b\f\n\r\t\v";
    if (d->at == d->end || ((d->flags & LITERAL_BRACES) && (*d->at == '{' || *d->at == '}'))) {
        *d->out++ = '\\';
        return true;
    }
    char c = *d->at;
    const char *known = strchr(letters, c);
    if (known && c) {
        *d->out++ = values[known - letters];
        d->at++;
        return true;
    }
    if (c >= '0' && c <= '7') {
        octal_escape(d);
        return true;
    }
    d->at++;
    bool text = !(d->flags & LITERAL_BYTES);
    if (c == '\n') return true;
    if (c == '\r') {
        if (d->at < d->end && *d->at == '\n') d->at++;
        return true;
    }
    if (c == 'x') return hex_escape(d, 2, "truncated \\xXX escape");
    if (c == 'u' && text) return hex_escape(d, 4, "truncated \\uXXXX escape");
    if (c == 'U' && text) return hex_escape(d, 8, "truncated \\UXXXXXXXX escape");
    if (c == 'N' && text) {
        gpa_fail(d->err, GPA_E_SYNTAX,
                 "character names (\\N{...}) are not part of gpa: write the character itself, or "
                 "its number as \\uXXXX");
        return false;
    }
    *d->out++ = '\\';
    *d->out++ = c;
    return true;
}

static bool decode(decoder *d) {
    while (d->at < d->end) {
        char c = *d->at++;
        if (c == '\\' && !(d->flags & LITERAL_RAW)) {
            if (!escape(d)) return false;
            continue;
        }
        if (c == '\r') {
            if (d->at < d->end && *d->at == '\n') d->at++;
            c = '\n';
        } else if ((c == '{' || c == '}') && (d->flags & LITERAL_BRACES)) {
            if (d->at < d->end && *d->at == c) d->at++;
        } else if ((d->flags & LITERAL_BYTES) && (unsigned char)c >= 0x80) {
            gpa_fail(d->err, GPA_E_SYNTAX, "bytes can only contain ASCII literal characters");
            return false;
        }
        *d->out++ = c;
    }
    return true;
}

gpa_code literal_text(arena *a, const char *s, size_t n, unsigned flags, ast_text *out,
                      gpa_err *e) {
    char *buffer = arena_alloc(a, n + 1); /* decoding an escape never lengthens the text */
    if (!buffer) return gpa_no_memory(e);
    decoder d = {s, s, s + n, buffer, flags, e};
    if (!decode(&d)) return e->code;
    *d.out = 0;
    *out = (ast_text){buffer, (uint32_t)(d.out - buffer)};
    return GPA_OK;
}
