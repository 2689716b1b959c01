/* Encoding and decoding of text, with CPython's error handlers strict, ignore and replace.
 *
 * Reading order: names, decoding, encoding. */
#include "lang/text/codec.h"

#include <ctype.h>

#include "lang/text/text.h"

/* ---- names ---- */

static const struct {
    const char *name; /* lower case, with - for _ and spaces */
    codec_id id;
} names[] = {
    {"utf-8", CODEC_UTF8},          {"utf8", CODEC_UTF8},        {"u8", CODEC_UTF8},
    {"utf-8-sig", CODEC_UTF8_MARK}, {"ascii", CODEC_ASCII},      {"us-ascii", CODEC_ASCII},
    {"646", CODEC_ASCII},           {"latin-1", CODEC_LATIN1},   {"latin1", CODEC_LATIN1},
    {"iso-8859-1", CODEC_LATIN1},   {"iso8859-1", CODEC_LATIN1}, {"l1", CODEC_LATIN1},
};
static const char *const handlers[] = {
    [CODEC_STRICT] = "strict", [CODEC_IGNORE] = "ignore", [CODEC_REPLACE] = "replace"};
static const struct {
    const char *shown, *in_errors;
    uint32_t end; /* code points below it are encodable */
} facts[] = {
    [CODEC_UTF8] = {"UTF-8", "utf-8", 0x110000},
    [CODEC_UTF8_MARK] = {"utf-8-sig", "utf-8", 0x110000},
    [CODEC_ASCII] = {"ascii", "ascii", 0x80},
    [CODEC_LATIN1] = {"latin-1", "latin-1", 0x100},
};

static bool is_named(const str_obj *given, const char *name) {
    if (given->size != strlen(name)) return false;
    for (size_t i = 0; i < given->size; i++) {
        char c = given->text[i];
        if ((c == '_' || c == ' ' ? '-' : tolower((unsigned char)c)) != name[i]) return false;
    }
    return true;
}

gpa_code codec_of(gpa_vm *vm, const char *function, value encoding, value errors, codec *out) {
    const value given[2] = {encoding, errors};
    static const char *const argument[] = {"encoding", "errors"};
    *out = (codec){CODEC_UTF8, CODEC_STRICT};
    for (int i = 0; i < 2; i++)
        if (given[i].tag != V_STR && given[i].tag != V_NONE && given[i].tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE, "%s() argument '%s' must be str, not %s", function,
                           argument[i], value_type_name(given[i]));
    size_t n = 0, h = 0;
    while (encoding.tag == V_STR && n < COUNT_OF(names) && !is_named(encoding.str, names[n].name))
        n++;
    if (n == COUNT_OF(names))
        return vm_fail(vm, GPA_E_LOOKUP, "unknown encoding: %s", encoding.str->text);
    while (errors.tag == V_STR && h < COUNT_OF(handlers) && !is_named(errors.str, handlers[h])) h++;
    if (h == COUNT_OF(handlers))
        return vm_fail(vm, GPA_E_LOOKUP, "unknown error handler name '%s'", errors.str->text);
    *out = (codec){names[n].id, (codec_errors)h};
    return GPA_OK;
}

const char *codec_name(codec c) { return facts[c.id].shown; }
bool codec_is_plain(codec c) { return c.id == CODEC_UTF8; }
bool codec_is_narrow(codec c) { return c.id == CODEC_ASCII || c.id == CODEC_LATIN1; }

/* ---- decoding ---- */

/* Why the bytes at p (of n) are not a character, and how many of them form the invalid sequence.
 * / */
static const char *fault_at(const char *p, size_t n, size_t *len) {
    const unsigned char *s = (const unsigned char *)p;
    *len = 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return "invalid start byte";
    size_t want = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    unsigned lo = s[0] == 0xE0   ? 0xA0
                  : s[0] == 0xF0 ? 0x90
                                 : 0x80,
             hi = s[0] == 0xED   ? 0x9F
                  : s[0] == 0xF4 ? 0x8F
                                 : 0xBF;
    for (; *len < want && *len < n; ++*len, lo = 0x80, hi = 0xBF)
        if (s[*len] < lo || s[*len] > hi) return "invalid continuation byte";
    return "unexpected end of data";
}

