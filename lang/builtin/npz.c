/* Archives of arrays (.npz): numpy.savez and NpzFile, the lazily read archive that numpy.load
 * returns.
 *
 * An NpzFile holds libzip's handle and, in field 0, the list of its members' names without ".npy".
 * An array is decoded when it is indexed. Without libzip every function raises. */
#include <errno.h>
#include <stdio.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/vm/kinds.h"
#include "lang/builtin/npy.h"
#include "lang/builtin/npz.h"
#include "lang/object/container.h"
#include "lang/vm/array_args.h"

#ifdef GPA_HAVE_ZIP
#include <zip.h>

/* Deflate's level, as in Python's zipfile. libzip's default, 9, takes twice the time and does not
 * make arrays of numbers smaller. */
enum { DEFLATE_LEVEL = 6 };

/* ---- writing ---- */

/* A libzip source with a copy of the bytes; NULL on failure. */
static zip_source_t *copy_to_source(const char *bytes, size_t n) {
    zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, NULL);
    if (!source) return NULL;
    if (zip_source_begin_write(source) == 0 &&
        zip_source_write(source, bytes, n) == (zip_int64_t)n &&
        zip_source_commit_write(source) == 0)
        return source;
    zip_source_free(source);
    return NULL;
}

/* Adds one array, or one byte string, as a member. */
static gpa_code add_member(gpa_vm *vm, zip_t *z, const char *name, value v, bool compressed) {
    gpa_arr *a = NULL;
    gpa_str bytes, member;
    str_init(&bytes);
    str_init(&member);
    gpa_code rc = GPA_OK;
    if (v.tag == V_BYTES)
        npy_write_bytes(v.str->text, v.str->size, &bytes);
    else
        rc = arg_array(vm, v, DT_NONE, &a);
    if (a) rc = npy_write(vm, a, &bytes);
    if (rc) goto out;
    str_printf(&member, "%s.npy", name);
    zip_source_t *source = copy_to_source(bytes.text, bytes.len);
    zip_int64_t at =
        source ? zip_file_add(z, member.text, source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8) : -1;
    if (at < 0) {
        if (source) zip_source_free(source);
        rc = vm_fail(vm, GPA_E_OS, "cannot add '%s' to the archive: %s", member.text,
                     zip_strerror(z));
    } else if (zip_set_file_compression(z, (zip_uint64_t)at,
                                        compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, DEFLATE_LEVEL))
        rc = vm_fail(vm, GPA_E_OS, "%s", zip_strerror(z));
out:
    str_free(&member);
    str_free(&bytes);
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Appends the path to `full`, with ".npz" if it is missing. */
static gpa_code archive_path(gpa_vm *vm, value file, gpa_str *full) {
    const char *path;
    gpa_code rc = arg_path(vm, file, &path);
    if (rc) return rc;
    size_t n = strlen(path);
    str_put(full, path);
    if (n < 4 || strcmp(path + n - 4, ".npz") != 0) str_put(full, ".npz");
    return full->failed ? vm_no_memory(vm) : GPA_OK;
}

/* Opens an archive for writing: at a path, or for an open file in *memory, which the caller frees.
 */
static gpa_code create(gpa_vm *vm, value file, gpa_str *path, zip_source_t **memory, zip_t **z) {
    int code = 0;
    if (!file_stream(file)) {
        gpa_code rc = archive_path(vm, file, path);
        if (!rc && !(*z = zip_open(path->text, ZIP_CREATE | ZIP_TRUNCATE, &code)))
            rc = os_error(vm, errno ? errno : EIO, path->text);
        return rc;
    }
    *memory = zip_source_buffer_create(NULL, 0, 0, NULL);
    if (*memory) zip_source_keep(*memory);
    *z = *memory ? zip_open_from_source(*memory, ZIP_TRUNCATE, NULL) : NULL;
    return *z ? GPA_OK : vm_no_memory(vm);
}

/* Writes a finished archive in memory to an open file. */
static gpa_code copy_out(gpa_vm *vm, zip_source_t *memory, FILE *f) {
    char block[16384];
    zip_int64_t n = 0;
    if (zip_source_open(memory))
        return vm_fail(vm, GPA_E_OS, "cannot read the archive that was made");
    while ((n = zip_source_read(memory, block, sizeof block)) > 0)
        if (fwrite(block, 1, (size_t)n, f) != (size_t)n) break;
    zip_source_close(memory);
    return n == 0 ? GPA_OK : os_error(vm, errno ? errno : EIO, NULL);
}

/* Ends zip_close at an interrupt. */
static int is_cancelled(zip_t *z, void *vm) {
    (void)z;
    return vm_interrupted(vm);
}

static gpa_code save(gpa_vm *vm, value *argv, bool compressed) {
    const tuple_obj *args = argv[1].tuple;
    dict_obj *named = argv[3].dict;
    char name[32];
    gpa_str path;
    zip_source_t *memory = NULL;
    zip_t *z = NULL;
    str_init(&path);
    gpa_code rc = create(vm, argv[0], &path, &memory, &z);
    size_t at = 0;
    for (const dict_entry *e; !rc && (e = dict_next(named, &at));)
        rc = add_member(vm, z, e->key.str->text, e->v, compressed);
    for (size_t i = 0; i < args->count && !rc; i++) {
        snprintf(name, sizeof name, "arr_%zu", i);
        if (dict_text_peek(vm, named, name).tag != V_UNSET)
            rc = vm_fail(vm, GPA_E_VALUE, "Cannot use un-named variables and keyword %s", name);
        else
            rc = add_member(vm, z, name, args->items[i], compressed);
    }
    if (!rc) zip_register_cancel_callback_with_state(z, is_cancelled, NULL, vm);
    if (!rc && zip_close(z))
        rc = vm_interrupted(vm) ? vm_poll(vm)
                                : vm_fail(vm, GPA_E_OS, "cannot write '%s': %s",
                                          memory ? "the archive" : path.text, zip_strerror(z));
    else if (!rc)
        z = NULL;
    if (!rc && memory) rc = copy_out(vm, memory, file_stream(argv[0]));
    if (z) zip_discard(z);
    if (memory) zip_source_free(memory);
    str_free(&path);
    return rc;
}

gpa_code npz_save(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return save(vm, argv, false);
}

gpa_code npz_save_compressed(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return save(vm, argv, true);
}

/* ---- reading ---- */

static gpa_code list_members(gpa_vm *vm, zip_t *z, value *out) {
    *out = v_list(vm, 0, NULL);
    gpa_code rc = out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (zip_int64_t i = 0; i < zip_get_num_entries(z, 0) && !rc; i++) {
        const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
        size_t n = strlen(name);
        if (n > 4 && strcmp(name + n - 4, ".npy") == 0) n -= 4;
        value v = v_str(vm, name, n);
        rc = v.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, out->list, v);
        value_release(vm, v);
    }
    return rc;
}

