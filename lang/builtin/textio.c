/* numpy.loadtxt, and native functions of numpy.genfromtxt
 * (lang/library/numpy/__init__/genfromtxt.gpa) and numpy.fromstring.
 *
 * A reader holds the whole text and iterates over its lines; each selected field becomes one
 * element of `data`. loadtxt is strict; genfromtxt fills missing values, and reports all lines with
 * a wrong number of columns at the end.
 *
 * Reading order: the text, options, one field, rows, the array, the functions. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/builtin/gzip.h"
#include "lang/builtin/textfields.h"
#include "lang/object/container.h"
#include "lang/object/number.h"
#include "lang/text/number_text.h"
#include "lang/text/text.h"
#include "lang/vm/array_args.h"
#include "lang/vm/vm.h"

enum { MAX_USECOLS = 4096 };

/* Types of fields in the order in which genfromtxt tries them: the result of
 * _genfromtxt(what=KINDS). */
typedef enum { KIND_NONE, KIND_BOOL, KIND_INT, KIND_FLOAT, KIND_COMPLEX, KIND_TEXT } field_kind;

/* Result of a read: an array of numbers, the types of columns, or the fields as strings. */
typedef enum { NUMBERS, KINDS, TEXTS } wanted;

typedef struct {
    gpa_vm *vm;
    gpa_str text;
    text_fields t;
    int64_t skip, most; /* lines to skip; number of rows to read, -1: all */
    int64_t use[MAX_USECOLS], widths[MAX_USECOLS];
    int n_use; /* 0: all columns */
    gpa_dtype dtype;
    wanted what;
    bool lenient, loose, invalid_raise; /* lenient: genfromtxt */
    value converters;                   /* NONE, a callable, or a dict of them by column */
    value missing, missing_by;          /* a list of strings; a dict of such lists by column */
    value filling, filling_by;          /* a number or NONE; a dict of them by column */
    gpa_str data, wrong;                /* wrong: report of lines with another number of columns */
    size_t columns, rows;               /* columns: those used of the first row */
    size_t width;                       /* number of fields of the first row */
    value found;                        /* KINDS and TEXTS: a list with an item per column */
} reader;

/* ---- the text ---- */

static gpa_code text_of_items(gpa_vm *vm, value v, bool lenient, gpa_str *text) {
    value lines;
    if (v.tag != V_LIST && v.tag != V_TUPLE && v.tag != V_ITER && v.tag != V_RANGE &&
        v.tag != V_SET)
        return lenient ? vm_fail(vm, GPA_E_TYPE,
                                 "fname must be a string, a filehandle, a sequence of strings,\nor "
                                 "an iterator of strings. Got <class '%s'> instead.",
                                 value_type_name(v))
                       : vm_fail(vm, GPA_E_VALUE,
                                 "fname must be a string, filehandle, list of strings,\nor "
                                 "generator. Got <class '%s'> instead.",
                                 value_type_name(v));
    gpa_code rc = vm_collect(vm, v, &lines);
    if (rc) return rc;
    for (size_t i = 0; i < lines.list->count && !rc; i++) {
        value line = lines.list->items[i];
        if (line.tag != V_STR && line.tag != V_BYTES) {
            rc = vm_fail(vm, GPA_E_TYPE,
                         "fname must be a string, filehandle, list of strings, or generator");
            break;
        }
        str_putn(text, line.str->text, line.str->size);
        if (line.str->size == 0 || line.str->text[line.str->size - 1] != '\n') str_putc(text, '\n');
    }
    value_release(vm, lines);
    return rc;
}

static gpa_code read_file(gpa_vm *vm, value v, gpa_str *text) {
    FILE *given = file_stream(v), *f = given;
    const char *path = NULL;
    gpa_code rc = given ? GPA_OK : arg_path(vm, v, &path);
    if (!rc && !given) rc = gzip_fopen(vm, path, "rb", &f);
    if (rc == GPA_E_FILE_NOT_FOUND) {
        vm_clear_error(vm);
        value message = v_strf(vm, "%s not found.", path);
        rc =
            message.tag == V_UNSET ? GPA_E_MEMORY : vm_raise(vm, GPA_E_FILE_NOT_FOUND, 1, &message);
        value_release(vm, message);
    }
    if (rc) return rc;
    rc = file_read_all(vm, f, path, SIZE_MAX, text);
    if (!given) fclose(f);
    return rc;
}

