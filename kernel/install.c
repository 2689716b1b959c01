/* Installation of the kernelspec (a folder with kernel.json and logos), and Jupyter's search
 * path for kernelspecs. */
#include "kernel/install.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- install, uninstall ---- */

typedef struct {
    const char *prefix, *name, *display,
        *program; /* prefix NULL: for this user; program NULL: this executable */
    json_t *env;
} options;

static const char *const files[] = {"kernel.json", "logo-svg.svg", "logo-32x32.png",
                                    "logo-64x64.png"};
enum { N_FILES = 4 };

static bool good_name(const char *name) {
    return name[0] && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-")] == 0;
}

/* Parses the options; false after printing an error. */
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
            o->prefix = jupyter_environment();
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
        else if (strcmp(a, "--ranks") == 0 && value && atoi(value) > 1) {
            json_object_set_new(o->env, "GPA_DEVICE", json_string("ranks"));
            json_object_set_new(o->env, "GPA_RANKS", json_string(value));
        } else
            return fprintf(stderr, "gpa-kernel: %s %s: not understood\n", a, value ? value : ""),
                   false;
        i++;
    }
    return true;
}

static bool spec_folder(const options *o, char path[PATH_SIZE]) {
    char data[PATH_SIZE];
    int n = PATH_SIZE;
    if (o->prefix)
        n = snprintf(path, PATH_SIZE, "%s/share/jupyter/kernels/%s", o->prefix, o->name);
    else if (jupyter_user_folder(data))
        n = snprintf(path, PATH_SIZE, "%s/kernels/%s", data, o->name);
    else
        fputs("gpa-kernel: there is no HOME: say --prefix\n", stderr);
    return n < PATH_SIZE;
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

/* The path of this executable; empty if it is not known. */
static void own_path(char path[PATH_SIZE]) {
    ssize_t n = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    path[n > 0 ? n : 0] = 0;
}

static void write_spec(const options *o, FILE *f) {
    char self[PATH_SIZE];
    own_path(self);
    json_t *spec = json_pack("{s:[s, s, s], s:s, s:s, s:s, s:s, s:O, s:{s:b, s:s}}", "argv",
                             o->program ? o->program : self, "-f", "{connection_file}",
                             "display_name", o->display, "language", "python", "interrupt_mode",
                             "signal", "kernel_protocol_version", "5.5", "env", o->env, "metadata",
                             "debugger", 1, "gpa", GPA_VERSION);
    char *text = spec ? json_dumps(spec, JSON_INDENT(1)) : NULL;
    if (text) fprintf(f, "%s\n", text);
    free(text);
    json_decref(spec);
}

static bool write_file(const options *o, const char *folder, int i) {
    char path[PATH_SIZE + 32];
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

/* Removes the files that install wrote, then the folder if it is empty. */
static bool uninstall(char *folder) {
    char path[PATH_SIZE + 32];
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
    char folder[PATH_SIZE];
    bool understood = read_options(argc, argv, &o), done = false;
    if (!understood)
        fputs(usage, stderr);
    else if (spec_folder(&o, folder))
        done = argv[0][0] == 'i' ? install(&o, folder) : uninstall(folder);
    json_decref(o.env);
    return !understood ? 2 : !done;
}

/* ---- Jupyter's data folders ---- */

/* Equivalent of jupyter_core.paths without running Python:
 * https://docs.jupyter.org/en/latest/use/jupyter-directories.html */

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

bool jupyter_user_folder(char path[PATH_SIZE]) {
    const char *data = variable("JUPYTER_DATA_DIR"), *share = variable("XDG_DATA_HOME"),
               *home = variable("HOME");
    int n = data    ? snprintf(path, PATH_SIZE, "%s", data)
            : share ? snprintf(path, PATH_SIZE, "%s/jupyter", share)
            : home  ? snprintf(path, PATH_SIZE, "%s/.local/share/jupyter", home)
                    : PATH_SIZE;
    return n < PATH_SIZE;
}

const char *jupyter_environment(void) {
    const char *venv = variable("VIRTUAL_ENV");
    return venv ? venv : variable("CONDA_PREFIX");
}

/* The Python environment that this executable is installed in, as by `pip install`: its Jupyter
 * searches there even where the environment is not active. False if it is in none. */
static bool own_environment(char prefix[PATH_SIZE]) {
    char python[PATH_SIZE + 16];
    own_path(prefix);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(prefix, '/');
        if (slash) *slash = 0;
    }
    snprintf(python, sizeof python, "%s/bin/python3", prefix);
    return access(python, X_OK) == 0;
}

enum { N_PREFIXES = 4 };

/* Prefixes where Jupyter may be installed, each once, although two may name one folder. */
static void each_prefix(void (*see)(void *user, const char *folder), void *user) {
    char own[PATH_SIZE], real[N_PREFIXES][PATH_SIZE], path[PATH_SIZE];
    bool environment = own_environment(own);
    const char *const prefixes[] = {jupyter_environment(), environment ? own : NULL, "/usr/local",
                                    "/usr"};
    for (int i = 0; i < N_PREFIXES; i++) {
        bool new = prefixes[i] && realpath(prefixes[i], real[i]);
        if (!new) real[i][0] = 0;
        for (int j = 0; j < i && new; j++) new = strcmp(real[i], real[j]) != 0;
        if (new &&snprintf(path, sizeof path, "%s/share/jupyter", prefixes[i]) < PATH_SIZE)
            see(user, path);
    }
}

void jupyter_each_folder(void (*see)(void *user, const char *folder), void *user) {
    const char *more = variable("JUPYTER_PATH");
    char path[PATH_SIZE];
    while (more && *more) {
        size_t n = strcspn(more, ":");
        if (n && snprintf(path, sizeof path, "%.*s", (int)n, more) < PATH_SIZE) see(user, path);
        more += n + (more[n] == ':');
    }
    if (jupyter_user_folder(path)) see(user, path);
    each_prefix(see, user);
}

/* ---- the logo ---- */

/* The PNG is stored uncompressed, which needs no library: a few kilobytes. */

/* A rounded square; the whole picture is 64 units wide. */
typedef struct {
    double x, y, edge, radius;
    uint32_t rgb;
} square;

enum { N_SQUARES = 10, MAX_SIZE = 128 };

static void describe(square s[N_SQUARES]) {
    static const uint32_t colours[] = {0x3b6fb6, 0x2a93b0, 0x35b779, 0x8fd744,
                                       0xfde725}; /* one per diagonal */
    s[0] = (square){0, 0, 64, 12, 0x1e2235};
    for (int i = 0; i < 9; i++) {
        int column = i % 3, row = i / 3;
        s[1 + i] = (square){9 + column * 16.5, 9 + row * 16.5, 13, 3, colours[column + row]};
    }
}

void logo_svg(FILE *f) {
    square s[N_SQUARES];
    describe(s);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\n", f);
    for (int i = 0; i < N_SQUARES; i++)
        fprintf(f,
                "  <rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"#%06x\"/>\n",
                s[i].x, s[i].y, s[i].edge, s[i].edge, s[i].radius, (unsigned)s[i].rgb);
    fputs("</svg>\n", f);
}

/* ---- PNG ---- */

static bool inside(const square *s, double x, double y) {
    double half = s->edge / 2, dx = fabs(x - s->x - half) - half + s->radius,
           dy = fabs(y - s->y - half) - half + s->radius;
    return dx <= s->radius && dy <= s->radius && (dx <= 0 || dy <= 0 || hypot(dx, dy) <= s->radius);
}

/* Antialiased pixel: mean colour and opacity of 4 by 4 samples. */
static void pixel(const square *s, double x, double y, double step, uint8_t rgba[4]) {
    int sum[3] = {0}, hits = 0;
    for (int k = 0; k < 16; k++) {
        int column = k % 4, row = k / 4;
        double px = x + (column + 0.5) * step / 4, py = y + (row + 0.5) * step / 4;
        int top = N_SQUARES - 1;
        while (top >= 0 && !inside(&s[top], px, py)) top--;
        if (top < 0) continue;
        hits++;
        for (int c = 0; c < 3; c++) sum[c] += (int)(s[top].rgb >> (16 - 8 * c) & 255);
    }
    for (int c = 0; c < 3; c++) rgba[c] = (uint8_t)(hits ? sum[c] / hits : 0);
    rgba[3] = (uint8_t)(hits * 255 / 16);
}

static uint32_t crc(uint32_t sum, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sum ^= p[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return sum;
}

static void big_endian(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void put_chunk(FILE *f, const char *type, const uint8_t *data, size_t n) {
    uint8_t head[8], tail[4];
    big_endian(head, (uint32_t)n);
    memcpy(head + 4, type, 4);
    big_endian(tail, ~crc(crc(0xffffffff, head + 4, 4), data, n));
    fwrite(head, 1, sizeof head, f);
    fwrite(data, 1, n, f);
    fwrite(tail, 1, sizeof tail, f);
}

/* zlib stream with one stored (uncompressed) block per row. */
static size_t pack(const square *s, int size, uint8_t *out) {
    size_t at = 0, row = 1 + 4 * (size_t)size;
    uint32_t a = 1, b = 0;
    out[at++] = 0x78, out[at++] = 0x01;
    for (int y = 0; y < size; y++) {
        out[at++] = y == size - 1;
        out[at++] = (uint8_t)row, out[at++] = (uint8_t)(row >> 8);
        out[at++] = (uint8_t)~row, out[at++] = (uint8_t)(~row >> 8);
        out[at] = 0; /* PNG filter type 0: none */
        double step = 64.0 / size;
        for (int x = 0; x < size; x++) pixel(s, x * step, y * step, step, out + at + 1 + 4 * x);
        for (size_t i = 0; i < row; i++) a = (a + out[at + i]) % 65521, b = (b + a) % 65521;
        at += row;
    }
    big_endian(out + at, b << 16 | a);
    return at + 4;
}

void logo_png(FILE *f, int size) {
    static uint8_t data[2 + MAX_SIZE * (6 + 4 * MAX_SIZE) + 4];
    uint8_t head[13] = {[8] = 8, [9] = 6}; /* bit depth 8, colour type 6 (RGBA) */
    square s[N_SQUARES];
    describe(s);
    big_endian(head, (uint32_t)size);
    big_endian(head + 4, (uint32_t)size);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
    put_chunk(f, "IHDR", head, sizeof head);
    put_chunk(f, "IDAT", data, pack(s, size, data));
    put_chunk(f, "IEND", head, 0);
}
