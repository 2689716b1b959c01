/* open() and file objects; the standard streams as files; io.StringIO and BytesIO.
 *
 * A file holds a C stream, or the number of a standard stream, whose bytes go through the vm. Text
 * is read with universal newlines and written unchanged. A file in memory is a C stream, too
 * (fopencookie), so that every reader of files can read it. Field 0 is the name, field 1 the mode.
 */
#include "lang/builtin/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/vm/array_args.h"
#include "lang/text/text.h"

enum { BLOCK = 16384 };

/* The buffer of a file in memory, owned by its stream. */
typedef struct {
    gpa_str bytes;
    size_t at;
} memory;

typedef struct {
    FILE *f;      /* NULL: closed, or standard */
    int standard; /* 0 .. 2, or -1 */
    bool readable, writable, binary;
    codec codec;    /* text encoding */
    memory *memory; /* buffer that the stream reads and writes, or NULL */
} file;

/* ---- errors ---- */

gpa_code os_error(gpa_vm *vm, int number, const char *path) {
    value args[3] = {v_int(number), v_cstr(vm, strerror(number)), v_unset()};
    gpa_code rc = GPA_E_MEMORY;
    if (path) args[2] = v_cstr(vm, path);
    if (args[1].tag != V_UNSET && (!path || args[2].tag != V_UNSET))
        rc = vm_raise(vm, gpa_err_of_errno(number), path ? 3 : 2, args);
    value_release(vm, args[1]);
    value_release(vm, args[2]);
    return rc;
}

bool is_path(value v) { return v.tag == V_STR || is_kind(v, &path_kind); }

gpa_code arg_path(gpa_vm *vm, value v, const char **path) {
    if (is_kind(v, &path_kind)) v = record_text_peek(vm, v, "_path");
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "expected str, bytes or os.PathLike object, not %s",
                       value_type_name(v));
    if (strlen(v.str->text) != v.str->size) return vm_fail(vm, GPA_E_VALUE, "embedded null byte");
    *path = v.str->text;
    return GPA_OK;
}

/* ---- opening ---- */

/* The native file of a value: itself, or of an object of io.StringIO or io.BytesIO. */
static file *file_of(value v) {
    static const char name[] = "_file";
    if (is_instance(v) && v.object->fields[0].tag == V_DICT) {
        const size_t n = sizeof name - 1;
        const dict_entry *e =
            dict_named_peek(v.object->fields[0].dict, name, n, hash_bytes(name, n, 0));
        if (e) v = e->v;
    }
    return is_kind(v, &file_kind) ? v.object->data : NULL;
}

FILE *file_stream(value v) {
    const file *f = file_of(v);
    return f ? f->f : NULL;
}

static value file_new(gpa_vm *vm, file made, value name, const char *mode) {
    value o = v_object(vm, &file_kind, 2);
    file *f = mem_new(sizeof *f);
    if (f && o.tag != V_UNSET) {
        *f = made;
        o.object->data = f;
        o.object->fields[0] = value_retain(name);
        o.object->fields[1] = v_cstr(vm, mode);
        if (o.object->fields[1].tag != V_UNSET) return o;
    } else {
        mem_free(f);
        vm_no_memory(vm);
    }
    value_release(vm, o);
    return v_unset();
}

value file_standard(gpa_vm *vm, int which) {
    static const char *const names[] = {"<stdin>", "<stdout>", "<stderr>"};
    value name = v_cstr(vm, names[which]);
    if (name.tag == V_UNSET) return name;
    value v =
        file_new(vm, (file){.standard = which, .readable = which == 0, .writable = which != 0},
                 name, which ? "w" : "r");
    value_release(vm, name);
    return v;
}

gpa_code file_of_stream(gpa_vm *vm, FILE *f, const stream_opts *o, value *out) {
    *out = file_new(vm,
                    (file){.f = f,
                           .standard = -1,
                           .readable = o->reading,
                           .writable = !o->reading,
                           .binary = o->binary,
                           .codec = o->codec},
                    o->name, o->mode);
    if (out->tag != V_UNSET) return GPA_OK;
    *out = v_none();
    fclose(f);
    return vm_err(vm)->code;
}

