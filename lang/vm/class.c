/* Classes: method resolution order, member lookup, the descriptor protocol (class_bind), creation.
 * Reading order: members, the method resolution order, creation, attributes, destruction. */
#include "lang/vm/class.h"
#include "lang/vm/foreign.h"

#include <stdio.h>

#include "lang/object/container.h"
#include "lang/vm/step.h"

/* ---- members ---- */

const ast_node *class_node(const class_obj *c) { return c->body->node; }

/* Looks a member up in the method resolution order, from index `first` on (0: the class itself). */
static value member_from(const class_obj *c, size_t first, const char *name, size_t n,
                         uint64_t hash) {
    const tuple_obj *order = c->order.tuple;
    for (size_t i = first; i <= order->count; i++) {
        const class_obj *at = i ? order->items[i - 1].class : c;
        const dict_entry *e = dict_named_peek(at->members.dict, name, n, hash);
        if (e) return e->v;
    }
    return v_unset();
}

value class_member_peek(gpa_vm *vm, const class_obj *c, gpa_sym name) {
    const intern *names = vm->core.names;
    return member_from(c, 0, intern_text(names, name), intern_len(names, name),
                       intern_hash(names, name));
}

value class_text_peek(const class_obj *c, const char *name) {
    size_t n = strlen(name);
    return member_from(c, 0, name, n, hash_bytes(name, n, 0));
}

/* The index of an ancestor in the method resolution order of c, 0 for c itself; SIZE_MAX: not an
 * ancestor. */
static size_t order_index(const class_obj *c, const class_obj *ancestor) {
    for (size_t i = 0; i <= c->order.tuple->count; i++)
        if ((i ? c->order.tuple->items[i - 1].class : c) == ancestor) return i;
    return SIZE_MAX;
}

bool class_derives(const class_obj *c, const class_obj *from) {
    return order_index(c, from) != SIZE_MAX;
}

value class_super_member(const class_obj *c, const class_obj *from, const char *name) {
    size_t at = order_index(c, from), n = strlen(name);
    return at == SIZE_MAX ? v_unset() : member_from(c, at + 1, name, n, hash_bytes(name, n, 0));
}

void class_each_member(const class_obj *c, void (*each)(void *user, const char *name, value v),
                       void *user) {
    for (size_t i = 0; i <= c->order.tuple->count; i++) {
        const class_obj *of = i ? c->order.tuple->items[i - 1].class : c;
        size_t at = 0;
        for (dict_entry *e; (e = dict_next(of->members.dict, &at));)
            if (e->key.tag == V_STR) each(user, e->key.str->text, e->v);
    }
}

/* The function wrapped by a member (property, staticmethod, classmethod), else UNSET. */
static value function_in(value m) {
    if (is_kind(m, &property_kind))
        m = m.object->fields[PROPERTY_GET];
    else if (is_kind(m, &static_kind) || is_kind(m, &classmethod_kind))
        m = m.object->fields[WRAPPED];
    return m.tag == V_FUNC ? m : v_unset();
}

/* ---- method resolution order ---- */

enum { MAX_BASES = 64, MAX_ORDER = 256 };

/* A list of the C3 merge: a class and its own order, from `at` on. The last list holds the bases
 * that are classes. */
typedef struct {
    const class_obj *first;
    const value *rest;
    size_t n_rest, at;
} merge_list;

static const class_obj *merge_item(const merge_list *l, size_t i) {
    return i == 0 ? l->first : i <= l->n_rest ? l->rest[i - 1].class : NULL;
}

static bool in_tail(const merge_list *lists, size_t n, const class_obj *c) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = lists[k].at + 1; merge_item(&lists[k], i); i++)
            if (merge_item(&lists[k], i) == c) return true;
    return false;
}

static gpa_code fail_order(gpa_vm *vm, const tuple_obj *bases) {
    gpa_str names;
    str_init(&names);
    for (size_t i = 0; i < bases->count; i++)
        str_printf(&names, "%s%s", i ? ", " : "",
                   bases->items[i].tag == V_CLASS ? bases->items[i].class->text
                                                  : type_name(bases->items[i].aux));
    gpa_code rc = vm_fail(vm, GPA_E_TYPE,
                          "Cannot create a consistent method resolution\norder (MRO) for bases %s",
                          names.text);
    str_free(&names);
    return rc;
}