gpa_code npz_open(gpa_vm *vm, const char *path, const gpa_str *bytes, value *out) {
    int code;
    zip_source_t *source = path ? NULL : copy_to_source(bytes->text, bytes->len);
    zip_t *z = path     ? zip_open(path, ZIP_RDONLY, &code)
               : source ? zip_open_from_source(source, ZIP_RDONLY, NULL)
                        : NULL;
    if (!z) {
        if (source) zip_source_free(source);
        return vm_fail(vm, GPA_E_VALUE, "File is not a zip file");
    }
    value o = v_object(vm, &npz_kind, 2);
    gpa_code rc = o.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    if (rc)
        zip_discard(z);
    else {
        o.object->data = z;
        rc = list_members(vm, z, &o.object->fields[0]);
        o.object->fields[1] = v_cstr(vm, path ? path : "object");
    }
    return native_finish(vm, rc, o, out);
}

/* The bytes of a member (owned: mem_free). */
static gpa_code read_member(gpa_vm *vm, zip_t *z, const char *name, char **bytes, size_t *n) {
    zip_stat_t about;
    *bytes = NULL;
    if (zip_stat(z, name, 0, &about))
        return vm_fail(vm, GPA_E_OS, "cannot read '%s': %s", name, zip_strerror(z));
    *n = (size_t)about.size;
    *bytes = mem_new(*n);
    if (!*bytes) return vm_no_memory(vm);
    zip_file_t *f = zip_fopen(z, name, 0);
    gpa_code rc = GPA_OK;
    bool ok = f != NULL;
    for (size_t at = 0, step; ok && at < *n && !(rc = vm_poll(vm)); at += step) {
        step = MIN(*n - at, 1 << 20);
        ok = zip_fread(f, *bytes + at, step) == (zip_int64_t)step;
    }
    if (f) zip_fclose(f);
    return rc ? rc : ok ? GPA_OK : vm_fail(vm, GPA_E_OS, "cannot read '%s' from the archive", name);
}

static gpa_code npz_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    gpa_str member;
    char *bytes = NULL;
    size_t n = 0, used;
    gpa_arr *a;
    gpa_code rc;
    if (!o->data) return vm_fail(vm, GPA_E_VALUE, "I/O operation on closed file.");
    str_init(&member);
    if (key.tag == V_STR) str_put(&member, key.str->text);
    if (key.tag == V_STR && zip_name_locate(o->data, member.text, 0) < 0) str_put(&member, ".npy");
    if (key.tag != V_STR || zip_name_locate(o->data, member.text, 0) < 0) {
        value message = key.tag == V_STR
                            ? v_strf(vm, "%s is not a file in the archive", key.str->text)
                            : value_retain(key);
        rc = message.tag == V_UNSET ? GPA_E_MEMORY : vm_raise(vm, GPA_E_KEY, 1, &message);
        value_release(vm, message);
    } else {
        rc = read_member(vm, o->data, member.text, &bytes, &n);
        const char *text = rc ? NULL : npy_find_bytes(bytes, n, &used);
        if (text)
            rc = native_return(v_bytes(vm, text, used), out);
        else if (!rc)
            rc = npy_read(vm, bytes, n, &used, &a);
        if (!rc && !text) rc = np_return_array(vm, a, out);
    }
    mem_free(bytes);
    str_free(&member);
    return rc;
}

