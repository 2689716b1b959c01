/* Imports: built-in modules by the names of their owners; .gpa and .py files in the script's
 * folder, the current one, or those of PYTHONPATH. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/vm/machine.h"

#include "runtime/base/base.h"

#include "lang/vm/absent.h"
#include "lang/vm/foreign.h"
#include "lang/syntax/parse.h"

/* Aliases of built-in modules: cupy is numpy, and so are its submodules. The first matching prefix
 * is replaced, repeatedly. */
static const struct {
    const char *name, *meant;
} aliases[] = {
    {"cupyx.scipy", "scipy"},
    {"cupy", "numpy"},
    {"numbapro", "numba"},
    {"numpy.core", "numpy"},
    {"numpy.lib.scimath", "numpy.emath"},
    {"numba.cudalib", "pyculib"},
    {"numba.errors", "numba.core.errors"},
    {"numba.core.types", "numba.types"},
    {"numba.core.config", "numba.config"},
    {"numba.core.extending", "numba.extending"},
    {"numba.cuda.types", "numba.types"},
    {"numba.cuda.config", "numba.config"},
    {"accelerate.cuda", "pyculib"},
    {"pyculib.cufft", "pyculib.fft"},
    {"pyculib.cublas", "pyculib.blas"},
    {"pyculib.curand", "pyculib.rand"},
    {"pylab", "matplotlib.pyplot"},
    {"matplotlib.pylab", "matplotlib.pyplot"},
};

static bool resolve_once(char *name, size_t n) {
    for (size_t i = 0; i < COUNT_OF(aliases); i++) {
        size_t len = strlen(aliases[i].name);
        if (strncmp(name, aliases[i].name, len) != 0 || (name[len] && name[len] != '.')) continue;
        char rest[256];
        snprintf(rest, sizeof rest, "%s", name + len);
        snprintf(name, n, "%s%s", aliases[i].meant, rest);
        return true;
    }
    return false;
}

static void resolve(const char *name, char *to, size_t n) {
    snprintf(to, n, "%s", name);
    while (resolve_once(to, n)) continue;
}

static module_obj *find_module(gpa_vm *vm, const char *name) {
    gpa_sym s = intern_find(vm->core.names, name, strlen(name));
    for (module_obj *m = vm->modules; m && s; m = m->next)
        if (m->name == s && m != vm->main) return m;
    return NULL;
}

static gpa_code builtin_module(gpa_vm *vm, const char *name, native_owner o, module_obj **out) {
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    if (!s) return vm_no_memory(vm);
    if (!(*out = module_new(vm, s))) return vm->core.err.code;
    (*out)->builtin = true;
    (*out)->doc = v_cstr(vm, owner_doc(o));
    if ((*out)->doc.tag == V_UNSET) return vm->core.err.code;
    gpa_code rc = module_fill(vm, *out, o);
    if (!rc && o != OWNER_NUMPY)
        rc = vm_run_library(vm, *out, name); /* numpy's library text, which all others need, runs
                                                once all modules are filled */
    return rc;
}

/* ---- files ---- */

static gpa_code read_file(gpa_vm *vm, const char *path, gpa_str *text, bool *found) {
    FILE *file = fopen(path, "rb");
    *found = file != NULL;
    if (!file) return GPA_OK;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) str_putn(text, buffer, n);
    bool bad = ferror(file) != 0;
    fclose(file);
    if (bad) return vm_fail(vm, GPA_E_OS, "[Errno %d] %s: '%s'", errno, strerror(errno), path);
    return text->failed ? vm_no_memory(vm) : GPA_OK;
}

/* Sets a text variable of a module. */
static gpa_code name_module(gpa_vm *vm, module_obj *m, const char *variable, const char *text) {
    value v = v_cstr(vm, text);
    gpa_code rc = v.tag == V_UNSET ? vm->core.err.code : module_set_text(vm, m, variable, v);
    value_release(vm, v);
    return rc;
}

