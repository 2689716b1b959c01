/* Methods of str that search, split and join.
 *
 * Strings are searched as bytes (UTF-8); positions count characters. `range_of` converts the
 * optional start and end of a method to bytes. */
#include "lang/builtin/all.h"
#include "lang/object/container.h"
#include "lang/format/format.h"
#include "lang/text/text.h"

typedef struct {
    const char *p;
    size_t n;
} piece;

static piece piece_of(const str_obj *s) { return (piece){s->text, s->size}; }

/* A str argument; TypeError with the method's message otherwise. */
static gpa_code text_arg(gpa_vm *vm, value v, const char *message, piece *out) {
    *out = (piece){NULL, 0};
    if (v.tag != V_STR) return vm_fail(vm, GPA_E_TYPE, message, value_type_name(v));
    *out = piece_of(v.str);
    return GPA_OK;
}

static gpa_code slice_bound(gpa_vm *vm, value v, int64_t n, int64_t otherwise, size_t *out) {
    int64_t i = otherwise;
    gpa_code rc = v.tag == V_NONE ? GPA_OK : arg_int(vm, v, "slice", &i);
    if (rc) return rc;
    if (i < 0) i = MAX(i + n, 0);
    *out = (size_t)i;
    return GPA_OK;
}

/* The substring [start, end). `ok` false: start is past the end, and no text is found, not even an
 * empty one. */
static gpa_code range_of(gpa_vm *vm, const str_obj *s, value start, value end, piece *out,
                         bool *ok) {
    size_t lo, hi;
    gpa_code rc = slice_bound(vm, start, s->length, 0, &lo);
    if (!rc) rc = slice_bound(vm, end, s->length, s->length, &hi);
    if (rc) return rc;
    if (hi > s->length) hi = s->length;
    *ok = lo <= hi;
    size_t from = str_offset(s, MIN(lo, hi));
    *out = (piece){s->text + from, *ok ? str_offset(s, hi) - from : 0};
    return GPA_OK;
}

static gpa_code return_text(gpa_vm *vm, const char *p, size_t n, value *out) {
    return native_return(v_str(vm, p, n), out);
}

static gpa_code push_text(gpa_vm *vm, list_obj *l, const char *p, size_t n) {
    gpa_code rc = vm_poll(vm);
    if (rc) return rc;
    value v = v_str(vm, p, n);
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    rc = list_append(vm, l, v);
    value_release(vm, v);
    return rc;
}

/* ---- construction ---- */

gpa_code str_new(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag == V_BYTES && (argv[2].tag != V_UNSET || argv[3].tag != V_UNSET))
        return bytes_decode(vm, argv + 1, out);
    if (argv[1].tag == V_STR) {
        *out = value_retain(argv[1]);
        return GPA_OK;
    }
    gpa_str s;
    str_init(&s);
    gpa_code rc = vm_str(vm, argv[1], &s);
    return native_text(vm, rc, &s, out);
}

gpa_code str_join(gpa_vm *vm, value *argv, value *out) {
    value items = v_none();
    const str_obj *sep = argv[0].str;
    gpa_str s;
    str_init(&s);
    gpa_code rc = vm_collect(vm, argv[1], &items);
    if (rc == GPA_E_TYPE && strstr(vm_err(vm)->msg, "not iterable")) {
        vm_clear_error(vm);
        rc = vm_fail(vm, GPA_E_TYPE, "can only join an iterable");
    }
    if (rc) goto out;
    for (size_t i = 0; i < items.list->count; i++) {
        value v = items.list->items[i];
        if (v.tag != V_STR) {
            rc = vm_fail(vm, GPA_E_TYPE, "sequence item %zu: expected str instance, %s found", i,
                         value_type_name(v));
            goto out;
        }
        if ((rc = vm_poll(vm))) goto out;
        if (i) str_putn(&s, sep->text, sep->size);
        str_putn(&s, v.str->text, v.str->size);
    }
    rc = native_return(v_str_take(vm, &s), out);
out:
    str_free(&s);
    value_release(vm, items);
    return rc;
}

/* ---- splitting ---- */

/* Length of the white-space character that ends at p + n, or begins at p; false if it is another.
 */
static bool space_at(const char *p, size_t n, size_t *len) {
    return n && text_is_space(text_decode(p, n, len));
}

