/* Attention on tensor cores.
 *
 * A kernel per dtype, head dimension and form of mask is compiled at run time from attention.cuh
 * (mma.sync) or attention_sm90.cuh (wgmma), and kept until the device closes. Sizes, strides and
 * the scale are parameters. Reading order: kernels, sources, parameters, calls. */
#include "runtime/cuda/lib/attention.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/str.h"
#include "runtime/cuda/build/nvrtc.h"
#include "runtime/cuda/lib/attention_source.h"

/* ---- kernels ---- */

enum {
    TENSOR_CORES_SINCE = 8, /* compute capability of mma.sync with bfloat16 */
    HOPPER = 9,
    MAX_COLUMNS = 256,
    MAX_HOPPER_COLUMNS = 128,
    MMA_BATCH_DIMS = 4, /* as attention.cuh, attention_sm90.cuh */
    WGMMA_BATCH_DIMS = 3,
    UNIT_ELEMS = 8 /* of a 16-byte access */
};

/* The parameters that a kernel is compiled for. */
typedef struct {
    int hopper, aligned, dk, dv, bfloat, causal, mask, prescale;
} variant;

typedef struct cu_attention {
    struct cu_attention *next;
    variant v;
    CUmodule module;
    CUfunction function; /* NULL: compilation failed */
} kernel;

/* Tiles by head dimension: rows of a block, keys of a step, warps; fragments of q in registers. */
typedef struct {
    int max_columns, rows, keys, warps, q_registers;
} tile_row;
static const tile_row mma_tiles[] = {
    {64, 128, 64, 4, 1}, {128, 128, 64, 4, 0}, {MAX_COLUMNS, 64, 64, 4, 0}};

/* The same for Hopper, for calls with a mask or without; stages of the ring of keys and values. The
 * fastest of 11 on an H200 at 2 Ki to 16 Ki keys (2026-12-01). Three warpgroups have no registers
 * for a mask. */
typedef struct {
    int max_columns, masked, keys, warpgroups, stages, pingpong;
} hopper_row;
static const hopper_row hopper_tiles[] = {
    {64, 0, 128, 3, 2, 0}, {64, 1, 128, 2, 2, 1}, {MAX_HOPPER_COLUMNS, 1, 128, 2, 2, 1}};

static const tile_row *mma_tile(const variant *v) {
    const tile_row *t = mma_tiles;
    while (MAX(v->dk, v->dv) > t->max_columns) t++;
    return t;
}
static const hopper_row *hopper_tile(const variant *v) {
    const hopper_row *t = hopper_tiles;
    while (MAX(v->dk, v->dv) > t->max_columns || (v->mask && !t->masked)) t++;
    return t;
}

static int rows_of(const variant *v) {
    return v->hopper ? 64 * hopper_tile(v)->warpgroups : mma_tile(v)->rows;
}
static unsigned threads_of(const variant *v) {
    return v->hopper ? 128 * ((unsigned)hopper_tile(v)->warpgroups + 1)
                     : 32 * (unsigned)mma_tile(v)->warps;
}

/* Columns of a row in shared memory. */
static int padded(int columns, bool hopper) {
    return columns <= 32 && !hopper ? 32 : (columns + 63) / 64 * 64;
}

/* Bytes of dynamic shared memory. */
static int shared_of(const variant *v) {
    const int k = padded(v->dk, v->hopper), both = k + padded(v->dv, v->hopper),
              keys = v->hopper ? hopper_tile(v)->keys * hopper_tile(v)->stages : mma_tile(v)->keys;
    return 2 * (rows_of(v) * k + keys * both);
}

static bool is_aligned(const gpa_libcall *c, const gpa_binding *b, int64_t rows, int64_t columns) {
    const int n = c->attention.n_batch;
    const uint64_t at = b->mem ? b->mem->address + (uint64_t)b->offset * 2 : 0;
    bool aligned = at % 16 == 0 && columns % UNIT_ELEMS == 0 && b->stride[n + 1] == 1 &&
                   (rows == 1 || b->stride[n] % UNIT_ELEMS == 0);
    for (int d = 0; d < n; d++) aligned = aligned && b->stride[d] % UNIT_ELEMS == 0;
    return aligned;
}

