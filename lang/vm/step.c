/* Virtual machine instructions implemented as functions, outside the interpreter loop: names,
 * operators, functions, exceptions, imports. Each checks its operands for unbound variables: no
 * instruction accepts V_UNSET. */
#include "lang/vm/step_body.h"

#include "runtime/base/base.h"

#include "lang/object/numpy_scalar.h"
#include "lang/vm/class.h"
#include "lang/vm/debug_hooks.h"
#include "lang/vm/generator.h"
#include "lang/vm/operate.h"
#include "lang/vm/record.h"

STEP(unset) {
    const uint16_t operand[] = {i->a, i->b, i->c};
    UNUSED;
    const unsigned op = code_op(f->code, i);
    int first = op == I_DELETE || op == I_SET_GLOBAL || op == I_RETURN ? 0 : 1;
    return raise_unbound(vm, f, operand[first]);
}

/* ---- names and cells ---- */

STEP(get_global) {
    const value *v = module_fallback(vm, f->module, i->d);
    if (!v) return vm->core.err.code;
    reg_put(vm, &r[i->a], value_retain(*v));
    return GPA_OK;
}

STEP(keep) {
    (void)f;
    return r[i->a].tag == V_ARRAY && rt_has_pending(vm->core.rt)
               ? rt_flush(vm->core.rt, &vm->core.err)
               : GPA_OK;
}

STEP(del_global) {
    value *slot = &f->module->slots[i->d];
    UNUSED;
    if (slot->tag == V_UNSET) return raise_name(vm, f->module, f->module->names[i->d]);
    reg_put(vm, slot, v_unset());
    return GPA_OK;
}

STEP(new_cell) {
    cell_obj *cell = mem_new(sizeof *cell);
    UNUSED;
    if (!cell) return vm_no_memory(vm);
    *cell = (cell_obj){.head = {1, V_CELL}, .v = r[i->a]};
    r[i->a] = v_obj(V_CELL, cell);
    return GPA_OK;
}

static gpa_code no_cell_value(gpa_vm *vm, const frame *f, unsigned slot, bool free_variable) {
    gpa_sym name =
        free_variable ? f->code->scope->frees[slot].name : f->code->scope->vars[slot].name;
    const char *text = sym_text(vm, name);
    if (free_variable)
        return vm_fail(vm, GPA_E_NAME,
                       "cannot access free variable '%s' where it is not associated with a value "
                       "in enclosing scope",
                       text);
    return raise_unbound(vm, f, slot);
}

static gpa_code cell_get(gpa_vm *vm, frame *f, value *to, value cell, unsigned slot,
                         bool free_variable) {
    if (cell.tag != V_CELL || cell.cell->v.tag == V_UNSET)
        return no_cell_value(vm, f, slot, free_variable);
    reg_put(vm, to, value_retain(cell.cell->v));
    return GPA_OK;
}

static gpa_code cell_delete(gpa_vm *vm, frame *f, value cell, unsigned slot, bool free_variable) {
    if (cell.tag != V_CELL || cell.cell->v.tag == V_UNSET)
        return no_cell_value(vm, f, slot, free_variable);
    reg_put(vm, &cell.cell->v, v_unset());
    return GPA_OK;
}

STEP(get_cell) { return cell_get(vm, f, &r[i->a], r[i->b], i->b, false); }
STEP(get_free) { return cell_get(vm, f, &r[i->a], f->free[i->b], i->b, true); }

STEP(set_cell) {
    BOUND(i->b);
    value v = reg_take(f, i->b);
    reg_put(vm, &r[i->a].cell->v, v);
    return GPA_OK;
}

STEP(set_free) {
    BOUND(i->b);
    value v = reg_take(f, i->b);
    reg_put(vm, &f->free[i->a].cell->v, v);
    return GPA_OK;
}

STEP(del_cell) { return cell_delete(vm, f, r[i->a], i->a, false); }

STEP(del_free) {
    UNUSED;
    return cell_delete(vm, f, f->free[i->a], i->a, true);
}

/* ---- operators ---- */

