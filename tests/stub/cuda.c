/* A stub of the CUDA driver: device memory is host memory, kernels do nothing. Settings, the words
 * of $STUB_CUDA:
 *
 *   count=2         number of GPUs
 *   version=12040   the driver's version
 *   cc=75           compute capability
 *   memory=1000000  bytes of each GPU
 *   held-init       cuInit is held (stub.h)
 *   held-load       loading a module is held
 *   no-ptx          PTX is rejected
 *   lazy=1          streams are delayed (order.c)
 *   endless=2       the second launch never ends, which is logged; calls that would wait for it log
 *                   "hangs"
 *   fault=3         the third launch breaks its context
 *   dead            a broken context cannot be replaced
 *   press=7         the seventh call that uses a context raises SIGINT first
 *
 * Loading and launching are weak functions (stub.h), which ../emulator/launch.c overrides. */
#include <signal.h>

#include "tests/stub/stub.h"

#include "runtime/base/base.h"
#include "runtime/cuda/driver/api.h"

enum { MAX_GPUS = 8, BROKEN = 700, TOO_OLD = 222, INVALID = 1, NOT_SUPPORTED = 801 };

struct CUctx_st {
    bool broken, stuck;
    size_t used;
};

typedef struct {
    size_t n;
    CUcontext owner;
    char bytes[];
} block;

static struct CUctx_st contexts[MAX_GPUS], others[MAX_GPUS];
static _Thread_local CUcontext current;
static long launches;
static char something[64];

__attribute__((weak)) int stub_load(const void *image, CUmodule *out) {
    return (void)image, *out = (CUmodule)(void *)something, 0;
}
__attribute__((weak)) void stub_unload(CUmodule m) { (void)m; }
__attribute__((weak)) int stub_find(CUmodule m, const char *name, CUfunction *out) {
    return (void)m, (void)name, *out = (CUfunction)(void *)something, 0;
}
__attribute__((weak)) int stub_launch(CUfunction f, const unsigned blocks[3],
                                      const unsigned threads[3], unsigned shared, void **args) {
    return (void)f, (void)blocks, (void)threads, (void)shared, (void)args, 0;
}

__attribute__((weak)) const size_t *stub_sizes(CUfunction f) {
    static const size_t none[1];
    return (void)f, none;
}

static void press(void) {
    static long calls;
    if (stub_word("press", 0) != __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED)) return;
    stub_log("pressed\n");
    kill(getpid(), SIGINT);
}

static int failure; /* of the call: what it returns */

/* Whether the context is missing or broken. */
static bool has_failed(void) {
    press();
    return (failure = !current ? 201 : current->broken ? BROKEN : 0) != 0;
}

static void wait_begins(void) {
    if (current->stuck) stub_log("hangs\n");
}

#define LIVE() \
    if (has_failed()) return failure
#define WAITS() \
    LIVE();     \
    wait_begins()
#define STUB(symbol, ...)    \
    int symbol(__VA_ARGS__); \
    int symbol(__VA_ARGS__)

