/* NumPy's .npy format: encoding and decoding of one array.
 *
 * The header is a Python dict literal with exactly three keys; the reader searches for each key
 * instead of parsing. Elements in the other byte order are byte-swapped while they are read. */
#include "lang/builtin/npy.h"

#include <stdlib.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/vm/array_args.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGN = 64 };

/* ---- writing ---- */

/* The letter of a dtype's kind in a descr: 'f' of "<f8". */
static const char *kind_letter(gpa_dtype t) {
    switch (dtype_info[t].kind) {
        case 'B': return "b";
        case 'I': return "i";
        case 'U': return "u";
        case 'F': return "f";
        default: return "c";
    }
}

/* Appends magic string, version, length and the header, padded to ALIGN bytes; frees `head`. */
static void put_header(gpa_str *head, gpa_str *out) {
    size_t used = MAGIC + 4 + head->len + 1;
    str_fill(head, ' ', (ALIGN - used % ALIGN) % ALIGN);
    str_putc(head, '\n');
    str_putn(out, magic, MAGIC);
    str_putn(out, "\x01\x00", 2);
    str_putc(out, (char)(head->len & 255));
    str_putc(out, (char)(head->len >> 8));
    str_putn(out, head->text, head->len);
    out->failed = out->failed || head->failed;
    str_free(head);
}

void npy_write_bytes(const char *text, size_t n, gpa_str *out) {
    gpa_str head;
    str_init(&head);
    str_printf(&head, "{'descr': '|S%zu', 'fortran_order': False, 'shape': (), }", n);
    put_header(&head, out);
    str_putn(out, text, n);
}

gpa_code npy_write(gpa_vm *vm, gpa_arr *a, gpa_str *out) {
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (t == DT_BF16)
        return vm_fail(vm, GPA_E_TYPE, "the format has no bfloat16: save a.astype('float32')");
    gpa_str head;
    str_init(&head);
    str_printf(&head, "{'descr': '%c%s%zu', 'fortran_order': False, 'shape': (",
               dtype_size(t) > 1 ? '<' : '|', kind_letter(t), dtype_size(t));
    for (int i = 0; i < a->ndim; i++)
        str_printf(&head, i ? ", %lld" : "%lld", (long long)a->shape[i]);
    str_put(&head, a->ndim == 1 ? ",), }" : "), }");
    put_header(&head, out);
    size_t bytes = (size_t)a->size * dtype_size(t);
    char *data = str_reserve(out, bytes);
    if (!data) return vm_no_memory(vm);
    gpa_code rc = bytes ? arr_read(vm_rt(vm), a, data, vm_err(vm)) : GPA_OK;
    if (!rc) str_commit(out, bytes);
    return rc;
}

/* ---- reading ---- */

typedef struct {
    gpa_dtype dtype;
    bool swapped; /* in the other byte order */
    bool fortran;
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    size_t start; /* offset of the elements */
} header;

/* The text of the value of a key, or NULL. */
static const char *value_text(const char *head, const char *key) {
    const char *p = strstr(head, key);
    if (!p) return NULL;
    p += strlen(key);
    while (*p == ' ' || *p == ':') p++;
    return p;
}

static gpa_code read_descr(gpa_vm *vm, const char *p, header *h) {
    char descr[16] = "";
    if (!p || *p != '\'')
        return vm_fail(vm, GPA_E_TYPE, "structured arrays cannot be loaded: gpa has no records");
    size_t n = strcspn(++p, "'");
    n = MIN(n, sizeof descr - 1);
    memcpy(descr, p, n);
    if (strchr(descr, 'O'))
        return vm_fail(vm, GPA_E_VALUE, "Object arrays cannot be loaded when allow_pickle=False");
    h->swapped = descr[0] == '>' && n > 1 && descr[n - 1] != '1';
    size_t skip = descr[0] && strchr("<>|=", descr[0]) ? 1 : 0;
    h->dtype = dtype_find(descr + skip, strlen(descr + skip));
    return h->dtype == DT_NONE ? vm_fail(vm, GPA_E_TYPE, "gpa has no dtype '%s'", descr) : GPA_OK;
}

static gpa_code bad_header(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_VALUE, "Cannot parse header of the .npy file");
}

static gpa_code read_shape(gpa_vm *vm, const char *p, header *h) {
    if (!p || *p != '(') return bad_header(vm);
    for (p++; *p && *p != ')';) {
        char *end;
        while (*p == ' ' || *p == ',') p++;
        if (*p == ')') break;
        int64_t n = strtoll(p, &end, 10);
        if (end == p || n < 0 || h->ndim == GPA_MAX_DIMS) return bad_header(vm);
        h->shape[h->ndim++] = n;
        p = end + (*end == 'L');
    }
    return GPA_OK;
}

