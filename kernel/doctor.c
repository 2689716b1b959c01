/* Installation diagnostics (`doctor`): its checks. They are independent, but the last compares its
 * result with that of the first. Only `bad` makes the exit code nonzero: a notebook works without a
 * GPU, without plots, and without Jupyter on PATH. */
#include "kernel/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel/install.h"
#include "lang/session.h"

typedef enum { OK, NOTE, BAD } verdict;

typedef struct {
    int n_specs, n_bad;
} doctor;

static void __attribute__((format(printf, 4, 5)))
tell(doctor *d, verdict v, const char *what, const char *fmt, ...) {
    static const char *const words[] = {[OK] = "ok", [NOTE] = "note", [BAD] = "bad"};
    va_list args;
    d->n_bad += v == BAD;
    printf("%-6s%-12s", words[v], what);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

/* ---- kernelspecs ---- */

/* Program that a kernelspec in `folder` starts, with Jupyter's {resource_dir} expanded; false if
 * the kernelspec is not gpa's. */
static bool program_of(const json_t *spec, const char *folder, char program[PATH_SIZE]) {
    static const char here[] = "{resource_dir}";
    const json_t *version = json_object_get(json_object_get(spec, "metadata"), "gpa");
    const char *first = json_string_value(json_array_get(json_object_get(spec, "argv"), 0));
    if (!version) return false;
    bool relative = first && strncmp(first, here, sizeof here - 1) == 0;
    int n = snprintf(program, PATH_SIZE, "%s%s", relative ? folder : "",
                     !first     ? ""
                     : relative ? first + sizeof here - 1
                                : first);
    return n < PATH_SIZE;
}

static void check_spec(doctor *d, const char *folder) {
    char path[PATH_SIZE + 300], program[PATH_SIZE];
    bool fits = snprintf(path, sizeof path, "%s/kernel.json", folder) < (int)sizeof path;
    json_t *spec = fits ? json_load_file(path, 0, NULL) : NULL;
    if (program_of(spec, folder, program)) {
        d->n_specs++;
        bool searched = !strchr(program, '/');
        if (!searched && access(program, X_OK))
            tell(d, BAD, "kernelspec", "%s names %s: %s; run `gpa-kernel install`", folder, program,
                 strerror(errno));
        else
            tell(d, OK, "kernelspec", "%s starts %s", folder, program);
    }
    json_decref(spec);
}

static void check_path(void *user, const char *folder) {
    char path[PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/kernels", folder);
    DIR *names = opendir(path);
    if (!names) return;
    size_t n = strlen(path);
    for (struct dirent *name; (name = readdir(names));) {
        if (name->d_name[0] == '.') continue;
        snprintf(path + n, sizeof path - n, "/%s", name->d_name);
        check_spec(user, path);
    }
    closedir(names);
}

static void check_specs(doctor *d) {
    jupyter_each_folder(check_path, d);
    if (!d->n_specs)
        tell(d, BAD, "kernelspec", "no front end knows of gpa; run `gpa-kernel install`");
}

/* ---- requirements of the kernel ---- */

static void check_sockets(doctor *d) {
    int major, minor, patch;
    void *zmq = zmq_ctx_new(), *socket = zmq ? zmq_socket(zmq, ZMQ_ROUTER) : NULL;
    zmq_version(&major, &minor, &patch);
    if (socket && zmq_bind(socket, "tcp://127.0.0.1:*") == 0)
        tell(d, OK, "sockets", "ZeroMQ %d.%d.%d takes a port of 127.0.0.1", major, minor, patch);
    else
        tell(d, BAD, "sockets", "ZeroMQ %d.%d.%d gets no port of 127.0.0.1: %s", major, minor,
             patch, zmq_strerror(errno));
    if (socket) zmq_close(socket);
    if (zmq) zmq_ctx_term(zmq);
}

/* Reports the session's messages about a missing device, since they state the reason. */
static void tell_device(void *user, gpa_stream stream, const char *text, size_t n) {
    (void)stream;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t size = end ? (size_t)(end - text) - at : n - at;
        if (size) tell(user, NOTE, "device", "%.*s", (int)size, text + at);
        at += size + 1;
    }
}

static void keep_error(void *user, const gpa_diag *what) {
    tell(user, BAD, "a cell", "%s: %s", what->name, what->msg);
}

static void check_session(doctor *d) {
    static const char cell[] = "if (arange(4) * 2).sum() != 12: raise ValueError('a sum is wrong')";
    gpa_config config;
    gpa_session *s;
    gpa_err e = {0};
    gpa_config_init(&config);
    config.host = (gpa_host){.user = d, .write = tell_device, .error = keep_error};
    if (gpa_session_new(&config, &s, &e)) {
        tell(d, BAD, "a cell", "%s: %s", gpa_err_name(e.code), e.msg);
        return;
    }
    gpa_session_devices(s);
    if (gpa_session_eval(s, NULL, cell, sizeof cell - 1, 0, NULL) == GPA_OK)
        tell(d, OK, "a cell", "was run");
    gpa_session_free(s);
}

/* ---- optional programs ---- */

/* Reads the first line of a command's output; false if the command fails or prints nothing. */
static bool first_line(const char *command, char *line, int n) {
    FILE *f = popen(command, "re");
    bool found = f && fgets(line, n, f);
    if (!f || pclose(f) != 0 || !found) return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static void check_plots(doctor *d) {
    char line[200];
    if (first_line("gnuplot --version 2>/dev/null", line, sizeof line))
        tell(d, OK, "plots", "%s", line);
    else
        tell(d, NOTE, "plots",
             "gnuplot is not there: plots need matplotlib of Python, or sudo apt install "
             "gnuplot-nox");
}

static void check_jupyter(doctor *d) {
    char line[PATH_SIZE];
    if (!first_line("command -v jupyter", line, sizeof line)) {
        tell(d, NOTE, "jupyter", "is not on the search path; in which environment is it?");
        return;
    }
    FILE *f = popen("jupyter kernelspec list --json 2>/dev/null", "re");
    json_t *all = f ? json_loadf(f, 0, NULL) : NULL, *one;
    const char *name;
    int seen = 0;
    if (f) pclose(f);
    json_object_foreach(json_object_get(all, "kernelspecs"), name, one) {
        const char *folder = json_string_value(json_object_get(one, "resource_dir"));
        if (!folder || !program_of(json_object_get(one, "spec"), folder, (char[PATH_SIZE]){0}))
            continue;
        tell(d, OK, "jupyter", "%s lists the kernel \"%s\"", line, name);
        seen++;
    }
    if (!all)
        tell(d, NOTE, "jupyter", "%s kernelspec list --json: no answer", line);
    else if (!seen)
        tell(d, BAD, "jupyter",
             "%s does not list the kernel; run `gpa-kernel install`, in its environment with "
             "--sys-prefix",
             line);
    json_decref(all);
}

int doctor_main(void) {
    doctor d = {0};
    check_specs(&d);
    check_sockets(&d);
    check_session(&d);
    check_plots(&d);
    check_jupyter(&d);
    return d.n_bad > 0;
}
