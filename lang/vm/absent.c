/* Hints for names that gpa's modules do not have. */
#include "lang/vm/absent.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"

static const struct {
    const char *module, *hint, *names;
} absent[] = {
#define ABSENT(module, hint, names) {module, hint, names},
#define REMOVED(name, replacement)
#define ALIAS(name, scalar)
#include "lang/vm/absent.def"
#undef ABSENT
#undef REMOVED
#undef ALIAS
};

static const struct {
    const char *name, *replacement;
} removed[] = {
#define ABSENT(module, hint, names)
#define REMOVED(name, replacement) {name, replacement},
#define ALIAS(name, scalar)
#include "lang/vm/absent.def"
#undef ABSENT
#undef REMOVED
#undef ALIAS
};

static const struct {
    const char *name, *scalar;
} aliases[] = {
#define ABSENT(module, hint, names)
#define REMOVED(name, replacement)
#define ALIAS(name, scalar) {name, scalar},
#include "lang/vm/absent.def"
#undef ABSENT
#undef REMOVED
#undef ALIAS
};

/* True if name is the module, or with parts one of its submodules. */
static bool is_module(const char *name, const char *module, bool parts) {
    const size_t n = strlen(module);
    return strncmp(name, module, n) == 0 && (!name[n] || (parts && name[n] == '.'));
}

const char *name_absent(const char *module, const char *name) {
    char wanted[40];
    int n = snprintf(wanted, sizeof wanted, " %s ", name);
    for (size_t i = 0; i < COUNT_OF(absent) && n < (int)sizeof wanted; i++) {
        const bool all = strcmp(absent[i].names, " *") == 0;
        if (is_module(module, absent[i].module, all) && (all || strstr(absent[i].names, wanted)))
            return absent[i].hint;
    }
    return NULL;
}

bool module_is_whole(const char *name) {
    for (size_t i = 0; i < COUNT_OF(absent); i++)
        if (strcmp(absent[i].names, " *") == 0 && is_module(name, absent[i].module, true))
            return true;
    return false;
}

const char *np_removed(const char *name) {
    for (size_t i = 0; i < COUNT_OF(removed); i++)
        if (strcmp(removed[i].name, name) == 0) return removed[i].replacement;
    return NULL;
}

bool np_alias(const char *name, const char **scalar) {
    for (size_t i = 0; i < COUNT_OF(aliases); i++) {
        *scalar = aliases[i].scalar;
        if (strcmp(aliases[i].name, name) == 0) return true;
    }
    return false;
}
