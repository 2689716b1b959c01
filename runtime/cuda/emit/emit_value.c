/* Types, literals, casts, the value expressions of op.def as CUDA C, and the fixed text (prelude).
 *
 * A value of a half type is a float in registers, rounded after every operation, so that a fused
 * program gives the same bits as separate operations. Helper functions are emitted once per dtype,
 * at first use, after those they call. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

/* ---- types ---- */

static bool is_half(gpa_dtype t) { return t == DT_F16 || t == DT_BF16; }

static void need_type(em *E, gpa_dtype t) {
    if (t == DT_F16) E->needs |= NEED_HALF;
    if (t == DT_BF16) E->needs |= NEED_BFLOAT;
    if (t == DT_C64) E->needs |= NEED_C64;
    if (t == DT_C128) E->needs |= NEED_C128;
}

const char *em_type(em *E, gpa_dtype t) {
    need_type(E, t);
    return dtype_info[is_half(t) ? DT_F32 : t].cuda;
}

const char *em_memory(em *E, gpa_dtype t) {
    need_type(E, t);
    return is_half(t) ? "unsigned short" : dtype_info[t].cuda;
}

void em_unpack(em *E, gpa_str *out, gpa_dtype t, const char *v) {
    need_type(E, t);
    str_printf(out, t == DT_F16 ? "g_h2f(%s)" : t == DT_BF16 ? "g_b2f(%s)" : "%s", v);
}

void em_pack(em *E, gpa_str *out, gpa_dtype t, const char *v) {
    need_type(E, t);
    str_printf(out, t == DT_F16 ? "g_f2h(%s)" : t == DT_BF16 ? "g_f2b(%s)" : "%s", v);
}

const char *em_round(em *E, gpa_dtype t) {
    need_type(E, t);
    return t == DT_F16 ? "g_rh" : t == DT_BF16 ? "g_rb" : "";
}

/* ---- literals ---- */

static uint64_t low_bits(gpa_val v, gpa_dtype t) { return dtype_cast(v, t, DT_U64).U64; }

static void put_float(gpa_str *out, gpa_dtype t, gpa_val v) {
    if (t == DT_F32)
        str_printf(out, "__uint_as_float(0x%08xu)", v.U32);
    else
        str_printf(out, "__longlong_as_double(0x%016llxLL)", (unsigned long long)v.U64);
}

void em_literal(em *E, gpa_str *out, gpa_dtype t, gpa_val v) {
    gpa_val re = {.bits = {0, 0}}, im = {.bits = {0, 0}};
    em_type(E, t);
    switch (dtype_info[t].kind) {
        case 'B': str_put(out, v.BOOL ? "true" : "false"); break;
        case 'I':
        case 'U':
            str_printf(out, "(%s)0x%llxULL", em_type(E, t), (unsigned long long)low_bits(v, t));
            break;
        case 'F':
            put_float(out, dtype_info[t].compute, dtype_cast(v, t, dtype_info[t].compute));
            break;
        default:
            if (t == DT_C64)
                re.F32 = v.C64.re, im.F32 = v.C64.im;
            else
                re.F64 = v.C128.re, im.F64 = v.C128.im;
            str_printf(out, "%s{", em_type(E, t));
            put_float(out, dtype_info[t].real, re);
            str_put(out, ", ");
            put_float(out, dtype_info[t].real, im);
            str_putc(out, '}');
    }
}

/* ---- casts ---- */

static void cast_float(em *E, gpa_str *out, gpa_dtype from, gpa_dtype to, const char *v) {
    switch (to) {
        case DT_I8:
        case DT_I16:
        case DT_U8:
        case DT_U16:
        case DT_I32:
            E->needs |= NEED_CONVERT;
            str_printf(out, "(%s)g_i32(%s)", em_type(E, to), v);
            break;
        case DT_U32:
        case DT_I64:
            E->needs |= NEED_CONVERT;
            str_printf(out, "(%s)g_i64(%s)", em_type(E, to), v);
            break;
        case DT_U64:
            E->needs |= NEED_CONVERT;
            str_printf(out, "g_u64(%s)", v);
            break;
        case DT_F16: str_printf(out, from == DT_F64 ? "g_rhd(%s)" : "g_rh(%s)", v); break;
        case DT_BF16: str_printf(out, "g_rb((float)(%s))", v); break;
        case DT_BOOL: str_printf(out, "(%s != 0)", v); break;
        case DT_F32:
        case DT_F64:
        case DT_C64:
        case DT_C128:
        case DT_COUNT: str_printf(out, "(%s)(%s)", em_type(E, to), v); break;
    }
}

