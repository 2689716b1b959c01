/* Introspection of jitted functions: signatures, types of variables by line, and which loops are
 * compiled.
 *
 * Reading order: signatures, annotations of lines, inspect_types, generated code,
 * parallel_diagnostics. */
#include <string.h>

#include "lang/compile/code.h"
#include "lang/typed/all.h"
#include "lang/typed/call_types.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"
#include "lang/typed/types.h"
#include "lang/vm/kinds.h"

/* The jitted function of a dispatcher: itself, or the one under @jit with signatures. */
static func_obj *function_of(value self) {
    return self.tag == V_FUNC ? self.func : self.object->fields[0].func;
}

/* ---- signatures ---- */

typedef struct {
    value args, result; /* owned; result NONE: unknown */
} signature;

static void release(gpa_vm *vm, signature *s) {
    value_release(vm, s->args);
    value_release(vm, s->result);
}

static gpa_code declared(gpa_vm *vm, value text, signature *out) {
    typed_signature s;
    gpa_code rc = typed_read_signature(vm, text, &s);
    *out = (signature){v_none(), v_none()};
    if (rc) return rc;
    out->args = v_tuple(vm, (size_t)s.n, NULL);
    if (out->args.tag == V_UNSET) return GPA_E_MEMORY;
    for (int i = 0; i < s.n && !rc; i++)
        rc = native_return(type_of_typed(vm, s.args[i]), &out->args.tuple->items[i]);
    return rc ? rc : native_return(type_of_typed(vm, s.result), &out->result);
}

static size_t count(value self) {
    const typed_calls *t = function_of(self)->code->calls;
    return self.tag == V_OBJECT ? self.object->fields[1].list->count : t ? t->n : 0;
}

/* Signature i: declared, or of a call. */
static gpa_code signature_at(gpa_vm *vm, value self, size_t i, signature *out) {
    const typed_calls *t = function_of(self)->code->calls;
    if (self.tag == V_OBJECT) return declared(vm, self.object->fields[1].list->items[i], out);
    *out = (signature){value_retain(t->at[i].args), value_retain(t->at[i].result)};
    return GPA_OK;
}