/* C3 linearization: repeatedly takes the first head that occurs in no tail. */
static gpa_code order_of(gpa_vm *vm, const tuple_obj *bases, value *out) {
    merge_list lists[MAX_BASES + 1];
    value found[MAX_ORDER], own[MAX_BASES];
    size_t n = 0, n_found = 0;
    if (bases->count > MAX_BASES)
        return vm_fail(vm, GPA_E_TYPE, "a class has at most %d bases", MAX_BASES);
    for (size_t i = 0; i < bases->count; i++)
        if (bases->items[i].tag == V_CLASS) {
            const tuple_obj *order = bases->items[i].class->order.tuple;
            own[n] = bases->items[i];
            lists[n] =
                (merge_list){.first = own[n].class, .rest = order->items, .n_rest = order->count};
            n++;
        }
    if (n) lists[n] = (merge_list){.first = own[0].class, .rest = own + 1, .n_rest = n - 1}, n++;
    for (;;) {
        const class_obj *next = NULL;
        bool left = false;
        for (size_t k = 0; k < n && !next; k++) {
            const class_obj *head = merge_item(&lists[k], lists[k].at);
            left |= head != NULL;
            if (head && !in_tail(lists, n, head)) next = head;
        }
        if (!next && left) return fail_order(vm, bases);
        if (!next) break;
        if (n_found == MAX_ORDER)
            return vm_fail(vm, GPA_E_TYPE, "a class derives from at most %d others", MAX_ORDER);
        found[n_found++] = (value){.tag = V_CLASS, .o = (obj *)(uintptr_t)&next->head};
        for (size_t k = 0; k < n; k++)
            while (merge_item(&lists[k], lists[k].at) == next) lists[k].at++;
    }
    return native_return(v_tuple(vm, n_found, found), out);
}

/* ---- creation ---- */

static bool is_error_type(value v) {
    return v.tag == V_TYPE && v.aux >= AUX_ERROR && v.aux < AUX_FROZENSET;
}

/* Rejects a class before an exception among the bases: in CPython the exception's own attributes
 * precede the class's members in the MRO, here members of programs' classes come first. */
static gpa_code check_class_before_exception(gpa_vm *vm, const class_obj *c) {
    static const char *const of_exceptions[] = {"__init__", "__new__", "__str__", "__repr__"};
    for (size_t i = 0; i < COUNT_OF(of_exceptions); i++)
        if (class_text_peek(c, of_exceptions[i]).tag != V_UNSET)
            return vm_fail(vm, GPA_E_UNSUPPORTED,
                           "a base with %s stands before the exceptions: put '%s' first",
                           of_exceptions[i], c->text);
    return GPA_OK;
}

/* Validates the bases and finds the exception among them. */
static gpa_code check_bases(gpa_vm *vm, class_obj *c) {
    const tuple_obj *bases = c->bases.tuple;
    for (size_t i = 0; i < bases->count; i++) {
        value b = bases->items[i];
        gpa_code error = b.tag == V_CLASS   ? b.class->error
                         : is_error_type(b) ? (gpa_code)(b.aux - AUX_ERROR)
                                            : GPA_OK;
        bool object = b.tag == V_TYPE && b.aux == V_OBJECT,
             tuple = b.tag == V_CLASS ? b.class->tuple : b.tag == V_TYPE && b.aux == V_TUPLE;
        c->tuple |= tuple;
        if (b.tag == V_TYPE && !object && !error && !tuple)
            return vm_fail(vm, GPA_E_UNSUPPORTED,
                           "a class cannot derive from '%s': keep one in an attribute",
                           type_name(b.aux));
        if (b.tag != V_TYPE && b.tag != V_CLASS)
            return vm_fail(vm, GPA_E_TYPE,
                           "the base of a class is a class or an exception, not '%s'",
                           value_type_name(b));
        for (size_t k = 0; k < i; k++)
            if (value_is(b, bases->items[k]))
                return vm_fail(vm, GPA_E_TYPE, "duplicate base class %s",
                               b.tag == V_CLASS ? b.class->text : type_name(b.aux));
        if (object && i + 1 < bases->count) return fail_order(vm, bases);
        gpa_code rc = !error && c->error && b.tag == V_CLASS
                          ? check_class_before_exception(vm, b.class)
                          : GPA_OK;
        if (rc) return rc;
        if (c->tuple && (error || c->error))
            return vm_fail(vm, GPA_E_TYPE, "multiple bases have instance lay-out conflict");
        if (!error) continue;
        if (c->error && !gpa_err_is(error, c->error) && !gpa_err_is(c->error, error))
            return vm_fail(vm, GPA_E_TYPE, "multiple bases have instance lay-out conflict");
        if (!c->error || gpa_err_is(error, c->error)) c->error = error;
    }
    return GPA_OK;
}

