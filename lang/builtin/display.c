/* Native functions of IPython's display() and clear_output() (lang/library/IPython/display.gpa).
 * The session chooses the MIME types that its front end can show. */
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "lang/builtin/all.h"
#include "lang/vm/vm.h"

gpa_code display_show(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *id = NULL;
    size_t n;
    bool update;
    gpa_code rc = argv[1].tag == V_NONE ? GPA_OK : arg_text(vm, argv[1], "display_id", &id, &n);
    if (!rc) rc = arg_bool(vm, argv[2], "update", &update);
    return rc ? rc : vm_display(vm, argv[0], id, update);
}

/* Random: a front end may still show outputs that an earlier session named. */
gpa_code display_new_id(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    uint64_t bits[2];
    char text[33];
    if (getrandom(bits, sizeof bits, 0) != sizeof bits)
        return vm_fail(vm, GPA_E_OS, "no random numbers: %s", strerror(errno));
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)bits[0],
             (unsigned long long)bits[1]);
    return native_return(v_cstr(vm, text), out);
}

gpa_code display_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    bool wait;
    gpa_code rc = arg_bool(vm, argv[0], "wait", &wait);
    return rc ? rc : vm_clear_output(vm, wait);
}

gpa_code display_magic(gpa_vm *vm, value *argv, value *out) {
    const char *text;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "text", &text, &n);
    return rc ? rc : vm_magic(vm, text, n, out);
}

gpa_code display_run(gpa_vm *vm, value *argv, value *out) {
    const char *text;
    size_t n;
    value last = v_unset();
    (void)out;
    gpa_code rc = arg_text(vm, argv[0], "raw_cell", &text, &n);
    if (!rc) rc = vm_run_text(vm, "<cell>", text, vm_main(vm), &last);
    value_release(vm, last);
    return rc;
}

gpa_code display_has_comms(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    *out = v_bool(vm_has_comms(vm));
    return GPA_OK;
}