/* Reads the text, as UTF-8, and sets the position to its start; encoding "utf-8-sig" skips a byte
 * order mark. */
static gpa_code read_text(reader *r, value from, value encoding) {
    static const char mark[] = "\xEF\xBB\xBF";
    const char *name = encoding.tag == V_STR ? encoding.str->text : "";
    if (strncasecmp(name, "utf-16", 6) == 0 || strncasecmp(name, "utf-32", 6) == 0)
        return vm_fail(r->vm, GPA_E_UNSUPPORTED, "gpa reads text as UTF-8, not as '%s'", name);
    gpa_code rc = file_stream(from) || is_path(from)
                      ? read_file(r->vm, from, &r->text)
                      : text_of_items(r->vm, from, r->lenient, &r->text);
    if (!rc && r->text.failed) rc = vm_no_memory(r->vm);
    if (rc || !r->text.len) return rc;
    bool marked = (strcasecmp(name, "utf-8-sig") == 0 || strcasecmp(name, "utf_8_sig") == 0) &&
                  strncmp(r->text.text, mark, 3) == 0;
    r->t.at = r->text.text + (marked ? 3 : 0);
    r->t.end = r->text.text + r->text.len;
    return GPA_OK;
}

static void reader_init(reader *r, gpa_vm *vm) {
    value none = v_none();
    *r = (reader){.vm = vm, .most = -1, .dtype = DT_F64, .invalid_raise = true, .loose = true};
    r->converters = r->missing = r->missing_by = r->filling = r->filling_by = r->found = none;
    text_fields_init(&r->t, "", 0);
    str_init(&r->text);
    str_init(&r->data);
    str_init(&r->wrong);
}

static void reader_free(reader *r) {
    if (!r) return;
    text_fields_free(&r->t);
    str_free(&r->text);
    str_free(&r->data);
    str_free(&r->wrong);
    value_release(r->vm, r->found);
    mem_free(r);
}

/* ---- options ---- */

static gpa_code set_comments(reader *r, value v) {
    if (v.tag == V_NONE) return GPA_OK;
    const value *items = v.tag == V_LIST ? v.list->items : v.tag == V_TUPLE ? v.tuple->items : &v;
    size_t count = v.tag == V_LIST ? v.list->count : v.tag == V_TUPLE ? v.tuple->count : 1;
    if (count > MAX_COMMENTS)
        return vm_fail(r->vm, GPA_E_VALUE, "at most %d comment signs are looked for", MAX_COMMENTS);
    for (size_t i = 0; i < count; i++) {
        if (items[i].tag != V_STR && items[i].tag != V_BYTES)
            return vm_fail(r->vm, GPA_E_TYPE, "expected a str, got %s", value_type_name(items[i]));
        if (items[i].str->size)
            r->t.comments[r->t.n_comments++] = (field){items[i].str->text, items[i].str->size};
        else if (!r->lenient)
            return vm_fail(r->vm, GPA_E_VALUE,
                           "comments cannot be an empty string. Use comments=None to disable "
                           "comments.");
    }
    return GPA_OK;
}

/* ---- control characters of loadtxt ---- */

static bool is_newline(field f) { return f.n == 1 && (*f.p == '\n' || *f.p == '\r'); }

static bool is_space(field f) {
    size_t length;
    return f.n && text_is_space(text_decode(f.p, f.n, &length)) && length == f.n;
}

static bool same_text(field a, field b) { return a.n && a.n == b.n && memcmp(a.p, b.p, a.n) == 0; }

/* Rejects newlines and characters with two meanings, of which white space is one without a
 * delimiter; and with quotes comment signs other than one character. */
