/* A growing text buffer.
 *
 * A buffer that ran out of memory stays valid and remembers it: calls go on as no-ops and `failed`
 * is set, so a writer checks once, at the end. `text` is always a C string (never NULL after
 * str_init, even when empty). */
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
/* Shortens to n bytes; a larger n changes nothing. */
void str_truncate(gpa_str *s, size_t n);
void str_put(gpa_str *s, const char *text);
void str_putn(gpa_str *s, const char *text, size_t n);
void str_putc(gpa_str *s, char c);
/* Room for n bytes behind the text, or NULL; str_commit counts those that were written there. */
char *str_reserve(gpa_str *s, size_t n);
void str_commit(gpa_str *s, size_t n);
/* The character n times. */
void str_fill(gpa_str *s, char c, size_t n);
void str_printf(gpa_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(gpa_str *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Hands the text over (owned by the caller: mem_free) and empties the buffer; NULL when it had
 * failed. */
char *str_take(gpa_str *s);

/* Bytes for people, with three significant digits: "7.45 GiB", "256 MiB"; in NumPy's errors "256.
 * MiB". `to` is returned. */
const char *str_bytes(char to[32], double bytes);
const char *str_numpy_bytes(char to[32], double bytes);
/* An amount of memory as people write it: "4G", "512MiB", "25%" of total, "1000000". False when it
 * is none of these. */
bool str_read_bytes(const char *text, uint64_t total, uint64_t *out);

#endif
