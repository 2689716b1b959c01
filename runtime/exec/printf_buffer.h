/* Device printf buffer: the lines that a kernel's threads print, in a deterministic order.
 *
 * Lines are sorted by block, then thread, then order of printing, so that every device gives the
 * same output however it schedules its threads. */
#ifndef GPA_EXEC_PRINTF_BUFFER_H
#define GPA_EXEC_PRINTF_BUFFER_H

#include "runtime/backend.h"

typedef struct {
    struct printf_line {
        uint64_t block;
        uint32_t thread, text, n; /* text: index of the PRINT's text; n: arguments */
        size_t args, arrival;     /* index of the first argument; order of arrival */
    } * lines;
    gpa_val *args;
    size_t n_lines, cap_lines, n_args, cap_args;
    bool failed; /* lines were lost to a shortage of memory */
} printf_buffer;

/* A gpa_launch.print whose user is a printf_buffer, zeroed before the launch. */
void printf_buffer_append(void *user, const gpa_printed *what);
/* Calls `line` for each line in order: the PRINT's text with \1 for each argument, the arguments
 * and their dtypes. GPA_E_MEMORY when lines were lost; an error of `line` ends it. */
gpa_code printf_buffer_emit(printf_buffer *b, const kir_func *f,
                            gpa_code (*line)(void *user, const char *text, uint32_t n,
                                             const uint8_t *types, const gpa_val *args),
                            void *user, gpa_err *e);
void printf_buffer_free(printf_buffer *b);

#endif
