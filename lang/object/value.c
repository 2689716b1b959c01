/* Making, destroying, comparing and hashing values.
 *
 * Destruction is a loop over a stack of its own, so that a chain of a million tuples does not need
 * a million C frames. Reading order: making, destroying, asking. */
#include "lang/object/value.h"

#include <stdarg.h>

#include "lang/object/big.h"
#include "lang/builtin/tables.h"
#include "lang/object/class.h"
#include "lang/builtin/kinds.h"
#include "lang/object/container.h"
#include "lang/object/instance.h"
#include "lang/vm/machine.h"
#include "lang/object/number.h"
#include "lang/object/record.h"
#include "lang/text/text.h"
#include "lang/vm/vm.h"

const bool value_is_heap[V_COUNT] = {
#define VT(id, name, heap) [V_##id] = heap,
    GPA_VALUE_TAGS(VT)
#undef VT
};

/* ---- making ---- */

static void *object_new(gpa_vm *vm, value_tag tag, size_t size) {
    obj *o = mem_zero(size);
    if (!o) {
        vm_no_memory(vm);
        return NULL;
    }
    o->refs = 1;
    o->tag = tag;
    return o;
}

static value made(value_tag tag, void *o) { return o ? v_obj(tag, o) : v_unset(); }

value v_complex(gpa_vm *vm, double re, double im) {
    complex_obj *c = object_new(vm, V_COMPLEX, sizeof *c);
    if (c) {
        c->re = re;
        c->im = im;
    }
    return made(V_COMPLEX, c);
}

value v_num(gpa_vm *vm, gpa_dtype t, gpa_val v) {
    if (t == DT_C128) {
        value c = v_complex(vm, v.C128.re, v.C128.im);
        c.aux = 1;
        return c;
    }
    const size_t unused = 64 - 8 * dtype_size(t); /* high bits: what a copy of some bytes costs here
                                                     is that they are read as one word */
    return (value){.tag = V_NUM, .aux = t, .bits = v.bits[0] << unused >> unused};
}

value v_array_take(gpa_vm *vm, gpa_arr *a, bool scalar) {
    array_obj *o = object_new(vm, V_ARRAY, sizeof *o);
    if (!o) {
        arr_release(vm_rt(vm), a);
        return v_unset();
    }
    o->arr = a;
    return (value){.tag = V_ARRAY, .aux = scalar, .array = o};
}

/* The text is copied; NULL leaves it to be filled in. */
static value text_object(gpa_vm *vm, value_tag tag, const char *text, size_t n) {
    if (n >= UINT32_MAX - sizeof(str_obj)) {
        vm_no_memory(vm);
        return v_unset();
    }
    str_obj *s = mem_new(sizeof *s + n + 1);
    if (!s) {
        vm_no_memory(vm);
        return v_unset();
    }
    *s = (str_obj){.head = {1, tag}, .size = (uint32_t)n, .length = (uint32_t)n};
    if (n && text) memcpy(s->text, text, n);
    s->text[n] = 0;
    return v_obj(tag, s);
}

/* Bytes that begin no character become U+FFFD. */
static value repaired(gpa_vm *vm, const char *text, size_t n) {
    gpa_str s;
    str_init(&s);
    size_t len;
    for (size_t i = 0; i < n; i += len) text_put(&s, text_decode(text + i, n - i, &len));
    value v = s.failed ? v_unset() : v_str(vm, s.text, s.len);
    if (s.failed) vm_no_memory(vm);
    str_free(&s);
    return v;
}

value v_str(gpa_vm *vm, const char *text, size_t n) {
    size_t ascii = 0, count = 0, len;
    while (ascii < n && (unsigned char)text[ascii] < 0x80) ascii++;
    for (size_t i = ascii; i < n; i += len, count++) {
        uint32_t c = text_decode(text + i, n - i, &len);
        if (c == 0xFFFD && len == 1) return repaired(vm, text, n);
    }
    value v = text_object(vm, V_STR, text, n);
    if (v.tag == V_STR) v.str->length = (uint32_t)(ascii + count);
    return v;
}

value v_bytes(gpa_vm *vm, const char *bytes, size_t n) {
    return text_object(vm, V_BYTES, bytes, n);
}

