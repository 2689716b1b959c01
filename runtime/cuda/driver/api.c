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

enum { PATH_CAPACITY = 4096, OLDEST = 12, NEWEST = 13 };

typedef struct {
    const char *symbol; /* NULL: the end of a table */
    void *slot;         /* the function pointer */
    bool optional;
} entry;

/* Resolves all symbols of a table; on failure false with the reason, and the library is closed. */
static bool resolve_symbols(void *so, const char *name, const entry *rows, char *why,
                            size_t n_why) {
    for (; rows->symbol; rows++) {
        void *found = dlsym(so, rows->symbol);
        if (!found && !rows->optional) {
            snprintf(why, n_why, "%s has no %s: it is too old", name, rows->symbol);
            dlclose(so);
            return false;
        }
        memcpy(rows->slot, &found, sizeof found);
    }
    return true;
}

#define FN(member, symbol, parameters) {#symbol, &table.member, false},
#define OPTIONAL(member, symbol, parameters) {#symbol, &table.member, true},
#define BY_TYPE(member, i, symbol) {#symbol, &table.member[i], false},
#define TYPED(member, s, d, c, z, parameters) \
    BY_TYPE(member, 0, s) BY_TYPE(member, 1, d) BY_TYPE(member, 2, c) BY_TYPE(member, 3, z)

const cu_driver *api_driver(char *why, size_t n) {
    static cu_driver table;
    static const char *const names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
    static const entry rows[] = {
#include "runtime/cuda/driver/driver.def"
        {0}};
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
    if (!so || !resolve_symbols(so, names[0], rows, why, n)) return NULL;
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
    char path[PATH_CAPACITY];
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

/* A library of the toolkit. `behind`: CUDA's major version minus the library's. */
typedef struct {
    const char *stem;
    int behind;
    const entry *rows;
} toolkit_library;

/* Opens the library once, into *library; false with the reason. */
static bool open_once(const toolkit_library *l, void **library, char *why, size_t n) {
    char name[32];
    if (*library) return true;
    void *so = open_library(l->stem, l->behind, why, n);
    snprintf(name, sizeof name, "lib%s.so", l->stem);
    if (!so || !resolve_symbols(so, name, l->rows, why, n)) return false;
    *library = so;
    return true;
}

const cu_nvrtc *api_nvrtc(char *why, size_t n) {
    static cu_nvrtc table;
    static const entry rows[] = {
#include "runtime/cuda/driver/nvrtc.def"
        {0}};
    return open_once(&(toolkit_library){"nvrtc", 0, rows}, &table.library, why, n) ? &table : NULL;
}

const cu_blas *api_blas(char *why, size_t n) {
    static cu_blas table;
    static const entry rows[] = {
#include "runtime/cuda/driver/cublas.def"
        {0}};
    return open_once(&(toolkit_library){"cublas", 0, rows}, &table.library, why, n) ? &table : NULL;
}

const cu_fft *api_fft(char *why, size_t n) {
    static cu_fft table;
    static const entry rows[] = {
#include "runtime/cuda/driver/cufft.def"
        {0}};
    return open_once(&(toolkit_library){"cufft", 1, rows}, &table.library, why, n) ? &table : NULL;
}

const cu_solver *api_solver(char *why, size_t n) {
    static cu_solver table;
    static const entry rows[] = {
#include "runtime/cuda/driver/cusolver.def"
        {0}};
    return open_once(&(toolkit_library){"cusolver", 1, rows}, &table.library, why, n) ? &table
                                                                                      : NULL;
}

const cu_sparse *api_sparse(char *why, size_t n) {
    static cu_sparse table;
    static const entry rows[] = {
#include "runtime/cuda/driver/cusparse.def"
        {0}};
    return open_once(&(toolkit_library){"cusparse", 1, rows}, &table.library, why, n) ? &table
                                                                                      : NULL;
}

#undef FN
#undef OPTIONAL
#undef BY_TYPE
#undef TYPED

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
    char path[PATH_CAPACITY], key[PATH_CAPACITY + 96], why[8];
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
