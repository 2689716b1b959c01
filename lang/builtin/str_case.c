/* Methods of str that work character by character: case, character classes, padding, translation.
 */
#include "lang/builtin/all.h"
#include "lang/object/container.h"
#include "lang/format/format.h"
#include "lang/text/text.h"

/* The str of a text, which is freed; if it could not be written, the error rc. */
static gpa_code return_text(gpa_vm *vm, gpa_code rc, gpa_str *text, value *out) {
    if (!rc) return native_return(v_str_take(vm, text), out);
    str_free(text);
    return rc;
}

/* ---- case ---- */

/* in_word: the previous character was a letter. */
typedef uint32_t (*mapping)(uint32_t c, bool in_word, bool first);

static uint32_t to_upper(uint32_t c, bool in_word, bool first) {
    (void)in_word;
    (void)first;
    return text_upper(c);
}

static uint32_t to_lower(uint32_t c, bool in_word, bool first) {
    (void)in_word;
    (void)first;
    return text_lower(c);
}

static uint32_t to_title(uint32_t c, bool in_word, bool first) {
    (void)first;
    return in_word ? text_lower(c) : text_upper(c);
}

static uint32_t to_sentence(uint32_t c, bool in_word, bool first) {
    (void)in_word;
    return first ? text_upper(c) : text_lower(c);
}

static uint32_t to_swapped(uint32_t c, bool in_word, bool first) {
    (void)in_word;
    (void)first;
    return text_is_upper(c) ? text_lower(c) : text_upper(c);
}

static uint32_t to_folded(uint32_t c, bool in_word, bool first) {
    (void)in_word;
    (void)first;
    return c == 0x3C2 ? 0x3C3 : text_lower(c);
}

static gpa_code map_text(gpa_vm *vm, const str_obj *s, mapping f, value *out) {
    gpa_str to;
    str_init(&to);
    size_t len;
    bool in_word = false;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < s->size && !(rc = vm_poll(vm)); i += len) {
        uint32_t c = text_decode(s->text + i, s->size - i, &len);
        if (c == 0xDF && (f == to_upper || f == to_folded || (f == to_title && !in_word)))
            str_put(&to, f == to_upper ? "SS" : f == to_folded ? "ss" : "Ss");
        else
            text_put(&to, f(c, in_word, i == 0));
        in_word = text_is_alpha(c);
    }
    return return_text(vm, rc, &to, out);
}

gpa_code str_upper(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_upper, out);
}
gpa_code str_lower(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_lower, out);
}
gpa_code str_casefold(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_folded, out);
}
gpa_code str_title(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_title, out);
}
gpa_code str_capitalize(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_sentence, out);
}
gpa_code str_swapcase(gpa_vm *vm, value *argv, value *out) {
    return map_text(vm, argv[0].str, to_swapped, out);
}

/* ---- character classes ---- */

/* *out: all characters are of the class. */
static gpa_code all_are(gpa_vm *vm, const str_obj *s, bool (*is)(uint32_t c), value *out) {
    size_t len;
    bool all = true;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < s->size && all && !(rc = vm_poll(vm)); i += len)
        all = is(text_decode(s->text + i, s->size - i, &len));
    *out = v_bool(all);
    return rc;
}

/* As all_are, but false for an empty text. */
static gpa_code class_test(gpa_vm *vm, const str_obj *s, bool (*is)(uint32_t c), value *out) {
    *out = v_bool(false);
    return s->size ? all_are(vm, s, is, out) : GPA_OK;
}

static bool is_alnum(uint32_t c) { return text_is_alpha(c) || text_is_digit(c); }
static bool is_word(uint32_t c) { return c == '_' || is_alnum(c); }

gpa_code str_isalpha(gpa_vm *vm, value *argv, value *out) {
    return class_test(vm, argv[0].str, text_is_alpha, out);
}

gpa_code str_isdigit(gpa_vm *vm, value *argv, value *out) {
    return class_test(vm, argv[0].str, text_is_digit, out);
}

gpa_code str_isalnum(gpa_vm *vm, value *argv, value *out) {
    return class_test(vm, argv[0].str, is_alnum, out);
}

gpa_code str_isspace(gpa_vm *vm, value *argv, value *out) {
    return class_test(vm, argv[0].str, text_is_space, out);
}

gpa_code str_isprintable(gpa_vm *vm, value *argv, value *out) {
    return all_are(vm, argv[0].str, text_is_printable, out);
}

gpa_code str_isascii(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(str_is_ascii(argv[0].str));
    return GPA_OK;
}

gpa_code str_isidentifier(gpa_vm *vm, value *argv, value *out) {
    const str_obj *s = argv[0].str;
    *out = v_bool(false);
    return s->size && !text_is_digit((unsigned char)s->text[0]) ? all_are(vm, s, is_word, out)
                                                                : GPA_OK;
}

