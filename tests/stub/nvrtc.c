/* A stub of NVRTC that compiles nothing. Settings in $STUB_CUDA: nvrtc=12080, its version;
 * together=2, how many compilations must have started before any ends; after half a minute it logs
 * "alone" and continues. */
#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

#define STUB(symbol, ...)    \
    int symbol(__VA_ARGS__); \
    int symbol(__VA_ARGS__)

static const char ptx[] = "// a program", cubin[] = "\177ELF a program";

__attribute__((constructor)) static void loaded(void) { stub_log("nvrtc\n"); }

STUB(nvrtcVersion, int *major, int *minor) {
    long v = stub_word("nvrtc", 13000);
    *major = (int)(v / 1000);
    *minor = (int)(v % 1000 / 10);
    return 0;
}
STUB(nvrtcCompileProgram, nvrtcProgram p, int n, const char *const *options) {
    static long begun;
    long wanted = stub_word("together", 0), waited = 0;
    (void)p;
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    for (; __atomic_load_n(&begun, __ATOMIC_SEQ_CST) < wanted && waited < 3000; waited++)
        stub_rest(10);
    if (waited == 3000) stub_log("alone\n");
    for (int i = 0; i < n; i++)
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
            stub_log("compile %s\n", options[i] + 19);
    return 0;
}
STUB(nvrtcGetNumSupportedArchs, int *n) { return *n = 4, 0; }
STUB(nvrtcGetSupportedArchs, int *out) {
    return memcpy(out, (int[]){75, 80, 90, 100}, 4 * sizeof *out), 0;
}
STUB(nvrtcGetPTXSize, nvrtcProgram p, size_t *n) { return (void)p, *n = sizeof ptx, 0; }
STUB(nvrtcGetPTX, nvrtcProgram p, char *out) { return (void)p, memcpy(out, ptx, sizeof ptx), 0; }
STUB(nvrtcGetCUBINSize, nvrtcProgram p, size_t *n) { return (void)p, *n = sizeof cubin, 0; }
STUB(nvrtcGetCUBIN, nvrtcProgram p, char *out) {
    return (void)p, memcpy(out, cubin, sizeof cubin), 0;
}
