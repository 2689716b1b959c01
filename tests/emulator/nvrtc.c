/* An emulator of NVRTC: g++ compiles generated CUDA C to a shared library for the processor, the
 * `cubin` that launch.c runs. PTX and keywords that C++ lacks are replaced by what device.h
 * defines. The log of a failed compilation is g++'s. */
#include <errno.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

#define STUB(symbol, ...)    \
    int symbol(__VA_ARGS__); \
    int symbol(__VA_ARGS__)

enum { OK, OUT_OF_MEMORY, DOES_NOT_COMPILE = 6 };

/* A file in memory that a child process can open by path. */
typedef struct {
    int fd;
    char path[64];
} file;

struct nvrtc_program {
    file source, built, log;
};

extern char **environ;

static bool open_file(file *f, const char *name) {
    f->fd = memfd_create(name, MFD_CLOEXEC);
    snprintf(f->path, sizeof f->path, "/proc/%d/fd/%d", getpid(), f->fd);
    return f->fd >= 0;
}

static size_t size_of(const file *f) { return (size_t)lseek(f->fd, 0, SEEK_END); }

static bool put(const file *f, const char *s, size_t n) {
    while (n) {
        ssize_t k = write(f->fd, s, n);
        if (k < 0 && errno != EINTR) return false;
        if (k > 0) s += k, n -= (size_t)k;
    }
    return true;
}

static bool get(const file *f, char *out) {
    size_t n = size_of(f), at = 0;
    for (ssize_t k = 1; at < n && k > 0; at += k > 0 ? (size_t)k : 0)
        k = pread(f->fd, out + at, n - at, (off_t)at);
    return at == n;
}

/* CUDA syntax, and its replacement in C++. */
static const struct {
    const char *from, *to;
} replacements[] = {
    {"extern __shared__", "extern"},
    {"asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(h));", "f = emu_from_half(h);"},
    {"asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(f));", "h = emu_to_half(f);"},
    {"asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(h) : \"d\"(d));", "h = emu_to_half(d);"},
};

/* The name of the kernel whose declaration starts at s, after __launch_bounds__() etc. */
static const char *name_of(const char *s, size_t *n) {
    for (const char *end = strchr(s, '(');; end = strchr(strchr(end, ')'), '(')) {
        const char *at = end;
        while (at[-1] != ' ') at--;
        *n = (size_t)(end - at);
        if (strncmp(at, "__", 2)) return at;
    }
}

/* The entry points of a kernel. */
static bool put_entry(const file *f, const char *name, size_t n) {
    char text[512];
    int k =
        snprintf(text, sizeof text,
                 "\nextern \"C\" void emulator_enter_%.*s(const emulator *e, void **args) { emu = "
                 "e; emu_call(%.*s, args); }\n"
                 "extern \"C\" const size_t *emulator_sizes_%.*s() { return emu_sizes(%.*s); }\n",
                 (int)n, name, (int)n, name, (int)n, name, (int)n, name);
    return k < (int)sizeof text && put(f, text, (size_t)k);
}

/* The last character of the string literal that starts at s. */
static const char *behind_text(const char *s) {
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1]) s++;
    return s;
}

static bool put_source(const file *f, const char *s) {
    static const char kernel[] = "extern \"C\" __global__ ";
    const char *begun = s, *name = NULL;
    size_t n_name = 0;
    for (int depth = 0; *s; s++) {
        if (strncmp(s, kernel, sizeof kernel - 1) == 0) name = name_of(s, &n_name), depth = 0;
        if (name && *s == '"') s = behind_text(s);
        if (name && *s == '{') depth++;
        if (name && *s == '}' &&
            --depth == 0) { /* at its end, since the text may be inside an #if */
            if (!put(f, begun, (size_t)(s + 1 - begun)) || !put_entry(f, name, n_name))
                return false;
            begun = s + 1;
            name = NULL;
            continue;
        }
        for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
            size_t n = strlen(replacements[i].from);
            if (strncmp(s, replacements[i].from, n)) continue;
            if (!put(f, begun, (size_t)(s - begun)) ||
                !put(f, replacements[i].to, strlen(replacements[i].to)))
                return false;
            begun = s += n;
        }
        if (!*s) break;
    }
    static const char ends[] =
        "\nextern \"C\" unsigned char __start_shared[] __attribute__((weak)), __stop_shared[] "
        "__attribute__((weak));\n"
        "extern \"C\" void emulator_begin(unsigned dynamic) {\n"
        "    memset(__start_shared, 0xa5, __stop_shared - __start_shared);\n"
        "    memset(g_dynamic, 0xa5, dynamic);\n"
        "    memset(g_bins, 0xa5, dynamic);\n"
        "}\n";
    return put(f, begun, (size_t)(s - begun)) && put(f, ends, sizeof ends - 1);
}

STUB(nvrtcVersion, int *major, int *minor) { return *major = 12, *minor = 8, 0; }
STUB(nvrtcGetNumSupportedArchs, int *n) { return *n = 1, 0; }
STUB(nvrtcGetSupportedArchs, int *out) { return *out = 90, 0; }
STUB(nvrtcCreateProgram, nvrtcProgram *out, const char *source, const char *name, int n,
     const char *const *headers, const char *const *names) {
    nvrtcProgram p = *out = calloc(1, sizeof *p);
    (void)n, (void)headers, (void)names;
    if (!p) return OUT_OF_MEMORY;
    p->source.fd = p->built.fd = p->log.fd = -1;
    return open_file(&p->source, name) && open_file(&p->built, "built") &&
                   open_file(&p->log, "log") && put_source(&p->source, source)
               ? OK
               : OUT_OF_MEMORY;
}
STUB(nvrtcDestroyProgram, nvrtcProgram *at) {
    nvrtcProgram p = *at;
    if (!p) return OK;
    close(p->source.fd), close(p->built.fd), close(p->log.fd);
    free(p);
    return *at = NULL, OK;
}
/* Options for CUDA's arithmetic: no contraction, integers wrap around. The process has the C
 * library and its mathematical functions, so linking is quick: only libgcc is searched. */
STUB(nvrtcCompileProgram, nvrtcProgram p, int n, const char *const *options) {
    char *args[] = {"g++",
                    EMULATOR_FLAGS "-shared",
                    "-Wl,-Bsymbolic",
                    "-nostdlib",
                    "-fno-use-linker-plugin",
                    "-include",
                    EMULATOR_HEADER,
                    "-o",
                    p->built.path,
                    "-x",
                    "c++",
                    p->source.path,
                    "-x",
                    "none",
                    "-lgcc",
                    NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    (void)n, (void)options;
    if (posix_spawn_file_actions_init(&actions)) return OUT_OF_MEMORY;
    posix_spawn_file_actions_adddup2(&actions, p->log.fd, 2);
    if (!posix_spawnp(&child, args[0], &actions, NULL, args, environ))
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    posix_spawn_file_actions_destroy(&actions);
    return status ? DOES_NOT_COMPILE : OK;
}
STUB(nvrtcGetProgramLogSize, nvrtcProgram p, size_t *n) { return *n = size_of(&p->log), OK; }
STUB(nvrtcGetProgramLog, nvrtcProgram p, char *out) {
    return get(&p->log, out) ? OK : OUT_OF_MEMORY;
}
STUB(nvrtcGetCUBINSize, nvrtcProgram p, size_t *n) { return *n = size_of(&p->built), OK; }
STUB(nvrtcGetCUBIN, nvrtcProgram p, char *out) { return get(&p->built, out) ? OK : OUT_OF_MEMORY; }
