/* Imports: built-in modules by the names of their owners; .gpa and .py files and packages in the
 * script's folder, the current one, or those of sys.path. */
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
    {"gpa.plots", "matplotlib.pyplot"}, /* not Python's */
    {"pylab", "matplotlib.pyplot"},
    {"matplotlib.pylab", "matplotlib.pyplot"},
    {"matplotlib_inline.backend_inline", "IPython.display"},
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

/* Sets `__path__`, which packages have alone: a list of the folder of their file. */
static gpa_code name_package(gpa_vm *vm, module_obj *m, const char *path) {
    const char *slash = strrchr(path, '/');
    value folder = slash ? v_str(vm, path, (size_t)(slash - path)) : v_cstr(vm, ".");
    value list = folder.tag == V_UNSET ? folder : v_list(vm, 1, &folder);
    gpa_code rc =
        list.tag == V_UNSET ? vm->core.err.code : module_set_text(vm, m, "__path__", list);
    value_release(vm, folder);
    value_release(vm, list);
    return rc;
}

static bool is_package_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "__init__.", 9) == 0;
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
    if (!rc && is_package_file(path)) rc = name_package(vm, *out, path);
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

/* Runs the file FOLDER/FILE as the module `name`; *out stays NULL if there is no such file. */
static gpa_code try_file(gpa_vm *vm, const char *folder, const char *file, const char *name,
                         module_obj **out) {
    gpa_str path, text;
    bool found = false;
    str_init(&path);
    str_init(&text);
    if (strcmp(folder, ".") != 0) str_printf(&path, "%s/", folder);
    str_printf(&path, "%s", file);
    gpa_code rc = path.failed ? vm_no_memory(vm) : read_file(vm, path.text, &text, &found);
    if (!rc && found) rc = file_module(vm, name, path.text, &text, out);
    str_free(&path);
    str_free(&text);
    return rc;
}

/* Finds a module in a folder: a package X/__init__.py, or a file X.py, X being the last part of the
 * module's name. */
static gpa_code find_in_folder(gpa_vm *vm, const char *folder, const char *name, module_obj **out) {
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    gpa_code rc = GPA_OK;
    for (size_t k = 0; k < 4 && !*out && !rc; k++) {
        char file[300];
        if (k < 2)
            snprintf(file, sizeof file, "%s/__init__%s", last, vm_program_ends[k]);
        else
            snprintf(file, sizeof file, "%s%s", last, vm_program_ends[k - 2]);
        rc = try_file(vm, *folder ? folder : ".", file, name, out);
    }
    return rc;
}

/* Finds a module in the folders of a list: sys.path, or __path__ of a package. */
static gpa_code find_in_list(gpa_vm *vm, value list, const char *name, module_obj **out) {
    gpa_code rc = GPA_OK;
    if (list.tag != V_LIST) return GPA_OK;
    value_retain(list); /* the module's own code may rebind it */
    for (size_t i = 0; i < list.list->count && !*out && !rc; i++) {
        value folder = value_retain(list.list->items[i]);
        if (folder.tag == V_STR) rc = find_in_folder(vm, folder.str->text, name, out);
        value_release(vm, folder);
    }
    value_release(vm, list);
    return rc;
}

static gpa_code find_file(gpa_vm *vm, const char *name, module_obj **out) {
    module_obj *sys;
    char *script = script_folder(vm);
    const char *folders[] = {script, vm->folder, "."};
    gpa_code rc = script ? GPA_OK : vm_no_memory(vm);
    *out = NULL;
    for (size_t i = 0; i < COUNT_OF(folders) && !*out && !rc; i++)
        if (folders[i]) rc = find_in_folder(vm, folders[i], name, out);
    mem_free(script);
    if (!rc && !*out) rc = vm_import(vm, "sys", &sys);
    if (rc || *out) return rc;
    return find_in_list(vm, module_get_text_peek(vm, sys, "path"), name, out);
}