static gpa_code file_module(gpa_vm *vm, const char *name, const char *path, const gpa_str *text,
                            module_obj **out) {
    uint32_t id;
    ast_module *ast = NULL;
    const parse_options options = {.magics = true};
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    if (!s) return vm_no_memory(vm);
    gpa_code rc =
        source_add(vm->core.sources, &(source_text){SOURCE_FILE, path, text->text, text->len}, &id,
                   &vm->core.err);
    if (!rc)
        rc = parse_module(source_get(vm->core.sources, id), vm->core.names, &options, &ast,
                          &vm->core.err);
    if (rc) return rc;
    *out = module_new(vm, s);
    if (*out && ast->doc)
        (*out)->doc = v_str(vm, ast->doc->string.text.at, ast->doc->string.text.len);
    rc = *out && (*out)->doc.tag != V_UNSET ? GPA_OK : vm->core.err.code;
    if (!rc) rc = name_module(vm, *out, "__name__", name);
    if (!rc) rc = name_module(vm, *out, "__file__", path);
    if (!rc) rc = vm_eval(vm, ast, *out, NULL);
    if (rc && *out) (*out)->name = 0; /* retried by the next import */
    ast_release(ast);
    return rc;
}

/* The folder of the running script (the outermost frame's file); "." for a cell. Owned: mem_free.
 */
static char *script_folder(const gpa_vm *vm) {
    const source *s = vm->depth ? source_get(vm->core.sources, vm->frames[0].code->ast->src) : NULL;
    const char *slash = s && s->kind == SOURCE_FILE ? strrchr(s->name, '/') : NULL;
    return slash ? mem_text(s->name, (size_t)(slash - s->name)) : mem_text(".", 1);
}

const char *const vm_program_ends[] = {".gpa", ".py", NULL};

/* *out stays NULL if the file does not exist. */
static gpa_code find_file_in(gpa_vm *vm, const char *folder, const char *name, const char *end,
                             module_obj **out) {
    gpa_str path, text;
    bool found = false;
    str_init(&path);
    str_init(&text);
    if (strcmp(folder, ".") != 0) str_printf(&path, "%s/", folder);
    str_printf(&path, "%s%s", name, end);
    gpa_code rc = path.failed ? vm_no_memory(vm) : read_file(vm, path.text, &text, &found);
    if (!rc && found) rc = file_module(vm, name, path.text, &text, out);
    str_free(&path);
    str_free(&text);
    return rc;
}

/* Finds a file in the folders that PYTHONPATH names. */
static gpa_code find_on_path(gpa_vm *vm, const char *name, module_obj **out) {
    gpa_code rc = GPA_OK;
    for (const char *at = getenv("PYTHONPATH"); at && *at && !*out && !rc;) {
        size_t n = strcspn(at, ":");
        char *folder = n ? mem_text(at, n) : mem_text(".", 1);
        if (!folder) return vm_no_memory(vm);
        for (const char *const *end = vm_program_ends; *end && !*out && !rc; end++)
            rc = find_file_in(vm, folder, name, *end, out);
        mem_free(folder);
        at += n + (at[n] == ':');
    }
    return rc;
}

static gpa_code find_file(gpa_vm *vm, const char *name, module_obj **out) {
    char *script = script_folder(vm);
    const char *folders[] = {script, vm->folder, "."};
    gpa_code rc = script ? GPA_OK : vm_no_memory(vm);
    *out = NULL;
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        for (const char *const *end = vm_program_ends; folders[i] && *end && !*out && !rc; end++)
            rc = find_file_in(vm, folders[i], name, *end, out);
    mem_free(script);
    return rc || *out ? rc : find_on_path(vm, name, out);
}

gpa_code vm_run_text(gpa_vm *vm, const char *name, const char *text, module_obj *in, value *last) {
    uint32_t id;
    ast_module *ast = NULL;
    const parse_options options = {.magics = false};
    *last = v_unset();
    if (!in && !(in = module_new(vm, 0))) return vm->core.err.code;
    gpa_code rc =
        source_add(vm->core.sources, &(source_text){SOURCE_FILE, name, text, strlen(text)}, &id,
                   &vm->core.err);
    if (!rc)
        rc = parse_module(source_get(vm->core.sources, id), vm->core.names, &options, &ast,
                          &vm->core.err);
    if (!rc) rc = vm_eval(vm, ast, in, last);
    ast_release(ast);
    return rc;
}

/* ---- finding ---- */

module_obj *vm_loaded_peek(gpa_vm *vm, const char *name) { return find_module(vm, name); }