/* Parses a mode like "rb+" into flags and the mode of fopen. */
static gpa_code parse_mode(gpa_vm *vm, value mode, file *f, char c_mode[4]) {
    if (mode.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "open() argument 'mode' must be str, not %s",
                       value_type_name(mode));
    const char *m = mode.str->text;
    size_t kinds = 0, n = 0;
    bool plus = strchr(m, '+') != NULL;
    char kind = 0;
    for (const char *p = m; *p; p++) {
        if (!strchr("rwaxbt+", *p)) return vm_fail(vm, GPA_E_VALUE, "invalid mode: '%s'", m);
        if (strchr("rwax", *p)) {
            kind = *p;
            kinds++;
        }
    }
    if (kinds != 1)
        return vm_fail(
            vm, GPA_E_VALUE,
            "Must have exactly one of create/read/write/append mode and at most one plus");
    f->binary = strchr(m, 'b') != NULL;
    f->readable = kind == 'r' || plus;
    f->writable = kind != 'r' || plus;
    c_mode[n++] = kind == 'x' ? 'w' : kind;
    if (kind == 'x') c_mode[n++] = 'x';
    if (plus) c_mode[n++] = '+';
    c_mode[n] = 0;
    return GPA_OK;
}

gpa_code file_codec(gpa_vm *vm, bool binary, value encoding, value errors, codec *out) {
    if (binary && encoding.tag != V_NONE)
        return vm_fail(vm, GPA_E_VALUE, "binary mode doesn't take an encoding argument");
    if (binary && errors.tag != V_NONE)
        return vm_fail(vm, GPA_E_VALUE, "binary mode doesn't take an errors argument");
    return codec_of(vm, "open", encoding, errors, out);
}

