/* Search for NVIDIA's libraries: fixed folders first, then glob patterns, which are slower. */
#include "runtime/cuda/driver/find.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/base.h"

enum { OLDEST = 12, AHEAD = 2, PATH_CAPACITY = 4096 };

/* A file name, and the path where it was found. */
typedef struct {
    char name[64]; /* "libnvrtc.so.13" */
    char *path;
    size_t n;
} search;

static bool in_folder(const search *s, const char *folder, size_t n_folder) {
    if (!n_folder ||
        snprintf(s->path, s->n, "%.*s/%s", (int)n_folder, folder, s->name) >= (int)s->n)
        return false;
    return access(s->path, R_OK) == 0;
}

/* $variable, with a folder below it. */
static bool in_variable(const search *s, const char *variable, const char *below) {
    char folder[PATH_CAPACITY];
    const char *at = getenv(variable);
    if (!at || !*at || snprintf(folder, sizeof folder, "%s/%s", at, below) >= (int)sizeof folder)
        return false;
    return in_folder(s, folder, strlen(folder));
}

static bool in_linker_path(const search *s) {
    const char *at = getenv("LD_LIBRARY_PATH");
    for (size_t n; at && *at; at += n + (at[n] != 0)) {
        n = strcspn(at, ":;");
        if (in_folder(s, at, n)) return true;
    }
    return false;
}

/* The path of this plugin, and the length of its folder's; NULL if unknown. */
static const char *plugin_path(size_t *n_folder) {
    static Dl_info here;
    static const char anchor;
    const char *slash =
        dladdr(&anchor, &here) && here.dli_fname ? strrchr(here.dli_fname, '/') : NULL;
    if (slash) *n_folder = (size_t)(slash - here.dli_fname);
    return slash ? here.dli_fname : NULL;
}

static bool next_to_plugin(const search *s) {
    size_t n;
    const char *path = plugin_path(&n);
    return path && in_folder(s, path, n);
}

static bool in_system(const search *s) {
    static const char *const folders[] = {"/usr/local/cuda/lib64",
                                          "/usr/lib/x86_64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu",
                                          "/usr/lib64",
                                          "/usr/lib",
                                          "/opt/cuda/lib64"};
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (in_folder(s, folders[i], strlen(folders[i]))) return true;
    return false;
}

/* The last match of a pattern: the newest of several versions. */
static bool in_pattern(const search *s, const char *root, const char *pattern) {
    char text[PATH_CAPACITY];
    glob_t g;
    bool found = false;
    if (!root || !*root ||
        snprintf(text, sizeof text, "%s/%s/%s", root, pattern, s->name) >= (int)sizeof text)
        return false;
    if (glob(text, 0, NULL, &g) == 0 && g.gl_pathc)
        found = snprintf(s->path, s->n, "%s", g.gl_pathv[g.gl_pathc - 1]) < (int)s->n;
    globfree(&g);
    return found;
}

/* Wheels: one folder for all of CUDA 13, one for each library of CUDA 12. */
static bool in_python(const search *s, const char *root, const char *packages) {
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib", packages);
    return in_pattern(s, root, pattern);
}

/* Packages of the environment that gpa is installed in: the plugin is in its lib/gpa. */
static bool in_own_environment(const search *s) {
    size_t n;
    char root[PATH_CAPACITY];
    const char *path = plugin_path(&n);
    return path && snprintf(root, sizeof root, "%.*s/..", (int)n, path) < (int)sizeof root &&
           in_python(s, root, "python3*/site-packages");
}

static bool find_in_folders(const search *s) {
    return in_variable(s, "CUDA_PATH", "lib64") || in_variable(s, "CUDA_HOME", "lib64") ||
           in_linker_path(s) || next_to_plugin(s) || in_own_environment(s) || in_system(s) ||
           in_pattern(s, "/usr/local", "cuda-*/lib64") || in_variable(s, "CONDA_PREFIX", "lib") ||
           in_python(s, getenv("VIRTUAL_ENV"), "lib/python3*/site-packages") ||
           in_python(s, getenv("CONDA_PREFIX"), "lib/python3*/site-packages") ||
           in_python(s, getenv("HOME"), ".local/lib/python3*/site-packages") ||
           in_python(s, "/usr/local/lib", "python3*/*-packages") ||
           in_python(s, "/usr/lib", "python3*/*-packages");
}

bool find_library(const char *stem, int behind, int driver_major, char *path, size_t n) {
    search s = {.path = path, .n = n};
    int first = MAX(driver_major, OLDEST);
    for (int i = 0; i <= first - OLDEST + AHEAD; i++) {
        int major = i <= first - OLDEST ? first - i : i + OLDEST;
        snprintf(s.name, sizeof s.name, "lib%.40s.so.%d", stem, major - behind);
        if (find_in_folders(&s)) return true;
    }
    return false;
}

bool find_next_to_plugin(const char *file, char *path, size_t n) {
    search s = {.path = path, .n = n};
    snprintf(s.name, sizeof s.name, "%s", file);
    return next_to_plugin(&s);
}