gpa_code vm_import(gpa_vm *vm, const char *name, module_obj **out) {
    char meant[256];
    resolve(name, meant, sizeof meant);
    if (vm->sealed && (strcmp(meant, "numpy") == 0 || strcmp(meant, "numba") == 0))
        rt_prepare(vm->core.rt);
    if ((*out = strcmp(name, "__main__") == 0 ? vm->main : find_module(vm, meant))) return GPA_OK;
    native_owner o = owner_find(meant);
    if (o != OWNER_COUNT && owner_is_module(o)) return builtin_module(vm, meant, o, out);
    gpa_code rc = strchr(meant, '.') ? GPA_OK : find_file(vm, meant, out);
    if (rc || *out) return rc;
    const char *dot = strchr(name, '.');
    module_obj *root;
    if (dot) { /* the message names the missing part */
        char first[256];
        snprintf(first, sizeof first, "%.*s", (int)MIN(dot - name, 255), name);
        if (vm_import(vm, first, &root)) return vm->core.err.code;
    }
    rc = vm_fail(vm, GPA_E_NO_MODULE, "No module named '%s'", name);
    const char *best = NULL, *why = strncmp(meant, "numpy.", 6) == 0 ? np_absent(meant + 6) : NULL;
    size_t cost = SIZE_MAX;
    if (why) {
        gpa_err_hint(&vm->core.err, "%s", why);
        return rc;
    }
    for (int k = 0; k < OWNER_COUNT; k++)
        if (owner_is_module((native_owner)k))
            vm_suggest(name, owner_name((native_owner)k), &best, &cost);
    if (best) gpa_err_hint(&vm->core.err, "did you mean: '%s'?", best);
    return rc;
}

bool is_foreign_plotting(gpa_vm *vm, const char *name) {
    static const char *const plotting[] = {"matplotlib", "mpl_toolkits", "pylab"};
    const size_t n = strcspn(name, ".");
    bool plots = false;
    for (size_t i = 0; i < COUNT_OF(plotting); i++)
        plots = plots || (n == strlen(plotting[i]) && strncmp(name, plotting[i], n) == 0);
    if (!plots) return false;
    const char *chosen = getenv("GPA_PLOTS");
    return !(chosen && strcmp(chosen, "gnuplot") == 0) && foreign.has(vm, "matplotlib");
}

/* Modules that gpa does not have are the foreign language's; `python.x` is its module x even if gpa
 * has one of that name. Without such a module the error is gpa's, with the other one's hint. */
gpa_code import_any(gpa_vm *vm, const char *name, value *out) {
    static const char prefix[] = "python.";
    module_obj *m;
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        return foreign.import(vm, name + strlen(prefix), out);
    if (is_foreign_plotting(vm, name)) return foreign.import(vm, name, out);
    gpa_code rc = vm_import(vm, name, &m);
    if (!rc) *out = value_retain(v_obj(V_MODULE, m));
    if (rc != GPA_E_NO_MODULE || vm->raised.tag != V_UNSET) return rc;
    gpa_err own = vm->core.err;
    vm_clear_error(vm);
    rc = foreign.import(vm, name, out);
    if (rc != GPA_E_NO_MODULE || strcmp(own.msg, vm->core.err.msg) == 0) return rc;
    char hint[sizeof own.hint];
    snprintf(hint, sizeof hint, "%s", own.hint);
    *own.hint = 0;
    if (!*vm->core.err.hint)
        gpa_err_hint(&own, "%s", hint);
    else if (*hint)
        gpa_err_hint(&own, "%.100s; for Python's modules see %%python", hint);
    else
        gpa_err_hint(&own, "%.158s", vm->core.err.msg);
    vm_clear_error(vm);
    vm->core.err = own;
    return own.code;
}

gpa_code import_root(gpa_vm *vm, const char *name, value *out) {
    value whole = v_unset();
    gpa_code rc = import_any(vm, name, &whole);
    const char *dot = strchr(name, '.');
    char first[256];
    if (rc || !dot) {
        *out = whole;
        return rc;
    }
    value_release(vm, whole);
    snprintf(first, sizeof first, "%.*s", (int)MIN(dot - name, 255), name);
    return import_any(vm, first, out);
}

gpa_code import_member(gpa_vm *vm, module_obj *m, gpa_sym name, value *out) {
    char full[256];
    module_obj *inner;
    *out = v_unset();
    if (!m->builtin) return GPA_OK;
    char written[256];
    snprintf(written, sizeof written, "%s.%s", intern_text(vm->core.names, m->name),
             intern_text(vm->core.names, name));
    resolve(written, full, sizeof full);
    native_owner o = owner_find(full);
    if (o == OWNER_COUNT || !owner_is_module(o)) return GPA_OK;
    gpa_code rc = vm_import(vm, full, &inner);
    if (!rc) *out = value_retain(v_obj(V_MODULE, inner));
    return rc;
}

