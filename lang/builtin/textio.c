/* numpy.loadtxt, genfromtxt and savetxt.
 *
 * A reader holds the whole text and goes through it line by line: comments are cut off, a line is split into fields, and
 * each field wanted becomes one element of `data`. loadtxt is strict; genfromtxt fills gaps and gathers what is wrong with
 * the number of columns before it complains.
 *
 * Reading order: the text, options, one line, one field, the array, the two functions, savetxt. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/container.h"
#include "lang/format.h"
#include "lang/number.h"
#include "lang/number_text.h"
#include "lang/numpy/numpy.h"

enum { MOST_COLUMNS = 4096, MOST_WORDS = 16 };

typedef struct {
    const char *p;
    size_t n;
} field;

typedef struct {
    gpa_vm *vm;
    gpa_str text;
    const char *at, *end;
    field comments[MOST_WORDS], missing[MOST_WORDS];
    size_t n_comments, n_missing;
    field delimiter; /* n 0: spaces */
    int64_t skip, skip_end, most;
    int64_t use[MOST_COLUMNS];
    int n_use; /* 0: all columns */
    gpa_dtype dtype;
    bool lenient; /* genfromtxt */
    value filling; /* a number, a list of them by column, or NONE */
    gpa_str data;
    size_t columns, rows; /* columns: of the first row, as used */
    size_t width;         /* of the first row, as found */
    field fields[MOST_COLUMNS];
} reader;

/* ---- the text ---- */

static gpa_code text_of_items(gpa_vm *vm, value v, gpa_str *text) {
    value lines;
    gpa_code rc = vm_collect(vm, v, &lines);
    if (rc) return rc;
    for (size_t i = 0; i < lines.list->count && !rc; i++) {
        value line = lines.list->items[i];
        if (line.tag != V_STR && line.tag != V_BYTES) {
            rc = vm_fail(vm, GPA_E_TYPE, "fname must be a string, filehandle, list of strings, or generator");
            break;
        }
        str_putn(text, line.str->text, line.str->size);
        if (line.str->size == 0 || line.str->text[line.str->size - 1] != '\n') str_putc(text, '\n');
    }
    value_release(vm, lines);
    return rc;
}

static gpa_code read_text(gpa_vm *vm, value v, gpa_str *text) {
    FILE *given = file_stream(v), *f = given;
    if (!f && v.tag != V_STR) return text_of_items(vm, v, text);
    if (!f && !(f = fopen(v.str->text, "rb"))) {
        if (errno != ENOENT) return os_error(vm, errno, v.str->text);
        value words = v_strf(vm, "%s not found.", v.str->text);
        gpa_code rc = words.tag == V_UNSET ? GPA_E_MEMORY : vm_raise(vm, GPA_E_FILE_NOT_FOUND, 1, &words);
        value_release(vm, words);
        return rc;
    }
    gpa_code rc = file_slurp(vm, f, given ? NULL : v.str->text, text);
    if (!given) fclose(f);
    return rc;
}

static void reader_init(reader *r, gpa_vm *vm) {
    *r = (reader){.vm = vm, .most = -1, .dtype = DT_F64, .filling = v_none()};
    str_init(&r->text);
    str_init(&r->data);
}

static void reader_free(reader *r) {
    str_free(&r->text);
    str_free(&r->data);
}

/* ---- options ---- */

/* None, a str, or a sequence of str. */
static gpa_code words_of(gpa_vm *vm, value v, field *to, size_t *n) {
    *n = 0;
    if (v.tag == V_NONE) return GPA_OK;
    const value *items = v.tag == V_LIST ? v.list->items : v.tag == V_TUPLE ? v.tuple->items : &v;
    size_t count = v.tag == V_LIST ? v.list->count : v.tag == V_TUPLE ? v.tuple->count : 1;
    for (size_t i = 0; i < count && *n < MOST_WORDS; i++) {
        if (items[i].tag != V_STR) return vm_fail(vm, GPA_E_TYPE, "expected a str, got %s", value_type_name(items[i]));
        if (items[i].str->size) to[(*n)++] = (field){items[i].str->text, items[i].str->size};
    }
    return GPA_OK;
}

