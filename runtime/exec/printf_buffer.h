/* What a kernel's threads print, gathered and put in order: block after block, thread after thread,
 * each thread's lines as it printed them. The order is that of every device, however its threads
 * ran. */
#ifndef GPA_EXEC_PRINTF_BUFFER_H
#define GPA_EXEC_PRINTF_BUFFER_H

#include "runtime/backend.h"

typedef struct {
    struct said_line {
        uint64_t block;
        uint32_t thread, text, n;
        size_t args, number; /* first argument; order of arrival */
    } * lines;
    gpa_val *args;
    size_t n_lines, cap_lines, n_args, cap_args;
    bool failed;
} said;

/* A gpa_launch.say whose user is a said, zeroed at first. Lines beyond memory are lost, and
 * said_tell says so. */
void said_hear(void *user, const gpa_said *what);
/* Hands the lines over in order: the pieces of the PRINT's text and its arguments. GPA_E_MEMORY
 * when some were lost. */
gpa_code said_tell(said *s, const kir_func *f,
                   gpa_code (*line)(void *user, const char *text, uint32_t n, const uint8_t *types,
                                    const gpa_val *args),
                   void *user, gpa_err *e);
void said_free(said *s);

#endif