/* Operators on NumPy scalars that need no ufunc. Compiled functions widen integers. */
static bool numpy_scalars(const frame *f, ast_op op, value a, value b, value *out) {
    return (a.tag == V_NUM || b.tag == V_NUM) && !f->code->jit &&
           numpy_scalar_binary(op, a, b, out);
}

gpa_code step_binary(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op) {
    value v = v_none();
    BOUND(i->b);
    BOUND(i->c);
    if (numpy_scalars(f, op, r[i->b], r[i->c], &v)) return step_finish(vm, f, i, v, true, true);
    gpa_code rc = op_binary(vm, op, r[i->b], r[i->c], &v);
    return rc ? rc : step_finish(vm, f, i, v, true, true);
}

/* True if a str can be extended in place because this is the only reference: a loop of `s += t`
 * takes linear time. */
static bool grows(value a, value b) {
    return (a.tag == V_STR || a.tag == V_BYTES) && b.tag == a.tag && a.o != b.o && a.o->refs == 1;
}

gpa_code step_update(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op) {
    value v = v_none();
    BOUND(i->b);
    BOUND(i->c);
    if (numpy_scalars(f, op, r[i->b], r[i->c], &v)) return step_finish(vm, f, i, v, true, true);
    if (op == AST_OP_ADD && i->a == i->b && grows(r[i->b], r[i->c])) {
        gpa_code rc = str_extend(vm, &r[i->b], r[i->c]);
        if (!rc) reg_consume(vm, f, i->c);
        return rc;
    }
    if (r[i->b].tag == V_ARRAY && step_reads_last(f, r, i->c))
        arr_drop_value(vm->core.rt, r[i->c].array->arr);
    gpa_code rc = op_update(vm, op, r[i->b], r[i->c], &v);
    return rc ? rc : step_finish(vm, f, i, v, true, true);
}

gpa_code step_compare(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op, bool *out) {
    BOUND(i->a);
    BOUND(i->b);
    value v;
    if (numpy_scalars(f, op, r[i->a], r[i->b], &v)) {
        *out = v.bits != 0;
        return GPA_OK;
    }
    gpa_code rc = op_compare(vm, op, r[i->a], r[i->b], out);
    if (rc) return rc;
    reg_consume(vm, f, i->a);
    reg_consume(vm, f, i->b);
    return GPA_OK;
}

gpa_code step_truth(gpa_vm *vm, frame *f, value *r, const ins *i, bool *out) {
    BOUND(i->a);
    if (numpy_scalar_truth(r[i->a], out)) return GPA_OK;
    gpa_code rc = value_truth(vm, r[i->a], out);
    if (!rc) reg_consume(vm, f, i->a);
    return rc;
}

STEP(unary) {
    value v = v_none();
    bool truth;
    gpa_code rc;
    const unsigned op = code_op(f->code, i);
    BOUND(i->b);
    if (op == I_NOT) {
        rc = value_truth(vm, r[i->b], &truth);
        v = v_bool(!truth);
    } else {
        rc = op_unary(vm,
                      op == I_NEG   ? AST_OP_NEG
                      : op == I_POS ? AST_OP_POS
                                    : AST_OP_INVERT,
                      r[i->b], &v);
    }
    return rc ? rc : step_finish(vm, f, i, v, true, false);
}

/* ---- functions ---- */

/* The namespace of a class body, in slot order. It includes the cell of __class__ for the class to
 * be created. */
STEP(namespace) {
    const ast_scope *s = f->code->scope;
    const ast_node *doc = f->code->node->class_.doc;
    value all = v_dict(vm);
    gpa_code rc = all.tag == V_UNSET ? vm->core.err.code : GPA_OK;
    if (!rc && doc) {
        value text = v_str(vm, doc->string.text.at, doc->string.text.len);
        rc = text.tag == V_UNSET ? vm->core.err.code : dict_set_text(vm, all.dict, "__doc__", text);
        value_release(vm, text);
    }
    for (uint32_t k = 0; k < s->n_vars && !rc; k++) {
        if (s->vars[k].comprehension || r[k].tag == V_UNSET) continue;
        rc = dict_set_text(vm, all.dict,
                           s->vars[k].cell ? "__classcell__" : sym_text(vm, s->vars[k].name), r[k]);
    }
    if (rc) value_release(vm, all);
    return rc ? rc : step_finish(vm, f, i, all, false, false);
}