gpa_code file_open(
    gpa_vm *vm, value *argv,
    value *out) { /* file, mode, buffering, encoding, errors, newline, closefd, opener */
    file f = {.standard = -1};
    char mode[4];
    const char *path;
    struct stat about;
    gpa_code rc = arg_path(vm, argv[0], &path);
    if (!rc) rc = parse_mode(vm, argv[1], &f, mode);
    if (!rc) rc = file_codec(vm, f.binary, argv[3], argv[4], &f.codec);
    if (rc) return rc;
    f.f = fopen(path, mode);
    if (!f.f) return os_error(vm, errno, path);
    if (fstat(fileno(f.f), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(f.f);
        return os_error(vm, EISDIR, path);
    }
    *out = file_new(vm, f, argv[0], argv[1].str->text);
    if (out->tag == V_UNSET) fclose(f.f);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* ---- in memory ---- */

static ssize_t memory_read(void *cookie, char *to, size_t n) {
    memory *m = cookie;
    n = m->at < m->bytes.len ? MIN(n, m->bytes.len - m->at) : 0;
    if (n) memcpy(to, m->bytes.text + m->at, n);
    m->at += n;
    return (ssize_t)n;
}

/* Write callback: grows the buffer to n bytes after the position, with zeros in gaps. */
static ssize_t memory_write(void *cookie, const char *from, size_t n) {
    memory *m = cookie;
    while (m->bytes.len < m->at + n && !m->bytes.failed) {
        static const char zeros[256];
        str_putn(&m->bytes, zeros, MIN(sizeof zeros, m->at + n - m->bytes.len));
    }
    if (m->bytes.failed) {
        errno = ENOMEM;
        return 0;
    }
    memcpy(m->bytes.text + m->at, from, n);
    m->at += n;
    return (ssize_t)n;
}

static int memory_seek(void *cookie, off64_t *to, int whence) {
    memory *m = cookie;
    int64_t at = *to + (int64_t)(whence == SEEK_CUR   ? m->at
                                 : whence == SEEK_END ? m->bytes.len
                                                      : 0);
    if (at < 0) {
        errno = EINVAL;
        return -1;
    }
    m->at = (size_t)at;
    *to = at;
    return 0;
}

static int memory_close(void *cookie) {
    memory *m = cookie;
    str_free(&m->bytes);
    mem_free(m);
    return 0;
}

/* io.StringIO(initial), io.BytesIO(initial). */
static gpa_code in_memory(gpa_vm *vm, value initial, bool binary, value *out) {
    static const cookie_io_functions_t io = {memory_read, memory_write, memory_seek, memory_close};
    value_tag wanted = binary ? V_BYTES : V_STR;
    if (initial.tag != V_NONE && initial.tag != wanted)
        return binary ? vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                                value_type_name(initial))
                      : vm_fail(vm, GPA_E_TYPE, "initial_value must be str or None, not %s",
                                value_type_name(initial));
    memory *m = mem_zero(sizeof *m);
    if (!m) return vm_no_memory(vm);
    str_init(&m->bytes);
    if (initial.tag != V_NONE) str_putn(&m->bytes, initial.str->text, initial.str->size);
    file f = {.standard = -1, .readable = true, .writable = true, .binary = binary, .memory = m};
    if (m->bytes.failed || !(f.f = fopencookie(m, "w+", io))) {
        memory_close(m);
        return vm_no_memory(vm);
    }
    *out = file_new(vm, f, v_none(), binary ? "rb+" : "r+");
    if (out->tag == V_UNSET) fclose(f.f);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

gpa_code file_string_io(gpa_vm *vm, value *argv, value *out) {
    return in_memory(vm, argv[0], false, out);
}
gpa_code file_bytes_io(gpa_vm *vm, value *argv, value *out) {
    return in_memory(vm, argv[0], true, out);
}

gpa_code file_temporary(gpa_vm *vm, value *argv, value *out) {
    file f = {.standard = -1};
    char mode[4];
    gpa_code rc = parse_mode(vm, argv[0], &f, mode);
    if (!rc) rc = file_codec(vm, f.binary, argv[2], argv[7], &f.codec);
    if (rc) return rc;
    f.readable = f.writable = true; /* files of either mode are readable and writable */
    if (!(f.f = tmpfile())) return os_error(vm, errno, NULL);
    *out = file_new(vm, f, v_none(), argv[0].str->text);
    if (out->tag == V_UNSET) fclose(f.f);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* ---- closing ---- */

static gpa_code close_file(gpa_vm *vm, file *f) {
    FILE *stream = f->f;
    f->f = NULL;
    return stream && fclose(stream) ? os_error(vm, errno, NULL) : GPA_OK;
}

static void file_free(gpa_vm *vm, object_obj *o) {
    (void)vm;
    file *f = o->data;
    if (f && f->f) fclose(f->f);
    mem_free(f);
}

gpa_code file_close(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return close_file(vm, argv[0].object->data);
}

/* The file of `v`, if it is open for this use; raises otherwise. */
static gpa_code check_open(gpa_vm *vm, value v, bool reading, bool writing, file **out) {
    file *f = file_of(v);
    *out = f;
    if (!f)
        return vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute 'write'",
                       value_type_name(v));
    if (!f->f && f->standard < 0) return vm_fail(vm, GPA_E_VALUE, "I/O operation on closed file.");
    if (reading && !f->readable) return vm_fail(vm, GPA_E_UNSUPPORTED_OPERATION, "not readable");
    if (writing && !f->writable) return vm_fail(vm, GPA_E_UNSUPPORTED_OPERATION, "not writable");
    return GPA_OK;
}

/* ---- reading ---- */

/* Reads a line, its end converted to
 * ; an empty text at the end of the file. */
static void read_line(FILE *f, bool binary, gpa_str *out) {
    for (int c; (c = getc(f)) != EOF;) {
        if (c == '\r' && !binary) {
            int next = getc(f);
            if (next != '\n' && next != EOF) ungetc(next, f);
            c = '\n';
        }
        str_putc(out, (char)c);
        if (c == '\n') return;
    }
}

static gpa_code next_line(gpa_vm *vm, file *f, gpa_str *out) {
    if (f->f) {
        read_line(f->f, f->binary || f->memory, out);
        return out->failed ? vm_no_memory(vm) : GPA_OK;
    }
    value line = v_none();
    gpa_code rc = vm_input(vm, "", false, &line);
    if (rc == GPA_E_EOF) {
        vm_clear_error(vm);
        return GPA_OK;
    }
    if (!rc && line.tag == V_STR) {
        str_putn(out, line.str->text, line.str->size);
        str_putc(out, '\n');
    }
    value_release(vm, line);
    return rc;
}

/* Skips a byte order mark, which may be at the start of a file only. */
static void skip_bom(file *f) {
    if (f->codec.id == CODEC_UTF8_MARK) f->codec.id = CODEC_UTF8;
}

static gpa_code return_text(gpa_vm *vm, file *f, gpa_str *s, value *out) {
    gpa_code rc = s->failed   ? vm_no_memory(vm)
                  : f->binary ? native_return(v_bytes(vm, s->text, s->len), out)
                              : codec_decode(vm, f->codec, s->text, s->len, out);
    if (s->len) skip_bom(f);
    str_free(s);
    return rc;
}

/* Creates an empty file in the folder of `path`, with the permissions of an existing one; false:
 * not possible. It has the same extension, on which the format of the content may depend. */
static bool create_temporary(const char *path, gpa_str *fresh) {
    static unsigned count; /* names of one process differ */
    struct stat st;
    bool there = !lstat(path, &st);
    if (there && !S_ISREG(st.st_mode)) return false;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    str_putn(fresh, path, (size_t)(name - path));
    str_printf(fresh, ".gpa-%ld-%u-%s", (long)getpid(),
               __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED), name);
    if (fresh->failed) return false;
    int fd = open(fresh->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = fd >= 0 && !(there && fchmod(fd, st.st_mode & 07777));
    if (fd >= 0) close(fd);
    if (fd >= 0 && !good) unlink(fresh->text);
    return good;
}

gpa_code file_replace_begin(gpa_vm *vm, const char *path, gpa_str *fresh) {
    str_init(fresh);
    if (create_temporary(path, fresh)) return GPA_OK;
    str_clear(fresh);
    str_put(fresh, path);
    return fresh->failed ? vm_no_memory(vm) : GPA_OK;
}

gpa_code file_replace_end(gpa_vm *vm, gpa_code rc, const char *path, gpa_str *fresh) {
    bool is_temporary = strcmp(fresh->text, path) != 0;
    if (!rc && is_temporary && rename(fresh->text, path)) rc = os_error(vm, errno, path);
    if (rc && is_temporary) unlink(fresh->text);
    str_free(fresh);
    return rc;
}

gpa_code file_write_all(gpa_vm *vm, FILE *f, const char *path, const char *bytes, size_t n) {
    enum { STEP_BYTES = 1 << 24 };
    gpa_code rc = GPA_OK;
    for (size_t at = 0, step; at < n && !rc && !(rc = vm_poll(vm)); at += step) {
        step = MIN(n - at, (size_t)STEP_BYTES);
        if (fwrite(bytes + at, 1, step, f) != step) rc = os_error(vm, errno, path);
    }
    return rc;
}

gpa_code file_save(gpa_vm *vm, const char *path, const char *bytes, size_t n) {
    gpa_str fresh;
    gpa_code rc = file_replace_begin(vm, path, &fresh);
    FILE *f = rc ? NULL : fopen(fresh.text, "wb");
    if (!rc && !f) rc = os_error(vm, errno, path);
    if (f) rc = file_write_all(vm, f, path, bytes, n);
    if (f && fclose(f) && !rc) rc = os_error(vm, errno, path);
    return file_replace_end(vm, rc, path, &fresh);
}

/* Bytes from the position to the end of the file; 0 if unknown. */
static size_t bytes_left(FILE *f) {
    struct stat st;
    off_t at = ftello(f);
    bool known = at >= 0 && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) && st.st_size > at;
    return known ? (size_t)(st.st_size - at) : 0;
}

gpa_code file_read_all(gpa_vm *vm, FILE *f, const char *path, size_t most, gpa_str *out) {
    errno = 0;
    if (!str_reserve(out, MIN(bytes_left(f) + BLOCK, most))) return vm_no_memory(vm);
    for (size_t n, step = MIN(BLOCK, most); step; step = MIN(BLOCK, most)) {
        gpa_code rc = vm_poll(vm);
        if (rc) return rc;
        char *to = str_reserve(out, step);
        if (!to) return vm_no_memory(vm);
        str_commit(out, n = fread(to, 1, step, f));
        most -= n;
        if (n < step) break;
    }
    return ferror(f) ? os_error(vm, errno, path)
                     : GPA_OK; /* reading a directory fails here, not in fopen */
}

gpa_code file_read(gpa_vm *vm, value *argv, value *out) {
    file *f;
    int64_t most = -1;
    gpa_str s;
    str_init(&s);
    gpa_code rc = check_open(vm, argv[0], true, false, &f);
    if (!rc && argv[1].tag != V_NONE) rc = arg_int(vm, argv[1], "size", &most);
    if (rc) return rc;
    if (f->binary)
        rc = file_read_all(vm, f->f, NULL, most < 0 ? SIZE_MAX : (size_t)most, &s);
    else if (most < 0)
        for (size_t before = SIZE_MAX; !rc && before != s.len;) {
            before = s.len;
            rc = next_line(vm, f, &s);
        }
    else if (f->f)
        for (int c; (c = getc(f->f)) != EOF; str_putc(&s, (char)c)) {
            most -= codec_is_narrow(f->codec) || ((unsigned)c & 0xC0) != 0x80;
            if (most >= 0) continue;
            ungetc(c, f->f);
            break;
        }
    if (!rc) return return_text(vm, f, &s, out);
    str_free(&s);
    return rc;
}

/* A file that is being read, and its reader. */
typedef struct {
    gpa_vm *vm;
    FILE *f;
} source;

static gpa_code read_bytes(void *user, void *to, size_t n) {
    const source *s = user;
    errno = 0;
    if (fread(to, 1, n, s->f) == n) return GPA_OK;
    return ferror(s->f) ? os_error(s->vm, errno, NULL)
                        : vm_fail(s->vm, GPA_E_OS, "the file was cut short while it was read");
}

/* Reads `count` elements, or all that are left. If the size of the file is known, they are read
 * directly into the array's memory. */
gpa_code file_read_array(gpa_vm *vm, value *argv, value *out) { /* self, dtype, count */
    file *f;
    gpa_dtype t;
    int64_t count;
    gpa_arr *a = NULL;
    gpa_str s;
    str_init(&s);
    gpa_code rc = check_open(vm, argv[0], true, false, &f);
    if (!rc) rc = arg_dtype(vm, argv[1], &t);
    if (!rc) rc = arg_int(vm, argv[2], "count", &count);
    if (!rc && !f->f)
        rc = vm_fail(vm, GPA_E_TYPE, "numbers are read from files that were opened by name");
    if (rc) return rc;
    size_t item = dtype_size(t), left = bytes_left(f->f),
           most = count < 0 || (size_t)count > SIZE_MAX / item ? SIZE_MAX : (size_t)count * item;
    if (left) {
        int64_t n = (int64_t)(MIN(left, most) / item);
        rc = arr_filled(vm_rt(vm), &(arr_spec){t, 1, &n}, read_bytes, &(source){vm, f->f}, &a,
                        vm_err(vm));
        if (!rc && left < most && count > 0)
            fseeko(f->f, (off_t)(left % item),
                   SEEK_CUR); /* the position after a read of whole elements */
    } else {
        rc = file_read_all(vm, f->f, NULL, most, &s);
        if (!rc)
            rc = arr_from(vm_rt(vm), &(arr_spec){t, 1, &(int64_t){(int64_t)(s.len / item)}}, s.text,
                          &a, vm_err(vm));
    }
    str_free(&s);
    return rc ? rc : np_return_array(vm, a, out);
}

gpa_code file_readline(gpa_vm *vm, value *argv, value *out) {
    file *f;
    gpa_str s;
    str_init(&s);
    gpa_code rc = check_open(vm, argv[0], true, false, &f);
    if (!rc) rc = next_line(vm, f, &s);
    if (!rc) return return_text(vm, f, &s, out);
    str_free(&s);
    return rc;
}

static gpa_code lines_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    gpa_code rc = file_readline(vm, (value[]){it->source, v_int(-1)}, out);
    if (rc) return rc;
    *done = out->str->size == 0;
    if (*done) {
        value_release(vm, *out);
        *out = v_none();
    }
    return GPA_OK;
}

