/* Methods of bytes. Most call those of str on a string of one character per byte and convert the
 * result back.
 *
 * Reading order: construction, text, integers, methods of str. */
#include "lang/object/big.h"
#include "lang/builtin/all.h"
#include "lang/object/codec.h"
#include "lang/object/container.h"
#include "lang/object/number.h"
#include "lang/text/text.h"
#include "lang/vm/foreign.h"

/* ---- construction ---- */

static gpa_code return_bytes(gpa_vm *vm, gpa_str *s, value *out) {
    gpa_code rc = s->failed ? vm_no_memory(vm) : native_return(v_bytes(vm, s->text, s->len), out);
    str_free(s);
    return rc;
}

static gpa_code byte_of(gpa_vm *vm, value v, const char *range, gpa_str *to) {
    int64_t b = 0;
    gpa_code rc = arg_int(vm, v, "byte", &b);
    if (!rc && (b < 0 || b > 255)) rc = vm_fail(vm, GPA_E_VALUE, "%s", range);
    if (!rc) str_putc(to, (char)b);
    return rc;
}

static gpa_code bytes_of_items(gpa_vm *vm, const list_obj *l, value *out) {
    gpa_str s;
    str_init(&s);
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < l->count && !rc; i++)
        rc = byte_of(vm, l->items[i], "bytes must be in range(0, 256)", &s);
    if (!rc) return return_bytes(vm, &s, out);
    str_free(&s);
    return rc;
}

/* The result of the object's __bytes__ method, if it has one; the memory of an array or a NumPy
 * scalar. */
static gpa_code from_protocol(gpa_vm *vm, value v, value *out, bool *own) {
    value method = v_unset(), made = v_unset();
    const bool numpy = v.tag == V_ARRAY || number_is_numpy(v);
    if (!numpy && (v.tag != V_OBJECT || is_foreign(v))) return GPA_OK;
    if (vm_attr(vm, v, numpy ? "tobytes" : "__bytes__", &method)) {
        vm_clear_error(vm);
        return GPA_OK;
    }
    *own = true;
    gpa_code rc = vm_call(vm, method, NO_ARGS, &made);
    value_release(vm, method);
    if (!rc && made.tag != V_BYTES)
        rc = vm_fail(vm, GPA_E_TYPE, "__bytes__ returned non-bytes (type %s)",
                     value_type_name(made));
    return native_finish(vm, rc, made, out);
}

static gpa_code bytes_of(gpa_vm *vm, value v, value *out) {
    value items = v_none();
    const number count = number_of(v);
    if (count.kind == NUMBER_INT && !(v.tag == V_NUM && v.aux == DT_BOOL)) {
        if (count.i < 0) return vm_fail(vm, GPA_E_VALUE, "negative count");
        gpa_str s;
        str_init(&s);
        str_fill(&s, 0, (size_t)count.i);
        return return_bytes(vm, &s, out);
    }
    bool own = false;
    gpa_code rc = from_protocol(vm, v, out, &own);
    if (rc || own) return rc;
    rc = vm_collect(vm, v, &items);
    if (!rc) rc = bytes_of_items(vm, items.list, out);
    value_release(vm, items);
    return rc;
}

gpa_code bytes_new(gpa_vm *vm, value *argv, value *out) { /* cls, source, encoding, errors */
    value v = argv[1], now;
    bool coded = argv[2].tag != V_UNSET || argv[3].tag != V_UNSET;
    if (v.tag == V_STR && argv[2].tag == V_UNSET)
        return vm_fail(vm, GPA_E_TYPE, "string argument without an encoding");
    if (v.tag == V_STR) return str_encode(vm, argv + 1, out);
    if (coded) return vm_fail(vm, GPA_E_TYPE, "encoding without a string argument");
    if (v.tag == V_UNSET) return native_return(v_bytes(vm, "", 0), out);
    if (v.tag == V_BYTES) return native_return(v_bytes(vm, v.str->text, v.str->size), out);
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    rc = bytes_of(vm, now, out);
    value_release(vm, now);
    return rc;
}

static int digit_of(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
    return at && (c >= 'A' || (c >= '0' && c <= '9')) ? (int)(at - digits) : -1;
}

