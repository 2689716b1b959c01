/* The debugger's side of the interpreter: BREAK instructions, stops, copies of frames. */
#include "lang/vm/debug.h"

#include "lang/vm/debug_hooks.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"

typedef struct {
    uint32_t src, line;
} breakpoint;

struct debugger {
    debug_mode mode;
    uint32_t depth, src, line; /* of the last stop */
    bool stopped;              /* the debugger is running: no stops in what it evaluates */
    bool pausing;              /* the mode is that of debug_pause */
    debug_errors on_errors;
    breakpoint *breakpoints;
    size_t n, cap;
    debug_frame *error; /* of the last uncaught error */
    size_t n_error;
};

static struct debugger *debugger_of(gpa_vm *vm) {
    if (!vm->debugger) vm->debugger = mem_zero(sizeof *vm->debugger);
    return vm->debugger;
}

/* ---- lines ---- */

static uint32_t line_of(const gpa_vm *vm, gpa_span at) {
    const source *s = source_get(vm->config.sources, at.src);
    return s ? source_at(s, at.lo).line : 0;
}

static gpa_span span_at(const code *c, uint32_t i) {
    return c->nodes[i] ? c->nodes[i]->span : (gpa_span){0, 0, 0};
}

/* ---- BREAK instructions ---- */

static void restore(code *c) {
    for (uint32_t i = 0; c->ops && i < c->n_ins; i += code_words[c->ops[i]])
        c->ins[i].op = c->ops[i];
    mem_free(c->ops);
    c->ops = NULL;
}

static bool has_breakpoint(const struct debugger *d, uint32_t src, uint32_t line) {
    for (size_t i = 0; i < d->n; i++)
        if (d->breakpoints[i].src == src && d->breakpoints[i].line == line) return true;
    return false;
}

/* Calls visit for each instruction at which a line begins, except instructions of generators that
 * others examine, and those that belong to the function or module as a whole. */
static void each_line(gpa_vm *vm, code *c, void (*visit)(void *user, ins *at, uint32_t line),
                      void *user) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < c->n_ins; i += code_words[code_op(c, &c->ins[i])]) {
        const unsigned op = code_op(c, &c->ins[i]);
        gpa_span at = span_at(c, i);
        bool own = c->nodes[i] == c->node || (!c->node && op == I_RETURN);
        uint32_t line = at.src && !own ? line_of(vm, at) : before;
        bool begins = line != before && op != I_YIELD_FROM;
        before = line;
        if (begins) visit(user, &c->ins[i], line);
    }
}

typedef struct {
    const struct debugger *d;
    uint32_t src;
} patching;

static void put_break(void *user, ins *at, uint32_t line) {
    const patching *p = user;
    if (p->d->mode != DEBUG_CONTINUE || has_breakpoint(p->d, p->src, line)) at->op = I_BREAK;
}

/* Replaces the instructions of a code at which lines begin: of all lines, or of those with
 * breakpoints. */
static void patch(gpa_vm *vm, code *c) {
    const struct debugger *d = vm->debugger;
    restore(c);
    if (!c->compiled || (d->mode == DEBUG_CONTINUE && !d->n)) return;
    uint16_t *ops = mem_new(c->n_ins * sizeof *ops);
    if (!ops) return;
    for (uint32_t i = 0; i < c->n_ins; i++) ops[i] = c->ins[i].op;
    c->ops = ops;
    each_line(vm, c, put_break, &(patching){d, c->ast->src});
}

static void patch_nested(gpa_vm *vm, code *c) {
    patch(vm, c);
    for (uint32_t i = 0; i < c->n_inner; i++) patch_nested(vm, c->inner[i]);
}

/* Everything that may run: functions, and the bodies of modules that run. */
static void patch_all(gpa_vm *vm) {
    for (func_obj *f = vm->functions; f; f = f->next)
        if (!f->module->hidden) patch_nested(vm, f->code);
    for (uint32_t i = 0; i < vm->depth; i++)
        if (!vm->frames[i].module->hidden) patch_nested(vm, vm->frames[i].code);
}

void debug_compiled(gpa_vm *vm, code *c, const module_obj *m) {
    if (!vm->debugger || m->hidden) return;
    if (!c->node && vm->config.debug_source && !vm->debugger->stopped)
        vm->config.debug_source(vm->config.user, c->ast->src);
    patch(vm, c);
}

