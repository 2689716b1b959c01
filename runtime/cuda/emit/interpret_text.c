/* The CUDA source of the interpreter, generated from the tables: a function per operation and
 * dtype, per cast and per access, and a fetch-decode-execute loop that calls them.
 *
 * Functions are not inlined, since many small functions compile faster than one large one. Reading
 * order: functions, the frame. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"
#include "runtime/cuda/emit/interpret.h"

/* ---- functions ---- */

static void open_function(em *E, unsigned code) {
    em_line(E,
            "static __device__ __noinline__ void g_do%u(unsigned d, unsigned pa, unsigned pb, "
            "unsigned pc) {",
            code);
    E->indent++;
}

static void put_operand(em *E, char name, gpa_dtype t) {
    const char *r = em_type(E, t);
    em_line(E, "const %s %c = get<%s>(p%c);", r, name, r, name);
}

static void put_result(em *E, gpa_dtype t, gpa_str *value) {
    em_line(E, "put<%s>(d, %s);", em_type(E, t), value->text);
    em_close_block(E);
    str_clear(value);
}

static void put_ops(em *E, gpa_str *v, bool *has_function) {
    for (gpa_op op = 0; op < OP_COUNT; op++) {
        if (op_info[op].composite) continue;
        for (gpa_dtype t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute, result;
            unsigned code;
            if (!op_types(op, t, &compute, &result) ||
                has_function[code = IC_OP + (unsigned)op * DT_COUNT + compute])
                continue;
            has_function[code] = true;
            open_function(E, code);
            for (int i = 0; i < op_info[op].arity; i++)
                put_operand(E, "abc"[i], op_operand_type(op, compute, i));
            str_printf(v, "%s((%s)(", em_round(E, result), em_type(E, result));
            em_expr(E, v, op_info[op].text[op_kind_index(dtype_info[compute].kind)], compute,
                    (em_operands){"a", "b", "c"});
            str_put(v, "))");
            put_result(E, result, v);
        }
    }
}

static void put_casts(em *E, gpa_str *v, bool *has_function) {
    for (gpa_dtype from = 0; from < DT_COUNT; from++)
        for (gpa_dtype to = 0; to < DT_COUNT; to++) {
            unsigned code = IC_CAST + (unsigned)(from * DT_COUNT + to);
            if (from == to) continue;
            has_function[code] = true;
            open_function(E, code);
            put_operand(E, 'a', from);
            em_cast(E, v, from, to, "a");
            put_result(E, to, v);
        }
}

static void put_accesses(em *E, gpa_str *v, bool *has_function) {
    for (gpa_dtype t = 0; t < DT_COUNT; t++) {
        const char *m = em_memory(E, t), *r = em_type(E, t);
        char lvalue[96];
        has_function[IC_LOAD + t] = has_function[IC_STORE + t] = has_function[IC_LOADX + t] =
            has_function[IC_STOREX + t] = true;
        open_function(E, IC_LOAD + t);
        snprintf(lvalue, sizeof lvalue, "get<const %s *>(pa)[g_at(pa, pc)]", m);
        em_unpack(E, v, t, lvalue);
        put_result(E, t, v);
        open_function(E, IC_LOADX + t);
        snprintf(lvalue, sizeof lvalue, "get<const %s *>(pb)[get<long long>(pa)]", m);
        em_unpack(E, v, t, lvalue);
        put_result(E, t, v);
        open_function(E, IC_STORE + t);
        snprintf(lvalue, sizeof lvalue, "get<%s>(pa)", r);
        em_pack(E, v, t, lvalue);
        em_line(E, "get<%s *>(pb)[g_at(pb, pc)] = %s;", m, v->text);
        em_close_block(E);
        str_clear(v);
        open_function(E, IC_STOREX + t);
        snprintf(lvalue, sizeof lvalue, "get<%s>(pb)", r);
        em_pack(E, v, t, lvalue);
        em_line(E, "get<%s *>(pc)[get<long long>(pa)] = %s;", m, v->text);
        em_close_block(E);
        str_clear(v);
    }
}

/* ---- the frame ---- */

static const char types[] =
    "struct __align__(16) g_ins { unsigned short code, d, a, b, c, x; unsigned y; };\n"
    "struct g_params {\n"
    "    unsigned long long points; int *spent; const volatile int *stop; g_record *record; "
    "unsigned *lock; const unsigned long long *long_words;\n"
    "    long long fuel, max_cycles;\n"
    "    unsigned words, item, ndim, sizes;\n"
    "    unsigned long long inline_words[%d];\n"
    "};\n"
    "extern __shared__ __align__(16) unsigned char g_dynamic[];\n"
    "struct __align__(16) g_two { long long v[2]; };\n"
    "template <class T> static __device__ __forceinline__ T get(unsigned at) { return *(const T "
    "*)(g_dynamic + at); }\n"
    "template <class T> static __device__ __forceinline__ void put(unsigned at, T v) { *(T "
    "*)(g_dynamic + at) = v; }\n"
    "static __device__ __forceinline__ long long g_at(unsigned array, unsigned coordinate) {\n"
    "    const unsigned how = get<unsigned>(array + 8), n = how & 255u, step = how >> 8;\n"
    "    long long at = 0;\n"
    "    for (unsigned k = 0; k < n; k++) at += get<long long>(array + 16 + 8 * k) * get<long "
    "long>(coordinate + k * step);\n"
    "    return at;\n"
    "}\n";