value v_joined(gpa_vm *vm, value a, value b) {
    value v = text_object(vm, (value_tag)a.tag, NULL, (size_t)a.str->size + b.str->size);
    if (v.tag == V_UNSET) return v;
    memcpy(v.str->text, a.str->text, a.str->size);
    memcpy(v.str->text + a.str->size, b.str->text, b.str->size);
    v.str->length = a.str->length + b.str->length;
    return v;
}

gpa_code str_extend(gpa_vm *vm, value *a, value b) {
    size_t n = a->str->size, more = b.str->size;
    str_obj *s =
        n + more < UINT32_MAX - sizeof *s ? mem_resize(a->str, sizeof *s + n + more + 1) : NULL;
    if (!s) return vm_no_memory(vm);
    memcpy(s->text + n, b.str->text, more + 1);
    s->size += (uint32_t)more;
    s->length += b.str->length;
    s->hash = 0;
    a->str = s;
    return GPA_OK;
}

value v_cstr(gpa_vm *vm, const char *text) { return v_str(vm, text, strlen(text)); }

value v_str_take(gpa_vm *vm, gpa_str *s) {
    value v = s->failed ? v_unset() : v_str(vm, s->text, s->len);
    if (s->failed) vm_no_memory(vm);
    str_free(s);
    return v;
}

value v_strf(gpa_vm *vm, const char *fmt, ...) {
    gpa_str s;
    str_init(&s);
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    return v_str_take(vm, &s);
}

/* n items, retained; without `items`, NONE. */
static void fill_in(value *to, size_t n, const value *items) {
    for (size_t i = 0; i < n; i++) to[i] = items ? value_retain(items[i]) : v_none();
}

value v_tuple(gpa_vm *vm, size_t n, const value *items) {
    if (n > SIZE_MAX / sizeof(value) / 2) {
        vm_no_memory(vm);
        return v_unset();
    }
    tuple_obj *t = object_new(vm, V_TUPLE, sizeof *t + n * sizeof(value));
    if (!t) return v_unset();
    t->count = n;
    fill_in(t->items, n, items);
    return v_obj(V_TUPLE, t);
}

value v_list(gpa_vm *vm, size_t n, const value *items) {
    list_obj *l = object_new(vm, V_LIST, sizeof *l);
    if (!l) return v_unset();
    if (n) {
        if (list_reserve(vm, l, n)) {
            mem_free(l);
            return v_unset();
        }
        fill_in(l->items, n, items);
        l->count = n;
    }
    return v_obj(V_LIST, l);
}

value v_dict(gpa_vm *vm) { return made(V_DICT, object_new(vm, V_DICT, sizeof(dict_obj))); }

value v_set(gpa_vm *vm) { return made(V_SET, object_new(vm, V_SET, sizeof(set_obj))); }

value v_slice(gpa_vm *vm, value start, value stop, value step) {
    slice_obj *s = object_new(vm, V_SLICE, sizeof *s);
    if (!s) return v_unset();
    s->start = value_retain(start);
    s->stop = value_retain(stop);
    s->step = value_retain(step);
    return v_obj(V_SLICE, s);
}

value v_range(gpa_vm *vm, int64_t start, int64_t stop, int64_t step) {
    range_obj *r = object_new(vm, V_RANGE, sizeof *r);
    if (!r) return v_unset();
    r->start = start;
    r->stop = stop;
    r->step = step;
    return v_obj(V_RANGE, r);
}

value v_method(gpa_vm *vm, value self, value fn) {
    method_obj *m = object_new(vm, V_METHOD, sizeof *m);
    if (!m) return v_unset();
    m->self = value_retain(self);
    m->fn = value_retain(fn);
    return v_obj(V_METHOD, m);
}

value v_iter(gpa_vm *vm, const char *name,
             gpa_code (*next)(struct vm *, iter_obj *, value *, bool *)) {
    iter_obj *it = object_new(vm, V_ITER, sizeof *it);
    if (!it) return v_unset();
    it->next = next;
    it->type_name = name;
    it->source = it->extra = v_none();
    return v_obj(V_ITER, it);
}

