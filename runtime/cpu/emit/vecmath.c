/* Vector variants of libm functions: glibc's libmvec, found by its ABI names, and
 * implementations of our own.
 *
 * A variant works on one register; longer vectors are split into registers, shorter ones padded,
 * as the variants for narrower registers round differently. All lanes use the same variant,
 * remainders included, so that the result for an element depends neither on its index nor on the
 * number of elements. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/emit/vecmath.h"

/* Looks up a function in libmvec itself, as the executable does not link it. The library is
 * opened once and never closed. */
static void *find_vector(const char *name) {
    static const char *const libraries[] = {"libmvec.so.1", "libmvec.so"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = lib ? dlsym(lib, name) : NULL;
        if (found) return found;
    }
    return NULL;
}

/* A function of libmvec: its name by the vector function ABI, and the lanes of its operands. */
typedef struct {
    char symbol[48];
    void *address; /* NULL: there is none */
    unsigned lanes;
} vector_function;

static vector_function vector_variant(const ll *E, const char *name, unsigned n, unsigned lanes,
                                      bool is_double) {
    vector_function f = {.lanes = lanes};
    unsigned bytes = lanes * (is_double ? 8 : 4);
    char letter = E->host->letter == 'n' ? 'n' : bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b';
    if (!E->host->letter) return f;
    snprintf(f.symbol, sizeof f.symbol, "_ZGV%cN%u%s_%s%s", letter, lanes, n == 1 ? "v" : "vv",
             name, is_double ? "" : "f");
    f.address = find_vector(f.symbol);
    return f;
}

/* Lanes from `at` on as one register of `lanes`: padded by repetition if there are fewer. */
static V one_register(ll *E, V x, unsigned at, unsigned lanes) {
    V part = ll_slice(E, x, at, MIN(ll_width(x), lanes));
    while (ll_width(part) < lanes) part = ll_join(E, part, part);
    return part;
}

static V call_in_registers(ll *E, const vector_function *f, V *args, unsigned n) {
    const unsigned width = ll_width(args[0]);
    V out = NULL, cut[2];
    for (unsigned at = 0; at < width; at += f->lanes) {
        for (unsigned i = 0; i < n; i++) cut[i] = one_register(E, args[i], at, f->lanes);
        V done = ll_call(E, f->symbol, f->address, LLVMTypeOf(cut[0]), cut, n);
        out = out ? ll_join(E, out, done) : done;
    }
    return ll_slice(E, out, 0, width);
}

V vec_by_registers(ll *E, V x, V y, vec_register *f, const void *more) {
    LLVMTypeRef one = LLVMGetElementType(LLVMTypeOf(x));
    unsigned lanes = one == LLVMDoubleTypeInContext(E->ctx) || one == ll_i(E, 64) ? 8 : 16,
             width = ll_width(x);
    V out = NULL;
    for (unsigned at = 0; at < width; at += lanes) {
        V done =
            f(E, one_register(E, x, at, lanes), y ? one_register(E, y, at, lanes) : NULL, more);
        out = out ? ll_join(E, out, done) : done;
    }
    return ll_slice(E, out, 0, width);
}

V vec_masked(ll *E, const char *stem, V *args, unsigned n) {
    bool is_double = vec_is_double(args[0]);
    char name[64];
    V all[8];
    for (unsigned i = 0; i < n; i++) all[i] = args[i];
    all[n] = LLVMConstAllOnes(ll_i(E, is_double ? 8 : 16));
    all[n + 1] = LLVMConstInt(ll_i(E, 32), 4, 0); /* current rounding mode (MXCSR) */
    snprintf(name, sizeof name, "llvm.x86.avx512.mask.%s.%s.512", stem, is_double ? "pd" : "ps");
    return ll_intrinsic_of(E, name, NULL, 0, all, n + 2);
}

V vec_unless(ll *E, V unusual, V out, V (*other)(ll *E, const void *more), const void *more) {
    if (!E->divides) return other(E, more);
    LLVMBuilderRef b = E->b;
    V bits = LLVMBuildBitCast(b, unusual, ll_i(E, ll_width(unusual)), "");
    V any = LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b),
                      rare = LLVMAppendBasicBlockInContext(E->ctx, E->fn, "rare");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(E->ctx, E->fn, "after");
    LLVMBuildCondBr(b, any, rare, after);
    LLVMPositionBuilderAtEnd(b, rare);
    V made = other(E, more);
    LLVMBasicBlockRef to = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    V result = LLVMBuildPhi(b, LLVMTypeOf(out), "");
    LLVMAddIncoming(result, (V[]){out, made}, (LLVMBasicBlockRef[]){from, to}, 2);
    return result;
}

/* Functions implemented here, which are faster or more accurate than libmvec's. Those `wide` only
 * with 512-bit registers: tables of float in memory are slower than libmvec. */
static const struct {
    const char *name;
    V (*of_float)(ll *E, V x, V y), (*of_double)(ll *E, V x, V y);
    bool wide_float, wide_double;
} written[] = {
    {"exp", vec_exp, vec_exp, false, false},    {"exp2", vec_exp2, NULL, false, false},
    {"sinh", vec_sinh, vec_sinh, false, false}, {"cosh", vec_cosh, vec_cosh, false, false},
    {"tanh", vec_tanh, vec_tanh, false, false}, {"log", vec_log, vec_log, true, false},
    {"log2", vec_log2, vec_log2, true, false},  {"log10", vec_log10, vec_log10, true, false},
    {"pow", vec_pow, vec_pow, true, false},     {"tgamma", vec_gamma, vec_gamma, true, true},
};

static V call_written(ll *E, const char *name, V *args, unsigned n, bool is_double) {
    for (size_t i = 0; i < COUNT_OF(written) && E->host->fma; i++) {
        V (*function)(ll *, V, V) = is_double ? written[i].of_double : written[i].of_float;
        bool wide = is_double ? written[i].wide_double : written[i].wide_float;
        if (function && !strcmp(name, written[i].name) && (!wide || E->host->masks))
            return function(E, args[0], n > 1 ? args[1] : NULL);
    }
    return NULL;
}

V ll_libm(ll *E, const char *name, V *args, unsigned n) {
    unsigned width = ll_width(args[0]);
    bool is_double = vec_is_double(args[0]);
    if (width == 1) {
        char full[48];
        snprintf(full, sizeof full, "%s%s", name, is_double ? "" : "f");
        void *address = dlsym(RTLD_DEFAULT, full);
        return address ? ll_call(E, full, address, LLVMTypeOf(args[0]), args, n) : NULL;
    }
    V out = call_written(E, name, args, n, is_double);
    if (out) return out;
    const unsigned lanes = E->host->bytes / (is_double ? 8 : 4);
    const vector_function f = vector_variant(E, name, n, lanes, is_double);
    return f.address ? call_in_registers(E, &f, args, n) : NULL;
}
