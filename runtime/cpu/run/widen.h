/* Widening access: programs that only move elements move short contiguous rows as single elements
 * of up to 128 bits. */
#ifndef GPA_CPU_RUN_WIDEN_H
#define GPA_CPU_RUN_WIDEN_H

#include "runtime/cpu/run/program.h"

/* A launch in place of another, with what it points to. */
typedef struct {
    gpa_launch l;
    gpa_binding arrays[KIR_MAX_ARRAYS];
    gpa_val params[WIDEN_PARAMS];
} widened;

/* What widen_program must know of a program, found once: whether it does nothing but move. */
widen_facts widen_examine(const kir_func *f);
/* The program that does the same launch in wider elements, or in plain ones where those are
 * converted or parted on their way, owned by p, and that launch; *out is p itself where that is
 * nothing else. */
gpa_code widen_program(gpa_prog *p, const gpa_launch *l, gpa_prog **out, widened *w, gpa_err *e);

#endif
