/* Branch-free binary search on the device.
 *
 * A step halves the range whatever the comparison gives, so that all threads of a warp take the
 * same number of steps without divergence; the first steps of all threads read the same elements,
 * from the caches. */
#include "runtime/cuda/lib/search.h"

#include "runtime/base/base.h"
#include "runtime/cuda/build/nvrtc.h"
#include "runtime/base/str.h"
#include "runtime/tables/tuning.h"

struct cu_search {
    struct cu_search *next;
    gpa_dtype dtype;
    bool right;
    CUmodule module;
    CUfunction function; /* NULL: compilation failed */
};

enum { THREADS = 256 };

/* `item`: the dtype. NaN is ordered last. */
static const char text[] =
    "static __device__ bool before(item a, item b) { return a < b || (b != b && a == a); }\n"
    "extern \"C\" __global__ void __launch_bounds__(256) search(const item *a, long long n, const "
    "item *v, long long count, long long *out) {\n"
    "    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) "
    "{\n"
    "        const item x = v[i];\n"
    "        long long low = 0, left = n;\n"
    "        while (left > 1) {\n"
    "            const long long half = left >> 1;\n"
    "            low += PASSES(a[low + half - 1]) ? half : 0;\n"
    "            left -= half;\n"
    "        }\n"
    "        out[i] = low + (n > 0 && PASSES(a[low]) ? 1 : 0);\n"
    "    }\n"
    "}\n";

/* Owned: mem_free; NULL if memory is short. */
static char *source_of(const gpa_libcall *c) {
    gpa_str s;
    str_init(&s);
    str_printf(&s, "typedef %s item;\n#define PASSES(element) %s\n", dtype_info[c->dtype].cuda,
               c->search.right ? "!before(x, element)" : "before(element, x)");
    str_put(&s, text);
    char *source = s.failed ? NULL : mem_text(s.text, s.len);
    str_free(&s);
    return source;
}

static CUfunction build_kernel(gpa_dev *d, struct cu_search *p, const char *source) {
    cu_effort effort = EFFORT_FULL;
    char *built = NULL;
    gpa_err ignored = {0};
    if (compile_ptx(source, d->target, &effort, &built, &ignored)) return NULL;
    CUresult r = compile_load(d->cu, built, effort, &p->module);
    if (!r) r = d->cu->module_function(&p->function, p->module, "search");
    mem_free(built);
    return r ? NULL : p->function;
}

static const struct cu_search *find_kernel(gpa_dev *d, const gpa_libcall *c) {
    struct cu_search *p = d->search;
    while (p && (p->dtype != c->dtype || p->right != c->search.right)) p = p->next;
    if (p) return p;
    char *source = source_of(c);
    p = source ? mem_new(sizeof *p) : NULL;
    if (p) {
        *p = (struct cu_search){.next = d->search, .dtype = c->dtype, .right = c->search.right};
        d->search = p;
        p->function = build_kernel(d, p, source);
    }
    mem_free(source);
    return p;
}

bool cuda_search_can(gpa_dev *d, const gpa_libcall *c) {
    if (dtype_is_complex(c->dtype) || c->dtype == DT_F16 || c->dtype == DT_BF16 ||
        c->search.count < 1)
        return false;
    const struct cu_search *p = find_kernel(d, c);
    return p && p->function;
}

static CUdeviceptr operand_address(const gpa_binding *b, size_t item) {
    return b->mem->address + (uint64_t)b->offset * item;
}

gpa_code cuda_search_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    const struct cu_search *p = find_kernel(d, c);
    size_t item = dtype_size(c->dtype);
    CUdeviceptr a = operand_address(&c->search.a, item), v = operand_address(&c->search.v, item),
                out = operand_address(&c->search.out, sizeof(int64_t));
    long long n = c->search.n, count = c->search.count, blocks = (count + THREADS - 1) / THREADS;
    if (!p || !p->function) return gpa_no_memory(e);
    void *args[] = {&a, &n, &v, &count, &out};
    return api_check(d->cu->launch(p->function, (unsigned)MIN(blocks, TUNE_CUDA_SEARCH_MAX_BLOCKS),
                                   1, 1, THREADS, 1, 1, 0, d->stream, args, NULL),
                     "cuLaunchKernel", e);
}

void cuda_search_close(gpa_dev *d) {
    while (d->search) {
        struct cu_search *p = d->search;
        d->search = p->next;
        if (p->module) d->cu->module_unload(p->module);
        mem_free(p);
    }
}
