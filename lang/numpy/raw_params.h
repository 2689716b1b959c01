/* The parameters of a CUDA C function, read from its source. */
#ifndef GPA_NUMPY_RAW_PARAMS_H
#define GPA_NUMPY_RAW_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/ir/raw_module.h"

typedef struct {
    gpa_dtype type; /* of the number, or of what the pointer points at; DT_NONE: not known */
    bool pointer;
    bool known;    /* false: nothing is known of this parameter */
    char text[40]; /* as it is written, for messages: "const float *x" */
} raw_param;

/* The parameters of the function `name` in a source, into out (RAW_MAX_ARGS); their number, or -1
 * when the source does not show them in a form that is understood. Guesses nothing: a type that is
 * no plain C or CUDA type is not known. */
int raw_params(const char *source, const char *name, raw_param *out);

#endif