/* ---- lines of a program ---- */

/* True if a decorator compiles the whole function for a device: @vectorize, @guvectorize, @stencil,
 * @cuda.jit, with or without arguments. */
static bool is_device_decorator(gpa_vm *vm, const ast_node *n) {
    static const char *const names[] = {"vectorize", "guvectorize", "stencil"};
    if (n->kind == AST_CALL) n = n->call.func;
    const ast_node *base = n->kind == AST_ATTR ? n->attr.object : NULL;
    if (n->kind != AST_NAME && !base) return false;
    const char *name = sym_text(vm, base ? n->attr.name : n->name.name);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return base && base->kind == AST_NAME && strcmp(name, "jit") == 0 &&
           strcmp(sym_text(vm, base->name.name), "cuda") == 0;
}

typedef struct {
    gpa_vm *vm;
    const ast_node *function;
    bool found;
} decorator_search;

static void find_decorator(void *user, ast_node *n) {
    decorator_search *x = user;
    if (x->found) return;
    for (uint32_t i = 0; n->kind == AST_DEF && i < n->def.decorators.n; i++)
        x->found = x->found || (n->def.function == x->function &&
                                is_device_decorator(x->vm, n->def.decorators.at[i]));
    ast_each_child(n, find_decorator, x);
}

static bool is_kernel(gpa_vm *vm, const code *c) {
    decorator_search x = {vm, c->node, false};
    for (uint32_t i = 0; c->node && i < c->ast->body.n; i++) find_decorator(&x, c->ast->body.at[i]);
    return x.found;
}

typedef struct {
    void (*each)(void *user, uint32_t line, bool stops);
    void *user;
    bool stops;
} listing;

static void list_line(void *user, ins *at, uint32_t line) {
    const listing *l = user;
    (void)at;
    l->each(l->user, line, l->stops);
}

static gpa_code list_lines(gpa_vm *vm, code *c, module_obj *scratch, listing l) {
    gpa_code rc = compile_code(vm, c, scratch, false);
    l.stops = l.stops && !is_kernel(vm, c);
    if (!rc) each_line(vm, c, list_line, &l);
    for (uint32_t i = 0; i < c->n_inner && !rc; i++) rc = list_lines(vm, c->inner[i], scratch, l);
    return rc;
}

gpa_code debug_lines(gpa_vm *vm, ast_module *ast, module_obj *scratch,
                     void (*each)(void *user, uint32_t line, bool stops), void *user) {
    code *c = code_new(ast, NULL, ast->scope, 0);
    gpa_code rc = c ? list_lines(vm, c, scratch, (listing){each, user, true}) : vm_no_memory(vm);
    code_release(vm, c);
    return rc;
}

/* ---- frames ---- */

typedef struct {
    gpa_vm *vm;
    dict_obj *to;
    bool of_error;
} copying;

static void copy_local(void *user, gpa_sym name, value v) {
    const copying *c = user;
    if (c->of_error && v.tag == V_ITER) return; /* kept alive, a generator would not be ended */
    value key = v_cstr(c->vm, sym_text(c->vm, name));
    if (key.tag == V_UNSET) return;
    if (dict_set(c->vm, c->to, key, v)) vm_clear_error(c->vm);
    value_release(c->vm, key);
}

/* The running frames of the program: copies, owned by the caller. */
static size_t copy_frames(gpa_vm *vm, bool of_error, debug_frame **out) {
    size_t n = 0;
    debug_frame *all = *out = mem_new((vm->depth + 1) * sizeof *all);
    for (uint32_t i = 0; all && i < vm->depth; i++) {
        const frame *f = &vm->frames[i];
        const ast_node *node = raise_node(f);
        if (f->module->hidden || !node || !node->span.src) continue;
        debug_frame *to = &all[n++];
        module_keep(f->module);
        *to = (debug_frame){f->code->name ? sym_text(vm, f->code->name) : "<module>", node->span,
                            f->module, v_none(), of_error ? -1 : (int32_t)i};
        if (!f->fn) continue;
        to->locals = v_dict(vm);
        if (to->locals.tag == V_UNSET)
            to->locals = v_none();
        else
            vm_frame_locals(vm, i, copy_local, &(copying){vm, to->locals.dict, of_error});
    }
    return n;
}