static gpa_code check_controls(reader *r, value delimiter) {
    const text_fields *t = &r->t;
    const bool one = t->n_comments == 1 && text_count(t->comments[0].p, t->comments[0].n) == 1;
    const field none = {"", 0}, quote = {&t->quote, t->quote != 0},
                comment = one ? t->comments[0] : none,
                parting = delimiter.tag == V_NONE
                              ? none
                              : (field){delimiter.str->text, delimiter.str->size};
    for (size_t i = 0; i < t->n_comments && !one; i++)
        if (same_text(t->comments[i], parting))
            return vm_fail(r->vm, GPA_E_TYPE,
                           "Comment characters cannot include the delimiter '%.*s'", (int)parting.n,
                           parting.p);
    if (t->n_comments && !one && quote.n)
        return vm_fail(r->vm, GPA_E_VALUE,
                       "when multiple comments or a multi-character comment is given, quotes are "
                       "not supported.  In this case quotechar must be set to None.");
    const struct {
        const char *name, *other;
        bool newline, clash;
    } rules[] = {
        {"comment", "quotechar", is_newline(comment), same_text(comment, quote)},
        {"comment", "delimiter", false, same_text(comment, parting)},
        {"quotechar", "delimiter", is_newline(quote), same_text(quote, parting)},
        {"delimiter", "comment", is_newline(parting), !parting.n && is_space(comment)},
        {"delimiter", "quotechar", false, !parting.n && is_space(quote)},
    };
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        if (rules[i].newline)
            return vm_fail(r->vm, GPA_E_TYPE,
                           "The control character '%s' cannot be a newline (`\\r` or `\\n`).",
                           rules[i].name);
        if (rules[i].clash)
            return vm_fail(r->vm, GPA_E_TYPE,
                           "The values for control characters '%s' and '%s' are incompatible",
                           rules[i].name, rules[i].other);
    }
    return GPA_OK;
}

static gpa_code fail_control_character(gpa_vm *vm, value v) {
    return vm_fail_showing(
        vm, GPA_E_TYPE,
        "Text reading control character must be a single unicode character or None; but got: ", v,
        "");
}

static gpa_code set_delimiter(reader *r, value v) {
    if (v.tag == V_NONE) return GPA_OK;
    if ((v.tag == V_STR || v.tag == V_BYTES) && (r->lenient || v.str->length == 1)) {
        r->t.delimiter = (field){v.str->text, strcmp(v.str->text, " ") ? v.str->size : 0};
        return GPA_OK;
    }
    if (!r->lenient) return fail_control_character(r->vm, v);
    int n = 0;
    gpa_code rc = arg_ints(r->vm, v, "delimiter", MAX_USECOLS, &n, r->widths);
    for (int i = 0; i < n && !rc; i++)
        if (r->widths[i] <= 0)
            rc = vm_fail(r->vm, GPA_E_VALUE, "widths of columns must be positive");
    r->t.widths = r->widths;
    r->t.n_widths = (size_t)n;
    return rc;
}

static gpa_code set_quote(reader *r, value v) {
    if (v.tag == V_NONE) return GPA_OK;
    if (v.tag != V_STR || v.str->length != 1) return fail_control_character(r->vm, v);
    if (v.str->size != 1)
        return vm_fail(r->vm, GPA_E_UNSUPPORTED, "a quote must be an ASCII character");
    r->t.quote = *v.str->text;
    return GPA_OK;
}

static gpa_code set_columns(reader *r, value use) {
    if (use.tag == V_NONE) return GPA_OK;
    const value *items = use.tag == V_LIST    ? use.list->items
                         : use.tag == V_TUPLE ? use.tuple->items
                                              : &use;
    size_t count = use.tag == V_LIST ? use.list->count : use.tag == V_TUPLE ? use.tuple->count : 1;
    for (size_t i = 0; i < count; i++)
        if (items[i].tag == V_STR || items[i].tag == V_FLOAT || items[i].tag == V_NONE)
            return vm_fail(r->vm, GPA_E_TYPE,
                           "usecols must be an int or a sequence of ints but it contains at least "
                           "one element of type '%s'",
                           value_type_name(items[i]));
    return arg_ints(r->vm, use, "usecols", MAX_USECOLS, &r->n_use, r->use);
}

static gpa_code set_limits(reader *r, value skip, value most) {
    gpa_code rc = GPA_OK;
    if (!r->lenient && (skip.tag == V_FLOAT || most.tag == V_FLOAT))
        return vm_fail(r->vm, GPA_E_TYPE, "argument must be an integer");
    rc = arg_int(r->vm, skip, "skiprows", &r->skip);
    if (!rc && most.tag != V_NONE) rc = arg_int(r->vm, most, "max_rows", &r->most);
    if (!rc && (r->skip < 0 || (most.tag != V_NONE && r->most < 0)) && !r->lenient)
        rc = vm_fail(r->vm, GPA_E_VALUE, "argument must be nonnegative");
    return rc;
}

