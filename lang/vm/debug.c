/* The debugger's side of the interpreter: BREAK instructions, stops, copies of frames. */
#include "lang/vm/debug.h"

#include "lang/vm/debug_hooks.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"

enum { MAX_BREAKPOINTS = 64 };

typedef struct {
    uint32_t src, line;
} breakpoint;

struct debugger {
    debug_mode mode;
    uint32_t depth, src, line; /* of the last stop */
    bool stopped;              /* the debugger is running: no stops in what it evaluates */
    bool on_errors;
    breakpoint breakpoints[MAX_BREAKPOINTS];
    size_t n;
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

/* Replaces the instructions of a code at which lines begin: of all lines, or of those with
 * breakpoints. Instructions of generators that others examine stay, and those that belong to the
 * function or module as a whole. */
static void patch(gpa_vm *vm, code *c) {
    const struct debugger *d = vm->debugger;
    const bool all = d->mode != DEBUG_CONTINUE;
    uint32_t before = 0;
    restore(c);
    if (!c->compiled || (!all && !d->n)) return;
    uint16_t *ops = mem_new(c->n_ins * sizeof *ops);
    if (!ops) return;
    for (uint32_t i = 0; i < c->n_ins; i++) ops[i] = c->ins[i].op;
    c->ops = ops;
    for (uint32_t i = 0; i < c->n_ins; i += code_words[ops[i]]) {
        gpa_span at = span_at(c, i);
        bool own = c->nodes[i] == c->node || (!c->node && ops[i] == I_RETURN);
        uint32_t line = at.src && !own ? line_of(vm, at) : before;
        bool begins = line != before && ops[i] != I_YIELD_FROM;
        before = line;
        if (begins && (all || has_breakpoint(d, at.src, line))) c->ins[i].op = I_BREAK;
    }
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
    if (vm->debugger && !m->hidden) patch(vm, c);
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
        *to = (debug_frame){f->code->name ? sym_text(vm, f->code->name) : "<module>", node->span,
                            f->module, v_none(), (int32_t)i};
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
    d->depth = vm->depth;
    while (d->depth && vm->frames[d->depth - 1].module->hidden) d->depth--;
    gpa_span at = d->depth ? raise_span(raise_node(&vm->frames[d->depth - 1])) : (gpa_span){0};
    d->src = at.src;
    d->line = line_of(vm, at);
    patch_all(vm);
}

bool debug_breakpoint(gpa_vm *vm, uint32_t src, uint32_t line, bool set) {
    struct debugger *d = debugger_of(vm);
    if (!d || has_breakpoint(d, src, line) == set || (set && d->n == MAX_BREAKPOINTS)) return false;
    if (set) d->breakpoints[d->n++] = (breakpoint){src, line};
    for (size_t i = 0; !set && i < d->n; i++)
        if (d->breakpoints[i].src == src && d->breakpoints[i].line == line)
            d->breakpoints[i] = d->breakpoints[--d->n];
    patch_all(vm);
    return true;
}

/* True if execution stops before a line of the topmost frame. */
static bool stops(const gpa_vm *vm, const struct debugger *d, gpa_span at, uint32_t line) {
    if (d->stopped) return false;
    if (has_breakpoint(d, at.src, line)) return true;
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
static gpa_code run_debugger(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    debug_frame *frames;
    if (!vm->config.debug) return GPA_OK;
    size_t n = copy_frames(vm, false, &frames);
    d->stopped = true;
    gpa_code rc = n ? vm->config.debug(vm->config.user, frames, n, true) : GPA_OK;
    d->stopped = false;
    free_frames(vm, frames, n);
    return rc;
}

gpa_code debug_break(gpa_vm *vm, const frame *f) {
    const struct debugger *d = vm->debugger;
    gpa_span at = span_at(f->code, (uint32_t)(f->ip - f->code->ins));
    return d && stops(vm, d, at, line_of(vm, at)) ? run_debugger(vm) : GPA_OK;
}

gpa_code debug_enter(gpa_vm *vm) {
    const struct debugger *d = debugger_of(vm);
    if (!d) return vm_no_memory(vm);
    return d->stopped ? GPA_OK : run_debugger(vm);
}

/* ---- errors ---- */

void debug_stop_on_errors(gpa_vm *vm, bool on) {
    struct debugger *d = debugger_of(vm);
    if (d) d->on_errors = on;
}

bool debug_stops_on_errors(const gpa_vm *vm) { return vm->debugger && vm->debugger->on_errors; }

static void forget_error(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d) return;
    debug_frame *frames = d->error;
    size_t n = d->n_error;
    d->error = NULL;
    d->n_error = 0;
    free_frames(vm, frames, n);
}

bool debug_enter_error(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d || !d->n_error || d->stopped) return false;
    d->stopped = true;
    if (vm->config.debug(vm->config.user, d->error, d->n_error, false)) vm_clear_error(vm);
    d->stopped = false;
    return true;
}

/* True if a frame of the program has a handler around what it executes. */
static bool is_handled(const gpa_vm *vm) {
    for (uint32_t i = 0; i < vm->depth; i++)
        if (code_guard_at(vm->frames[i].code, vm->frames[i].ip)) return true;
    return false;
}

void debug_error(gpa_vm *vm) {
    const gpa_code what = vm->core.err.code;
    if (!vm->config.debug || what == GPA_E_EXIT || what == GPA_E_INTERRUPT ||
        what == GPA_E_STOP_ITERATION || is_handled(vm))
        return;
    struct debugger *d = debugger_of(vm);
    if (!d || d->stopped) return;
    forget_error(vm);
    if (what == GPA_E_MEMORY) return; /* the frames would keep what fills the memory */
    raise_saved error;                /* the copies may run out of memory */
    raise_save(vm, &error);
    d->n_error = copy_frames(vm, true, &d->error);
    vm_clear_error(vm);
    if (d->on_errors && run_debugger(vm)) vm_clear_error(vm);
    raise_restore(vm, &error);
}

void debug_ended(gpa_vm *vm) {
    struct debugger *d = vm->debugger;
    if (!d || d->mode == DEBUG_CONTINUE) return;
    d->mode = DEBUG_CONTINUE;
    patch_all(vm);
}

void debug_free(gpa_vm *vm) {
    forget_error(vm);
    mem_free(vm->debugger);
    vm->debugger = NULL;
}
