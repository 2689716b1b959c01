/* Users' modules in CUDA C.
 *
 * A module consists of NVRTC's PTX, which declares the functions and the sizes of their parameters,
 * and of machine code if the compiler supports this GPU, which the driver then loads. A cache entry
 * holds both, after the mangled names of the requested C++ functions.
 *
 * Reading order: the cache entry, the compiler, PTX, functions, launches. */
#include "runtime/cuda/build/raw_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/cuda/build/nvrtc.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/cuda/driver/find.h"
#include "runtime/exec/disk_cache.h"

enum { MAX_OPTIONS = 64, FOLDERS = 8, PATH_CAPACITY = 4096 };

typedef struct {
    char *name;   /* as requested */
    char *symbol; /* mangled */
} raw_name;

struct gpa_raw {
    raw_name *names; /* C++ names and their mangled names */
    size_t n_names;
    char *ptx, *code; /* code NULL: the driver compiles the PTX */
    CUmodule module;
    unsigned generation; /* generation of the device in which the module was loaded */
};

static void free_raw(gpa_raw *r) {
    for (size_t i = 0; i < r->n_names; i++) {
        mem_free(r->names[i].name);
        mem_free(r->names[i].symbol);
    }
    mem_free(r->names);
    mem_free(r->ptx);
    mem_free(r->code);
    mem_free(r);
}

static gpa_code add_name(gpa_raw *r, const char *name, const char *symbol, gpa_err *e) {
    size_t cap = r->n_names;
    if (!mem_grow(&r->names, r->n_names, &cap, sizeof *r->names)) return gpa_no_memory(e);
    raw_name *x = &r->names[r->n_names];
    *x = (raw_name){mem_text(name, strlen(name)), mem_text(symbol, strlen(symbol))};
    r->n_names++; /* also if one is NULL: it is freed with the module */
    return x->name && x->symbol ? GPA_OK : gpa_no_memory(e);
}

/* ---- the cache entry: sizes, symbols line by line, PTX, machine code ---- */

static void pack(const gpa_raw *r, size_t n_code, gpa_str *out) {
    str_printf(out, "%zu %zu\n", strlen(r->ptx), n_code);
    for (size_t i = 0; i < r->n_names; i++) str_printf(out, "%s\n", r->names[i].symbol);
    str_put(out, r->ptx);
    str_putn(out, r->code, n_code);
}

static gpa_code unpack(gpa_raw *r, const raw_source *s, char *entry, size_t n, gpa_err *e) {
    size_t n_ptx = 0, n_code = 0;
    gpa_code rc = GPA_OK;
    char *at = strchr(entry, '\n');
    if (!at || sscanf(entry, "%zu %zu", &n_ptx, &n_code) != 2) return GPA_E_VALUE;
    at++;
    for (size_t i = 0; i < s->n_names && !rc; i++) {
        char *end = strchr(at, '\n');
        if (!end) return GPA_E_VALUE;
        *end = 0;
        rc = add_name(r, s->names[i], at, e);
        at = end + 1;
    }
    if (rc || (size_t)(at - entry) + n_ptx + n_code != n) return rc ? rc : GPA_E_VALUE;
    if (!(r->ptx = mem_text(at, n_ptx))) return gpa_no_memory(e);
    if (n_code && !(r->code = mem_new(n_code))) return gpa_no_memory(e);
    if (n_code) memcpy(r->code, at + n_ptx, n_code);
    return GPA_OK;
}

/* ---- the compiler ---- */

