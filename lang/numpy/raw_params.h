/* Parameters of a CUDA C function, parsed from its source, to check launch arguments. */
#ifndef GPA_NUMPY_RAW_PARAMS_H
#define GPA_NUMPY_RAW_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/ir/raw_module.h"

typedef struct {
    gpa_dtype type; /* of the number or the pointer's target; DT_NONE: unknown */
    bool pointer;
    bool known;    /* false: the parameter could not be parsed */
    char text[40]; /* source text, for messages: "const float *x" */
} raw_param;

/* Parses the parameters of the function `name` into out (RAW_MAX_ARGS); returns their number, or
 * -1 if the source has them in a form that is not supported. Never guesses: a type that is not a
 * scalar type of C or CUDA is unknown. */
int raw_params(const char *source, const char *name, raw_param *out);

#endif
