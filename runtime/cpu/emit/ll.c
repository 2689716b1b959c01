/* LLVM types, constants and lane shuffles that all parts of the emitter use. */
#include "runtime/cpu/emit/ll.h"

#include <stdio.h>
#include <string.h>

LLVMTypeRef ll_i(ll *E, unsigned bits) { return LLVMIntTypeInContext(E->ctx, bits); }
LLVMTypeRef ll_ptr(ll *E) { return LLVMPointerTypeInContext(E->ctx, 0); }

LLVMTypeRef ll_elem(ll *E, gpa_dtype t) {
    switch (t) {
        case DT_BOOL: return ll_i(E, 1);
        case DT_I8:
        case DT_U8: return ll_i(E, 8);
        case DT_I16:
        case DT_U16: return ll_i(E, 16);
        case DT_I32:
        case DT_U32: return ll_i(E, 32);
        case DT_I64:
        case DT_U64: return ll_i(E, 64);
        case DT_F16:
        case DT_BF16:
        case DT_F32:
        case DT_C64: return LLVMFloatTypeInContext(E->ctx);
        case DT_F64:
        case DT_C128: return LLVMDoubleTypeInContext(E->ctx);
        case DT_COUNT: break;
    }
    return ll_i(E, 64);
}

LLVMTypeRef ll_type(ll *E, gpa_dtype t, bool vec) {
    LLVMTypeRef one = ll_elem(E, t);
    return vec && E->lanes > 1 ? LLVMVectorType(one, E->lanes) : one;
}

LLVMTypeRef ll_memory(ll *E, gpa_dtype t) {
    if (t == DT_BOOL) return ll_i(E, 8);
    if (t == DT_F16) return LLVMHalfTypeInContext(E->ctx);
    if (t == DT_BF16) return ll_i(E, 16);
    return ll_elem(E, t);
}

unsigned ll_width(V v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

enum { MOST_LANES = 256 };

static V repeat(V one, unsigned n) {
    V all[MOST_LANES];
    if (n == 1) return one;
    for (unsigned i = 0; i < n; i++) all[i] = one;
    return LLVMConstVector(all, n);
}

static LLVMTypeRef scalar_of(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

V ll_int_like(ll *E, V like, int64_t n) {
    (void)E;
    return repeat(LLVMConstInt(scalar_of(LLVMTypeOf(like)), (unsigned long long)n, 1),
                  ll_width(like));
}

V ll_real_like(ll *E, V like, double x) {
    (void)E;
    return repeat(LLVMConstReal(scalar_of(LLVMTypeOf(like)), x), ll_width(like));
}

V ll_i64(ll *E, int64_t n) { return LLVMConstInt(ll_i(E, 64), (unsigned long long)n, 1); }

static V float_bits(ll *E, uint32_t bits) {
    return LLVMConstBitCast(LLVMConstInt(ll_i(E, 32), bits, 0), LLVMFloatTypeInContext(E->ctx));
}

static V float_const(ll *E, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return float_bits(E, bits);
}

static V double_const(ll *E, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return LLVMConstBitCast(LLVMConstInt(ll_i(E, 64), bits, 0), LLVMDoubleTypeInContext(E->ctx));
}

ll_val ll_const(ll *E, gpa_dtype t, gpa_val v) {
    ll_val r = {.t = (uint8_t)t};
    switch (t) {
        case DT_BOOL: r.v = LLVMConstInt(ll_i(E, 1), v.BOOL != 0, 0); break;
        case DT_I8: r.v = LLVMConstInt(ll_i(E, 8), (unsigned long long)v.I8, 1); break;
        case DT_U8: r.v = LLVMConstInt(ll_i(E, 8), v.U8, 0); break;
        case DT_I16: r.v = LLVMConstInt(ll_i(E, 16), (unsigned long long)v.I16, 1); break;
        case DT_U16: r.v = LLVMConstInt(ll_i(E, 16), v.U16, 0); break;
        case DT_I32: r.v = LLVMConstInt(ll_i(E, 32), (unsigned long long)v.I32, 1); break;
        case DT_U32: r.v = LLVMConstInt(ll_i(E, 32), v.U32, 0); break;
        case DT_I64: r.v = LLVMConstInt(ll_i(E, 64), (unsigned long long)v.I64, 1); break;
        case DT_U64: r.v = LLVMConstInt(ll_i(E, 64), v.U64, 0); break;
        case DT_F16: r.v = float_const(E, half_to_float(v.F16)); break;
        case DT_BF16: r.v = float_const(E, bfloat_to_float(v.BF16)); break;
        case DT_F32: r.v = float_const(E, v.F32); break;
        case DT_F64: r.v = double_const(E, v.F64); break;
        case DT_C64: r.v = float_const(E, v.C64.re), r.im = float_const(E, v.C64.im); break;
        case DT_C128: r.v = double_const(E, v.C128.re), r.im = double_const(E, v.C128.im); break;
        case DT_COUNT: break;
    }
    return r;
}

V ll_slot(ll *E, LLVMTypeRef type, const char *name) {
    return LLVMBuildAlloca(E->slots, type, name);
}

V ll_spread(ll *E, V scalar) {
    if (E->lanes == 1) return scalar;
    if (LLVMIsConstant(scalar)) return repeat(scalar, E->lanes);
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), E->lanes);
    V one = LLVMBuildInsertElement(E->b, LLVMGetPoison(type), scalar, ll_i64(E, 0), "");
    V zeros = LLVMConstNull(LLVMVectorType(ll_i(E, 32), E->lanes));
    return LLVMBuildShuffleVector(E->b, one, LLVMGetPoison(type), zeros, "");
}