/* True if TMA can describe an operand. */
static bool is_positive(const gpa_libcall *c, const gpa_binding *b, int64_t rows) {
    const int n = c->attention.n_batch;
    bool positive = rows == 1 || b->stride[n] > 0;
    for (int d = 0; d < n; d++) positive = positive && b->stride[d] >= 0;
    return positive;
}

static variant variant_of(const gpa_libcall *c, bool hopper, bool aligned) {
    return (variant){.hopper = hopper,
                     .aligned = aligned,
                     .dk = (int)c->attention.dk,
                     .dv = (int)c->attention.dv,
                     .bfloat = c->dtype == DT_BF16,
                     .causal = c->attention.causal,
                     .mask = (int)c->attention.mask_form,
                     .prescale = !(c->attention.scale > 0)};
}

/* The variant that computes a call. */
static variant choose(const gpa_dev *d, const gpa_libcall *c) {
    const gpa_binding *q = &c->attention.q, *k = &c->attention.k, *v = &c->attention.v;
    const int64_t m = c->attention.m, n = c->attention.n, dk = c->attention.dk,
                  dv = c->attention.dv;
    const bool aligned =
        is_aligned(c, q, m, dk) && is_aligned(c, k, n, dk) && is_aligned(c, v, n, dv);
    const bool hopper = aligned && d->target.major == HOPPER && d->cu->tensor_map &&
                        MAX(dk, dv) <= MAX_HOPPER_COLUMNS &&
                        c->attention.n_batch <= WGMMA_BATCH_DIMS && is_positive(c, q, m) &&
                        is_positive(c, k, n) && is_positive(c, v, n);
    return variant_of(c, hopper, aligned);
}

/* ---- sources ---- */

/* "%first,%first+1,...": n operands of an asm statement. */
static void put_operands(gpa_str *s, int first, int n) {
    for (int i = 0; i < n; i++) str_printf(s, "%s%%%d", i ? "," : "", first + i);
}

/* A function of wgmma with n columns of results, d += a b: wgmma_values, whose a is in registers,
 * or wgmma_scores, whose operands are in shared memory and which may start at 0. */
static void put_wgmma(gpa_str *s, int n, bool values, const char *type) {
    const int k = n / 2; /* registers of results */
    str_printf(s,
               values ? "__device__ __forceinline__ void wgmma_values(float (&d)[%d], const "
                        "unsigned (&a)[4], unsigned long long b) {\n"
                      : "__device__ __forceinline__ void wgmma_scores(float (&d)[%d], unsigned "
                        "long long a, unsigned long long b, int accumulate) {\n",
               k);
    str_put(s, "    asm volatile(\"{.reg .pred p; ");
    if (values)
        str_put(s, "setp.eq.b32 p, 0, 0; ");
    else
        str_printf(s, "setp.ne.b32 p, %%%d, 0; ", k + 2);
    str_printf(s, "wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s {", n, type, type);
    put_operands(s, 0, k);
    str_put(s, values ? "}, {" : "}, ");
    put_operands(s, k, values ? 4 : 1);
    str_printf(
        s, values ? "}, %%%d, p, 1, 1, 1;}\"\n        : " : ", %%%d, p, 1, 1, 0, 0;}\"\n        : ",
        values ? k + 4 : k + 1);
    for (int i = 0; i < k; i++) str_printf(s, "%s\"+f\"(d[%d])", i ? "," : "", i);
    str_put(s, values ? "\n        : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), "
                        "\"l\"(b));\n}\n"
                      : "\n        : \"l\"(a), \"l\"(b), \"r\"(accumulate));\n}\n");
}