static gpa_code set_delimiter(reader *r, value v) {
    if (v.tag == V_NONE) return GPA_OK;
    if (v.tag != V_STR || (!r->lenient && v.str->length != 1)) {
        gpa_str shown;
        str_init(&shown);
        gpa_code rc = vm_repr(r->vm, v, &shown);
        if (!rc && r->lenient) rc = vm_fail(r->vm, GPA_E_TYPE, "delimiter must be a str: columns of fixed width are left out");
        else if (!rc)
            rc = vm_fail(r->vm, GPA_E_TYPE, "Text reading control character must be a single unicode character or None; but got: %s",
                         shown.text);
        str_free(&shown);
        return rc;
    }
    r->delimiter = (field){v.str->text, strcmp(v.str->text, " ") ? v.str->size : 0};
    return GPA_OK;
}

static gpa_code set_limits(reader *r, value skip, value most, value use) {
    gpa_code rc = arg_int(r->vm, skip, "skiprows", &r->skip);
    if (!rc && most.tag != V_NONE) rc = arg_int(r->vm, most, "max_rows", &r->most);
    if (!rc && use.tag != V_NONE) rc = arg_ints(r->vm, use, "usecols", MOST_COLUMNS, &r->n_use, r->use);
    return rc;
}

static gpa_code refuse(gpa_vm *vm, value v, const char *what) {
    if (v.tag == V_NONE || (v.tag == V_BOOL && !v.i)) return GPA_OK;
    return vm_fail(vm, GPA_E_UNSUPPORTED, "%s is left out in gpa: there are no records and no masks, and fields are read as numbers", what);
}

/* ---- one line ---- */

static field trimmed(field f) {
    while (f.n && (*f.p == ' ' || *f.p == '\t')) f.p++, f.n--;
    while (f.n && (f.p[f.n - 1] == ' ' || f.p[f.n - 1] == '\t')) f.n--;
    return f;
}

/* The next line without its end; false at the end of the text. */
static bool next_line(reader *r, field *line) {
    if (r->at >= r->end) return false;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    line->p = r->at;
    line->n = (size_t)((stop ? stop : r->end) - r->at);
    r->at = stop ? stop + 1 : r->end;
    if (line->n && line->p[line->n - 1] == '\r') line->n--;
    return true;
}

static void cut_comment(const reader *r, field *line) {
    for (size_t i = 0; i < r->n_comments; i++) {
        const char *at = memmem(line->p, line->n, r->comments[i].p, r->comments[i].n);
        if (at) line->n = (size_t)(at - line->p);
    }
}

/* Splits a line; how many fields it has. */
static size_t split(reader *r, field line) {
    size_t n = 0;
    if (r->delimiter.n == 0) {
        while (n < MOST_COLUMNS) {
            line = trimmed(line);
            if (line.n == 0) break;
            size_t len = 0;
            while (len < line.n && line.p[len] != ' ' && line.p[len] != '\t') len++;
            r->fields[n++] = (field){line.p, len};
            line.p += len;
            line.n -= len;
        }
        return n;
    }
    while (n < MOST_COLUMNS) {
        const char *at = memmem(line.p, line.n, r->delimiter.p, r->delimiter.n);
        size_t len = at ? (size_t)(at - line.p) : line.n;
        r->fields[n++] = trimmed((field){line.p, len});
        if (!at) break;
        line.p += len + r->delimiter.n;
        line.n -= len + r->delimiter.n;
    }
    return n;
}

/* ---- one field ---- */

