/* Loading NVIDIA's libraries with dlopen. */
#include "runtime/cuda/driver/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/find.h"
#include "runtime/exec/disk_cache.h"

enum { PATH_ROOM = 4096, OLDEST = 12, NEWEST = 13 };

typedef struct {
    const char *symbol;
    void *slot; /* the function pointer */
} entry;

/* Resolves all symbols of a table; on failure false with the reason, and the library is closed. */
static bool fill(void *so, const char *name, const entry *rows, size_t n, char *why, size_t n_why) {
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(so, rows[i].symbol);
        if (!found) {
            snprintf(why, n_why, "%s has no %s: it is too old", name, rows[i].symbol);
            dlclose(so);
            return false;
        }
        memcpy(rows[i].slot, &found, sizeof found);
    }
    return true;
}

/* Optional symbols, which older versions of the library lack: NULL. */
static void fill_later(void *so, const entry *rows) {
    for (; rows->symbol; rows++) {
        void *found = dlsym(so, rows->symbol);
        memcpy(rows->slot, &found, sizeof found);
    }
}

#define FN(member, symbol, parameters) {#symbol, &table.member},
#define NOTHING(FN)

const cu_driver *api_driver(char *why, size_t n) {
    static cu_driver table;
    static const char *const names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
    const entry rows[] = {CUDA_DRIVER(FN)};
    void *so = NULL;
    if (table.library) return &table;
    for (size_t i = 0; i < COUNT_OF(names) && !so; i++) {
        so = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        const char *wrong = so ? NULL : dlerror();
        if (wrong && !strstr(wrong, "No such file"))
            snprintf(why, n, "%s", wrong);
        else if (wrong && i == 0)
            snprintf(why, n, "no NVIDIA driver: %s is not there", names[0]);
    }
    if (!so || !fill(so, names[0], rows, COUNT_OF(rows), why, n)) return NULL;
    table.library = so;
    return &table;
}

int api_driver_version(void) {
    char why[8];
    const cu_driver *cu = api_driver(why, sizeof why);
    int version = 0;
    return cu && !cu->version(&version) ? version : 0;
}

/* Opens a library of the toolkit: the file that find_library gives, else what the dynamic linker
 * finds by its usual names. */
static void *open_library(const char *stem, int behind, char *why, size_t n) {
    char path[PATH_ROOM];
    int driver = api_driver_version() / 1000;
    void *so = NULL;
    if (find_library(stem, behind, driver, path, sizeof path)) {
        so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!so) snprintf(why, n, "%s", dlerror());
        return so;
    }
    for (int major = MAX(driver, NEWEST); major >= OLDEST && !so; major--) {
        snprintf(path, sizeof path, "lib%s.so.%d", stem, major - behind);
        so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!so)
        snprintf(why, n,
                 "lib%s.so is not there: install the CUDA toolkit or its package for Python, or "
                 "set CUDA_PATH",
                 stem);
    return so;
}

/* `behind`: CUDA's major version minus the library's. */
#define LIBRARY(member, ROWS, LATER, stem, behind)                                         \
    const cu_##member *api_##member(char *why, size_t n) {                                 \
        static cu_##member table;                                                          \
        const entry rows[] = {ROWS(FN)}, later[] = {LATER(FN){NULL, NULL}};                \
        if (table.library) return &table;                                                  \
        void *so = open_library(stem, behind, why, n);                                     \
        if (!so || !fill(so, "lib" stem ".so", rows, COUNT_OF(rows), why, n)) return NULL; \
        fill_later(so, later);                                                             \
        table.library = so;                                                                \
        return &table;                                                                     \
    }
LIBRARY(nvrtc, CUDA_NVRTC, NOTHING, "nvrtc", 0)
LIBRARY(blas, CUDA_BLAS, NOTHING, "cublas", 0)
LIBRARY(fft, CUDA_FFT, NOTHING, "cufft", 1)
LIBRARY(solver, CUDA_SOLVER, CUDA_SOLVER_LATER, "cusolver", 1)
LIBRARY(sparse, CUDA_SPARSE, NOTHING, "cusparse", 1)
#undef FN
#undef NOTHING

/* ---- the compiler's version ---- */

/* A version recorded in the disk cache; 0: none. */
static int read_note(const char *key, size_t n_key) {
    size_t n;
    char *note = disk_cache_get(key, n_key, &n);
    int version = note ? atoi(note) : 0;
    mem_free(note);
    return version;
}

static void write_note(const char *key, size_t n_key, int version) {
    char text[16];
    disk_cache_put(key, n_key, text, (size_t)snprintf(text, sizeof text, "%d", version));
}

int api_nvrtc_version(void) {
    static const char latest[] = "the version of the compiler that was used last";
    static int known;
    char path[PATH_ROOM], key[PATH_ROOM + 96], why[8];
    struct stat st;
    int n = 0, major = 0, minor = 0;
    if (known) return known;
    if (find_library("nvrtc", 0, api_driver_version() / 1000, path, sizeof path) &&
        !stat(path, &st)) {
        n = snprintf(key, sizeof key, "the version of %s, %lld bytes of %lld.%09ld", path,
                     (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        if ((known = read_note(key, (size_t)n))) return known;
    }
    const cu_nvrtc *rtc = api_nvrtc(why, sizeof why);
    if (!rtc || rtc->version(&major, &minor))
        return known = read_note(
                   latest, sizeof latest); /* no compiler: the disk cache may still have programs */
    known = major * 1000 + minor * 10;
    if (n) write_note(key, (size_t)n, known);
    write_note(latest, sizeof latest, known);
    return known;
}

gpa_code api_check(CUresult r, const char *call, gpa_err *e) {
    const char *name = NULL, *text = NULL;
    const cu_driver *cu = r ? api_driver((char[8]){0}, 8) : NULL;
    if (!r) return GPA_OK;
    if (r == CUDA_OUT_OF_MEMORY) return gpa_fail(e, GPA_E_MEMORY, "the GPU is out of memory");
    if (cu) cu->error_name(r, &name), cu->error_text(r, &text);
    return gpa_fail(e, GPA_E_DEVICE, "%s: %s (%s)", call, text ? text : "unknown error",
                    name ? name : "?");
}