static gpa_code read_header(gpa_vm *vm, const char *bytes, size_t n, header *h) {
    *h = (header){.dtype = DT_NONE};
    const unsigned char *b = (const unsigned char *)bytes;
    if (n < MAGIC + 2)
        return vm_fail(vm, GPA_E_VALUE, "EOF: reading magic string, expected 8 bytes got %zu", n);
    if (n < MAGIC + 4)
        return vm_fail(vm, GPA_E_VALUE,
                       "EOF: reading array header length, expected 2 bytes got %zu", n - MAGIC - 2);
    if (b[MAGIC] < 1 || b[MAGIC] > 3 || b[MAGIC + 1])
        return vm_fail(vm, GPA_E_VALUE,
                       "we only support format version (1,0), (2,0), and (3,0), not (%d, %d)",
                       b[MAGIC], b[MAGIC + 1]);
    bool long_length = b[MAGIC] > 1; /* 4 bytes from version 2 on, else 2 */
    size_t length = (size_t)b[MAGIC + 2] | (size_t)b[MAGIC + 3] << 8;
    size_t at = MAGIC + (long_length ? 6 : 4);
    if (long_length && n >= at) length |= (size_t)b[MAGIC + 4] << 16 | (size_t)b[MAGIC + 5] << 24;
    if (n < at || n - at < length)
        return vm_fail(vm, GPA_E_VALUE, "EOF: reading array header, expected %zu bytes got %zu",
                       length, n - MIN(n, at));
    h->start = at + length;
    char *head = mem_text(bytes + at, length);
    if (!head) return vm_no_memory(vm);
    const char *order = value_text(head, "'fortran_order'");
    gpa_code rc = read_descr(vm, value_text(head, "'descr'"), h);
    if (!rc) rc = read_shape(vm, value_text(head, "'shape'"), h);
    h->fortran = order && strncmp(order, "True", 4) == 0;
    mem_free(head);
    return rc;
}

/* Reverses the bytes of each element (of each part of a complex one) in place. */
static void swap_bytes(char *data, size_t bytes, gpa_dtype t) {
    size_t size = dtype_size(t);
    if (dtype_is_complex(t)) size /= 2;
    for (char *p = data; p < data + bytes; p += size)
        for (size_t i = 0; i < size / 2; i++) {
            char c = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = c;
        }
}

static gpa_code make_array(gpa_vm *vm, const header *h, const char *data, gpa_arr **out) {
    gpa_rt *rt = vm_rt(vm);
    if (!h->fortran)
        return arr_from(rt, &(arr_spec){h->dtype, h->ndim, h->shape}, data, out, vm_err(vm));
    int64_t reversed[GPA_MAX_DIMS];
    gpa_arr *a;
    for (int i = 0; i < h->ndim; i++) reversed[i] = h->shape[h->ndim - 1 - i];
    gpa_code rc = arr_from(rt, &(arr_spec){h->dtype, h->ndim, reversed}, data, &a, vm_err(vm));
    if (rc) return rc;
    rc = arr_transpose(rt, a, NULL, out, vm_err(vm));
    arr_release(rt, a);
    return rc;
}

/* NumPy's error for a file that ends early, after `available` elements. */
static gpa_code fail_truncated(gpa_vm *vm, const header *h, size_t available) {
    gpa_str shape;
    uint64_t expected = 1;
    str_init(&shape);
    for (int i = 0; i < h->ndim; i++) {
        str_printf(&shape, i ? ", %lld" : "%lld", (long long)h->shape[i]);
        expected *= (uint64_t)h->shape[i];
    }
    gpa_code rc = vm_fail(vm, GPA_E_VALUE,
                          "Failed to read all data for array. Expected (%s%s) = %llu elements, "
                          "could only read %zu elements. (file seems not fully written?)",
                          shape.text ? shape.text : "", h->ndim == 1 ? "," : "",
                          (unsigned long long)expected, available);
    str_free(&shape);
    return rc;
}

const char *npy_find_bytes(const char *bytes, size_t n, size_t *length) {
    size_t head = n > MAGIC + 4 ? (size_t)(unsigned char)bytes[MAGIC + 2] |
                                      (size_t)(unsigned char)bytes[MAGIC + 3] << 8
                                : 0;
    if (!head || memcmp(bytes, magic, MAGIC) != 0 || bytes[MAGIC] != 1 || n - MAGIC - 4 < head)
        return NULL;
    char *text = mem_text(bytes + MAGIC + 4, head);
    const char *descr = text ? value_text(text, "'descr'") : NULL,
               *shape = text ? value_text(text, "'shape'") : NULL;
    bool is_bytes = descr && shape && strncmp(descr, "'|S", 3) == 0 && strncmp(shape, "()", 2) == 0;
    *length = is_bytes ? strtoul(descr + 3, NULL, 10) : 0;
    mem_free(text);
    return is_bytes && n - MAGIC - 4 - head >= *length ? bytes + MAGIC + 4 + head : NULL;
}

gpa_code npy_read(gpa_vm *vm, const char *bytes, size_t n, size_t *used, gpa_arr **out) {
    header h;
    if (n == 0) return vm_fail(vm, GPA_E_EOF, "No data left in file");
    if (n < MAGIC || memcmp(bytes, magic, MAGIC) != 0)
        return vm_fail(vm, GPA_E_VALUE,
                       "This file contains pickled (object) data. If you trust the file you can "
                       "load it unsafely using the "
                       "`allow_pickle=` keyword argument or `pickle.load()`.");
    gpa_code rc = read_header(vm, bytes, n, &h);
    if (rc) return rc;
    size_t size = dtype_size(h.dtype);
    for (int i = 0; i < h.ndim; i++)
        if (__builtin_mul_overflow(size, (size_t)h.shape[i], &size)) return bad_header(vm);
    if (n - h.start < size) return fail_truncated(vm, &h, (n - h.start) / dtype_size(h.dtype));
    *used = h.start + size;
    if (!h.swapped) return make_array(vm, &h, bytes + h.start, out);
    char *data = mem_new(size);
    if (!data) return vm_no_memory(vm);
    memcpy(data, bytes + h.start, size);
    swap_bytes(data, size, h.dtype);
    rc = make_array(vm, &h, data, out);
    mem_free(data);
    return rc;
}
