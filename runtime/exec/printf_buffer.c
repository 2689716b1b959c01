/* Device printf buffer: lines are appended as threads print them, and emitted in sorted order. */
#include "runtime/exec/printf_buffer.h"

#include <stdlib.h>

#include "runtime/base/base.h"

void printf_buffer_append(void *user, const gpa_printed *what) {
    printf_buffer *s = user;
    while (!s->failed && s->n_args + what->n > s->cap_args)
        if (!mem_grow(&s->args, s->cap_args, &s->cap_args, sizeof *s->args)) s->failed = true;
    if (s->failed || !mem_grow(&s->lines, s->n_lines, &s->cap_lines, sizeof *s->lines)) {
        s->failed = true;
        return;
    }
    s->lines[s->n_lines] =
        (struct printf_line){what->block, what->thread, what->text, what->n, s->n_args, s->n_lines};
    s->n_lines++;
    for (uint32_t i = 0; i < what->n; i++) s->args[s->n_args++] = what->args[i];
}

static int compare_lines(const void *a, const void *b) {
    const struct printf_line *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

/* The dtypes of the arguments of the PRINT with this text: the ARG instructions before it. */
static void types_of(const kir_func *f, uint32_t text, uint8_t types[KIR_MAX_PRINT]) {
    size_t at = 0;
    while (at < f->n_code && !(f->code[at].code == KIR_PRINT && f->code[at].imm == text)) at++;
    size_t n = (size_t)kir_print_args(f, (int32_t)at);
    for (size_t i = 0; i < n && i < KIR_MAX_PRINT; i++)
        types[i] = f->code[f->code[at - n + i].a].type;
}

gpa_code printf_buffer_emit(printf_buffer *s, const kir_func *f,
                            gpa_code (*line)(void *user, const char *text, uint32_t n,
                                             const uint8_t *types, const gpa_val *args),
                            void *user, gpa_err *e) {
    gpa_code rc = GPA_OK;
    uint8_t types[KIR_MAX_PRINT] = {0};
    if (s->n_lines) qsort(s->lines, s->n_lines, sizeof *s->lines, compare_lines);
    for (size_t i = 0; i < s->n_lines && !rc; i++) {
        const struct printf_line *x = &s->lines[i];
        if (i == 0 || x->text != s->lines[i - 1].text) types_of(f, x->text, types);
        rc = line(user, f->texts[x->text], x->n, types, s->args + x->args);
    }
    return !rc && s->failed ? gpa_no_memory(e) : rc;
}

void printf_buffer_free(printf_buffer *s) {
    mem_free(s->lines);
    mem_free(s->args);
    *s = (printf_buffer){0};
}