/* Options for the toolkit's headers: those of the compiler in use, then the usual folders. */
static size_t include_options(char (*out)[PATH_CAPACITY]) {
    char found[PATH_CAPACITY], option[PATH_CAPACITY];
    const char *toolkit = getenv("CUDA_PATH") ? getenv("CUDA_PATH") : getenv("CUDA_HOME");
    const char *roots[6] = {toolkit, NULL, NULL, NULL, "/usr/local/cuda", "/opt/cuda"};
    static const char *const below[] = {"include", "include/cccl"};
    char near[3][PATH_CAPACITY + 32];
    size_t n = 0;
    if (find_library("nvrtc", 0, api_driver_version() / 1000, found, sizeof found)) {
        for (int i = 0; i < 2 && strrchr(found, '/'); i++)
            *strrchr(found, '/') = 0; /* lib/libnvrtc.so */
        snprintf(near[0], sizeof near[0], "%s", found);
        snprintf(near[1], sizeof near[1], "%s/../cuda_runtime",
                 found); /* Python's packages of CUDA 12 */
        snprintf(near[2], sizeof near[2], "%s/../cuda_cccl", found);
        for (int i = 0; i < 3; i++) roots[1 + i] = near[i];
    }
    for (size_t r = 0; r < COUNT_OF(roots); r++)
        for (size_t b = 0; b < COUNT_OF(below) && roots[r] && *roots[r] && n < FOLDERS; b++) {
            int len = snprintf(option, sizeof option, "-I%s/%s", roots[r], below[b]);
            if (len < (int)sizeof option && access(option + 2, X_OK) == 0)
                memcpy(out[n++], option, sizeof option);
        }
    return n;
}

static bool names_target(const char *option) {
    return strstr(option, "gpu-architecture") || strncmp(option, "-arch", 5) == 0;
}

typedef struct {
    const char *option[MAX_OPTIONS];
    size_t n;
    char arch[48], include[FOLDERS][PATH_CAPACITY];
    bool machine; /* machine code for this GPU */
} options;

static gpa_code make_options(const gpa_dev *d, const cu_nvrtc *rtc, const raw_source *s, options *o,
                             gpa_err *e) {
    bool has_target = false;
    cu_target t = compile_known_target(rtc, d->target);
    if (s->n_options > MAX_OPTIONS - FOLDERS - 4)
        return gpa_fail(e, GPA_E_VALUE, "%zu options for the compiler are too many", s->n_options);
    o->n = 0;
    for (size_t i = 0; i < s->n_options; i++) {
        has_target = has_target || names_target(s->options[i]);
        o->option[o->n++] = s->options[i];
    }
    o->machine = !has_target && t.major == d->target.major && t.minor == d->target.minor;
    snprintf(o->arch, sizeof o->arch, "--gpu-architecture=%s_%d%d", o->machine ? "sm" : "compute",
             t.major, t.minor);
    if (!has_target) o->option[o->n++] = o->arch;
    o->option[o->n++] = "--disable-warnings"; /* NVRTC's log mixes them with errors */
    size_t n = include_options(o->include);
    for (size_t i = 0; i < n; i++) o->option[o->n++] = o->include[i];
    return GPA_OK;
}

/* Reports NVRTC's errors: "FILE(LINE): error: TEXT", each with the source line and a caret; without
 * the heading and the count at the end. */
static gpa_code report_errors(const cu_nvrtc *rtc, nvrtcProgram p, const raw_source *s,
                              gpa_err *e) {
    size_t n = 0;
    char *log = NULL;
    if (rtc->log_size(p, &n) || !n || !(log = mem_new(n + 1)) || rtc->log(p, log)) {
        mem_free(log);
        return gpa_fail(e, GPA_E_COMPILE, "%s does not compile", s->file);
    }
    log[n] = 0;
    char *end = strstr(log, " detected in the compilation of"), *first = strstr(log, ": error:");
    if (!first) first = strstr(log, ": catastrophic error:");
    while (first && first > log && first[-1] != '\n') first--; /* skip warnings */
    while (end && end > log && end[-1] != '\n') end--;
    if (end) *end = 0;
    for (size_t k = strlen(log); k && strchr(" \n", log[k - 1]); k--) log[k - 1] = 0;
    /* NVRTC appends the requested names to the source. */
    bool name = first && s->n_names == 1 && strncmp(first, "__nv_name_map", 13) == 0;
    gpa_code rc = name ? gpa_fail(e, GPA_E_VALUE, "the source has no function '%s'", s->names[0])
                       : gpa_fail(e, GPA_E_COMPILE, "%s", first ? first : log);
    mem_free(log);
    return rc;
}

