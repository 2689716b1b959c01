/* Signatures of natives: parameters and defaults, parsed from the text in their table row. */
#include <errno.h>
#include <stdlib.h>

#include "runtime/base/base.h"

#include "lang/vm/machine.h"

/* Parses a default as the tables write it: "None", "2.5", "'C'", "<unset>". False if it is none of
 * these. */
static bool parse_default(gpa_vm *vm, const char *text, size_t n, value *out) {
    char buffer[64], *end;
    if (n == 0 || n >= sizeof buffer) return false;
    memcpy(buffer, text, n);
    buffer[n] = 0;
    *out = v_unset();
    if (strcmp(buffer, "<unset>") == 0) return true;
    if (strcmp(buffer, "None") == 0)
        *out = v_none();
    else if (strcmp(buffer, "True") == 0)
        *out = v_bool(true);
    else if (strcmp(buffer, "False") == 0)
        *out = v_bool(false);
    else if (strcmp(buffer, "...") == 0)
        *out = (value){.tag = V_ELLIPSIS};
    else if (strcmp(buffer, "()") == 0)
        *out = v_tuple(vm, 0, NULL);
    else if (buffer[0] == '\'' || buffer[0] == '"') {
        gpa_str s;
        str_init(&s);
        for (size_t i = 1; i + 1 < n; i++) {
            char ch = buffer[i];
            if (ch == '\\' && i + 2 < n)
                ch = buffer[++i] == 'n' ? '\n' : buffer[i] == 't' ? '\t' : buffer[i];
            str_putc(&s, ch);
        }
        *out = v_str_take(vm, &s);
    } else {
        errno = 0;
        long long whole = strtoll(buffer, &end, 0);
        if (!*end && !errno) {
            *out = v_int(whole);
            return true;
        }
        double real = strtod(buffer, &end);
        if (*end) return false;
        *out = v_float(real);
    }
    return out->tag != V_UNSET;
}

/* The end of the parameter that begins at p: a comma outside quotes and brackets, or the end of the
 * text. */
static const char *param_end(const char *p) {
    int depth = 0;
    for (char quote = 0; *p; p++) {
        if (quote) {
            if (*p == '\\' && p[1])
                p++;
            else if (*p == quote)
                quote = 0;
        } else if (*p == '\'' || *p == '"') {
            quote = *p;
        } else if (*p == '(' || *p == '[') {
            depth++;
        } else if (*p == ')' || *p == ']') {
            depth--;
        } else if (*p == ',' && depth == 0) {
            break;
        }
    }
    return p;
}

static bool add_param(gpa_vm *vm, signature *s, const char *p, size_t n, bool keyword_only) {
    const char *eq = memchr(p, '=', n);
    size_t name = eq ? (size_t)(eq - p) : n;
    while (name && p[name - 1] == ' ') name--;
    if (s->n >= MAX_NATIVE_PARAMS || !(s->names[s->n] = mem_text(p, name))) return false;
    s->required[s->n] = !eq;
    if (eq) {
        const char *d = eq + 1;
        while (*d == ' ') d++;
        if (!parse_default(vm, d, n - (size_t)(d - p), &s->defaults[s->n]))
            s->defaults[s->n] = v_unset();
        s->plain = false;
    }
    s->n++;
    if (keyword_only)
        s->plain = false;
    else
        s->n_positional = s->n;
    return true;
}

/* Owners whose functions never create arrays. */
static bool makes_arrays(const native *row) {
    static const native_owner innocent[] = {
        OWNER_STR,  OWNER_BYTES,     OWNER_LIST,    OWNER_TUPLE, OWNER_DICT,
        OWNER_SET,  OWNER_FROZENSET, OWNER_RANGE,   OWNER_MATH,  OWNER_CMATH,
        OWNER_TIME, OWNER_OS,        OWNER_OS_PATH, OWNER_RANDOM};
    native_owner o = owner_find(row->owner);
    for (size_t i = 0; i < COUNT_OF(innocent); i++)
        if (o == innocent[i]) return false;
    return true;
}

static void free_signature(gpa_vm *vm, signature *s) {
    for (unsigned i = 0; i < s->n; i++) {
        mem_free(s->names[i]);
        value_release(vm, s->defaults[i]);
    }
    mem_free(s);
}

static signature *parse_signature(gpa_vm *vm, const native *row) {
    signature *s = mem_zero(sizeof *s);
    if (!s) return NULL;
    *s = (signature){.row = row, .args = -1, .kwargs = -1, .plain = true};
    s->arrays = makes_arrays(row);
    bool keyword_only = false, good = true;
    for (const char *p = row->signature; *p && good;) {
        const char *end = param_end(p);
        size_t n = (size_t)(end - p);
        if (n == 1 && *p == '/') {
            s->n_positional_only = s->n;
        } else if (n == 1 && *p == '*') {
            keyword_only = true;
        } else if (*p == '*') {
            bool two = p[1] == '*';
            *(two ? &s->kwargs : &s->args) = (int16_t)s->n;
            good =
                s->n < MAX_NATIVE_PARAMS && (s->names[s->n] = mem_text(p + 1 + two, n - 1 - two));
            s->n++;
            s->plain = false;
            keyword_only = true;
        } else {
            good = add_param(vm, s, p, n, keyword_only);
        }
        for (p = end; *p == ',' || *p == ' ';) p++;
    }
    if (good) return s;
    free_signature(vm, s);
    return NULL;
}

/* An open-addressing table by the row's address. */
signature *signature_of(gpa_vm *vm, const native *row) {
    size_t mask = vm->cap_signatures - 1, at = ((uintptr_t)row >> 4) * 0x9e3779b1u & mask;
    if (vm->cap_signatures)
        for (; vm->signatures[at]; at = (at + 1) & mask)
            if (vm->signatures[at]->row == row) return vm->signatures[at];
    if (vm->n_signatures * 2 >= vm->cap_signatures) {
        size_t cap = vm->cap_signatures ? vm->cap_signatures * 2 : 256;
        signature **more = mem_zero(cap * sizeof *more);
        if (!more) return NULL;
        for (size_t i = 0; i < vm->cap_signatures; i++) {
            signature *old = vm->signatures[i];
            if (!old) continue;
            size_t to = ((uintptr_t)old->row >> 4) * 0x9e3779b1u & (cap - 1);
            while (more[to]) to = (to + 1) & (cap - 1);
            more[to] = old;
        }
        mem_free(vm->signatures);
        vm->signatures = more;
        vm->cap_signatures = cap;
        return signature_of(vm, row);
    }
    signature *s = parse_signature(vm, row);
    if (s) {
        vm->signatures[at] = s;
        vm->n_signatures++;
    }
    return s;
}

void signatures_free(gpa_vm *vm) {
    for (size_t i = 0; i < vm->cap_signatures; i++)
        if (vm->signatures[i]) free_signature(vm, vm->signatures[i]);
    mem_free(vm->signatures);
}