gpa_code bytes_fromhex(gpa_vm *vm, value *argv, value *out) { /* string */
    if (argv[0].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "fromhex() argument must be str, not %s",
                       value_type_name(argv[0]));
    const str_obj *t = argv[0].str;
    gpa_str s;
    str_init(&s);
    for (size_t i = 0; i < t->size;) {
        char c = t->text[i];
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            i++;
            continue;
        }
        int high = digit_of(c), low = i + 1 < t->size ? digit_of(t->text[i + 1]) : -1;
        if (high < 0 || low < 0) {
            str_free(&s);
            return vm_fail(vm, GPA_E_VALUE,
                           "non-hexadecimal number found in fromhex() arg at position %zu",
                           text_count(t->text, high < 0 ? i : i + 1));
        }
        str_putc(&s, (char)(high << 4 | low));
        i += 2;
    }
    return return_bytes(vm, &s, out);
}

gpa_code bytes_join(gpa_vm *vm, value *argv, value *out) { /* self, iterable */
    value items = v_none();
    gpa_str s;
    str_init(&s);
    gpa_code rc = vm_collect(vm, argv[1], &items);
    for (size_t i = 0; !rc && i < items.list->count; i++) {
        value v = items.list->items[i];
        if (v.tag != V_BYTES)
            rc =
                vm_fail(vm, GPA_E_TYPE, "sequence item %zu: expected a bytes-like object, %s found",
                        i, value_type_name(v));
        if (rc) break;
        if (i) str_putn(&s, argv[0].str->text, argv[0].str->size);
        str_putn(&s, v.str->text, v.str->size);
    }
    value_release(vm, items);
    if (!rc) return return_bytes(vm, &s, out);
    str_free(&s);
    return rc;
}

/* ---- text ---- */

gpa_code str_encode(gpa_vm *vm, value *argv, value *out) { /* self, encoding, errors */
    codec c;
    gpa_str s;
    gpa_code rc = codec_of(vm, "encode", argv[1], argv[2], &c);
    if (rc) return rc;
    str_init(&s);
    if (!(rc = codec_encode(vm, c, argv[0].str->text, argv[0].str->size, &s)))
        return return_bytes(vm, &s, out);
    str_free(&s);
    return rc;
}

gpa_code bytes_decode(gpa_vm *vm, value *argv, value *out) { /* self, encoding, errors */
    codec c;
    gpa_code rc = codec_of(vm, "decode", argv[1], argv[2], &c);
    return rc ? rc : codec_decode(vm, c, argv[0].str->text, argv[0].str->size, out);
}

gpa_code bytes_hex(gpa_vm *vm, value *argv, value *out) { /* self, sep, bytes_per_sep */
    const str_obj *b = argv[0].str;
    int64_t group;
    gpa_code rc = arg_int(vm, argv[2], "bytes_per_sep", &group);
    if (rc) return rc;
    bool parted = argv[1].tag != V_UNSET;
    if (parted && argv[1].tag != V_STR && argv[1].tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "sep must be str or bytes.");
    if (parted && argv[1].str->size != 1) return vm_fail(vm, GPA_E_VALUE, "sep must be length 1.");
    gpa_str s;
    str_init(&s);
    size_t every = group < 0 ? (size_t)-group : (size_t)group;
    for (size_t i = 0; i < b->size; i++) {
        size_t counted =
            group < 0
                ? i
                : b->size - i; /* groups are counted from the end, negative ones from the start */
        if (parted && i && every && counted % every == 0) str_putc(&s, argv[1].str->text[0]);
        str_printf(&s, "%02x", (unsigned)(unsigned char)b->text[i]);
    }
    return native_return(v_str_take(vm, &s), out);
}

/* ---- integers ---- */

static gpa_code parse_byteorder(gpa_vm *vm, value v, bool *big) {
    *big = v.tag == V_STR && !strcmp(v.str->text, "big");
    if (*big || (v.tag == V_STR && !strcmp(v.str->text, "little"))) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "byteorder must be either 'little' or 'big'");
}