ll_val ll_vector(ll *E, ll_val a) {
    if (a.vec) return a;
    if (a.v) a.v = ll_spread(E, a.v);
    if (a.im) a.im = ll_spread(E, a.im);
    a.vec = true;
    return a;
}

static V pick(ll *E, V a, V b, unsigned at, unsigned n) {
    V lane[MOST_LANES];
    for (unsigned i = 0; i < n; i++) lane[i] = LLVMConstInt(ll_i(E, 32), at + i, 0);
    return LLVMBuildShuffleVector(E->b, a, b, LLVMConstVector(lane, n), "");
}

V ll_slice(ll *E, V v, unsigned at, unsigned n) {
    if (!at && n == ll_width(v)) return v;
    if (n == 1) return LLVMBuildExtractElement(E->b, v, ll_i64(E, at), "");
    return pick(E, v, LLVMGetPoison(LLVMTypeOf(v)), at, n);
}

V ll_join(ll *E, V lo, V hi) {
    unsigned n = ll_width(lo), m = ll_width(hi);
    V lane[MOST_LANES];
    if (m < n) { /* operands of a shuffle have one type: the higher lanes are never read */
        for (unsigned i = 0; i < n; i++)
            lane[i] = i < m ? LLVMConstInt(ll_i(E, 32), i, 0) : LLVMGetPoison(ll_i(E, 32));
        hi = LLVMBuildShuffleVector(E->b, hi, LLVMGetPoison(LLVMTypeOf(hi)),
                                    LLVMConstVector(lane, n), "");
    }
    return pick(E, lo, hi, 0, n + m);
}

V ll_interleave(ll *E, V re, V im) {
    unsigned n = ll_width(re);
    V lane[2 * MOST_LANES], both = n > 1 ? NULL : LLVMGetPoison(LLVMVectorType(LLVMTypeOf(re), 2));
    if (both) {
        both = LLVMBuildInsertElement(E->b, both, re, ll_i64(E, 0), "");
        return LLVMBuildInsertElement(E->b, both, im, ll_i64(E, 1), "");
    }
    for (unsigned i = 0; i < n; i++) {
        lane[2 * i] = LLVMConstInt(ll_i(E, 32), i, 0);
        lane[2 * i + 1] = LLVMConstInt(ll_i(E, 32), n + i, 0);
    }
    return LLVMBuildShuffleVector(E->b, re, im, LLVMConstVector(lane, 2 * n), "");
}

