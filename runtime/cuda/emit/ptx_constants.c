/* Rewriting of PTX line by line: float64 immediates of arithmetic and mov instructions become
 * registers, loaded from constant memory before the instruction. The constant table follows the
 * header; the registers are declared at the top of each function. */
#include "runtime/cuda/emit/ptx_constants.h"

#include <string.h>

#include "runtime/base/base.h"

enum { DIGITS = 16, HALF_DIGITS = 8, MAX_CONSTANTS = 256 };

typedef struct {
    const char *digits[MAX_CONSTANTS];
    size_t n, uses;
} table;

/* True for an unpredicated instruction whose immediates may be replaced. */
static bool is_arithmetic(const char *line, size_t n) {
    static const char *const names[] = {"mov.f64",    "fma.rn.f64", "mul.rn.f64", "add.rn.f64",
                                        "sub.rn.f64", "mul.f64",    "add.f64",    "sub.f64"};
    size_t skip = strspn(line, "\t ");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t length = strlen(names[i]);
        if (n > skip + length && strncmp(line + skip, names[i], length) == 0 &&
            strchr("\t ", line[skip + length]))
            return true;
    }
    return false;
}

/* The digits of the next float64 immediate whose lower half is not 0; NULL: there is none. */
static const char *next_number(const char *at, const char *end) {
    for (; at + 2 + DIGITS < end; at++) {
        if (at[0] != '0' || at[1] != 'd' || strspn(at + 2, "0123456789ABCDEFabcdef") != DIGITS)
            continue;
        if (strspn(at + 2 + HALF_DIGITS, "0") < HALF_DIGITS) return at + 2;
        at += DIGITS;
    }
    return NULL;
}

/* Its index in the table; MAX_CONSTANTS if that is full. */
static size_t index_of(table *t, const char *digits) {
    size_t i = 0;
    while (i < t->n && memcmp(t->digits[i], digits, DIGITS) != 0) i++;
    if (i == t->n && i < MAX_CONSTANTS) t->digits[t->n++] = digits;
    return i;
}

static void put_line(table *t, gpa_str *out, const char *line, const char *end) {
    const char *from = line;
    gpa_str changed;
    str_init(&changed);
    for (const char *d = next_number(line, end); d; d = next_number(d + DIGITS, end)) {
        size_t i = index_of(t, d);
        if (i == MAX_CONSTANTS) continue;
        str_printf(out, "\tld.const.f64 \t%%g_c%zu, [g_constants+%zu];\n", t->uses, 8 * i);
        str_putn(&changed, from, (size_t)(d - 2 - from));
        str_printf(&changed, "%%g_c%zu", t->uses++);
        from = d + DIGITS;
    }
    str_putn(&changed, from, (size_t)(end - from));
    str_put(out, changed.text);
    out->failed |= changed.failed;
    str_free(&changed);
}

void ptx_constants_to_memory(const char *ptx, gpa_str *out) {
    static const char header[] = ".address_size 64\n";
    const char *begin = strstr(ptx, header);
    table t = {.n = 0};
    size_t uses = 0;
    for (const char *line = ptx; begin && *line;) {
        const char *end = line + strcspn(line, "\n");
        for (const char *d = is_arithmetic(line, (size_t)(end - line)) ? next_number(line, end)
                                                                       : NULL;
             d; d = next_number(d + DIGITS, end))
            uses += index_of(&t, d) < MAX_CONSTANTS;
        line = end + (*end != 0);
    }
    if (!uses) {
        str_put(out, ptx);
        return;
    }
    begin += sizeof header - 1;
    str_putn(out, ptx, (size_t)(begin - ptx));
    str_printf(out, ".const .align 8 .b64 g_constants[%zu] = {", t.n);
    for (size_t i = 0; i < t.n; i++)
        str_printf(out, "%s0x%.*s", i ? ", " : "", DIGITS, t.digits[i]);
    str_put(out, "};\n");
    for (const char *line = begin; *line;) {
        const char *end = line + strcspn(line, "\n");
        if (*end) end++;
        if (is_arithmetic(line, (size_t)(end - line)))
            put_line(&t, out, line, end);
        else
            str_putn(out, line, (size_t)(end - line));
        if (strncmp(line, "{\n", 2) == 0) str_printf(out, "\t.reg .f64 \t%%g_c<%zu>;\n", uses);
        line = end;
    }
}