gpa_code int_from_bytes(gpa_vm *vm, value *argv, value *out) { /* bytes, byteorder, signed */
    bool big, is_signed;
    value made[4] = {v_none(), argv[0], v_unset(), v_unset()}, bytes = v_none();
    gpa_code rc = parse_byteorder(vm, argv[1], &big);
    if (!rc) rc = value_truth(vm, argv[2], &is_signed);
    if (!rc && argv[0].tag == V_STR)
        rc = vm_fail(vm, GPA_E_TYPE, "cannot convert 'str' object to bytes");
    if (!rc) rc = bytes_new(vm, made, &bytes);
    if (rc) return rc;
    unsigned char *s = (unsigned char *)bytes.str->text;
    size_t n = bytes.str->size;
    value reversed = big && n ? v_bytes(vm, NULL, n) : v_unset();
    if (big && n && reversed.tag == V_UNSET) rc = vm_err(vm)->code;
    for (size_t i = 0; reversed.tag != V_UNSET && i < n; i++)
        reversed.str->text[n - 1 - i] = (char)s[i];
    if (reversed.tag != V_UNSET) s = (unsigned char *)reversed.str->text;
    if (!rc) rc = native_return(big_of_bytes(vm, s, n, is_signed), out);
    value_release(vm, reversed);
    value_release(vm, bytes);
    return rc;
}

gpa_code int_to_bytes(gpa_vm *vm, value *argv, value *out) { /* self, length, byteorder, signed */
    bool big, is_signed;
    int64_t n;
    gpa_code rc = arg_int(vm, argv[1], "length", &n);
    if (!rc) rc = parse_byteorder(vm, argv[2], &big);
    if (!rc) rc = value_truth(vm, argv[3], &is_signed);
    if (rc) return rc;
    if (n < 0) return vm_fail(vm, GPA_E_VALUE, "length argument must be non-negative");
    bool negative = argv[0].tag == V_BIG ? argv[0].big->negative : argv[0].i < 0;
    if (negative && !is_signed)
        return vm_fail(vm, GPA_E_OVERFLOW, "can't convert negative int to unsigned");
    value v = v_bytes(vm, NULL, (size_t)n);
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    if (!big_bytes(argv[0], (unsigned char *)v.str->text, (size_t)n, is_signed)) {
        value_release(vm, v);
        return vm_fail(vm, GPA_E_OVERFLOW, "int too big to convert");
    }
    for (int64_t i = 0; big && i < n / 2; i++) {
        char c = v.str->text[i];
        v.str->text[i] = v.str->text[n - 1 - i];
        v.str->text[n - 1 - i] = c;
    }
    *out = v;
    return GPA_OK;
}

/* ---- methods of str ---- */

/* Bytes whose meaning differs from that of the character with their code (white space, case) are
 * mapped to characters of the private use area. */
enum { PRIVATE_USE = 0xE000 };

static bool needs_private_use(unsigned char b, bool lines) {
    return b >= 0x80 || (b >= 0x1C && b <= 0x1F) || (lines && (b == 0x0B || b == 0x0C));
}

static value to_text(gpa_vm *vm, const str_obj *b, bool lines) {
    gpa_str s;
    str_init(&s);
    for (size_t i = 0; i < b->size; i++) {
        unsigned char c = (unsigned char)b->text[i];
        text_put(&s, needs_private_use(c, lines) ? PRIVATE_USE + (uint32_t)c : c);
    }
    return v_str_take(vm, &s);
}

/* Converts strings, and lists and tuples of them, back to bytes. Consumes *v. */
static gpa_code to_bytes(gpa_vm *vm, value *v) {
    gpa_code rc = GPA_OK;
    if (v->tag == V_LIST || v->tag == V_TUPLE) {
        value *items = v->tag == V_LIST ? v->list->items : v->tuple->items;
        size_t n = v->tag == V_LIST ? v->list->count : v->tuple->count;
        for (size_t i = 0; i < n && !rc; i++) rc = to_bytes(vm, &items[i]);
    }
    if (v->tag != V_STR) return rc;
    gpa_str s;
    str_init(&s);
    for (size_t i = 0, len; i < v->str->size; i += len) {
        uint32_t c = text_decode(v->str->text + i, v->str->size - i, &len);
        str_putc(&s, (char)(c >= PRIVATE_USE ? c - PRIVATE_USE : c));
    }
    value_release(vm, *v);
    *v = v_none();
    return return_bytes(vm, &s, v);
}

