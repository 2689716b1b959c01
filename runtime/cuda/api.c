/* Finding NVIDIA's libraries. */
#include "runtime/cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base.h"

typedef struct {
    const char *symbol;
    void *slot; /* of the function pointer */
} entry;

/* Opens the first of `names` that is there and fills the table; false with the reason. */
static bool open_library(void **library, const char *const *names, size_t n_names, const entry *rows, size_t n, char *why, size_t room) {
    void *so = NULL;
    for (size_t i = 0; i < n_names && !so; i++) so = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        snprintf(why, room, "%s is not there", names[0]);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(so, rows[i].symbol);
        if (!found) {
            snprintf(why, room, "%s has no %s: it is too old", names[0], rows[i].symbol);
            dlclose(so);
            return false;
        }
        memcpy(rows[i].slot, &found, sizeof found);
    }
    *library = so;
    return true;
}

#define FN(member, symbol, parameters) {#symbol, &table.member},
#define NAMES(...) static const char *const names[] = {__VA_ARGS__}

const cu_driver *api_driver(char *why, size_t n) {
    static cu_driver table;
    const entry rows[] = {CUDA_DRIVER(FN)};
    NAMES("libcuda.so.1");
    if (table.library || open_library(&table.library, names, COUNT_OF(names), rows, COUNT_OF(rows), why, n)) return &table;
    return NULL;
}

const cu_nvrtc *api_nvrtc(char *why, size_t n) {
    static cu_nvrtc table;
    const entry rows[] = {CUDA_NVRTC(FN)};
    NAMES("libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12",
          "/usr/local/cuda/lib64/libnvrtc.so");
    if (table.library || open_library(&table.library, names, COUNT_OF(names), rows, COUNT_OF(rows), why, n)) return &table;
    return NULL;
}

const cu_blas *api_blas(char *why, size_t n) {
    static cu_blas table;
    const entry rows[] = {CUDA_BLAS(FN)};
    NAMES("libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
          "/usr/local/cuda/lib64/libcublas.so");
    if (table.library || open_library(&table.library, names, COUNT_OF(names), rows, COUNT_OF(rows), why, n)) return &table;
    return NULL;
}

const cu_fft *api_fft(char *why, size_t n) {
    static cu_fft table;
    const entry rows[] = {CUDA_FFT(FN)};
    NAMES("libcufft.so.12", "libcufft.so.11", "/usr/local/cuda/lib64/libcufft.so.12", "/usr/local/cuda/lib64/libcufft.so.11",
          "/usr/local/cuda/lib64/libcufft.so");
    if (table.library || open_library(&table.library, names, COUNT_OF(names), rows, COUNT_OF(rows), why, n)) return &table;
    return NULL;
}
#undef FN

gpa_code api_check(CUresult r, const char *call, gpa_err *e) {
    const char *name = NULL, *text = NULL;
    const cu_driver *cu = r ? api_driver(NULL, 0) : NULL;
    if (!r) return GPA_OK;
    if (r == CUDA_OUT_OF_MEMORY) return gpa_fail(e, GPA_E_MEMORY, "the GPU is out of memory");
    if (cu) cu->error_name(r, &name), cu->error_text(r, &text);
    return gpa_fail(e, GPA_E_DEVICE, "%s: %s (%s)", call, text ? text : "unknown error", name ? name : "?");
}
