/* Dispatch by element size, for code that moves elements and does not interpret them. */
#ifndef GPA_TABLES_BY_SIZE_H
#define GPA_TABLES_BY_SIZE_H

#include "runtime/tables/dtype.h"

/* USE(T), a statement, with a type of `item` bytes: 1, 2, 4, 8 or 16. */
#define BY_SIZE(item, USE)  \
    do {                    \
        if (item == 1)      \
            USE(uint8_t)    \
        else if (item == 2) \
            USE(uint16_t)   \
        else if (item == 4) \
            USE(uint32_t)   \
        else if (item == 8) \
            USE(uint64_t)   \
        else                \
            USE(gpa_c128)   \
    } while (0)

#endif
