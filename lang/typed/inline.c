/* Inlining: calls of gpa functions are expanded at the call site. */
#include "runtime/base/arena.h"
#include "lang/compile/code.h"
#include "lang/typed/lower.h"

gpa_code typed_begin_frame(lowering *lw, const ast_node *at, inline_frame *fr) {
    const ast_scope *s = fr->node->function.scope;
    for (const inline_frame *o = lw->frame; o; o = o->outer)
        if (o->node == fr->node)
            return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                              "%s calls itself: a compiled function cannot be recursive",
                              func_name(lw->vm, fr->fn));
    if (fr->depth > TYPED_MAX_DEPTH)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                          "compiled functions call each other too deeply");
    fr->slots = (uint32_t)lw->n_slots;
    for (uint32_t i = 0; i < s->n_vars; i++)
        if (typed_slot(lw) < 0) return vm_no_memory(lw->vm);
    fr->shape = (uint32_t)lw->n_shapes;
    if (lw->n_shapes == lw->total_shapes) {
        if (!mem_grow(&lw->shapes, lw->n_shapes, &lw->cap_shapes, sizeof *lw->shapes))
            return vm_no_memory(lw->vm);
        lw->shapes[lw->total_shapes++] = (return_shape){0};
    }
    lw->n_shapes++;
    lw->shapes[fr->shape].first = (uint32_t)lw->n_slots;
    for (int i = 0; i < TYPED_MAX_TUPLE; i++)
        if (typed_slot(lw) < 0) return vm_no_memory(lw->vm);
    return GPA_OK;
}

static gpa_code bind_arguments(lowering *lw, const ast_node *at, const inline_frame *fr,
                               const tv *args) {
    gpa_code rc = GPA_OK;
    const ast_scope *s = fr->node->function.scope;
    for (uint32_t i = 0; i < s->n_positional + s->n_keyword_only + s->has_args && !rc; i++) {
        slot *to = &lw->slots[fr->slots + i];
        to->direct = args[i];
        to->region = lw->n_open ? lw->open_regions[lw->n_open - 1] : 0;
        to->bound = true;
        if (to->stored || to->items) rc = typed_assign(lw, at, (int32_t)(fr->slots + i), args[i]);
    }
    return rc;
}

static gpa_code results(lowering *lw, const ast_node *at, const inline_frame *fr, tv *out) {
    const return_shape *s = &lw->shapes[fr->shape];
    if (!fr->returns_value) {
        *out = (tv){.kind = TV_NONE};
        return GPA_OK;
    }
    if (!fr->has_direct && s->n == 0)
        return typed_fail(lw, at, GPA_E_TYPE, "%s() never returns", func_name(lw->vm, fr->fn));
    if (fr->has_direct)
        *out = fr->direct;
    else if (!s->tuple)
        *out = typed_read(lw, (int32_t)s->first);
    else {
        if (typed_tuple(lw, s->n, out)) return GPA_E_MEMORY;
        for (uint32_t i = 0; i < s->n; i++) out->items[i] = typed_read(lw, (int32_t)(s->first + i));
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

bool typed_returns_value(const ast_node *n) {
    bool found = false;
    look_for_value(&found, (ast_node *)(uintptr_t)n);
    return found;
}

static bool body_returns_value(const ast_list *body) {
    bool found = false;
    for (uint32_t i = 0; i < body->n; i++) found = found || typed_returns_value(body->at[i]);
    return found;
}

/* Adds the call site to the traceback of an error in an inlined function. */
static gpa_code add_call_site(lowering *lw, const ast_node *at, const inline_frame *fr,
                              gpa_code rc) {
    if (!rc || !fr->outer || lw->to->form == TYPED_LOOP) return rc;
    vm_trace_inner(lw->vm, fr->fn->name,
                   lw->error_site.src ? lw->error_site : vm_err(lw->vm)->span);
    lw->error_site = at->span;
    return rc;
}

gpa_code typed_inline(lowering *lw, const ast_node *at, func_obj *fn, const tv *args, tv *out) {
    inline_frame fr = {.outer = lw->frame,
                       .fn = fn,
                       .node = func_node(fn),
                       .returned_flag = -1,
                       .depth = lw->frame ? lw->frame->depth + 1 : 0};
    const ast_scope *s = fr.node->function.scope;
    bool left;
    gpa_code rc = code_parse(lw->vm, fn->code);
    if (rc) return rc;
    fr.returns_value = body_returns_value(&fr.node->function.body);
    if (s->has_kwargs)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED, "a compiled function has no ** parameter");
    rc = typed_begin_frame(lw, at, &fr);
    if (!rc) rc = bind_arguments(lw, at, &fr, args);
    if (rc) return rc;
    bool block = lw->shapes[fr.shape].block;
    lw->frame = &fr;
    fr.nest = lw->nest;
    for (uint32_t i = 0; block && i < s->n_vars; i++) lw->slots[fr.slots + i].nest++;
    fr.regions = lw->regions;
    if (block) typed_open(lw, KIR_BLOCK, DT_NONE, -1, -1, -1);
    rc = typed_body(lw, fr.node->function.body, &left);
    if (block) typed_close(lw, KIR_BLOCK);
    lw->frame = fr.outer;
    if (!rc && !left && fr.returns_value)
        rc = typed_fail(lw, fr.node, GPA_E_TYPE,
                        "%s() returns no number: a compiled function of numbers must return one",
                        func_name(lw->vm, fn));
    return rc ? add_call_site(lw, at, &fr, rc) : results(lw, at, &fr, out);
}
