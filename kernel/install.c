/* The folder is DATA/kernels/NAME, where DATA is Jupyter's folder of this user (places.h), or
 * PREFIX/share/jupyter. */
#include "kernel/install.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/logo.h"
#include "kernel/places.h"

typedef struct {
    const char *prefix, *name, *display,
        *program; /* prefix NULL: this user; program NULL: this one */
    json_t *env;
} options;

static const char *const files[] = {"kernel.json", "logo-svg.svg", "logo-32x32.png",
                                    "logo-64x64.png"};
enum { N_FILES = 4 };

static bool good_name(const char *name) {
    return name[0] && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-")] == 0;
}

/* False after it has told what is wrong. */
static bool read_options(int argc, char **argv, options *o) {
    *o = (options){.name = "gpa", .display = "gpa", .env = json_object()};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL,
                   *equals = value ? strchr(value, '=') : NULL;
        if (strcmp(a, "--user") == 0) {
            o->prefix = NULL;
            continue;
        }
        if (strcmp(a, "--sys-prefix") == 0) {
            o->prefix = places_environment();
            if (!o->prefix)
                return fputs("gpa-kernel: no Python environment is active: say --prefix\n", stderr),
                       false;
            continue;
        }
        if (strcmp(a, "--prefix") == 0 && value)
            o->prefix = value;
        else if (strcmp(a, "--program") == 0 && value)
            o->program = value;
        else if (strcmp(a, "--name") == 0 && value && good_name(value))
            o->name = value;
        else if (strcmp(a, "--display-name") == 0 && value)
            o->display = value;
        else if (strcmp(a, "--env") == 0 && equals)
            json_object_setn_new(o->env, value, (size_t)(equals - value), json_string(equals + 1));
        else
            return fprintf(stderr, "gpa-kernel: %s %s: not understood\n", a, value ? value : ""),
                   false;
        i++;
    }
    return true;
}

static bool spec_folder(const options *o, char path[PLACE_SIZE]) {
    char data[PLACE_SIZE];
    int n = PLACE_SIZE;
    if (o->prefix)
        n = snprintf(path, PLACE_SIZE, "%s/share/jupyter/kernels/%s", o->prefix, o->name);
    else if (places_user(data))
        n = snprintf(path, PLACE_SIZE, "%s/kernels/%s", data, o->name);
    else
        fputs("gpa-kernel: there is no HOME: say --prefix\n", stderr);
    return n < PLACE_SIZE;
}

static bool make_folders(char *path) {
    for (char *at = path + 1;; at++) {
        if (*at && *at != '/') continue;
        char end = *at;
        *at = 0;
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *at = end;
        if (!made || !end) return made;
    }
}

static void write_spec(const options *o, FILE *f) {
    char self[PLACE_SIZE];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    json_t *spec = json_pack(
        "{s:[s, s, s], s:s, s:s, s:s, s:s, s:O, s:{s:b}}", "argv", o->program ? o->program : self,
        "-f", "{connection_file}", "display_name", o->display, "language", "gpa", "interrupt_mode",
        "signal", "kernel_protocol_version", "5.5", "env", o->env, "metadata", "debugger", 0);
    char *text = spec ? json_dumps(spec, JSON_INDENT(1)) : NULL;
    if (text) fprintf(f, "%s\n", text);
    free(text);
    json_decref(spec);
}

static bool write_file(const options *o, const char *folder, int i) {
    char path[PLACE_SIZE + 32];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    FILE *f = fopen(path, "wbe");
    if (f) {
        switch (i) {
            case 0: write_spec(o, f); break;
            case 1: logo_svg(f); break;
            case 2: logo_png(f, 32); break;
            case 3: logo_png(f, 64); break;
        }
    }
    if (f && ferror(f) + fclose(f) == 0) return true;
    fprintf(stderr, "gpa-kernel: %s: %s\n", path, strerror(errno));
    return false;
}

static bool install(const options *o, char *folder) {
    if (!make_folders(folder))
        return fprintf(stderr, "gpa-kernel: %s: %s\n", folder, strerror(errno)), false;
    for (int i = 0; i < N_FILES; i++)
        if (!write_file(o, folder, i)) return false;
    printf("installed %s\n", folder);
    return true;
}

/* Only what was installed is removed. */
static bool uninstall(char *folder) {
    char path[PLACE_SIZE + 32];
    for (int i = 0; i < N_FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    if (rmdir(folder))
        return fprintf(stderr, "gpa-kernel: %s: %s\n", folder, strerror(errno)), false;
    printf("removed %s\n", folder);
    return true;
}

int install_main(int argc, char **argv, const char *usage) {
    options o;
    char folder[PLACE_SIZE];
    bool understood = read_options(argc, argv, &o), done = false;
    if (!understood)
        fputs(usage, stderr);
    else if (spec_folder(&o, folder))
        done = argv[0][0] == 'i' ? install(&o, folder) : uninstall(folder);
    json_decref(o.env);
    return !understood ? 2 : !done;
}