static gpa_code set_converters(reader *r, value v) {
    r->converters = v;
    if (v.tag == V_NONE) return GPA_OK;
    if (v.tag != V_DICT)
        return vm_callable(v) ? GPA_OK
                              : vm_fail(r->vm, GPA_E_TYPE,
                                        "converters must be a dictionary mapping columns to "
                                        "converter functions or a single callable.");
    size_t at = 0;
    for (const dict_entry *e; (e = dict_next(v.dict, &at));) {
        int64_t column;
        gpa_code rc = arg_int(r->vm, e->key, "converters", &column);
        if (rc) return rc;
        if (!vm_callable(e->v))
            return vm_fail(r->vm, GPA_E_TYPE,
                           "values of the converters dictionary must be callable, but the value "
                           "associated with key %lld is not",
                           (long long)column);
    }
    return GPA_OK;
}

/* ---- one field ---- */

/* The entry of a dict for a column, counted from either end; UNSET if there is none. Borrowed. */
static value by_column(const reader *r, value dict, size_t column) {
    dict_entry *e = NULL;
    if (dict.tag != V_DICT) return v_unset();
    if (!dict_find_peek(r->vm, dict.dict, v_int((int64_t)column), &e) && !e)
        dict_find_peek(r->vm, dict.dict, v_int((int64_t)column - (int64_t)r->t.n), &e);
    return e ? e->v : v_unset();
}

/* Parses a complex number as loadtxt does: white space around it within the parentheses, and "+-"
 * before the imaginary part. */
static bool parse_complex_field(field f, double *re, double *im) {
    char plain[256];
    if (f.n > 1 && f.p[0] == '(' && f.p[f.n - 1] == ')')
        f = field_content((field){f.p + 1, f.n - 2});
    if (f.n >= sizeof plain) return parse_complex(f.p, f.n, re, im) == PARSE_OK;
    size_t n = 0;
    for (size_t i = 0; i < f.n; i++)
        if (f.p[i] != '+' || i + 1 == f.n || f.p[i + 1] != '-') plain[n++] = f.p[i];
    return parse_complex(plain, n, re, im) == PARSE_OK;
}

static bool parse_field(field f, gpa_dtype t, gpa_val *v) {
    double re, im;
    int64_t i;
    f = field_content(f);
    if (memchr(f.p, '_', f.n)) return false;
    if (dtype_is_complex(t)) {
        if (!parse_complex_field(f, &re, &im)) return false;
        *v = dtype_cast((gpa_val){.C128 = {re, im}}, DT_C128, t);
    } else if (dtype_is_float(t)) {
        if (parse_float(f.p, f.n, &re) != PARSE_OK) return false;
        *v = dtype_cast((gpa_val){.F64 = re}, DT_F64, t);
    } else {
        int_digits digits;
        if (parse_int(f.p, f.n, 10, &i, &digits) != PARSE_OK) return false;
        if (arr_check_number(&(gpa_opnd){.weak = WEAK_INT, .dtype = DT_I64, .v.I64 = i}, t, NULL))
            return false;
        *v = dtype_cast((gpa_val){.I64 = i}, DT_I64, t);
    }
    return true;
}

static bool is_word(field f, value word) {
    return word.tag == V_STR && word.str->size == f.n && memcmp(word.str->text, f.p, f.n) == 0;
}

static bool is_missing(const reader *r, field f, size_t column) {
    f = field_trimmed(f);
    if (f.n == 0) return true;
    value lists[2] = {r->missing, by_column(r, r->missing_by, column)};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; lists[k].tag == V_LIST && i < lists[k].list->count; i++)
            if (is_word(f, lists[k].list->items[i])) return true;
    return false;
}

/* The value of a missing field: the filling of the column, else nan, or -1 for integers. */
static gpa_val filling(const reader *r, size_t column) {
    value f = by_column(r, r->filling_by, column);
    number n = number_of(f.tag == V_UNSET ? r->filling : f);
    if (n.kind == NUMBER_INT) return dtype_cast((gpa_val){.I64 = n.i}, DT_I64, r->dtype);
    if (n.kind != NUMBER_NOT) return dtype_cast((gpa_val){.C128 = {n.re, n.im}}, DT_C128, r->dtype);
    if (r->dtype == DT_BOOL) return (gpa_val){.BOOL = false};
    if (dtype_is_int(r->dtype)) return dtype_cast((gpa_val){.I64 = -1}, DT_I64, r->dtype);
    return dtype_cast((gpa_val){.F64 = NAN}, DT_F64, r->dtype);
}

