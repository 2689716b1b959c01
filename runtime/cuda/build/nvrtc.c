/* NVRTC and its cache.
 *
 * Multiplications and additions are not contracted to FMA (--fmad=false): NumPy rounds after each,
 * and a fused program must give the same bits as separate operations. Nearly all programs are
 * memory bound anyway. Users' kernels contract, as CUDA does. */
#include "runtime/cuda/build/nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cuda/emit/ptx_constants.h"
#include "runtime/exec/disk_cache.h"

enum { FIRST_MINIMAL = 12080, FIRST_QUICK = 13000 };

/* The options for a target; with the compiler's version they determine the result. */
static size_t make_options(cu_target t, cu_effort effort, int version, char arch[40],
                           const char **out) {
    size_t n = 0;
    snprintf(arch, 40, "--gpu-architecture=%s_%d%d%s", t.cubin ? "sm" : "compute", t.major, t.minor,
             t.specific ? "a" : "");
    out[n++] = arch;
    out[n++] = "--std=c++17";
    out[n++] = t.fast_math ? "--use_fast_math" : t.contract ? "--fmad=true" : "--fmad=false";
    if (t.line_info) out[n++] = "--generate-line-info";
    out[n++] = "--diag-suppress=177,550,186,68";
    if (version >= FIRST_MINIMAL)
        out[n++] = "--minimal"; /* without textures: a fifth of the compile time */
    if (effort == EFFORT_QUICK)
        out[n++] = "--Ofast-compile=mid"; /* "max" would stay in effect for later compilations of
                                             the process */
    return n;
}

cu_target compile_known_target(const cu_nvrtc *rtc, cu_target t) {
    int archs[64], n = 0, want = t.major * 10 + t.minor, best = 0;
    if (rtc->n_archs(&n) || n > (int)COUNT_OF(archs) || rtc->archs(archs)) return t;
    for (int i = 0; i < n; i++)
        if (archs[i] <= want) best = MAX(best, archs[i]);
    if (best) t.major = best / 10, t.minor = best % 10;
    return t;
}

static gpa_code report_log(const cu_nvrtc *rtc, nvrtcProgram p, const char *source, gpa_err *e) {
    size_t n = 0;
    char *log = NULL;
    if (!rtc->log_size(p, &n) && n && (log = mem_new(n + 1))) {
        rtc->log(p, log);
        log[n] = 0;
    }
    gpa_fail(e, GPA_E_INTERNAL, "generated CUDA source does not compile: %.600s",
             log ? log : "(no log)");
    if (getenv("GPA_CUDA_LOG")) fprintf(stderr, "%s\n%s\n", source, log ? log : "");
    mem_free(log);
    return GPA_E_INTERNAL;
}

/* Opens NVRTC, from any thread. */
static const cu_nvrtc *open_nvrtc(char *why, size_t n) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const cu_nvrtc *rtc = api_nvrtc(why, n);
    pthread_mutex_unlock(&lock);
    return rtc;
}

gpa_code compile_fresh(const char *source, cu_target target, cu_effort effort, char **out,
                       size_t *n, gpa_err *e) {
    char why[160] = "", arch[40];
    const char *options[8];
    const cu_nvrtc *rtc = open_nvrtc(why, sizeof why);
    gpa_code rc = GPA_OK;
    nvrtcProgram p = NULL;
    if (!rtc) return gpa_fail(e, GPA_E_DEVICE, "the run-time compiler of CUDA: %s", why);
    int major = 0, minor = 0;
    if (rtc->version(&major, &minor) || rtc->create(&p, source, "gpa.cu", 0, NULL, NULL))
        return gpa_no_memory(e);
    size_t n_options = make_options(compile_known_target(rtc, target), effort,
                                    major * 1000 + minor * 10, arch, options);
    if (rtc->compile(p, (int)n_options, options)) TRY(report_log(rtc, p, source, e));
    *out = NULL;
    if ((target.cubin ? rtc->cubin_size : rtc->ptx_size)(p, n) || !(*out = mem_new(*n + 1)) ||
        (target.cubin ? rtc->cubin : rtc->ptx)(p, *out)) {
        mem_free(*out);
        TRY(gpa_no_memory(e));
    }
    (*out)[*n] = 0;
    if (!target.cubin) *n = strlen(*out);
out:
    rtc->destroy(&p);
    return rc;
}

/* A full build also moves float64 immediates to constant memory. */
static gpa_code compile_and_patch(const char *source, cu_target target, cu_effort effort,
                                  char **out, size_t *n, gpa_err *e) {
    gpa_code rc = compile_fresh(source, target, effort, out, n, e);
    gpa_str text;
    if (rc || target.cubin || effort == EFFORT_QUICK) return rc;
    str_init(&text);
    ptx_constants_to_memory(*out, &text);
    mem_free(*out);
    *n = text.len;
    *out = str_take(&text);
    return *out ? GPA_OK : gpa_no_memory(e);
}

/* The key of a cache entry. */
static void put_key(gpa_str *key, const char *source, cu_target target, cu_effort effort,
                    int version) {
    char arch[40];
    const char *options[8];
    size_t n = make_options(target, effort, version, arch, options);
    str_clear(key);
    str_printf(key, "gpa-4 nvrtc %d\n", version);
    for (size_t i = 0; i < n; i++) str_printf(key, "%s ", options[i]);
    str_putc(key, '\n');
    str_put(key, source);
}

gpa_code compile_ptx(const char *source, cu_target target, cu_effort *effort, char **out,
                     gpa_err *e) {
    int version = api_nvrtc_version(), driver = api_driver_version();
    cu_effort wanted_effort = version < FIRST_QUICK ? EFFORT_FULL : *effort;
    gpa_code rc = GPA_OK;
    gpa_str key;
    size_t size;
    if (version / 10 > driver / 10)
        target.cubin = true; /* an older driver rejects the PTX version */
    str_init(&key);
    *effort = EFFORT_FULL;
    *out = NULL;
    put_key(&key, source, target, EFFORT_FULL, version);
    if (!key.failed) *out = disk_cache_get(key.text, key.len, &size);
    if (!*out && wanted_effort == EFFORT_QUICK) {
        *effort = EFFORT_QUICK;
        put_key(&key, source, target, EFFORT_QUICK, version);
        if (!key.failed) *out = disk_cache_get(key.text, key.len, &size);
    }
    if (key.failed)
        rc = gpa_no_memory(e);
    else if (!*out && !(rc = compile_and_patch(source, target, *effort, out, &size, e)))
        disk_cache_put(key.text, key.len, *out, size);
    str_free(&key);
    return rc;
}

bool compile_is_known(const char *source, cu_target target) {
    bool known = false;
    int version = api_nvrtc_version();
    gpa_str key;
    str_init(&key);
    if (version / 10 > api_driver_version() / 10) target.cubin = true;
    for (cu_effort effort = EFFORT_QUICK; effort <= EFFORT_FULL && !known; effort++) {
        size_t size;
        put_key(&key, source, target, effort, version);
        char *entry = key.failed ? NULL : disk_cache_get(key.text, key.len, &size);
        known = entry != NULL;
        mem_free(entry);
    }
    str_free(&key);
    return known;
}

CUresult compile_load(const cu_driver *cu, const char *built, cu_effort effort, CUmodule *out) {
    int option = CU_JIT_OPTIMIZATION_LEVEL;
    void *level = NULL; /* 0 */
    return cu->module_load(out, built, effort == EFFORT_QUICK, &option, &level);
}
