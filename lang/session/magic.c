/* Magics: lines that are not Python. */
#include "lang/session/state.h"

gpa_code session_magic(void *user, const char *text, size_t n, gpa_span at, value *out) {
    gpa_session *s = user;
    (void)at, (void)out;
    size_t end = n;
    while (end && text[end - 1] == '?') end--;
    if (end == n) return vm_fail(s->vm, GPA_E_SYNTAX, "invalid syntax");
    if (session_question(s, text, end, n - end > 1)) session_printf(s, false, "Object `%.*s` not found.\n", (int)end, text);
    return GPA_OK;
}