static gpa_code fail_conversion(reader *r, field f, size_t column) {
    gpa_str shown;
    str_init(&shown);
    value text = v_str(r->vm, f.p, f.n);
    gpa_code rc = text.tag == V_UNSET ? GPA_E_MEMORY : vm_repr(r->vm, text, &shown);
    value_release(r->vm, text);
    if (!rc && shown.failed) rc = vm_no_memory(r->vm);
    if (!rc && r->lenient)
        rc = vm_fail(r->vm, GPA_E_VALUE, "Cannot convert string %s", shown.text);
    else if (!rc)
        rc =
            vm_fail(r->vm, GPA_E_VALUE, "could not convert string %s to %s at row %zu, column %zu.",
                    shown.text, dtype_info[r->dtype].name, r->rows, column + 1);
    str_free(&shown);
    return rc;
}

/* Converts a field by a converter; *good is false after a conversion error. */
static gpa_code call_converter(reader *r, value convert, field f, gpa_val *v, bool *good) {
    gpa_vm *vm = r->vm;
    gpa_opnd made = {.arr = NULL};
    value text = v_str(vm, f.p, f.n), result = v_none();
    gpa_code rc =
        text.tag == V_UNSET ? GPA_E_MEMORY : vm_call(vm, convert, ARGS(1, &text), &result);
    if (!rc) rc = arg_element(vm, result, r->dtype, &made);
    if (!rc && made.arr) rc = vm_fail(vm, GPA_E_VALUE, "a converter must give numbers");
    if (!rc) rc = arr_check_number(&made, r->dtype, vm_err(vm));
    *good = !rc;
    if (!rc) *v = dtype_cast(made.v, made.dtype, r->dtype);
    arg_opnd_release(vm, &made);
    value_release(vm, result);
    value_release(vm, text);
    if (!rc || rc == GPA_E_MEMORY || !gpa_err_is(rc, r->lenient ? GPA_E_VALUE : GPA_E_EXCEPTION))
        return rc;
    vm_clear_error(vm);
    return GPA_OK;
}

static gpa_code put_number(reader *r, field f, size_t column) {
    gpa_val v;
    char bytes[16];
    value convert = r->converters.tag == V_NONE  ? v_unset()
                    : vm_callable(r->converters) ? r->converters
                                                 : by_column(r, r->converters, column);
    bool good = true;
    gpa_code rc = GPA_OK;
    if (convert.tag != V_UNSET)
        rc = call_converter(r, convert, f, &v, &good);
    else
        good = parse_field(f, r->dtype, &v);
    if (rc) return rc;
    if (!good && !(r->lenient && (r->loose || is_missing(r, f, column))))
        return fail_conversion(r, f, column);
    if (!good) v = filling(r, column);
    dtype_store(bytes, r->dtype, v);
    str_putn(&r->data, bytes, dtype_size(r->dtype));
    return GPA_OK;
}

static field_kind kind_of(field f) {
    gpa_val v;
    f = field_trimmed(f);
    if ((f.n == 4 && strncasecmp(f.p, "true", 4) == 0) ||
        (f.n == 5 && strncasecmp(f.p, "false", 5) == 0))
        return KIND_BOOL;
    return parse_field(f, DT_I64, &v)    ? KIND_INT
           : parse_field(f, DT_F64, &v)  ? KIND_FLOAT
           : parse_field(f, DT_C128, &v) ? KIND_COMPLEX
                                         : KIND_TEXT;
}

/* The common type of two fields: numbers are promoted, other combinations are text. */
static field_kind common_kind(field_kind a, field_kind b) {
    if (a == KIND_NONE || a == b) return b;
    return a == KIND_BOOL || b == KIND_BOOL ? KIND_TEXT : MAX(a, b);
}