value v_object(gpa_vm *vm, const object_kind *kind, size_t n) {
    object_obj *o = object_new(vm, V_OBJECT, sizeof *o + n * sizeof(value));
    if (!o) return v_unset();
    o->kind = kind;
    o->count = n;
    fill_in(o->fields, n, NULL);
    return v_obj(V_OBJECT, o);
}

/* ---- destroying ---- */

enum { DYING = 64 };

/* Objects that nobody holds any more and that wait for their turn. What is released while one goes
 * joins them. */
typedef struct dying {
    gpa_vm *vm;
    size_t n, cap;
    value *at; /* `few`, or a block */
    value few[DYING];
} dying;

static void bury(dying *d, value v);

/* Lets an object wait; when there is no memory to wait in, it goes at once. */
static void await(dying *d, value v) {
    if (d->n == d->cap) {
        value *more = mem_resize(d->at == d->few ? NULL : d->at, 2 * d->cap * sizeof *more);
        if (!more) {
            bury(d, v);
            return;
        }
        if (d->at == d->few) memcpy(more, d->few, sizeof d->few);
        d->at = more;
        d->cap *= 2;
    }
    d->at[d->n++] = v;
}

static void drop(dying *d, value v) {
    if (value_is_heap[v.tag] && --v.o->refs == 0) await(d, v);
}

static void drop_all(dying *d, const value *items, size_t n) {
    for (size_t i = 0; i < n; i++) drop(d, items[i]);
}

static void drop_table(dying *d, dict_obj *t) {
    for (size_t i = 0; i < t->n; i++) {
        drop(d, t->entries[i].key);
        drop(d, t->entries[i].v);
    }
    mem_free(t->entries);
    mem_free(t->index);
}

/* Frees one object, and drops what it holds. */
static void bury(dying *d, value v) {
    switch ((value_tag)v.o->tag) {
        case V_LIST:
            drop_all(d, v.list->items, v.list->count);
            mem_free(v.list->items);
            break;
        case V_TUPLE: drop_all(d, v.tuple->items, v.tuple->count); break;
        case V_DICT: drop_table(d, v.dict); break;
        case V_SET: drop_table(d, &v.set->d); break;
        case V_SLICE:
            drop_all(d, (value[]){v.slice->start, v.slice->stop, v.slice->step}, 3);
            break;
        case V_ARRAY: arr_release(vm_rt(d->vm), v.array->arr); break;
        case V_METHOD: drop_all(d, (value[]){v.method->self, v.method->fn}, 2); break;
        case V_EXCEPTION:
            exception_forget(d->vm, v.exc);
            drop_all(
                d, (value[]){v.exc->args, v.exc->cause, v.exc->notes, v.exc->class, v.exc->fields},
                5);
            break;
        case V_CLASS:
            class_forget(d->vm, v.class);
            drop_all(d,
                     (value[]){v.class->bases, v.class->order, v.class->members, v.class->abstract,
                               v.class->past},
                     5);
            break;
        case V_ITER: drop_all(d, (value[]){v.iter->source, v.iter->extra}, 2); break;
        case V_CELL: drop(d, v.cell->v); break;
        case V_OBJECT:
            if (v.object->kind->free) v.object->kind->free(d->vm, v.object);
            drop_all(d, v.object->fields, v.object->count);
            break;
        case V_FUNC: func_free(d->vm, v.func); return;
        case V_MODULE: module_free(d->vm, v.module); return;
        case V_COMPLEX:
        case V_BIG:
        case V_STR:
        case V_BYTES:
        case V_RANGE:
        case V_UNSET:
        case V_NONE:
        case V_BOOL:
        case V_INT:
        case V_FLOAT:
        case V_NUM:
        case V_ELLIPSIS:
        case V_NOT_IMPLEMENTED:
        case V_DTYPE:
        case V_TYPE:
        case V_NATIVE:
        case V_UFUNC:
        case V_COUNT: break;
    }
    mem_free(v.o);
}