STEP(class) {
    value v = v_none();
    gpa_code rc = class_new(vm, f->code->inner[i[1].a], r[i->b], r[i->c], f->module, &v);
    return rc ? rc : step_finish(vm, f, i, v, true, true);
}

STEP(get_own) {
    if (r[i->b].tag != V_UNSET) {
        reg_put(vm, &r[i->a], value_retain(r[i->b]));
        return GPA_OK;
    }
    value v = f->module->slots[i[1].d];
    const value *found = v.tag != V_UNSET ? &v : module_fallback(vm, f->module, i[1].d);
    if (!found) return vm->core.err.code;
    reg_put(vm, &r[i->a], value_retain(*found));
    return GPA_OK;
}

STEP(function) {
    value v = v_none();
    gpa_code rc = function_new(vm, f, f->code->inner[i->b], i->c & 1 ? r[i->a] : v_none(),
                               i->c & 2 ? r[i->a + 1] : v_none(), &v);
    if (rc) return rc;
    if (i->c & 2) reg_put(vm, &r[i->a + 1], v_unset());
    reg_put(vm, &r[i->a], v);
    return GPA_OK;
}

STEP(generator) {
    code *c = f->code->inner[i->b];
    value v = v_none();
    gpa_code rc = generator_new(vm, c, f->module, c->scope->n_frees, &v);
    if (rc) return rc;
    generator *g = generator_of(v.iter);
    for (uint32_t k = 0; k < c->scope->n_frees; k++) {
        ast_storage p = c->scope->frees[k].from;
        g->cells[k] = value_retain(p.kind == AST_IN_FREE ? f->free[p.slot] : r[p.slot]);
    }
    g->regs[0] = r[i->a];
    r[i->a] = v;
    return GPA_OK;
}

/* ---- exceptions ---- */

STEP(raise) {
    BOUND(i->a);
    BOUND(i->b);
    return raise_value(vm, r[i->a], r[i->b], i->c);
}

STEP(check) {
    (void)f, (void)r, (void)i;
    return rt_may_raise(vm->core.rt) ? rt_check(vm->core.rt, &vm->core.err) : GPA_OK;
}

/* Checks for deferred errors before a context manager exits. Only managers written in the language
 * (assert_raises) can observe the error; files and devices do not. */
STEP(check_for) {
    value context = r[i->a];
    bool cares = context.tag == V_OBJECT && record_is(context.object->kind);
    return cares ? step_check(vm, f, r, i) : GPA_OK;
}

STEP(reraise) {
    value exc = reg_take(f, i->a);
    UNUSED;
    return raise_again(vm, exc);
}

STEP(reraise_handled) {
    UNUSED;
    value handled = raise_handled_peek(vm, true);
    if (handled.tag == V_EXCEPTION) return raise_again(vm, value_retain(handled));
    return vm_fail(vm, GPA_E_RUNTIME, "No active exception to reraise");
}

STEP(fail_assert) {
    UNUSED;
    return vm_raise(vm, GPA_E_ASSERTION, i->b, &r[i->a]);
}

