/* The value type: sixteen bytes, passed by value.
 *
 * A value is a tag, a small auxiliary field, and eight bytes of payload: a number, or a counted
 * reference to an object. Numbers never allocate (exceptions: complex, which needs sixteen bytes,
 * and ints beyond 64 bits). Borrow in, own out: arguments are borrowed, results belong to the
 * caller, who releases them with value_release; functions ending in _take consume their argument,
 * those ending in _peek return a borrowed value. A failing function leaves its error in the vm
 * (vm_err, lang/object/core.h). */
#ifndef GPA_OBJECT_VALUE_H
#define GPA_OBJECT_VALUE_H

#include "runtime/runtime.h"

typedef struct vm gpa_vm;

typedef enum {
#define VT(id, name, heap) V_##id,
#include "lang/object/value_tags.def"
#undef VT
    V_COUNT
} value_tag;

/* The head of every heap object. */
typedef struct obj {
    int32_t refs;
    uint32_t tag;
} obj;

typedef struct value {
    uint32_t tag; /* value_tag */
    uint32_t aux; /* NUM: its gpa_dtype.  ARRAY: 1 when it is a lazy NumPy scalar (0-d, immutable).
                   * TYPE: a value_tag, or AUX_DTYPE + gpa_dtype for NumPy's scalar types, or
                   * AUX_DTYPE_CLASS + gpa_dtype for the classes of dtypes (numpy.dtypes), or
                   * AUX_DTYPE_META for the type of these, or
                   * AUX_ERROR + gpa_code for exception types, AUX_KIND + index of an object_kind,
                   * AUX_FROZENSET
                   * or AUX_ORDERED_DICT. COMPLEX: 1 when it is a numpy.complex128.
                   * MODULE: 1 when numpy was imported by the name cupy. */
    union {
        int64_t i;                   /* INT; BOOL: 0 or 1 */
        double f;                    /* FLOAT */
        uint64_t bits;               /* NUM: the first eight bytes of its gpa_val */
        const struct native *native; /* NATIVE: its row (lang/vm/native.h) */
        const struct ufunc *ufunc;   /* UFUNC: (lang/vm/native.h) */
        obj *o;
        struct complex_obj *complex;
        struct big_obj *big; /* BIG: an int beyond 64 bits (lang/object/big.h) */
        struct str_obj *str; /* STR, BYTES */
        struct list_obj *list;
        struct tuple_obj *tuple;
        struct dict_obj *dict;
        struct set_obj *set;
        struct range_obj *range;
        struct slice_obj *slice;
        struct array_obj *array;
        struct func_obj *func;
        struct method_obj *method;
        struct module_obj *module;
        struct exc_obj *exc;
        struct iter_obj *iter;
        struct object_obj *object;
        struct cell_obj *cell;
        struct class_obj *class; /* CLASS: lang/vm/class.h */
    };
} value;

enum {
    AUX_DTYPE = 0x100,
    AUX_DTYPE_CLASS = 0x180,
    AUX_DTYPE_META = 0x1ff,
    AUX_ERROR = 0x200,
    AUX_FROZENSET = 0x300,
    AUX_ORDERED_DICT = 0x301,
    AUX_KIND = 0x400
};
/* True for the auxiliary word of the class of a dtype, as numpy.dtypes.Float64DType. */
static inline bool aux_is_dtype_class(uint32_t aux) {
    return aux >= AUX_DTYPE_CLASS && aux < AUX_DTYPE_META;
}

typedef struct complex_obj {
    obj head;
    double re, im;
} complex_obj;

/* Immutable UTF-8 text (or bytes); `length` counts code points: equal to size for ASCII. hash 0:
 * not yet computed. `index`: byte offsets of some code points (str_offset), NULL until needed. */
typedef struct str_obj {
    obj head;
    uint32_t size, length;
    uint64_t hash;
    struct str_index *index;
    char text[]; /* size bytes and a zero */
} str_obj;

