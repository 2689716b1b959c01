/* Inlining: calls of gpa functions are expanded at the call site. */
#include "runtime/base/arena.h"
#include "lang/typed/lower.h"

gpa_code typed_enter(walk *w, const ast_node *at, tframe *fr) {
    const ast_scope *s = fr->node->function.scope;
    for (const tframe *o = w->frame; o; o = o->outer)
        if (o->node == fr->node)
            return typed_fail(w, at, GPA_E_UNSUPPORTED,
                              "%s calls itself: a compiled function cannot be recursive",
                              func_name(w->vm, fr->fn));
    if (fr->depth > TYPED_MAX_DEPTH)
        return typed_fail(w, at, GPA_E_UNSUPPORTED,
                          "compiled functions call each other too deeply");
    fr->slots = (uint32_t)w->n_slots;
    for (uint32_t i = 0; i < s->n_vars; i++)
        if (typed_slot(w) < 0) return vm_no_memory(w->vm);
    fr->shape = (uint32_t)w->n_shapes;
    if (w->n_shapes == w->known_shapes) {
        if (!mem_room(&w->shapes, w->n_shapes, &w->cap_shapes, sizeof *w->shapes))
            return vm_no_memory(w->vm);
        w->shapes[w->known_shapes++] = (shape_of_return){0};
    }
    w->n_shapes++;
    w->shapes[fr->shape].first = (uint32_t)w->n_slots;
    for (int i = 0; i < TYPED_MAX_TUPLE; i++)
        if (typed_slot(w) < 0) return vm_no_memory(w->vm);
    return GPA_OK;
}

static gpa_code bind(walk *w, const ast_node *at, const tframe *fr, const tv *args) {
    gpa_code rc = GPA_OK;
    const ast_scope *s = fr->node->function.scope;
    for (uint32_t i = 0; i < s->n_positional + s->n_keyword_only + s->has_args && !rc; i++) {
        slot *to = &w->slots[fr->slots + i];
        to->direct = args[i];
        to->region = w->n_open ? w->open[w->n_open - 1] : 0;
        to->bound = true;
        if (to->stored || to->parts) rc = typed_assign(w, at, (int32_t)(fr->slots + i), args[i]);
    }
    return rc;
}

static gpa_code results(walk *w, const ast_node *at, const tframe *fr, tv *out) {
    const shape_of_return *s = &w->shapes[fr->shape];
    if (!fr->gives) {
        *out = (tv){.kind = TV_NONE};
        return GPA_OK;
    }
    if (!fr->has_direct && s->n == 0)
        return typed_fail(w, at, GPA_E_TYPE, "%s() never returns", func_name(w->vm, fr->fn));
    if (fr->has_direct)
        *out = fr->direct;
    else if (!s->tuple)
        *out = typed_read(w, (int32_t)s->first);
    else {
        if (typed_tuple(w, s->n, out)) return GPA_E_MEMORY;
        for (uint32_t i = 0; i < s->n; i++) out->items[i] = typed_read(w, (int32_t)(s->first + i));
    }
    return GPA_OK;
}

/* Searches for a return with a value. */
static void look_for_value(void *user, ast_node *n) {
    bool *found = user;
    *found =
        *found || (n->kind == AST_RETURN && n->return_.value && n->return_.value->kind != AST_NONE);
    if (!*found && n->kind != AST_FUNCTION) ast_each_child(n, look_for_value, found);
}

bool typed_gives(const ast_node *n) {
    bool found = false;
    look_for_value(&found, (ast_node *)(uintptr_t)n);
    return found;
}

static bool gives(const ast_list *body) {
    bool found = false;
    for (uint32_t i = 0; i < body->n; i++) found = found || typed_gives(body->at[i]);
    return found;
}

/* Adds the call site to the traceback of an error in an inlined function. */
static gpa_code blame(walk *w, const ast_node *at, const tframe *fr, gpa_code rc) {
    if (!rc || !fr->outer || w->to->form == TYPED_LOOP) return rc;
    vm_trace_inner(w->vm, fr->fn->name, w->blamed.src ? w->blamed : vm_err(w->vm)->span);
    w->blamed = at->span;
    return rc;
}

gpa_code typed_inline(walk *w, const ast_node *at, func_obj *fn, const tv *args, tv *out) {
    tframe fr = {.outer = w->frame,
                 .fn = fn,
                 .node = func_node(fn),
                 .returned_flag = -1,
                 .depth = w->frame ? w->frame->depth + 1 : 0};
    const ast_scope *s = fr.node->function.scope;
    bool left;
    fr.gives = gives(&fr.node->function.body);
    if (s->has_kwargs)
        return typed_fail(w, at, GPA_E_UNSUPPORTED, "a compiled function has no ** parameter");
    gpa_code rc = typed_enter(w, at, &fr);
    if (!rc) rc = bind(w, at, &fr, args);
    if (rc) return rc;
    bool block = w->shapes[fr.shape].block;
    w->frame = &fr;
    fr.nest = w->nest;
    for (uint32_t i = 0; block && i < s->n_vars; i++) w->slots[fr.slots + i].nest++;
    fr.regions = w->regions;
    if (block) typed_open(w, KIR_BLOCK, DT_NONE, -1, -1, -1);
    rc = typed_body(w, fr.node->function.body, &left);
    if (block) typed_close(w, KIR_BLOCK);
    w->frame = fr.outer;
    if (!rc && !left && fr.gives)
        rc = typed_fail(w, fr.node, GPA_E_TYPE,
                        "%s() returns no number: a compiled function of numbers must return one",
                        func_name(w->vm, fn));
    return rc ? blame(w, at, &fr, rc) : results(w, at, &fr, out);
}