/* True if all cased characters are of this case, and there are some. */
static gpa_code case_test(const str_obj *s, bool (*is)(uint32_t c), bool (*is_not)(uint32_t c),
                          value *out) {
    bool some = false;
    size_t len;
    *out = v_bool(false);
    for (size_t i = 0; i < s->size; i += len) {
        uint32_t c = text_decode(s->text + i, s->size - i, &len);
        if (is_not(c)) return GPA_OK;
        some = some || is(c);
    }
    *out = v_bool(some);
    return GPA_OK;
}

gpa_code str_isupper(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return case_test(argv[0].str, text_is_upper, text_is_lower, out);
}

gpa_code str_islower(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return case_test(argv[0].str, text_is_lower, text_is_upper, out);
}

gpa_code str_istitle(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    const str_obj *s = argv[0].str;
    bool in_word = false, some = false;
    size_t len;
    *out = v_bool(false);
    for (size_t i = 0; i < s->size; i += len) {
        uint32_t c = text_decode(s->text + i, s->size - i, &len);
        bool upper = text_is_upper(c), lower = text_is_lower(c);
        if ((upper && in_word) || (lower && !in_word)) return GPA_OK;
        in_word = upper || lower;
        some = some || in_word;
    }
    *out = v_bool(some);
    return GPA_OK;
}

/* ---- padding ---- */

static gpa_code pad(gpa_vm *vm, value *argv, int where, value *out) {
    int64_t width;
    gpa_code rc = arg_int(vm, argv[1], "width", &width);
    if (rc) return rc;
    if (argv[2].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "The fill character must be a unicode character, not %s",
                       value_type_name(argv[2]));
    if (argv[2].str->length != 1)
        return vm_fail(vm, GPA_E_TYPE, "The fill character must be exactly one character long");
    const str_obj *s = argv[0].str, *fill = argv[2].str;
    int64_t n = width - s->length, left = where > 0 ? n : where < 0 ? 0 : n / 2 + (n & width & 1);
    if (n <= 0) {
        *out = value_retain(argv[0]);
        return GPA_OK;
    }
    gpa_str to;
    str_init(&to);
    rc = vm_fill(vm, &to, fill->text, fill->size, (uint64_t)left);
    str_putn(&to, s->text, s->size);
    if (!rc) rc = vm_fill(vm, &to, fill->text, fill->size, (uint64_t)(n - left));
    return return_text(vm, rc, &to, out);
}

gpa_code str_center(gpa_vm *vm, value *argv, value *out) { return pad(vm, argv, 0, out); }
gpa_code str_ljust(gpa_vm *vm, value *argv, value *out) { return pad(vm, argv, -1, out); }
gpa_code str_rjust(gpa_vm *vm, value *argv, value *out) { return pad(vm, argv, 1, out); }

gpa_code str_zfill(gpa_vm *vm, value *argv, value *out) {
    int64_t width;
    gpa_code rc = arg_int(vm, argv[1], "width", &width);
    if (rc) return rc;
    const str_obj *s = argv[0].str;
    size_t sign = s->size && (s->text[0] == '-' || s->text[0] == '+');
    gpa_str to;
    str_init(&to);
    str_putn(&to, s->text, sign);
    if (width > s->length) rc = vm_fill(vm, &to, "0", 1, (uint64_t)(width - s->length));
    str_putn(&to, s->text + sign, s->size - sign);
    return return_text(vm, rc, &to, out);
}

gpa_code str_expandtabs(gpa_vm *vm, value *argv, value *out) {
    int64_t size, column = 0;
    gpa_code rc = arg_int(vm, argv[1], "tabsize", &size);
    if (rc) return rc;
    const str_obj *s = argv[0].str;
    gpa_str to;
    str_init(&to);
    for (size_t i = 0; i < s->size && !rc; i++) {
        char c = s->text[i];
        if (c == '\t') {
            int64_t n = size > 0 ? size - column % size : 0;
            rc = vm_fill(vm, &to, " ", 1, (uint64_t)n);
            column += n;
            continue;
        }
        str_putc(&to, c);
        if (c == '\n' || c == '\r')
            column = 0;
        else
            column += ((unsigned char)c & 0xC0) != 0x80;
    }
    return return_text(vm, rc, &to, out);
}

/* ---- replacing ---- */

gpa_code str_replace(gpa_vm *vm, value *argv, value *out) {
    for (int i = 1; i < 3; i++)
        if (argv[i].tag != V_STR)
            return vm_fail(vm, GPA_E_TYPE, "replace() argument %d must be str, not %s", i,
                           value_type_name(argv[i]));
    int64_t most;
    gpa_code rc = arg_int(vm, argv[3], "count", &most);
    if (rc) return rc;
    const str_obj *s = argv[0].str, *old = argv[1].str, *new = argv[2].str;
    gpa_str to;
    str_init(&to);
    size_t from = 0;
    for (size_t at; most != 0 && !(rc = vm_poll(vm)) &&
                    (at = text_find(s->text, s->size, old->text, old->size, from)) != SIZE_MAX;
         most--) {
        str_putn(&to, s->text + from, at - from);
        str_putn(&to, new->text, new->size);
        from = at + old->size;
        if (old->size) continue;
        size_t len;
        if (from >= s->size) {
            from = s->size + 1;
            break;
        }
        text_decode(s->text + from, s->size - from, &len);
        str_putn(&to, s->text + from, len);
        from += len;
    }
    if (from <= s->size) str_putn(&to, s->text + from, s->size - from);
    return return_text(vm, rc, &to, out);
}