static gpa_code read_output(const cu_nvrtc *rtc, nvrtcProgram p, bool machine, gpa_raw *r,
                            size_t *n_code, gpa_err *e) {
    size_t n = 0;
    *n_code = 0;
    if (rtc->ptx_size(p, &n) || !(r->ptx = mem_new(n + 1)) || rtc->ptx(p, r->ptx))
        return gpa_no_memory(e);
    r->ptx[n] = 0;
    if (!machine) return GPA_OK;
    if (rtc->cubin_size(p, n_code) || !*n_code || !(r->code = mem_new(*n_code)) ||
        rtc->cubin(p, r->code))
        return gpa_no_memory(e);
    return GPA_OK;
}

static gpa_code compile(const cu_nvrtc *rtc, const raw_source *s, const options *o, gpa_raw *r,
                        size_t *n_code, gpa_err *e) {
    nvrtcProgram p = NULL;
    gpa_code rc = GPA_OK;
    gpa_str text;
    str_init(&text);
    str_printf(&text,
               s->plain_names ? "extern \"C\" {\n#line 1 \"%s\"\n%s\n}\n" : "#line 1 \"%s\"\n%s\n",
               s->file, s->text);
    if (text.failed || rtc->create(&p, text.text, s->file, 0, NULL, NULL)) TRY(gpa_no_memory(e));
    for (size_t i = 0; i < s->n_names; i++)
        if (rtc->add_name(p, s->names[i]))
            TRY(gpa_fail(e, GPA_E_VALUE, "'%.100s' is not the name of a function", s->names[i]));
    if (rtc->compile(p, (int)o->n, o->option)) TRY(report_errors(rtc, p, s, e));
    for (size_t i = 0; i < s->n_names; i++) {
        const char *symbol = NULL;
        if (rtc->lowered(p, s->names[i], &symbol))
            TRY(gpa_fail(e, GPA_E_VALUE, "'%.100s' is not the name of a function", s->names[i]));
        TRY(add_name(r, s->names[i], symbol, e));
    }
    TRY(read_output(rtc, p, o->machine, r, n_code, e));
out:
    if (p) rtc->destroy(&p);
    str_free(&text);
    return rc;
}

/* The cache key. False for a source that includes the user's headers, which may change. */
static bool make_key(const raw_source *s, const options *o, gpa_str *key) {
    for (const char *at = s->text; (at = strstr(at, "#include")); at++)
        if (at[8 + strspn(at + 8, " \t")] == '"') return false;
    str_printf(key, "gpa-raw-1 nvrtc %d %s %d\n", api_nvrtc_version(), s->file, s->plain_names);
    for (size_t i = 0; i < o->n; i++) str_printf(key, "%s ", o->option[i]);
    for (size_t i = 0; i < s->n_names; i++) str_printf(key, "\n%s", s->names[i]);
    str_printf(key, "\n%s", s->text);
    return !key->failed;
}

static gpa_code compile_or_find(gpa_dev *d, const raw_source *s, gpa_raw *r, gpa_err *e) {
    char why[160] = "";
    options o;
    size_t n = 0;
    gpa_str key, entry;
    str_init(&key);
    str_init(&entry);
    gpa_code rc = GPA_OK;
    char *found = NULL;
    const cu_nvrtc *rtc = api_nvrtc(why, sizeof why);
    if (!rtc) TRY(gpa_fail(e, GPA_E_DEVICE, "the run-time compiler of CUDA: %s", why));
    TRY(make_options(d, rtc, s, &o, e));
    bool cached = make_key(s, &o, &key);
    if (cached && (found = disk_cache_get(key.text, key.len, &n)) && !unpack(r, s, found, n, e))
        goto out;
    TRY(compile(rtc, s, &o, r, &n, e));
    if (cached) pack(r, n, &entry);
    if (cached && !entry.failed) disk_cache_put(key.text, key.len, entry.text, entry.len);
out:
    mem_free(found);
    str_free(&key);
    str_free(&entry);
    return rc;
}

