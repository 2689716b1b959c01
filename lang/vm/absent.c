/* Hints for names of NumPy that gpa does not have. */
#include "lang/vm/absent.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"

static const struct {
    const char *hint, *names;
} absent[] = {
#define ABSENT(hint, names) {hint, names},
#define REMOVED(name, replacement)
#include "lang/vm/absent.def"
#undef ABSENT
#undef REMOVED
};

static const struct {
    const char *name, *replacement;
} removed[] = {
#define ABSENT(hint, names)
#define REMOVED(name, replacement) {name, replacement},
#include "lang/vm/absent.def"
#undef ABSENT
#undef REMOVED
};

const char *np_absent(const char *name) {
    char wanted[40];
    int n = snprintf(wanted, sizeof wanted, " %s ", name);
    for (size_t i = 0; i < COUNT_OF(absent) && n < (int)sizeof wanted; i++)
        if (strstr(absent[i].names, wanted)) return absent[i].hint;
    return NULL;
}

const char *np_removed(const char *name) {
    for (size_t i = 0; i < COUNT_OF(removed); i++)
        if (strcmp(removed[i].name, name) == 0) return removed[i].replacement;
    return NULL;
}
