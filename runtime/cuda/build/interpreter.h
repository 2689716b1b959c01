/* The interpreter on a device: loaded in the background when it seems to be of use, and launched in
 * place of programs that are not compiled yet. interpret.h says what it is.
 *
 * GPA_CUDA_INTERPRET is for tests: `never`, or `always`, whatever has been compiled and however
 * large the launch. GPA_CUDA_INTERPRETER names another file than the one beside the plugin. */
#ifndef GPA_CUDA_BUILD_INTERPRETER_H
#define GPA_CUDA_BUILD_INTERPRETER_H

#include "runtime/cuda/emit/interpret.h"
#include "runtime/cuda/build/program.h"

typedef enum { INTERPRET_UNTIL_COMPILED, INTERPRET_NEVER, INTERPRET_ALWAYS } interpret_when;

interpret_when interpreter_when(void);
/* A device without one is nothing to report. */
void interpreter_open(gpa_dev *d);
/* There is a launch: after a few it begins to be loaded. */
void interpreter_notice(gpa_dev *d);
void interpreter_close(gpa_dev *d);
/* Whether it is there, with `wait` after loading it; and whether it is there or may come to be. */
bool interpreter_is_there(gpa_dev *d, bool wait);
bool interpreter_is_expected(gpa_dev *d);

/* Queues a launch of p's code. base: addresses of the arrays' origins; slot: of its fault record.
 * Code with loops is waited for, and may give up where that takes long: then *spent is true, and
 * the launch must be done otherwise, from the beginning. */
gpa_code interpreter_run(gpa_dev *d, const gpa_prog *p, const gpa_launch *l, const uint64_t *base,
                         uint32_t slot, bool *spent, gpa_err *e);

/* What a file of it begins with, a line: the compiler that made it and what it was made from.
 * Results are the same as of programs that this compiler makes. */
void interpreter_heading(char out[96], int compiler, cu_target target);

#endif