static const char head[] =
    "extern \"C\" __global__ void __launch_bounds__(%d) gpa(const __grid_constant__ g_params P) {\n"
    "    unsigned long long *const words = (unsigned long long *)g_dynamic;\n"
    "    for (unsigned k = threadIdx.x; k < P.words; k += blockDim.x) words[k] = P.long_words "
    "? P.long_words[k] : P.inline_words[k];\n"
    "    __syncthreads();\n"
    "    const unsigned own = threadIdx.x * P.item;\n"
    "    unsigned long long at = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (at >= P.points) return;\n"
    "    for (unsigned k = P.ndim; k-- > 0;) {\n"
    "        const unsigned long long size = words[P.sizes + k], next = k ? at / size : 0;\n"
    "        put<unsigned long long>(P.words * 8 + k * blockDim.x * P.item + own, at - next * "
    "size);\n"
    "        at = next;\n"
    "    }\n"
    "    if (P.max_cycles < 0x7fffffffffffffffLL && *(volatile int *)P.spent) return;\n"
    "    const long long begun = clock64();\n"
    "    long long fuel = P.fuel;\n"
    "    unsigned pc = 0, iterations = 0;\n"
    "    for (;;) {\n"
    "        const g_ins i = ((const g_ins *)g_dynamic)[pc++];\n"
    "#define PLACE(p) ((p & %uu) * 8u + (p & %uu ? 0u : own))\n"
    "        const unsigned d = PLACE(i.d), a = PLACE(i.a), b = PLACE(i.b), c = PLACE(i.c), x = "
    "PLACE(i.x), y = i.y;\n";

static const struct {
    unsigned code;
    const char *text;
} rows[] = {
#define IC(id, text) {IC_##id, text},
#include "runtime/cuda/emit/interpret.def"
#undef IC
};

static uint64_t hash_text(const char *text, uint64_t h) {
    return text ? hash_bytes(text, strlen(text), h) : h * 31;
}

uint64_t interpret_hash(void) {
    uint64_t h = hash_text(head, hash_text(types, sizeof(ic_params)));
    for (size_t k = 0; k < COUNT_OF(rows); k++) h = hash_text(rows[k].text, h);
    for (size_t t = 0; t < DT_COUNT; t++)
        h = hash_text(dtype_info[t].cuda, hash_text(dtype_info[t].id, h));
    for (size_t k = 0; k < op_helper_count; k++) h = hash_text(op_helpers[k].text, h);
    for (size_t op = 0; op < OP_COUNT; op++) {
        h = hash_text(op_info[op].id, h);
        for (size_t kind = 0; kind < COUNT_OF(op_info[op].text); kind++)
            h = hash_text(op_info[op].text[kind], h);
    }
    return h;
}

/* Dispatch among functions lo ... hi - 1 by binary search: a quick build would compile a switch to
 * a chain of comparisons. */
static void put_dispatch(gpa_str *out, const unsigned *codes, size_t lo, size_t hi) {
    size_t half = (lo + hi) / 2;
    if (hi - lo == 1) {
        str_printf(out, "g_do%u(d, a, b, c);\n", codes[lo]);
        return;
    }
    str_printf(out, "if (i.code < %u) {\n", codes[half]);
    put_dispatch(out, codes, lo, half);
    str_put(out, "} else {\n");
    put_dispatch(out, codes, half, hi);
    str_put(out, "}\n");
}

static void put_loop(gpa_str *out, const bool *has_function) {
    unsigned codes[IC_CALLED];
    size_t n = 0;
    for (unsigned k = 0; k < IC_CALLED; k++)
        if (has_function[k]) codes[n++] = k;
    str_printf(out, head, TUNE_CUDA_INTERPRETER_THREADS, INTERPRET_UNIFORM - 1u, INTERPRET_UNIFORM);
    str_printf(out, "        if (i.code < %u) {\n", IC_CALLED);
    put_dispatch(out, codes, 0, n);
    str_put(out, "        continue;\n        }\n        switch (i.code) {\n");
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        str_printf(out, "        case %u: %s\n", rows[k].code, rows[k].text);
    str_put(out, "        }\n    }\n}\n");
}

gpa_code interpret_text(gpa_str *out, gpa_err *e) {
    cu_source none = {0};
    kir_func f = {0};
    em E = {.f = &f, .out = &none, .second_copy = -1, .e = e};
    bool *has_function = mem_zero(IC_CALLED);
    gpa_str v;
    str_init(&E.body);
    str_init(&E.helpers);
    str_init(&v);
    E.helper_done = mem_zero(op_helper_count * DT_COUNT);
    if (!has_function || !E.helper_done) E.rc = gpa_no_memory(e);
    if (!E.rc) {
        E.needs = NEED_FAULT_RECORD | NEED_FAULT;
        put_ops(&E, &v, has_function);
        put_casts(&E, &v, has_function);
        put_accesses(&E, &v, has_function);
        str_printf(out, "enum { KIND_INDEX = %d, KIND_STOPPED = %d };\n", KIR_FT_INDEX,
                   KIR_FT_STOPPED);
        em_prelude(&E, out);
        str_printf(out, types, INLINE_WORDS);
        str_printf(out, "%s%s", E.helpers.text, E.body.text);
        put_loop(out, has_function);
    }
    if (!E.rc && (out->failed || v.failed || E.body.failed || E.helpers.failed))
        E.rc = gpa_no_memory(e);
    str_free(&v);
    str_free(&E.body);
    str_free(&E.helpers);
    mem_free(E.helper_done);
    mem_free(has_function);
    return E.rc;
}