/* Updates the i-th item of `found` by a field. */
static gpa_code update_column(reader *r, field f, size_t i, size_t column) {
    list_obj *all = r->found.list;
    if (i == all->count) {
        value empty = r->what == KINDS ? v_int(KIND_NONE) : v_list(r->vm, 0, NULL);
        gpa_code rc = empty.tag == V_UNSET ? GPA_E_MEMORY : list_append(r->vm, all, empty);
        value_release(r->vm, empty);
        if (rc) return rc;
    }
    if (r->what == KINDS) {
        if (!is_missing(r, f, column))
            all->items[i] = v_int(common_kind((field_kind)all->items[i].i, kind_of(f)));
        return GPA_OK;
    }
    f = field_trimmed(f);
    value text = v_str(r->vm, f.p, f.n);
    gpa_code rc = text.tag == V_UNSET ? GPA_E_MEMORY : list_append(r->vm, all->items[i].list, text);
    value_release(r->vm, text);
    return rc;
}

/* ---- rows ---- */

/* Index of the i-th selected column in the current line; false if the line is too short. */
static bool column_at(const reader *r, size_t i, size_t *column) {
    int64_t at = r->n_use ? r->use[i] : (int64_t)i;
    if (at < 0) at += (int64_t)r->t.n;
    *column = (size_t)at;
    return at >= 0 && at < (int64_t)r->t.n;
}

static gpa_code put_row(reader *r) {
    gpa_code rc = GPA_OK;
    size_t n = r->n_use ? (size_t)r->n_use : r->t.n, column;
    for (size_t i = 0; i < n && !rc; i++) {
        if (!column_at(r, i, &column))
            return vm_fail(r->vm, GPA_E_VALUE,
                           "invalid column index %lld at row %zu with %zu columns",
                           (long long)r->use[i], r->rows + 1, r->t.n);
        rc = r->what == NUMBERS ? put_number(r, r->t.fields[column], column)
                                : update_column(r, r->t.fields[column], i, column);
    }
    r->columns = n;
    r->rows++;
    return rc;
}

static gpa_code check_converters(reader *r) {
    size_t at = 0;
    for (const dict_entry *e;
         r->converters.tag == V_DICT && !r->lenient && (e = dict_next(r->converters.dict, &at));) {
        int64_t column = number_of(e->key).i, n = (int64_t)r->t.n;
        if (column < -n || column >= n)
            return vm_fail(r->vm, GPA_E_VALUE,
                           "converter specified for column %lld, which is invalid for the number "
                           "of fields %lld.",
                           (long long)column, (long long)n);
    }
    return GPA_OK;
}

/* True if the line has the right number of columns, or with usecols the selected ones. */
static bool has_columns(const reader *r) {
    size_t column;
    if (!r->n_use) return r->t.n == r->width;
    for (size_t i = 0; r->lenient && i < (size_t)r->n_use; i++)
        if (!column_at(r, i, &column)) return false;
    return true;
}

/* Reads all rows. Lines with another number of columns are an error at once, for genfromtxt at the
 * end. */
static gpa_code read_rows(reader *r) {
    gpa_code rc = GPA_OK;
    bool more = true;
    while (r->skip > 0 && text_fields_skip(&r->t)) r->skip--;
    while (!rc && (r->most < 0 || (int64_t)r->rows < r->most)) {
        rc = text_fields_next(r->vm, &r->t, &more);
        if (rc || !more) break;
        if (r->width == 0) {
            r->width = r->t.n;
            rc = check_converters(r);
        }
        if (rc) break;
        if (has_columns(r))
            rc = put_row(r);
        else if (!r->lenient)
            rc = vm_fail(r->vm, GPA_E_VALUE,
                         "the number of columns changed from %zu to %zu at row %zu; use `usecols` "
                         "to select a subset and avoid this error",
                         r->width, r->t.n, r->rows + 1);
        else if (r->wrong.len < 600)
            str_printf(&r->wrong, "\n    Line #%zu (got %zu columns instead of %zu)", r->t.lines,
                       r->t.n, r->n_use ? (size_t)r->n_use : r->width);
        if (!rc && r->t.lines % 4096 == 0) rc = vm_poll(r->vm);
    }
    if (!rc && r->wrong.len && r->what == NUMBERS)
        rc = r->invalid_raise
                 ? vm_fail(r->vm, GPA_E_VALUE, "Some errors were detected !%s", r->wrong.text)
                 : vm_warn(r->vm, GPA_E_USER_WARNING, "Some errors were detected !%s",
                           r->wrong.text);
    return !rc && r->data.failed ? vm_no_memory(r->vm) : rc;
}

/* ---- the array ---- */

/* Removes axes of extent 1, down to `ndmin` axes. */
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

