/* The text buffer. Invariant: text[len] == 0; text points to `empty` until the first byte is stored. */
#include "runtime/str.h"

#include <stdio.h>

#include "runtime/base.h"

static char empty[1];

static bool room(gpa_str *s, size_t more) {
    if (s->failed) return false;
    if (s->len + more < s->cap) return true;
    size_t want = MAX(s->cap * 2, s->len + more + 1);
    if (want < 64) want = 64;
    char *grown = mem_resize(s->cap ? s->text : NULL, want);
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

void str_cut(gpa_str *s, size_t n) {
    if (n >= s->len) return;
    s->len = n;
    s->text[n] = 0;
}

void str_putn(gpa_str *s, const char *text, size_t n) {
    if (n == 0 || !room(s, n)) return;
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = 0;
}

void str_put(gpa_str *s, const char *text) { str_putn(s, text, strlen(text)); }

void str_putc(gpa_str *s, char c) { str_putn(s, &c, 1); }

void str_fill(gpa_str *s, char c, size_t n) {
    if (n == 0 || !room(s, n)) return;
    memset(s->text + s->len, c, n);
    s->len += n;
    s->text[s->len] = 0;
}

void str_vprintf(gpa_str *s, const char *fmt, va_list ap) {
    va_list again;
    if (!room(s, 32)) return;
    va_copy(again, ap);
    size_t left = s->cap - s->len;
    int n = vsnprintf(s->text + s->len, left, fmt, ap);
    if (n >= 0 && (size_t)n < left) s->len += (size_t)n;
    else {
        s->text[s->len] = 0;
        if (n > 0 && room(s, (size_t)n)) {
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