/* The types of a method's first argument, in addition to bytes. */
typedef enum { BYTES_ONLY, OR_NONE, OR_INT, OR_TUPLE, FILL_BYTE } accepted_types;

static gpa_code fail_argument(gpa_vm *vm, accepted_types what, const char *name, value v) {
    const char *given = value_type_name(v);
    if (what == OR_INT)
        return vm_fail(vm, GPA_E_TYPE, "argument should be integer or bytes-like object, not '%s'",
                       given);
    if (what == OR_TUPLE)
        return vm_fail(vm, GPA_E_TYPE, "%s first arg must be bytes or a tuple of bytes, not %s",
                       name, given);
    if (what == FILL_BYTE)
        return vm_fail(vm, GPA_E_TYPE, "%s() argument 2 must be a byte string of length 1, not %s",
                       name, given);
    return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'", given);
}

static gpa_code text_of(gpa_vm *vm, accepted_types what, const char *name, value v, value *out) {
    gpa_str s;
    if (v.tag == V_BYTES) return native_return(to_text(vm, v.str, false), out);
    if ((what == OR_NONE && v.tag == V_NONE) || v.tag == V_UNSET) {
        *out = v;
        return GPA_OK;
    }
    if (what == FILL_BYTE && v.tag == V_STR && v.str->size == 1 && v.str->text[0] == ' ')
        return native_return(v_cstr(vm, " "), out); /* the default */
    if (what == OR_INT && number_of(v).kind == NUMBER_INT) {
        str_init(&s);
        value byte = v_none();
        gpa_code rc = byte_of(vm, v, "byte must be in range(0, 256)", &s);
        if (!rc)
            rc = return_bytes(vm, &s, &byte);
        else
            str_free(&s);
        if (!rc) rc = native_return(to_text(vm, byte.str, false), out);
        value_release(vm, byte);
        return rc;
    }
    if (what != OR_TUPLE || v.tag != V_TUPLE) return fail_argument(vm, what, name, v);
    *out = v_tuple(vm, v.tuple->count, NULL);
    gpa_code rc = out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (size_t i = 0; !rc && i < v.tuple->count; i++) {
        if (v.tuple->items[i].tag != V_BYTES)
            rc = vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                         value_type_name(v.tuple->items[i]));
        else
            rc = native_return(to_text(vm, v.tuple->items[i].str, false), &out->tuple->items[i]);
    }
    return rc;
}

/* A method of str with n arguments, self among them; n_bytes of the others are bytes, or what
 * `what` allows. */
typedef struct {
    const char *name;
    native_fn method;
    int n, n_bytes;
    accepted_types what;
} str_method;

/* Calls a method of str on converted arguments, and converts the result back. */
static gpa_code call_str_method(gpa_vm *vm, value *argv, const str_method *m, value *out) {
    enum { MAX_ARGS = 4 };
    value given[MAX_ARGS] = {v_none(), v_none(), v_none(), v_none()};
    int first = m->what == FILL_BYTE ? 2 : 1;
    gpa_code rc = native_return(to_text(vm, argv[0].str, m->method == str_splitlines), &given[0]);
    for (int i = 1; i < m->n && !rc; i++)
        if (i >= first && i < first + m->n_bytes)
            rc = text_of(vm, m->what, m->name, argv[i], &given[i]);
        else
            given[i] = value_retain(argv[i]);
    if (!rc) rc = m->method(vm, given, out);
    if (rc == GPA_E_VALUE && !strcmp(vm_err(vm)->msg, "substring not found")) {
        vm_clear_error(vm);
        rc = vm_fail(vm, GPA_E_VALUE, "subsection not found");
    }
    for (int i = 0; i < m->n; i++) value_release(vm, given[i]);
    if (!rc) rc = to_bytes(vm, out);
    if (rc) value_release(vm, *out), *out = v_none();
    return rc;
}

#define METHOD(name, n, n_bytes, what)                                             \
    static const str_method name##_method = {#name, str_##name, n, n_bytes, what}; \
    NATIVE_FN(bytes_##name) { return call_str_method(vm, argv, &name##_method, out); }
#include "lang/builtin/bytes_methods.def"
#undef METHOD
