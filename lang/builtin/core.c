/* Built-in functions on single values: output, formatting, identity, types, attributes. */
#include "lang/builtin/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"
#include "lang/format/format.h"
#include "lang/vm/instance.h"
#include "lang/object/number.h"
#include "lang/vm/record.h"
#include "lang/vm/debug.h"
#include "lang/vm/foreign.h"
#include "lang/text/text.h"
#include "lang/vm/vm.h"

/* ---- output and text ---- */

/* sep= and end=: a str, or None for `otherwise`. */
static gpa_code separator(gpa_vm *vm, value v, const char *name, const char *otherwise,
                          const char **text, size_t *n) {
    *text = otherwise;
    *n = strlen(otherwise);
    if (v.tag == V_NONE) return GPA_OK;
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s must be None or a string, not %s", name,
                       value_type_name(v));
    *text = v.str->text;
    *n = v.str->size;
    return GPA_OK;
}

gpa_code core_print(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *sep, *end;
    size_t n_sep, n_end;
    bool now;
    gpa_code rc = separator(vm, argv[1], "sep", " ", &sep, &n_sep);
    if (!rc) rc = separator(vm, argv[2], "end", "\n", &end, &n_end);
    if (rc) return rc;
    gpa_str line;
    str_init(&line);
    const tuple_obj *args = argv[0].tuple;
    for (size_t i = 0; i < args->count; i++) {
        if (i) str_putn(&line, sep, n_sep);
        TRY(vm_str(vm, args->items[i], &line));
    }
    str_putn(&line, end, n_end);
    if (line.failed)
        rc = vm_no_memory(vm);
    else if (argv[3].tag == V_NONE)
        rc = vm_print(vm, false, line.text, line.len);
    else
        rc = file_put(vm, argv[3], line.text, line.len);
    if (!rc) rc = arg_bool(vm, argv[4], "flush", &now);
    if (rc || !now) goto out;
    if (argv[3].tag == V_NONE)
        vm_flush(vm);
    else
        rc = file_flush(vm, argv + 3, out);
out:
    str_free(&line);
    return rc;
}

gpa_code core_input(gpa_vm *vm, value *argv, value *out) {
    gpa_str prompt;
    str_init(&prompt);
    gpa_code rc = vm_str(vm, argv[0], &prompt);
    if (!rc) rc = vm_input(vm, prompt.text, false, out);
    str_free(&prompt);
    return rc;
}

gpa_code core_len(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    gpa_code rc = vm_len(vm, argv[0], &n);
    if (!rc) *out = v_int(n);
    return rc;
}

/* The text that `write` appends for a value, as a str. */
static gpa_code text_of(gpa_vm *vm, value v, gpa_code (*write)(gpa_vm *, value, gpa_str *),
                        value *out) {
    gpa_str s;
    str_init(&s);
    gpa_code rc = write(vm, v, &s);
    return native_text(vm, rc, &s, out);
}

gpa_code core_repr(gpa_vm *vm, value *argv, value *out) {
    return text_of(vm, argv[0], vm_repr, out);
}

gpa_code core_ascii(gpa_vm *vm, value *argv, value *out) {
    return text_of(vm, argv[0], format_ascii, out);
}

gpa_code core_format(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "format() argument 2 must be str, not %s",
                       value_type_name(argv[1]));
    gpa_str s;
    str_init(&s);
    gpa_code rc = vm_format(vm, argv[0], argv[1].str->text, argv[1].str->size, &s);
    return native_text(vm, rc, &s, out);
}

gpa_code core_chr(gpa_vm *vm, value *argv, value *out) {
    int64_t c;
    gpa_code rc = arg_int(vm, argv[0], "i", &c);
    if (rc) return rc;
    if (c < 0 || c > 0x10FFFF) return vm_fail(vm, GPA_E_VALUE, "chr() arg not in range(0x110000)");
    char b[4];
    return native_return(v_str(vm, b, text_encode((uint32_t)c, b)), out);
}

