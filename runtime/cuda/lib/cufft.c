/* FFT by cuFFT, with a plan cache.
 *
 * cuFFT requires nested strides of the transformed dimensions (each a multiple of the next) and one
 * stride between transforms. Of the other dimensions one becomes the batch of the plan; the rest
 * are iterated over here, if they are few. Plans are cached by layout. Reading order: layouts,
 * plans, calls. */
#include "runtime/cuda/lib/cufft.h"

#include "runtime/base/base.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

enum { MAX_RANK = 3 };

/* The cache key of a plan: the arguments of cufftMakePlanMany64. */
typedef struct {
    int32_t rank, type;
    long long n[MAX_RANK], batch;
    struct {
        long long embed[MAX_RANK], stride, dist;
    } in, out;
} key;

typedef struct {
    key k;
    cufftHandle plan;
    bool made;
    uint64_t used;
} entry;

struct cu_fft_plans {
    entry plans[TUNE_CUDA_FFT_PLANS];
    uint64_t clock;
};

/* ---- layouts ---- */

/* The embedding (cuFFT's inembed, onembed) of the transformed dimensions: embed[i] elements of
 * dimension i between two of dimension i - 1. */
static bool embed_strides(const int64_t *n, const int64_t *stride, int rank, long long *embed,
                          long long *inner) {
    *inner = n[rank - 1] > 1 || stride[rank - 1] > 0 ? stride[rank - 1] : 1;
    if (*inner < 1) return false;
    int64_t below = *inner;
    for (int i = rank - 1; i > 0; i--) {
        if (stride[i - 1] < 1 || stride[i - 1] % below || stride[i - 1] / below < n[i])
            return false;
        embed[i] = stride[i - 1] / below;
        below = stride[i - 1];
    }
    embed[0] = n[0];
    return true;
}

static int type_of(const gpa_libcall *c) {
    bool wide = c->dtype == DT_C128;
    switch (c->fft.form) {
        case FFT_C2C: return wide ? CUFFT_Z2Z : CUFFT_C2C;
        case FFT_R2C: return wide ? CUFFT_D2Z : CUFFT_R2C;
        case FFT_C2R: return wide ? CUFFT_Z2D : CUFFT_C2R;
    }
    return -1;
}

/* The batch dimension of the plan: the longest of the others. -1: there is none. */
static int batch_dim(const gpa_libcall *c) {
    int best = -1;
    for (int d = c->fft.rank; d < c->fft.ndim; d++)
        if (best < 0 || c->fft.n[d] > c->fft.n[best]) best = d;
    return best;
}

static int64_t execution_count(const gpa_libcall *c) {
    int64_t n = 1;
    for (int d = c->fft.rank; d < c->fft.ndim; d++)
        if (d != batch_dim(c)) n *= c->fft.n[d];
    return n;
}

/* True for large transforms with a large stride: a contiguous copy is faster. */
static bool is_widely_strided(const gpa_libcall *c) {
    int64_t points = 1, inner = c->fft.in.stride[c->fft.rank - 1];
    for (int d = 0; d < c->fft.ndim; d++) points *= c->fft.n[d];
    return points >= TUNE_CUDA_FFT_COPY_MIN_POINTS && inner >= TUNE_CUDA_FFT_COPY_MIN_STRIDE;
}

static bool describe(const gpa_libcall *c, key *k) {
    int rank = c->fft.rank, batch = batch_dim(c);
    int64_t in[MAX_RANK], out[MAX_RANK];
    memset(k, 0, sizeof *k); /* keys are compared as bytes */
    if (rank > MAX_RANK || execution_count(c) > TUNE_CUDA_FFT_MAX_EXECUTIONS) return false;
    for (int i = 0; i < rank; i++) k->n[i] = in[i] = out[i] = c->fft.n[i];
    if (c->fft.form == FFT_R2C) out[rank - 1] = out[rank - 1] / 2 + 1;
    if (c->fft.form == FFT_C2R) in[rank - 1] = in[rank - 1] / 2 + 1;
    k->rank = rank;
    k->type = type_of(c);
    k->batch = batch < 0 ? 1 : c->fft.n[batch];
    k->in.dist = batch < 0 ? 1 : c->fft.in.stride[batch];
    k->out.dist = batch < 0 ? 1 : c->fft.out.stride[batch];
    if (is_widely_strided(c)) return false;
    return k->in.dist > 0 && k->out.dist > 0 &&
           embed_strides(in, c->fft.in.stride, rank, k->in.embed, &k->in.stride) &&
           embed_strides(out, c->fft.out.stride, rank, k->out.embed, &k->out.stride);
}

static CUdeviceptr element_address(const gpa_binding *b, int64_t offset, size_t item) {
    return b->mem->address + (uint64_t)(b->offset + offset) * item;
}

/* cuFFT loads real elements in pairs: every execution must start at an even offset. */
static bool is_pair_aligned(const gpa_libcall *c) {
    const gpa_binding *real = c->fft.form == FFT_R2C ? &c->fft.in : &c->fft.out;
    if (c->fft.form == FFT_C2C) return true;
    for (int d = c->fft.rank; d < c->fft.ndim; d++)
        if (d != batch_dim(c) && real->stride[d] % 2) return false;
    return real->offset % 2 == 0;
}