static char *source_of(const variant *v) {
    gpa_str s;
    str_init(&s);
    str_printf(&s,
               "#define DK %d\n#define DV %d\n#define BF16 %d\n#define CAUSAL %d\n#define MASK %d\n"
               "#define PRESCALE %d\n#define ALIGNED %d\n#define TILE_M %d\n",
               v->dk, v->dv, v->bfloat, v->causal, v->mask, v->prescale, v->aligned, rows_of(v));
    if (v->hopper) {
        const hopper_row *t = hopper_tile(v);
        const char *type = v->bfloat ? "bf16" : "f16";
        str_printf(&s,
                   "#define TILE_N %d\n#define WARPGROUPS %d\n#define STAGES %d\n#define PINGPONG "
                   "%d\n",
                   t->keys, t->warpgroups, t->stages, t->pingpong);
        put_wgmma(&s, t->keys, false, type);
        put_wgmma(&s, padded(v->dv, true), true, type);
        str_put(&s, attention_sm90_source);
    } else {
        const tile_row *t = mma_tile(v);
        str_printf(&s,
                   "#define TILE_N %d\n#define WARPS %d\n#define Q_REGISTERS %d\n#define "
                   "MIN_BLOCKS 1\n",
                   t->keys, t->warps, t->q_registers);
        str_put(&s, attention_source);
    }
    char *text = s.failed ? NULL : mem_text(s.text, s.len);
    str_free(&s);
    return text;
}

char *attention_program_source(const gpa_libcall *c, bool hopper, bool aligned) {
    const variant v = variant_of(c, hopper, aligned);
    return source_of(&v);
}

static CUfunction build_kernel(gpa_dev *d, kernel *p) {
    cu_target target = d->target;
    cu_effort effort = EFFORT_FULL;
    char *built = NULL, *source = source_of(&p->v);
    gpa_err ignored = {0};
    target.contract = true;
    if (p->v.hopper) target.cubin = target.specific = true;
    gpa_code rc = source ? compile_ptx(source, target, &effort, &built, &ignored) : GPA_E_MEMORY;
    mem_free(source);
    if (rc) return NULL;
    CUresult r = compile_load(d->cu, built, effort, &p->module);
    if (!r) r = d->cu->module_function(&p->function, p->module, "attention");
    if (!r && shared_of(&p->v) > CU_STATIC_SHARED_BYTES)
        r = d->cu->function_set(p->function, CU_FUNC_MAX_DYNAMIC, shared_of(&p->v));
    mem_free(built);
    return p->function = r ? NULL : p->function;
}

/* The kernel of a variant, compiled at first use; NULL: it does not compile. */
static CUfunction find_kernel(gpa_dev *d, const variant *v) {
    kernel *p = d->attention;
    while (p && memcmp(&p->v, v, sizeof *v)) p = p->next;
    if (p) return p->function;
    p = mem_zero(sizeof *p);
    if (!p) return NULL;
    p->v = *v;
    p->next = d->attention;
    d->attention = p;
    return build_kernel(d, p);
}

void attention_close(gpa_dev *d) {
    while (d->attention) {
        kernel *p = d->attention;
        d->attention = p->next;
        if (p->module) d->cu->module_unload(p->module);
        mem_free(p);
    }
}

/* ---- parameters ---- */

/* attention_params of attention.cuh. */
typedef struct {
    CUdeviceptr q, k, v, o, log_sum, mask;
    int64_t row[4], column[4];
    int64_t step[4][MMA_BATCH_DIMS];
    int32_t extent[MMA_BATCH_DIMS];
    int32_t m, n, diagonal, blocks_m;
    float scale;
} mma_params;

/* attention_params of attention_sm90.cuh. */
typedef struct {
    CUdeviceptr o, log_sum, mask;
    int64_t mask_row, mask_column, mask_step[WGMMA_BATCH_DIMS];
    int32_t extent[WGMMA_BATCH_DIMS];
    int32_t step[3][WGMMA_BATCH_DIMS];
    int32_t m, n, diagonal, blocks_m;
    float scale;
} wgmma_params;

/* CUtensorMap. */
typedef struct {
    _Alignas(64) uint64_t words[16];
} tensor_map;

static CUdeviceptr address_of(const gpa_binding *b, size_t size) {
    return b->mem ? b->mem->address + (uint64_t)b->offset * size : 0;
}

