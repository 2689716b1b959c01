/* Growable text buffer (string builder).
 *
 * When memory runs out the buffer stays valid, `failed` is set and further writes are no-ops, so a
 * writer checks once, at the end. `text` is always a C string (never NULL after str_init, even when
 * empty). */
#ifndef GPA_BASE_STR_H
#define GPA_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gpa_str {
    char *text;
    size_t len, cap;
    bool failed;
} gpa_str;

void str_init(gpa_str *s);
void str_free(gpa_str *s);
/* Empties the buffer and keeps its memory. */
void str_clear(gpa_str *s);
/* Truncates to n bytes; a larger n changes nothing. */
void str_truncate(gpa_str *s, size_t n);
void str_put(gpa_str *s, const char *text);
void str_putn(gpa_str *s, const char *text, size_t n);
void str_putc(gpa_str *s, char c);
/* Ensures capacity for n more bytes and returns their address, or NULL; str_commit appends the
 * bytes that were written there. */
char *str_reserve(gpa_str *s, size_t n);
void str_commit(gpa_str *s, size_t n);
/* Appends the character n times. */
void str_fill(gpa_str *s, char c, size_t n);
void str_printf(gpa_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(gpa_str *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Returns the text, owned by the caller (mem_free), and empties the buffer; NULL when it had
 * failed. */
char *str_take(gpa_str *s);

/* A byte count with a binary unit and three significant digits: "7.45 GiB", "256 MiB"; in NumPy's
 * errors "256. MiB". `to` is returned. */
const char *str_bytes(char to[32], double bytes);
const char *str_numpy_bytes(char to[32], double bytes);
/* Parses an amount of memory: "4G", "512MiB", "25%" of total, "1000000". False when it
 * is none of these. */
bool str_read_bytes(const char *text, uint64_t total, uint64_t *out);

#endif
