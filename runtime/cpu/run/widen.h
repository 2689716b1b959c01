/* Widening access: programs that only move elements move short contiguous rows as single elements
 * of up to 128 bits. */
#ifndef GPA_CPU_RUN_WIDEN_H
#define GPA_CPU_RUN_WIDEN_H

#include "runtime/cpu/run/program.h"

/* A replacing launch, and the memory of its fields. */
typedef struct {
    gpa_launch l;
    gpa_binding arrays[KIR_MAX_ARRAYS];
    gpa_val params[WIDEN_PARAMS];
} widened;

/* Finds whether a program only moves elements, once per program, for widen_program. */
widen_facts widen_examine(const kir_func *f);
/* The program that moves p's elements as integers of the same size: halves are not converted,
 * complex numbers are not split. *out is owned by p; it is p itself if it does neither, or does not
 * only move elements. */
gpa_code widen_integer_program(gpa_prog *p, gpa_prog **out, gpa_err *e);
/* The program that runs the launch on wider elements, or on integers of the same size if p converts
 * halves or splits complex numbers, and the launch of it in *w. *out is owned by p; it is p itself
 * if the launch cannot be widened. */
gpa_code widen_program(gpa_prog *p, const gpa_launch *l, gpa_prog **out, widened *w, gpa_err *e);

#endif
