/* NVRTC, and the cache in front of it.
 *
 * Multiplications and additions stay apart (--fmad=false): NumPy rounds after each, and one-by-one evaluation must give
 * the bits of the fused program. Memory decides the speed of nearly all programs. */
#include "runtime/cuda/compile.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base.h"
#include "runtime/disk.h"

static size_t make_options(cu_target t, char arch[40], const char **out) {
    size_t n = 0;
    snprintf(arch, 40, "--gpu-architecture=compute_%d%d", t.major, t.minor);
    out[n++] = arch;
    out[n++] = "--std=c++17";
    out[n++] = t.fast_math ? "--use_fast_math" : "--fmad=false";
    out[n++] = "--diag-suppress=177,550,186,68";
    return n;
}

static gpa_code report(const cu_nvrtc *rtc, nvrtcProgram p, const char *source, gpa_err *e) {
    size_t n = 0;
    char *log = NULL;
    if (!rtc->log_size(p, &n) && n && (log = mem_new(n + 1))) {
        rtc->log(p, log);
        log[n] = 0;
    }
    gpa_fail(e, GPA_E_INTERNAL, "generated CUDA source does not compile: %.600s", log ? log : "(no log)");
    if (getenv("GPA_CUDA_LOG")) fprintf(stderr, "%s\n%s\n", source, log ? log : "");
    mem_free(log);
    return GPA_E_INTERNAL;
}

gpa_code compile_fresh(const char *source, cu_target target, char **out, gpa_err *e) {
    char why[160] = "", arch[40];
    const char *options[8];
    const cu_nvrtc *rtc = api_nvrtc(why, sizeof why);
    gpa_code rc = GPA_OK;
    nvrtcProgram p = NULL;
    size_t n = 0;
    if (!rtc) return gpa_fail(e, GPA_E_DEVICE, "the run-time compiler of CUDA: %s", why);
    if (rtc->create(&p, source, "gpa.cu", 0, NULL, NULL)) return gpa_no_memory(e);
    size_t n_options = make_options(target, arch, options);
    int major = 0, minor = 0;
    rtc->version(&major, &minor);
    if (major > 12 || (major == 12 && minor >= 8)) options[n_options++] = "--minimal"; /* no textures: a fifth of the time */
    if (rtc->compile(p, (int)n_options, options)) TRY(report(rtc, p, source, e));
    *out = NULL;
    if (rtc->ptx_size(p, &n) || !(*out = mem_new(n + 1)) || rtc->ptx(p, *out)) {
        mem_free(*out);
        TRY(gpa_no_memory(e));
    }
    (*out)[n] = 0;
out:
    rtc->destroy(&p);
    return rc;
}

gpa_code compile_ptx(const char *source, cu_target target, char **out, gpa_err *e) {
    char arch[40];
    const char *options[8];
    size_t n = make_options(target, arch, options);
    gpa_str key;
    str_init(&key);
    str_put(&key, "gpa-2\n");
    for (size_t i = 0; i < n; i++) str_printf(&key, "%s ", options[i]);
    str_putc(&key, '\n');
    str_put(&key, source);
    gpa_code rc = key.failed ? gpa_no_memory(e) : GPA_OK;
    size_t n_ptx;
    *out = rc ? NULL : disk_get(key.text, key.len, &n_ptx);
    if (!rc && !*out && !(rc = compile_fresh(source, target, out, e))) disk_put(key.text, key.len, *out, strlen(*out));
    str_free(&key);
    return rc;
}
