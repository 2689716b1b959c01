/* Data types (dtypes): enum, properties, NumPy 2 type promotion, scalar casts.
 *
 * Promotion is NumPy 2's (NEP 50): typed operands promote among themselves; Python's scalars are
 * weak: they only raise the kind. */
#ifndef GPA_TABLES_DTYPE_H
#define GPA_TABLES_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/err.h"

typedef struct {
    float re, im;
} gpa_c64;

typedef struct {
    double re, im;
} gpa_c128;

typedef enum {
#define DT(id, ...) DT_##id,
#include "runtime/tables/dtype.def"
#undef DT
    DT_COUNT,
    DT_NONE = DT_COUNT /* "no dtype": a missing argument, an instruction without a result */
} gpa_dtype;

/* One element of any dtype; the dtype that accompanies it selects the member. float16 and bfloat16
 * are stored as their bits. */
typedef union {
#define DT(id, name, ctype, ...) ctype id;
#include "runtime/tables/dtype.def"
#undef DT
    uint64_t bits[2];
} gpa_val;

typedef struct {
    const char *name, *id, *cuda;
    char np_char, kind;
    uint8_t size;
    gpa_dtype compute, real;
} gpa_dtype_info;

extern const gpa_dtype_info dtype_info[DT_COUNT];

/* Weak (Python) scalars as operands: they have a kind and no width. */
typedef enum { WEAK_NO, WEAK_BOOL, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX } gpa_weak;

typedef enum { CAST_NO, CAST_EQUIV, CAST_SAFE, CAST_SAME_KIND, CAST_UNSAFE } gpa_casting;

static inline size_t dtype_size(gpa_dtype t) { return dtype_info[t].size; }
static inline bool dtype_is_complex(gpa_dtype t) { return dtype_info[t].kind == 'C'; }
static inline bool dtype_is_float(gpa_dtype t) { return dtype_info[t].kind == 'F'; }
static inline bool dtype_is_int(gpa_dtype t) {
    return dtype_info[t].kind == 'I' || dtype_info[t].kind == 'U';
}

/* The dtype with this name ("float32", "f4", "<f8", "f", "d", "int", "bool_", ...), else DT_NONE.
 */
gpa_dtype dtype_find(const char *name, size_t n);
/* NumPy's promotion of two dtypes; DT_NONE when there is no common dtype. float16 with bfloat16 is
 * float32. */
gpa_dtype dtype_promote(gpa_dtype a, gpa_dtype b);
/* The dtype of a weak scalar combined with `t`; with t DT_NONE its default (bool, int64, float64,
 * complex128). */
gpa_dtype dtype_of_weak(gpa_weak w, gpa_dtype t);
bool dtype_can_cast(gpa_dtype from, gpa_dtype to, gpa_casting casting);
/* One value converted as NumPy's astype does on x86-64 (float to int truncates; out of range gives
 * what the hardware's conversion gives; complex to real drops the imaginary part). */
gpa_val dtype_cast(gpa_val v, gpa_dtype from, gpa_dtype to);
/* Copies an element of this size; memcpy of a constant size compiles to single instructions. */
static inline void dtype_copy_element(void *to, const void *from, size_t size) {
    switch (size) {
        case 1: memcpy(to, from, 1); return;
        case 2: memcpy(to, from, 2); return;
        case 4: memcpy(to, from, 4); return;
        case 8: memcpy(to, from, 8); return;
        case 16: memcpy(to, from, 16); return;
    }
}
/* Loads or stores one element; the address may be unaligned. */
gpa_val dtype_load(const void *p, gpa_dtype t);
void dtype_store(void *p, gpa_dtype t, gpa_val v);

float half_to_float(uint16_t h);
uint16_t half_from_float(float f);
uint16_t half_from_double(double d);
float bfloat_to_float(uint16_t h);
uint16_t bfloat_from_float(float f);

#endif