gpa_code core_ord(gpa_vm *vm, value *argv, value *out) {
    value v = argv[0];
    if (v.tag != V_STR && v.tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "ord() expected string of length 1, but %s found",
                       value_type_name(v));
    if (v.str->length != 1)
        return vm_fail(vm, GPA_E_TYPE, "ord() expected a character, but string of length %u found",
                       v.str->length);
    size_t len;
    *out = v_int(v.tag == V_BYTES ? (unsigned char)v.str->text[0]
                                  : text_decode(v.str->text, v.str->size, &len));
    return GPA_OK;
}

/* hex(), oct(), bin(): format() with this specification. */
static gpa_code format_in_base(gpa_vm *vm, value v, const char *spec, value *out) {
    value i = v_none();
    gpa_code rc = arg_any_int(vm, v, "number", &i);
    if (rc) return rc;
    gpa_str s;
    str_init(&s);
    rc = spec_format(vm, i, spec, 2, &s);
    value_release(vm, i);
    return native_text(vm, rc, &s, out);
}

gpa_code core_hex(gpa_vm *vm, value *argv, value *out) {
    return format_in_base(vm, argv[0], "#x", out);
}
gpa_code core_oct(gpa_vm *vm, value *argv, value *out) {
    return format_in_base(vm, argv[0], "#o", out);
}
gpa_code core_bin(gpa_vm *vm, value *argv, value *out) {
    return format_in_base(vm, argv[0], "#b", out);
}

/* ---- identity and types ---- */

gpa_code core_id(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int((int64_t)(argv[0].bits & INT64_MAX));
    return GPA_OK;
}

gpa_code core_hash(gpa_vm *vm, value *argv, value *out) {
    uint64_t h;
    gpa_code rc = value_hash(vm, argv[0], &h);
    if (!rc) *out = v_int((int64_t)h);
    return rc;
}

gpa_code core_callable(gpa_vm *vm, value *argv, value *out) {
    value v = argv[0];
    if (is_foreign(v)) {
        *out = v_bool(foreign.callable(vm, v));
        return GPA_OK;
    }
    dict_obj *members = v.tag == V_OBJECT && record_is(v.object->kind)
                            ? record_members_peek(vm, v.object->kind)
                            : NULL;
    const class_obj *c = v.tag == V_OBJECT ? class_of_peek(v) : NULL;
    if (c) {
        *out = v_bool(class_text_peek(c, "__call__").tag != V_UNSET);
        return GPA_OK;
    }
    *out = v_bool(vm_callable(v) &&
                  (!members || dict_text_peek(vm, members, "__call__").tag != V_UNSET));
    return GPA_OK;
}

/* The type of a value: a TYPE, or a CLASS of a program. Borrowed. */
static value type_peek(value v) {
    class_obj *c = class_of_peek(v);
    return c ? v_obj(V_CLASS, c) : v_type(type_of(v));
}

/* A test of isinstance or issubclass. */
typedef struct {
    const char *fn;
    value type;
    unsigned depth; /* of tuples in tuples */
} class_test;

static gpa_code matches_any(gpa_vm *vm, const class_test *t, value classes, bool *out) {
    enum { MAX_TUPLE_DEPTH = 1000 };
    const char *fn = t->fn;
    const value type = t->type;
    uint32_t built_in = type.tag == V_TYPE  ? type.aux
                        : type.class->error ? AUX_ERROR + (uint32_t)type.class->error
                        : type.class->tuple ? V_TUPLE
                                            : V_OBJECT;
    *out = false;
    if (classes.tag == V_TYPE) {
        *out = type_derives(built_in, classes.aux);
        return GPA_OK;
    }
    if (classes.tag == V_CLASS) {
        *out = type.tag == V_CLASS && class_derives(type.class, classes.class);
        return GPA_OK;
    }
    if (classes.tag == V_OBJECT && classes.object->kind->derives) {
        *out = type.tag == V_TYPE && classes.object->kind->derives(classes.object, type.aux);
        return GPA_OK;
    }
    if (classes.tag != V_TUPLE)
        return vm_fail(vm, GPA_E_TYPE, "%s() arg 2 must be a %s, a tuple of %s, or a union", fn,
                       strcmp(fn, "isinstance") ? "class" : "type",
                       strcmp(fn, "isinstance") ? "classes" : "types");
    if (t->depth == MAX_TUPLE_DEPTH)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded in %s",
                       strcmp(fn, "isinstance") ? "__subclasscheck__" : "__instancecheck__");
    gpa_code rc = GPA_OK;
    const class_test inner = {fn, type, t->depth + 1};
    for (size_t i = 0; i < classes.tuple->count && !*out && !rc; i++)
        rc = matches_any(vm, &inner, classes.tuple->items[i], out);
    return rc;
}