static void free_frames(gpa_vm *vm, debug_frame *frames, size_t n) {
    for (size_t i = 0; i < n; i++) value_release(vm, frames[i].locals);
    mem_free(frames);
}

bool debug_assign(gpa_vm *vm, int32_t index, gpa_sym name, value v) {
    frame *f = &vm->frames[index];
    const ast_scope *s = f->code->scope;
    for (uint32_t i = 0; f->fn && i < s->n_vars; i++) {
        if (s->vars[i].name != name) continue;
        value *to = f->regs[i].tag == V_CELL ? &f->regs[i].cell->v : &f->regs[i], old = *to;
        *to = value_retain(v);
        value_release(vm, old);
        return true;
    }
    return false;
}

/* ---- stops ---- */

void debug_resume(gpa_vm *vm, debug_mode mode) {
    struct debugger *d = debugger_of(vm);
    if (!d) return;
    d->mode = mode;
    d->pausing = false;
    d->depth = vm->depth;
    while (d->depth && vm->frames[d->depth - 1].module->hidden) d->depth--;
    gpa_span at = d->depth ? raise_span(raise_node(&vm->frames[d->depth - 1])) : (gpa_span){0};
    d->src = at.src;
    d->line = line_of(vm, at);
    patch_all(vm);
}

void debug_pause(gpa_vm *vm) {
    struct debugger *d = debugger_of(vm);
    if (!d) return;
    d->mode = DEBUG_STEP;
    d->pausing = true;
    d->depth = d->src = d->line = 0;
    patch_all(vm);
}

bool debug_breakpoint(gpa_vm *vm, uint32_t src, uint32_t line, bool set) {
    struct debugger *d = debugger_of(vm);
    if (!d || has_breakpoint(d, src, line) == set) return false;
    if (set && !mem_grow(&d->breakpoints, d->n, &d->cap, sizeof *d->breakpoints)) return false;
    if (set) d->breakpoints[d->n++] = (breakpoint){src, line};
    for (size_t i = 0; !set && i < d->n; i++)
        if (d->breakpoints[i].src == src && d->breakpoints[i].line == line)
            d->breakpoints[i] = d->breakpoints[--d->n];
    patch_all(vm);
    return true;
}

void debug_begin(gpa_vm *vm) { debugger_of(vm); }

void debug_end(gpa_vm *vm) {
    if (!vm->debugger) return;
    vm->debugger->n = 0;
    patch_all(vm);
}

bool debug_interprets(const gpa_vm *vm, const ast_node *loop) {
    const struct debugger *d = vm->debugger;
    const source *s =
        d && !d->stopped && loop ? source_get(vm->config.sources, loop->span.src) : NULL;
    if (!s) return false;
    if (d->mode != DEBUG_CONTINUE) return true;
    const uint32_t first = source_at(s, loop->span.lo).line,
                   last = source_at(s, loop->span.hi).line;
    for (size_t i = 0; i < d->n; i++)
        if (d->breakpoints[i].src == s->id && d->breakpoints[i].line >= first &&
            d->breakpoints[i].line <= last)
            return true;
    return false;
}

/* True if a step ends before a line of the topmost frame. */
static bool step_ends(const gpa_vm *vm, const struct debugger *d, gpa_span at, uint32_t line) {
    bool same = vm->depth == d->depth && at.src == d->src && line == d->line;
    switch (d->mode) {
        case DEBUG_CONTINUE: return false;
        case DEBUG_NEXT: return vm->depth <= d->depth && !same;
        case DEBUG_STEP: return !same;
        case DEBUG_RETURN: return vm->depth < d->depth;
    }
    return false;
}

/* Runs the debugger; it calls debug_resume, or fails to end the evaluation. */
static gpa_code run_debugger(gpa_vm *vm, debug_reason why, const gpa_err *error) {
    struct debugger *d = vm->debugger;
    debug_stop stop = {.why = why, .error = error};
    if (!vm->config.debug) return GPA_OK;
    stop.n = copy_frames(vm, false, &stop.frames);
    d->stopped = true;
    gpa_code rc = stop.n ? vm->config.debug(vm->config.user, &stop) : GPA_OK;
    d->stopped = false;
    free_frames(vm, stop.frames, stop.n);
    return rc;
}