static gpa_code return_rows(reader *r, value ndmin_value, value unpack_value, value *out) {
    gpa_rt *rt = vm_rt(r->vm);
    int64_t ndmin, shape[2] = {(int64_t)r->rows, (int64_t)r->columns};
    bool unpack = false;
    gpa_arr *a = NULL, *transposed = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_int(r->vm, ndmin_value, "ndmin", &ndmin));
    TRY(value_truth(r->vm, unpack_value, &unpack));
    if (r->rows == 0) shape[1] = MAX(r->n_use, 1);
    int ndim = squeeze(shape, ndmin);
    TRY(arr_from(rt, &(arr_spec){r->dtype, ndim, shape}, r->data.text, &a, vm_err(r->vm)));
    if (unpack && ndim == 2) {
        TRY(arr_transpose(rt, a, NULL, &transposed, vm_err(r->vm)));
        arr_release(rt, a);
        a = transposed;
    }
    rc = np_return_array(r->vm, a, out);
    a = NULL;
out:
    arr_release(rt, a);
    return rc;
}

static gpa_code warn_empty(gpa_vm *vm, const char *message, value from) {
    gpa_str shown;
    str_init(&shown);
    gpa_code rc = vm_str(vm, from, &shown);
    if (!rc) rc = vm_warn(vm, GPA_E_USER_WARNING, "%s: \"%s\"", message, shown.text);
    str_free(&shown);
    return rc;
}

static gpa_code check_ndmin(gpa_vm *vm, value v) {
    return v.tag == V_INT && v.i >= 0 && v.i <= 2
               ? GPA_OK
               : vm_fail_showing(vm, GPA_E_VALUE, "Illegal value of ndmin keyword: ", v, "");
}

gpa_code textio_loadtxt(gpa_vm *vm, value *argv, value *out) {
    enum {
        FNAME,
        DTYPE,
        COMMENTS,
        DELIMITER,
        CONVERTERS,
        SKIPROWS,
        USECOLS,
        UNPACK,
        NDMIN,
        ENCODING,
        MAX_ROWS,
        QUOTECHAR
    };
    reader *r = mem_new(sizeof *r);
    if (!r) return vm_no_memory(vm);
    reader_init(r, vm);
    gpa_code rc = GPA_OK;
    if (argv[DTYPE].tag != V_UNSET) TRY(arg_dtype(vm, argv[DTYPE], &r->dtype));
    if (r->dtype == DT_NONE) r->dtype = DT_F64;
    TRY(check_ndmin(vm, argv[NDMIN]));
    TRY(set_comments(r, argv[COMMENTS]));
    TRY(set_delimiter(r, argv[DELIMITER]));
    TRY(set_quote(r, argv[QUOTECHAR]));
    TRY(check_controls(r, argv[DELIMITER]));
    TRY(set_converters(r, argv[CONVERTERS]));
    TRY(set_limits(r, argv[SKIPROWS], argv[MAX_ROWS]));
    TRY(set_columns(r, argv[USECOLS]));
    TRY(read_text(r, argv[FNAME], argv[ENCODING]));
    TRY(read_rows(r));
    if (r->rows == 0) TRY(warn_empty(vm, "loadtxt: input contained no data", argv[FNAME]));
    TRY(return_rows(r, argv[NDMIN], argv[UNPACK], out));
out:
    reader_free(r);
    return rc;
}

/* Drops the last lines of the text, not counting empty ones. */
static void drop_footer(reader *r, int64_t lines) {
    const char *end = r->t.end;
    while (lines > 0 && end > r->t.at) {
        const char *from = end;
        while (from > r->t.at && from[-1] != '\n') from--;
        size_t n = (size_t)(end - from);
        if (n && from[n - 1] == '\r') n--;
        if (field_trimmed((field){from, n}).n) lines--;
        end = from > r->t.at ? from - 1 : from;
    }
    r->t.end = end;
}

