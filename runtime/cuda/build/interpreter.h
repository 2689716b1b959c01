/* The bytecode interpreter (interpret.h) on a device: loaded in the background, and launched in
 * place of programs that are not compiled yet.
 *
 * GPA_CUDA_INTERPRET is for tests: `never`; or `always`, also for compiled programs and large
 * launches. GPA_CUDA_INTERPRETER names another file than the one next to the plugin. */
#ifndef GPA_CUDA_BUILD_INTERPRETER_H
#define GPA_CUDA_BUILD_INTERPRETER_H

#include "runtime/cuda/emit/interpret.h"
#include "runtime/cuda/build/program.h"

typedef enum { INTERPRET_UNTIL_COMPILED, INTERPRET_NEVER, INTERPRET_ALWAYS } interpret_when;

interpret_when interpreter_when(void);
/* Prepares the device; without memory there is no interpreter. */
void interpreter_open(gpa_dev *d);
/* Counts a launch: after a few, loading starts. */
void interpreter_count_launch(gpa_dev *d);
void interpreter_close(gpa_dev *d);
/* True if it is loaded (`wait`: loads it first); true if it is loaded or may be later. */
bool interpreter_is_loaded(gpa_dev *d, bool wait);
bool interpreter_is_expected(gpa_dev *d);

typedef struct {
    const gpa_launch *l;
    const uint64_t *base; /* per array: the address of its origin */
    uint32_t slot;        /* of its fault record */
} interpreter_launch;

/* Queues a launch of p's bytecode. Bytecode with loops is waited for, and may exceed its budget:
 * then *spent is true, and the launch must be repeated by a compiled program. */
gpa_code interpreter_run(gpa_dev *d, const gpa_prog *p, const interpreter_launch *x, bool *spent,
                         gpa_err *e);

/* The first line of the interpreter's file: compiler version and hash of the tables. Results equal
 * those of programs of the same compiler. */
void interpreter_heading(char out[96], int compiler, cu_target target);

#endif