static bool parse_field(field f, gpa_dtype t, gpa_val *v) {
    double re, im;
    int64_t i;
    if (dtype_is_complex(t)) {
        if (parse_complex(f.p, f.n, &re, &im) != PARSE_OK) return false;
        *v = dtype_cast((gpa_val){.C128 = {re, im}}, DT_C128, t);
    } else if (dtype_is_float(t)) {
        if (parse_float(f.p, f.n, &re) != PARSE_OK) return false;
        *v = dtype_cast((gpa_val){.F64 = re}, DT_F64, t);
    } else {
        if (parse_int(f.p, f.n, 10, &i) != PARSE_OK) return false;
        *v = dtype_cast((gpa_val){.I64 = i}, DT_I64, t);
    }
    return true;
}

/* What stands where nothing could be read: the filling of the column, else nan, or -1 for integers. */
static gpa_val filling(const reader *r, size_t column) {
    value f = r->filling;
    if (f.tag == V_LIST) f = column < f.list->count ? f.list->items[column] : v_none();
    if (f.tag == V_TUPLE) f = column < f.tuple->count ? f.tuple->items[column] : v_none();
    number n = number_of(f);
    if (n.kind == NUMBER_INT) return dtype_cast((gpa_val){.I64 = n.i}, DT_I64, r->dtype);
    if (n.kind != NUMBER_NOT) return dtype_cast((gpa_val){.C128 = {n.re, n.im}}, DT_C128, r->dtype);
    if (dtype_is_int(r->dtype) || r->dtype == DT_BOOL) return dtype_cast((gpa_val){.I64 = -1}, DT_I64, r->dtype);
    return dtype_cast((gpa_val){.F64 = NAN}, DT_F64, r->dtype);
}

static bool is_missing(const reader *r, field f) {
    if (f.n == 0) return true;
    for (size_t i = 0; i < r->n_missing; i++)
        if (r->missing[i].n == f.n && memcmp(r->missing[i].p, f.p, f.n) == 0) return true;
    return false;
}

static gpa_code put_field(reader *r, field f, size_t column) {
    gpa_val v;
    char bytes[16];
    if (r->lenient && is_missing(r, f)) v = filling(r, column);
    else if (!parse_field(f, r->dtype, &v)) {
        if (!r->lenient)
            return vm_fail(r->vm, GPA_E_VALUE, "could not convert string '%.*s' to %s at row %zu, column %zu.", (int)f.n, f.p,
                           dtype_info[r->dtype].name, r->rows, column + 1);
        v = filling(r, column);
    }
    dtype_store(bytes, r->dtype, v);
    str_putn(&r->data, bytes, dtype_size(r->dtype));
    return GPA_OK;
}

/* ---- rows ---- */

static gpa_code put_row(reader *r, size_t found) {
    gpa_code rc = GPA_OK;
    size_t n = r->n_use ? (size_t)r->n_use : found;
    for (size_t i = 0; i < n && !rc; i++) {
        int64_t column = r->n_use ? r->use[i] : (int64_t)i;
        if (column < 0) column += (int64_t)found;
        if (column < 0 || column >= (int64_t)found)
            return vm_fail(r->vm, GPA_E_VALUE, "invalid column index %lld at row %zu with %zu columns", (long long)r->use[i], r->rows + 1,
                           found);
        rc = put_field(r, r->fields[column], (size_t)column);
    }
    r->columns = n;
    r->rows++;
    return rc;
}