static size_t last_char(const char *p, size_t n) {
    size_t len = 1;
    while (len < n && ((unsigned char)p[n - len] & 0xC0) == 0x80) len++;
    return len;
}

static bool space_before(const char *p, size_t n, size_t *len) {
    *len = n ? last_char(p, n) : 0;
    size_t used;
    return n && text_is_space(text_decode(p + n - *len, *len, &used));
}

static gpa_code split_spaces(gpa_vm *vm, piece s, int64_t most, list_obj *to) {
    gpa_code rc = GPA_OK;
    size_t len;
    while (!rc) {
        while (space_at(s.p, s.n, &len)) s.p += len, s.n -= len;
        if (s.n == 0) break;
        size_t end = 0;
        if (most-- == 0) {
            end = s.n;
            while (space_before(s.p, end, &len)) end -= len;
            return push_text(vm, to, s.p, end);
        }
        while (end < s.n && !space_at(s.p + end, s.n - end, &len)) end += len;
        rc = push_text(vm, to, s.p, end);
        s.p += end;
        s.n -= end;
    }
    return rc;
}

static gpa_code rsplit_spaces(gpa_vm *vm, piece s, int64_t most, list_obj *to) {
    gpa_code rc = GPA_OK;
    size_t len;
    while (!rc) {
        while (space_before(s.p, s.n, &len)) s.n -= len;
        if (s.n == 0) break;
        size_t start = s.n;
        if (most-- == 0) {
            while (space_at(s.p, s.n, &len)) s.p += len, s.n -= len;
            return push_text(vm, to, s.p, s.n);
        }
        while (start > 0 && !space_before(s.p, start, &len)) start -= len;
        rc = push_text(vm, to, s.p + start, s.n - start);
        s.n = start;
    }
    return rc;
}

static gpa_code split_at(gpa_vm *vm, piece s, piece sep, int64_t most, bool from_end,
                         list_obj *to) {
    gpa_code rc = GPA_OK;
    while (!rc && most-- != 0) {
        size_t at =
            from_end ? text_rfind(s.p, s.n, sep.p, sep.n) : text_find(s.p, s.n, sep.p, sep.n, 0);
        if (at == SIZE_MAX) break;
        if (from_end) {
            rc = push_text(vm, to, s.p + at + sep.n, s.n - at - sep.n);
            s.n = at;
        } else {
            rc = push_text(vm, to, s.p, at);
            s.p += at + sep.n;
            s.n -= at + sep.n;
        }
    }
    return rc ? rc : push_text(vm, to, s.p, s.n);
}

static void reverse_items(list_obj *l) {
    for (size_t i = 0, j = l->count; i + 1 < j; i++) {
        value v = l->items[i];
        l->items[i] = l->items[--j];
        l->items[j] = v;
    }
}

static gpa_code split(gpa_vm *vm, value *argv, bool from_end, value *out) {
    int64_t most;
    piece s = piece_of(argv[0].str), sep = {NULL, 0};
    gpa_code rc = arg_int(vm, argv[2], "maxsplit", &most);
    if (!rc && argv[1].tag != V_NONE)
        rc = text_arg(vm, argv[1], "must be str or None, not %s", &sep);
    if (rc) return rc;
    if (sep.p && sep.n == 0) return vm_fail(vm, GPA_E_VALUE, "empty separator");
    value parts = v_list(vm, 0, NULL);
    if (parts.tag == V_UNSET) return GPA_E_MEMORY;
    if (sep.p)
        rc = split_at(vm, s, sep, most, from_end, parts.list);
    else
        rc = from_end ? rsplit_spaces(vm, s, most, parts.list)
                      : split_spaces(vm, s, most, parts.list);
    if (from_end) reverse_items(parts.list);
    return native_finish(vm, rc, parts, out);
}

gpa_code str_split(gpa_vm *vm, value *argv, value *out) { return split(vm, argv, false, out); }
gpa_code str_rsplit(gpa_vm *vm, value *argv, value *out) { return split(vm, argv, true, out); }