STUB(cuInit, unsigned flags) {
    (void)flags;
    stub_hold("held-init");
    return 0;
}
STUB(cuDriverGetVersion, int *out) { return *out = (int)stub_word("version", 13000), 0; }
STUB(cuGetErrorName, CUresult r, const char **out) {
    return *out = r == BROKEN ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR", 0;
}
STUB(cuGetErrorString, CUresult r, const char **out) {
    return *out = r == BROKEN ? "an illegal memory access was encountered" : "something is wrong",
           0;
}
STUB(cuDeviceGetCount, int *out) { return *out = (int)stub_word("count", 1), 0; }
STUB(cuDeviceGet, CUdevice *out, int i) { return *out = i, 0; }
STUB(cuDeviceGetName, char *out, int n, CUdevice d) {
    return snprintf(out, (size_t)n, "Stub GPU %c", 'A' + d), 0;
}
STUB(cuDeviceGetAttribute, int *out, int which, CUdevice d) {
    enum { CONSTANT_MEMORY = 9, REGISTERS = 12, UNIT_THREADS = 39 };
    long cc = stub_word("cc", 90);
    (void)d;
    switch (which) {
        case CU_ATTR_CC_MAJOR: *out = (int)(cc / 10); break;
        case CU_ATTR_CC_MINOR: *out = (int)(cc % 10); break;
        case CU_ATTR_MAX_THREADS: *out = 1024; break;
        case UNIT_THREADS: *out = 2048; break;
        case CU_ATTR_MAX_SHARED_OPTIN: *out = 232448; break;
        case CONSTANT_MEMORY:
        case REGISTERS: *out = 65536; break;
        case CU_ATTR_MEMORY_POOLS: *out = 1; break;
        default: *out = 64;
    }
    return 0;
}
STUB(cuDevicePrimaryCtxRetain, CUcontext *out, CUdevice d) {
    return *out = &contexts[d], contexts[d].broken ? BROKEN : 0;
}
STUB(cuCtxCreate_v2, CUcontext *out, unsigned flags, CUdevice d) {
    (void)flags;
    stub_log("context %d\n", d);
    return *out = &others[d], 0;
}
STUB(cuDevicePrimaryCtxReset_v2, CUdevice d) {
    stub_log("reset %d\n", d);
    contexts[d] = (struct CUctx_st){.broken = stub_word("dead", 0) && contexts[d].broken};
    return 0;
}
STUB(cuCtxSetCurrent, CUcontext c) { return current = c, 0; }
STUB(cuMemGetInfo_v2, size_t *out, size_t *total) {
    *total = (size_t)stub_word("memory", 1 << 30);
    *out =
        *total - (current ? MIN(current->used + 1000000, *total) : 0); /* the pool retains some */
    return 0;
}
STUB(cuStreamCreate, CUstream *out, unsigned flags) {
    (void)flags;
    LIVE();
    return (*out = stub_stream()) ? 0 : CUDA_OUT_OF_MEMORY;
}
STUB(cuStreamQuery, CUstream s) {
    (void)s;
    LIVE();
    return 0;
}
STUB(cuStreamDestroy_v2, CUstream s) { return stub_end(s), 0; }
STUB(cuStreamSynchronize, CUstream s) {
    WAITS();
    stub_finish(s);
    return cuStreamQuery(s);
}
STUB(cuEventCreate, CUevent *out, unsigned flags) {
    (void)flags;
    LIVE();
    return (*out = stub_event()) ? 0 : CUDA_OUT_OF_MEMORY;
}
STUB(cuEventDestroy_v2, CUevent e) { return free(e), 0; }
STUB(cuEventRecord, CUevent e, CUstream s) {
    LIVE();
    stub_mark(e, s);
    return 0;
}
STUB(cuEventSynchronize, CUevent e) {
    LIVE();
    stub_reach(e);
    return 0;
}
STUB(cuEventElapsedTime, float *ms, CUevent a, CUevent b) {
    (void)a, (void)b;
    LIVE();
    return *ms = 0.25f, 0;
}
STUB(cuEventQuery, CUevent e) {
    LIVE();
    if (current->stuck) return CUDA_NOT_READY;
    stub_reach(e);
    return 0;
}
STUB(cuMemAllocAsync, CUdeviceptr *out, size_t n, CUstream s) {
    (void)s;
    LIVE();
    if (n > (size_t)stub_word("memory", 1 << 30) - current->used) return CUDA_OUT_OF_MEMORY;
    block *b = calloc(1, sizeof *b + n);
    if (!b) return CUDA_OUT_OF_MEMORY;
    b->n = n;
    b->owner = current;
    current->used += n;
    return *out = (CUdeviceptr)(uintptr_t)b->bytes, 0;
}
STUB(cuMemFreeAsync, CUdeviceptr p, CUstream s) {
    LIVE();
    block *b = (block *)(void *)((char *)(uintptr_t)p - offsetof(block, bytes));
    if (b->owner != current) return INVALID;
    current->used -= MIN(b->n, current->used);
    return stub_put(s, (stub_op){.what = STUB_FREE, .to = b});
}
STUB(cuMemPoolGetAttribute, CUmemoryPool p, int which, void *out) {
    (void)p;
    LIVE();
    *(uint64_t *)out = which == CU_POOL_RESERVED ? current->used + 1000000
                       : which == CU_POOL_USED   ? current->used
                                                 : 0;
    return 0;
}
STUB(cuMemHostAlloc, void **out, size_t n, unsigned flags) {
    (void)flags;
    WAITS();
    return (*out = calloc(1, n)) ? 0 : CUDA_OUT_OF_MEMORY;
}
STUB(cuMemFreeHost, void *p) { return free(p), 0; }
STUB(cuMemHostGetDevicePointer_v2, CUdeviceptr *out, void *p, unsigned flags) {
    (void)flags;
    return *out = (CUdeviceptr)(uintptr_t)p, 0;
}
STUB(cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void *from, size_t n, CUstream s) {
    LIVE();
    return stub_put(
        s, (stub_op){
               .what = STUB_COPY, .to = (void *)(uintptr_t)to, .from = from, .n = n, .keep = true});
}
STUB(cuMemcpyDtoHAsync_v2, void *to, CUdeviceptr from, size_t n, CUstream s) {
    LIVE();
    return stub_put(
        s, (stub_op){.what = STUB_COPY, .to = to, .from = (const void *)(uintptr_t)from, .n = n});
}
STUB(cuStreamWaitEvent, CUstream s, CUevent e, unsigned flags) {
    (void)flags;
    LIVE();
    return stub_follow(s, e);
}
STUB(cuDeviceCanAccessPeer, int *can, CUdevice d, CUdevice other) {
    (void)d, (void)other;
    return *can = 1, 0;
}
STUB(cuMemPoolSetAccess, CUmemoryPool p, const cu_access *access, size_t n) {
    (void)p, (void)n;
    stub_log("device %d reaches\n", access->device);
    return 0;
}
STUB(cuMemcpyPeerAsync, CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t n,
     CUstream s) {
    LIVE();
    stub_log("peer %zu\n", n);
    if (there == here || there != current) return INVALID;
    return stub_put(s, (stub_op){.what = STUB_COPY,
                                 .to = (void *)(uintptr_t)to,
                                 .from = (const void *)(uintptr_t)from,
                                 .n = n});
}
STUB(cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
    return cuMemcpyDtoHAsync_v2((void *)(uintptr_t)to, from, n, s);
}
STUB(cuMemsetD8Async, CUdeviceptr to, unsigned char v, size_t n, CUstream s) {
    LIVE();
    return stub_put(s,
                    (stub_op){.what = STUB_FILL, .to = (void *)(uintptr_t)to, .fill = v, .n = n});
}
STUB(cuModuleLoadDataEx, CUmodule *out, const void *image, unsigned n, int *options,
     void **values) {
    (void)n, (void)options, (void)values;
    WAITS();
    stub_hold("held-load");
    bool ptx = memcmp(image, "\177ELF", 4) != 0;
    stub_log("load %s\n", ptx ? "ptx" : "cubin");
    return ptx && stub_word("no-ptx", 0) ? TOO_OLD : stub_load(image, out);
}
STUB(cuModuleUnload, CUmodule m) {
    WAITS();
    return stub_unload(m), 0;
}
STUB(cuModuleGetFunction, CUfunction *out, CUmodule m, const char *name) {
    return stub_find(m, name, out);
}
STUB(cuFuncGetAttribute, int *out, int which, CUfunction f) {
    (void)f;
    return *out = which == CU_FUNC_MAX_THREADS ? 1024 : 0, 0;
}
STUB(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *out, CUfunction f, int threads,
     size_t shared) {
    (void)f, (void)shared;
    return *out = 2048 / threads, 0;
}
/* The real NVRTC requests an internal table from the driver: this one contains only its size. */
int cuGetExportTable(const void **table, const void *which);
int cuGetExportTable(const void **table, const void *which) {
    static const uint64_t empty[1] = {sizeof empty};
    (void)which;
    return *table = empty, 0;
}
/* A launch: may end as $STUB_CUDA says. */
static int put_launch(CUstream s, const cu_kernel *k) {
    LIVE();
    if (++launches == stub_word("fault", -1)) current->broken = true;
    if (launches == stub_word("endless", -1)) {
        current->stuck = true;
        stub_log("endless\n");
    }
    return stub_put(s, (stub_op){.what = STUB_LAUNCH,
                                 .program = k->function,
                                 .blocks = {k->grid[0], k->grid[1], k->grid[2]},
                                 .threads = {k->block[0], k->block[1], k->block[2]},
                                 .shared = k->shared,
                                 .args = k->params});
}
STUB(cuLaunchKernel, CUfunction f, unsigned a, unsigned b, unsigned c, unsigned x, unsigned y,
     unsigned z, unsigned shared, CUstream s, void **p, void **q) {
    const cu_kernel k = {f, {a, b, c}, {x, y, z}, shared, p, q};
    return put_launch(s, &k);
}

