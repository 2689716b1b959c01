/* The dtypes of sparse arithmetic in host memory, with their addition: an X-macro. */
#ifndef GPA_HOST_SUM_DTYPES_H
#define GPA_HOST_SUM_DTYPES_H

#include "runtime/tables/dtype.h"

/* SUM(ID, C type, statement that adds a to c). */
#define SUM_TYPES(SUM)                            \
    SUM(BOOL, uint8_t, c |= a)                    \
    SUM(I8, uint8_t, c = (uint8_t)(c + a))        \
    SUM(U8, uint8_t, c = (uint8_t)(c + a))        \
    SUM(I16, uint16_t, c = (uint16_t)(c + a))     \
    SUM(U16, uint16_t, c = (uint16_t)(c + a))     \
    SUM(I32, uint32_t, c += a)                    \
    SUM(U32, uint32_t, c += a)                    \
    SUM(I64, uint64_t, c += a)                    \
    SUM(U64, uint64_t, c += a)                    \
    SUM(F32, float, c += a)                       \
    SUM(F64, double, c += a)                      \
    SUM(C64, gpa_c64, c.re += a.re; c.im += a.im) \
    SUM(C128, gpa_c128, c.re += a.re; c.im += a.im)

#endif