static bool ends_line(uint32_t c) {
    return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

gpa_code str_splitlines(gpa_vm *vm, value *argv, value *out) {
    bool keep;
    piece s = piece_of(argv[0].str);
    gpa_code rc = value_truth(vm, argv[1], &keep);
    if (rc) return rc;
    value lines = v_list(vm, 0, NULL);
    if (lines.tag == V_UNSET) return GPA_E_MEMORY;
    while (s.n && !rc) {
        size_t end = 0, len = 0, stop;
        while (end < s.n && !ends_line(text_decode(s.p + end, s.n - end, &len))) end += len;
        stop = end;
        if (end < s.n) stop += end + 1 < s.n && s.p[end] == '\r' && s.p[end + 1] == '\n' ? 2 : len;
        rc = push_text(vm, lines.list, s.p, keep ? stop : end);
        s.p += stop;
        s.n -= stop;
    }
    return native_finish(vm, rc, lines, out);
}

static gpa_code partition(gpa_vm *vm, value *argv, bool last, value *out) {
    piece s = piece_of(argv[0].str), sep;
    gpa_code rc = text_arg(vm, argv[1], "must be str, not %s", &sep);
    if (rc) return rc;
    if (sep.n == 0) return vm_fail(vm, GPA_E_VALUE, "empty separator");
    size_t at = last ? text_rfind(s.p, s.n, sep.p, sep.n) : text_find(s.p, s.n, sep.p, sep.n, 0);
    piece parts[3] = {{s.p, 0}, {s.p, 0}, {s.p, 0}};
    if (at == SIZE_MAX)
        parts[last ? 2 : 0] = s;
    else {
        parts[0].n = at;
        parts[1] = sep;
        parts[2] = (piece){s.p + at + sep.n, s.n - at - sep.n};
    }
    value t = v_tuple(vm, 3, NULL);
    if (t.tag == V_UNSET) return GPA_E_MEMORY;
    for (int i = 0; i < 3 && !rc; i++)
        rc = return_text(vm, parts[i].p, parts[i].n, &t.tuple->items[i]);
    return native_finish(vm, rc, t, out);
}

gpa_code str_partition(gpa_vm *vm, value *argv, value *out) {
    return partition(vm, argv, false, out);
}
gpa_code str_rpartition(gpa_vm *vm, value *argv, value *out) {
    return partition(vm, argv, true, out);
}

/* ---- stripping ---- */

/* True if the character at p is to be stripped: in `set`, or white space if that is NULL. */
static bool strippable(const char *p, size_t len, const str_obj *set) {
    size_t used;
    if (!set) return text_is_space(text_decode(p, len, &used));
    return text_find(set->text, set->size, p, len, 0) != SIZE_MAX;
}

static gpa_code strip(gpa_vm *vm, value *argv, const char *name, bool left, bool right,
                      value *out) {
    if (argv[1].tag != V_NONE && argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s arg must be None or str", name);
    const str_obj *set = argv[1].tag == V_STR ? argv[1].str : NULL;
    piece s = piece_of(argv[0].str);
    size_t len;
    while (left && s.n && (text_decode(s.p, s.n, &len), strippable(s.p, len, set)))
        s.p += len, s.n -= len;
    while (right && s.n && (len = last_char(s.p, s.n), strippable(s.p + s.n - len, len, set)))
        s.n -= len;
    return return_text(vm, s.p, s.n, out);
}

gpa_code str_strip(gpa_vm *vm, value *argv, value *out) {
    return strip(vm, argv, "strip", true, true, out);
}
gpa_code str_lstrip(gpa_vm *vm, value *argv, value *out) {
    return strip(vm, argv, "lstrip", true, false, out);
}
gpa_code str_rstrip(gpa_vm *vm, value *argv, value *out) {
    return strip(vm, argv, "rstrip", false, true, out);
}

gpa_code str_removeprefix(gpa_vm *vm, value *argv, value *out) {
    piece s = piece_of(argv[0].str), a;
    gpa_code rc = text_arg(vm, argv[1], "removeprefix() argument must be str, not %s", &a);
    if (rc) return rc;
    if (a.n <= s.n && memcmp(s.p, a.p, a.n) == 0) s.p += a.n, s.n -= a.n;
    return return_text(vm, s.p, s.n, out);
}

gpa_code str_removesuffix(gpa_vm *vm, value *argv, value *out) {
    piece s = piece_of(argv[0].str), a;
    gpa_code rc = text_arg(vm, argv[1], "removesuffix() argument must be str, not %s", &a);
    if (rc) return rc;
    if (a.n <= s.n && memcmp(s.p + s.n - a.n, a.p, a.n) == 0) s.n -= a.n;
    return return_text(vm, s.p, s.n, out);
}

/* ---- searching ---- */

/* Index of an occurrence in characters, or -1. */
static gpa_code find(gpa_vm *vm, value *argv, bool last, int64_t *out) {
    piece s, sub;
    bool ok;
    gpa_code rc = text_arg(vm, argv[1], "must be str, not %s", &sub);
    if (!rc) rc = range_of(vm, argv[0].str, argv[2], argv[3], &s, &ok);
    if (rc) return rc;
    size_t at = !ok    ? SIZE_MAX
                : last ? text_rfind(s.p, s.n, sub.p, sub.n)
                       : text_find(s.p, s.n, sub.p, sub.n, 0);
    const str_obj *self = argv[0].str;
    if (at == SIZE_MAX)
        *out = -1;
    else
        *out = (int64_t)str_position(self, (size_t)(s.p - self->text) + at);
    return GPA_OK;
}

static gpa_code return_index(gpa_vm *vm, value *argv, bool last, bool must, value *out) {
    int64_t at;
    gpa_code rc = find(vm, argv, last, &at);
    if (!rc && at < 0 && must) return vm_fail(vm, GPA_E_VALUE, "substring not found");
    if (!rc) *out = v_int(at);
    return rc;
}

gpa_code str_find(gpa_vm *vm, value *argv, value *out) {
    return return_index(vm, argv, false, false, out);
}
gpa_code str_rfind(gpa_vm *vm, value *argv, value *out) {
    return return_index(vm, argv, true, false, out);
}
gpa_code str_index(gpa_vm *vm, value *argv, value *out) {
    return return_index(vm, argv, false, true, out);
}
gpa_code str_rindex(gpa_vm *vm, value *argv, value *out) {
    return return_index(vm, argv, true, true, out);
}

gpa_code str_count(gpa_vm *vm, value *argv, value *out) {
    piece s, sub;
    bool ok;
    gpa_code rc = text_arg(vm, argv[1], "must be str, not %s", &sub);
    if (!rc) rc = range_of(vm, argv[0].str, argv[2], argv[3], &s, &ok);
    if (rc) return rc;
    int64_t n = 0;
    if (ok && sub.n == 0) n = (int64_t)text_count(s.p, s.n) + 1;
    for (size_t at = 0; ok && sub.n && (at = text_find(s.p, s.n, sub.p, sub.n, at)) != SIZE_MAX;
         at += sub.n) {
        n++;
        if ((rc = vm_poll(vm))) return rc;
    }
    *out = v_int(n);
    return GPA_OK;
}

static bool has_affix(piece s, piece end, bool start) {
    return end.n <= s.n && memcmp(start ? s.p : s.p + s.n - end.n, end.p, end.n) == 0;
}

static gpa_code test_affix(gpa_vm *vm, value *argv, const char *name, bool start, value *out) {
    piece s;
    bool ok, hit = false;
    gpa_code rc = range_of(vm, argv[0].str, argv[2], argv[3], &s, &ok);
    if (rc) return rc;
    bool many = argv[1].tag == V_TUPLE;
    if (!many && argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s first arg must be str or a tuple of str, not %s", name,
                       value_type_name(argv[1]));
    const value *ends = many ? argv[1].tuple->items : &argv[1];
    for (size_t i = 0; i < (many ? argv[1].tuple->count : 1) && !hit; i++) {
        if (ends[i].tag != V_STR)
            return vm_fail(vm, GPA_E_TYPE, "tuple for %s must only contain str, not %s", name,
                           value_type_name(ends[i]));
        hit = ok && has_affix(s, piece_of(ends[i].str), start);
    }
    *out = v_bool(hit);
    return GPA_OK;
}

gpa_code str_startswith(gpa_vm *vm, value *argv, value *out) {
    return test_affix(vm, argv, "startswith", true, out);
}
gpa_code str_endswith(gpa_vm *vm, value *argv, value *out) {
    return test_affix(vm, argv, "endswith", false, out);
}
