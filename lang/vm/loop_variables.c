/* Variables of a walk over a loop's body: registers, globals, captured variables, attributes.
 *
 * Reading order: slots, arrays and registers, variables outside of registers, the end. */
#include <string.h>

#include "lang/vm/instance.h"
#include "lang/vm/loop_liveness.h"
#include "lang/vm/loop_walk.h"
#include "lang/vm/step.h"

/* ---- slots ---- */

bool walk_refuse(walk *w, rt_loop_reason why) {
    if (!w->why && w->at) w->t->refused_at = w->at->span;
    if (!w->why) w->why = why;
    return false;
}

int16_t walk_new_slot(walk *w) {
    if (w->t->n_slots == LOOP_MAX_SLOTS) {
        walk_refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    return (int16_t)w->t->n_slots++;
}

int16_t walk_constant(walk *w, int64_t bits) {
    int16_t s = walk_new_slot(w);
    w->t->is_constant[s] = true;
    w->t->slots[s].i = bits;
    return s;
}

int16_t walk_emit(walk *w, loop_code op, int how, int16_t a, int16_t b) {
    loop_trace *t = w->t;
    if (t->n_ops == LOOP_MAX_OPS) {
        walk_refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    int16_t to = op == LOOP_GUARD || op == LOOP_WITHIN ? 0 : walk_new_slot(w);
    t->ops[t->n_ops++] = (loop_op){(uint8_t)op, (uint8_t)how, to, a, b};
    return to;
}

/* ---- arrays and registers ---- */

/* Adds an array of the program; one that a container holds has no variable. */
void walk_array_is_late(walk *w, const value *at) {
    for (size_t i = 0; i < w->t->n_arrays; i++)
        if (w->t->arrays[i].at == at) w->t->arrays[i].late = true;
}

void walk_add_array(walk *w, value *at, value held, bool assigned, bool read) {
    loop_trace *t = w->t;
    for (size_t i = 0; i < t->n_arrays; i++)
        if (at ? t->arrays[i].at == at : !t->arrays[i].at && t->arrays[i].held.o == held.o) return;
    if (t->n_arrays == RT_LOOP_MAX_ARRAYS) {
        walk_refuse(w, RT_LOOP_SIZE);
        return;
    }
    t->arrays[t->n_arrays].at = at;
    t->arrays[t->n_arrays].held = held;
    t->arrays[t->n_arrays].read = read;
    t->arrays[t->n_arrays++].assigned = assigned;
}

/* The value of a variable at the start of the iteration. */
static void read_first(walk *w, variable *x) {
    value v = *x->at;
    x->read = true;
    if (v.tag == V_ARRAY) {
        walk_add_array(w, x->at, v, x->assigned, true);
        x->now = array_of(v);
    } else if (!x->assigned) {
        x->now = fixed(v);
        if (v.tag == V_UNSET) walk_refuse(w, RT_LOOP_INSTRUCTION);
    } else if (is_real_scalar(v)) {
        x->in = walk_new_slot(w);
        x->now = (abstract){.kind = SCALAR,
                            .slot = x->in,
                            .v = v,
                            .root = v.tag == V_INT ? x->in : -1,
                            .factor = 1};
    } else {
        walk_refuse(w, RT_LOOP_SCALAR);
    }
}

abstract *walk_reg(walk *w, unsigned i) {
    variable *x = &w->f->regs[i];
    if (x->now.kind == EMPTY) read_first(w, x);
    if (x->now.kind == UNBOUND) walk_refuse(w, RT_LOOP_INSTRUCTION);
    return &x->now;
}

/* ---- variables outside of registers ---- */

/* Notes that the trace refers to the globals of a module, which move when one is added. */
static void watch_module(walk *w, const module_obj *m) {
    loop_trace *t = w->t;
    for (size_t i = 0; i < t->n_modules; i++)
        if (t->modules[i].module == m) return;
    if (t->n_modules == LOOP_MAX_MODULES) {
        walk_refuse(w, RT_LOOP_SIZE);
        return;
    }
    t->modules[t->n_modules].module = m;
    t->modules[t->n_modules++].slots = m->slots;
}

static bool is_assigned(const walk *w, const value *at) {
    for (size_t i = 0; i < w->stores->n; i++)
        if (w->stores->at[i] == at) return true;
    return false;
}

/* The variable outside of registers at an address. */
static variable *outside(walk *w, value *at) {
    for (size_t i = 0; i < w->n_outside; i++)
        if (w->outside[i].at == at) return &w->outside[i];
    if (w->n_outside == MAX_OUTSIDE) {
        walk_refuse(w, RT_LOOP_SIZE);
        return &w->outside[0];
    }
    variable *x = &w->outside[w->n_outside++];
    *x = (variable){.at = at, .now = empty, .assigned = is_assigned(w, at), .in = -1};
    return x;
}

variable *walk_global(walk *w, int32_t slot) {
    watch_module(w, w->f->module);
    return outside(w, &w->f->module->slots[slot]);
}

variable *walk_celled(walk *w, unsigned slot) {
    const value *at = w->f->regs[slot].at;
    if (!at || at->tag != V_CELL) {
        walk_refuse(w, RT_LOOP_INSTRUCTION);
        return NULL;
    }
    return outside(w, &at->cell->v);
}

variable *walk_free(walk *w, unsigned i) { return outside(w, &w->f->free[i].cell->v); }

/* Notes that the trace refers to the attributes of an instance, which move when one is added. */
static bool watch_object(walk *w, dict_obj *fields) {
    loop_trace *t = w->t;
    for (size_t i = 0; i < t->n_objects; i++)
        if (t->objects[i].fields == fields) return true;
    if (t->n_objects == LOOP_MAX_OBJECTS) return walk_refuse(w, RT_LOOP_SIZE);
    t->objects[t->n_objects].fields = fields;
    t->objects[t->n_objects++].entries = fields->entries;
    return true;
}

variable *walk_attribute(walk *w, value v, gpa_sym name) {
    dict_entry *own = instance_entry_peek(w->vm, v, name);
    return own && watch_object(w, instance_fields_peek(v)) ? outside(w, &own->v) : NULL;
}

abstract walk_read(walk *w, variable *x) {
    if (x && x->now.kind == EMPTY) read_first(w, x);
    return x ? x->now : empty;
}

abstract walk_read_global(walk *w, int32_t slot) {
    variable *x = walk_global(w, slot);
    const value builtin = w->f->module->builtins[slot];
    if (x->now.kind != EMPTY) return x->now;
    if (x->at->tag == V_UNSET && !x->assigned && builtin.tag != V_UNSET) return fixed(builtin);
    return walk_read(w, x);
}

/* All that an instruction between the body's first and its last one writes. */
void walk_find_assigned(walk *w) {
    const code *c = w->f->code;
    const ins *last = w->t->last = loop_last(c, w->head);
    for (const ins *i = w->head; i <= last; i += code_words[i->op]) {
        const char *layout = code_layout(i->op);
        unsigned n = i->op == I_UNPACK ? i->c : i->op == I_GET_METHOD ? 2 : 1;
        if (i->op == I_SET_GLOBAL) walk_global(w, i->d)->assigned = true;
        if (i->op == I_SET_FREE) walk_free(w, i->a)->assigned = true;
        if (i->op == I_SET_CELL) {
            variable *x = walk_celled(w, i->a);
            if (x) x->assigned = true;
        }
        if (i->op == I_NEXT) w->regs[i->b].assigned = true;
        if (layout[0] == 'r' || i->op == I_CALL || i->op == I_CALL_METHOD || i->op == I_CALL_NAMED)
            for (unsigned k = 0; k < n && i->a + k < c->n_regs; k++)
                w->regs[i->a + k].assigned = true;
        if (layout[0] != 'r' && layout[1] == 'r' && i->op != I_NEXT)
            walk_refuse(w, RT_LOOP_INSTRUCTION);
    }
}

/* One that was not known to be assigned may have been taken for fixed: the walk will be repeated.
 */
bool walk_assign(walk *w, variable *x, abstract a) {
    if (w->why || !x) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    if (!x->assigned && w->stores->n == MAX_OUTSIDE) return walk_refuse(w, RT_LOOP_SIZE);
    if (!x->assigned) {
        w->stores->at[w->stores->n++] = x->at;
        w->stores->grown = x->assigned = true;
    }
    x->now = a;
    return true;
}

/* ---- the end ---- */

/* True if a variable that is `a` was not assigned yet. */
static bool is_first(const variable *x, const abstract *a) {
    return a->kind == EMPTY || (a->kind == SCALAR && a->slot == x->in) ||
           (a->kind == ARRAY && a->v.tag == V_ARRAY && a->v.o == x->at->o);
}

static bool is_same(const abstract *a, const abstract *b) {
    return a->kind == b->kind && a->slot == b->slot && a->part == b->part &&
           a->n_part == b->n_part && a->factor == b->factor && value_is(a->v, b->v);
}

/* *late: a variable is assigned after the test that may end the loop. False: before and after it.
 */
static bool find_late(walk *w, const variable *x, bool *late) {
    const abstract *then = &empty;
    *late = false;
    if (!w->t->exit) return true;
    if (x >= w->regs && x < w->regs + w->f->code->n_regs)
        then = &w->regs_at_exit[x - w->regs];
    else if ((size_t)(x - w->outside) < w->n_outside_at_exit)
        then = &w->outside_at_exit[x - w->outside];
    *late = !is_first(x, &x->now) && !is_same(then, &x->now);
    if (is_first(x, then) || is_same(then, &x->now)) return true;
    return walk_refuse(w, RT_LOOP_READ);
}

bool walk_end_variable(walk *w, variable *x) {
    loop_trace *t = w->t;
    abstract *a = &x->now;
    bool late;
    if (!x->assigned || a->kind == EMPTY) return true;
    if (!find_late(w, x, &late)) return false;
    if (a->kind == UNBOUND) return x->at->tag == V_UNSET || walk_refuse(w, RT_LOOP_INSTRUCTION);
    if (a->kind == ARRAY) {
        if (x->at->tag != V_ARRAY) return walk_refuse(w, RT_LOOP_STRUCTURE);
        walk_add_array(w, x->at, *x->at, true, false);
        if (late) walk_array_is_late(w, x->at);
        return !w->why;
    }
    if (a->kind == FIXED && !is_real_scalar(a->v) && is_counted(a->v))
        return walk_refuse(w, RT_LOOP_SCALAR);
    if (a->kind == TUPLE_OF || a->kind == SLICE_OF || a->kind == METHOD_OF)
        return walk_changes(w, a) || walk_has_array(w, a) || a->kind == METHOD_OF
                   ? walk_refuse(w, RT_LOOP_INSTRUCTION)
                   : true;
    int16_t out = walk_slot_of(w, a);
    if (out < 0) return x->in < 0 ? true : walk_refuse(w, RT_LOOP_SCALAR);
    if (x->at->tag != a->v.tag) return walk_refuse(w, RT_LOOP_SCALAR);
    if (t->n_carried == LOOP_MAX_SCALARS_OUT) return walk_refuse(w, RT_LOOP_SIZE);
    t->carried[t->n_carried++] = (loop_carried){.at = x->at,
                                                .in = x->in < 0 ? walk_new_slot(w) : x->in,
                                                .out = out,
                                                .tag = (uint8_t)a->v.tag,
                                                .late = late};
    return !w->why;
}