/* Instances of a class with __slots__ have no other attributes, unless a base class has no
 * __slots__. */
static bool is_closed(gpa_vm *vm, const class_obj *c) {
    bool closed = !c->error && dict_text_peek(vm, c->members.dict, "__slots__").tag != V_UNSET;
    for (size_t i = 0; i < c->bases.tuple->count; i++)
        if (c->bases.tuple->items[i].tag == V_CLASS)
            closed = closed && c->bases.tuple->items[i].class->closed;
    return closed;
}

/* A tuple subclass cannot have nonempty __slots__. */
static gpa_code check_slots(gpa_vm *vm, const class_obj *c) {
    value slots = c->tuple ? dict_text_peek(vm, c->members.dict, "__slots__") : v_unset(),
          base = c->bases.tuple->items[0];
    bool any = slots.tag == V_STR || (slots.tag == V_TUPLE && slots.tuple->count) ||
               (slots.tag == V_LIST && slots.list->count);
    if (!any) return GPA_OK;
    return vm_fail(vm, GPA_E_TYPE, "nonempty __slots__ not supported for subtype of '%s'",
                   base.tag == V_CLASS ? base.class->text : type_name(base.aux));
}

static bool is_data_descriptor(value m) {
    return is_kind(m, &property_kind) || is_kind(m, &instance_kind);
}

/* Updates lookup flags of a class and its subclasses for a new member. */
static void note_member(gpa_vm *vm, const class_obj *c, const char *name, value m) {
    bool first = is_data_descriptor(m), sets = strcmp(name, "__setattr__") == 0;
    vm->overrides = vm->overrides || strcmp(name, "__array_function__") == 0;
    for (class_obj *k = first || sets ? vm->classes : NULL; k; k = k->next) {
        if (k->order.tag != V_TUPLE || !class_derives(k, c)) continue;
        k->has_data_descriptors |= first;
        k->sets |= sets;
    }
}

/* The same for a new class: its own members and inherited ones. */
static void note_members(gpa_vm *vm, class_obj *c) {
    size_t at = 0;
    for (dict_entry *e; (e = dict_next(c->members.dict, &at));)
        note_member(vm, c, e->key.tag == V_STR ? e->key.str->text : "", e->v);
    for (size_t i = 0; i < c->order.tuple->count; i++) {
        c->has_data_descriptors |= c->order.tuple->items[i].class->has_data_descriptors;
        c->sets |= c->order.tuple->items[i].class->sets;
    }
}

/* Sets the qualified names of functions, and calls __set_name__ of descriptors. */
static gpa_code name_members(gpa_vm *vm, value class) {
    class_obj *c = class.class;
    gpa_code rc = GPA_OK;
    size_t at = 0;
    for (dict_entry e; !rc && dict_next_own(c->members.dict, &at, &e); dict_entry_drop(vm, &e)) {
        value fn = function_in(e.v), set_name_hook = v_unset(), nothing = v_none();
        if (fn.tag == V_FUNC && !fn.func->code->title && fn.func->code->scope->parent &&
            fn.func->code->scope->parent->kind == AST_SCOPE_CLASS) {
            char title[256];
            snprintf(title, sizeof title, "%s.%s", c->text, func_name(vm, fn.func));
            if (!(fn.func->code->title = intern_get(vm->core.names, title, strlen(title))))
                rc = vm_no_memory(vm);
        }
        if (is_kind(e.v, &instance_kind))
            set_name_hook = class_text_peek(class_of_peek(e.v), "__set_name__");
        if (rc || set_name_hook.tag != V_FUNC) continue;
        rc = vm_call(vm, set_name_hook, ARGS(3, (value[]){e.v, class, e.key}), &nothing);
        value_release(vm, nothing);
    }
    return rc;
}

