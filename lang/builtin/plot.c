/* Figures of matplotlib drawn by a gnuplot process.
 *
 * gnuplot reads its script from standard input and data from descriptor 3, and writes the image to
 * standard output. All three are memory files, so no pipe can block, and a failure leaves no files.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/vm/machine.h"

extern char **environ;

/* Descriptors of the child process, in order; the parent's are above all of them. */
enum { SCRIPT, IMAGE, ERRORS, NUMBERS, FILES };

static gpa_code write_whole(gpa_vm *vm, int fd, const char *data, size_t n, const char *path) {
    while (n > 0) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return os_error(vm, errno, path);
        data += k;
        n -= (size_t)k;
    }
    return GPA_OK;
}

static gpa_code read_whole(gpa_vm *vm, int fd, gpa_str *out) {
    char part[65536];
    if (lseek(fd, 0, SEEK_SET) < 0) return os_error(vm, errno, NULL);
    for (ssize_t k; (k = read(fd, part, sizeof part)) != 0;) {
        if (k < 0 && errno != EINTR) return os_error(vm, errno, NULL);
        if (k > 0) str_putn(out, part, (size_t)k);
    }
    return out->failed ? vm_no_memory(vm) : GPA_OK;
}

static gpa_code open_files(gpa_vm *vm, int *fds) {
    for (int i = 0; i < FILES; i++) {
        int fd = memfd_create("gpa-plot", MFD_CLOEXEC);
        fds[i] = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FILES);
        if (fd >= 0) close(fd);
        if (fds[i] < 0) return os_error(vm, errno, NULL);
    }
    return GPA_OK;
}

static void close_files(int *fds) {
    for (int i = 0; i < FILES; i++)
        if (fds[i] >= 0) close(fds[i]);
}

static gpa_code put_numbers(gpa_vm *vm, value data, int fd) {
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, data, DT_F64, &a);
    if (rc) return rc;
    size_t bytes = (size_t)a->size * sizeof(double);
    char *copy = mem_new(bytes);
    if (!copy) rc = vm_no_memory(vm);
    if (!rc && bytes) rc = arr_read(vm_rt(vm), a, copy, vm_err(vm));
    if (!rc) rc = write_whole(vm, fd, copy, bytes, NULL);
    mem_free(copy);
    arr_release(vm_rt(vm), a);
    return rc;
}

static gpa_code spawn_gnuplot(gpa_vm *vm, const int *fds, pid_t *pid) {
    static char name[] = "gnuplot", plain[] = "-d";
    char *argv[] = {name, plain, NULL};
    posix_spawn_file_actions_t acts;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGXFSZ); /* ends gnuplot, which does not report that it cannot write */
    posix_spawn_file_actions_init(&acts);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP /* Ctrl-C is handled by the parent */ |
                                        POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    for (int i = 0; i < FILES; i++) posix_spawn_file_actions_adddup2(&acts, fds[i], i);
    int failed = posix_spawnp(pid, name, &acts, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&acts);
    posix_spawnattr_destroy(&attr);
    if (failed == ENOENT) {
        gpa_code rc =
            vm_fail(vm, GPA_E_RUNTIME, "plots are drawn by gnuplot, which is not installed");
        gpa_err_hint(vm_err(vm), "sudo apt install gnuplot-nox");
        return rc;
    }
    return failed ? os_error(vm, failed, name) : GPA_OK;
}

/* Waits for the end of the process; an interrupt kills it. */
static gpa_code wait_for_exit(gpa_vm *vm, pid_t pid, int *status) {
    const struct timespec moment = {0, 1000000};
    gpa_code rc = GPA_OK;
    for (pid_t got; (got = waitpid(pid, status, rc ? 0 : WNOHANG)) != pid;) {
        if (got < 0 && errno != EINTR) return os_error(vm, errno, NULL);
        if (!rc && (rc = vm_poll(vm))) kill(pid, SIGKILL);
        if (!rc) nanosleep(&moment, NULL);
    }
    return rc;
}

/* Raises gnuplot's error: it repeats the line and marks the position; the message is in the last
 * line, after "line 7: ". */
static gpa_code fail_gnuplot(gpa_vm *vm, gpa_str *text) {
    while (text->len && strchr(" \t\r\n", text->text[text->len - 1]))
        text->text[--text->len] = '\0';
    const char *what = text->len ? strrchr(text->text, '\n') : NULL;
    what = what ? what + 1 : text->len ? text->text : "it exited without an image";
    const char *line = strstr(what, "line "), *colon = line ? strchr(line, ':') : NULL;
    if (colon) what = colon + 1 + strspn(colon + 1, " ");
    return vm_fail(vm, GPA_E_RUNTIME, "gnuplot: %s", what);
}

static gpa_code run_gnuplot(gpa_vm *vm, const int *fds, gpa_str *image) {
    pid_t pid;
    int status = 0;
    gpa_str errors;
    gpa_code rc = lseek(fds[SCRIPT], 0, SEEK_SET) < 0 ? os_error(vm, errno, NULL)
                                                      : spawn_gnuplot(vm, fds, &pid);
    if (rc || (rc = wait_for_exit(vm, pid, &status))) return rc;
    str_init(&errors);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) rc = os_error(vm, EFBIG, NULL);
    if (!rc) rc = read_whole(vm, fds[IMAGE], image);
    if (!rc) rc = read_whole(vm, fds[ERRORS], &errors);
    if (!rc && (status != 0 || image->len == 0)) rc = fail_gnuplot(vm, &errors);
    str_free(&errors);
    return rc;
}

gpa_code plot_draw(gpa_vm *vm, value *argv, value *out) {
    int fds[FILES] = {-1, -1, -1, -1};
    const char *script, *path = NULL;
    size_t n;
    gpa_str image;
    gpa_code rc = arg_text(vm, argv[0], "script", &script, &n);
    if (!rc && argv[2].tag != V_NONE) rc = arg_path(vm, argv[2], &path);
    if (rc) return rc;
    str_init(&image);
    rc = open_files(vm, fds);
    if (!rc) rc = write_whole(vm, fds[SCRIPT], script, n, NULL);
    if (!rc) rc = put_numbers(vm, argv[1], fds[NUMBERS]);
    if (!rc) rc = run_gnuplot(vm, fds, &image);
    if (!rc && path)
        rc = file_save(vm, path, image.text, image.len);
    else if (!rc)
        rc = native_return(v_bytes(vm, image.text, image.len), out);
    close_files(fds);
    str_free(&image);
    return rc;
}

gpa_code plot_figure_format(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    const char *set = vm_figure_setting(vm, FIGURE_FORMAT);
    return native_return(v_cstr(vm, *set ? set : "png"), out);
}

gpa_code plot_set_formats(gpa_vm *vm, value *argv, value *out) {
    *out = v_none();
    return vm_set_figure_format(vm, argv[0]);
}

gpa_code plot_text_plot_size(gpa_vm *vm, value *argv, value *out) {
    int columns = 0, rows = 0;
    (void)argv;
    if (vm->config.symbols) vm->config.symbols(vm->config.user, &columns, &rows);
    const value size[] = {v_int(columns), v_int(rows)};
    return columns > 0 && rows > 0 ? native_return(v_tuple(vm, 2, size), out) : GPA_OK;
}
