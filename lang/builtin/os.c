/* The modules os, os.path, tempfile and platform (in part): files, folders, environment, processes.
 */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/builtin/os.h"
#include "lang/object/container.h"

extern char **environ;

/* ---- the system ---- */

gpa_code os_getcwd(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    char path[4096];
    return getcwd(path, sizeof path) ? native_return(v_cstr(vm, path), out)
                                     : os_error(vm, errno, NULL);
}

/* Calls a system function on one path. */
static gpa_code call_on_path(gpa_vm *vm, value v, int (*call)(const char *path)) {
    const char *path;
    gpa_code rc = arg_path(vm, v, &path);
    return rc ? rc : call(path) ? os_error(vm, errno, path) : GPA_OK;
}

static int make_directory(const char *path) { return mkdir(path, 0777); }

/* A copy of the template that mkstemp and mkdtemp fill in. */
static gpa_code make_temporary(gpa_vm *vm, value template, bool folder, int *number, value *path) {
    const char *text;
    gpa_code rc = arg_path(vm, template, &text);
    char *name = rc ? NULL : mem_text(text, strlen(text));
    if (rc) return rc;
    if (!name) return vm_no_memory(vm);
    if (folder ? !mkdtemp(name) : (*number = mkstemp(name)) < 0)
        rc = os_error(vm, errno, text);
    else
        rc = native_return(v_cstr(vm, name), path);
    mem_free(name);
    return rc;
}

gpa_code os_mkstemp(gpa_vm *vm, value *argv, value *out) {
    int number = -1;
    value path = v_none();
    gpa_code rc = make_temporary(vm, argv[0], false, &number, &path);
    if (rc) return rc;
    rc = native_return(v_tuple(vm, 2, (value[]){v_int(number), path}), out);
    value_release(vm, path);
    return rc;
}

gpa_code os_mkdtemp(gpa_vm *vm, value *argv, value *out) {
    return make_temporary(vm, argv[0], true, NULL, out);
}

gpa_code os_close(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    int64_t number;
    gpa_code rc = arg_int(vm, argv[0], "fd", &number);
    return rc                                 ? rc
           : number < 3 || number > INT32_MAX ? os_error(vm, EBADF, NULL)
           : close((int)number)               ? os_error(vm, errno, NULL)
                                              : GPA_OK;
}

gpa_code os_chdir(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return call_on_path(vm, argv[0], chdir);
}

gpa_code os_mkdir(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return call_on_path(vm, argv[0], make_directory);
}

gpa_code os_remove(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return call_on_path(vm, argv[0], unlink);
}

gpa_code os_rmdir(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return call_on_path(vm, argv[0], rmdir);
}

gpa_code os_rename(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *from, *to;
    gpa_code rc = arg_path(vm, argv[0], &from);
    if (!rc) rc = arg_path(vm, argv[1], &to);
    return rc ? rc : rename(from, to) ? os_error(vm, errno, from) : GPA_OK;
}

gpa_code os_makedirs(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *path;
    bool may_exist;
    struct stat stat_path;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (!rc) rc = value_truth(vm, argv[2], &may_exist);
    if (rc) return rc;
    char *part = mem_text(path, strlen(path));
    if (!part) return vm_no_memory(vm);
    for (char *p = part + 1; *part && *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        const int number = mkdir(part, 0777) ? errno : 0;
        if (number && stat(part, &stat_path)) {
            rc = os_error(vm, number, part);
            mem_free(part);
            return rc;
        }
        *p = '/';
    }
    mem_free(part);
    if (mkdir(path, 0777) == 0) return GPA_OK;
    if (errno == EEXIST && may_exist && stat(path, &stat_path) == 0 && S_ISDIR(stat_path.st_mode))
        return GPA_OK;
    return os_error(vm, errno, path);
}

gpa_code os_listdir(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (rc) return rc;
    DIR *folder = opendir(path);
    if (!folder) return os_error(vm, errno, path);
    value names = v_list(vm, 0, NULL);
    if (names.tag == V_UNSET) rc = GPA_E_MEMORY;
    for (struct dirent *e; !rc && (e = readdir(folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        value name = v_cstr(vm, e->d_name);
        rc = name.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, names.list, name);
        value_release(vm, name);
    }
    closedir(folder);
    return native_finish(vm, rc, names, out);
}

gpa_code os_getenv(gpa_vm *vm, value *argv, value *out) {
    const char *key;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "getenv() argument", &key, &n);
    if (rc) return rc;
    const char *text = getenv(key);
    if (text) return native_return(v_cstr(vm, text), out);
    *out = value_retain(argv[1]);
    return GPA_OK;
}

gpa_code os_getpid(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_int(getpid());
    return GPA_OK;
}