static gpa_code file_iter(gpa_vm *vm, object_obj *o, value *out) {
    return iter_over(vm, "_io.TextIOWrapper", v_obj(V_OBJECT, o), v_none(), lines_next, out);
}

gpa_code file_self(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0]);
    return GPA_OK;
}

gpa_code file_next(gpa_vm *vm, value *argv, value *out) {
    gpa_code rc = file_readline(vm, (value[]){argv[0], v_int(-1)}, out);
    if (rc || out->str->size) return rc;
    value_release(vm, *out);
    *out = v_none();
    return vm_raise(vm, GPA_E_STOP_ITERATION, 0, NULL);
}

gpa_code file_readlines(gpa_vm *vm, value *argv, value *out) {
    return vm_collect(vm, argv[0], out);
}

/* ---- writing ---- */

static gpa_code write_bytes(gpa_vm *vm, file *f, const char *bytes, size_t n) {
    if (f->standard > 0) return vm_write(vm, f->standard == 2, bytes, n);
    return fwrite(bytes, 1, n, f->f) == n ? GPA_OK : os_error(vm, errno, NULL);
}

static gpa_code write_text(gpa_vm *vm, file *f, const char *text, size_t n) {
    if (f->binary || codec_is_plain(f->codec)) return write_bytes(vm, f, text, n);
    gpa_str bytes;
    str_init(&bytes);
    gpa_code rc = codec_encode(vm, f->codec, text, n, &bytes);
    if (!rc) rc = write_bytes(vm, f, bytes.text, bytes.len);
    skip_bom(f);
    str_free(&bytes);
    return rc;
}

