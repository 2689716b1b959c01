/* Generators: suspended call frames.
 *
 * A call of a generator function, or a generator expression, gives an ITER whose source holds a
 * suspended frame: its registers, and the instruction at which it is suspended. A loop or a `yield
 * from` pushes that frame and continues in the interpreter loop (interpret.c); natives resume it
 * through `next` here. An exception is thrown into a generator by entering its frame with the error
 * set. */
#include "lang/vm/debug_hooks.h"
#include "lang/vm/generator.h"

#include "runtime/base/base.h"

#include "lang/vm/instance.h"
#include "lang/vm/record.h"
#include "lang/vm/step.h"

/* ---- creation and end ---- */

/* Releases the generator's registers. */
static void release_registers(gpa_vm *vm, generator *g) {
    for (unsigned i = 0; i < g->code->n_regs; i++) reg_put(vm, &g->regs[i], v_unset());
}

static void drop(gpa_vm *vm, generator *g) {
    if (g->prev)
        g->prev->next = g->next;
    else
        vm->generators = g->next;
    if (g->next) g->next->prev = g->prev;
    release_registers(vm, g);
    for (uint32_t i = 0; i < g->n_cells; i++) value_release(vm, g->cells[i]);
    value_release(vm, g->result);
    if (g->fn) value_release(vm, v_obj(V_FUNC, g->fn));
    code_release(vm, g->code);
    mem_free(g);
}

/* True if the generator's code could observe GeneratorExit (it is suspended inside try or with). */
static bool has_more_to_do(const generator *g) {
    return g->started && !g->done && (g->at->op == I_YIELD_FROM || code_guard_at(g->code, g->at));
}

static void suspended_free(gpa_vm *vm, object_obj *o) {
    generator *g = o->data;
    if (!g) return;
    g->holder = NULL;
    if (!has_more_to_do(g)) {
        drop(vm, g);
        return;
    }
    if (vm->abandoned)
        vm->last_abandoned->waiting = g;
    else
        vm->abandoned = g;
    vm->last_abandoned = g;
}

const object_kind suspended_kind = {.type_name = "generator", .free = suspended_free};

gpa_code generator_new(gpa_vm *vm, code *c, module_obj *m, uint32_t n_cells, value *out) {
    bool fresh = !c->compiled;
    gpa_code rc = fresh ? compile_code(vm, c, m, false) : GPA_OK;
    if (rc) return rc;
    if (fresh) debug_compiled(vm, c, m);
    value holder = v_object(vm, &suspended_kind, 0),
          it = v_iter(vm, suspended_kind.type_name, generator_next);
    generator *g = mem_zero(sizeof *g + (c->n_regs + n_cells) * sizeof(value));
    if (holder.tag == V_UNSET || it.tag == V_UNSET || !g) {
        value_release(vm, holder);
        value_release(vm, it);
        mem_free(g);
        return vm_no_memory(vm);
    }
    g->code = code_retain(c);
    g->module = m;
    module_keep(m);
    g->at = c->ins;
    g->result = v_none();
    g->n_cells = n_cells;
    g->cells = g->regs + c->n_regs;
    for (unsigned i = 0; i < c->n_consts_in_frame; i++) g->regs[c->n_vars + i] = c->consts[i];
    g->next = vm->generators;
    if (g->next) g->next->prev = g;
    vm->generators = g;
    g->holder = holder.object;
    holder.object->data = g;
    it.iter->source = holder;
    *out = it;
    return GPA_OK;
}

gpa_code generator_suspend(gpa_vm *vm, const frame *f, value *out) {
    gpa_code rc = generator_new(vm, f->code, f->module, 0, out);
    if (rc) return rc;
    generator *g = generator_of(out->iter);
    g->fn = f->fn;
    g->fn->head.refs++;
    g->cells = f->fn->free;
    g->at = f->ip + 1;
    for (unsigned i = 0; i < f->code->n_vars; i++) {
        g->regs[i] = f->regs[i];
        f->regs[i].tag = V_UNSET;
    }
    return GPA_OK;
}

void generator_end(gpa_vm *vm, generator *g) {
    g->done = true;
    g->running = false;
    release_registers(vm, g);
}

void generator_fail(gpa_vm *vm, generator *g) {
    if (gpa_err_is(vm->core.err.code,
                   GPA_E_STOP_ITERATION)) { /* StopIteration would end the caller's loop */
        gpa_span at = vm->core.err.span;
        value cause = raise_take(vm), words = v_cstr(vm, "generator raised StopIteration");
        if (words.tag != V_UNSET) vm_raise(vm, GPA_E_RUNTIME, 1, &words);
        value_release(vm, words);
        if (vm->raised.tag == V_EXCEPTION && cause.tag == V_EXCEPTION) {
            vm->raised.exc->cause = value_retain(cause);
            vm->raised.exc->context = value_retain(cause);
            vm->raised.exc->suppresses_context = true;
        }
        value_release(vm, cause);
        vm->core.err.span = at;
        vm->tracing = true;
    }
    generator_end(vm, g);
}

