/* Growable text buffer. Invariant: text[len] == 0; text points to `empty` until the first byte is
 * stored. */
#include "runtime/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"

static char empty[1];

static bool ensure(gpa_str *s, size_t more) {
    if (s->failed) return false;
    if (s->len + more < s->cap && more < s->cap) return true;
    bool fits = more < PTRDIFF_MAX - s->len;
    size_t want = fits ? MAX(MAX(s->cap * 2, s->len + more + 1), 64) : 0;
    char *grown = fits ? mem_resize(s->cap ? s->text : NULL, want) : NULL;
    if (!grown) {
        s->failed = true;
        return false;
    }
    s->text = grown;
    s->cap = want;
    return true;
}

void str_init(gpa_str *s) { *s = (gpa_str){.text = empty}; }

void str_free(gpa_str *s) {
    if (s->cap) mem_free(s->text);
    str_init(s);
}

void str_clear(gpa_str *s) {
    s->len = 0;
    s->failed = false;
    if (s->cap) s->text[0] = 0;
}

void str_truncate(gpa_str *s, size_t n) {
    if (n >= s->len) return;
    s->len = n;
    s->text[n] = 0;
}

void str_putn(gpa_str *s, const char *text, size_t n) {
    if (n == 0 || !ensure(s, n)) return;
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = 0;
}

void str_put(gpa_str *s, const char *text) { str_putn(s, text, strlen(text)); }

void str_putc(gpa_str *s, char c) { str_putn(s, &c, 1); }

char *str_reserve(gpa_str *s, size_t n) { return ensure(s, n) ? s->text + s->len : NULL; }

void str_commit(gpa_str *s, size_t n) {
    s->len += n;
    s->text[s->len] = 0;
}

void str_fill(gpa_str *s, char c, size_t n) {
    if (n == 0 || !ensure(s, n)) return;
    memset(s->text + s->len, c, n);
    s->len += n;
    s->text[s->len] = 0;
}

void str_vprintf(gpa_str *s, const char *fmt, va_list ap) {
    va_list again;
    if (!ensure(s, 32)) return;
    va_copy(again, ap);
    size_t left = s->cap - s->len;
    int n = vsnprintf(s->text + s->len, left, fmt, ap);
    if (n >= 0 && (size_t)n < left)
        s->len += (size_t)n;
    else {
        s->text[s->len] = 0;
        if (n > 0 && ensure(s, (size_t)n)) {
            vsnprintf(s->text + s->len, (size_t)n + 1, fmt, again);
            s->len += (size_t)n;
        }
    }
    va_end(again);
}

void str_printf(gpa_str *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(s, fmt, ap);
    va_end(ap);
}

char *str_take(gpa_str *s) {
    char *t = s->failed ? NULL : s->cap ? s->text : mem_text("", 0);
    if (s->failed) str_free(s);
    str_init(s);
    return t;
}

/* ---- amounts of memory ---- */

const char *str_numpy_bytes(char to[32], double bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;
    while (bytes >= 1023.5 && u + 1 < COUNT_OF(units)) {
        bytes /= 1024;
        u++;
    }
    if (u == 0)
        snprintf(to, 32, "%.0f bytes", bytes);
    else
        snprintf(to, 32, bytes < 1000 ? "%#.3g %s" : "%#.0f %s", bytes, units[u]);
    return to;
}

const char *str_bytes(char to[32], double bytes) {
    str_numpy_bytes(to, bytes);
    char *dot = strstr(to, ". ");
    if (dot) memmove(dot, dot + 1, strlen(dot));
    return to;
}

bool str_read_bytes(const char *text, uint64_t total, uint64_t *out) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || !(v > 0)) return false;
    if (strcmp(end, "%") == 0) {
        *out = (uint64_t)((double)total * v / 100);
        return total > 0 && v <= 100;
    }
    const char *units = "KMGT", *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit) {
        v *= (double)(1ull << (10 * (unit - units + 1)));
        end++;
    }
    if (*end && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0) return false;
    *out = (uint64_t)v;
    return v < 9e18;
}