/* True if the foreign language decides the test: v is its object, or a class is its type. */
static bool asks_foreign(value v, value classes) {
    for (size_t i = 0; classes.tag == V_TUPLE && i < classes.tuple->count; i++)
        if (is_foreign(classes.tuple->items[i])) return true;
    return is_foreign(v) || is_foreign(classes);
}

/* isinstance or issubclass with each class of a tuple. */
static gpa_code test_each(gpa_vm *vm, gpa_code (*test)(gpa_vm *, value *, value *), value *argv,
                          value *out) {
    const tuple_obj *classes = argv[1].tuple;
    gpa_code rc = GPA_OK;
    *out = v_bool(false);
    for (size_t i = 0; i < classes->count && !rc && !out->i; i++)
        rc = test(vm, (value[]){argv[0], classes->items[i]}, out);
    return rc;
}

gpa_code core_isinstance(gpa_vm *vm, value *argv, value *out) {
    bool is;
    if (asks_foreign(argv[0], argv[1])) {
        if (argv[1].tag == V_TUPLE) return test_each(vm, core_isinstance, argv, out);
        gpa_code rc = foreign.is_instance(vm, argv[0], argv[1], &is);
        if (!rc) *out = v_bool(is);
        return rc;
    }
    gpa_code rc = matches_any(vm, &(class_test){"isinstance", type_peek(argv[0]), 0}, argv[1], &is);
    if (!rc) *out = v_bool(is);
    return rc;
}

/* True if every type that derives from an abstract type derives from one of the classes. */
static gpa_code abstract_derives(gpa_vm *vm, const object_obj *abstract, value classes, bool *out) {
    gpa_code rc = GPA_OK;
    *out = classes.tag != V_TUPLE;
    for (size_t i = 0; classes.tag == V_TUPLE && i < classes.tuple->count && !*out && !rc; i++)
        rc = abstract_derives(vm, abstract, classes.tuple->items[i], out);
    if (classes.tag == V_TUPLE) return rc;
    for (uint32_t t = AUX_DTYPE; t < AUX_DTYPE + DT_COUNT && *out && !rc; t++)
        if (abstract->kind->derives(abstract, t))
            rc = matches_any(vm, &(class_test){"issubclass", v_type(t), 0}, classes, out);
    return rc;
}

gpa_code core_issubclass(gpa_vm *vm, value *argv, value *out) {
    bool is;
    if (asks_foreign(argv[0], argv[1])) {
        if (argv[1].tag == V_TUPLE) return test_each(vm, core_issubclass, argv, out);
        gpa_code rc = foreign.is_subclass(vm, argv[0], argv[1], &is);
        if (!rc) *out = v_bool(is);
        return rc;
    }
    if (argv[0].tag == V_OBJECT && argv[0].object->kind->derives) {
        gpa_code rc = abstract_derives(vm, argv[0].object, argv[1], &is);
        if (!rc) *out = v_bool(is);
        return rc;
    }
    if (argv[0].tag != V_TYPE && argv[0].tag != V_CLASS)
        return vm_fail(vm, GPA_E_TYPE, "issubclass() arg 1 must be a class");
    gpa_code rc = matches_any(vm, &(class_test){"issubclass", argv[0], 0}, argv[1], &is);
    if (!rc) *out = v_bool(is);
    return rc;
}