void value_destroy(gpa_vm *vm, value v) {
    if (vm->dying) {
        await(vm->dying, v);
        return;
    }
    dying d;
    d.vm = vm;
    d.n = 0;
    d.cap = DYING;
    d.at = d.few;
    vm->dying = &d;
    bury(&d, v);
    while (d.n) bury(&d, d.at[--d.n]);
    vm->dying = NULL;
    if (d.at != d.few) mem_free(d.at);
}

/* ---- asking ---- */

gpa_code value_now(gpa_vm *vm, value v, value *out) {
    if (v.tag != V_ARRAY || v.aux != 1) {
        *out = value_retain(v);
        return GPA_OK;
    }
    gpa_val item;
    gpa_code rc = arr_item(vm_rt(vm), v.array->arr, &item, vm_err(vm));
    if (rc) return rc;
    *out = v_num(vm, (gpa_dtype)v.array->arr->dtype, item);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static gpa_code plain_tuple(gpa_vm *vm, value v, value *out) {
    *out = v_tuple(vm, v.tuple->count, NULL);
    if (out->tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < v.tuple->count; i++) {
        gpa_code rc = value_python(vm, v.tuple->items[i], &out->tuple->items[i]);
        if (!rc) continue;
        value_release(vm, *out);
        *out = v_none();
        return rc;
    }
    return GPA_OK;
}

gpa_code value_python(gpa_vm *vm, value v, value *out) {
    if (v.tag == V_TUPLE) return plain_tuple(vm, v, out);
    gpa_code rc = value_now(vm, v, out);
    if (rc || !number_is_numpy(*out)) return rc;
    number n = number_of(*out);
    bool truth = out->tag == V_NUM && out->aux == DT_BOOL;
    value as;
    if (n.kind == NUMBER_INT)
        as = truth ? v_bool(n.i != 0) : v_int(n.i);
    else if (n.kind == NUMBER_FLOAT)
        as = v_float(n.re);
    else if (n.kind == NUMBER_UINT)
        as = v_uint(vm, n.u);
    else
        as = v_complex(vm, n.re, n.im);
    value_release(vm, *out);
    *out = as;
    return as.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static const char *const numpy_names[DT_COUNT] = {
#define DT(id, name, ...) [DT_##id] = "numpy." name,
#include "runtime/tables/dtype.def"
#undef DT
};

static const char *const tag_names[V_COUNT] = {
#define VT(id, name, heap) [V_##id] = name,
    GPA_VALUE_TAGS(VT)
#undef VT
};

const char *type_name(uint32_t aux) {
    if (aux >= AUX_KIND) return object_kinds[aux - AUX_KIND]->type_name;
    if (aux == AUX_FROZENSET) return "frozenset";
    if (aux >= AUX_ERROR) return gpa_err_name((gpa_code)(aux - AUX_ERROR));
    if (aux >= AUX_DTYPE) return numpy_names[aux - AUX_DTYPE];
    return tag_names[aux];
}

value value_plain(value v) {
    bool tuple = v.tag == V_OBJECT &&
                 (v.object->kind->tuple ||
                  (v.object->kind == &instance_kind && v.object->fields[0].tag == V_TUPLE));
    return tuple ? v.object->fields[0] : v;
}

const char *value_type_name(value v) {
    if (v.tag == V_NUM) return numpy_names[v.aux];
    if (v.tag == V_COMPLEX && v.aux) return numpy_names[DT_C128];
    if (v.tag == V_ARRAY && v.aux) return numpy_names[v.array->arr->dtype];
    const class_obj *class = v.tag == V_EXCEPTION || v.tag == V_OBJECT ? class_of_peek(v) : NULL;
    if (class) return class->text;
    if (v.tag == V_EXCEPTION) return gpa_err_name(v.exc->code);
    if (v.tag == V_OBJECT && v.object->kind->tuple)
        return strrchr(v.object->kind->type_name, '.') + 1;
    if (v.tag == V_OBJECT) return v.object->kind->type_name;
    if (v.tag == V_ITER) return v.iter->type_name;
    if (v.tag == V_FUNC && v.func->ufunc) return tag_names[V_UFUNC];
    if (v.tag == V_SET && v.set->frozen) return "frozenset";
    return tag_names[v.tag];
}

static gpa_code array_truth(gpa_vm *vm, gpa_arr *a, bool *out) {
    if (a->size == 0)
        return vm_fail(vm, GPA_E_VALUE,
                       "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                       "check that an array is not "
                       "empty.");
    if (a->size > 1)
        return vm_fail(vm, GPA_E_VALUE,
                       "The truth value of an array with more than one element is ambiguous. Use "
                       "a.any() or a.all()");
    gpa_val item;
    gpa_code rc = arr_item(vm_rt(vm), a, &item, vm_err(vm));
    if (!rc) *out = dtype_cast(item, (gpa_dtype)a->dtype, DT_BOOL).BOOL;
    return rc;
}

gpa_code value_truth(gpa_vm *vm, value v, bool *out) {
    *out = true;
    if (v.tag == V_BOOL || v.tag == V_INT)
        *out = v.i != 0;
    else if (v.tag == V_NONE || v.tag == V_UNSET)
        *out = false;
    else if (v.tag == V_STR || v.tag == V_BYTES)
        *out = v.str->size != 0;
    else if (v.tag == V_LIST)
        *out = v.list->count != 0;
    else if (v.tag == V_TUPLE)
        *out = v.tuple->count != 0;
    else if (v.tag == V_DICT)
        *out = v.dict->count != 0;
    else if (v.tag == V_SET)
        *out = v.set->d.count != 0;
    else if (v.tag == V_RANGE)
        *out = v.range->step > 0 ? v.range->start < v.range->stop : v.range->start > v.range->stop;
    else if (v.tag == V_ARRAY)
        return array_truth(vm, v.array->arr, out);
    else if (v.tag == V_OBJECT && record_is(v.object->kind))
        return record_truth(vm, v.object, out);
    else if (v.tag == V_OBJECT && v.object->kind->len) {
        int64_t n = 0;
        gpa_code rc = v.object->kind->len(vm, v.object, &n);
        *out = n != 0;
        return rc;
    } else {
        number n = number_of(v);
        if (n.kind != NUMBER_NOT)
            *out = n.kind == NUMBER_INT ? n.i != 0 : !(n.re == 0) || !(n.im == 0);
    }
    return GPA_OK;
}

uint64_t str_hash(str_obj *s) {
    if (s->hash == 0) {
        s->hash = hash_bytes(s->text, s->size, 0);
        if (s->hash == 0) s->hash = 1;
    }
    return s->hash;
}

enum { DEEPEST_HASH = 5000 };

static gpa_code hash_at(gpa_vm *vm, value v, int depth, uint64_t *out);

/* Of what is equal to itself alone (value_is). */
static uint64_t identity_hash(value v) {
    if (v.tag == V_ARRAY) return (uint64_t)(uintptr_t)v.array->arr >> 4;
    if (value_is_heap[v.tag]) return (uint64_t)(uintptr_t)v.o >> 4;
    return v.bits ^ (uint64_t)v.tag << 32 ^ v.aux;
}

/* CPython's tuple hash. */
static gpa_code tuple_hash(gpa_vm *vm, const tuple_obj *t, int depth, uint64_t *out) {
    if (depth > DEEPEST_HASH)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    uint64_t acc = 2870177450012600261u;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t lane;
        gpa_code rc = hash_at(vm, t->items[i], depth + 1, &lane);
        if (rc) return rc;
        acc += lane * 14029467366897019727u;
        acc = (acc << 31 | acc >> 33) * 11400714785074694791u;
    }
    acc += t->count ^ (2870177450012600261u ^ 3527539u);
    *out = acc == UINT64_MAX ? 1546275796 : acc;
    return GPA_OK;
}

gpa_code value_hash(gpa_vm *vm, value v, uint64_t *out) { return hash_at(vm, v, 0, out); }

static gpa_code hash_at(gpa_vm *vm, value v, int depth, uint64_t *out) {
    if (v.tag == V_INT &&
        (uint64_t)v.i < (1ull << 61) - 1) { /* the commonest: what number_hash would give */
        *out = (uint64_t)v.i;
        return GPA_OK;
    }
    if (v.tag == V_STR || v.tag == V_BYTES) {
        *out = str_hash(v.str);
        return GPA_OK;
    }
    number n = number_of(v);
    if (n.kind != NUMBER_NOT) {
        *out = (uint64_t)number_hash(&n);
        return GPA_OK;
    }
    if (!instance_has(v, "__hash__")) v = value_plain(v);
    if (v.tag == V_TUPLE) return tuple_hash(vm, v.tuple, depth, out);
    if (v.tag == V_ARRAY && v.aux) {
        value now;
        gpa_code rc = value_now(vm, v, &now);
        if (rc) return rc;
        rc = value_hash(vm, now, out);
        value_release(vm, now);
        return rc;
    }
    if (v.tag == V_SET && v.set->frozen) {
        *out = v.set->d.count;
        size_t at = 0;
        for (dict_entry *e; (e = dict_next(&v.set->d, &at));)
            *out ^= (e->hash ^ (e->hash << 16) ^ 89869747u) * 3644798167u;
        return GPA_OK;
    }
    if (v.tag == V_RANGE || v.tag == V_SLICE) {
        *out = v.tag;
        if (v.tag == V_RANGE) *out = hash_bytes(&v.range->start, 3 * sizeof v.range->start, 0);
        return GPA_OK;
    }
    if (v.tag == V_LIST || v.tag == V_DICT || v.tag == V_SET || v.tag == V_ARRAY)
        return vm_fail(vm, GPA_E_TYPE, "unhashable type: '%s'", value_type_name(v));
    if (v.tag == V_OBJECT) {
        bool handled;
        gpa_code rc = record_hash(vm, v, out, &handled);
        if (rc || handled) return rc;
    }
    *out = v.tag == V_METHOD ? 31 * identity_hash(v.method->self) + identity_hash(v.method->fn)
                             : identity_hash(v);
    return GPA_OK;
}

bool value_is(value a, value b) {
    if (a.tag != b.tag) return false;
    if (a.tag == V_ARRAY && a.aux == b.aux)
        return a.array->arr == b.array->arr; /* a.base is made anew each time */
    if (value_is_heap[a.tag]) return a.o == b.o;
    return a.aux == b.aux && (a.tag == V_NONE || a.tag == V_ELLIPSIS || a.tag == V_TYPE ||
                              a.tag == V_DTYPE || a.bits == b.bits);
}

/* ---- equality ---- */

enum { DEEPEST = 400 };

static gpa_code equal(gpa_vm *vm, value a, value b, int depth, bool *out);

/* Of two lists or two tuples. */
static gpa_code equal_items(gpa_vm *vm, value a, value b, int depth, bool *out) {
    gpa_code rc = GPA_OK;
    value x, y;
    *out = items_count(a) == items_count(b);
    for (size_t i = 0, k = 0; *out && !rc && items_next(a, &i, &x); value_release(vm, x)) {
        if (!(*out = items_next(b, &k, &y))) continue;
        rc = equal(vm, x, y, depth + 1, out);
        value_release(vm, y);
    }
    *out = *out && items_count(a) == items_count(b);
    return rc;
}

static gpa_code equal_slices(gpa_vm *vm, const slice_obj *a, const slice_obj *b, int depth,
                             bool *out) {
    gpa_code rc = equal(vm, a->start, b->start, depth + 1, out);
    if (!rc && *out) rc = equal(vm, a->stop, b->stop, depth + 1, out);
    return rc || !*out ? rc : equal(vm, a->step, b->step, depth + 1, out);
}

static gpa_code equal_dicts(gpa_vm *vm, dict_obj *a, dict_obj *b, int depth, bool *out) {
    *out = a->count == b->count;
    gpa_code rc = GPA_OK;
    size_t at = 0;
    for (dict_entry e; !rc && *out && dict_next_own(a, &at, &e); dict_entry_drop(vm, &e)) {
        value other;
        rc = dict_get_peek(vm, b, e.key, &other);
        if (rc) continue;
        if (other.tag == V_UNSET)
            *out = false;
        else
            rc = equal(vm, e.v, value_retain(other), depth + 1, out);
        value_release(vm, other);
    }
    return rc;
}

static bool equal_ranges(const range_obj *a, const range_obj *b) {
    int64_t n = range_len(a);
    return n == range_len(b) &&
           (n == 0 || (a->start == b->start && (n == 1 || a->step == b->step)));
}

/* A dtype equals its name and the types that stand for it. */
static bool equal_dtype(gpa_dtype t, value v) {
    if (v.tag == V_DTYPE) return v.aux == (uint32_t)t;
    if (v.tag == V_STR) return dtype_find(v.str->text, v.str->size) == t;
    if (v.tag != V_TYPE) return false;
    if (v.aux >= AUX_DTYPE) return v.aux == AUX_DTYPE + (uint32_t)t;
    return (v.aux == V_BOOL && t == DT_BOOL) || (v.aux == V_INT && t == DT_I64) ||
           (v.aux == V_FLOAT && t == DT_F64) || (v.aux == V_COMPLEX && t == DT_C128);
}

static gpa_code equal_arrays(gpa_vm *vm, value a, value b, bool *out) {
    value all = v_none();
    gpa_code rc = vm_binary(vm, op_find("equal", 5), a, b, &all);
    if (rc) return rc;
    rc = value_truth(vm, all, out);
    value_release(vm, all);
    return rc;
}

/* By what their type says of ==, else by being one. */
static gpa_code equal_objects(gpa_vm *vm, value a, value b, bool *out) {
    value answer = v_none();
    bool handled;
    gpa_code rc = record_binary(vm, AST_OP_EQ, a, b, &answer, &handled);
    if (!rc && handled) rc = value_truth(vm, answer, out);
    value_release(vm, answer);
    return rc;
}

static gpa_code equal(gpa_vm *vm, value a, value b, int depth, bool *out) {
    *out = false;
    if (depth > DEEPEST)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded in comparison");
    if (a.tag == b.tag && value_is_heap[a.tag] && a.o == b.o && (a.tag != V_COMPLEX || depth)) {
        *out = true;
        return GPA_OK;
    }
    if (!instance_has(a, "__eq__") && !instance_has(b, "__eq__")) {
        a = value_plain(a);
        b = value_plain(b);
    }
    if (a.tag == V_STR && b.tag == V_STR) {
        *out = a.str->size == b.str->size && memcmp(a.str->text, b.str->text, a.str->size) == 0;
        return GPA_OK;
    }
    if (a.tag == V_ARRAY || b.tag == V_ARRAY) return equal_arrays(vm, a, b, out);
    if (a.tag == V_OBJECT || b.tag == V_OBJECT) return equal_objects(vm, a, b, out);
    number x = number_of(a), y = number_of(b);
    if (x.kind != NUMBER_NOT || y.kind != NUMBER_NOT) {
        *out = x.kind != NUMBER_NOT && y.kind != NUMBER_NOT && number_equal(&x, &y);
        return GPA_OK;
    }
    if (a.tag == V_DTYPE || b.tag == V_DTYPE) {
        *out =
            a.tag == V_DTYPE ? equal_dtype((gpa_dtype)a.aux, b) : equal_dtype((gpa_dtype)b.aux, a);
        return GPA_OK;
    }
    if (a.tag != b.tag) return GPA_OK;
    if (a.tag == V_LIST || a.tag == V_TUPLE) return equal_items(vm, a, b, depth, out);
    if (a.tag == V_DICT) return equal_dicts(vm, a.dict, b.dict, depth, out);
    if (a.tag == V_SET)
        return a.set->d.count == b.set->d.count ? set_subset(vm, a.set, b.set, out) : GPA_OK;
    if (a.tag == V_SLICE) return equal_slices(vm, a.slice, b.slice, depth, out);
    if (a.tag == V_METHOD)
        *out = value_is(a.method->self, b.method->self) && value_is(a.method->fn, b.method->fn);
    else if (a.tag == V_RANGE)
        *out = equal_ranges(a.range, b.range);
    else if (a.tag == V_BYTES)
        *out = a.str->size == b.str->size && memcmp(a.str->text, b.str->text, a.str->size) == 0;
    else
        *out = value_is(a, b);
    return GPA_OK;
}

gpa_code value_equal(gpa_vm *vm, value a, value b, bool *out) { return equal(vm, a, b, 0, out); }
