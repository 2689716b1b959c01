/* Code generation for one element: a program of parameters, operations and casts as a function of
 * scalars, with the bits that the program gives a lane of a vector. */
#include "runtime/cpu/emit/emit_scalar.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/emit/ll.h"

static ll_val load_scalar(ll *E, gpa_dtype t, V from) {
    LLVMTypeRef one = ll_memory(E, t);
    V at = ll_i64(E, 1);
    ll_val r = {.t = (uint8_t)t, .v = ll_from_memory(E, t, LLVMBuildLoad2(E->b, one, from, ""))};
    if (dtype_is_complex(t))
        r.im = LLVMBuildLoad2(E->b, one, LLVMBuildGEP2(E->b, one, from, &at, 1, ""), "");
    return r;
}

static void store_scalar(ll *E, ll_val a, V to) {
    LLVMTypeRef one = ll_memory(E, (gpa_dtype)a.t);
    V at = ll_i64(E, 1);
    LLVMBuildStore(E->b, ll_to_memory(E, (gpa_dtype)a.t, a.v), to);
    if (a.im) LLVMBuildStore(E->b, a.im, LLVMBuildGEP2(E->b, one, to, &at, 1, ""));
}

/* The arguments of the function: the result, then the parameters. */
static ll_val instruction(ll *E, const kir_func *f, const kir_ins *i, const ll_val *of) {
    static const ll_val none;
    switch ((int)i->code) {
        case KIR_PARAM: return load_scalar(E, i->type, LLVMGetParam(E->fn, i->imm + 1));
        case KIR_CONST: return ll_const(E, i->type, f->consts[i->imm].v);
        case KIR_CAST: return ll_cast(E, i->type, of[i->a]);
        case KIR_OP: {
            ll_operation o = {.op = (gpa_op)i->sub, .to = i->type, .a = of[i->a]};
            if (op_info[o.op].arity > 1) o.b = of[i->b];
            if (op_info[o.op].arity > 2) o.c = of[i->c];
            o.t = op_info[o.op].sig == SIG_SELECT ? o.b.t : o.a.t;
            return ll_op(E, &o);
        }
    }
    E->rc = gpa_fail(E->err, GPA_E_INTERNAL, "an instruction that has no scalar form");
    return none;
}

static void set_attribute(ll *E, const char *name) {
    LLVMAddAttributeAtIndex(E->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(E->ctx, name, (unsigned)strlen(name), "", 0));
}

static void open_function(ll *E) {
    LLVMTypeRef types[] = {ll_ptr(E), ll_ptr(E), ll_ptr(E), ll_ptr(E)};
    E->fn =
        LLVMAddFunction(E->mod, JIT_FUNCTION,
                        LLVMFunctionType(LLVMVoidTypeInContext(E->ctx), types, COUNT_OF(types), 0));
    set_attribute(E, "stackrealign");
    LLVMPositionBuilderAtEnd(E->slots, LLVMAppendBasicBlockInContext(E->ctx, E->fn, "slots"));
    LLVMPositionBuilderAtEnd(E->b, LLVMAppendBasicBlockInContext(E->ctx, E->fn, "entry"));
}

gpa_code emit_scalar(cpu_target *t, const kir_func *f, LLVMModuleRef *out, gpa_err *e) {
    ll E = {.target = t,
            .host = &t->info,
            .lanes = 1,
            .divides = true,
            .scalars_as_lanes = true,
            .err = e};
    ll_val *of = mem_zero(f->n_code * sizeof *of);
    if (!of) return gpa_no_memory(e);
    E.mod = cpu_module_new(t, "scalar");
    E.ctx = LLVMGetModuleContext(E.mod);
    E.b = LLVMCreateBuilderInContext(E.ctx);
    E.slots = LLVMCreateBuilderInContext(E.ctx);
    open_function(&E);
    for (size_t i = 0; i < f->n_code && !E.rc; i++) of[i] = instruction(&E, f, &f->code[i], of);
    if (!E.rc) {
        store_scalar(&E, of[f->n_code - 1], LLVMGetParam(E.fn, 0));
        LLVMBuildRetVoid(E.b);
        LLVMBuildBr(E.slots, LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(E.fn)));
        *out = E.mod;
    }
    LLVMDisposeBuilder(E.b);
    LLVMDisposeBuilder(E.slots);
    if (E.rc) cpu_module_free(E.mod);
    mem_free(of);
    return E.rc;
}
