/* Functions of libm: the vector variants of glibc's libmvec where they exist, found by their ABI names.
 *
 * A variant works on one register; wider vectors are cut into registers. All lanes go through the same variant, tails
 * included, so that an element's value does not depend on where it stands. */
#include <dlfcn.h>
#include <stdio.h>

#include "runtime/cpu/ll.h"

/* Looked up in libmvec itself: the executable does not link it. Opened once, never closed. */
static void *find_vector(const char *name) {
    static const char *const libraries[] = {"libmvec.so.1", "libmvec.so"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = lib ? dlsym(lib, name) : NULL;
        if (found) return found;
    }
    return NULL;
}

static void *vector_variant(ll *E, const char *name, unsigned n, unsigned lanes, bool is_double, char *full, size_t cap) {
    unsigned bytes = lanes * (is_double ? 8 : 4);
    char letter = E->host->letter == 'n' ? 'n' : bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b';
    if (!E->host->letter) return NULL;
    snprintf(full, cap, "_ZGV%cN%u%s_%s%s", letter, lanes, n == 1 ? "v" : "vv", name, is_double ? "" : "f");
    return find_vector(full);
}

static V call_in_registers(ll *E, const char *full, void *address, V *args, unsigned n, unsigned lanes) {
    unsigned width = ll_width(args[0]), parts = width / lanes;
    V part[64], cut[2];
    for (unsigned p = 0; p < parts; p++) {
        for (unsigned i = 0; i < n; i++) cut[i] = ll_slice(E, args[i], p * lanes, lanes);
        part[p] = ll_call(E, full, address, LLVMTypeOf(cut[0]), cut, n);
    }
    for (; parts > 1; parts /= 2)
        for (unsigned p = 0; p < parts / 2; p++) part[p] = ll_join(E, part[2 * p], part[2 * p + 1]);
    return part[0];
}

V ll_libm(ll *E, const char *name, V *args, unsigned n) {
    char full[48];
    unsigned width = ll_width(args[0]);
    LLVMTypeRef one = LLVMTypeOf(args[0]);
    if (width > 1) one = LLVMGetElementType(one);
    bool is_double = LLVMGetTypeKind(one) == LLVMDoubleTypeKind;
    void *address;
    if (width == 1) {
        snprintf(full, sizeof full, "%s%s", name, is_double ? "" : "f");
        address = dlsym(RTLD_DEFAULT, full);
        return address ? ll_call(E, full, address, one, args, n) : NULL;
    }
    unsigned lanes = E->host->bytes / (is_double ? 8 : 4);
    if (lanes > width) lanes = width;
    address = vector_variant(E, name, n, lanes, is_double, full, sizeof full);
    return address ? call_in_registers(E, full, address, args, n, lanes) : NULL;
}
