/* Text that grows. A buffer of zeros is an empty one. */
#ifndef GPA_BUF_H
#define GPA_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* `text` ends with a zero byte once something was put. When memory is short, what does not fit is
 * left out and `failed` set. */
typedef struct {
    char *text;
    size_t len, cap;
    bool failed;
} buf;

void buf_putn(buf *b, const char *text, size_t n);
void buf_put(buf *b, const char *text);
void buf_putc(buf *b, char c);
void buf_fill(buf *b, char c, size_t n); /* n times the same */
void buf_printf(buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(buf *b); /* empty again, its room kept */
void buf_free(buf *b);

#endif