static size_t mask_size(const gpa_libcall *c) {
    return c->attention.mask_form == ATTENTION_SELECT ? 1 : sizeof(float);
}

static int32_t blocks_of(const gpa_libcall *c, const variant *v) {
    return (int32_t)((c->attention.m + rows_of(v) - 1) / rows_of(v));
}

/* A diagonal beyond every key, or before the first one, as an int that sums of indices keep. */
static int32_t diagonal_of(const gpa_libcall *c) {
    const int64_t most = c->attention.m + c->attention.n;
    return (int32_t)MAX(-most, MIN(most, c->attention.diagonal));
}

static void fill_mma(const gpa_libcall *c, const variant *v, mma_params *p) {
    const gpa_binding *const all[] = {&c->attention.q, &c->attention.k, &c->attention.v,
                                      &c->attention.mask};
    const int n = c->attention.n_batch, first = MMA_BATCH_DIMS - n;
    memset(p, 0, sizeof *p);
    p->q = address_of(all[0], 2);
    p->k = address_of(all[1], 2);
    p->v = address_of(all[2], 2);
    p->o = address_of(&c->attention.out, 2);
    p->mask = address_of(all[3], mask_size(c));
    for (int d = 0; d < MMA_BATCH_DIMS; d++)
        p->extent[d] = d < first ? 1 : (int32_t)c->attention.extent[d - first];
    for (int i = 0; i < 4; i++) {
        p->row[i] = all[i]->stride[n];
        p->column[i] = all[i]->stride[n + 1];
        for (int d = 0; d < n; d++) p->step[i][first + d] = all[i]->stride[d];
    }
    p->m = (int32_t)c->attention.m;
    p->n = (int32_t)c->attention.n;
    p->diagonal = diagonal_of(c);
    p->blocks_m = blocks_of(c, v);
    p->scale = (float)c->attention.scale;
}

static void fill_wgmma(const gpa_libcall *c, const variant *v, wgmma_params *p) {
    const gpa_binding *const all[] = {&c->attention.q, &c->attention.k, &c->attention.v};
    const int n = c->attention.n_batch, first = WGMMA_BATCH_DIMS - n;
    const gpa_binding *mask = &c->attention.mask;
    memset(p, 0, sizeof *p);
    p->o = address_of(&c->attention.out, 2);
    p->mask = address_of(mask, mask_size(c));
    p->mask_row = mask->stride[n];
    p->mask_column = mask->stride[n + 1];
    for (int d = 0; d < WGMMA_BATCH_DIMS; d++) {
        p->extent[d] = d < first ? 1 : (int32_t)c->attention.extent[d - first];
        if (d >= first) p->mask_step[d] = mask->stride[d - first];
    }
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < n; d++) p->step[i][first + d] = all[i]->stride[d] != 0;
    p->m = (int32_t)c->attention.m;
    p->n = (int32_t)c->attention.n;
    p->diagonal = diagonal_of(c);
    p->blocks_m = blocks_of(c, v);
    p->scale = (float)c->attention.scale;
}

/* An operand that TMA copies: rows x columns matrices, in boxes of `box_rows` rows, 64 columns. */
typedef struct {
    const gpa_binding *binding;
    int64_t rows, columns;
    int box_rows;
} boxed_matrices;

