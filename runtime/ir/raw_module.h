/* Raw modules: programs that users write in a device's own language (CUDA C on a GPU).
 *
 * A source is compiled into a module of functions, which are launched by name on a grid of blocks.
 * Their memory accesses are not checked, and they cannot be interrupted. */
#ifndef GPA_IR_RAW_MODULE_H
#define GPA_IR_RAW_MODULE_H

#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"

enum { RAW_MAX_ARGS = 128 };

typedef struct {
    const char *text, *file; /* `file`: its name in the compiler's messages */
    const char *const *options,
        *const *names; /* compiler options; C++ names of required functions (template instances) */
    size_t n_options, n_names;
    bool plain_names; /* the whole source has C linkage */
} raw_source;

/* Properties of a compiled function. */
typedef enum {
#define FACT(id, name) RAW_##id,
#include "runtime/tables/raw_fact.def"
#undef FACT
    RAW_FACT_COUNT
} raw_fact;

#endif