/* ---- attributes and names ---- */

static gpa_code attribute(gpa_vm *vm, value *argv, const char *fn, value otherwise, value *out) {
    if (argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s(): attribute name must be string", fn);
    gpa_code rc = vm_attr(vm, argv[0], argv[1].str->text, out);
    if (!gpa_err_is(rc, GPA_E_ATTRIBUTE) || otherwise.tag == V_UNSET) return rc;
    vm_clear_error(vm);
    *out = value_retain(otherwise);
    return GPA_OK;
}

gpa_code core_getattr(gpa_vm *vm, value *argv, value *out) {
    return attribute(vm, argv, "getattr", argv[2], out);
}

gpa_code core_hasattr(gpa_vm *vm, value *argv, value *out) {
    value found = v_none(), absent = {.tag = V_NOT_IMPLEMENTED};
    gpa_code rc = attribute(vm, argv, "hasattr", absent, &found);
    if (!rc) *out = v_bool(found.tag != V_NOT_IMPLEMENTED);
    value_release(vm, found);
    return rc;
}

gpa_code core_setattr(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    if (argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "setattr(): attribute name must be string");
    return vm_setattr(vm, argv[0], argv[1].str->text, argv[2]);
}

gpa_code core_delattr(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    if (argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "attribute name must be string, not '%s'",
                       value_type_name(argv[1]));
    return vm_delattr(vm, argv[0], argv[1].str->text);
}

gpa_code core_breakpoint(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return debug_enter(vm);
}

gpa_code core_vars(gpa_vm *vm, value *argv, value *out) {
    if (argv[0].tag == V_UNSET) return core_locals(vm, argv, out);
    if (argv[0].tag == V_MODULE) return module_dict(vm, argv[0].module, out);
    if (argv[0].tag == V_CLASS) return vm_attr(vm, argv[0], "__dict__", out);
    gpa_code rc = instance_dict(vm, argv[0], out);
    return rc || out->tag != V_UNSET
               ? rc
               : vm_fail(vm, GPA_E_TYPE, "vars() argument must have __dict__ attribute");
}

typedef struct {
    gpa_vm *vm;
    list_obj *names;
    gpa_code rc;
} gathering;

static void collect_name(void *to, const char *name, value v) {
    (void)v;
    gathering *g = to;
    value s = g->rc ? v_unset() : v_cstr(g->vm, name);
    if (s.tag == V_UNSET) {
        if (!g->rc) g->rc = GPA_E_MEMORY;
        return;
    }
    g->rc = list_append(g->vm, g->names, s);
    value_release(g->vm, s);
}

/* Removes repetitions from a sorted list of strings: an instance and its class may have the same
 * name. */
static void drop_repeated(gpa_vm *vm, list_obj *l) {
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++) {
        bool repeated = n && strcmp(l->items[n - 1].str->text, l->items[i].str->text) == 0;
        if (repeated)
            value_release(vm, l->items[i]);
        else
            l->items[n++] = l->items[i];
    }
    l->count = n;
}

gpa_code core_dir(gpa_vm *vm, value *argv, value *out) {
    value names = v_list(vm, 0, NULL), of = argv[0];
    if (names.tag == V_UNSET) return GPA_E_MEMORY;
    gathering g = {vm, names.list, GPA_OK};
    if (of.tag == V_UNSET) of = v_obj(V_MODULE, vm_main(vm));
    gpa_code rc = vm_dir(vm, of, collect_name, &g);
    if (!rc) rc = g.rc;
    if (!rc) rc = list_sort(vm, names.list, v_none(), false);
    if (!rc) drop_repeated(vm, names.list);
    if (!rc)
        *out = names;
    else
        value_release(vm, names);
    return rc;
}