typedef struct list_obj {
    obj head;
    size_t count, cap;
    value *items;
} list_obj;

typedef struct tuple_obj {
    obj head;
    size_t count;
    value items[];
} tuple_obj;

/* Insertion-ordered hash table: entries in order (key UNSET: deleted), found through `index`. */
typedef struct dict_entry {
    value key, v;
    uint64_t hash;
} dict_entry;

typedef struct dict_obj {
    obj head;
    size_t count;  /* live entries */
    size_t n, cap; /* entries used (removed ones included), capacity */
    dict_entry *entries;
    uint32_t *index; /* power-of-two slots holding entry number + 1 */
    size_t slots;
    struct module_obj *module; /* of globals(): its variables are the entries; else NULL */
    bool ordered;              /* a collections.OrderedDict */
} dict_obj;

typedef struct set_obj { /* a dict whose values are unused */
    dict_obj d;
    bool frozen;
    bool arranged; /* the members are in set_arrange's order: none was added or removed since */
} set_obj;

typedef struct range_obj {
    obj head;
    int64_t start, stop, step;
} range_obj;

typedef struct slice_obj {
    obj head;
    value start, stop, step; /* NONE where omitted */
} slice_obj;

typedef struct array_obj {
    obj head;
    gpa_arr *arr;
} array_obj;

/* A bound method: a native or function with its first argument. */
typedef struct method_obj {
    obj head;
    value self, fn;
} method_obj;

typedef struct cell_obj {
    obj head;
    value v;
} cell_obj;

/* An exception object. */
typedef struct exc_obj {
    obj head;
    gpa_code code;
    value args;              /* a tuple */
    value cause;             /* `raise ... from`, or NONE */
    value context;           /* the exception that was being handled when it was raised, or NONE */
    bool suppresses_context; /* `raise ... from` was given, which may name None */
    value notes;             /* the list that add_note makes, or NONE */
    value class;             /* the program's CLASS it is an instance of, or NONE */
    value fields;            /* a DICT of the attributes that were set, or NONE */
    value foreign; /* the exception object of another language that it stands for, or NONE */
    const char *foreign_name; /* the name of that object's type; lives as long as the vm's names */
    struct exc_obj *prev, *next; /* all exceptions of the vm */
    gpa_err err;                 /* span, notes, hint; msg is str(exception) */
} exc_obj;

enum { ITER_ROW = 4 };

/* An iterator: `next` gives the next value (owned) with *done false, or sets *done. */
typedef struct iter_obj {
    obj head;
    gpa_code (*next)(gpa_vm *vm, struct iter_obj *it, value *out, bool *done);
    value source, extra; /* owned; released with the iterator */
    int64_t at, end, step;
    /* If items are tuples of `width` values (at most ITER_ROW), else NULL: gives the next tuple's
     * values (owned) without creating the tuple, for loops that unpack it. */
    gpa_code (*row)(gpa_vm *vm, struct iter_obj *it, value *out, bool *done);
    size_t width;
    const char *type_name; /* "list_iterator", "enumerate", "zip", ... */
} iter_obj;

/* The next value of an iterator (owned), or *done. */
static inline gpa_code iter_next(gpa_vm *vm, value it, value *out, bool *done) {
    return it.iter->next(vm, it.iter, out, done);
}

/* Small library objects (an open file, a device context, a finfo): a kind and its fields. */
typedef struct object_obj {
    obj head;
    const struct object_kind *kind; /* lang/object/kind.h */
    void *data;                     /* private to the kind; freed by kind->free */
    size_t count;
    value fields[];
} object_obj;

