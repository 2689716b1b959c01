/* Growable text buffer: the capacity doubles when needed. */
#include "repl/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ensures capacity for n more bytes and the terminating zero. */
static bool reserve(buf *b, size_t n) {
    if (b->len + n + 1 <= b->cap) return true;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < b->len + n + 1) cap *= 2;
    char *grown = realloc(b->text, cap);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->text = grown;
    b->cap = cap;
    return true;
}

void buf_putn(buf *b, const char *text, size_t n) {
    if (!reserve(b, n)) return;
    if (n) memcpy(b->text + b->len, text, n);
    b->len += n;
    b->text[b->len] = 0;
}

void buf_put(buf *b, const char *text) { buf_putn(b, text, strlen(text)); }
void buf_putc(buf *b, char c) { buf_putn(b, &c, 1); }

void buf_fill(buf *b, char c, size_t n) {
    if (!reserve(b, n)) return;
    memset(b->text + b->len, c, n);
    b->len += n;
    b->text[b->len] = 0;
}

void buf_printf(buf *b, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0 && reserve(b, (size_t)n))
        b->len += (size_t)vsnprintf(b->text + b->len, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
}

void buf_clear(buf *b) {
    b->len = 0;
    if (b->text) b->text[0] = 0;
}

void buf_free(buf *b) {
    free(b->text);
    *b = (buf){0};
}
