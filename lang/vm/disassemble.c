/* Disassembler for bytecode: one line per instruction. */
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

static void put_global(gpa_vm *vm, const module_obj *in, int32_t slot, gpa_str *out) {
    str_printf(out, " %s", intern_text(vm_names(vm), in->names[slot]));
}

static void put_operands(gpa_vm *vm, const code *c, const module_obj *in, uint32_t at,
                         gpa_str *out) {
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
            case 'g': put_global(vm, in, i.d, out); break;
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
        case 'g': put_global(vm, in, w.d, out); break;
        default: str_printf(out, " %u", w.a); break;
    }
}

/* The source line of an instruction where it differs from that of the instruction before, as in
 * CPython's dis; else blanks. */
static void put_line(const sources *s, const code *c, uint32_t at, uint32_t *line, gpa_str *out) {
    const source *src = c->nodes[at] ? source_get(s, c->nodes[at]->span.src) : NULL;
    uint32_t here = src ? source_at(src, c->nodes[at]->span.lo).line : 0;
    if (here && here != *line)
        str_printf(out, "%4u ", *line = here);
    else
        str_put(out, "     ");
}

void code_print(gpa_vm *vm, const code *c, const module_obj *in, const sources *s, gpa_str *out) {
    uint32_t line = 0;
    str_printf(out, "%s: %u variables, %u registers\n",
               c->name ? intern_text(vm_names(vm), c->name) : "<module>", c->n_vars, c->n_regs);
    for (uint32_t at = 0; at < c->n_ins; at += code_words[code_op(c, &c->ins[at])]) {
        if (s) put_line(s, c, at, &line, out);
        str_printf(out, s ? "%4u %-14s" : "%4u %s", at, code_op_name(code_op(c, &c->ins[at])));
        put_operands(vm, c, in, at, out);
        str_putc(out, '\n');
    }
    for (uint32_t i = 0; i < c->n_guards; i++)
        str_printf(out, "  guard %u-%u -> %u in r%u\n", c->guards[i].lo, c->guards[i].hi,
                   c->guards[i].to, c->guards[i].reg);
    for (uint32_t i = 0; i < c->n_inner; i++)
        if (c->inner[i]->compiled) code_print(vm, c->inner[i], in, s, out);
}