/* ---- resuming ---- */

/* The ValueError or StopIteration for a generator that cannot be resumed. */
static gpa_code refuse(gpa_vm *vm, const generator *g) {
    if (g->running) return vm_fail(vm, GPA_E_VALUE, "generator already executing");
    if (vm->depth >= MAX_FRAMES || vm->reentry >= MAX_REENTRY)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    return rt_check(vm->core.rt, &vm->core.err);
}

/* True if a deferred error of the caller would be found inside a guarded block of the generator. */
static bool may_catch(const gpa_vm *vm, const generator *g) {
    return g->started && rt_may_raise(vm->core.rt) && code_guard_at(g->code, g->at);
}

gpa_code generator_enter(gpa_vm *vm, generator *g, value sent) {
    if (g->running || vm->depth >= MAX_FRAMES || (g->code->n_guards && may_catch(vm, g))) {
        gpa_code rc = refuse(vm, g);
        if (rc) {
            value_release(vm, sent);
            return rc;
        }
    }
    frame *f = &vm->frames[vm->depth++];
    const ins *at = g->at;
    f->code = g->code;
    f->fn = g->fn;
    f->free = g->cells;
    f->module = g->module;
    f->ip = f->next = at;
    f->regs = g->regs;
    f->generator = g;
    f->base = f->constructs = false;
    f->detached = true;
    g->running = true;
    if (!g->started) return GPA_OK;
    bool from = at->op == I_YIELD_FROM;
    if (!from) f->next++;
    if (from || (!at->c && sent.tag != V_UNSET))
        reg_put(vm, &g->regs[from ? at->b : at->a], sent);
    else
        value_release(vm, sent);
    return GPA_OK;
}

/* Runs the interpreter from the topmost frame until the frame at depth `below` yields or returns.
 */
static gpa_code run_on(gpa_vm *vm, uint32_t below, bool failing, value *out) {
    vm->frames[below].base = true;
    *out = v_none();
    return failing ? run_failing(vm, out) : run(vm, out);
}

/* Resumes the generator with a sent value (consumed): the next value, or (*done) the returned one.
 */
static inline gpa_code resume(gpa_vm *vm, generator *g, value sent, value *out, bool *done) {
    gpa_code rc = GPA_OK;
    if (g->done || vm->reentry >= MAX_REENTRY) {
        value_release(vm, sent);
        *done = g->done;
        return g->done ? GPA_OK : refuse(vm, g);
    }
    rc = generator_enter(vm, g, sent);
    if (!rc) rc = run_on(vm, vm->depth - 1, false, out);
    *done = g->done;
    return rc;
}

gpa_code generator_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    generator *g = generator_of(it);
    value holder = value_retain(it->source);
    if (g->done) reg_put(vm, &g->result, v_none()); /* the caller ignores the returned value */
    gpa_code rc = resume(vm, g, v_none(), out, done);
    if (!rc && *done && out->tag != V_NONE) { /* kept for generator_result */
        reg_put(vm, &g->result, *out);
        *out = v_none();
    }
    value_release(vm, holder);
    return rc;
}

gpa_code generator_send(gpa_vm *vm, generator *g, value sent, value *out, bool *done) {
    if (g->started || g->running || g->done || sent.tag == V_NONE)
        return resume(vm, g, sent, out, done);
    value_release(vm, sent);
    return vm_fail(vm, GPA_E_TYPE, "can't send non-None value to a just-started generator");
}

value generator_result(const iter_obj *it) {
    if (it->next != generator_next) return v_none();
    generator *g = generator_of(it);
    value v = g->result;
    g->result = v_none();
    return v;
}

/* ---- delegation (yield from) ---- */

/* The iterator delegated to: an object that is its own iterator, or an ITER. */
value generator_delegate_peek(const generator *g) {
    value it = g->regs[g->at->a];
    return record_is_own(it.iter) ? it.iter->source : it;
}

/* The generator this one delegates to; NULL: suspended at its own yield, or delegating to another
 * kind of iterator. */
static generator *inner_of(const generator *g) {
    if (g->at->op != I_YIELD_FROM || g->regs[g->at->a].iter->next != generator_next) return NULL;
    generator *inner = generator_of(g->regs[g->at->a].iter);
    return inner->started && !inner->done ? inner : NULL;
}