gpa_code import_foreign_member(gpa_vm *vm, const module_obj *m, const char *name, value *out) {
    value module = v_unset();
    *out = v_unset();
    if (!m->builtin || !vm->sealed || name[0] == '_') return GPA_OK;
    gpa_code rc = foreign.import(vm, intern_text(vm->core.names, m->name), &module);
    if (!rc) rc = foreign.import_name(vm, module, name, out);
    if (rc == GPA_E_NO_MODULE) {
        vm_clear_error(vm);
        rc = GPA_OK;
    }
    value_release(vm, module);
    return rc;
}

gpa_code import_name(gpa_vm *vm, value module, gpa_sym name, value *out) {
    if (is_foreign(module)) {
        gpa_code rc = foreign.import_name(vm, module, intern_text(vm->core.names, name), out);
        if (rc || out->tag != V_UNSET) return rc;
        *out = v_none();
        return vm_fail(vm, GPA_E_IMPORT, "cannot import name '%s'",
                       intern_text(vm->core.names, name));
    }
    module_obj *m = module.module;
    value v = module_get_peek(m, name);
    if (v.tag != V_UNSET) {
        *out = value_retain(v);
        return GPA_OK;
    }
    gpa_code rc = import_member(vm, m, name, out);
    if (!rc && out->tag == V_UNSET)
        rc = import_foreign_member(vm, m, intern_text(vm->core.names, name), out);
    if (rc || out->tag != V_UNSET) return rc;
    *out = v_none();
    const char *text = intern_text(vm->core.names, name), *best = NULL,
               *why = m == vm->numpy ? np_absent(text) : NULL;
    size_t cost = SIZE_MAX;
    rc = vm_fail(vm, GPA_E_IMPORT, "cannot import name '%s' from '%s'", text,
                 intern_text(vm->core.names, m->name));
    if (why) {
        gpa_err_hint(&vm->core.err, "%s", why);
        return rc;
    }
    for (uint32_t i = 0; i < m->n; i++)
        if (m->slots[i].tag != V_UNSET)
            vm_suggest(text, intern_text(vm->core.names, m->names[i]), &best, &cost);
    if (best) gpa_err_hint(&vm->core.err, "did you mean: '%s'?", best);
    return rc;
}

/* Binds the built-in submodules of m, which are not among its names before they are imported; not
 * numpy.cuda, which is CuPy's. */
static gpa_code import_parts(gpa_vm *vm, const module_obj *m, module_obj *into) {
    const char *parent = intern_text(vm->core.names, m->name);
    size_t n = strlen(parent);
    gpa_code rc = GPA_OK;
    for (int k = 0; k < OWNER_COUNT && !rc; k++) {
        const char *name = owner_name((native_owner)k);
        if (!owner_is_module((native_owner)k) || strncmp(name, parent, n) != 0 || name[n] != '.' ||
            strchr(name + n + 1, '.') || name[n + 1] == '_' || strcmp(name + n, ".cuda") == 0)
            continue;
        module_obj *part;
        gpa_sym s = intern_get(vm->core.names, name + n + 1, strlen(name + n + 1));
        if (!s) return vm_no_memory(vm);
        rc = vm_import(vm, name, &part);
        if (!rc) rc = module_set(vm, into, s, v_obj(V_MODULE, part));
    }
    return rc;
}

/* Binds the names that a foreign module exports. */
static gpa_code import_foreign(gpa_vm *vm, value module, module_obj *into) {
    value names = v_unset();
    gpa_code rc = foreign.names(vm, module, &names);
    for (size_t i = 0; !rc && i < names.list->count; i++) {
        value v = v_unset(), name = names.list->items[i];
        if (name.tag != V_STR) continue;
        rc = vm_attr(vm, module, name.str->text, &v);
        if (!rc) rc = module_set_text(vm, into, name.str->text, v);
        value_release(vm, v);
    }
    value_release(vm, names);
    return rc;
}

gpa_code import_all(gpa_vm *vm, value module, module_obj *into) {
    if (is_foreign(module)) return import_foreign(vm, module, into);
    const module_obj *m = module.module;
    if (m == into) return GPA_OK;
    gpa_code rc = m == vm->numpy ? import_parts(vm, m, into) : GPA_OK;
    for (uint32_t i = 0; i < m->n && !rc; i++)
        if (m->slots[i].tag != V_UNSET && intern_text(vm->core.names, m->names[i])[0] != '_')
            rc = module_set(vm, into, m->names[i], m->slots[i]);
    return rc;
}
