/* UTF-8 text: decoding, positions, case mapping and character classes. Case and class are exact for
 * ASCII, Latin, Greek and Cyrillic; other characters above U+00AA that are neither spaces,
 * punctuation nor symbols count as letters without case. */
#include "lang/text/text.h"

uint32_t text_decode(const char *p, size_t n, size_t *len) {
    const unsigned char *s = (const unsigned char *)p;
    *len = 1;
    if (n == 0) return 0xFFFD;
    if (s[0] < 0x80) return s[0];
    size_t want = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || want > n) return 0xFFFD;
    uint32_t c = s[0] & (0x7Fu >> want);
    for (size_t i = 1; i < want; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0xFFFD;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[want] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0xFFFD;
    *len = want;
    return c;
}

size_t text_encode(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    static const unsigned lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[n] | c);
    return n;
}

void text_put(gpa_str *s, uint32_t c) {
    char b[4];
    str_putn(s, b, text_encode(c, b));
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

size_t text_count(const char *p, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += !is_continuation(p[i]);
    return count;
}

size_t text_offset(const char *p, size_t n, size_t i) {
    size_t at = 0;
    for (; i > 0 && at < n; i--) {
        at++;
        while (at < n && is_continuation(p[at])) at++;
    }
    return at;
}

size_t text_find(const char *hay, size_t n, const char *needle, size_t m, size_t from) {
    if (from > n || m > n - from) return SIZE_MAX;
    const char *at = m == 0 ? hay + from : memmem(hay + from, n - from, needle, m);
    return at ? (size_t)(at - hay) : SIZE_MAX;
}

size_t text_rfind(const char *hay, size_t n, const char *needle, size_t m) {
    if (m > n) return SIZE_MAX;
    for (size_t at = n - m + 1; at-- > 0;)
        if (memcmp(hay + at, needle, m) == 0) return at;
    return SIZE_MAX;
}

typedef struct {
    uint32_t lo, hi;
} span;

static bool in_spans(uint32_t c, const span *spans, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c >= spans[i].lo && c <= spans[i].hi) return true;
    return false;
}

size_t text_width(const char *p, size_t n) {
    static const span wide[] = {{0x1100, 0x115F},  {0x2E80, 0x303E}, {0x3041, 0xA4CF},
                                {0xAC00, 0xD7A3},  {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
                                {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF},
                                {0x20000, 0x3FFFD}};
    static const span none[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}};
    size_t width = 0, len;
    for (size_t i = 0; i < n; i += len) {
        uint32_t c = text_decode(p + i, n - i, &len);
        width += in_spans(c, wide, COUNT_OF(wide)) ? 2 : !in_spans(c, none, COUNT_OF(none));
    }
    return width;
}

bool text_is_space(uint32_t c) {
    static const span spaces[] = {
        {9, 13},          {28, 32},         {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
        {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    return c < 0x80 ? (c >= 9 && c <= 13) || (c >= 28 && c <= 32)
                    : in_spans(c, spaces, COUNT_OF(spaces));
}

bool text_is_digit(uint32_t c) {
    static const span digits[] = {{'0', '9'},       {0xB2, 0xB3},     {0xB9, 0xB9},
                                  {0x660, 0x669},   {0x966, 0x96F},   {0x2070, 0x2070},
                                  {0x2074, 0x2079}, {0x2080, 0x2089}, {0xFF10, 0xFF19}};
    return in_spans(c, digits, COUNT_OF(digits));
}

/* Upper and lower case: in these ranges the two alternate (step 1), or lower case is `step`
 * above upper case. */
static const struct {
    uint32_t lo, hi; /* the upper-case letters */
    uint32_t step;
} cases[] = {
    {'A', 'Z', 32},     {0xC0, 0xD6, 32},    {0xD8, 0xDE, 32},    {0x100, 0x12E, 1},
    {0x132, 0x136, 1},  {0x139, 0x147, 1},   {0x14A, 0x176, 1},   {0x179, 0x17D, 1},
    {0x391, 0x3A1, 32}, {0x3A3, 0x3AB, 32},  {0x3D8, 0x3EE, 1},   {0x400, 0x40F, 80},
    {0x410, 0x42F, 32}, {0x460, 0x480, 1},   {0x48A, 0x4BE, 1},   {0x4D0, 0x52E, 1},
    {0x531, 0x556, 48}, {0x1E00, 0x1E94, 1}, {0x1EA0, 0x1EFE, 1}, {0xFF21, 0xFF3A, 32},
};

uint32_t text_lower(uint32_t c) {
    if (c == 0x178) return 0xFF;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (c >= cases[i].lo && c <= cases[i].hi &&
            (cases[i].step > 1 || (c - cases[i].lo) % 2 == 0))
            return c + cases[i].step;
    return c;
}

uint32_t text_upper(uint32_t c) {
    if (c == 0xFF) return 0x178;
    if (c == 0xB5) return 0x39C;
    if (c == 0x3C2) return 0x3A3;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t step = cases[i].step, u = c - step;
        if (c >= step && u >= cases[i].lo && u <= cases[i].hi &&
            (step > 1 || (u - cases[i].lo) % 2 == 0))
            return u;
    }
    return c;
}

bool text_is_upper(uint32_t c) { return text_lower(c) != c; }

bool text_is_lower(uint32_t c) { return text_upper(c) != c || c == 0xDF || c == 0xAA || c == 0xBA; }

bool text_is_alpha(uint32_t c) {
    if (c < 0x80) return (c | 32) >= 'a' && (c | 32) <= 'z';
    static const span others[] = {
        {0x80, 0xA9},     {0xAB, 0xB4},      {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
        {0xF7, 0xF7},     {0x2C2, 0x2C5},    {0x2D2, 0x2DF},   {0x300, 0x36F},   {0x37E, 0x37E},
        {0x387, 0x387},   {0x482, 0x489},    {0x2000, 0x2070}, {0x2072, 0x207E}, {0x2080, 0x208F},
        {0x20A0, 0x2101}, {0x2190, 0x2BFF},  {0x3000, 0x3004}, {0xD800, 0xF8FF}, {0xFE00, 0xFE2F},
        {0xFF00, 0xFF20}, {0x1F000, 0x1FAFF}};
    return !in_spans(c, others, COUNT_OF(others)) && !text_is_digit(c) && !text_is_space(c);
}

bool text_is_printable(uint32_t c) {
    static const span hidden[] = {{0, 31},          {0x7F, 0xA0},     {0xAD, 0xAD},
                                  {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                                  {0xD800, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}};
    return !in_spans(c, hidden, COUNT_OF(hidden)) && (c == ' ' || !text_is_space(c));
}
