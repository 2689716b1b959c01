/* Data types: properties from dtype.def, NumPy's promotion and casting rules, scalar conversions.
 *
 * Conversions are those of x86-64, without undefined behaviour in C: a float out of range becomes
 * what cvttss2si gives, and narrower integers keep the low bits of a 32- or 64-bit conversion.
 * Reading order: half types, properties and names, promotion, casts. */
#include "runtime/tables/promotion.h"
#include "runtime/tables/dtype.h"

#include "runtime/base/base.h"

/* ---- half types ---- */

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float float_of(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint64_t double_bits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u) return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x0400u) return float_of(sign | ((rest << 13) + (112u << 23)));
    float tiny = (float)rest * 0x1p-24f;
    return sign ? -tiny : tiny;
}

uint16_t half_from_float(float f) {
    uint32_t u = float_bits(f), sign = u >> 16 & 0x8000u, rest = u & 0x7fffffffu;
    if (rest > 0x7f800000u) { /* stays NaN when the payload's upper bits are zero */
        uint32_t payload = rest >> 13 & 0x3ffu;
        return (uint16_t)(sign | 0x7c00u | (payload ? payload : 1));
    }
    if (rest >= 0x477ff000u)
        return (uint16_t)(sign | 0x7c00u); /* 65520 and above round to infinity */
    if (rest < 0x38800000u)                /* subnormal: adding 0.5f rounds at 2^-24, its ULP */
        return (uint16_t)(sign | (float_bits(float_of(rest) + 0.5f) - 0x3f000000u));
    rest += 0xfffu + (rest >> 13 & 1u);
    return (uint16_t)(sign | (rest - (112u << 23)) >> 13);
}

uint16_t half_from_double(double d) {
    uint64_t u = double_bits(d), sign = u >> 48 & 0x8000u, rest = u & 0x7fffffffffffffffu;
    if (rest > 0x7ff0000000000000u) {
        uint64_t payload = rest >> 42 & 0x3ffu;
        return (uint16_t)(sign | 0x7c00u | (payload ? payload : 1));
    }
    if (rest >= 0x40effe0000000000u) return (uint16_t)(sign | 0x7c00u);
    if (rest < 0x3f10000000000000u) {
        double positive;
        memcpy(&positive, &rest, sizeof positive);
        return (uint16_t)(sign | (double_bits(positive + 0x1p28) & 0x7ffu));
    }
    rest += 0x1ffffffffffu + (rest >> 42 & 1u);
    return (uint16_t)(sign | (rest - (1008ull << 52)) >> 42);
}

float bfloat_to_float(uint16_t h) { return float_of((uint32_t)h << 16); }

uint16_t bfloat_from_float(float f) {
    uint32_t u = float_bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40u);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/* ---- properties and names ---- */

enum { KIND_B = 'B', KIND_I = 'I', KIND_U = 'U', KIND_F = 'F', KIND_C = 'C' };