gpa_code os_cpu_count(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_int(sysconf(_SC_NPROCESSORS_ONLN));
    return GPA_OK;
}

value os_environ(gpa_vm *vm) {
    value d = v_dict(vm);
    for (char **e = environ; d.tag != V_UNSET && *e; e++) {
        const char *equals = strchr(*e, '=');
        if (!equals) continue;
        value key = v_str(vm, *e, (size_t)(equals - *e)), v = v_cstr(vm, equals + 1);
        if (key.tag == V_UNSET || v.tag == V_UNSET || dict_set(vm, d.dict, key, v)) {
            value_release(vm, d);
            d = v_unset();
        }
        value_release(vm, key);
        value_release(vm, v);
    }
    return d;
}

/* ---- os.path ---- */

gpa_code os_join(gpa_vm *vm, value *argv, value *out) {
    gpa_str s;
    str_init(&s);
    const char *part;
    gpa_code rc = arg_path(vm, argv[0], &part);
    if (!rc) str_put(&s, part);
    for (size_t i = 0; !rc && i < argv[1].tuple->count; i++) {
        rc = arg_path(vm, argv[1].tuple->items[i], &part);
        if (rc) break;
        if (*part == '/')
            str_clear(&s);
        else if (s.len && s.text[s.len - 1] != '/')
            str_putc(&s, '/');
        str_put(&s, part);
    }
    return native_text(vm, rc, &s, out);
}

/* Offsets of the last component of a path, and of the end of the directory before it (without
 * trailing slashes). */
static gpa_code split_path(gpa_vm *vm, value v, const char **path, size_t *folder, size_t *name) {
    gpa_code rc = arg_path(vm, v, path);
    if (rc) return rc;
    const char *slash = strrchr(*path, '/');
    *name = slash ? (size_t)(slash - *path) + 1 : 0;
    *folder = *name;
    while (*folder > 1 && (*path)[*folder - 1] == '/') --*folder;
    return GPA_OK;
}

gpa_code os_basename(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    size_t folder, name;
    gpa_code rc = split_path(vm, argv[0], &path, &folder, &name);
    return rc ? rc : native_return(v_cstr(vm, path + name), out);
}

gpa_code os_dirname(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    size_t folder, name;
    gpa_code rc = split_path(vm, argv[0], &path, &folder, &name);
    return rc ? rc : native_return(v_str(vm, path, folder), out);
}

static gpa_code return_pair(gpa_vm *vm, const char *path, size_t first, size_t second, value *out) {
    value parts[2] = {v_str(vm, path, first), v_cstr(vm, path + second)};
    gpa_code rc = parts[0].tag == V_UNSET || parts[1].tag == V_UNSET
                      ? GPA_E_MEMORY
                      : native_return(v_tuple(vm, 2, parts), out);
    value_release(vm, parts[0]);
    value_release(vm, parts[1]);
    return rc;
}

gpa_code os_split(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    size_t folder, name;
    gpa_code rc = split_path(vm, argv[0], &path, &folder, &name);
    return rc ? rc : return_pair(vm, path, folder, name, out);
}

gpa_code os_splitext(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    size_t folder, name;
    gpa_code rc = split_path(vm, argv[0], &path, &folder, &name);
    if (rc) return rc;
    size_t first = name;
    while (path[first] == '.') first++; /* leading dots are part of the name */
    const char *dot = strrchr(path + first, '.');
    size_t end = dot ? (size_t)(dot - path) : strlen(path);
    return return_pair(vm, path, end, end, out);
}

gpa_code os_abspath(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    char here[4096];
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (rc) return rc;
    gpa_str s;
    str_init(&s);
    if (*path != '/' && getcwd(here, sizeof here)) str_put(&s, strcmp(here, "/") ? here : "");
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            while (s.len && s.text[s.len - 1] != '/') str_truncate(&s, s.len - 1);
            if (s.len) str_truncate(&s, s.len - 1);
        } else if (n && !(n == 1 && *p == '.')) {
            str_putc(&s, '/');
            str_putn(&s, p, n);
        }
        p += n + (p[n] == '/');
    }
    if (s.len == 0) str_putc(&s, '/');
    return native_return(v_str_take(vm, &s), out);
}

/* The attributes of a file, which must exist. */
static gpa_code stat_path(gpa_vm *vm, value v, struct stat *s) {
    const char *path;
    gpa_code rc = arg_path(vm, v, &path);
    return rc || stat(path, s) == 0 ? rc : os_error(vm, errno, path);
}

/* True if the path exists, and `type` is 0 or that of the file (S_IFREG, S_IFDIR). */
static gpa_code test_file(gpa_vm *vm, value v, mode_t type, value *out) {
    struct stat s;
    const char *path;
    gpa_code rc = arg_path(vm, v, &path);
    *out = v_bool(!rc && stat(path, &s) == 0 && (!type || (s.st_mode & S_IFMT) == type));
    return rc;
}

