/* Code generation for elementwise operations: calls of C functions (emit_op.h).
 *
 * The lanes of the operands are stored in stack slots, in the format of memory, and a C function is
 * called on all of them. */
#include <stdio.h>
#include <string.h>

#include "runtime/cpu/emit/emit_op.h"
#include "runtime/cpu/emit/op_lanes.h"

/* The operation of a call: passed by value, in two registers. Compiled code passes the same two
 * words as integers (call_words). */
typedef struct {
    uint8_t operand[3]; /* dtypes; DT_NONE: no operand */
    uint8_t result;
    uint32_t op;
    uint64_t lanes;
} lanes_call;

/* The first bytes of a gpa_val hold an element as memory does. */
static void run_lanes(gpa_op_fn f, lanes_call call, const void *a, const void *b, const void *c,
                      void *out) {
    const char *from[3] = {a, b, c};
    char *to = out;
    gpa_val v[3] = {0}, r = {0};
    size_t size[3], result_size = dtype_size((gpa_dtype)call.result);
    for (int i = 0; i < 3; i++)
        size[i] = call.operand[i] < DT_COUNT ? dtype_size((gpa_dtype)call.operand[i]) : 0;
    for (uint64_t n = 0; n < call.lanes; n++) {
        for (int i = 0; i < 3; i++) dtype_copy_element(&v[i], from[i] + n * size[i], size[i]);
        f(&r, &v[0], &v[1], &v[2]);
        dtype_copy_element(to + n * result_size, &r, result_size);
    }
}

/* A stack slot for the lanes of a value in memory format: complex numbers are interleaved. */
static V lanes_slot(ll *E, gpa_dtype t, unsigned n) {
    LLVMTypeRef type = LLVMArrayType(ll_memory(E, t), n * (dtype_is_complex(t) ? 2 : 1));
    V slot = ll_slot(E, type, "lanes");
    LLVMSetAlignment(slot, 64);
    return slot;
}

static V put_lanes(ll *E, ll_val a) {
    V slot = lanes_slot(E, a.t, ll_width(a.v));
    V v = ll_to_memory(E, a.t, a.v);
    LLVMSetAlignment(LLVMBuildStore(E->b, a.im ? ll_interleave(E, v, a.im) : v, slot), 16);
    return slot;
}

static ll_val take_lanes(ll *E, V slot, gpa_dtype t, unsigned n, bool vec) {
    unsigned parts = n * (dtype_is_complex(t) ? 2 : 1);
    LLVMTypeRef type = parts > 1 ? LLVMVectorType(ll_memory(E, t), parts) : ll_memory(E, t);
    V all = LLVMBuildLoad2(E->b, type, slot, "");
    LLVMSetAlignment(all, 16);
    ll_val r = {.t = (uint8_t)t, .vec = vec};
    if (!dtype_is_complex(t))
        r.v = ll_from_memory(E, t, all);
    else
        r.v = ll_every_second(E, all, 0), r.im = ll_every_second(E, all, 1);
    return r;
}

/* The same for operations that have a vectorized C implementation (op_lanes.h). */
static void run_several(gpa_op_fn f, lanes_call call, const void *a, const void *b, const void *c,
                        void *out) {
    if (!op_lanes_run((gpa_op)call.op, (gpa_dtype)call.operand[0], a, b, out, call.lanes))
        run_lanes(f, call, a, b, c, out);
}

/* The row's C function as an external symbol, so that cached modules contain no addresses. */
static V row_function(ll *E, const ll_row *r) {
    gpa_op_fn f = op_function(r->op, r->t);
    char name[80];
    snprintf(name, sizeof name, "gpa_op_%s_%s", op_info[r->op].name, dtype_info[r->t].name);
    if (!f && !E->rc)
        E->rc = gpa_fail(E->err, GPA_E_INTERNAL, "%s of %s", op_info[r->op].name,
                         dtype_info[r->t].name);
    return ll_function(E, name, (void *)(uintptr_t)f,
                       LLVMFunctionType(LLVMVoidTypeInContext(E->ctx), NULL, 0, 0));
}

/* The words that pass the call as an argument. */
static void call_words(ll *E, lanes_call call, V words[2]) {
    int64_t word[2];
    _Static_assert(sizeof call == sizeof word, "two words");
    memcpy(word, &call, sizeof word);
    for (int i = 0; i < 2; i++) words[i] = ll_i64(E, word[i]);
}

ll_val ll_by_function(ll *E, const ll_row *r) {
    unsigned n = ll_width(r->a.v);
    if (r->to == r->t && dtype_info[r->t].kind == 'F' && dtype_info[r->t].size == 2 &&
        op_lanes_can(r->op, DT_F32)) { /* computed in lanes of float */
        ll_row wide = *r;
        wide.t = wide.to = DT_F32, wide.a.t = wide.b.t = DT_F32;
        return ll_result(r, ll_round(E, r->to, ll_by_function(E, &wide).v));
    }
    bool several = op_lanes_can(r->op, r->t) && r->to == r->t;
    const ll_val *operand[3] = {&r->a, &r->b, &r->c};
    V args[7];
    lanes_call call = {.result = (uint8_t)r->to, .op = r->op, .lanes = n};
    for (int i = 0; i < 3; i++) {
        bool there = operand[i]->v;
        call.operand[i] = there ? operand[i]->t : DT_NONE;
        args[3 + i] = there ? put_lanes(E, *operand[i]) : LLVMConstNull(ll_ptr(E));
    }
    args[0] = row_function(E, r);
    call_words(E, call, args + 1);
    args[6] = lanes_slot(E, r->to, n);
    if (several)
        ll_call(E, "gpa_several", (void *)(uintptr_t)run_several, LLVMVoidTypeInContext(E->ctx),
                args, 7);
    else
        ll_call(E, "gpa_lanes", (void *)(uintptr_t)run_lanes, LLVMVoidTypeInContext(E->ctx), args,
                7);
    return take_lanes(E, args[6], r->to, n, r->a.vec);
}

/* Calls the row's C function in the lanes set in `rest`, for complex numbers of one type. */
static void run_rest(gpa_op_fn f, uint64_t size, uint64_t rest, const void *a, const void *b,
                     void *out) {
    for (; rest; rest &= rest - 1) {
        size_t at = (size_t)__builtin_ctzll(rest) * size;
        gpa_val v[3] = {0}, r = {0};
        dtype_copy_element(&v[0], (const char *)a + at, size);
        dtype_copy_element(&v[1], (const char *)b + at, size);
        f(&r, &v[0], &v[1], &v[2]);
        dtype_copy_element((char *)out + at, &r, size);
    }
}

ll_val ll_complex_row(ll *E, const ll_row *r) {
    ll_val fast;
    V holds;
    unsigned n = ll_width(r->a.v);
    if (n > 64 || !ll_complex(E, r->op, r->a, r->b, &fast, &holds)) return ll_by_function(E, r);
    if (!holds) return fast;
    V rest = LLVMBuildBitCast(E->b, LLVMBuildNot(E->b, holds, ""), ll_i(E, n), ""),
      out = put_lanes(E, fast), a = put_lanes(E, r->a);
    V args[] = {row_function(E, r),
                ll_i64(E, (int64_t)dtype_size(r->t)),
                LLVMBuildZExt(E->b, rest, ll_i(E, 64), ""),
                a,
                r->b.v ? put_lanes(E, r->b) : a,
                out};
    ll_call(E, "gpa_rest", (void *)(uintptr_t)run_rest, LLVMVoidTypeInContext(E->ctx), args, 6);
    return take_lanes(E, out, r->to, n, true);
}
