/* Caches of FFT tables: twiddle factors, Bluestein's filters and choices of an algorithm. */
#ifndef GPA_CPU_FFT_FFT_TABLES_H
#define GPA_CPU_FFT_FFT_TABLES_H

#include "runtime/cpu/fft/bluestein.h"
#include "runtime/cpu/fft/mixed_radix.h"
#include "runtime/ir/libcall.h"

enum { FFT_FACTORS_CACHED = 32, FFT_FILTERS_CACHED = 8, FFT_CHOICES_CACHED = 64 };

typedef enum {
    FACTORS_NONE,
    FACTORS_PASSES,      /* of a mixed-radix transform */
    FACTORS_LANES_SPLIT, /* radix_real_split */
    FACTORS_ROW_SPLIT,   /* real_split */
    FACTORS_FOUR_STEP    /* between columns and rows of a matrix of n1 rows */
} fft_factor_kind;

typedef struct {
    fft_factor_kind kind;
    gpa_dtype dtype;
    int64_t n, n1; /* n1: of FACTORS_FOUR_STEP */
    radix *passes;
    void *split;
    radix_twiddles four_step;
    uint64_t used;
} fft_factors;

/* IN_LANES: several rows in the lanes of vectors. FOUR_STEP: a long row as a matrix. */
typedef enum { FFT_IN_LANES, FFT_FOUR_STEP, FFT_BLUESTEIN } fft_algorithm;

typedef struct {
    gpa_dtype dtype;
    gpa_fft_form form;
    int64_t n, count;
    bool contiguous;
    fft_algorithm algorithm;
} fft_choice;

typedef struct fft_tables {
    fft_factors factors[FFT_FACTORS_CACHED];
    struct {
        bluestein c;
        uint64_t used;
    } filters[FFT_FILTERS_CACHED];
    fft_choice choices[FFT_CHOICES_CACHED];
    uint64_t clock;
} fft_tables;

/* The factors of a kind for n points from the LRU cache, valid until FFT_FACTORS_CACHED others were
 * used; NULL when memory is short. */
const fft_factors *fft_factors_of(fft_tables *s, fft_factor_kind kind, gpa_dtype t, int64_t n,
                                  int64_t n1);

#endif