bool cufft_can(gpa_dev *d, const gpa_libcall *c) {
    char why[128];
    key k;
    if (c->fft.scaled || !describe(c, &k) || !is_pair_aligned(c)) return false;
    if (!d->fft && !(d->fft = api_fft(why, sizeof why))) return false;
    return d->fft_plans || (d->fft_plans = mem_zero(sizeof *d->fft_plans));
}

void cufft_close(gpa_dev *d) {
    for (int i = 0; d->fft_plans && i < TUNE_CUDA_FFT_PLANS; i++)
        if (d->fft_plans->plans[i].made) d->fft->destroy(d->fft_plans->plans[i].plan);
    mem_free(d->fft_plans);
    d->fft_plans = NULL;
}

/* ---- plans ---- */

static gpa_code check(int status, const char *call, gpa_err *e) {
    if (!status) return GPA_OK;
    if (status == CUFFT_ALLOC_FAILED) return gpa_fail(e, GPA_E_MEMORY, "the GPU is out of memory");
    return gpa_fail(e, GPA_E_DEVICE, "%s: status %d", call, status);
}

static gpa_code plan_new(gpa_dev *d, const key *k, cufftHandle *out, gpa_err *e) {
    size_t work;
    key copy = *k; /* cuFFT's pointers are not const */
    gpa_code rc = check(d->fft->create(out), "cufftCreate", e);
    if (rc) return rc;
    rc = check(d->fft->make(*out, k->rank, copy.n, copy.in.embed, k->in.stride, k->in.dist,
                            copy.out.embed, k->out.stride, k->out.dist, k->type, k->batch, &work),
               "cufftMakePlanMany64", e);
    if (!rc) rc = check(d->fft->set_stream(*out, d->stream), "cufftSetStream", e);
    /* cuFFT uploads a plan's tables on the default stream, which ours does not synchronize with. */
    if (!rc) rc = api_check(d->cu->stream_synchronize(NULL), "cuStreamSynchronize", e);
    if (rc) d->fft->destroy(*out);
    return rc;
}

static gpa_code plan_of(gpa_dev *d, const key *k, cufftHandle *out, gpa_err *e) {
    struct cu_fft_plans *all = d->fft_plans;
    entry *oldest = all->plans;
    for (entry *i = all->plans; i < all->plans + TUNE_CUDA_FFT_PLANS; i++) {
        if (i->made && memcmp(&i->k, k, sizeof *k) == 0) {
            i->used = ++all->clock;
            *out = i->plan;
            return GPA_OK;
        }
        if (i->used < oldest->used) oldest = i;
    }
    if (oldest->made) { /* queued executions use its memory */
        gpa_code rc = wait_idle(d, e);
        if (rc) return rc;
        d->fft->destroy(oldest->plan);
        *oldest = (entry){.made = false};
    }
    gpa_code rc = plan_new(d, k, out, e);
    if (!rc) *oldest = (entry){.k = *k, .plan = *out, .made = true, .used = ++all->clock};
    return rc;
}

/* ---- calls ---- */

static int execute(const cu_fft *f, cufftHandle plan, const gpa_libcall *c, CUdeviceptr from,
                   CUdeviceptr to) {
    void *in = (void *)(uintptr_t)from, *out = (void *)(uintptr_t)to;
    int sign = c->fft.inverse ? 1 : -1;
    bool wide = c->dtype == DT_C128;
    switch (c->fft.form) {
        case FFT_C2C: return wide ? f->z2z(plan, in, out, sign) : f->c2c(plan, in, out, sign);
        case FFT_R2C: return wide ? f->d2z(plan, in, out) : f->r2c(plan, in, out);
        case FFT_C2R: return wide ? f->z2d(plan, in, out) : f->c2r(plan, in, out);
    }
    return -1;
}

gpa_code cufft_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    key k;
    cufftHandle plan;
    int64_t index[KIR_MAX_DIMS] = {0}, in = 0, out = 0;
    size_t item = dtype_size(c->dtype), in_item = c->fft.form == FFT_R2C ? item / 2 : item,
           out_item = c->fft.form == FFT_C2R ? item / 2 : item;
    int batch = batch_dim(c);
    if (!describe(c, &k))
        return gpa_fail(e, GPA_E_INTERNAL, "a Fourier transform that cuFFT cannot do");
    gpa_code rc = plan_of(d, &k, &plan, e);
    while (!rc) {
        rc = check(execute(d->fft, plan, c, element_address(&c->fft.in, in, in_item),
                           element_address(&c->fft.out, out, out_item)),
                   "cufftExec", e);
        int i = c->fft.ndim - 1;
        for (; i >= c->fft.rank; i--) {
            if (i == batch) continue;
            in += c->fft.in.stride[i];
            out += c->fft.out.stride[i];
            if (++index[i] < c->fft.n[i]) break;
            in -= c->fft.in.stride[i] * c->fft.n[i];
            out -= c->fft.out.stride[i] * c->fft.n[i];
            index[i] = 0;
        }
        if (i < c->fft.rank) break;
    }
    return rc;
}
