/* A compiler that compiles nothing. The words nvrtc=12080 and compiling=300 of $STUB_CUDA are its version, and the milliseconds
 * that it takes. */
#include <time.h>

#include "tests/stub/stub.h"

#include "runtime/cuda/api.h"

#define STUB(symbol, ...) int symbol(__VA_ARGS__); int symbol(__VA_ARGS__)

static const char ptx[] = "// a program", cubin[] = "\177ELF a program";

__attribute__((constructor)) static void loaded(void) { stub_log("nvrtc\n"); }

STUB(nvrtcVersion, int *major, int *minor) {
    long v = stub_word("nvrtc", 13000);
    *major = (int)(v / 1000);
    *minor = (int)(v % 1000 / 10);
    return 0;
}
STUB(nvrtcCompileProgram, nvrtcProgram p, int n, const char *const *options) {
    long ms = stub_word("compiling", 0);
    (void)p;
    if (ms) nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    for (int i = 0; i < n; i++)
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0) stub_log("compile %s\n", options[i] + 19);
    return 0;
}
STUB(nvrtcGetNumSupportedArchs, int *n) { return *n = 4, 0; }
STUB(nvrtcGetSupportedArchs, int *out) { return memcpy(out, (int[]){75, 80, 90, 100}, 4 * sizeof *out), 0; }
STUB(nvrtcGetPTXSize, nvrtcProgram p, size_t *n) { return (void)p, *n = sizeof ptx, 0; }
STUB(nvrtcGetPTX, nvrtcProgram p, char *out) { return (void)p, memcpy(out, ptx, sizeof ptx), 0; }
STUB(nvrtcGetCUBINSize, nvrtcProgram p, size_t *n) { return (void)p, *n = sizeof cubin, 0; }
STUB(nvrtcGetCUBIN, nvrtcProgram p, char *out) { return (void)p, memcpy(out, cubin, sizeof cubin), 0; }