static bool is_abstract(gpa_vm *vm, value member) {
    value fn = function_in(member);
    return fn.tag == V_FUNC && fn.func->attrs.tag == V_DICT &&
           dict_text_peek(vm, fn.func->attrs.dict, "__isabstractmethod__").tag != V_UNSET;
}

/* Collects the abstract methods of a class derived from abc.ABC that are not overridden. */
static gpa_code find_abstract(gpa_vm *vm, class_obj *c) {
    bool abc = false;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < c->order.tuple->count; i++)
        abc |= strcmp(sym_text(vm, c->order.tuple->items[i].class->module->name), "abc") == 0;
    value names = abc ? v_list(vm, 0, NULL) : v_none();
    if (!abc) return GPA_OK;
    if (names.tag == V_UNSET) return vm->core.err.code;
    for (size_t i = 0; i <= c->order.tuple->count && !rc; i++) {
        const class_obj *of = i ? c->order.tuple->items[i - 1].class : c;
        size_t at = 0;
        for (dict_entry *e; !rc && (e = dict_next(of->members.dict, &at));)
            if (is_abstract(vm, e->v) && value_is(class_text_peek(c, e->key.str->text), e->v))
                rc = list_append(vm, names.list, e->key);
    }
    if (!rc) rc = list_sort(vm, names.list, v_none(), false);
    if (!rc && names.list->count)
        rc = native_return(v_tuple(vm, names.list->count, names.list->items), &c->abstract);
    value_release(vm, names);
    return rc;
}

/* __init_subclass__ is implicitly a classmethod. */
static gpa_code wrap_init_subclass(gpa_vm *vm, dict_obj *d) {
    value fn = dict_text_peek(vm, d, "__init_subclass__"), wrapped = v_none();
    if (fn.tag != V_FUNC) return GPA_OK;
    gpa_code rc = descriptor_new(vm, &classmethod_kind, fn, &wrapped);
    if (!rc) rc = dict_set_text(vm, d, "__init_subclass__", wrapped);
    value_release(vm, wrapped);
    return rc;
}

/* Adds the members every class has: __module__; __hash__ None where __eq__ is defined alone. */
static gpa_code complete_members(gpa_vm *vm, class_obj *c) {
    dict_obj *d = c->members.dict;
    gpa_code rc = GPA_OK;
    if (dict_text_peek(vm, d, "__del__").tag != V_UNSET)
        return vm_fail(
            vm, GPA_E_UNSUPPORTED,
            "__del__ is not part of gpa: release its resources in a method, or use `with`");
    if ((rc = wrap_init_subclass(vm, d))) return rc;
    value module = v_cstr(vm, sym_text(vm, c->module->name));
    rc = module.tag == V_UNSET ? vm->core.err.code : dict_set_text(vm, d, "__module__", module);
    value_release(vm, module);
    bool equals = dict_text_peek(vm, d, "__eq__").tag != V_UNSET,
         hashes = dict_text_peek(vm, d, "__hash__").tag != V_UNSET;
    return !rc && equals && !hashes ? dict_set_text(vm, d, "__hash__", v_none()) : rc;
}

/* Calls the nearest ancestor's __init_subclass__ with the new class. */
static gpa_code call_init_subclass(gpa_vm *vm, value class) {
    value fn = class_super_member(class.class, class.class, "__init_subclass__"),
          nothing = v_none();
    if (is_kind(fn, &classmethod_kind)) fn = fn.object->fields[WRAPPED];
    gpa_code rc = fn.tag == V_FUNC ? vm_call(vm, fn, ARGS(1, &class), &nothing) : GPA_OK;
    value_release(vm, nothing);
    return rc;
}

/* The class becomes the value of the variable __class__ that its methods share. */
static gpa_code fill_class_cell(gpa_vm *vm, dict_obj *members, value class) {
    dict_entry *kept =
        dict_named_peek(members, "__classcell__", 13, hash_bytes("__classcell__", 13, 0));
    if (!kept) return GPA_OK;
    kept->v.cell->v = value_retain(class);
    bool found;
    value key = value_retain(kept->key);
    gpa_code rc = dict_remove(vm, members, key, &found);
    value_release(vm, key);
    return rc;
}

