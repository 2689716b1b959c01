/* gzip-compressed files as C streams (fopencookie over zlib's gzFile), and the module gzip.
 *
 * zlib reads an uncompressed file unchanged: gzip_open refuses that, as Python does; a truncated
 * file is a read error. */
#include "lang/builtin/gzip.h"

#include <errno.h>
#include <limits.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"

#ifdef GPA_HAVE_ZLIB
#include <zlib.h>

/* ---- streams ---- */

static ssize_t gz_read(void *cookie, char *to, size_t n) {
    int got = gzread(cookie, to, (unsigned)MIN(n, INT_MAX)), state;
    gzerror(cookie, &state);
    if (got >= 0 && state == Z_OK) return got;
    errno = state == Z_MEM_ERROR ? ENOMEM : EIO;
    return -1;
}

static ssize_t gz_write(void *cookie, const char *from, size_t n) {
    int put = gzwrite(cookie, from, (unsigned)MIN(n, INT_MAX));
    if (put == 0 && n) errno = EIO;
    return put;
}

static int gz_seek(void *cookie, off64_t *to, int whence) {
    z_off_t at = gzseek(cookie, (z_off_t)*to, whence);
    if (at < 0) errno = EINVAL; /* the end is unknown until the whole file is decompressed */
    *to = at;
    return at < 0 ? -1 : 0;
}

static int gz_close(void *cookie) {
    int rc = gzclose(cookie);
    if (rc == Z_OK || rc == Z_BUF_ERROR) return 0; /* Z_BUF_ERROR: closed before the end */
    errno = EIO;
    return EOF;
}

/* Opens a compressed file in a mode of gzopen: r, w, a or x, b, and a level. */
static gpa_code open_compressed(gpa_vm *vm, const char *path, const char *mode, FILE **out) {
    static const cookie_io_functions_t io = {gz_read, gz_write, gz_seek, gz_close};
    errno = 0;
    gzFile z = gzopen(path, mode);
    if (!z) return os_error(vm, errno ? errno : ENOMEM, path);
    bool reading = mode[0] == 'r';
    if (reading && gzdirect(z) && gzgetc(z) >= 0) {
        gzclose(z);
        return vm_fail(vm, GPA_E_OS, "Not a gzipped file: '%s'", path);
    }
    if (reading) gzrewind(z);
    if ((*out = fopencookie(z, reading ? "r" : "w", io))) return GPA_OK;
    gzclose(z);
    return vm_no_memory(vm);
}

/* ---- in memory ---- */

enum { GZIP_WINDOW = 16 + MAX_WBITS, CHUNK = 1 << 16 };

/* Runs deflate or inflate until the end of the stream (Z_STREAM_END), an error, input runs out
 * (Z_BUF_ERROR) or an interrupt (Z_ERRNO, with the error set); the output is appended. */
static int run_zlib(gpa_vm *vm, z_stream *z, int (*step)(z_stream *, int), int flush, gpa_str *to) {
    int state = Z_OK;
    while (state == Z_OK) {
        if (vm_poll(vm)) return Z_ERRNO;
        char *at = str_reserve(to, CHUNK);
        if (!at) return Z_MEM_ERROR;
        z->next_out = (Bytef *)at;
        z->avail_out = CHUNK;
        state = step(z, flush);
        str_commit(to, CHUNK - z->avail_out);
    }
    return state;
}

gpa_code gzip_compress(gpa_vm *vm, value *argv, value *out) { /* data, compresslevel */
    gpa_str to;
    int64_t level;
    z_stream z = {0};
    if (argv[0].tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                       value_type_name(argv[0]));
    gpa_code rc = arg_int(vm, argv[1], "compresslevel", &level);
    if (rc) return rc;
    if (level < 0 || level > 9 || argv[0].str->size > UINT_MAX)
        return vm_fail(vm, GPA_E_VALUE, "Bad compression level");
    str_init(&to);
    z.next_in = (z_const Bytef *)argv[0].str->text;
    z.avail_in = (uInt)argv[0].str->size;
    int state = deflateInit2(&z, (int)level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY);
    if (state == Z_OK) {
        state = run_zlib(vm, &z, deflate, Z_FINISH, &to);
        deflateEnd(&z);
    }
    rc = state == Z_STREAM_END ? native_return(v_bytes(vm, to.text, to.len), out)
         : state == Z_ERRNO    ? vm_err(vm)->code
                               : vm_no_memory(vm);
    str_free(&to);
    return rc;
}

