/* numpy.savetxt: one format string for a row, applied to every row. */
#include <errno.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/builtin/gzip.h"
#include "lang/object/container.h"
#include "lang/format/format.h"

/* Number of conversions in a format. */
static size_t count_fields(const char *fmt) {
    size_t n = 0;
    for (const char *p = fmt; *p; p++) {
        if (*p != '%') continue;
        if (p[1] == '%')
            p++;
        else
            n++;
    }
    return n;
}

static gpa_code put_joined(gpa_vm *vm, const list_obj *formats, const char *delimiter,
                           gpa_str *row) {
    for (size_t i = 0; i < formats->count; i++) {
        if (formats->items[i].tag != V_STR)
            return vm_fail(vm, GPA_E_VALUE, "invalid fmt: a list of str is expected");
        str_put(row, i ? delimiter : "");
        str_put(row, formats->items[i].str->text);
    }
    return GPA_OK;
}

/* Appends the format of a whole row of n columns. */
static gpa_code row_format(gpa_vm *vm, value fmt, const char *delimiter, size_t n,
                           bool complex_parts, gpa_str *row) {
    if (fmt.tag == V_LIST || fmt.tag == V_TUPLE) {
        value items;
        gpa_code rc = vm_collect(vm, fmt, &items);
        if (!rc && items.list->count != n)
            rc = vm_fail_showing(vm, GPA_E_ATTRIBUTE, "fmt has wrong shape.  ", fmt, "");
        if (!rc) rc = put_joined(vm, items.list, delimiter, row);
        value_release(vm, items);
        return rc;
    }
    if (fmt.tag != V_STR) return vm_fail(vm, GPA_E_VALUE, "invalid fmt: %s", value_type_name(fmt));
    const char *f = fmt.str->text;
    size_t fields = count_fields(f);
    if (fields == 1)
        for (size_t i = 0; i < n; i++) {
            str_put(row, i ? delimiter : "");
            if (complex_parts)
                str_printf(row, " (%s+%sj)", f, f);
            else
                str_put(row, f);
        }
    else if (fields == (complex_parts ? 2 * n : n))
        str_put(row, f);
    else
        return vm_fail(vm, GPA_E_VALUE, "fmt has wrong number of %% formats:  %s", f);
    return GPA_OK;
}

/* Appends a header or footer, each line with the comment prefix. */
static void put_comment(gpa_str *text, const str_obj *s, const char *comments,
                        const char *newline) {
    if (s->size == 0) return;
    str_put(text, comments);
    for (const char *p = s->text; *p; p++) {
        str_putc(text, *p);
        if (*p == '\n') str_put(text, comments);
    }
    str_put(text, newline);
}

/* How rows are written. */
typedef struct {
    gpa_dtype dtype;
    size_t columns;
    value format; /* of a whole row; borrowed */
    const char *newline;
} row_layout;

/* Appends one formatted row; "+-" of complex numbers becomes "-". */
static gpa_code put_values(gpa_vm *vm, const row_layout *l, const char *data, gpa_str *text) {
    gpa_dtype t = l->dtype, part = dtype_info[t].real;
    bool two = dtype_is_complex(t);
    value row = v_tuple(vm, two ? 2 * l->columns : l->columns, NULL);
    if (row.tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < row.tuple->count; i++) {
        gpa_dtype item = two ? part : t;
        row.tuple->items[i] = v_num(vm, item, dtype_load(data + i * dtype_size(item), item));
    }
    gpa_str line;
    str_init(&line);
    gpa_code rc = format_percent(vm, l->format.str, row, &line);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        rc = vm_fail(vm, GPA_E_TYPE,
                     "Mismatch between array dtype ('%s') and format specifier ('%s')",
                     dtype_info[t].name, l->format.str->text);
    }
    for (const char *p = line.text; !rc && *p; p++)
        if (p[0] != '+' || p[1] != '-' || !two) str_putc(text, *p);
    str_put(text, l->newline);
    str_free(&line);
    value_release(vm, row);
    return rc;
}

static gpa_code save_rows(gpa_vm *vm, gpa_arr *a, value *argv, const char *newline, gpa_str *text) {
    size_t rows = a->ndim ? (size_t)a->shape[0] : 1,
           columns = a->ndim == 2 ? (size_t)a->shape[1] : 1;
    size_t size = dtype_size((gpa_dtype)a->dtype);
    const char *delimiter, *comments;
    size_t n;
    char *data = NULL;
    value format = v_none();
    gpa_str row;
    str_init(&row);
    gpa_code rc = GPA_OK;
    TRY(arg_text(vm, argv[3], "delimiter", &delimiter, &n));
    TRY(arg_text(vm, argv[7], "comments", &comments, &n));
    TRY(row_format(vm, argv[2], delimiter, columns, dtype_is_complex((gpa_dtype)a->dtype), &row));
    format = v_str_take(vm, &row);
    data = mem_new((size_t)a->size * size);
    if (!data || format.tag == V_UNSET) TRY(vm_no_memory(vm));
    if (a->size) TRY(arr_read(vm_rt(vm), a, data, vm_err(vm)));
    if (argv[5].tag == V_STR) put_comment(text, argv[5].str, comments, newline);
    row_layout layout = {(gpa_dtype)a->dtype, columns, format, newline};
    for (size_t i = 0; i < rows; i++) {
        TRY(put_values(vm, &layout, data + i * columns * size, text));
        if (i % 4096 == 0) TRY(vm_poll(vm));
    }
    if (argv[6].tag == V_STR) put_comment(text, argv[6].str, comments, newline);
out:
    mem_free(data);
    value_release(vm, format);
    str_free(&row);
    return rc;
}

/* Writes the file, compressed if its name ends in .gz. */
static gpa_code save(gpa_vm *vm, const char *path, const gpa_str *text) {
    FILE *f = NULL;
    gpa_str fresh;
    gpa_code rc = file_replace_begin(vm, path, &fresh);
    if (!rc) rc = gzip_fopen(vm, fresh.text, "wb", &f);
    if (f && fwrite(text->text, 1, text->len, f) != text->len) rc = os_error(vm, errno, path);
    if (f && fclose(f) && !rc) rc = os_error(vm, errno, path);
    return file_replace_end(vm, rc, path, &fresh);
}

gpa_code textio_savetxt(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_arr *a = NULL;
    gpa_str text;
    str_init(&text);
    gpa_code rc = arg_array(vm, argv[1], DT_NONE, &a);
    if (!rc && (a->ndim == 0 || a->ndim > 2))
        rc = vm_fail(vm, GPA_E_VALUE, "Expected 1D or 2D array, got %dD array instead",
                     (int)a->ndim);
    if (!rc) rc = save_rows(vm, a, argv, argv[4].tag == V_STR ? argv[4].str->text : "\n", &text);
    if (!rc && text.failed) rc = vm_no_memory(vm);
    const char *path;
    if (!rc && is_path(argv[0])) {
        rc = arg_path(vm, argv[0], &path);
        if (!rc) rc = save(vm, path, &text);
    } else if (!rc)
        rc = file_put(vm, argv[0], text.text, text.len);
    str_free(&text);
    arr_release(vm_rt(vm), a);
    return rc;
}