gpa_code file_put(gpa_vm *vm, value v, const char *text, size_t n) {
    file *f;
    if (!file_of(v)) return vm_put(vm, v, text, n);
    gpa_code rc = check_open(vm, v, false, true, &f);
    return rc ? rc : write_text(vm, f, text, n);
}

static gpa_code write_array(gpa_vm *vm, file *f, gpa_arr *a, value *out) {
    size_t n = (size_t)a->size * dtype_size((gpa_dtype)a->dtype);
    if (!arr_is_contiguous(a)) return vm_fail(vm, GPA_E_VALUE, "ndarray is not C-contiguous");
    char *data = mem_new(n + 1);
    gpa_code rc = !data ? vm_no_memory(vm) : n ? arr_read(vm_rt(vm), a, data, vm_err(vm)) : GPA_OK;
    if (!rc) rc = write_bytes(vm, f, data, n);
    mem_free(data);
    *out = v_int((int64_t)n);
    return rc;
}

gpa_code file_write(gpa_vm *vm, value *argv, value *out) {
    file *f;
    value v = argv[1];
    gpa_code rc = check_open(vm, argv[0], false, true, &f);
    if (rc) return rc;
    if (f->binary && v.tag == V_ARRAY) return write_array(vm, f, v.array->arr, out);
    if (f->binary && v.tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                       value_type_name(v));
    if (!f->binary && v.tag != V_STR)
        return f->memory ? vm_fail(vm, GPA_E_TYPE, "string argument expected, got '%s'",
                                   value_type_name(v))
                         : vm_fail(vm, GPA_E_TYPE, "write() argument must be str, not %s",
                                   value_type_name(v));
    rc = write_text(vm, f, v.str->text, v.str->size);
    *out = v_int(v.str->length);
    return rc;
}