/* Calls a method of an iterator. On StopIteration *done, and *out is its value. */
static gpa_code call_method(gpa_vm *vm, value it, const char *name, const value *arg, value *out,
                            bool *done) {
    value method;
    *done = false;
    gpa_code rc = vm_attr(vm, it, name, &method);
    if (rc) return rc;
    rc = vm_call(vm, method, ARGS(arg != NULL, arg), out);
    value_release(vm, method);
    if (!gpa_err_is(rc, GPA_E_STOP_ITERATION)) return rc;
    value exc = raise_take(vm);
    if (exc.tag == V_UNSET) return vm->core.err.code;
    const tuple_obj *args = exc.exc->args.tuple;
    *out = args->count ? value_retain(args->items[0]) : v_none();
    *done = true;
    value_release(vm, exc);
    return GPA_OK;
}

/* True if the iterator has a method of this name. */
static bool has(gpa_vm *vm, value it, const char *name) {
    value method;
    gpa_code rc = vm_attr(vm, it, name, &method);
    if (rc)
        vm_clear_error(vm);
    else
        value_release(vm, method);
    return !rc;
}

gpa_code generator_delegate(gpa_vm *vm, value it, value sent, value *out, bool *done) {
    bool own = record_is_own(it.iter), next = sent.tag == V_NONE || sent.tag == V_UNSET;
    *done = false;
    *out = v_none();
    if (!own && next) return iter_next(vm, it, out, done);
    return call_method(vm, own ? it.iter->source : it, next ? "__next__" : "send",
                       next ? NULL : &sent, out, done);
}

/* ---- throw and close ---- */

/* Pops frames that were pushed and have not run. */
static void leave_again(gpa_vm *vm, uint32_t depth) {
    while (vm->depth > depth) vm->frames[--vm->depth].generator->running = false;
}

/* Throws an exception into a started generator; `deep`: into the generator it delegates to, if any.
 * *out and *done as for resuming. */
static gpa_code raise_in(gpa_vm *vm, generator *g, value exc, bool deep, value *out, bool *done) {
    uint32_t below = vm->depth;
    generator *last = g;
    bool answered = false;
    value given = v_none();
    *done = false;
    gpa_code rc = vm->reentry >= MAX_REENTRY ? refuse(vm, g) : generator_enter(vm, g, v_unset());
    if (rc) return rc;
    for (generator *inner; !rc && deep && (inner = inner_of(last)); last = inner)
        rc = generator_enter(vm, inner, v_unset());
    bool over_other = !rc && deep && last->at->op == I_YIELD_FROM &&
                      last->regs[last->at->a].iter->next != generator_next;
    if (over_other && has(vm, generator_delegate_peek(last), "throw")) {
        rc = call_method(vm, generator_delegate_peek(last), "throw", &exc, &given, &answered);
        if (!rc && !answered) { /* it yielded again: the delegating generators stay suspended */
            leave_again(vm, below);
            *out = given;
            return GPA_OK;
        }
    } else if (!rc) {
        raise_value(vm, exc, v_none(), false);
    }
    if (answered) {
        frame *f = &vm->frames[vm->depth - 1];
        reg_put(vm, &f->regs[f->ip->a], given);
        f->next = f->ip + 1;
    }
    rc = run_on(vm, below, !answered, out);
    *done = g->done;
    return rc;
}

/* Closes the generator or iterator that a generator delegates to. */
static gpa_code close_inner(gpa_vm *vm, generator *g) {
    generator *inner = inner_of(g);
    bool done;
    value v = v_none();
    if (inner) return generator_close(vm, inner);
    if (g->at->op != I_YIELD_FROM || g->regs[g->at->a].iter->next == generator_next ||
        !has(vm, generator_delegate_peek(g), "close"))
        return GPA_OK;
    gpa_code rc = call_method(vm, generator_delegate_peek(g), "close", NULL, &v, &done);
    value_release(vm, v);
    return rc;
}

/* Throws GeneratorExit into the generator, after closing its delegate; if closing fails, throws
 * that error instead. */
static gpa_code leave(gpa_vm *vm, generator *g, value exit, value *out, bool *done) {
    if (g->running) return vm_fail(vm, GPA_E_VALUE, "generator already executing");
    g->running = true;
    gpa_code rc = close_inner(vm, g);
    g->running = false;
    value exc = rc ? raise_take(vm) : value_retain(exit);
    if (exc.tag == V_UNSET) return vm->core.err.code;
    rc = raise_in(vm, g, exc, false, out, done);
    value_release(vm, exc);
    return rc;
}

gpa_code generator_throw(gpa_vm *vm, generator *g, value exc, value *out, bool *done) {
    *done = false;
    if (g->running) return refuse(vm, g);
    if (g->done || !g->started) {
        raise_value(vm, exc, v_none(), false);
        if (!g->done) generator_end(vm, g);
        vm->tracing = false; /* it had not started */
        return vm->core.err.code;
    }
    if (gpa_err_is(exc.exc->code, GPA_E_GENERATOR_EXIT)) return leave(vm, g, exc, out, done);
    return raise_in(vm, g, exc, true, out, done);
}