/* A function of a program. */
typedef struct func_obj {
    obj head;
    struct code *code;            /* counted */
    struct module_obj *module;    /* its globals; borrowed: modules live as long as the vm */
    uint32_t name;                /* gpa_sym */
    value doc;                    /* as set; UNSET: that of the body (func_doc) */
    value defaults;               /* a TUPLE for the last positional parameters, or NONE */
    value kwdefaults;             /* a DICT by name for keyword-only ones, or NONE */
    value attrs;                  /* a DICT of attributes set by programs, or NONE */
    struct func_obj *prev, *next; /* all functions of the vm */
    bool ufunc;   /* a NumPy ufunc written in the language: its type reads numpy.ufunc */
    bool unbound; /* as a class member it does not bind to the instance, like a built-in function */
    uint32_t n_free;
    value free[]; /* CELLs */
} func_obj;

/* A class of a program (lang/vm/class.h). */
typedef struct class_obj {
    obj head;
    const char *text;          /* the name; lives as long as the vm's names */
    struct code *body;         /* counted */
    struct module_obj *module; /* borrowed */
    gpa_code error;            /* the built-in exception that it derives from, or GPA_OK */
    bool closed;               /* instances have no attributes but those in __slots__ */
    bool has_data_descriptors; /* also inherited; they precede instance attributes */
    bool sets;                 /* it, or a base class, has __setattr__ */
    bool tuple;    /* it derives from tuple: field 0 of an instance is its items, a TUPLE, and there
                      are no attributes */
    value bases;   /* a TUPLE of CLASSes and of TYPEs (exceptions; `object` if the class names no
                      base) */
    value order;   /* a TUPLE of CLASSes: the method resolution order after the class itself */
    value members; /* a DICT */
    value abstract; /* a TUPLE of the names of methods that are still abstract, or NONE */
    value replaced; /* a LIST of former function members, which frames may borrow; or NONE */
    struct class_obj *prev, *next; /* all classes of the vm */
} class_obj;

/* ---- creation ---- (UNSET on failure, with the error in the vm) */

static inline value v_none(void) { return (value){.tag = V_NONE}; }
static inline value v_unset(void) { return (value){.tag = V_UNSET}; }
static inline value v_bool(bool b) { return (value){.tag = V_BOOL, .i = b}; }
static inline value v_int(int64_t i) { return (value){.tag = V_INT, .i = i}; }
static inline value v_float(double f) { return (value){.tag = V_FLOAT, .f = f}; }
static inline value v_dtype(gpa_dtype t) { return (value){.tag = V_DTYPE, .aux = t}; }
static inline value v_type(uint32_t aux) { return (value){.tag = V_TYPE, .aux = aux}; }
static inline value v_obj(value_tag tag, void *o) { return (value){.tag = tag, .o = o}; }
/* A NumPy scalar (complex128 becomes a COMPLEX object with aux 1). */
value v_num(gpa_vm *vm, gpa_dtype t, gpa_val v);
/* A value that owns the runtime's handle; consumes the reference, also on failure. `scalar`: the
 * value is a NumPy scalar. */
value v_array_take(gpa_vm *vm, gpa_arr *a, bool scalar);
value v_complex(gpa_vm *vm, double re, double im);
value v_str(gpa_vm *vm, const char *text, size_t n); /* invalid UTF-8 is replaced by U+FFFD */
value v_cstr(gpa_vm *vm, const char *text);
value v_bytes(gpa_vm *vm, const char *bytes,
              size_t n); /* bytes NULL: left for the caller to fill in */