static bool has_foreign_base(value bases) {
    for (size_t i = 0; i < bases.tuple->count; i++)
        if (is_foreign(bases.tuple->items[i])) return true;
    return false;
}

static gpa_code foreign_class(gpa_vm *vm, const code *body, value bases, value members,
                              value *out) {
    gpa_code rc = foreign.derive(vm, sym_text(vm, body->name), bases, members, out);
    return rc ? rc : fill_class_cell(vm, members.dict, *out);
}

gpa_code class_new(gpa_vm *vm, code *body, value bases, value members, module_obj *module,
                   value *out) {
    if (has_foreign_base(bases)) return foreign_class(vm, body, bases, members, out);
    class_obj *c = mem_zero(sizeof *c);
    value object = v_type(V_OBJECT), class = v_obj(V_CLASS, c);
    if (!c) return vm_no_memory(vm);
    c->head = (obj){1, V_CLASS};
    c->text = sym_text(vm, body->name);
    c->body = code_retain(body);
    c->module = module;
    module_keep(module);
    c->members = value_retain(members);
    c->order = c->abstract = c->replaced = v_none();
    c->bases = bases.tuple->count ? value_retain(bases) : v_tuple(vm, 1, &object);
    c->next = vm->classes;
    if (c->next) c->next->prev = c;
    vm->classes = c;
    gpa_code rc = c->bases.tag != V_UNSET ? GPA_OK : vm_no_memory(vm);
    if (!rc) rc = check_bases(vm, c);
    if (!rc) rc = order_of(vm, c->bases.tuple, &c->order);
    if (!rc) rc = complete_members(vm, c);
    if (!rc) rc = find_abstract(vm, c);
    if (!rc) rc = check_slots(vm, c);
    if (!rc) c->closed = is_closed(vm, c);
    if (!rc) note_members(vm, c);
    if (!rc) rc = name_members(vm, class);
    if (!rc) rc = fill_class_cell(vm, members.dict, class);
    if (!rc) rc = call_init_subclass(vm, class);
    return native_finish(vm, rc, class, out);
}

/* ---- attributes ---- */

/* Attributes of the class object itself (__name__, __dict__, ...), for names that are no members.
 */
static gpa_code own_type_attr(gpa_vm *vm, class_obj *c, const char *text, value *out) {
    if (strcmp(text, "__name__") == 0 || strcmp(text, "__qualname__") == 0)
        return native_return(v_cstr(vm, c->text), out);
    if (strcmp(text, "__doc__") == 0)
        *out = v_none();
    else if (strcmp(text, "__dict__") == 0)
        return native_return(dict_copy(vm, c->members.dict), out);
    else if (strcmp(text, "__bases__") == 0)
        *out = value_retain(c->bases);
    else if (strcmp(text, "__mro__") == 0)
        return class_ancestors(vm, c, out);
    return GPA_OK;
}

gpa_code class_ancestors(gpa_vm *vm, class_obj *c, value *out) {
    value all = v_list(vm, 0, NULL);
    gpa_code rc =
        all.tag == V_UNSET ? vm->core.err.code : list_append(vm, all.list, v_obj(V_CLASS, c));
    for (size_t i = 0; i < c->order.tuple->count && !rc; i++)
        rc = list_append(vm, all.list, c->order.tuple->items[i]);
    for (gpa_code e = c->error; e && !rc; e = gpa_err_parent(e))
        rc = list_append(vm, all.list, v_type(AUX_ERROR + (uint32_t)e));
    if (!rc && c->tuple) rc = list_append(vm, all.list, v_type(V_TUPLE));
    if (!rc) rc = list_append(vm, all.list, v_type(V_OBJECT));
    if (!rc) rc = native_return(v_tuple(vm, all.list->count, all.list->items), out);
    value_release(vm, all);
    return rc;
}

gpa_code class_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value *out) {
    value m = class_member_peek(vm, c, name);
    *out = v_unset();
    return m.tag == V_UNSET ? own_type_attr(vm, c, sym_text(vm, name), out)
                            : class_bind(vm, m, v_unset(), v_obj(V_CLASS, c), out);
}