gpa_code file_writelines(gpa_vm *vm, value *argv, value *out) {
    value lines;
    gpa_code rc = vm_collect(vm, argv[1], &lines);
    if (rc) return rc;
    for (size_t i = 0; i < lines.list->count && !rc; i++)
        rc = file_write(vm, (value[]){argv[0], lines.list->items[i]}, out);
    *out = v_none();
    value_release(vm, lines);
    return rc;
}

gpa_code file_flush(gpa_vm *vm, value *argv, value *out) {
    file *f;
    value flush = v_none();
    gpa_code rc = GPA_OK;
    if (!file_of(argv[0])) { /* print(flush=True) to an object of the program */
        rc = vm_attr(vm, argv[0], "flush", &flush);
        if (!rc) rc = vm_call(vm, flush, NO_ARGS, out);
        value_release(vm, flush);
        return rc;
    }
    rc = check_open(vm, argv[0], false, false, &f);
    if (!rc && f->standard > 0) vm_flush(vm);
    return !rc && f->f && fflush(f->f) ? os_error(vm, errno, NULL) : rc;
}

/* ---- position and attributes ---- */

gpa_code file_seek(gpa_vm *vm, value *argv, value *out) {
    file *f;
    int64_t to, whence;
    gpa_code rc = check_open(vm, argv[0], false, false, &f);
    if (!rc) rc = arg_int(vm, argv[1], "cookie", &to);
    if (!rc) rc = arg_int(vm, argv[2], "whence", &whence);
    if (rc) return rc;
    if (!f->f) return vm_fail(vm, GPA_E_UNSUPPORTED_OPERATION, "underlying stream is not seekable");
    if (fseek(f->f, (long)to, whence == 1 ? SEEK_CUR : whence == 2 ? SEEK_END : SEEK_SET))
        return os_error(vm, errno, NULL);
    *out = v_int(ftell(f->f));
    return GPA_OK;
}

gpa_code file_tell(gpa_vm *vm, value *argv, value *out) {
    file *f;
    gpa_code rc = check_open(vm, argv[0], false, false, &f);
    if (!rc) *out = v_int(f->f ? ftell(f->f) : 0);
    return rc;
}

