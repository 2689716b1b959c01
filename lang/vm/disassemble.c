/* Disassembly of bytecode, one line per instruction. */
#include "lang/vm/disassemble.h"

#include "lang/vm/native.h"

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
    const char *l = code_layout(i.op);
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
        str_printf(out, "%4u %s", at, code_op_name(c->ins[at].op));
        put_operands(vm, c, at, out);
        str_putc(out, '\n');
    }
    for (uint32_t i = 0; i < c->n_guards; i++)
        str_printf(out, "  guard %u-%u -> %u in r%u\n", c->guards[i].lo, c->guards[i].hi,
                   c->guards[i].to, c->guards[i].reg);
    for (uint32_t i = 0; i < c->n_inner; i++)
        if (c->inner[i]->compiled) code_print(vm, c->inner[i], out);
}