gpa_code os_exists(gpa_vm *vm, value *argv, value *out) { return test_file(vm, argv[0], 0, out); }

gpa_code os_isfile(gpa_vm *vm, value *argv, value *out) {
    return test_file(vm, argv[0], S_IFREG, out);
}

gpa_code os_isdir(gpa_vm *vm, value *argv, value *out) {
    return test_file(vm, argv[0], S_IFDIR, out);
}

gpa_code os_islink(gpa_vm *vm, value *argv, value *out) {
    struct stat s;
    const char *path;
    gpa_code rc = arg_path(vm, argv[0], &path);
    *out = v_bool(!rc && lstat(path, &s) == 0 && S_ISLNK(s.st_mode));
    return rc;
}

gpa_code os_isabs(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (!rc) *out = v_bool(*path == '/');
    return rc;
}

gpa_code os_getsize(gpa_vm *vm, value *argv, value *out) {
    struct stat s;
    gpa_code rc = stat_path(vm, argv[0], &s);
    if (!rc) *out = v_int(s.st_size);
    return rc;
}

static double seconds_of(struct timespec t) { return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }

gpa_code os_getmtime(gpa_vm *vm, value *argv, value *out) {
    struct stat s;
    gpa_code rc = stat_path(vm, argv[0], &s);
    if (!rc) *out = v_float(seconds_of(s.st_mtim));
    return rc;
}

gpa_code os_realpath(gpa_vm *vm, value *argv, value *out) {
    const char *path;
    gpa_code rc = arg_path(vm, argv[0], &path);
    char *real = rc ? NULL : realpath(path, NULL);
    if (!real) return rc; /* None */
    rc = native_return(v_cstr(vm, real), out);
    free(real); /* allocated by the C library */
    return rc;
}

gpa_code os_stat(gpa_vm *vm, value *argv, value *out) {
    struct stat s;
    const char *path;
    bool follow;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (!rc) rc = value_truth(vm, argv[1], &follow);
    if (rc) return rc;
    if ((follow ? stat : lstat)(path, &s)) return os_error(vm, errno, path);
    const value fields[] = {v_int((int64_t)s.st_mode),      v_int((int64_t)s.st_ino),
                            v_int((int64_t)s.st_dev),       v_int((int64_t)s.st_nlink),
                            v_int((int64_t)s.st_uid),       v_int((int64_t)s.st_gid),
                            v_int((int64_t)s.st_size),      v_float(seconds_of(s.st_atim)),
                            v_float(seconds_of(s.st_mtim)), v_float(seconds_of(s.st_ctim))};
    return native_return(v_tuple(vm, COUNT_OF(fields), fields), out);
}

gpa_code os_uname(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    struct utsname u;
    if (uname(&u)) return os_error(vm, errno, NULL);
    value parts[] = {v_cstr(vm, u.sysname), v_cstr(vm, u.nodename), v_cstr(vm, u.release),
                     v_cstr(vm, u.version), v_cstr(vm, u.machine)};
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].tag == V_UNSET) rc = GPA_E_MEMORY;
    if (!rc) rc = native_return(v_tuple(vm, COUNT_OF(parts), parts), out);
    for (size_t i = 0; i < COUNT_OF(parts); i++) value_release(vm, parts[i]);
    return rc;
}

gpa_code os_terminal(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) size = (struct winsize){0};
    return native_return(v_tuple(vm, 2, (value[]){v_int(size.ws_col), v_int(size.ws_row)}), out);
}

/* Home directory of the user whose name is the first n bytes, or of the current user; NULL:
 * unknown. */
static const char *home_of(const char *name, size_t n) {
    const char *home = n ? NULL : getenv("HOME");
    char text[256];
    if (home) return home;
    if (n >= sizeof text) return NULL;
    memcpy(text, name, n);
    text[n] = '\0';
    const struct passwd *user = n ? getpwnam(text) : getpwuid(getuid());
    return user ? user->pw_dir : NULL;
}

gpa_code os_expanduser(gpa_vm *vm, value *argv, value *out) {
    const char *path, *home = NULL;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (rc) return rc;
    size_t name = path[0] == '~' ? strcspn(path + 1, "/") : 0;
    if (path[0] == '~') home = home_of(path + 1, name);
    if (!home) {
        *out = value_retain(argv[0]);
        return GPA_OK;
    }
    const char *rest = path + 1 + name;
    int n = (int)strlen(home);
    while (n > 0 && home[n - 1] == '/') n--;
    return native_return(n || *rest ? v_strf(vm, "%.*s%s", n, home, rest) : v_cstr(vm, "/"), out);
}