/* Reads all rows. Lines with another number of columns are an error at once, or for genfromtxt one at the end. */
static gpa_code read_rows(reader *r) {
    field line;
    gpa_str wrong;
    gpa_code rc = GPA_OK;
    size_t line_number = 0;
    str_init(&wrong);
    r->at = r->text.text;
    r->end = r->at + r->text.len;
    while (r->skip > 0 && next_line(r, &line)) {
        r->skip--;
        line_number++;
    }
    while (!rc && (r->most < 0 || (int64_t)r->rows < r->most) && next_line(r, &line)) {
        line_number++;
        cut_comment(r, &line);
        if (trimmed(line).n == 0) continue;
        size_t n = split(r, line);
        if (r->width == 0) r->width = n;
        if (n == r->width || (!r->lenient && r->n_use)) rc = put_row(r, n);
        else if (r->lenient) {
            if (wrong.len < 600) str_printf(&wrong, "\n    Line #%zu (got %zu columns instead of %zu)", line_number, n, r->width);
        } else
            rc = vm_fail(r->vm, GPA_E_VALUE,
                         "the number of columns changed from %zu to %zu at row %zu; use `usecols` to select a subset and avoid this "
                         "error",
                         r->width, n, r->rows + 1);
        if (!rc && line_number % 4096 == 0) rc = vm_poll(r->vm);
    }
    if (!rc && wrong.len) rc = vm_fail(r->vm, GPA_E_VALUE, "Some errors were detected !%s", wrong.text);
    str_free(&wrong);
    return !rc && r->data.failed ? vm_no_memory(r->vm) : rc;
}

/* ---- the array ---- */

/* Axes of one element go, down to `ndmin` of them. */
static int squeeze(int64_t shape[2], int64_t ndmin) {
    bool row = shape[0] == 1, column = shape[1] == 1;
    if (ndmin >= 2 || (!row && !column)) return 2;
    if (row && column) {
        shape[0] = 1;
        return ndmin == 1 ? 1 : 0;
    }
    if (row) shape[0] = shape[1];
    return 1;
}

static gpa_code give_rows(reader *r, value ndmin_value, value unpack_value, value *out) {
    gpa_rt *rt = vm_rt(r->vm);
    int64_t ndmin, shape[2] = {(int64_t)r->rows, (int64_t)r->columns};
    bool unpack = false;
    gpa_arr *a = NULL, *turned = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_int(r->vm, ndmin_value, "ndmin", &ndmin));
    TRY(value_truth(r->vm, unpack_value, &unpack));
    if (ndmin < 0 || ndmin > 2) TRY(vm_fail(r->vm, GPA_E_VALUE, "Illegal value of ndmin keyword: %lld", (long long)ndmin));
    int ndim = r->rows == 0 ? (ndmin == 2 ? 2 : 1) : squeeze(shape, ndmin);
    if (r->rows == 0 && ndim == 2) shape[1] = 1;
    TRY(arr_from(rt, r->dtype, ndim, shape, r->data.text, &a, vm_err(r->vm)));
    if (unpack && ndim == 2) {
        TRY(arr_transpose(rt, a, NULL, &turned, vm_err(r->vm)));
        arr_release(rt, a);
        a = turned;
    }
    rc = np_return_array(r->vm, a, out);
    a = NULL;
out:
    arr_release(rt, a);
    return rc;
}

static gpa_code warn_empty(gpa_vm *vm, const char *words, value source) {
    gpa_str shown;
    str_init(&shown);
    gpa_code rc = vm_str(vm, source, &shown);
    if (!rc) rc = vm_warn(vm, GPA_E_USER_WARNING, "%s: \"%s\"", words, shown.text);
    str_free(&shown);
    return rc;
}

gpa_code textio_loadtxt(gpa_vm *vm, value *argv, value *out) {
    reader *r = mem_new(sizeof *r);
    if (!r) return vm_no_memory(vm);
    reader_init(r, vm);
    gpa_code rc = GPA_OK;
    TRY(refuse(vm, argv[4], "converters="));
    if (argv[1].tag != V_UNSET) TRY(arg_dtype(vm, argv[1], &r->dtype));
    if (r->dtype == DT_NONE) r->dtype = DT_F64;
    TRY(words_of(vm, argv[2], r->comments, &r->n_comments));
    TRY(set_delimiter(r, argv[3]));
    TRY(set_limits(r, argv[5], argv[10], argv[6]));
    TRY(read_text(vm, argv[0], &r->text));
    TRY(read_rows(r));
    if (r->rows == 0) TRY(warn_empty(vm, "loadtxt: input contained no data", argv[0]));
    TRY(give_rows(r, argv[8], argv[7], out));
out:
    reader_free(r);
    mem_free(r);
    return rc;
}