const gpa_dtype_info dtype_info[DT_COUNT] = {
#define DT(id, name, ctype, cuda, np_char, kind, size, compute, real) \
    [DT_##id] = {name, #id, cuda, np_char, KIND_##kind, size, DT_##compute, DT_##real},
#include "runtime/tables/dtype.def"
#undef DT
};

/* Names besides the row's own name and character. */
static const struct {
    char name[11];
    uint8_t t;
} spellings[] = {
    {"bool_", DT_BOOL}, {"b1", DT_BOOL},      {"i1", DT_I8},        {"byte", DT_I8},
    {"i2", DT_I16},     {"short", DT_I16},    {"i4", DT_I32},       {"intc", DT_I32},
    {"i8", DT_I64},     {"int", DT_I64},      {"int_", DT_I64},     {"intp", DT_I64},
    {"long", DT_I64},   {"longlong", DT_I64}, {"q", DT_I64},        {"p", DT_I64},
    {"n", DT_I64},      {"u1", DT_U8},        {"ubyte", DT_U8},     {"u2", DT_U16},
    {"ushort", DT_U16}, {"u4", DT_U32},       {"uintc", DT_U32},    {"u8", DT_U64},
    {"uint", DT_U64},   {"uintp", DT_U64},    {"ulong", DT_U64},    {"ulonglong", DT_U64},
    {"Q", DT_U64},      {"P", DT_U64},        {"N", DT_U64},        {"f2", DT_F16},
    {"half", DT_F16},   {"f4", DT_F32},       {"single", DT_F32},   {"f8", DT_F64},
    {"double", DT_F64}, {"float", DT_F64},    {"c8", DT_C64},       {"csingle", DT_C64},
    {"c16", DT_C128},   {"cdouble", DT_C128}, {"complex", DT_C128},
};

gpa_dtype dtype_find(const char *name, size_t n) {
    char order = n > 1 ? name[0] : 0;
    if (order && strchr("<>=|", order))
        name++, n--;
    else
        order = 0;
    gpa_dtype found = DT_NONE;
    for (int t = 0; t < DT_COUNT && found == DT_NONE; t++) {
        const gpa_dtype_info *row = &dtype_info[t];
        bool is_char = n == 1 && name[0] == row->np_char;
        bool is_name = !order && strlen(row->name) == n && memcmp(row->name, name, n) == 0;
        if (is_char || is_name) found = (gpa_dtype)t;
    }
    for (size_t i = 0; i < COUNT_OF(spellings) && found == DT_NONE; i++)
        if (strlen(spellings[i].name) == n && memcmp(spellings[i].name, name, n) == 0) {
            bool code = n <= 3 && (n == 1 || (name[1] >= '1' && name[1] <= '9'));
            if (!order || code) found = (gpa_dtype)spellings[i].t;
        }
    bool swapped = order == '>' && found != DT_NONE && dtype_size(found) > 1;
    return swapped ? DT_NONE : found;
}

/* ---- promotion ---- */

static gpa_dtype complex_of(gpa_dtype real) { return real == DT_F64 ? DT_C128 : DT_C64; }

static gpa_dtype promote_ints(gpa_dtype a, gpa_dtype b) {
    size_t na = dtype_size(a), nb = dtype_size(b);
    if (dtype_info[a].kind == dtype_info[b].kind) return na >= nb ? a : b;
    gpa_dtype s = dtype_info[a].kind == 'I' ? a : b;
    size_t nu = dtype_info[a].kind == 'I' ? nb : na;
    if (dtype_size(s) > nu) return s;
    return nu == 1 ? DT_I16 : nu == 2 ? DT_I32 : nu == 4 ? DT_I64 : DT_F64;
}

static gpa_dtype promote_floats(gpa_dtype a, gpa_dtype b) {
    if (a == b) return a;
    size_t n = MAX(dtype_size(a), dtype_size(b));
    return n == 8 ? DT_F64 : DT_F32;
}

static gpa_dtype promote_int_float(gpa_dtype i, gpa_dtype f) {
    size_t n = dtype_size(i);
    if (n >= 4) return DT_F64;
    return n == 2 ? promote_floats(DT_F32, f) : f;
}

gpa_dtype dtype_promote(gpa_dtype a, gpa_dtype b) {
    if (a == b || b == DT_BOOL) return a;
    if (a == DT_BOOL) return b;
    if (dtype_is_complex(a) || dtype_is_complex(b))
        return complex_of(dtype_promote(dtype_info[a].real, dtype_info[b].real));
    if (dtype_is_int(a)) return dtype_is_int(b) ? promote_ints(a, b) : promote_int_float(a, b);
    return dtype_is_int(b) ? promote_int_float(b, a) : promote_floats(a, b);
}

/* NumPy's order of type numbers: kinds ascend, but that float16 comes last. */
static int type_rank(gpa_dtype t) {
    const gpa_dtype_info *row = &dtype_info[t];
    bool whole = dtype_is_int(t);
    int kind = row->kind == 'B' ? 0 : whole ? 1 : row->kind == 'F' ? 2 : 3;
    if (t == DT_F16) kind = 4;
    return kind * 64 + row->size * 2 + (row->kind == 'U');
}

gpa_dtype dtype_promote_all(const gpa_dtype *t, int n) {
    gpa_dtype main = n ? t[0] : DT_NONE;
    for (int i = 1; i < n; i++)
        if (type_rank(t[i]) > type_rank(main)) main = t[i];
    gpa_dtype result = main;
    for (int i = 0; i < n; i++) result = dtype_promote(result, dtype_promote(main, t[i]));
    return result;
}

gpa_dtype dtype_of_weak(gpa_weak w, gpa_dtype t) {
    static const gpa_dtype alone[] = {DT_NONE, DT_BOOL, DT_I64, DT_F64, DT_C128};
    if (t == DT_NONE || w == WEAK_NO) return t == DT_NONE ? alone[w] : t;
    if (w == WEAK_BOOL || dtype_is_complex(t)) return t;
    if (w == WEAK_INT) return t == DT_BOOL ? DT_I64 : t;
    if (!dtype_is_float(t)) return alone[w];
    return w == WEAK_FLOAT ? t : complex_of(t);
}

bool dtype_can_cast(gpa_dtype from, gpa_dtype to, gpa_casting casting) {
    static const char order[] = "BUIFC";
    switch (casting) {
        case CAST_NO:
        case CAST_EQUIV: return from == to;
        case CAST_SAFE: return dtype_promote(from, to) == to;
        case CAST_SAME_KIND:
            return strchr(order, dtype_info[from].kind) <= strchr(order, dtype_info[to].kind);
        case CAST_UNSAFE: return true;
    }
    return false;
}

/* ---- casts of one value ---- */

static int32_t to_i32(double d) {
    return d > -2147483649.0 && d < 2147483648.0 ? (int32_t)d : INT32_MIN;
}

static int64_t to_i64(double d) { return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN; }

static uint64_t to_u64(double d) {
    return d >= 0x1p63 ? (uint64_t)to_i64(d - 0x1p63) ^ 0x8000000000000000u : (uint64_t)to_i64(d);
}

static gpa_val from_float(float f, double d, gpa_dtype to) {
    gpa_val v = {.bits = {0, 0}};
    switch (to) {
        case DT_BOOL: v.BOOL = d != 0; break;
        case DT_I8: v.I8 = (int8_t)to_i32(d); break;
        case DT_I16: v.I16 = (int16_t)to_i32(d); break;
        case DT_I32: v.I32 = to_i32(d); break;
        case DT_I64: v.I64 = to_i64(d); break;
        case DT_U8: v.U8 = (uint8_t)to_i32(d); break;
        case DT_U16: v.U16 = (uint16_t)to_i32(d); break;
        case DT_U32: v.U32 = (uint32_t)to_i64(d); break;
        case DT_U64: v.U64 = to_u64(d); break;
        case DT_F16: v.F16 = half_from_double(d); break;
        case DT_BF16: v.BF16 = bfloat_from_float(f); break;
        case DT_F32: v.F32 = f; break;
        case DT_F64: v.F64 = d; break;
        case DT_C64: v.C64.re = f; break;
        case DT_C128: v.C128.re = d; break;
        case DT_COUNT: break;
    }
    return v;
}

/* `u` holds the integer's 64 bits, sign-extended; f and d its value rounded once. */
static gpa_val from_int(uint64_t u, float f, double d, gpa_dtype to) {
    gpa_val v = {.bits = {0, 0}};
    switch (to) {
        case DT_BOOL: v.BOOL = u != 0; break;
        case DT_I8: v.I8 = (int8_t)u; break;
        case DT_I16: v.I16 = (int16_t)u; break;
        case DT_I32: v.I32 = (int32_t)u; break;
        case DT_I64: v.I64 = (int64_t)u; break;
        case DT_U8: v.U8 = (uint8_t)u; break;
        case DT_U16: v.U16 = (uint16_t)u; break;
        case DT_U32: v.U32 = (uint32_t)u; break;
        case DT_U64: v.U64 = u; break;
        case DT_F16: v.F16 = half_from_float(f); break;
        case DT_BF16: v.BF16 = bfloat_from_float(f); break;
        case DT_F32: v.F32 = f; break;
        case DT_F64: v.F64 = d; break;
        case DT_C64: v.C64.re = f; break;
        case DT_C128: v.C128.re = d; break;
        case DT_COUNT: break;
    }
    return v;
}

static gpa_val from_signed(int64_t i, gpa_dtype to) {
    return from_int((uint64_t)i, (float)i, (double)i, to);
}

static gpa_val from_unsigned(uint64_t u, gpa_dtype to) {
    return from_int(u, (float)u, (double)u, to);
}

static gpa_val from_complex(gpa_c128 z, gpa_dtype to) {
    gpa_val v = from_float((float)z.re, z.re, to);
    if (to == DT_C64) v.C64.im = (float)z.im;
    if (to == DT_C128) v.C128.im = z.im;
    if (to == DT_BOOL) v.BOOL = z.re != 0 || z.im != 0;
    return v;
}

gpa_val dtype_cast(gpa_val v, gpa_dtype from, gpa_dtype to) {
    switch (from) {
        case DT_BOOL: return from_unsigned(v.BOOL != 0, to);
        case DT_I8: return from_signed(v.I8, to);
        case DT_I16: return from_signed(v.I16, to);
        case DT_I32: return from_signed(v.I32, to);
        case DT_I64: return from_signed(v.I64, to);
        case DT_U8: return from_unsigned(v.U8, to);
        case DT_U16: return from_unsigned(v.U16, to);
        case DT_U32: return from_unsigned(v.U32, to);
        case DT_U64: return from_unsigned(v.U64, to);
        case DT_F16: return from_float(half_to_float(v.F16), half_to_float(v.F16), to);
        case DT_BF16: return from_float(bfloat_to_float(v.BF16), bfloat_to_float(v.BF16), to);
        case DT_F32: return from_float(v.F32, v.F32, to);
        case DT_F64: return from_float((float)v.F64, v.F64, to);
        case DT_C64: return from_complex((gpa_c128){v.C64.re, v.C64.im}, to);
        case DT_C128: return from_complex(v.C128, to);
        case DT_COUNT: break;
    }
    return v;
}

gpa_val dtype_load(const void *p, gpa_dtype t) {
    gpa_val v = {.bits = {0, 0}};
    dtype_copy_element(&v, p, dtype_size(t));
    return v;
}

void dtype_store(void *p, gpa_dtype t, gpa_val v) { dtype_copy_element(p, &v, dtype_size(t)); }
