/* NumPy's print options: the dict that holds them, read for the printer. */
#include "lang/format/array_format.h"
#include "lang/object/container.h"
#include "lang/object/number.h"
#include "lang/vm/vm.h"

const char print_options_name[] = "(printoptions)";
const char *const float_mode_names[FLOAT_MODES] = {"maxprec", "maxprec_equal", "fixed", "unique"};

static void read_text(gpa_vm *vm, dict_obj *d, const char *name, char *to, size_t capacity) {
    value v = dict_text_peek(vm, d, name);
    if (v.tag != V_STR) return;
    size_t n = MIN(v.str->size, capacity - 1);
    memcpy(to, v.str->text, n);
    to[n] = 0;
}

static void read_int(gpa_vm *vm, dict_obj *d, const char *name, int64_t *to) {
    number n = number_of(dict_text_peek(vm, d, name));
    if (n.kind == NUMBER_INT)
        *to = n.i;
    else if (n.kind == NUMBER_FLOAT)
        *to = n.re >= 0x1p62 ? INT64_MAX : (int64_t)n.re;
}

void print_options_read(gpa_vm *vm, dict_obj *d, print_options *o) {
    read_int(vm, d, "precision", &o->precision);
    read_int(vm, d, "threshold", &o->threshold);
    read_int(vm, d, "edgeitems", &o->edgeitems);
    read_int(vm, d, "linewidth", &o->linewidth);
    read_text(vm, d, "nanstr", o->nan, sizeof o->nan);
    read_text(vm, d, "infstr", o->inf, sizeof o->inf);
    char sign[2] = "-", mode[16] = "maxprec";
    read_text(vm, d, "sign", sign, sizeof sign);
    read_text(vm, d, "floatmode", mode, sizeof mode);
    o->sign = sign[0];
    for (size_t i = 0; i < FLOAT_MODES; i++)
        if (strcmp(mode, float_mode_names[i]) == 0) o->floatmode = (float_mode)i;
    value suppress = dict_text_peek(vm, d, "suppress");
    o->suppress = suppress.tag == V_BOOL && suppress.i;
    o->formatter = dict_text_peek(vm, d, "formatter");
    value legacy = dict_text_peek(vm, d, "legacy");
    bool old = legacy.tag == V_STR;
    o->bare = old && legacy.str->text[0] == '1';
    o->no_shape = old && strcmp(legacy.str->text, "2.1") <= 0;
    o->long_half = old && strcmp(legacy.str->text, "2.2") <= 0;
    o->as_1_13 = old && strcmp(legacy.str->text, "1.13") == 0;
    value override = dict_text_peek(vm, d, "override_repr");
    o->override_repr = override.tag == V_UNSET ? v_none() : override;
}

const print_options print_options_default = {.precision = 8,
                                             .threshold = 1000,
                                             .edgeitems = 3,
                                             .linewidth = 75,
                                             .floatmode = FLOAT_MAXPREC,
                                             .sign = '-',
                                             .nan = "nan",
                                             .inf = "inf",
                                             .formatter = {.tag = V_NONE},
                                             .override_repr = {.tag = V_NONE}};

gpa_code print_options_get(gpa_vm *vm, print_options *out) {
    module_obj *numpy;
    *out = print_options_default;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (rc) return rc;
    value d = module_get_text_peek(vm, numpy, print_options_name);
    if (d.tag == V_DICT) print_options_read(vm, d.dict, out);
    return GPA_OK;
}