gpa_code generator_close(gpa_vm *vm, generator *g) {
    bool done = true;
    value v = v_none();
    if (g->done) return GPA_OK;
    if (!g->started && !g->running) {
        generator_end(vm, g);
        return GPA_OK;
    }
    value none = v_tuple(vm, 0, NULL),
          exit = none.tag == V_UNSET ? none : v_exception(vm, GPA_E_GENERATOR_EXIT, none);
    gpa_code rc = exit.tag == V_UNSET ? vm_no_memory(vm) : leave(vm, g, exit, &v, &done);
    value_release(vm, exit);
    value_release(vm, none);
    value_release(vm, v);
    if (!rc && !done) return vm_fail(vm, GPA_E_RUNTIME, "generator ignored GeneratorExit");
    if (!gpa_err_is(rc, GPA_E_GENERATOR_EXIT)) return rc;
    vm_clear_error(vm);
    return GPA_OK;
}

/* ---- abandoned generators ---- */

/* Prints an error that cannot be raised in the program. */
static void print_ignored(gpa_vm *vm, const generator *g) {
    gpa_str text;
    str_init(&text);
    str_printf(&text, "Exception ignored in: <generator object %s at 0x%012llx>\n%s%s%s\n",
               generator_title(vm, g), (unsigned long long)(uintptr_t)g,
               gpa_err_name(vm->core.err.code), vm->core.err.msg[0] ? ": " : "", vm->core.err.msg);
    gpa_sym function = vm->n_trace ? vm->trace[0].function : 0;
    source_render_location(vm->core.sources, &vm->core.err,
                           function ? intern_text(vm->core.names, function) : NULL, &text);
    if (!text.failed) vm_write(vm, true, text.text, text.len);
    str_free(&text);
    vm_clear_error(vm);
}

/* Ends abandoned generators. Objects released while one runs are destroyed inside it; generators it
 * held are ended next. */
void generator_end_abandoned(gpa_vm *vm) {
    if (vm->reentry + 10 > MAX_REENTRY || vm->depth + 50 > MAX_FRAMES) return;
    generator *left = NULL;
    raise_saved aside; /* an error may be propagating */
    raise_save(vm, &aside);
    while (vm->abandoned || left) {
        if (vm->abandoned) {
            vm->last_abandoned->waiting = left;
            left = vm->abandoned;
            vm->abandoned = NULL;
        }
        generator *g = left;
        left = g->waiting;
        if (generator_close(vm, g)) print_ignored(vm, g);
        drop(vm, g);
    }
    raise_restore(vm, &aside);
}

static const generator *oldest(const gpa_vm *vm) {
    const generator *g = vm->generators;
    while (g && g->next) g = g->next;
    return g;
}

/* The first unfinished generator among g and newer ones, with its holder retained; or NULL. */
static generator *hold_next(const generator *g) {
    while (g && (!g->holder || g->running || !has_more_to_do(g))) g = g->prev;
    return g ? value_retain(v_obj(V_OBJECT, g->holder)).object->data : NULL;
}

/* Generators created meanwhile are skipped: otherwise this might not terminate. */
void generator_end_all(gpa_vm *vm) {
    size_t most = 0;
    generator_end_abandoned(vm);
    for (const generator *g = vm->generators; g; g = g->next) most++;
    for (generator *g = hold_next(oldest(vm)), *newer = NULL; g; g = newer, newer = NULL) {
        if (most > 0) {
            most--;
            if (generator_close(vm, g)) print_ignored(vm, g);
            g->done = true; /* it may have ignored GeneratorExit */
            newer = hold_next(g->prev);
            if (!newer) newer = hold_next(oldest(vm)); /* resumed meanwhile */
        }
        value_release(vm, v_obj(V_OBJECT, g->holder));
        generator_end_abandoned(vm);
    }
}

void generator_break_cycles(gpa_vm *vm) {
    for (generator *g = vm->generators; g; g = g->next)
        if (g->holder) g->holder->head.refs++;
    for (generator *g = vm->generators; g; g = g->next) {
        g->done = true;
        release_registers(vm, g);
        for (uint32_t i = 0; i < g->n_cells; i++) reg_put(vm, &g->cells[i], v_unset());
    }
    vm->abandoned = NULL;
    for (generator *g = vm->generators, *next; g; g = next) {
        next = g->next;
        if (g->holder)
            value_release(vm, v_obj(V_OBJECT, g->holder));
        else
            drop(vm, g);
    }
}

const char *generator_title(gpa_vm *vm, const generator *g) {
    return g->fn ? func_title(vm, g->fn) : intern_text(vm->core.names, g->code->name);
}