static gpa_code as_object(gpa_vm *vm, const signature *s, value *out) {
    value result =
        s->result.tag == V_NONE ? type_named(vm, "none", "none") : value_retain(s->result);
    if (result.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = native_return(type_signature(vm, s->args, result), out);
    value_release(vm, result);
    return rc;
}

static gpa_code list_signatures(gpa_vm *vm, value self, bool with_result, value *out) {
    value list = v_list(vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (size_t i = 0; i < count(self) && !rc; i++) {
        signature s;
        value one = v_none();
        rc = signature_at(vm, self, i, &s);
        if (!rc && with_result) rc = as_object(vm, &s, &one);
        if (!rc) rc = list_append(vm, list.list, with_result ? one : s.args);
        value_release(vm, one);
        release(vm, &s);
    }
    return native_finish(vm, rc, list, out);
}

gpa_code jitted_signatures(gpa_vm *vm, value *argv, value *out) {
    return list_signatures(vm, argv[0], false, out);
}

gpa_code jitted_nopython_signatures(gpa_vm *vm, value *argv, value *out) {
    return list_signatures(vm, argv[0], true, out);
}

/* ---- annotations of lines ---- */

typedef struct {
    gpa_vm *vm;
    const func_obj *fn;
    const source *text;
    const call_type *types; /* NULL: no call was recorded */
    uint32_t line;
    gpa_str *out;
    size_t indent;
    gpa_code rc;
} annotation;

static void put_variable_type(annotation *a, uint32_t i) {
    const value *v = a->types && a->types->variables ? &a->types->variables[i] : NULL;
    if (v && v->tag != V_UNSET)
        a->rc = vm_str(a->vm, *v, a->out);
    else
        str_put(a->out, "undefined");
}

static void put_text(annotation *a, gpa_span at) {
    for (uint32_t i = at.lo; i < at.hi; i++)
        str_putc(a->out, a->text->text[i] == '\n' ? ' ' : a->text->text[i]);
}

/* "#   name = value  :: type" */
static void annotate(annotation *a, const ast_node *target, const ast_node *n) {
    if (a->rc || target->kind != AST_NAME || target->name.storage.kind != AST_IN_SLOT) return;
    if (source_at(a->text, n->span.lo).line != a->line) return;
    str_fill(a->out, ' ', a->indent);
    str_put(a->out, "#   ");
    if (n->kind == AST_AUGASSIGN)
        put_text(a, n->span);
    else
        str_put(a->out, intern_text(vm_names(a->vm), target->name.name));
    if (n->kind == AST_ASSIGN) {
        str_put(a->out, " = ");
        put_text(a, n->assign.value->span);
    }
    str_put(a->out, "  :: ");
    put_variable_type(a, target->name.storage.slot);
    str_putc(a->out, '\n');
}

static void annotate_targets(annotation *a, const ast_node *target, const ast_node *n) {
    const ast_list *l = target->kind == AST_TUPLE  ? &target->tuple.items
                        : target->kind == AST_LIST ? &target->list.items
                                                   : NULL;
    if (!l) annotate(a, target, n);
    for (uint32_t i = 0; l && i < l->n; i++) annotate_targets(a, l->at[i], n);
}

static void visit(void *user, ast_node *n) {
    annotation *a = user;
    if (n->kind == AST_FUNCTION) return;
    if (n->kind == AST_ASSIGN)
        for (uint32_t i = 0; i < n->assign.targets.n; i++)
            annotate_targets(a, n->assign.targets.at[i], n);
    else if (n->kind == AST_AUGASSIGN)
        annotate_targets(a, n->augassign.target, n);
    else if (n->kind == AST_FOR)
        annotate_targets(a, n->for_.target, n);
    else if (n->kind == AST_RETURN && source_at(a->text, n->span.lo).line == a->line) {
        value type = a->types ? a->types->result : v_none();
        str_fill(a->out, ' ', a->indent);
        str_put(a->out, "#   return  :: ");
        if (type.tag == V_NONE)
            str_put(a->out, "none");
        else
            a->rc = vm_str(a->vm, type, a->out);
        str_putc(a->out, '\n');
    }
    ast_each_child(n, visit, a);
}

static void annotate_arguments(annotation *a, const tuple_obj *args) {
    const ast_scope *s = func_node(a->fn)->function.scope;
    for (uint32_t i = 0; i < args->count && !a->rc; i++) {
        const char *name = intern_text(vm_names(a->vm), s->vars[i].name);
        str_printf(a->out, "#   %s = arg(%u, name=%s)  :: ", name, i, name);
        a->rc = vm_str(a->vm, args->items[i], a->out);
        str_putc(a->out, '\n');
    }
}

/* ---- inspect_types ---- */

/* The source with the types of one signature. */
static gpa_code put_types(gpa_vm *vm, value self, const signature *s, const call_type *types,
                          gpa_str *out) {
    func_obj *fn = function_of(self);
    const ast_node *node = func_node(fn);
    const source *text = source_get(vm_sources(vm), node->span.src);
    annotation a = {.vm = vm, .fn = fn, .text = text, .types = types, .out = out};
    gpa_code rc = code_parse(vm, fn->code);
    str_printf(out, "%s ", func_name(vm, fn));
    if (!rc) rc = vm_repr(vm, s->args, out);
    str_putc(out, '\n');
    str_fill(out, '-', 80);
    str_printf(out, "\n# File: %s\n", text ? text->name : "");
    if (rc || !text) return rc;
    uint32_t first = source_at(text, node->span.lo).line,
             last = source_at(text, node->span.hi ? node->span.hi - 1 : 0).line;
    for (a.line = first; a.line <= last && !a.rc; a.line++) {
        size_t n;
        const char *at = source_line(text, a.line, &n);
        for (a.indent = 0; a.indent < n && at[a.indent] == ' '; a.indent++) {
        }
        if (a.indent == n) continue;
        str_fill(out, ' ', a.indent);
        str_printf(out, "# --- LINE %u --- \n", a.line);
        if (a.line == first) annotate_arguments(&a, s->args.tuple);
        for (uint32_t i = 0; i < node->function.body.n; i++) visit(&a, node->function.body.at[i]);
        str_putc(out, '\n');
        str_putn(out, at, n);
        str_put(out, "\n\n");
    }
    str_putc(out, '\n');
    str_fill(out, '=', 80);
    str_putc(out, '\n');
    return a.rc;
}

static const call_type *types_of_call(value self, size_t i) {
    const typed_calls *t = function_of(self)->code->calls;
    return t && i < t->n ? &t->at[i] : NULL;
}

/* Writes to a file object, or (NONE) to the session's output. */
static gpa_code write_text(gpa_vm *vm, value file, const gpa_str *text) {
    value write = v_none(), done = v_none(), all;
    if (text->failed) return vm_no_memory(vm);
    if (file.tag == V_NONE) return vm_write(vm, false, text->text, text->len);
    gpa_code rc = vm_attr(vm, file, "write", &write);
    if (!rc) rc = native_return(v_str(vm, text->text, text->len), &all);
    if (!rc) {
        rc = vm_call(vm, write, ARGS(1, &all), &done);
        value_release(vm, all);
    }
    value_release(vm, write);
    value_release(vm, done);
    return rc;
}

gpa_code jitted_inspect_types(gpa_vm *vm, value *argv, value *out) { /* self, file, signature */
    gpa_str text;
    gpa_code rc = GPA_OK;
    bool found = argv[2].tag == V_NONE;
    (void)out;
    str_init(&text);
    for (size_t i = 0; i < count(argv[0]) && !rc; i++) {
        signature s;
        bool wanted = argv[2].tag == V_NONE;
        rc = signature_at(vm, argv[0], i, &s);
        if (!rc && !wanted) rc = value_equal(vm, s.args, argv[2], &wanted);
        if (!rc && wanted) rc = put_types(vm, argv[0], &s, types_of_call(argv[0], i), &text);
        found = found || wanted;
        release(vm, &s);
    }
    if (!rc && !found) rc = vm_raise(vm, GPA_E_KEY, 1, &argv[2]);
    if (!rc && text.len) rc = write_text(vm, argv[1], &text);
    str_free(&text);
    return rc;
}

/* ---- generated code ---- */

/* The code of the loops that are compiled, for all types that they ran with; a jitted function has
 * no other code. */
static gpa_code put_code(gpa_vm *vm, const code *c, arr_text what, gpa_str *out) {
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < c->n_lifts; i++)
        for (loop_fn *l = c->lifts[i]->compiled; l && !rc; l = l->next)
            rc = arr_program_text(vm_rt(vm), l->base.f, &l->base.cache, what, out, vm_err(vm));
    if (!out->len)
        str_put(out, "; no loop was compiled: the statements of the function are interpreted\n");
    return rc;
}

/* A dict from signatures to code, or the code of the signature given. */
static gpa_code code_by_signature(gpa_vm *vm, const value *argv, arr_text what, value *out) {
    gpa_str text;
    value all = v_none();
    bool found = argv[1].tag == V_NONE;
    str_init(&text);
    gpa_code rc = put_code(vm, function_of(argv[0])->code, what, &text);
    if (rc)
        str_free(&text);
    else
        rc = native_return(v_str_take(vm, &text), &all);
    if (!rc) rc = native_return(v_dict(vm), out);
    for (size_t i = 0; i < count(argv[0]) && !rc; i++) {
        signature s;
        rc = signature_at(vm, argv[0], i, &s);
        if (!rc && !found) rc = value_equal(vm, s.args, argv[1], &found);
        if (!rc) rc = dict_set(vm, out->dict, s.args, all);
        release(vm, &s);
    }
    if (!rc && !found) rc = vm_raise(vm, GPA_E_KEY, 1, &argv[1]);
    if (rc || argv[1].tag != V_NONE) value_release(vm, *out);
    if (!rc && argv[1].tag != V_NONE) *out = value_retain(all);
    value_release(vm, all);
    return rc;
}

gpa_code jitted_inspect_llvm(gpa_vm *vm, value *argv, value *out) { /* self, signature */
    return code_by_signature(vm, argv, ARR_IR, out);
}

gpa_code jitted_inspect_asm(gpa_vm *vm, value *argv, value *out) { /* self, signature */
    return code_by_signature(vm, argv, ARR_ASM, out);
}

/* A function of numba._inspect with the n arguments. */
static gpa_code call_library(gpa_vm *vm, const char *name, size_t n, value *argv, value *out) {
    module_obj *m;
    gpa_code rc = vm_import(vm, "numba._inspect", &m);
    return rc ? rc : vm_call(vm, module_get_text_peek(vm, m, name), ARGS(n, argv), out);
}

gpa_code jitted_stats(gpa_vm *vm, value *argv, value *out) {
    return call_library(vm, "stats", 0, argv, out);
}

gpa_code jitted_inspect_cfg(gpa_vm *vm, value *argv, value *out) { /* self, signature */
    return call_library(vm, "inspect_cfg", 2, argv, out);
}

gpa_code jitted_overloads(gpa_vm *vm, value *argv, value *out) {
    gpa_code rc = native_return(v_dict(vm), out);
    for (size_t i = 0; i < count(argv[0]) && !rc; i++) {
        signature s;
        rc = signature_at(vm, argv[0], i, &s);
        if (!rc) rc = dict_set(vm, out->dict, s.args, argv[0]);
        release(vm, &s);
    }
    return rc;
}

/* ---- parallel_diagnostics ---- */

static const char *const role_names[] = {
    [ROLE_SUM] = "sum", [ROLE_PRODUCT] = "product", [ROLE_MIN] = "min", [ROLE_MAX] = "max"};

static void put_reductions(gpa_vm *vm, const typed_lift *l, gpa_str *out) {
    const char *before = ", reductions: ";
    for (uint32_t i = 0; i < l->n; i++) {
        bool reduces =
            l->use[i] & USE_WRITTEN && l->role[i] != ROLE_PRIVATE && l->role[i] != ROLE_CARRIED;
        if (!reduces) continue;
        str_printf(out, "%s%s (%s)", before,
                   intern_text(vm_names(vm), l->function->function.scope->vars[i].name),
                   role_names[l->role[i]]);
        before = ", ";
    }
}

/* A title in a line of 80 characters. */
static void put_title(const gpa_str *title, char fill, gpa_str *out) {
    size_t n = title->len < 80 ? 80 - title->len : 0;
    str_fill(out, fill, n / 2);
    str_put(out, title->text ? title->text : "");
    str_fill(out, fill, n - n / 2);
    str_putc(out, '\n');
}

static uint32_t line_of(const source *text, gpa_span at) {
    return text ? source_at(text, at.lo).line : 0;
}

/* The source, with the numbers of the loops. */
static void put_listing(const code *c, const source *text, gpa_str *out) {
    enum { COLUMN = 36 };
    gpa_span all = c->node->span;
    uint32_t first = line_of(text, all),
             last = line_of(text, (gpa_span){all.src, all.hi - 1, all.hi});
    str_fill(out, '-', COLUMN);
    str_put(out, "|loop #ID\n");
    for (uint32_t line = first; line <= last; line++) {
        size_t n;
        const char *at = source_line(text, line, &n);
        int64_t loop = -1;
        for (uint32_t i = 0; i < c->n_lifts; i++)
            if (line_of(text, c->lifts[i]->loop->span) == line) loop = i;
        str_putn(out, at, n);
        str_fill(out, loop < 0 ? ' ' : '-', n < COLUMN ? COLUMN - n : 1);
        str_put(out, "| ");
        if (loop >= 0) str_printf(out, "#%lld", (long long)loop);
        str_putc(out, '\n');
    }
}

static void put_loop(gpa_vm *vm, const typed_lift *l, uint32_t number, gpa_str *out) {
    str_printf(out, "Loop #%u, line %u: %s, ", number,
               line_of(source_get(vm_sources(vm), l->loop->span.src), l->loop->span),
               l->parallel ? "parallel" : "sequential");
    str_put(out, l->interpreted ? "interpreted, with fused array expressions"
                 : l->compiled  ? "compiled to one program"
                                : "not run yet");
    if (l->parallel) put_reductions(vm, l, out);
    str_putc(out, '\n');
}

gpa_code jitted_diagnostics(gpa_vm *vm, value *argv,
                            value *out) { /* self, signature, level, file */
    const func_obj *fn = function_of(argv[0]);
    const code *c = fn->code;
    const source *text = source_get(vm_sources(vm), c->node->span.src);
    gpa_str s, title;
    (void)out;
    str_init(&s);
    str_init(&title);
    str_printf(&title, " Parallel Accelerator Optimizing:  Function %s, %s (%u)  ",
               func_name(vm, fn), text ? text->name : "", line_of(text, c->node->span));
    str_put(&s, " \n");
    str_fill(&s, '=', 80);
    str_putc(&s, '\n');
    put_title(&title, '=', &s);
    str_fill(&s, '=', 80);
    str_printf(&s, "\n\n\nParallel loop listing for %s\n",
               title.text + strlen(" Parallel Accelerator Optimizing: "));
    if (text) put_listing(c, text, &s);
    str_clear(&title);
    str_put(&title, " After Optimisation ");
    put_title(&title, '-', &s);
    for (uint32_t i = 0; i < c->n_lifts; i++) put_loop(vm, c->lifts[i], i, &s);
    if (!c->n_lifts) str_put(&s, "No loops: array expressions are fused when they are computed.\n");
    gpa_code rc = title.failed ? vm_no_memory(vm) : write_text(vm, argv[3], &s);
    str_free(&s);
    str_free(&title);
    return rc;
}