void em_cast(em *E, gpa_str *out, gpa_dtype from, gpa_dtype to, const char *v) {
    char part[64];
    em_type(E, from);
    em_type(E, to);
    if (from == to) {
        str_put(out, v);
    } else if (dtype_is_complex(from) && to == DT_BOOL) {
        str_printf(out, "(%s.re != 0 || %s.im != 0)", v, v);
    } else if (dtype_is_complex(to)) {
        const char *r = em_type(E, dtype_info[to].real);
        bool cx = dtype_is_complex(from);
        str_printf(out, cx ? "%s{(%s)%s.re, (%s)%s.im}" : "%s{(%s)%s, (%s)0}", em_type(E, to), r, v,
                   r, v);
    } else if (dtype_is_complex(from)) {
        snprintf(part, sizeof part, "%.56s.re", v);
        em_cast(E, out, dtype_info[from].real, to, part);
    } else if (dtype_is_float(from)) {
        cast_float(E, out, from, to, v);
    } else if (to == DT_BOOL) {
        str_printf(out, "(%s != 0)", v);
    } else if (is_half(to)) {
        str_printf(out, "%s((float)%s)", em_round(E, to), v);
    } else {
        str_printf(out, "(%s)%s", em_type(E, to), v);
    }
}

/* ---- value expressions ---- */

/* The replacement of a word of op.def's vocabulary for operands of type t; NULL: none. */
static const char *replacement_of(em *E, const char *w, size_t n, gpa_dtype t) {
    static const char *const lowest[] = {[DT_I8] = "(-128)",
                                         [DT_I16] = "(-32768)",
                                         [DT_I32] = "(-2147483647-1)",
                                         [DT_I64] = "(-9223372036854775807LL-1)",
                                         [DT_U8] = "0",
                                         [DT_U16] = "0",
                                         [DT_U32] = "0u",
                                         [DT_U64] = "0ULL",
                                         [DT_COUNT] = NULL};
    static const char *const highest[] = {
        [DT_I8] = "127",          [DT_I16] = "32767",
        [DT_I32] = "2147483647",  [DT_I64] = "9223372036854775807LL",
        [DT_U8] = "255",          [DT_U16] = "65535",
        [DT_U32] = "4294967295u", [DT_U64] = "18446744073709551615ULL",
        [DT_COUNT] = NULL};
    static const char *const digits[] = {
        [DT_F16] = "11", [DT_BF16] = "8", [DT_F32] = "24", [DT_F64] = "53", [DT_COUNT] = NULL};
    static const char *const least_exponent[] = {[DT_F16] = "(-24)",
                                                 [DT_BF16] = "(-133)",
                                                 [DT_F32] = "(-149)",
                                                 [DT_F64] = "(-1074)",
                                                 [DT_COUNT] = NULL};
    static const char *const largest[] = {[DT_F16] = "65504.0f",
                                          [DT_BF16] = "__uint_as_float(0x7f7f0000u)",
                                          [DT_F32] = "__uint_as_float(0x7f7fffffu)",
                                          [DT_F64] = "__longlong_as_double(0x7fefffffffffffffLL)",
                                          [DT_COUNT] = NULL};
    static const char *const bits[] = {[1] = "8u", [2] = "16u", [4] = "32u", [8] = "64u"};
    struct {
        const char *word, *replacement;
    } words[] = {
        {"T", em_type(E, t)},
        {"UT", dtype_size(t) == 8 ? "unsigned long long" : "unsigned int"},
        {"R", em_type(E, dtype_info[t].real)},
        {"CT", t == DT_F64 ? "gpa_c128" : "gpa_c64"},
        {"INFINITY", "__int_as_float(0x7f800000)"},
        {"NAN", "__int_as_float(0x7fc00000)"},
        {"PI", "3.14159265358979323846"},
        {"LOWEST", dtype_is_int(t) ? lowest[t] : "-__int_as_float(0x7f800000)"},
        {"HIGHEST", dtype_is_int(t) ? highest[t] : "__int_as_float(0x7f800000)"},
        {"BITS", dtype_size(t) <= 8 ? bits[dtype_size(t)] : NULL},
        {"DIGITS", digits[t]},
        {"TINY", least_exponent[t]},
        {"LARGEST", largest[t]},
        {"WIDE", "g_product"},
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i].word) == n && !memcmp(words[i].word, w, n)) {
            if (n == 2 && w[0] == 'C') E->needs |= t == DT_F64 ? NEED_C128 : NEED_C64;
            if (n == 4 && w[0] == 'W') E->needs |= NEED_WIDE_MULTIPLY;
            return words[i].replacement;
        }
    return NULL;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void need_helper(em *E, const char *name, size_t n, gpa_dtype t);