/* Finds a dotted name in the folder of the package that its first parts name. */
static gpa_code find_in_package(gpa_vm *vm, const char *name, module_obj **out) {
    const char *last = strrchr(name, '.') + 1;
    char parent[256];
    module_obj *package;
    *out = NULL;
    snprintf(parent, sizeof parent, "%.*s", (int)MIN(last - 1 - name, 255), name);
    gpa_code rc = vm_import(vm, parent, &package);
    if (rc || package->builtin) return rc;
    value path = module_get_text_peek(vm, package, "__path__");
    if (path.tag == V_UNSET)
        return vm_fail(vm, GPA_E_NO_MODULE, "No module named '%s'; '%s' is not a package", name,
                       parent);
    rc = find_in_list(vm, path, name, out);
    if (!rc && *out) rc = module_set_text(vm, package, last, v_obj(V_MODULE, *out));
    return rc;
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

/* The reason why gpa lacks a submodule, or NULL. */
static const char *module_absent(const char *name) {
    const char *dot = strrchr(name, '.');
    char parent[256];
    snprintf(parent, sizeof parent, "%.*s", dot ? (int)MIN(dot - name, 255) : 0, name);
    return dot ? name_absent(parent, dot + 1) : NULL;
}

module_obj *vm_loaded_peek(gpa_vm *vm, const char *name) { return find_module(vm, name); }

gpa_code vm_import(gpa_vm *vm, const char *name, module_obj **out) {
    char meant[256];
    resolve(name, meant, sizeof meant);
    if (vm->sealed && (strcmp(meant, "numpy") == 0 || strcmp(meant, "numba") == 0))
        rt_prepare(vm->core.rt);
    if ((*out = strcmp(name, "__main__") == 0 ? vm->main : find_module(vm, meant))) return GPA_OK;
    native_owner o = owner_find(meant);
    if (o != OWNER_COUNT && owner_is_module(o)) return builtin_module(vm, meant, o, out);
    gpa_code rc = strchr(name, '.') ? find_in_package(vm, name, out) : find_file(vm, meant, out);
    if (rc || *out) return rc;
    rc = vm_fail(vm, GPA_E_NO_MODULE, "No module named '%s'", name);
    const char *best = NULL, *why = module_absent(meant);
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

/* The package that relative imports in a module are relative to; "" for a program. */
static void package_of(gpa_vm *vm, const module_obj *m, char *to, size_t n) {
    value name = module_get_text_peek(vm, m, "__name__");
    const char *text = name.tag == V_STR ? name.str->text : "", *dot = strrchr(text, '.');
    const bool package = module_get_text_peek(vm, m, "__path__").tag != V_UNSET;
    const size_t len = package ? strlen(text) : dot ? (size_t)(dot - text) : 0;
    snprintf(to, n, "%.*s", (int)MIN(len, n - 1), text);
}

gpa_code import_from(gpa_vm *vm, const module_obj *m, const char *name, value *out) {
    size_t level = strspn(name, ".");
    char package[256], full[512];
    if (!level) return import_any(vm, name, out);
    package_of(vm, m, package, sizeof package);
    if (!*package)
        return vm_fail(vm, GPA_E_IMPORT, "attempted relative import with no known parent package");
    for (size_t k = 1; k < level; k++) {
        char *dot = strrchr(package, '.');
        if (!dot)
            return vm_fail(vm, GPA_E_IMPORT, "attempted relative import beyond top-level package");
        *dot = 0;
    }
    snprintf(full, sizeof full, "%s%s%s", package, name[level] ? "." : "", name + level);
    return import_any(vm, full, out);
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
    if (!rc) out->aux = strcmp(name, "cupy") == 0;
    if (rc != GPA_E_NO_MODULE || vm->raised.tag != V_UNSET || module_is_whole(name)) return rc;
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

/* A package's submodule in a file, which is imported; UNSET: there is none. */
static gpa_code import_part(gpa_vm *vm, const module_obj *m, gpa_sym name, value *out) {
    char full[256];
    module_obj *part = NULL;
    if (module_get_text_peek(vm, m, "__path__").tag == V_UNSET) return GPA_OK;
    snprintf(full, sizeof full, "%s.%s", intern_text(vm->core.names, m->name),
             intern_text(vm->core.names, name));
    if (!(part = find_module(vm, full))) {
        gpa_code rc = find_in_package(vm, full, &part);
        if (rc || !part) return rc;
    }
    *out = value_retain(v_obj(V_MODULE, part));
    return GPA_OK;
}

gpa_code import_member(gpa_vm *vm, module_obj *m, gpa_sym name, value *out) {
    char full[256];
    module_obj *inner;
    *out = v_unset();
    if (!m->builtin) return import_part(vm, m, name, out);
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
    const char *own = intern_text(vm->core.names, m->name);
    if (!m->builtin || !vm->sealed || name[0] == '_' || module_is_whole(own)) return GPA_OK;
    gpa_code rc = foreign.import(vm, own, &module);
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
               *why = name_absent(intern_text(vm->core.names, m->name), text);
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

/* Binds the names of a module's __all__. */
static gpa_code import_exported(gpa_vm *vm, value module, value all, module_obj *into) {
    value names = v_unset();
    gpa_code rc = vm_collect(vm, all, &names);
    for (size_t i = 0; !rc && i < names.list->count; i++) {
        value v = v_unset(), name = names.list->items[i];
        if (name.tag != V_STR) continue;
        gpa_sym symbol = intern_get(vm->core.names, name.str->text, name.str->size);
        rc = symbol ? GPA_OK : vm_no_memory(vm);
        if (!rc) rc = import_name(vm, module, symbol, &v);
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
    value all = module_get_text_peek(vm, m, "__all__");
    if (all.tag == V_LIST || all.tag == V_TUPLE) return import_exported(vm, module, all, into);
    gpa_code rc = m == vm->numpy ? import_parts(vm, m, into) : GPA_OK;
    for (uint32_t i = 0; i < m->n && !rc; i++)
        if (m->slots[i].tag != V_UNSET && intern_text(vm->core.names, m->names[i])[0] != '_')
            rc = module_set(vm, into, m->names[i], m->slots[i]);
    return rc;
}