/* ---- graphs: a chain of kernels; an executable graph is a copy of it ---- */

struct CUgraphNode_st {
    cu_kernel kernel; /* params: owned */
    size_t number;
    CUgraphNode next;
};

struct CUgraph_st {
    CUgraphNode first, last;
    size_t n;
};

struct CUgraphExec_st {
    size_t n;
    cu_kernel kernels[]; /* params: owned */
};

static cu_kernel keep_kernel(const cu_kernel *k) {
    cu_kernel kept = *k;
    kept.params = stub_keep_arguments(k->function, k->params);
    return kept;
}

STUB(cuTensorMapEncodeTiled, void *map, int type, unsigned rank, void *at, const uint64_t *extents,
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
     int swizzle, int l2, int fill) {
    (void)map, (void)type, (void)rank, (void)at, (void)extents, (void)strides, (void)box;
    (void)steps, (void)interleave, (void)swizzle, (void)l2, (void)fill;
    return NOT_SUPPORTED; /* no tensor memory accelerator */
}

STUB(cuGraphCreate, CUgraph *out, unsigned flags) {
    LIVE();
    if (flags) return INVALID;
    return (*out = calloc(1, sizeof **out)) ? 0 : CUDA_OUT_OF_MEMORY;
}
STUB(cuGraphDestroy, CUgraph g) {
    for (CUgraphNode next, x = g->first; x; x = next) {
        next = x->next;
        free(x->kernel.params);
        free(x);
    }
    return free(g), 0;
}
STUB(cuGraphAddKernelNode, CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n,
     const cu_kernel *k) {
    LIVE();
    if (n != (g->n > 0) || (n && *after != g->last)) return INVALID;
    CUgraphNode x = *out = calloc(1, sizeof *x);
    if (!x) return CUDA_OUT_OF_MEMORY;
    *x = (struct CUgraphNode_st){.kernel = keep_kernel(k), .number = g->n++};
    *(g->last ? &g->last->next : &g->first) = x;
    g->last = x;
    return 0;
}
STUB(cuGraphInstantiateWithFlags, CUgraphExec *out, CUgraph g, unsigned long long flags) {
    LIVE();
    CUgraphExec x = flags ? NULL : calloc(1, sizeof *x + g->n * sizeof *x->kernels);
    if (!x) return flags ? INVALID : CUDA_OUT_OF_MEMORY;
    stub_log("graph %zu\n", g->n);
    for (CUgraphNode k = g->first; k; k = k->next) x->kernels[x->n++] = keep_kernel(&k->kernel);
    return *out = x, 0;
}
STUB(cuGraphExecKernelNodeSetParams, CUgraphExec x, CUgraphNode node, const cu_kernel *k) {
    LIVE();
    stub_log("graph update\n");
    free(x->kernels[node->number].params);
    return x->kernels[node->number] = keep_kernel(k), 0;
}
STUB(cuGraphLaunch, CUgraphExec x, CUstream s) {
    LIVE();
    stub_log("graph launch\n");
    int r = 0;
    for (size_t i = 0; i < x->n && !r; i++) r = put_launch(s, &x->kernels[i]);
    return r;
}
STUB(cuGraphExecDestroy, CUgraphExec x) {
    for (size_t i = 0; i < x->n; i++) free(x->kernels[i].params);
    return free(x), 0;
}