gpa_code gzip_decompress(gpa_vm *vm, value *argv, value *out) { /* data: any number of members */
    gpa_str to;
    z_stream z = {0};
    if (argv[0].tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                       value_type_name(argv[0]));
    str_init(&to);
    z.next_in = (z_const Bytef *)argv[0].str->text;
    z.avail_in = (uInt)MIN(argv[0].str->size, UINT_MAX);
    int state = inflateInit2(&z, GZIP_WINDOW);
    while (state == Z_OK && z.avail_in) {
        state = run_zlib(vm, &z, inflate, Z_NO_FLUSH, &to);
        if (state == Z_STREAM_END) state = inflateReset(&z);
    }
    inflateEnd(&z);
    gpa_code rc = state == Z_OK          ? native_return(v_bytes(vm, to.text, to.len), out)
                  : state == Z_MEM_ERROR ? vm_no_memory(vm)
                  : state == Z_ERRNO     ? vm_err(vm)->code
                  : state == Z_BUF_ERROR
                      ? vm_fail(vm, GPA_E_EOF,
                                "Compressed file ended before the end-of-stream marker was reached")
                      : vm_fail(vm, GPA_E_OS, "Not a gzipped file");
    str_free(&to);
    return rc;
}

#else

static gpa_code fail_without_zlib(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_UNSUPPORTED,
                   "this gpa was built without zlib, which reads and writes .gz files");
}

gpa_code gzip_compress(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return fail_without_zlib(vm);
}

gpa_code gzip_decompress(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return fail_without_zlib(vm);
}

static gpa_code open_compressed(gpa_vm *vm, const char *path, const char *mode, FILE **out) {
    (void)mode, (void)out;
    return vm_fail(vm, GPA_E_UNSUPPORTED,
                   "'%s': this gpa was built without zlib, which reads and writes .gz files", path);
}

#endif

static bool ends_in(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

gpa_code gzip_fopen(gpa_vm *vm, const char *path, const char *mode, FILE **out) {
    if (ends_in(path, ".gz")) return open_compressed(vm, path, mode, out);
    if (ends_in(path, ".bz2") || ends_in(path, ".xz"))
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "'%s': of compressed files gpa reads and writes .gz only", path);
    *out = fopen(path, mode);
    return *out ? GPA_OK : os_error(vm, errno, path);
}

/* ---- the module gzip ---- */

gpa_code gzip_open(gpa_vm *vm, value *argv,
                   value *out) { /* filename, mode, compresslevel, encoding, errors, newline */
    const char *path, *mode;
    char zlib_mode[4] = "rb";
    size_t n;
    int64_t level;
    FILE *f;
    stream_opts o = {.name = argv[0]};
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (!rc) rc = arg_text(vm, argv[1], "mode", &mode, &n);
    if (!rc) rc = arg_int(vm, argv[2], "compresslevel", &level);
    if (rc) return rc;
    bool text = strchr(mode, 't') != NULL,
         known = n > 0 && strchr("rwax", mode[0]) && strspn(mode + 1, "bt") == n - 1 && n <= 2;
    if (!known) return vm_fail(vm, GPA_E_VALUE, "Invalid mode: '%s'", mode);
    if (level < 0 || level > 9) return vm_fail(vm, GPA_E_VALUE, "Bad compression level");
    zlib_mode[0] = mode[0] == 'x' ? 'w' : mode[0];
    if (mode[0] == 'x') zlib_mode[1] = 'x';
    if (mode[0] != 'r') zlib_mode[2] = (char)('0' + level);
    if ((rc = file_codec(vm, !text, argv[3], argv[4], &o.codec)) ||
        (rc = open_compressed(vm, path, zlib_mode, &f)))
        return rc;
    o.reading = mode[0] == 'r';
    o.binary = !text;
    o.mode = mode;
    return file_of_stream(vm, f, &o, out);
}