gpa_code textio_genfromtxt(gpa_vm *vm, value *argv, value *out) {
    enum {
        FNAME,
        DTYPE,
        COMMENTS,
        DELIMITER,
        SKIP_HEADER,
        SKIP_FOOTER,
        CONVERTERS,
        MISSING,
        MISSING_BY,
        FILLING,
        FILLING_BY,
        USECOLS,
        UNPACK,
        LOOSE,
        INVALID_RAISE,
        MAX_ROWS,
        ENCODING,
        NDMIN,
        WHAT
    };
    reader *r = mem_new(sizeof *r);
    if (!r) return vm_no_memory(vm);
    reader_init(r, vm);
    r->lenient = true;
    int64_t footer = 0, what = NUMBERS;
    gpa_code rc = GPA_OK;
    TRY(arg_dtype(vm, argv[DTYPE], &r->dtype));
    TRY(set_comments(r, argv[COMMENTS]));
    TRY(set_delimiter(r, argv[DELIMITER]));
    TRY(set_limits(r, argv[SKIP_HEADER], argv[MAX_ROWS]));
    TRY(set_columns(r, argv[USECOLS]));
    TRY(set_converters(r, argv[CONVERTERS]));
    TRY(arg_int(vm, argv[SKIP_FOOTER], "skip_footer", &footer));
    TRY(arg_int(vm, argv[WHAT], "what", &what));
    TRY(value_truth(vm, argv[LOOSE], &r->loose));
    TRY(value_truth(vm, argv[INVALID_RAISE], &r->invalid_raise));
    r->what = (wanted)what;
    r->missing = argv[MISSING];
    r->missing_by = argv[MISSING_BY];
    r->filling = argv[FILLING];
    r->filling_by = argv[FILLING_BY];
    if (r->what != NUMBERS) TRY(native_return(v_list(vm, 0, NULL), &r->found));
    TRY(read_text(r, argv[FNAME], argv[ENCODING]));
    drop_footer(r, footer);
    TRY(read_rows(r));
    if (r->what != NUMBERS) {
        *out = r->found;
        r->found = v_none();
        goto out;
    }
    if (r->rows == 0) TRY(warn_empty(vm, "genfromtxt: Empty input file", argv[FNAME]));
    if (r->rows == 0) r->n_use = 0; /* unlike loadtxt's, its result has then no columns */
    TRY(check_ndmin(vm, argv[NDMIN]));
    TRY(return_rows(r, argv[NDMIN], argv[UNPACK], out));
out:
    reader_free(r);
    return rc;
}

/* ---- fromstring ---- */

/* The text before the next separator, or before the next white space if there is none; advances *at
 * past it. */
static field next_field(const char **at, const char *end, const str_obj *separator) {
    const char *p = *at, *q = end;
    if (separator->size) {
        const char *found = memmem(p, (size_t)(end - p), separator->text, separator->size);
        if (found) q = found;
        *at = found ? found + separator->size : end;
    } else {
        while (p < end && isspace((unsigned char)*p)) p++;
        for (q = p; q < end && !isspace((unsigned char)*q);) q++;
        *at = q;
    }
    return (field){.p = p, .n = (size_t)(q - p)};
}

static bool is_blank(field f) {
    for (size_t i = 0; i < f.n; i++)
        if (!isspace((unsigned char)f.p[i])) return false;
    return true;
}

/* Returns None if there are other texts than plain numbers, or fewer than `count`. */
gpa_code textio_parse_numbers(gpa_vm *vm, value *argv, value *out) { /* string, sep, count, dtype */
    gpa_str data;
    gpa_dtype t;
    gpa_arr *a = NULL;
    gpa_val v;
    int64_t count, n = 0;
    bool good = true;
    *out = v_none();
    gpa_code rc = arg_int(vm, argv[2], "count", &count);
    if (!rc) rc = arg_dtype(vm, argv[3], &t);
    if (rc || argv[0].tag != V_STR) return rc;
    if (t == DT_NONE) t = DT_F64;
    const char *at = argv[0].str->text, *end = at + argv[0].str->size;
    str_init(&data);
    while (good && at < end && (count < 0 || n < count)) {
        field f = next_field(&at, end, argv[1].str);
        if (at == end && is_blank(f)) break;
        char *to = str_reserve(&data, dtype_size(t));
        good = to && parse_field(f, t, &v);
        if (!good) break;
        dtype_store(to, t, v);
        str_commit(&data, dtype_size(t));
        n++;
    }
    if (data.failed)
        rc = vm_no_memory(vm);
    else if (good && n >= count)
        rc = arr_from(vm_rt(vm), &(arr_spec){t, 1, &n}, data.text, &a, vm_err(vm));
    str_free(&data);
    return rc || !a ? rc : np_return_array(vm, a, out);
}