static gpa_code undecodable(gpa_vm *vm, codec c, const char *p, size_t at, size_t len,
                            const char *why) {
    const char *name = facts[c.id].in_errors;
    if (len > 1)
        return vm_fail(vm, GPA_E_UNICODE_DECODE,
                       "'%s' codec can't decode bytes in position %zu-%zu: %s", name, at,
                       at + len - 1, why);
    return vm_fail(vm, GPA_E_UNICODE_DECODE,
                   "'%s' codec can't decode byte 0x%02x in position %zu: %s", name,
                   (unsigned)(unsigned char)p[at], at, why);
}

/* The length in bytes of the longest prefix that is valid UTF-8. */
static size_t text_at_start(const char *p, size_t n) {
    size_t i = 0, len = 1;
    for (; i < n; i += len)
        if ((unsigned char)p[i] < 0x80)
            len = 1;
        else if (text_decode(p + i, n - i, &len) == 0xFFFD && len == 1)
            break;
    return i;
}

static gpa_code give(value v, value *out) {
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    *out = v;
    return GPA_OK;
}

gpa_code codec_decode(gpa_vm *vm, codec c, const char *bytes, size_t n, value *out) {
    if (c.id == CODEC_UTF8_MARK && n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) bytes += 3, n -= 3;
    bool narrow = codec_is_narrow(c);
    if (!narrow && text_at_start(bytes, n) == n) return give(v_str(vm, bytes, n), out);
    gpa_str s;
    gpa_code rc = GPA_OK;
    str_init(&s);
    for (size_t i = 0, len; i < n && !rc; i += len) {
        size_t plain = i;
        while (plain < n && (unsigned char)bytes[plain] < 0x80) plain++;
        str_putn(&s, bytes + i, plain - i);
        if ((i = plain) == n) break;
        uint32_t x = narrow ? (unsigned char)bytes[i] : text_decode(bytes + i, n - i, &len);
        const char *why = "ordinal not in range(128)";
        if (narrow) len = 1;
        bool fits = narrow ? x < facts[c.id].end : x != 0xFFFD || len > 1;
        if (!fits && !narrow) why = fault_at(bytes + i, n - i, &len);
        if (fits)
            text_put(&s, x);
        else if (c.errors == CODEC_STRICT)
            rc = undecodable(vm, c, bytes, i, len, why);
        else if (c.errors == CODEC_REPLACE)
            text_put(&s, 0xFFFD);
    }
    if (!rc) return give(v_str_take(vm, &s), out);
    str_free(&s);
    return rc;
}

/* ---- encoding ---- */

/* Adjacent unencodable characters are reported together, as CPython does. */
static gpa_code unencodable(gpa_vm *vm, codec c, const char *text, size_t size, size_t at) {
    size_t position = text_count(text, at), n = 0, len;
    uint32_t first = text_decode(text + at, size - at, &len);
    for (; at < size && text_decode(text + at, size - at, &len) >= facts[c.id].end; at += len) n++;
    const char *name = facts[c.id].in_errors;
    unsigned end = facts[c.id].end;
    if (n > 1)
        return vm_fail(
            vm, GPA_E_UNICODE_ENCODE,
            "'%s' codec can't encode characters in position %zu-%zu: ordinal not in range(%u)",
            name, position, position + n - 1, end);
    const char *form = first < 0x100 ? "'%s' codec can't encode character '\\x%02x' in position "
                                       "%zu: ordinal not in range(%u)"
                       : first < 0x10000 ? "'%s' codec can't encode character '\\u%04x' in "
                                           "position %zu: ordinal not in range(%u)"
                                         : "'%s' codec can't encode character '\\U%08x' in "
                                           "position %zu: ordinal not in range(%u)";
    return vm_fail(vm, GPA_E_UNICODE_ENCODE, form, name, first, position, end);
}

gpa_code codec_encode(gpa_vm *vm, codec c, const char *text, size_t n, gpa_str *out) {
    if (c.id == CODEC_UTF8_MARK) str_put(out, "\xef\xbb\xbf");
    if (!codec_is_narrow(c)) str_putn(out, text, n);
    for (size_t i = 0, len; i < n && codec_is_narrow(c); i += len) {
        uint32_t x = text_decode(text + i, n - i, &len);
        if (x < facts[c.id].end)
            str_putc(out, (char)x);
        else if (c.errors == CODEC_STRICT)
            return unencodable(vm, c, text, n, i);
        else if (c.errors == CODEC_REPLACE)
            str_putc(out, '?');
    }
    return out->failed ? vm_no_memory(vm) : GPA_OK;
}
