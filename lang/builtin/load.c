/* numpy.save and numpy.load: .npy files and .npz archives at a path or in an open file. */
#include <errno.h>
#include <stdio.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/builtin/npy.h"
#include "lang/builtin/npz.h"
#include "lang/vm/array_args.h"

/* Writes bytes to an open binary file, or to a path, to which the extension is added if missing. */
static gpa_code write_bytes(gpa_vm *vm, value file, const char *extension, const gpa_str *bytes) {
    FILE *f = file_stream(file);
    if (f) return file_write_all(vm, f, NULL, bytes->text, bytes->len);
    const char *path;
    gpa_code rc = arg_path(vm, file, &path);
    if (rc) return rc;
    size_t n = strlen(path), e = strlen(extension);
    gpa_str full;
    str_init(&full);
    str_put(&full, path);
    if (n < e || strcmp(path + n - e, extension) != 0) str_put(&full, extension);
    rc = full.failed ? vm_no_memory(vm) : file_save(vm, full.text, bytes->text, bytes->len);
    str_free(&full);
    return rc;
}

gpa_code npy_save(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_arr *a = NULL;
    gpa_str bytes;
    str_init(&bytes);
    gpa_code rc = arg_array(vm, argv[1], DT_NONE, &a);
    if (!rc) rc = npy_write(vm, a, &bytes);
    if (!rc) rc = write_bytes(vm, argv[0], ".npy", &bytes);
    str_free(&bytes);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code npy_load(gpa_vm *vm, value *argv, value *out) {
    const char *path = NULL;
    gpa_str bytes;
    gpa_arr *a;
    size_t used;
    FILE *given = file_stream(argv[0]), *f = given;
    gpa_code rc = given ? GPA_OK : arg_path(vm, argv[0], &path);
    if (rc) return rc;
    if (!f && !(f = fopen(path, "rb"))) return os_error(vm, errno, path);
    str_init(&bytes);
    rc = file_read_all(vm, f, path, SIZE_MAX, &bytes);
    if (!given) fclose(f);
    if (!rc && bytes.len >= 4 && memcmp(bytes.text, "PK", 2) == 0)
        rc = npz_open(vm, path, &bytes, out);
    else {
        if (!rc) rc = npy_read(vm, bytes.text, bytes.len, &used, &a);
        if (!rc) rc = np_return_array(vm, a, out);
        if (!rc && given)
            fseek(given, (long)used - (long)bytes.len, SEEK_CUR); /* another array may follow */
    }
    str_free(&bytes);
    return rc;
}
