/* The rows of precision.def. */
#ifndef GPA_TABLES_PRECISION_H
#define GPA_TABLES_PRECISION_H

typedef enum {
#define PRECISION(id, name, doc) PRECISION_##id,
#include "runtime/tables/precision.def"
#undef PRECISION
    PRECISION_COUNT
} gpa_precision;

#endif
