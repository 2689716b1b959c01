/* Growable text buffer. A zero-initialised buffer is empty. */
#ifndef GPA_BUF_H
#define GPA_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* `text` is zero-terminated once something was written. When out of memory, text is dropped and
 * `failed` set. */
typedef struct {
    char *text;
    size_t len, cap;
    bool failed;
} buf;

void buf_putn(buf *b, const char *text, size_t n);
void buf_put(buf *b, const char *text);
void buf_putc(buf *b, char c);
void buf_fill(buf *b, char c, size_t n); /* n copies of c */
void buf_printf(buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(buf *b); /* empty, capacity kept */
void buf_free(buf *b);

#endif
