/* UTF-8 and the character classes: a binary search in a table of ranges made by .make/unicode.py.
 */
#include "lang/text/unicode.h"

#include "runtime/base/base.h"

static const struct {
    uint32_t first, last;
    uint8_t classes;
} ranges[] = {
#define RANGE(first, last, classes) {first, last, classes},
#include "lang/text/unicode.def"
#undef RANGE
};

size_t utf8_get(const char *s, const char *end, uint32_t *cp) {
    const unsigned char *u = (const unsigned char *)s;
    uint32_t c = u[0];
    size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (n == 0 || (size_t)(end - s) < n) return 0;
    if (n > 1) c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3f);
    }
    if ((n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) ||
        (n == 4 && (c < 0x10000 || c > 0x10ffff)))
        return 0;
    *cp = c;
    return n;
}

size_t utf8_put(char *to, uint32_t cp) {
    size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    if (n == 1) {
        to[0] = (char)cp;
        return 1;
    }
    for (size_t i = n; i-- > 1; cp >>= 6) to[i] = (char)(0x80 | (cp & 0x3f));
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(lead[n] | cp);
    return n;
}

unsigned unicode_classes(uint32_t cp) {
    size_t lo = 0, hi = COUNT_OF(ranges);
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (cp > ranges[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < COUNT_OF(ranges) && cp >= ranges[lo].first ? ranges[lo].classes : 0;
}

size_t unicode_width(const char *text, size_t n) {
    size_t width = 0;
    for (const char *s = text, *end = text + n; s < end;) {
        uint32_t cp = 0;
        size_t len = (unsigned char)*s < 0x80 ? 1 : utf8_get(s, end, &cp);
        unsigned classes = len > 1 ? unicode_classes(cp) : 0;
        width += classes & U_Z ? 0 : classes & U_W ? 2 : 1;
        s += len ? len : 1;
    }
    return width;
}