/* dtype=None: int64 when every field is an integer, else float64. */
static gpa_code infer_dtype(reader *r) {
    reader *probe = mem_new(sizeof *probe);
    if (!probe) return vm_no_memory(r->vm);
    *probe = *r;
    probe->dtype = DT_I64;
    probe->lenient = false;
    str_init(&probe->data);
    gpa_code rc = read_rows(probe);
    str_free(&probe->data);
    mem_free(probe);
    r->dtype = rc ? DT_F64 : DT_I64;
    if (rc == GPA_E_VALUE) vm_clear_error(r->vm);
    return rc == GPA_E_VALUE ? GPA_OK : rc;
}

/* Drops lines at the end of the text. */
static void drop_footer(reader *r, int64_t lines) {
    size_t end = r->text.len;
    while (end && r->text.text[end - 1] == '\n') end--;
    for (; lines > 0 && end; lines--) {
        while (end && r->text.text[end - 1] != '\n') end--;
        if (end && lines > 1) end--;
    }
    str_cut(&r->text, end);
}

gpa_code textio_genfromtxt(gpa_vm *vm, value *argv, value *out) {
    reader *r = mem_new(sizeof *r);
    if (!r) return vm_no_memory(vm);
    reader_init(r, vm);
    r->lenient = true;
    gpa_code rc = GPA_OK;
    TRY(refuse(vm, argv[6], "converters="));
    TRY(refuse(vm, argv[10], "names="));
    TRY(refuse(vm, argv[18], "usemask="));
    bool infer = argv[1].tag == V_NONE;
    if (!infer && argv[1].tag != V_UNSET) TRY(arg_dtype(vm, argv[1], &r->dtype));
    TRY(words_of(vm, argv[2], r->comments, &r->n_comments));
    TRY(set_delimiter(r, argv[3]));
    TRY(set_limits(r, argv[4], argv[21], argv[9]));
    TRY(arg_int(vm, argv[5], "skip_footer", &r->skip_end));
    TRY(words_of(vm, argv[7], r->missing, &r->n_missing));
    r->filling = argv[8];
    TRY(read_text(vm, argv[0], &r->text));
    drop_footer(r, r->skip_end);
    if (infer) TRY(infer_dtype(r));
    TRY(read_rows(r));
    if (r->rows == 0) TRY(warn_empty(vm, "genfromtxt: Empty input file", argv[0]));
    TRY(give_rows(r, argv[23], argv[17], out));
out:
    reader_free(r);
    mem_free(r);
    return rc;
}

/* ---- savetxt ---- */

/* The fields that a format asks for. */
static size_t count_fields(const char *fmt) {
    size_t n = 0;
    for (const char *p = fmt; *p; p++) {
        if (*p != '%') continue;
        if (p[1] == '%') p++;
        else n++;
    }
    return n;
}

static gpa_code put_joined(gpa_vm *vm, const list_obj *formats, const char *delimiter, gpa_str *row) {
    for (size_t i = 0; i < formats->count; i++) {
        if (formats->items[i].tag != V_STR) return vm_fail(vm, GPA_E_VALUE, "invalid fmt: a list of str is expected");
        str_put(row, i ? delimiter : "");
        str_put(row, formats->items[i].str->text);
    }
    return GPA_OK;
}