/* Describes matrices to TMA. A broadcast dimension of the batch has extent 1. */
static CUresult describe_matrices(gpa_dev *d, const gpa_libcall *c, const boxed_matrices *x,
                                  tensor_map *out) {
    enum { RANK = 2 + WGMMA_BATCH_DIMS, FLOAT16 = 6, BFLOAT16 = 9, SWIZZLE_128B = 3, L2_128B = 2 };
    const gpa_binding *b = x->binding;
    const int n = c->attention.n_batch;
    uint64_t extents[RANK] = {(uint64_t)x->columns, (uint64_t)x->rows, 1, 1, 1}, strides[RANK - 1];
    const uint32_t box[RANK] = {64, (uint32_t)x->box_rows, 1, 1, 1}, ones[RANK] = {1, 1, 1, 1, 1};
    strides[0] = x->rows > 1 ? (uint64_t)b->stride[n] * 2 : (uint64_t)x->columns * 2;
    for (int i = 0; i < WGMMA_BATCH_DIMS; i++) { /* the innermost first */
        const int64_t step = i < n ? b->stride[n - 1 - i] : 0;
        if (step) extents[2 + i] = (uint64_t)c->attention.extent[n - 1 - i];
        strides[1 + i] = step ? (uint64_t)step * 2 : strides[0];
    }
    return d->cu->tensor_map(out, c->dtype == DT_BF16 ? BFLOAT16 : FLOAT16, RANK,
                             (void *)(uintptr_t)address_of(b, 2), extents, strides, box, ones, 0,
                             SWIZZLE_128B, L2_128B, 0);
}

static CUresult describe_operands(gpa_dev *d, const gpa_libcall *c, const variant *v,
                                  tensor_map out[3]) {
    const int keys = hopper_tile(v)->keys;
    const boxed_matrices all[] = {
        {&c->attention.q, c->attention.m, c->attention.dk, rows_of(v)},
        {&c->attention.k, c->attention.n, c->attention.dk, keys},
        {&c->attention.v, c->attention.n, c->attention.dv, keys},
    };
    CUresult r = 0;
    for (int i = 0; i < 3 && !r; i++) r = describe_matrices(d, c, &all[i], &out[i]);
    return r;
}

/* ---- calls ---- */

static int64_t batch_of(const gpa_libcall *c) {
    int64_t batch = 1;
    for (int d = 0; d < c->attention.n_batch; d++) batch *= c->attention.extent[d];
    return batch;
}

/* The kernel of a call and its variant; NULL: none. */
static CUfunction kernel_of(gpa_dev *d, const gpa_libcall *c, variant *v) {
    tensor_map maps[3];
    CUfunction f = NULL;
    *v = choose(d, c);
    if (v->hopper && (uint32_t)shared_of(v) + 1024 <= d->max_shared &&
        !describe_operands(d, c, v, maps))
        f = find_kernel(d, v);
    if (f) return f;
    v->hopper = 0;
    return (uint32_t)shared_of(v) <= d->max_shared ? find_kernel(d, v) : NULL;
}

bool attention_can(gpa_dev *d, const gpa_libcall *c) {
    const int64_t m = c->attention.m, n = c->attention.n, dk = c->attention.dk,
                  dv = c->attention.dv;
    variant v;
    if ((c->dtype != DT_F16 && c->dtype != DT_BF16) || d->target.major < TENSOR_CORES_SINCE)
        return false;
    if (dk < 1 || dv < 1 || MAX(dk, dv) > MAX_COLUMNS || MAX(m, n) > INT32_MAX / 4 ||
        c->attention.n_batch > MMA_BATCH_DIMS || batch_of(c) * m > INT32_MAX)
        return false;
    return kernel_of(d, c, &v) != NULL;
}

gpa_code attention_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    variant v;
    CUfunction f = kernel_of(d, c, &v);
    mma_params mma;
    wgmma_params wgmma;
    tensor_map maps[3];
    void *args[4] = {v.hopper ? (void *)&wgmma : (void *)&mma, &maps[0], &maps[1], &maps[2]};
    if (!f) return gpa_fail(e, GPA_E_INTERNAL, "an attention that the GPU has no kernel for");
    if (v.hopper) {
        fill_wgmma(c, &v, &wgmma);
        gpa_code rc = api_check(describe_operands(d, c, &v, maps), "cuTensorMapEncodeTiled", e);
        if (rc) return rc;
    } else {
        fill_mma(c, &v, &mma);
    }
    return api_check(
        d->cu->launch(f, (unsigned)(blocks_of(c, &v) * batch_of(c)), 1, 1, threads_of(&v), 1, 1,
                      (unsigned)shared_of(&v), d->stream, args, NULL),
        "cuLaunchKernel", e);
}
