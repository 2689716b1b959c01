/* The precision of products of float32 matrices: a setting of the runtime. */
#include "runtime/exec/precision.h"

#include <stdio.h>
#include <string.h>

#include "runtime/exec/rt.h"

const char *const precision_names[PRECISION_COUNT] = {
#define PRECISION(id, name, doc) name,
#include "runtime/tables/precision.def"
#undef PRECISION
};

bool precision_find(const char *name, gpa_precision *out) {
    for (int i = 0; i < PRECISION_COUNT; i++) {
        if (strcmp(name, precision_names[i]) != 0) continue;
        *out = (gpa_precision)i;
        return true;
    }
    return false;
}

/* "'float32', 'tf32' or 'bf16x3'" */
static const char *list_names(char text[128]) {
    size_t n = 0;
    for (int i = 0; i < PRECISION_COUNT; i++)
        n += (size_t)snprintf(text + n, 128 - n, "%s'%s'",
                              i == 0                     ? ""
                              : i == PRECISION_COUNT - 1 ? " or "
                                                         : ", ",
                              precision_names[i]);
    return text;
}

gpa_code precision_unknown(const char *what, const char *name, gpa_err *e) {
    char names[128];
    return gpa_fail(e, GPA_E_VALUE, "%s: '%.40s' is not one of %s", what, name, list_names(names));
}

const char *rt_precision(const gpa_rt *rt) { return precision_names[rt->precision]; }

const char *rt_precision_name(int64_t i) {
    return i >= 0 && i < PRECISION_COUNT ? precision_names[i] : NULL;
}

gpa_code rt_check_precision(const char *name, gpa_err *e) {
    gpa_precision found;
    return precision_find(name, &found) ? GPA_OK : precision_unknown("precision", name, e);
}

gpa_code rt_set_precision(gpa_rt *rt, const char *name, gpa_err *e) {
    return precision_find(name, &rt->precision) ? GPA_OK : precision_unknown("precision", name, e);
}