gpa_code class_bind(gpa_vm *vm, value m, value self, value class, value *out) {
    bool bound = self.tag != V_UNSET;
    *out = v_unset();
    if (m.tag != V_OBJECT && (m.tag != V_FUNC || !bound || m.func->unbound))
        *out = value_retain(m);
    else if (m.tag == V_FUNC)
        return native_return(v_method(vm, self, m), out);
    else if (is_kind(m, &property_kind) && bound) {
        value get = m.object->fields[PROPERTY_GET];
        return get.tag == V_NONE ? GPA_OK : vm_call(vm, get, ARGS(1, &self), out);
    } else if (is_kind(m, &static_kind))
        *out = value_retain(m.object->fields[WRAPPED]);
    else if (is_kind(m, &classmethod_kind))
        return native_return(v_method(vm, class, m.object->fields[WRAPPED]), out);
    else if (bound && m.object->kind->binds)
        return native_return(v_method(vm, self, m), out);
    else {
        value get =
            is_kind(m, &instance_kind) ? class_text_peek(class_of_peek(m), "__get__") : v_unset();
        if (get.tag == V_FUNC)
            return vm_call(vm, get, ARGS(3, (value[]){m, bound ? self : v_none(), class}), out);
        *out = value_retain(m);
    }
    return GPA_OK;
}

/* Keeps a replaced function member alive, also within a property: running frames borrow it. */
static gpa_code keep_replaced(gpa_vm *vm, class_obj *c, gpa_sym name) {
    value old = dict_text_peek(vm, c->members.dict, sym_text(vm, name));
    if (old.tag != V_FUNC && old.tag != V_OBJECT) return GPA_OK;
    if (c->replaced.tag == V_NONE) {
        value past = v_list(vm, 0, NULL);
        if (past.tag == V_UNSET) return vm->core.err.code;
        c->replaced = past;
    }
    return list_append(vm, c->replaced.list, old);
}

/* Sets __name__ and __module__, which are stored outside the members. */
static gpa_code set_name(gpa_vm *vm, class_obj *c, const char *name, value item) {
    bool own = strcmp(name, "__name__") == 0;
    module_obj *m = NULL;
    if (item.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "can only assign string to %s.%s, not '%s'", c->text, name,
                       value_type_name(item));
    gpa_sym s = own ? intern_get(vm->core.names, item.str->text, item.str->size) : 0;
    if (own && !s) return vm_no_memory(vm);
    if (own)
        c->text = sym_text(vm, s);
    else if ((m = strcmp(item.str->text, "__main__") == 0 ? vm->main
                                                          : vm_loaded_peek(vm, item.str->text)))
        c->module = m;
    return own ? GPA_OK : dict_set_text(vm, c->members.dict, name, item);
}

gpa_code class_set_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value item) {
    const char *text = sym_text(vm, name);
    if (strcmp(text, "__name__") == 0 || strcmp(text, "__module__") == 0)
        return set_name(vm, c, text, item);
    gpa_code rc = keep_replaced(vm, c, name);
    note_member(vm, c, sym_text(vm, name), item);
    return rc ? rc : dict_set_text(vm, c->members.dict, sym_text(vm, name), item);
}

gpa_code class_delete_attr(gpa_vm *vm, class_obj *c, gpa_sym name, bool *there) {
    value key = v_cstr(vm, sym_text(vm, name));
    gpa_code rc = key.tag == V_UNSET ? vm->core.err.code : keep_replaced(vm, c, name);
    if (!rc) rc = dict_remove(vm, c->members.dict, key, there);
    value_release(vm, key);
    return rc;
}

/* ---- destruction ---- */

void class_unlink(gpa_vm *vm, class_obj *c) {
    if (c->prev)
        c->prev->next = c->next;
    else
        vm->classes = c->next;
    if (c->next) c->next->prev = c->prev;
    code_release(vm, c->body);
}

void class_break_cycles(gpa_vm *vm) {
    for (class_obj *c = vm->classes; c; c = c->next) c->head.refs++;
    for (class_obj *c = vm->classes; c; c = c->next)
        if (c->members.tag == V_DICT) dict_clear(vm, c->members.dict);
    for (class_obj *c = vm->classes, *next; c; c = next) {
        next = c->next;
        value_release(vm, v_obj(V_CLASS, c));
    }
}