/* Appends text with the vocabulary replaced. operands NULL: a, b and c are parameters of a helper,
 * and stay. */
static void substitute(em *E, gpa_str *out, const char *text, gpa_dtype t,
                       const char *const *operands) {
    for (const char *p = text; *p;) {
        const char *w = p;
        while (is_word(*p)) p++;
        size_t n = (size_t)(p - w);
        if (!n) {
            str_putc(out, *p++);
            continue;
        }
        bool number = *w >= '0' && *w <= '9', member = w > text && w[-1] == '.';
        const char *replacement = number || member ? NULL : replacement_of(E, w, n, t);
        if (number && (*p == '.' || ((p[-1] == 'e' || p[-1] == 'p') && (*p == '-' || *p == '+')))) {
            str_putn(out, w, n); /* the rest of the number is copied */
            str_putc(out, *p++);
            while (is_word(*p)) str_putc(out, *p++);
        } else if (!number && n == 1 && *w == 'H' && *p == '(') {
            const char *end = strchr(p, ')');
            need_helper(E, p + 1, (size_t)(end - p - 1), t);
            str_putn(out, p + 1, (size_t)(end - p - 1));
            str_printf(out, "_%s", dtype_info[t].id);
            p = end + 1;
        } else if (n == 3 && !member && !memcmp(w, "NEG", 3)) {
            if (dtype_info[t].kind == 'I') {
                str_put(out, "0 > ");
            } else {
                str_put(out, "0 * "); /* an unsigned integer is never negative */
            }
        } else if (replacement) {
            str_put(out, replacement);
        } else if (operands && !number && !member && n == 1 && *w >= 'a' && *w <= 'c') {
            str_put(out, operands[*w - 'a']);
        } else {
            str_putn(out, w, n);
        }
    }
}

static void need_helper(em *E, const char *name, size_t n, gpa_dtype t) {
    char kind = dtype_info[t].kind;
    if (kind == 'U' || kind == 'B') kind = 'I';
    for (size_t i = 0; i < op_helper_count; i++) {
        const gpa_op_helper *h = &op_helpers[i];
        if (h->kind != kind || strlen(h->name) != n || memcmp(h->name, name, n) != 0) continue;
        bool *done = &E->helper_done[i * DT_COUNT + t];
        if (*done) return;
        *done = true;
        gpa_str own;
        str_init(&own);
        substitute(E, &own, h->text, t, NULL);
        str_printf(&E->helpers, "static __device__ %s\n", own.text);
        if (own.failed) E->helpers.failed = true;
        str_free(&own);
        return;
    }
    em_unsupported(E, "a helper that the table lacks");
}

void em_expr(em *E, gpa_str *out, const char *text, gpa_dtype t, em_operands x) {
    const char *const operands[] = {x.a, x.b, x.c};
    if (!text) {
        em_unsupported(E, "an operation without a value for its type");
        return;
    }
    substitute(E, out, text, t, operands);
}

/* ---- the prelude: fixed text, a piece per NEED ---- */

