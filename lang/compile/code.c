/* Code objects: their life and their printed form. */
#include "lang/compile/code.h"
#include "lang/typed/lift.h"

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
    for (uint32_t i = 0; i < c->n_lifts; i++) lift_free(vm, c->lifts[i]);
    mem_free(c->consts);
    mem_free(c->inner);
    mem_free(c->lifts);
    mem_free(c->ins);
    mem_free(c->nodes);
    mem_free(c->guards);
    mem_free(c->handlers);
    mem_free(c->caches);
    ast_release(c->ast);
    mem_free(c);
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

/* ---- printing ---- */

static void put_const(gpa_vm *vm, const code *c, int32_t k, gpa_str *out) {
    str_putc(out, ' ');
    if (vm_repr(vm, c->consts[k], out)) str_putc(out, '?');
}

static void put_register(const code *c, unsigned r, gpa_vm *vm, gpa_str *out) {
    if (r < c->n_vars && c->scope->vars[r].name)
        str_printf(out, " %s", intern_text(vm_names(vm), c->scope->vars[r].name));
    else if (r >= c->n_vars && r < c->first_temp)
        put_const(vm, c, (int32_t)(r - c->n_vars), out);
    else
        str_printf(out, " r%u", r);
}

static void put_operands(gpa_vm *vm, const code *c, uint32_t at, gpa_str *out) {
    ins i = c->ins[at];
    const char *l = layouts[i.op];
    const uint16_t operand[] = {i.a, i.b, i.c};
    for (int k = 0; l[k] && l[k] != ','; k++) switch (l[k]) {
            case 'r':
            case 'x':
            case 'k': put_register(c, operand[k], vm, out); break;
            case 'n': str_printf(out, " %u", operand[k]); break;
            case 'j': str_printf(out, " -> %d", (int)at + i.d); break;
            case 'K': put_const(vm, c, i.d, out); break;
            case 'g': str_printf(out, " global %d", i.d); break;
            default: break;
        }
    const char *second = strchr(l, ',');
    if (!second) return;
    ins w = c->ins[at + 1];
    switch (second[1]) {
        case 'j': str_printf(out, " -> %d", (int)at + 1 + w.d); break;
        case 's': str_printf(out, " .%s", intern_text(vm_names(vm), w.sym)); break;
        case 'o': str_printf(out, " %s=", ast_op_text((ast_op)w.a)); break;
        case 'K': put_const(vm, c, w.d, out); break;
        case 'g': str_printf(out, " global %d", w.d); break;
        default: str_printf(out, " %u", w.a); break;
    }
}

void code_print(gpa_vm *vm, const code *c, gpa_str *out) {
    str_printf(out, "%s: %u variables, %u registers\n",
               c->name ? intern_text(vm_names(vm), c->name) : "<module>", c->n_vars, c->n_regs);
    for (uint32_t at = 0; at < c->n_ins; at += code_words[c->ins[at].op]) {
        str_printf(out, "%4u %s", at, names[c->ins[at].op]);
        put_operands(vm, c, at, out);
        str_putc(out, '\n');
    }
    for (uint32_t i = 0; i < c->n_guards; i++)
        str_printf(out, "  guard %u-%u -> %u in r%u\n", c->guards[i].lo, c->guards[i].hi,
                   c->guards[i].to, c->guards[i].reg);
    for (uint32_t i = 0; i < c->n_inner; i++)
        if (c->inner[i]->compiled) code_print(vm, c->inner[i], out);
}