gpa_code debug_break(gpa_vm *vm, const frame *f) {
    const struct debugger *d = vm->debugger;
    gpa_span at = span_at(f->code, (uint32_t)(f->ip - f->code->ins));
    if (!d || d->stopped) return GPA_OK;
    const uint32_t line = line_of(vm, at);
    if (step_ends(vm, d, at, line))
        return run_debugger(vm, d->pausing ? DEBUG_AT_PAUSE : DEBUG_AT_STEP, NULL);
    return has_breakpoint(d, at.src, line) ? run_debugger(vm, DEBUG_AT_BREAKPOINT, NULL) : GPA_OK;
}

gpa_code debug_enter(gpa_vm *vm) {
    const struct debugger *d = debugger_of(vm);
    if (!d) return vm_no_memory(vm);
    return d->stopped ? GPA_OK : run_debugger(vm, DEBUG_AT_CALL, NULL);
}

/* ---- errors ---- */

void debug_stop_on_errors(gpa_vm *vm, debug_errors which) {
    struct debugger *d = debugger_of(vm);
    if (d) d->on_errors = which;
}

debug_errors debug_stops_on_errors(const gpa_vm *vm) {
    return vm->debugger ? vm->debugger->on_errors : DEBUG_NO_ERRORS;
}

static void forget_error(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d) return;
    debug_frame *frames = d->error;
    size_t n = d->n_error;
    d->error = NULL;
    d->n_error = 0;
    free_frames(vm, frames, n);
}

const debug_frame *debug_error_frames(const gpa_vm *vm, size_t *n) {
    *n = vm->debugger ? vm->debugger->n_error : 0;
    return *n ? vm->debugger->error : NULL;
}

bool debug_enter_error(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d || !d->n_error || d->stopped) return false;
    d->stopped = true;
    const debug_stop stop = {.why = DEBUG_AFTER_ERROR, .frames = d->error, .n = d->n_error};
    if (vm->config.debug(vm->config.user, &stop)) vm_clear_error(vm);
    d->stopped = false;
    return true;
}

/* The owner of the innermost active exception handler. */
typedef enum { UNHANDLED, LIBRARY, PROGRAM } handled_by;

static handled_by handler(const gpa_vm *vm) {
    for (uint32_t i = vm->depth; i-- > 0;)
        if (code_guard_at(vm->frames[i].code, vm->frames[i].ip))
            return vm->frames[i].module->hidden ? LIBRARY : PROGRAM;
    return UNHANDLED;
}

/* Stops where an error is raised. The error is kept. */
static void stop_at_error(gpa_vm *vm) {
    raise_saved error;
    raise_save(vm, &error);
    if (run_debugger(vm, DEBUG_AT_ERROR, &error.err)) vm_clear_error(vm);
    raise_restore(vm, &error);
}

/* Keeps the frames of an error that nothing catches, for %debug. */
static void keep_frames(gpa_vm *vm, struct debugger *d) {
    raise_saved error; /* the copies may run out of memory */
    raise_save(vm, &error);
    d->n_error = copy_frames(vm, true, &d->error);
    vm_clear_error(vm);
    raise_restore(vm, &error);
}

void debug_error(gpa_vm *vm) {
    const gpa_code what = vm->core.err.code;
    if (!vm->config.debug || what == GPA_E_EXIT || what == GPA_E_INTERRUPT ||
        what == GPA_E_STOP_ITERATION)
        return;
    const handled_by by = handler(vm);
    const debug_errors stops = debug_stops_on_errors(vm);
    if (by == LIBRARY || (by == PROGRAM && stops != DEBUG_RAISED)) return;
    struct debugger *d = debugger_of(vm);
    if (!d || d->stopped) return;
    if (by == UNHANDLED) forget_error(vm);
    if (what == GPA_E_MEMORY) return; /* the frames would keep what fills the memory */
    if (by == UNHANDLED) keep_frames(vm, d);
    if (stops) stop_at_error(vm);
}

void debug_ended(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d || d->mode == DEBUG_CONTINUE) return;
    d->mode = DEBUG_CONTINUE;
    patch_all(vm);
}

void debug_free(gpa_vm *vm) {
    forget_error(vm);
    if (vm->debugger) mem_free(vm->debugger->breakpoints);
    mem_free(vm->debugger);
    vm->debugger = NULL;
}
