/* Caches of FFT tables: fft_tables.h. */
#include "runtime/cpu/fft/fft_tables.h"

#include "runtime/base/base.h"
#include "runtime/cpu/fft/fft_axis.h"
#include "runtime/cpu/fft/half_length.h"

static void drop(fft_factors *f) {
    radix_free(f->passes);
    mem_free(f->split);
    radix_twiddles_free(&f->four_step);
    *f = (fft_factors){0};
}

const fft_factors *fft_factors_of(fft_tables *s, fft_factor_kind kind, gpa_dtype t, int64_t n,
                                  int64_t n1) {
    fft_factors *oldest = s->factors;
    for (fft_factors *f = s->factors; f < s->factors + FFT_FACTORS_CACHED; f++) {
        if (f->kind == kind && f->dtype == t && f->n == n && f->n1 == n1) {
            f->used = ++s->clock;
            return f;
        }
        if (f->used < oldest->used) oldest = f;
    }
    drop(oldest);
    fft_factors f = {.kind = kind, .dtype = t, .n = n, .n1 = n1, .used = ++s->clock};
    if (kind == FACTORS_PASSES) f.passes = radix_new(t, n);
    if (kind == FACTORS_LANES_SPLIT) f.split = radix_real_factors(t, n);
    if (kind == FACTORS_ROW_SPLIT) f.split = real_split_factors(t, n);
    if (kind == FACTORS_FOUR_STEP && !radix_twiddles_new(&f.four_step, t, n1, n / n1)) return NULL;
    if (kind != FACTORS_FOUR_STEP && !f.passes && !f.split) return NULL;
    *oldest = f;
    return oldest;
}

void fft_tables_free(fft_tables *s) {
    for (size_t i = 0; s && i < FFT_FACTORS_CACHED; i++) drop(&s->factors[i]);
    for (size_t i = 0; s && i < FFT_FILTERS_CACHED; i++) bluestein_free(&s->filters[i].c);
    mem_free(s);
}