gpa_code raw_build(gpa_dev *d, const raw_source *s, gpa_raw **out, gpa_err *e) {
    gpa_raw *r = mem_zero(sizeof *r);
    if (!r) return gpa_no_memory(e);
    context_enter(d);
    r->generation = d->generation;
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = compile_or_find(d, s, r, e);
    if (!rc)
        rc = api_check(compile_load(d->cu, r->code ? r->code : r->ptx, EFFORT_FULL, &r->module),
                       "cuModuleLoadData", e);
    if (rc)
        free_raw(r);
    else
        *out = r;
    return rc;
}

void raw_drop(gpa_dev *d, gpa_raw *r) {
    context_enter(d);
    gpa_err quiet = {0};
    if (r->module && context_serves(d, r->generation) && (!wait_idle(d, &quiet) || !d->stuck))
        d->cu->module_unload(r->module);
    free_raw(r);
}

/* ---- functions, and their parameters as PTX declares them ---- */

static const char *symbol_of(const gpa_raw *r, const char *name) {
    for (size_t i = 0; i < r->n_names; i++)
        if (!strcmp(r->names[i].name, name)) return r->names[i].symbol;
    return name;
}

/* The name of the next ".entry NAME" from *at on, its length in *n; NULL at the end. */
static const char *next_entry(const char **at, size_t *n) {
    const char *found = strstr(*at, ".entry ");
    if (!found) return NULL;
    found += strlen(".entry ");
    *n = strcspn(found, "( \t\n");
    *at = found + *n;
    return found;
}

static gpa_code find_function(gpa_dev *d, const gpa_raw *r, const char *name, CUfunction *out,
                              const char **params, gpa_err *e) {
    const char *symbol = symbol_of(r, name), *at = r->ptx;
    size_t n;
    for (const char *x; (x = next_entry(&at, &n));) {
        if (strlen(symbol) != n || memcmp(symbol, x, n)) continue;
        *params = at;
        return api_check(d->cu->module_function(out, r->module, symbol), "cuModuleGetFunction", e);
    }
    gpa_str have;
    str_init(&have);
    at = r->ptx;
    for (const char *x; (x = next_entry(&at, &n));)
        str_printf(&have, "%s%.*s", have.len ? ", " : "", (int)n, x);
    gpa_fail(e, GPA_E_VALUE, "there is no kernel named '%.100s' in the module", name);
    if (have.len && !have.failed)
        gpa_err_hint(e, "it has %.120s%s", have.text,
                     strstr(have.text, "_Z") ? ": write extern \"C\" before it" : "");
    str_free(&have);
    return GPA_E_VALUE;
}

/* The size of the parameter declared at `at` (".param .align 8 .b8 name[24]", ".param .u64 .ptr
 * .align 1 name"). */
static size_t param_size(const char *at, size_t n) {
    size_t size = 0, count = 1;
    for (const char *p = at, *end = at + n; p < end; p++) {
        if (*p == '.' && strchr("usfb", p[1]) && p[2] >= '1' && p[2] <= '9' && !size)
            size = strtoul(p + 2, NULL, 10) / 8;
        if (*p == '[') count = strtoul(p + 1, NULL, 10);
    }
    return size * count;
}

/* The sizes of a function's parameters; returns their number. */
static size_t param_sizes(const char *params, size_t *sizes, size_t capacity) {
    const char *open = params + strcspn(params, "({"), *close = open + strcspn(open, ")");
    size_t n = 0;
    if (*open != '(') return 0;
    for (const char *p = open; (p = strstr(p, ".param")) && p < close && n < capacity; n++) {
        p += strlen(".param");
        sizes[n] = param_size(p, MIN(strcspn(p, ",)"), (size_t)(close - p)));
    }
    return n;
}

/* ---- launches ---- */