V ll_every_second(ll *E, V v, unsigned first) {
    unsigned n = ll_width(v) / 2;
    V lane[MOST_LANES];
    if (n == 1) return LLVMBuildExtractElement(E->b, v, ll_i64(E, first), "");
    for (unsigned i = 0; i < n; i++) lane[i] = LLVMConstInt(ll_i(E, 32), 2 * i + first, 0);
    return LLVMBuildShuffleVector(E->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(lane, n),
                                  "");
}

/* In log2(n) steps that exchange lanes between vectors at a distance of `apart`. */
void ll_transpose(ll *E, V *v, unsigned n) {
    V first[MOST_LANES], second[MOST_LANES];
    for (unsigned apart = 1; apart < n; apart *= 2) {
        for (unsigned i = 0; i < n; i++) {
            first[i] = LLVMConstInt(ll_i(E, 32), i & apart ? n + i - apart : i, 0);
            second[i] = LLVMConstInt(ll_i(E, 32), i & apart ? n + i : i + apart, 0);
        }
        V low = LLVMConstVector(first, n), high = LLVMConstVector(second, n);
        for (unsigned i = 0; i < n; i++) {
            if (i & apart) continue;
            V a = v[i], b = v[i + apart];
            v[i] = LLVMBuildShuffleVector(E->b, a, b, low, "");
            v[i + apart] = LLVMBuildShuffleVector(E->b, a, b, high, "");
        }
    }
}

V ll_backwards(ll *E, V v) {
    unsigned n = ll_width(v);
    V lane[MOST_LANES];
    for (unsigned i = 0; i < n; i++) lane[i] = LLVMConstInt(ll_i(E, 32), n - 1 - i, 0);
    return n == 1 ? v
                  : LLVMBuildShuffleVector(E->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                           LLVMConstVector(lane, n), "");
}

ll_val ll_val_backwards(ll *E, ll_val a) {
    a.v = ll_backwards(E, a.v);
    if (a.im) a.im = ll_backwards(E, a.im);
    return a;
}

V ll_select(ll *E, V cond, V a, V b) { return LLVMBuildSelect(E->b, cond, a, b, ""); }

ll_val ll_choose(ll *E, V cond, ll_val a, ll_val b) {
    bool vec = a.vec || b.vec || ll_width(cond) > 1;
    if (vec) {
        a = ll_vector(E, a), b = ll_vector(E, b);
        if (ll_width(cond) == 1) cond = ll_spread(E, cond);
    }
    a.v = ll_select(E, cond, a.v, b.v);
    if (a.im) a.im = ll_select(E, cond, a.im, b.im);
    return a;
}

V ll_ramp(ll *E, LLVMTypeRef one) {
    V lane[MOST_LANES];
    for (unsigned i = 0; i < E->lanes; i++) lane[i] = LLVMConstInt(one, i, 0);
    return E->lanes == 1 ? lane[0] : LLVMConstVector(lane, E->lanes);
}

V ll_intrinsic_of(ll *E, const char *name, LLVMTypeRef *types, unsigned n_types, V *args,
                  unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    V fn = LLVMGetIntrinsicDeclaration(E->mod, id, types, n_types);
    return LLVMBuildCall2(E->b, LLVMIntrinsicGetType(E->ctx, id, types, n_types), fn, args, n, "");
}

V ll_intrinsic(ll *E, const char *name, V *args, unsigned n) {
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return ll_intrinsic_of(E, name, &type, 1, args, n);
}

V ll_function(ll *E, const char *name, void *address, LLVMTypeRef type) {
    V fn = LLVMGetNamedFunction(E->mod, name);
    if (fn) return fn;
    if (!E->rc) E->rc = cpu_target_symbol(E->target, name, address, E->err);
    return LLVMAddFunction(E->mod, name, type);
}

V ll_call(ll *E, const char *name, void *address, LLVMTypeRef result, V *args, unsigned n) {
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, 0);
    return LLVMBuildCall2(E->b, type, ll_function(E, name, address, type), args, n, "");
}
