/* Code objects: creation, release, and lookup of exception guards. */
#include "lang/compile/code.h"

#include "lang/object/core.h"
#include "lang/syntax/parse.h"
#include "runtime/base/base.h"

const uint8_t code_words[I_COUNT] = {
#define OPC(name, words, layout) words,
#include "lang/compile/opcode.def"
#undef OPC
};

static const char *const names[I_COUNT] = {
#define OPC(name, words, layout) #name,
#include "lang/compile/opcode.def"
#undef OPC
};

static const char *const layouts[I_COUNT] = {
#define OPC(name, words, layout) layout,
#include "lang/compile/opcode.def"
#undef OPC
};

const char *code_op_name(unsigned op) { return op < I_COUNT ? names[op] : "?"; }
const char *code_layout(unsigned op) { return layouts[op]; }

code *code_new(ast_module *m, const ast_node *node, const ast_scope *scope, gpa_sym name) {
    code *c = mem_zero(sizeof *c);
    if (!c) return NULL;
    c->refs = 1;
    c->ast = ast_retain(m);
    c->node = node;
    c->scope = scope;
    c->name = name;
    c->n_params = (uint16_t)(scope->n_positional + scope->n_keyword_only + scope->has_args +
                             scope->has_kwargs);
    c->simple = !scope->n_keyword_only && !scope->has_args && !scope->has_kwargs;
    return c;
}

void code_release(gpa_vm *vm, code *c) {
    if (!c || --c->refs > 0) return;
    for (uint32_t i = 0; i < c->n_consts; i++) value_release(vm, c->consts[i]);
    for (uint32_t i = 0; i < c->n_inner; i++) code_release(vm, c->inner[i]);
    for (uint32_t i = 0; i < c->n_lifts; i++) typed_compiler.loop_free(vm, c->lifts[i]);
    mem_free(c->consts);
    mem_free(c->inner);
    mem_free(c->lifts);
    mem_free(c->ins);
    mem_free(c->ops);
    mem_free(c->nodes);
    mem_free(c->guards);
    mem_free(c->handlers);
    mem_free(c->caches);
    typed_compiler.free_calls(vm, c->calls, c->n_vars);
    ast_release(c->ast);
    mem_free(c);
}

gpa_code code_parse(gpa_vm *vm, const code *c) {
    const ast_node *n = c->node;
    if (!n || n->kind != AST_FUNCTION || !n->function.rest.hi) return GPA_OK;
    return parse_rest(source_get(vm_sources(vm), c->ast->src), vm_names(vm), c->ast, (ast_node *)n,
                      vm_err(vm));
}

const code_guard *code_guard_at(const code *c, const ins *at) {
    const code_guard *best = NULL;
    uint32_t i = (uint32_t)(at - c->ins);
    for (uint32_t k = 0; k < c->n_guards; k++) {
        const code_guard *g = &c->guards[k];
        if (i >= g->lo && i < g->hi && (!best || g->level > best->level)) best = g;
    }
    return best;
}