gpa_code step_match(gpa_vm *vm, frame *f, value *r, const ins *i, bool *out) {
    BOUND(i->b);
    gpa_code rc = raise_match(vm, r[i->a], r[i->b], out);
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

/* ---- compiled functions and loops ---- */

gpa_code step_lift(gpa_vm *vm, frame *f, value *r, const ins *i, bool *out) {
    lift_end end;
    *out = false;
    if (vm->debugger && debug_interprets(vm, f->code->nodes[i - f->code->ins])) return GPA_OK;
    gpa_code rc = typed_compiler.loop_run(vm, f->code->lifts[i->b], f->fn, r, &r[i->a], &end);
    *out = end != LIFT_INTERPRET;
    return rc;
}

STEP(settle) {
    BOUND(i->a);
    gpa_rt *rt = vm->core.rt;
    if (r[i->a].tag != V_ARRAY || !arr_is_pending(r[i->a].array->arr)) return GPA_OK;
    gpa_code rc = arr_eval(rt, &r[i->a].array->arr, 1, &vm->core.err);
    return rc ? rc : rt_sync(rt, &vm->core.err);
}

STEP(enter_jitted) {
    (void)i;
    return typed_compiler.enter(vm, f->code, r);
}

STEP(python) {
    bool inside = !f->base && vm->depth > 1 && vm->frames[vm->depth - 2].code->jit;
    value out;
    value_tag tag = (value_tag)r[i->a].tag;
    if (inside || (tag != V_NUM && tag != V_ARRAY && tag != V_COMPLEX && tag != V_TUPLE))
        return GPA_OK;
    gpa_code rc = value_to_python(vm, r[i->a], &out);
    if (!rc) reg_put(vm, &r[i->a], out);
    return rc;
}

STEP(leave_jitted) {
    BOUND(i->a);
    gpa_code rc = typed_compiler.leave(vm, f->code, r, r[i->a]);
    return rc ? rc : step_python(vm, f, r, i);
}

/* ---- with ---- */

static const object_kind *context_kind(value v) {
    return v.tag == V_OBJECT && v.object->kind->enter ? v.object->kind : NULL;
}

STEP(enter) {
    value v = v_none();
    const object_kind *k = context_kind(r[i->b]);
    if (!k)
        return vm_fail(vm, GPA_E_TYPE, "'%s' object does not support the context manager protocol",
                       value_type_name(r[i->b]));
    gpa_code rc = k->enter(vm, r[i->b].object, &v);
    return rc ? rc : step_finish(vm, f, i, v, false, false);
}

static gpa_code leave(gpa_vm *vm, value context, value exc, bool *swallow) {
    *swallow = false;
    const object_kind *k = context.object->kind;
    return k->exit ? k->exit(vm, context.object, exc, swallow) : GPA_OK;
}

STEP(leave) {
    bool swallow;
    gpa_code rc = leave(vm, r[i->a], v_none(), &swallow);
    if (!rc) reg_consume(vm, f, i->a);
    return rc;
}

/* __exit__ may raise and catch the same exception elsewhere: its original location is restored. */
gpa_code step_leave_raised(gpa_vm *vm, frame *f, value *r, const ins *i, bool *swallowed) {
    raise_saved aside;
    value exc = r[i->b];
    gpa_span at = exc.exc->err.span;
    raise_save(vm, &aside);
    vm->trace_of = exc.exc;
    gpa_code rc = leave(vm, r[i->a], exc, swallowed);
    if (rc && vm->raised.o != exc.o) {
        raise_discard(vm, &aside);
        return rc;
    }
    raise_restore(vm, &aside);
    exc.exc->err.span = at;
    if (rc) return raise_again(vm, value_retain(exc));
    reg_consume(vm, f, i->a);
    return GPA_OK;
}

/* ---- imports and magics ---- */

STEP(import) {
    value m = v_unset();
    gpa_code rc = import_from(vm, f->module, f->code->consts[i->d].str->text, &m);
    if (!rc) reg_put(vm, &r[i->a], m);
    return rc;
}

STEP(import_root) {
    value m = v_unset();
    gpa_code rc = import_root(vm, f->code->consts[i->d].str->text, &m);
    if (!rc) reg_put(vm, &r[i->a], m);
    return rc;
}

STEP(import_name) {
    value v = v_none();
    gpa_code rc = import_name(vm, r[i->b], i[1].sym, &v);
    return rc ? rc : step_finish(vm, f, i, v, false, false);
}

STEP(import_all) {
    gpa_code rc = import_all(vm, r[i->a], f->module);
    if (!rc) reg_consume(vm, f, i->a);
    return rc;
}

STEP(magic) {
    value v = v_none(), text = f->code->consts[i->d];
    if (!vm->config.magic) return vm_fail(vm, GPA_E_SYNTAX, "invalid syntax");
    gpa_code rc = vm->config.magic(vm->config.user, text.str->text, text.str->size,
                                   raise_span(raise_node(f)), &v);
    if (!rc) reg_put(vm, &r[i->a], v);
    return rc;
}