static void close_archive(object_obj *o) {
    if (o->data) zip_discard(o->data);
    o->data = NULL;
}

#else

static gpa_code fail_unsupported(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_UNSUPPORTED,
                   "this gpa was built without libzip: .npz archives are left out; use numpy.save");
}

gpa_code npz_save(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    (void)out;
    return fail_unsupported(vm);
}

gpa_code npz_save_compressed(gpa_vm *vm, value *argv, value *out) {
    return npz_save(vm, argv, out);
}

gpa_code npz_open(gpa_vm *vm, const char *path, const gpa_str *bytes, value *out) {
    (void)path;
    (void)bytes;
    (void)out;
    return fail_unsupported(vm);
}

static gpa_code npz_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    (void)o;
    (void)key;
    (void)out;
    return fail_unsupported(vm);
}

static void close_archive(object_obj *o) { o->data = NULL; }

#endif

/* ---- the object ---- */

static void npz_free(gpa_vm *vm, object_obj *o) {
    (void)vm;
    close_archive(o);
}

static gpa_code npz_enter(gpa_vm *vm, object_obj *o, value *out) {
    (void)vm;
    *out = value_retain(v_obj(V_OBJECT, o));
    return GPA_OK;
}

static gpa_code npz_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    (void)vm;
    (void)exc;
    *swallow = false;
    close_archive(o);
    return GPA_OK;
}

static gpa_code npz_iter(gpa_vm *vm, object_obj *o, value *out) {
    return vm_iter(vm, o->fields[0], out);
}

static gpa_code npz_len(gpa_vm *vm, object_obj *o, int64_t *out) {
    return vm_len(vm, o->fields[0], out);
}

static gpa_code npz_contains(gpa_vm *vm, object_obj *o, value item, bool *out) {
    return vm_contains(vm, o->fields[0], item, out);
}

static gpa_code npz_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const list_obj *names = o->fields[0].list;
    str_put(out, "NpzFile ");
    gpa_code rc = vm_repr(vm, o->fields[1], out);
    str_put(out, " with keys: ");
    for (size_t i = 0; i < names->count && i < 5; i++)
        str_printf(out, i ? ", %s" : "%s", names->items[i].str->text);
    if (names->count > 5) str_put(out, "...");
    return rc;
}

const object_kind npz_kind = {.type_name = "numpy.lib.npyio.NpzFile",
                              .free = npz_free,
                              .repr = npz_repr,
                              .enter = npz_enter,
                              .exit = npz_exit,
                              .getitem = npz_getitem,
                              .iter = npz_iter,
                              .len = npz_len,
                              .contains = npz_contains};

gpa_code npz_files(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[0]);
    return GPA_OK;
}

gpa_code npz_fid(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_none();
    return GPA_OK;
}

gpa_code npz_keys(gpa_vm *vm, value *argv, value *out) { return npz_files(vm, argv, out); }

static gpa_code members(gpa_vm *vm, object_obj *o, bool with_names, value *out) {
    const list_obj *names = o->fields[0].list;
    value all = v_list(vm, 0, NULL);
    gpa_code rc = all.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (size_t i = 0; i < names->count && !rc; i++) {
        value a = v_none(), pair = v_none();
        rc = npz_getitem(vm, o, names->items[i], &a);
        if (!rc && with_names)
            rc = native_return(v_tuple(vm, 2, (value[]){names->items[i], a}), &pair);
        if (!rc) rc = list_append(vm, all.list, with_names ? pair : a);
        value_release(vm, pair);
        value_release(vm, a);
    }
    return native_finish(vm, rc, all, out);
}

gpa_code npz_values(gpa_vm *vm, value *argv, value *out) {
    return members(vm, argv[0].object, false, out);
}
gpa_code npz_items(gpa_vm *vm, value *argv, value *out) {
    return members(vm, argv[0].object, true, out);
}

gpa_code npz_get(gpa_vm *vm, value *argv, value *out) {
    bool there;
    gpa_code rc = vm_contains(vm, argv[0].object->fields[0], argv[1], &there);
    if (!rc && there) return npz_getitem(vm, argv[0].object, argv[1], out);
    *out = value_retain(argv[2]);
    return rc;
}

gpa_code npz_close(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)out;
    close_archive(argv[0].object);
    return GPA_OK;
}
