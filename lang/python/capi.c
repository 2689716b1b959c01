/* Symbols of CPython's shared library. */
#include "lang/python/capi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

python_capi py;

/* POSIX guarantees that a function's address fits an object pointer; C has no cast for it. */
static bool find(void *library, const char *name, void *to, char *why, size_t n) {
    void *symbol = dlsym(library, name);
    if (!symbol) snprintf(why, n, "the library has no %s", name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

bool capi_open(const char *path, char *why, size_t n) {
    /* Global: extension modules are not linked with the library and find its symbols there. */
    void *library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    if (!library) {
        snprintf(why, n, "%s", dlerror());
        return false;
    }
    python_capi found;
    bool ok = true;
    py_object **variable;
#define CAPI(result, name, parameters) ok = ok && find(library, #name, &found.name, why, n);
#define CAPI_OBJECT(name, field) ok = ok && find(library, #name, &found.field, why, n);
#define CAPI_VARIABLE(name, field)                      \
    ok = ok && find(library, #name, &variable, why, n); \
    if (ok) found.field = *variable;
#include "lang/python/capi.def"
#undef CAPI
#undef CAPI_OBJECT
#undef CAPI_VARIABLE
    if (ok) py = found;
    return ok;
}