gpa_code file_truncate(gpa_vm *vm, value *argv, value *out) {
    file *f;
    int64_t size = 0;
    gpa_code rc = check_open(vm, argv[0], false, true, &f);
    if (rc) return rc;
    if (!f->f) return vm_fail(vm, GPA_E_UNSUPPORTED_OPERATION, "underlying stream is not seekable");
    if (argv[1].tag == V_NONE)
        size = ftell(f->f);
    else
        rc = arg_int(vm, argv[1], "size", &size);
    if (!rc && size < 0)
        rc = vm_fail(
            vm, GPA_E_VALUE,
            f->memory && !f->binary ? "Negative size value %lld" : "negative size value %lld",
            (long long)size);
    if (rc) return rc;
    if (fflush(f->f) || (!f->memory && ftruncate(fileno(f->f), (off_t)size)))
        return os_error(vm, errno, NULL);
    if (f->memory && (size_t)size < f->memory->bytes.len)
        str_truncate(&f->memory->bytes, (size_t)size);
    *out = v_int(size);
    return GPA_OK;
}

gpa_code file_getvalue(gpa_vm *vm, value *argv, value *out) {
    file *f;
    gpa_code rc = check_open(vm, argv[0], false, false, &f);
    if (rc) return rc;
    if (!f->memory)
        return vm_fail(vm, GPA_E_ATTRIBUTE,
                       "'_io.TextIOWrapper' object has no attribute 'getvalue'");
    if (fflush(f->f)) return vm_no_memory(vm);
    const gpa_str *bytes = &f->memory->bytes;
    return native_return(
        f->binary ? v_bytes(vm, bytes->text, bytes->len) : v_str(vm, bytes->text, bytes->len), out);
}

gpa_code file_isatty(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    const file *f = argv[0].object->data;
    *out = v_bool(f->standard >= 0 && isatty(f->standard));
    return GPA_OK;
}

gpa_code file_fileno(gpa_vm *vm, value *argv, value *out) {
    file *f;
    gpa_code rc = check_open(vm, argv[0], false, false, &f);
    if (!rc && f->memory) rc = vm_fail(vm, GPA_E_UNSUPPORTED_OPERATION, "fileno");
    if (!rc) *out = v_int(f->f ? fileno(f->f) : f->standard);
    return rc;
}

gpa_code file_seekable(gpa_vm *vm, value *argv, value *out) {
    file *f;
    gpa_code rc = check_open(vm, argv[0], false, false, &f);
    if (!rc) *out = v_bool(f->f && fseek(f->f, 0, SEEK_CUR) == 0);
    return rc;
}

gpa_code file_readable(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(((const file *)argv[0].object->data)->readable);
    return GPA_OK;
}

gpa_code file_writable(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(((const file *)argv[0].object->data)->writable);
    return GPA_OK;
}

gpa_code file_closed(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    const file *f = argv[0].object->data;
    *out = v_bool(!f->f && f->standard < 0);
    return GPA_OK;
}

gpa_code file_name(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[0]);
    return GPA_OK;
}

gpa_code file_mode(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[1]);
    return GPA_OK;
}

static gpa_code file_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const file *f = o->data;
    if (f->memory || o->fields[0].tag == V_NONE) {
        str_put(out, f->memory ? f->binary ? "<_io.BytesIO object>" : "<_io.StringIO object>"
                               : "<_io.TextIOWrapper of a temporary file>");
        return GPA_OK;
    }
    str_put(out, "<_io.TextIOWrapper name=");
    gpa_code rc = vm_repr(vm, o->fields[0], out);
    str_put(out, " mode=");
    if (!rc) rc = vm_repr(vm, o->fields[1], out);
    str_printf(out, " encoding='%s'>", codec_name(f->codec));
    return rc;
}

static gpa_code file_enter(gpa_vm *vm, object_obj *o, value *out) {
    file *f;
    value v = v_obj(V_OBJECT, o);
    gpa_code rc = check_open(vm, v, false, false, &f);
    if (!rc) *out = value_retain(v);
    return rc;
}

static gpa_code file_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    (void)exc;
    *swallow = false;
    return close_file(vm, o->data);
}

const object_kind file_kind = {.type_name = "_io.TextIOWrapper",
                               .free = file_free,
                               .repr = file_repr,
                               .enter = file_enter,
                               .exit = file_exit,
                               .iter = file_iter};