static gpa_code check_args(const gpa_raw_launch *l, const char *params, gpa_err *e) {
    size_t sizes[RAW_MAX_ARGS], n = param_sizes(params, sizes, RAW_MAX_ARGS);
    if (n != l->n_args)
        return gpa_fail(e, GPA_E_TYPE, "%.100s() takes %zu argument%s, not %zu", l->function, n,
                        n == 1 ? "" : "s", l->n_args);
    for (size_t i = 0; i < n; i++)
        if (sizes[i] != l->args[i].size)
            return gpa_fail(e, GPA_E_TYPE,
                            "argument %zu of %.100s() has %zu bytes, and the kernel expects %zu",
                            i + 1, l->function, l->args[i].size, sizes[i]);
    return GPA_OK;
}

static gpa_code check_block(gpa_dev *d, CUfunction f, const gpa_raw_launch *l, gpa_err *e) {
    int most = 0;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    d->cu->function_attribute(&most, CU_FUNC_MAX_THREADS, f);
    if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2])
        return gpa_fail(e, GPA_E_VALUE, "a grid (%u, %u, %u) of blocks (%u, %u, %u) has no threads",
                        l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    if (threads > (uint64_t)most)
        return gpa_fail(e, GPA_E_VALUE, "a block of %llu threads is too large: %.100s() allows %d",
                        (unsigned long long)threads, l->function, most);
    if (l->shared > d->max_shared)
        return gpa_fail(e, GPA_E_VALUE,
                        "%u bytes of shared memory are too many: a block has at most %u", l->shared,
                        d->max_shared);
    return GPA_OK;
}

gpa_code raw_run(gpa_dev *d, gpa_raw *r, const gpa_raw_launch *l, gpa_err *e) {
    CUfunction f;
    const char *params;
    void *args[RAW_MAX_ARGS];
    CUdeviceptr address[RAW_MAX_ARGS];
    gpa_val values[RAW_MAX_ARGS];
    gpa_code rc = GPA_OK;
    context_enter(d);
    TRY(wait_usable(d, e));
    TRY(stream_join(d, true, e));
    TRY(find_function(d, r, l->function, &f, &params, e));
    TRY(check_args(l, params, e));
    TRY(check_block(d, f, l, e));
    for (size_t i = 0; i < l->n_args; i++) {
        address[i] = l->args[i].mem ? l->args[i].mem->address + l->args[i].at : 0;
        values[i] = l->args[i].v;
        args[i] = l->args[i].mem ? (void *)&address[i] : (void *)&values[i];
    }
    if (l->shared > CU_STATIC_SHARED_BYTES)
        TRY(api_check(d->cu->function_set(f, CU_FUNC_MAX_DYNAMIC, (int)l->shared),
                      "cuFuncSetAttribute", e));
    const uint32_t *g = l->grid, *b = l->block;
    TRY(api_check(
        d->cu->launch(f, g[0], g[1], g[2], b[0], b[1], b[2], l->shared, d->stream, args, NULL),
        "cuLaunchKernel", e));
out:
    return rc;
}

gpa_code raw_fact_of(gpa_dev *d, CUfunction f, raw_fact which, int64_t *out, gpa_err *e) {
    static const int attributes[RAW_FACT_COUNT] = {[RAW_MAX_THREADS] = CU_FUNC_MAX_THREADS,
                                                   [RAW_SHARED] = CU_FUNC_SHARED,
                                                   [RAW_CONST] = CU_FUNC_CONST,
                                                   [RAW_LOCAL] = CU_FUNC_LOCAL,
                                                   [RAW_REGISTERS] = CU_FUNC_REGISTERS,
                                                   [RAW_PTX] = CU_FUNC_PTX,
                                                   [RAW_BINARY] = CU_FUNC_BINARY,
                                                   [RAW_MAX_DYNAMIC] = CU_FUNC_MAX_DYNAMIC};
    int v = 0;
    gpa_code rc =
        api_check(d->cu->function_attribute(&v, attributes[which], f), "cuFuncGetAttribute", e);
    *out = v;
    return rc;
}

gpa_code raw_get_fact(gpa_dev *d, gpa_raw *r, const char *function, raw_fact which, int64_t *out,
                      gpa_err *e) {
    CUfunction f;
    const char *params;
    context_enter(d);
    gpa_code rc = find_function(d, r, function, &f, &params, e);
    return rc ? rc : raw_fact_of(d, f, which, out, e);
}