static const struct {
    uint32_t need;
    const char *text;
} prelude[] = {
    {NEED_C64, "struct __align__(8) gpa_c64 { float re, im; };\n"},
    {NEED_C128, "struct __align__(16) gpa_c128 { double re, im; };\n"},
    {NEED_HALF,
     "static __device__ float g_h2f(unsigned short h) { float f; asm(\"cvt.f32.f16 %0, %1;\" : "
     "\"=f\"(f) : \"h\"(h)); return f; }\n"
     "static __device__ unsigned short g_f2h(float f) { unsigned short h; asm(\"cvt.rn.f16.f32 %0, "
     "%1;\" : \"=h\"(h) : \"f\"(f)); return h; }\n"
     "static __device__ float g_rh(float f) { return g_h2f(g_f2h(f)); }\n"
     "static __device__ float g_rhd(double d) { unsigned short h; asm(\"cvt.rn.f16.f64 %0, %1;\" : "
     "\"=h\"(h) : \"d\"(d)); return g_h2f(h); }\n"},
    {NEED_BFLOAT,
     "static __device__ float g_b2f(unsigned short h) { return __uint_as_float((unsigned)h << 16); "
     "}\n"
     "static __device__ unsigned short g_f2b(float f) {\n"
     "    unsigned u = __float_as_uint(f);\n"
     "    if ((u & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(u >> 16 | 0x40u);\n"
     "    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);\n"
     "}\n"
     "static __device__ float g_rb(float f) { return g_b2f(g_f2b(f)); }\n"},
    {NEED_CONVERT, /* out of range: the result of x86-64, as in NumPy */
     "static __device__ int g_i32(double d) { return fabs(d) < 2147483648.0 ? (int)d : -2147483647 "
     "- 1; }\n"
     "static __device__ int g_i32(float d) { return fabsf(d) < 2147483648.0f ? (int)d : "
     "-2147483647 - 1; }\n"
     "static __device__ long long g_i64(double d) { return fabs(d) < 9223372036854775808.0 ? (long "
     "long)d : -9223372036854775807LL - 1; }\n"
     "static __device__ long long g_i64(float d) { return fabsf(d) < 9223372036854775808.0f ? "
     "(long long)d : -9223372036854775807LL - 1; }\n"
     "static __device__ unsigned long long g_u64(double d) {\n"
     "    return d >= 9223372036854775808.0 ? (unsigned long long)g_i64(d - 9223372036854775808.0) "
     "^ 0x8000000000000000ULL : (unsigned long long)g_i64(d);\n"
     "}\n"},
    {NEED_PACK, "template <class E, int N> struct __align__(sizeof(E) * N) g_pack { E v[N]; };\n"},
    {NEED_STREAMING_LOAD, /* a 16-byte streaming load that does not allocate in L1 */
     "template <class P> static __device__ P g_once(const P *p) {\n"
     "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n"
     "    uint4 w;\n"
     "    asm volatile(\"ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
     "                 : \"=r\"(w.x), \"=r\"(w.y), \"=r\"(w.z), \"=r\"(w.w) : "
     "\"l\"(__cvta_generic_to_global(p)));\n"
     "    return *(const P *)&w;\n"
     "#else\n"
     "    return *p;\n"
     "#endif\n"
     "}\n"},
    {NEED_SHUFFLE,
     "template <class S> struct g_words { int w[(sizeof(S) + 3) / 4]; };\n"
     "template <class S> static __device__ g_words<S> g_split(S v) { g_words<S> x; x.w[(sizeof(S) "
     "+ 3) / 4 - 1] = 0; memcpy(&x, &v, sizeof v); return x; }\n"
     "template <class S> static __device__ S g_join(g_words<S> x) { S v; memcpy(&v, &x, sizeof v); "
     "return v; }\n"
     "#define G_SHUFFLE(name, how) template <class S> static __device__ S name(S v, int by, int "
     "width, unsigned mask) { \\\n"
     "    g_words<S> x = g_split(v); for (int i = 0; i < (int)(sizeof x / 4); i++) x.w[i] = "
     "how(mask, x.w[i], by, width); return g_join<S>(x); }\n"
     "G_SHUFFLE(g_shfl, __shfl_sync) G_SHUFFLE(g_shfl_up, __shfl_up_sync) G_SHUFFLE(g_shfl_down, "
     "__shfl_down_sync) G_SHUFFLE(g_shfl_xor, __shfl_xor_sync)\n"},
    {NEED_RECIPROCAL, /* a / b for many a and one b: the product with the reciprocal, corrected by
                         its remainder, which is exact at a scale where small numerators keep all
                         bits. The sum is rounded once, so the result is correctly rounded unless
                         the quotient is halfway between two subnormals: then the remainder is half.
                       */
     "struct g_divisor { float once, down, up, wide, half; };\n"
     "static __device__ g_divisor g_by(float b) {\n"
     "    const float p = fabsf(b), once = p > 0x1p-40f && p < 0x1p40f ? 1.0f / b : "
     "__int_as_float(0x7fc00000);\n"
     "    return g_divisor{once, fabsf(once) * 0x1p-64f, copysignf(0x1p64f, b), p * 0x1p64f, p * "
     "0x1p-86f};\n"
     "}\n"
     "static __device__ __noinline__ float g_far_quotient(float a, float b) { return a / b; }\n"
     "static __device__ float g_quotient(float a, float b, const g_divisor &d) {\n"
     "    const float q = a * d.once, rest = fmaf(q, d.wide, -(a * d.up)), f = fmaf(-rest, d.down, "
     "q);\n"
     "    return fabsf(f) < __int_as_float(0x7f800000) && fabsf(rest) != d.half ? f : "
     "g_far_quotient(a, b);\n"
     "}\n"},
    {NEED_FAST_DIVISION, /* the compiler's Newton steps without its range tests: for operands and
                            results from 2**-50 to 2**78, and numerators of 0 */
     "static __device__ unsigned g_range(float x) { return __float_as_uint(x) * 2 - 0x4d000000u; "
     "}\n"
     "static __device__ float g_inverse(float b, unsigned &far) {\n"
     "    float r;\n"
     "#ifdef __CUDA_ARCH__\n"
     "    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(b));\n"
     "#else\n"
     "    r = 1.0f / b;\n"
     "#endif\n"
     "    far |= g_range(b);\n"
     "    return fmaf(r, fmaf(-b, r, 1.0f), r);\n"
     "}\n"
     "static __device__ float g_ratio(float a, float b, unsigned &far) {\n"
     "    const float r = g_inverse(b, far), q = a * r;\n"
     "    return fmaf(r, fmaf(-b, q, a), q);\n"
     "}\n"
     "static __device__ float g_divide(float a, float b, unsigned &far) {\n"
     "    const float f = g_ratio(a, b, far);\n"
     "    if (__float_as_uint(a)) far |= g_range(f);\n"
     "    return f;\n"
     "}\n"
     "static __device__ float g_into(float a, float b, unsigned &far) { /* a literal */\n"
     "    if (!(fabsf(a) > 0x1p-28f && fabsf(a) < 0x1p28f)) far = ~0u;\n"
     "    return g_ratio(a, b, far);\n"
     "}\n"
     "static __device__ float g_over(float a, const g_divisor &d, unsigned &far) { /* by a literal "
     "*/\n"
     "    const float q = a * d.once, rest = fmaf(q, d.wide, -(a * d.up)), f = fmaf(-rest, d.down, "
     "q);\n"
     "    if (!(fabsf(f) < __int_as_float(0x7f800000)) | (fabsf(rest) == d.half)) far = ~0u;\n"
     "    return f;\n"
     "}\n"
     "static __device__ float g_root(float a, unsigned &far) {\n"
     "    float r;\n"
     "#ifdef __CUDA_ARCH__\n"
     "    asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n"
     "#else\n"
     "    r = 1.0f / sqrtf(a);\n"
     "#endif\n"
     "    const float g = a * r, f = fmaf(fmaf(-g, g, a), 0.5f * r, g);\n"
     "    far |= g_range(a) | __float_as_uint(a);\n"
     "    return f;\n"
     "}\n"},
    {NEED_WIDE_MULTIPLY, /* 32 x 32 -> 64 bits in one instruction; the compiler would emit 64 x 64
                          */
     "static __device__ unsigned long long g_product(unsigned a, unsigned b) {\n"
     "#ifdef __CUDA_ARCH__\n"
     "    unsigned long long p;\n"
     "    asm(\"mul.wide.u32 %0, %1, %2;\" : \"=l\"(p) : \"r\"(a), \"r\"(b));\n"
     "    return p;\n"
     "#else\n"
     "    return (unsigned long long)a * b;\n"
     "#endif\n"
     "}\n"},
    {NEED_POSITIVE_LOG, /* of a normal positive number: the assumption removes the special cases */
     "static __device__ double g_log(double a) {\n"
     "#ifdef __CUDA_ARCH__\n"
     "    const int high = __double2hiint(a);\n"
     "    __builtin_assume(high > 0xfffff);\n"
     "    __builtin_assume((unsigned)(high - 1) < 0x7fefffffu);\n"
     "#endif\n"
     "    return log(a);\n"
     "}\n"},
    {NEED_MINMAX, /* propagates NaN; of zeros of both signs the instruction gives +0, else the first
                   */
     "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"
     "static __device__ float g_min(float a, float b) { float r; asm(\"min.NaN.f32 %0, %1, %2;\" : "
     "\"=f\"(r) : \"f\"(a), \"f\"(b)); return r; }\n"
     "static __device__ float g_max(float a, float b) { float r; asm(\"max.NaN.f32 %0, %1, %2;\" : "
     "\"=f\"(r) : \"f\"(a), \"f\"(b)); return r; }\n"
     "#else\n"
     "static __device__ float g_min(float a, float b) { return a <= b || a != a ? a : b; }\n"
     "static __device__ float g_max(float a, float b) { return a >= b || a != a ? a : b; }\n"
     "#endif\n"},
    {NEED_COPY_OUT,
     "template <class T> static __device__ void g_copy_out(T *to, const T *from, unsigned n) {\n"
     "    struct __align__(16) words { unsigned w[4]; };\n"
     "    const unsigned wide = n * (unsigned)sizeof(T) / 16, first = wide * 16 / "
     "(unsigned)sizeof(T);\n"
     "    for (unsigned i = threadIdx.x; i < wide; i += blockDim.x) ((words *)to)[i] = ((const "
     "words *)from)[i];\n"
     "    for (unsigned i = first + threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];\n"
     "}\n"},
    {NEED_HISTOGRAM, /* 64-bit addition by 32-bit atomics, the high words `high_at` after the low
                        ones */
     "static __device__ void g_count(unsigned *low, unsigned high_at, unsigned long long v) {\n"
     "    const unsigned old = atomicAdd(low, (unsigned)v), high = (unsigned)(v >> 32) + (old + "
     "(unsigned)v < old);\n"
     "    if (high) atomicAdd(low + high_at, high);\n"
     "}\n"},
    {NEED_FAULT_RECORD,
     "struct g_record { unsigned set, kind, line, axis; long long a, b; int block[3], thread[3], "
     "other[8]; };\n"},
    {NEED_POLL, /* polls the interrupt flag: copies in several cache lines, since reads of a single
                  word by all blocks would serialize */
     "static __device__ bool g_stops(unsigned *told, const volatile int *stop, volatile g_record "
     "*r, unsigned kind, bool again) {\n"
     "    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
     "    if (*(volatile unsigned *)(told + block % 16 * 32)) return true;\n"
     "    if ((!again && block % 64) || !*stop) return false;\n"
     "    for (unsigned i = 0; i < 16; i++) *(volatile unsigned *)(told + i * 32) = 1u;\n"
     "    r->kind = kind; r->set = 1;\n"
     "    return true;\n"
     "}\n"},
    {NEED_FAULT, /* of all faulting points the first in order is reported. Behind the lock: a flag,
                   and the complement of the index of that point */
     "static __device__ unsigned long long g_thread() {\n"
     "    const unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x * "
     "(blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);\n"
     "    return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x + blockDim.x * "
     "(threadIdx.y + blockDim.y * threadIdx.z);\n"
     "}\n"
     "static __device__ __noinline__ void g_fault(unsigned *lock, volatile g_record *r, unsigned "
     "kind, unsigned line, unsigned axis, long long a, long long b, unsigned long long point) {\n"
     "    volatile unsigned long long *best = (volatile unsigned long long *)(lock + 2);\n"
     "    for (bool done = false; !done && *best < ~point;) {\n"
     "        if (atomicExch(lock, 1u)) continue;\n"
     "        __threadfence();\n"
     "        if (*best < ~point) {\n"
     "            *best = ~point; *(volatile unsigned *)(lock + 1) = 1u;\n"
     "            r->kind = kind; r->line = line; r->axis = axis; r->a = a; r->b = b;\n"
     "            r->block[0] = blockIdx.x; r->block[1] = blockIdx.y; r->block[2] = blockIdx.z;\n"
     "            r->thread[0] = threadIdx.x; r->thread[1] = threadIdx.y; r->thread[2] = "
     "threadIdx.z;\n"
     "            r->set = 1;\n"
     "        }\n"
     "        __threadfence_system();\n"
     "        atomicExch(lock, 0u);\n"
     "        done = true;\n"
     "    }\n"
     "}\n"},
    {NEED_PRINT, /* buf[0]: words used, capacity, lines lost */
     "struct __align__(16) g_word { unsigned w[4]; };\n"
     "static __device__ __noinline__ g_word *g_line(g_word *buf, unsigned text, unsigned n) {\n"
     "    const unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x * "
     "(blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);\n"
     "    const unsigned at = atomicAdd(&buf->w[0], n + 1), thread = threadIdx.x + blockDim.x * "
     "(threadIdx.y + blockDim.y * threadIdx.z);\n"
     "    if (at + n + 1 > buf->w[1] || at + n + 1 < at) { atomicSub(&buf->w[0], n + 1); "
     "atomicAdd(&buf->w[2], 1u); return 0; }\n"
     "    buf[1 + at].w[0] = (unsigned)block; buf[1 + at].w[1] = (unsigned)(block >> 32); buf[1 + "
     "at].w[2] = thread; buf[1 + at].w[3] = text << 8 | n;\n"
     "    return buf + 1 + at;\n"
     "}\n"},
    {NEED_CAS_LOOP, /* atomic read-modify-write: compare-and-swap of the word that holds the
                      element; under a lock for 16 bytes */
     "static __device__ unsigned g_wide;\n"
     "template <class E, class F> static __device__ E g_update(E *p, F f) {\n"
     "    if constexpr (sizeof(E) == 16) {\n"
     "        volatile double *q = (volatile double *)p;\n"
     "        E was, now;\n"
     "        for (bool done = false; !done;) {\n"
     "            if (atomicExch(&g_wide, 1u)) continue;\n"
     "            __threadfence();\n"
     "            double w[2] = {q[0], q[1]};\n"
     "            memcpy(&was, w, 16);\n"
     "            now = f(was);\n"
     "            memcpy(w, &now, 16);\n"
     "            q[0] = w[0]; q[1] = w[1];\n"
     "            __threadfence();\n"
     "            atomicExch(&g_wide, 0u);\n"
     "            done = true;\n"
     "        }\n"
     "        return was;\n"
     "    } else if constexpr (sizeof(E) == 8) {\n"
     "        unsigned long long *q = (unsigned long long *)p, old = *(volatile unsigned long long "
     "*)q, seen;\n"
     "        E was, now;\n"
     "        do { seen = old; memcpy(&was, &seen, 8); now = f(was); unsigned long long w; "
     "memcpy(&w, &now, 8); old = atomicCAS(q, seen, w); } while (old != seen);\n"
     "        return was;\n"
     "    } else {\n"
     "        unsigned shift = ((unsigned)(size_t)p & 3u & ~(unsigned)(sizeof(E) - 1)) * 8u;\n"
     "        unsigned *q = (unsigned *)((size_t)p & ~(size_t)3), old = *(volatile unsigned *)q, "
     "seen;\n"
     "        unsigned mask = sizeof(E) == 4 ? ~0u : ((1u << (sizeof(E) * 8 % 32)) - 1u) << "
     "shift;\n"
     "        E was, now;\n"
     "        do {\n"
     "            seen = old;\n"
     "            unsigned w = (seen & mask) >> shift;\n"
     "            memcpy(&was, &w, sizeof was);\n"
     "            now = f(was);\n"
     "            w = 0; memcpy(&w, &now, sizeof now);\n"
     "            old = atomicCAS(q, seen, (seen & ~mask) | (w << shift & mask));\n"
     "        } while (old != seen);\n"
     "        return was;\n"
     "    }\n"
     "}\n"},
};

void em_prelude(em *E, gpa_str *out) {
    for (size_t i = 0; i < COUNT_OF(prelude); i++)
        if (E->needs & prelude[i].need) str_put(out, prelude[i].text);
}