/* Concatenation of two STR or two BYTES. */
value v_concat(gpa_vm *vm, value a, value b);
/* Appends b in place; requires that the caller holds the only reference to *a, which may move. */
gpa_code str_extend(gpa_vm *vm, value *a, value b);
/* A buffer's text; the buffer is freed, also on failure. */
value v_str_take(gpa_vm *vm, gpa_str *s);
value v_strf(gpa_vm *vm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* n items, copied (retained) from `items`; items NULL: NONE, for the caller to fill in. */
value v_tuple(gpa_vm *vm, size_t n, const value *items);
value v_list(gpa_vm *vm, size_t n, const value *items);
value v_dict(gpa_vm *vm);
value v_set(gpa_vm *vm);
value v_slice(gpa_vm *vm, value start, value stop, value step);
value v_range(gpa_vm *vm, int64_t start, int64_t stop, int64_t step);
value v_method(gpa_vm *vm, value self, value fn);
/* An uninitialized iterator: the caller sets next, source (retained by the caller) and counters. */
value v_iter(gpa_vm *vm, const char *type_name,
             gpa_code (*next)(gpa_vm *, iter_obj *, value *, bool *));

/* ---- reference counts ---- */

extern const bool value_is_heap[V_COUNT];
void value_destroy(gpa_vm *vm, value v); /* refs reached zero */

static inline value value_retain(value v) {
    if (value_is_heap[v.tag]) v.o->refs++;
    return v;
}
static inline void value_release(gpa_vm *vm, value v) {
    if (value_is_heap[v.tag] && --v.o->refs == 0) value_destroy(vm, v);
}

/* ---- text ---- */

static inline bool str_is_ascii(const str_obj *s) { return s->size == s->length; }
/* The byte offset of code point i of a str (i up to its length), and the code point that begins at
 * a byte offset. The offset of every 64th code point is kept from the first use on. */
size_t str_offset(const str_obj *s, size_t i);
size_t str_position(const str_obj *s, size_t byte);
/* Code points [lo, hi) as a new str; UNSET on failure. */
value str_slice(gpa_vm *vm, const str_obj *s, size_t lo, size_t hi);

/* ---- containers ---- */

gpa_code list_append(gpa_vm *vm, list_obj *l, value v); /* retains v */
/* The value under a key, borrowed; UNSET when absent. An unhashable key is a TypeError. */
gpa_code dict_get_peek(gpa_vm *vm, dict_obj *d, value key, value *out);
gpa_code dict_set(gpa_vm *vm, dict_obj *d, value key, value v); /* retains both */
gpa_code dict_remove(gpa_vm *vm, dict_obj *d, value key, bool *found);
/* Lookup by C text, for module tables and keyword arguments: UNSET when absent. */
value dict_text_peek(gpa_vm *vm, dict_obj *d, const char *key);
gpa_code dict_set_text(gpa_vm *vm, dict_obj *d, const char *key, value v);
gpa_code set_add(gpa_vm *vm, set_obj *s, value v);
gpa_code set_has(gpa_vm *vm, set_obj *s, value v, bool *out);

/* ---- properties, conversions, comparisons ---- */

/* Computes a lazy NumPy scalar; any other value is returned unchanged. Owned. */
gpa_code value_computed(gpa_vm *vm, value v, value *out);
/* Converts a NumPy scalar, lazy or not, to Python's number, also within a tuple; any other value is
 * returned unchanged. Owned. */
gpa_code value_to_python(gpa_vm *vm, value v, value *out);
/* The underlying tuple of a named tuple or of an instance of a tuple subclass; any other value
 * unchanged. Borrowed. */
value value_underlying(value v);
/* The hash of a str's text: hash_bytes with seed 0, as for interned names; never 0. Cached in the
 * object. */
uint64_t str_hash(struct str_obj *s);
/* The name of an exception's type. */
const char *exception_name(const exc_obj *x);
/* Python's name of the value's type: "int", "numpy.float32", "ValueError", "list". */
const char *value_type_name(value v);
/* Truth value; ValueError for an array of several elements. */
gpa_code value_truth(gpa_vm *vm, value v, bool *out);
gpa_code value_hash(gpa_vm *vm, value v, uint64_t *out); /* TypeError: unhashable type: 'list' */
/* Python's == between values that are not arrays (arrays compare by elements: see operate.h). */
gpa_code value_equal(gpa_vm *vm, value a, value b, bool *out);
/* *at: the index in a range of the item equal to a number (a lazy NumPy scalar is computed), or -1.
 */
gpa_code range_find(gpa_vm *vm, const range_obj *r, value v, int64_t *at);
bool value_is(value a, value b); /* Python's `is` */

#endif
