/* Search for Python's shared library: queries an interpreter for its version and the location of
 * its library. */
#include "lang/python/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char question[] =
    "import sys,sysconfig as s;v=s.get_config_var;"
    "print(sys.executable,\"%d.%d.%d\"%sys.version_info[:3],v(\"Py_ENABLE_SHARED\") or 0,"
    "v(\"LIBDIR\"),v(\"INSTSONAME\"),sys.base_prefix,sep=\"\\n\")";

/* One line of the interpreter's output, without its newline. */
static bool read_line(FILE *from, char *line, size_t n) {
    if (!fgets(line, (int)n, from)) return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static bool exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0;
}

enum { OLDEST_MINOR = 8 }; /* its stable ABI has all functions of capi.def */

int python_minor(const python_found *f) {
    int minor = 0;
    sscanf(f->version, "3.%d", &minor);
    return minor;
}

/* The library of a build with a shared one is in LIBDIR or, if the installation was moved, below
 * its prefix. Debian's python3 is linked statically, and its library a package of its own: the
 * dynamic linker finds that by name. */
static void locate_library(const char *shared, const char *folder, const char *name,
                           const char *prefix, python_found *out) {
    const size_t n = sizeof out->library;
    snprintf(out->library, n, "%s/%s", folder, name);
    if (shared[0] == '1' && exists(out->library)) return;
    snprintf(out->library, n, "%s/lib/%s", prefix, name);
    if (shared[0] == '1' && exists(out->library)) return;
    snprintf(out->library, n, "libpython3.%d.so.1.0", python_minor(out));
}

static bool ask(const char *executable, python_found *out, char *why, size_t n) {
    char shared[8], folder[512], name[128], prefix[512], command[1400];
    if (strchr(executable, '\'')) {
        snprintf(why, n, "the path of Python contains a quote");
        return false;
    }
    snprintf(command, sizeof command, "'%.500s' -c '%s' 2> /dev/null", executable, question);
    FILE *answer = popen(command, "r");
    bool ok = answer && read_line(answer, out->executable, sizeof out->executable) &&
              read_line(answer, out->version, sizeof out->version) &&
              read_line(answer, shared, sizeof shared) &&
              read_line(answer, folder, sizeof folder) && read_line(answer, name, sizeof name) &&
              read_line(answer, prefix, sizeof prefix);
    if (answer && pclose(answer) != 0) ok = false;
    if (!ok)
        snprintf(why, n, "%.200s is no Python 3", executable);
    else
        locate_library(shared, folder, name, prefix, out);
    if (ok && python_minor(out) < OLDEST_MINOR) {
        snprintf(why, n, "%.200s is Python %s, and gpa needs 3.%d", executable, out->version,
                 OLDEST_MINOR);
        return false;
    }
    return ok;
}

/* An executable, or that of an environment's folder. */
static void executable_of(const char *path, char *to, size_t n) {
    struct stat s;
    bool folder = stat(path, &s) == 0 && S_ISDIR(s.st_mode);
    snprintf(to, n, folder ? "%s/bin/python3" : "%s", path);
}

/* The environment that the program is installed in: the folder above its own, if that is one. */
static bool own_environment(char *to, size_t n) {
    char exe[512], marker[600];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (length <= 0) return false;
    exe[length] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash) return false;
        *slash = 0;
    }
    snprintf(marker, sizeof marker, "%s/pyvenv.cfg", exe);
    return exists(marker) && snprintf(to, n, "%s", exe) < (int)n;
}

bool python_find(const char *chosen, python_found *out, char *why, size_t n) {
    static const char *const variables[] = {"GPA_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX"};
    char executable[512] = "python3", own[512];
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !chosen; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) chosen = value;
    }
    if (!chosen && own_environment(own, sizeof own)) chosen = own;
    if (chosen && strcmp(chosen, "none") == 0) {
        *why = 0;
        return false;
    }
    if (chosen) executable_of(chosen, executable, sizeof executable);
    return ask(executable, out, why, n);
}