/* Appends the replacement of a character by a table. */
static gpa_code translate_char(gpa_vm *vm, value table, uint32_t c, gpa_str *to) {
    value hit = v_unset();
    gpa_code rc = GPA_OK;
    if (table.tag == V_DICT) rc = dict_get_peek(vm, table.dict, v_int(c), &hit);
    if (rc) return rc;
    if (hit.tag == V_UNSET)
        text_put(to, c);
    else if (hit.tag == V_STR)
        str_putn(to, hit.str->text, hit.str->size);
    else if (hit.tag == V_INT && hit.i >= 0 && hit.i <= 0x10FFFF)
        text_put(to, (uint32_t)hit.i);
    else if (hit.tag != V_NONE)
        rc = vm_fail(vm, GPA_E_TYPE, "character mapping must return integer, None or str");
    return rc;
}

gpa_code str_translate(gpa_vm *vm, value *argv, value *out) {
    const str_obj *s = argv[0].str;
    gpa_str to;
    str_init(&to);
    size_t len;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < s->size && !rc; i += len) {
        uint32_t c = text_decode(s->text + i, s->size - i, &len);
        rc = vm_poll(vm);
        if (!rc) rc = translate_char(vm, argv[1], c, &to);
    }
    return return_text(vm, rc, &to, out);
}

/* Maps the characters of x to those of y (or None). */
static gpa_code map_chars(gpa_vm *vm, dict_obj *d, const str_obj *x, const str_obj *y) {
    gpa_code rc = GPA_OK;
    size_t len, other = 0, used;
    for (size_t i = 0; i < x->size && !rc; i += len) {
        uint32_t c = text_decode(x->text + i, x->size - i, &len);
        value to = v_none();
        if (y) {
            to = v_int(text_decode(y->text + other, y->size - other, &used));
            other += used;
        }
        rc = dict_set(vm, d, v_int(c), to);
    }
    return rc;
}

/* A dict whose keys may be characters, which become code points. */
static gpa_code map_entries(gpa_vm *vm, dict_obj *to, const dict_obj *from) {
    gpa_code rc = GPA_OK;
    size_t at = 0, len;
    for (const dict_entry *e; !rc && (e = dict_next(from, &at));) {
        value key = e->key;
        if (key.tag == V_STR && key.str->length != 1)
            return vm_fail(vm, GPA_E_VALUE, "string keys in translate table must be of length 1");
        if (key.tag == V_STR) key = v_int(text_decode(key.str->text, key.str->size, &len));
        rc = dict_set(vm, to, key, e->v);
    }
    return rc;
}

gpa_code str_maketrans(gpa_vm *vm, value *argv, value *out) {
    bool one = argv[1].tag == V_UNSET;
    if (one && argv[0].tag != V_DICT)
        return vm_fail(vm, GPA_E_TYPE,
                       "if you give only one argument to maketrans it must be a dict");
    if (!one && (argv[0].tag != V_STR || argv[1].tag != V_STR ||
                 (argv[2].tag != V_UNSET && argv[2].tag != V_STR)))
        return vm_fail(vm, GPA_E_TYPE, "maketrans() arguments must be str");
    if (!one && argv[0].str->length != argv[1].str->length)
        return vm_fail(vm, GPA_E_VALUE, "the first two maketrans arguments must have equal length");
    value d = v_dict(vm);
    if (d.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = one ? map_entries(vm, d.dict, argv[0].dict)
                      : map_chars(vm, d.dict, argv[0].str, argv[1].str);
    if (!rc && argv[2].tag == V_STR) rc = map_chars(vm, d.dict, argv[2].str, NULL);
    return native_finish(vm, rc, d, out);
}

/* ---- fields ---- */

gpa_code str_format(gpa_vm *vm, value *argv, value *out) {
    gpa_str s;
    str_init(&s);
    gpa_code rc = format_braces(vm, argv[0].str, argv[1].tuple, argv[2], &s);
    return native_text(vm, rc, &s, out);
}

gpa_code str_format_map(gpa_vm *vm, value *argv, value *out) {
    gpa_str s;
    value none = v_tuple(vm, 0, NULL);
    if (none.tag == V_UNSET) return GPA_E_MEMORY;
    str_init(&s);
    gpa_code rc = format_braces(vm, argv[0].str, none.tuple, argv[1], &s);
    value_release(vm, none);
    return native_text(vm, rc, &s, out);
}