/* The format of a whole row of n columns. */
static gpa_code row_format(gpa_vm *vm, value fmt, const char *delimiter, size_t n, bool complex_parts, gpa_str *row) {
    if (fmt.tag == V_LIST || fmt.tag == V_TUPLE) {
        value items;
        gpa_code rc = vm_collect(vm, fmt, &items);
        if (!rc && items.list->count != n) {
            gpa_str shown;
            str_init(&shown);
            rc = vm_repr(vm, fmt, &shown);
            if (!rc) rc = vm_fail(vm, GPA_E_ATTRIBUTE, "fmt has wrong shape.  %s", shown.text);
            str_free(&shown);
        }
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
            if (complex_parts) str_printf(row, " (%s+%sj)", f, f);
            else str_put(row, f);
        }
    else if (fields == (complex_parts ? 2 * n : n)) str_put(row, f);
    else return vm_fail(vm, GPA_E_VALUE, "fmt has wrong number of %% formats:  %s", f);
    return GPA_OK;
}

/* Lines of a header or footer, each behind the comment sign. */
static void put_comment(gpa_str *text, const str_obj *s, const char *comments, const char *newline) {
    if (s->size == 0) return;
    str_put(text, comments);
    for (const char *p = s->text; *p; p++) {
        str_putc(text, *p);
        if (*p == '\n') str_put(text, comments);
    }
    str_put(text, newline);
}

/* One row by its format, with "+-" as "-". */
static gpa_code put_values(gpa_vm *vm, const gpa_arr *a, const char *data, size_t columns, value format, const char *newline, gpa_str *text) {
    gpa_dtype t = (gpa_dtype)a->dtype, part = dtype_info[t].real;
    bool two = dtype_is_complex(t);
    value row = v_tuple(vm, two ? 2 * columns : columns, NULL);
    if (row.tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < row.tuple->count; i++) {
        gpa_dtype item = two ? part : t;
        row.tuple->items[i] = v_num(vm, item, dtype_load(data + i * dtype_size(item), item));
    }
    gpa_str line;
    str_init(&line);
    gpa_code rc = format_percent(vm, format.str, row, &line);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        rc = vm_fail(vm, GPA_E_TYPE, "Mismatch between array dtype ('%s') and format specifier ('%s')", dtype_info[t].name,
                     format.str->text);
    }
    for (const char *p = line.text; !rc && *p; p++)
        if (p[0] != '+' || p[1] != '-' || !two) str_putc(text, *p);
    str_put(text, newline);
    str_free(&line);
    value_release(vm, row);
    return rc;
}

static gpa_code save_rows(gpa_vm *vm, gpa_arr *a, value *argv, const char *newline, gpa_str *text) {
    size_t rows = a->ndim ? (size_t)a->shape[0] : 1, columns = a->ndim == 2 ? (size_t)a->shape[1] : 1;
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
    for (size_t i = 0; i < rows; i++) {
        TRY(put_values(vm, a, data + i * columns * size, columns, format, newline, text));
        if (i % 4096 == 0) TRY(vm_poll(vm));
    }
    if (argv[6].tag == V_STR) put_comment(text, argv[6].str, comments, newline);
out:
    mem_free(data);
    value_release(vm, format);
    str_free(&row);
    return rc;
}

gpa_code textio_savetxt(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_arr *a = NULL;
    gpa_str text;
    str_init(&text);
    gpa_code rc = arg_array(vm, argv[1], DT_NONE, &a);
    if (!rc && (a->ndim == 0 || a->ndim > 2))
        rc = vm_fail(vm, GPA_E_VALUE, "Expected 1D or 2D array, got %dD array instead", (int)a->ndim);
    if (!rc) rc = save_rows(vm, a, argv, argv[4].tag == V_STR ? argv[4].str->text : "\n", &text);
    if (!rc && text.failed) rc = vm_no_memory(vm);
    if (!rc && argv[0].tag == V_STR) {
        FILE *f = fopen(argv[0].str->text, "wb");
        bool bad = !f || fwrite(text.text, 1, text.len, f) != text.len;
        if (f) bad = fclose(f) != 0 || bad;
        if (bad) rc = os_error(vm, errno, argv[0].str->text);
    } else if (!rc) rc = file_put(vm, argv[0], text.text, text.len);
    str_free(&text);
    arr_release(vm_rt(vm), a);
    return rc;
}