/* The common indentation of all lines of a docstring after its first. */
static size_t doc_margin(const char *doc) {
    size_t margin = SIZE_MAX;
    for (const char *p = strchr(doc, '\n'); p; p = strchr(p, '\n')) {
        size_t n = strspn(++p, " ");
        if (p[n] && p[n] != '\n' && n < margin) margin = n;
    }
    return margin;
}

/* Appends a docstring, indented uniformly, without blank lines at its end. */
static void put_doc(const char *doc, gpa_str *s) {
    size_t end = strlen(doc), margin = doc_margin(doc);
    while (end && (doc[end - 1] == '\n' || doc[end - 1] == ' ')) end--;
    for (const char *p = doc, *last = doc + end; p < last;) {
        size_t n = strcspn(p, "\n"), skip = p == doc ? 0 : MIN(margin, strspn(p, " "));
        if (p + n > last) n = (size_t)(last - p);
        if (n > skip) {
            str_put(s, "    ");
            str_putn(s, p + skip, n - skip);
        }
        str_putc(s, '\n');
        p += n + 1;
    }
}

static gpa_code describe(gpa_vm *vm, value v, gpa_str *s);

/* Appends the help of a class: its constructor's signature, its docstring, its methods. */
static gpa_code describe_class(gpa_vm *vm, const class_obj *c, gpa_str *s) {
    value init = class_text_peek(c, "__init__"),
          doc = dict_text_peek(vm, c->members.dict, "__doc__");
    gpa_code rc = GPA_OK;
    size_t at = 0;
    str_printf(s, "class %s", c->text);
    if (init.tag != V_FUNC)
        str_put(s, "()");
    else
        rc = func_signature(vm, init.func, true, s);
    str_putc(s, '\n');
    if (doc.tag == V_STR) put_doc(doc.str->text, s);
    for (dict_entry *e; !rc && (e = dict_next(c->members.dict, &at));) {
        if (e->v.tag != V_FUNC || e->key.str->text[0] == '_') continue;
        str_putc(s, '\n');
        rc = describe(vm, e->v, s);
    }
    return rc;
}

static gpa_code describe(gpa_vm *vm, value v, gpa_str *s) {
    bool method = v.tag == V_METHOD;
    if (method) v = v.method->fn;
    if (v.tag == V_CLASS) return describe_class(vm, v.class, s);
    if (v.tag == V_NATIVE) {
        str_printf(s, "%s(%s)\n", v.native->name, v.native->signature);
        put_doc(v.native->doc, s);
        return GPA_OK;
    }
    if (v.tag != V_FUNC) {
        value doc = v_unset();
        str_printf(s, "%s: ", value_type_name(v));
        gpa_code rc = vm_str(vm, v, s);
        str_putc(s, '\n');
        if (rc || v.tag != V_UFUNC) return rc;
        if (vm_attr(vm, v, "__doc__", &doc))
            vm_clear_error(vm); /* it has none */
        else if (doc.tag == V_STR)
            put_doc(doc.str->text, s);
        value_release(vm, doc);
        return rc;
    }
    str_put(s, func_name(vm, v.func));
    value doc = func_doc(vm, v.func);
    gpa_code rc = doc.tag == V_UNSET ? vm_err(vm)->code : func_signature(vm, v.func, method, s);
    str_putc(s, '\n');
    if (!rc && doc.tag == V_STR) put_doc(doc.str->text, s);
    value_release(vm, doc);
    return rc;
}

gpa_code core_help(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_str s;
    str_init(&s);
    gpa_code rc = GPA_OK;
    if (argv[0].tag == V_UNSET)
        str_put(&s, "help(x) tells what is known about x; dir() lists the names defined here.\n");
    else
        rc = describe(vm, argv[0], &s);
    if (!rc) rc = vm_page(vm, s.text, s.len);
    str_free(&s);
    return rc;
}

gpa_code core_exit(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return vm_raise(vm, GPA_E_EXIT, argv[0].tag == V_NONE ? 0 : 1, argv);
}
