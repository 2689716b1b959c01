/* HDF5 files through libhdf5, loaded at run time: native functions of h5py.gpa.
 *
 * Only the file stays open between calls: each function opens the object at a path and closes it
 * again. Identifiers of predefined types and property classes are variables of the library. Reading
 * order: the library, errors, types, objects, the native functions. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/types.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/vm/array_args.h"

typedef int64_t h5_id; /* identifier of an open object; negative: none */

/* Structures of libhdf5's interface. */
struct h5_error {
    h5_id class, major, minor;
    unsigned line;
    const char *function, *file, *text;
};
struct h5_group {
    int storage;
    uint64_t links;
    int64_t order;
    bool mounted;
};

/* Constants of libhdf5's interface. */
enum { READ_ONLY = 0, READ_WRITE = 1, TRUNCATE = 2, EXCLUSIVE = 4 }; /* H5F_ACC_ */
enum { INTEGER = 0, FLOAT = 1, STRING = 3, COMPOUND = 6, ENUM = 8 }; /* H5T_ */
enum { SCALAR = 0, NOTHING = 2, ALL = 0, SELECT_SET = 0 };           /* H5S_ */
enum { BY_NAME = 0, INCREASING = 0, GROUP = 2, DATASET = 5, UTF8 = 1, FROM_INNERMOST = 0 };
static const size_t VARIABLE = SIZE_MAX;

typedef struct {
    void *handle;
#define H5(result, name, parameters) result(*name) parameters;
#include "lang/builtin/hdf5.def"
#undef H5
} library;

/* ---- the library ---- */

static void library_free(gpa_vm *vm, object_obj *o) {
    (void)vm;
    mem_free(o->data); /* the library stays loaded: at exit it closes files that are still open */
}

const object_kind hdf5_library_kind = {.type_name = "h5py.Library", .free = library_free};

static const library *library_of(value v) { return v.object->data; }

/* Resolves all functions; returns the name of the first missing one, or NULL. */
static const char *resolve_functions(library *h) {
#define H5(result, name, parameters) \
    if (!(*(void **)&h->name = dlsym(h->handle, #name))) return #name;
#include "lang/builtin/hdf5.def"
#undef H5
    return NULL;
}

gpa_code hdf5_library(gpa_vm *vm, value *argv, value *out) {
    static const char *const names[] = {
        "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5_serial.so.200",
        "libhdf5.so.320",        "libhdf5.so.310",        "libhdf5.so.200",
        "libhdf5.so.103",        "libhdf5_serial.so",     "libhdf5.so"};
    (void)argv;
    gpa_code rc = native_return(v_object(vm, &hdf5_library_kind, 0), out);
    if (rc) return rc;
    library *h = out->object->data = mem_zero(sizeof *h);
    if (!h) return vm_no_memory(vm);
    for (size_t i = 0; i < COUNT_OF(names) && !h->handle; i++)
        h->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!h->handle)
        return vm_fail(vm, GPA_E_IMPORT,
                       "h5py needs libhdf5, which is not installed (Debian: libhdf5-dev)");
    const char *missing = resolve_functions(h);
    if (missing)
        return vm_fail(vm, GPA_E_IMPORT, "libhdf5 has no %s: 1.10 or later is needed", missing);
    h->H5open();
    h->H5Eset_auto2(0, NULL, NULL); /* errors become exceptions */
    return GPA_OK;
}

/* A predefined type or property class, which is a variable of the library. */
static h5_id constant(const library *h, const char *name) {
    const h5_id *at = dlsym(h->handle, name);
    return at ? *at : -1;
}

/* ---- errors ---- */

typedef struct {
    char inner[200], outer[200];
} error_text;

static int collect_error(unsigned n, const struct h5_error *e, void *user) {
    error_text *t = user;
    char *to = n == 0 ? t->inner : t->outer;
    snprintf(to, sizeof t->inner, "%s", e->text ? e->text : "");
    return 0;
}

/* The library's error stack in h5py's form: the outermost message, then the innermost. */
static gpa_code fail(gpa_vm *vm, const library *h, gpa_code code) {
    error_text t = {"", ""};
    h->H5Ewalk2(0, FROM_INNERMOST, collect_error, &t);
    char *first = t.outer[0] ? t.outer : t.inner;
    if (*first >= 'a' && *first <= 'z') *first = (char)(*first - 'a' + 'A');
    if (!t.inner[0]) return vm_fail(vm, code, "the HDF5 library gave no reason");
    return t.outer[0] ? vm_fail(vm, code, "%s (%s)", t.outer, t.inner)
                      : vm_fail(vm, code, "%s", t.inner);
}

/* ---- types ---- */

/* The dtype of a file's type, booleans and complex numbers as h5py stores them; DT_NONE: no such
 * dtype. */
static gpa_dtype dtype_of(const library *h, h5_id type) {
    size_t size = h->H5Tget_size(type);
    switch (h->H5Tget_class(type)) {
        case INTEGER: {
            bool sign = h->H5Tget_sign(type) != 0;
            return size == 1   ? (sign ? DT_I8 : DT_U8)
                   : size == 2 ? (sign ? DT_I16 : DT_U16)
                   : size == 4 ? (sign ? DT_I32 : DT_U32)
                   : size == 8 ? (sign ? DT_I64 : DT_U64)
                               : DT_NONE;
        }
        case FLOAT: return size == 2 ? DT_F16 : size == 4 ? DT_F32 : size == 8 ? DT_F64 : DT_NONE;
        case ENUM: return size == 1 && h->H5Tget_nmembers(type) == 2 ? DT_BOOL : DT_NONE;
        case COMPOUND:
            return h->H5Tget_nmembers(type) != 2 ? DT_NONE
                   : size == 8                   ? DT_C64
                   : size == 16                  ? DT_C128
                                                 : DT_NONE;
        default: return DT_NONE;
    }
}

static h5_id half_type(const library *h) {
    h5_id t = h->H5Tcopy(constant(h, "H5T_IEEE_F32LE_g"));
    h->H5Tset_fields(t, 15, 10, 5, 0, 10);
    h->H5Tset_size(t, 2);
    h->H5Tset_ebias(t, 15);
    return t;
}

static h5_id bool_type(const library *h) {
    static const int8_t no = 0, yes = 1;
    h5_id t = h->H5Tcreate(ENUM, 1);
    h->H5Tenum_insert(t, "FALSE", &no);
    h->H5Tenum_insert(t, "TRUE", &yes);
    return t;
}

static h5_id complex_type(const library *h, size_t size, const char *part) {
    h5_id t = h->H5Tcreate(COMPOUND, size), one = constant(h, part);
    h->H5Tinsert(t, "r", 0, one);
    h->H5Tinsert(t, "i", size / 2, one);
    return t;
}

/* The type of elements in memory, owned (H5Tclose); negative for bfloat16, which HDF5 lacks. */
static h5_id type_of_dtype(const library *h, gpa_dtype t) {
    static const char *const names[DT_COUNT] = {
        [DT_I8] = "H5T_NATIVE_INT8_g",    [DT_I16] = "H5T_NATIVE_INT16_g",
        [DT_I32] = "H5T_NATIVE_INT32_g",  [DT_I64] = "H5T_NATIVE_INT64_g",
        [DT_U8] = "H5T_NATIVE_UINT8_g",   [DT_U16] = "H5T_NATIVE_UINT16_g",
        [DT_U32] = "H5T_NATIVE_UINT32_g", [DT_U64] = "H5T_NATIVE_UINT64_g",
        [DT_F32] = "H5T_NATIVE_FLOAT_g",  [DT_F64] = "H5T_NATIVE_DOUBLE_g",
    };
    if (t == DT_BOOL) return bool_type(h);
    if (t == DT_F16) return half_type(h);
    if (t == DT_C64) return complex_type(h, 8, "H5T_NATIVE_FLOAT_g");
    if (t == DT_C128) return complex_type(h, 16, "H5T_NATIVE_DOUBLE_g");
    return names[t] ? h->H5Tcopy(constant(h, names[t])) : -1;
}

static h5_id text_type(const library *h) {
    h5_id t = h->H5Tcopy(constant(h, "H5T_C_S1_g"));
    h->H5Tset_size(t, VARIABLE);
    h->H5Tset_cset(t, UTF8);
    return t;
}

/* ---- datasets and attributes ---- */

/* An open dataset or attribute; close_place is due also after a failure. */
typedef struct {
    h5_id object, attribute, space, type;
    gpa_dtype dtype;
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
} location;

static void close_location(const library *h, location *p) {
    if (p->type >= 0) h->H5Tclose(p->type);
    if (p->space >= 0) h->H5Sclose(p->space);
    if (p->attribute >= 0) h->H5Aclose(p->attribute);
    if (p->object >= 0) h->H5Oclose(p->object);
}

static gpa_code open_location(gpa_vm *vm, const value *argv,
                              location *p) { /* argv: library, file, path, attribute */
    const library *h = library_of(argv[0]);
    *p = (location){-1, -1, -1, -1, DT_NONE, 0, {0}};
    p->object = h->H5Oopen(argv[1].i, argv[2].str->text, 0);
    if (p->object < 0) return fail(vm, h, GPA_E_KEY);
    bool whole = argv[3].tag == V_NONE;
    if (!whole && (p->attribute = h->H5Aopen(p->object, argv[3].str->text, 0)) < 0)
        return fail(vm, h, GPA_E_KEY);
    p->space = whole ? h->H5Dget_space(p->object) : h->H5Aget_space(p->attribute);
    p->type = whole ? h->H5Dget_type(p->object) : h->H5Aget_type(p->attribute);
    if (p->space < 0 || p->type < 0) return fail(vm, h, GPA_E_TYPE);
    p->dtype = dtype_of(h, p->type);
    p->ndim = h->H5Sget_simple_extent_ndims(p->space);
    uint64_t extents[GPA_MAX_DIMS];
    if (p->ndim < 0 || p->ndim > GPA_MAX_DIMS)
        return vm_fail(vm, GPA_E_VALUE, "gpa's arrays have at most %d axes, not %d", GPA_MAX_DIMS,
                       p->ndim);
    h->H5Sget_simple_extent_dims(p->space, extents, NULL);
    for (int d = 0; d < p->ndim; d++) p->shape[d] = (int64_t)extents[d];
    return GPA_OK;
}

/* Link creation properties that create missing parent groups. */
static h5_id link_properties(const library *h) {
    h5_id list = h->H5Pcreate(constant(h, "H5P_CLS_LINK_CREATE_ID_g"));
    if (list >= 0) h->H5Pset_create_intermediate_group(list, 1);
    return list;
}

/* ---- files and groups ---- */

gpa_code hdf5_open(gpa_vm *vm, value *argv, value *out) { /* library, path, mode */
    const library *h = library_of(argv[0]);
    const char *path, *mode = argv[2].str->text;
    gpa_code rc = arg_path(vm, argv[1], &path);
    if (rc) return rc;
    FILE *there = fopen(path, "rb");
    int number = there ? 0 : errno;
    if (there) fclose(there);
    bool reads = *mode == 'r', makes = *mode == 'w' || *mode == 'x' || (*mode == 'a' && !there);
    if (reads && !there) return os_error(vm, number, path);
    if (*mode == 'x' && there) return os_error(vm, EEXIST, path);
    h5_id f = makes ? h->H5Fcreate(path, *mode == 'w' ? TRUNCATE : EXCLUSIVE, 0, 0)
                    : h->H5Fopen(path, strcmp(mode, "r") == 0 ? READ_ONLY : READ_WRITE, 0);
    if (f < 0) return fail(vm, h, GPA_E_OS);
    *out = v_int(f);
    return GPA_OK;
}

gpa_code hdf5_close(gpa_vm *vm, value *argv, value *out) { /* library, file */
    (void)out;
    const library *h = library_of(argv[0]);
    return h->H5Fclose(argv[1].i) < 0 ? fail(vm, h, GPA_E_OS) : GPA_OK;
}

gpa_code hdf5_flush(gpa_vm *vm, value *argv, value *out) { /* library, file */
    (void)out;
    const library *h = library_of(argv[0]);
    return h->H5Fflush(argv[1].i, 0) < 0 ? fail(vm, h, GPA_E_OS) : GPA_OK;
}

gpa_code hdf5_kind(gpa_vm *vm, value *argv, value *out) { /* library, file, path */
    const library *h = library_of(argv[0]);
    h5_id object = h->H5Oopen(argv[1].i, argv[2].str->text, 0);
    if (object < 0) return GPA_OK;
    int type = h->H5Iget_type(object);
    h->H5Oclose(object);
    return native_return(v_cstr(vm, type == GROUP     ? "group"
                                    : type == DATASET ? "dataset"
                                                      : "other"),
                         out);
}

/* The name of link or attribute i. */
static ssize_t name_at(const library *h, h5_id object, bool attributes, uint64_t i, char *to,
                       size_t n) {
    return attributes ? h->H5Aget_name_by_idx(object, ".", BY_NAME, INCREASING, i, to, n, 0)
                      : h->H5Lget_name_by_idx(object, ".", BY_NAME, INCREASING, i, to, n, 0);
}

gpa_code hdf5_names(gpa_vm *vm, value *argv, value *out) { /* library, file, path, attributes */
    const library *h = library_of(argv[0]);
    struct h5_group about = {0};
    char name[1024];
    h5_id object = h->H5Oopen(argv[1].i, argv[2].str->text, 0);
    if (object < 0) return fail(vm, h, GPA_E_KEY);
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    if (!rc && !argv[3].i && h->H5Gget_info(object, &about) < 0) rc = fail(vm, h, GPA_E_TYPE);
    uint64_t n = argv[3].i ? (uint64_t)MAX(h->H5Aget_num_attrs(object), 0) : about.links;
    for (uint64_t i = 0; i < n && !rc; i++) {
        if (name_at(h, object, argv[3].i, i, name, sizeof name) < 0) {
            rc = fail(vm, h, GPA_E_RUNTIME);
            break;
        }
        value text = v_cstr(vm, name);
        rc = text.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, out->list, text);
        value_release(vm, text);
    }
    h->H5Oclose(object);
    return rc;
}

gpa_code hdf5_group(gpa_vm *vm, value *argv, value *out) { /* library, file, path */
    (void)out;
    const library *h = library_of(argv[0]);
    h5_id links = link_properties(h), g = h->H5Gcreate2(argv[1].i, argv[2].str->text, links, 0, 0);
    gpa_code rc = g < 0 ? fail(vm, h, GPA_E_VALUE) : GPA_OK;
    if (links >= 0) h->H5Pclose(links);
    if (g >= 0) h->H5Oclose(g);
    return rc;
}

gpa_code hdf5_delete(gpa_vm *vm, value *argv, value *out) { /* library, file, path, attribute */
    (void)out;
    const library *h = library_of(argv[0]);
    if (argv[3].tag == V_NONE)
        return h->H5Ldelete(argv[1].i, argv[2].str->text, 0) < 0 ? fail(vm, h, GPA_E_KEY) : GPA_OK;
    h5_id object = h->H5Oopen(argv[1].i, argv[2].str->text, 0);
    gpa_code rc =
        object < 0 || h->H5Adelete(object, argv[3].str->text) < 0 ? fail(vm, h, GPA_E_KEY) : GPA_OK;
    if (object >= 0) h->H5Oclose(object);
    return rc;
}

/* ---- numbers ---- */

gpa_code hdf5_shape_dtype(gpa_vm *vm, value *argv,
                          value *out) { /* library, file, path, attribute */
    const library *h = library_of(argv[0]);
    location p;
    value items[GPA_MAX_DIMS], both[2] = {v_unset(), v_none()};
    gpa_code rc = open_location(vm, argv, &p);
    if (!rc) {
        for (int d = 0; d < p.ndim; d++) items[d] = v_int(p.shape[d]);
        both[0] = v_tuple(vm, (size_t)p.ndim, items);
        if (p.dtype != DT_NONE)
            both[1] = (value){.tag = V_DTYPE, .aux = p.dtype};
        else if (h->H5Tget_class(p.type) == STRING)
            both[1] = v_cstr(vm, "str");
        rc = both[0].tag == V_UNSET || both[1].tag == V_UNSET
                 ? GPA_E_MEMORY
                 : native_return(v_tuple(vm, 2, both), out);
        value_release(vm, both[0]);
        value_release(vm, both[1]);
    }
    close_location(h, &p);
    return rc;
}

/* Selects a hyperslab of the dataset: starts and steps of `from`, extents of `shape`. start NONE:
 * the whole dataset. */
static gpa_code select_hyperslab(gpa_vm *vm, const library *h, location *p, value start, value step,
                                 const int64_t *shape) {
    int64_t from[GPA_MAX_DIMS], by[GPA_MAX_DIMS];
    uint64_t u[3][GPA_MAX_DIMS];
    int n;
    if (start.tag == V_NONE || p->ndim == 0) return GPA_OK;
    gpa_code rc = arg_ints(vm, start, "start", GPA_MAX_DIMS, &n, from);
    if (!rc) rc = arg_ints(vm, step, "step", GPA_MAX_DIMS, &n, by);
    if (rc) return rc;
    for (int d = 0; d < p->ndim; d++) {
        u[0][d] = (uint64_t)from[d];
        u[1][d] = (uint64_t)by[d];
        u[2][d] = (uint64_t)shape[d];
    }
    return h->H5Sselect_hyperslab(p->space, SELECT_SET, u[0], u[1], u[2], NULL) < 0
               ? fail(vm, h, GPA_E_VALUE)
               : GPA_OK;
}

/* Elements in memory that are read into `to` or written out of `from`. */
typedef struct {
    gpa_dtype dtype;
    const int64_t *shape;
    void *to;
    const void *from;
} elements;

/* Transfers elements between memory and the file. */
static gpa_code transfer(gpa_vm *vm, const library *h, const location *p, const elements *e) {
    uint64_t extents[GPA_MAX_DIMS];
    h5_id type = type_of_dtype(h, e->dtype), memory = -1;
    for (int d = 0; d < p->ndim; d++) extents[d] = (uint64_t)e->shape[d];
    int rc;
    if (p->attribute >= 0) {
        rc = e->to ? h->H5Aread(p->attribute, type, e->to)
                   : h->H5Awrite(p->attribute, type, e->from);
    } else {
        memory = p->ndim ? h->H5Screate_simple(p->ndim, extents, NULL) : h->H5Screate(SCALAR);
        rc = e->to ? h->H5Dread(p->object, type, memory, p->space, 0, e->to)
                   : h->H5Dwrite(p->object, type, memory, p->space, 0, e->from);
    }
    gpa_code code = rc < 0 ? fail(vm, h, GPA_E_OS) : GPA_OK;
    if (memory >= 0) h->H5Sclose(memory);
    if (type >= 0) h->H5Tclose(type);
    return code;
}

gpa_code hdf5_read(gpa_vm *vm, value *argv,
                   value *out) { /* library, file, path, attribute, start, count, step */
    const library *h = library_of(argv[0]);
    location p;
    int64_t shape[GPA_MAX_DIMS];
    int n;
    char *data = NULL;
    gpa_arr *a = NULL;
    gpa_code rc = GPA_OK;
    TRY(open_location(vm, argv, &p));
    memcpy(shape, p.shape, sizeof shape);
    if (argv[4].tag != V_NONE) TRY(arg_ints(vm, argv[5], "count", GPA_MAX_DIMS, &n, shape));
    TRY(select_hyperslab(vm, h, &p, argv[4], argv[6], shape));
    size_t bytes = dtype_size(p.dtype);
    for (int d = 0; d < p.ndim; d++)
        if (__builtin_mul_overflow(bytes, (size_t)shape[d], &bytes)) TRY(vm_no_memory(vm));
    if (!(data = mem_new(MAX(bytes, 1)))) TRY(vm_no_memory(vm));
    if (bytes && h->H5Sget_simple_extent_type(p.space) != NOTHING)
        TRY(transfer(vm, h, &p, &(elements){p.dtype, shape, .to = data}));
    TRY(arr_from(vm_rt(vm), &(arr_spec){p.dtype, p.ndim, shape}, data, &a, vm_err(vm)));
    rc = np_return_array(vm, a, out);
out:
    mem_free(data);
    close_location(h, &p);
    return rc;
}

/* Dataset creation properties: chunks and compression. */
static gpa_code dataset_properties(gpa_vm *vm, const library *h, value chunks, value level,
                                   h5_id *out) {
    int64_t extents[GPA_MAX_DIMS];
    uint64_t sizes[GPA_MAX_DIMS];
    int n;
    *out = 0;
    if (chunks.tag == V_NONE) return GPA_OK;
    gpa_code rc = arg_ints(vm, chunks, "chunks", GPA_MAX_DIMS, &n, extents);
    if (rc) return rc;
    for (int d = 0; d < n; d++) sizes[d] = (uint64_t)extents[d];
    *out = h->H5Pcreate(constant(h, "H5P_CLS_DATASET_CREATE_ID_g"));
    bool good = h->H5Pset_chunk(*out, n, sizes) >= 0 &&
                (level.tag == V_NONE || h->H5Pset_deflate(*out, (unsigned)level.i) >= 0);
    return good ? GPA_OK : fail(vm, h, GPA_E_VALUE);
}

/* Creates a dataset or an attribute of a type and a dataspace, which the caller keeps. */
static gpa_code create(gpa_vm *vm, const value *argv, h5_id type, h5_id space,
                       h5_id properties) { /* argv: library, file, path, attribute */
    const library *h = library_of(argv[0]);
    h5_id made = -1, links = -1, object = -1;
    if (argv[3].tag == V_NONE) {
        links = link_properties(h);
        made = h->H5Dcreate2(argv[1].i, argv[2].str->text, type, space, links, properties, 0);
    } else if ((object = h->H5Oopen(argv[1].i, argv[2].str->text, 0)) >= 0) {
        if (h->H5Aexists(object, argv[3].str->text) > 0) h->H5Adelete(object, argv[3].str->text);
        made = h->H5Acreate2(object, argv[3].str->text, type, space, 0, 0);
    }
    gpa_code rc = made < 0 ? fail(vm, h, GPA_E_VALUE) : GPA_OK;
    if (made >= 0) (void)(argv[3].tag == V_NONE ? h->H5Oclose(made) : h->H5Aclose(made));
    if (object >= 0) h->H5Oclose(object);
    if (links >= 0) h->H5Pclose(links);
    return rc;
}

gpa_code hdf5_create(gpa_vm *vm, value *argv,
                     value *out) { /* library, file, path, attribute, shape, dtype, chunks, level */
    const library *h = library_of(argv[0]);
    int64_t shape[GPA_MAX_DIMS];
    uint64_t extents[GPA_MAX_DIMS];
    int n = 0;
    gpa_dtype t;
    h5_id type = -1, space = -1, properties = 0;
    (void)out;
    gpa_code rc = GPA_OK;
    TRY(arg_shape(vm, argv[4], &n, shape));
    TRY(arg_dtype(vm, argv[5], &t));
    if ((type = type_of_dtype(h, t)) < 0)
        TRY(vm_fail(vm, GPA_E_TYPE, "HDF5 has no %s: store a.astype('float32')",
                    dtype_info[t].name));
    for (int d = 0; d < n; d++) extents[d] = (uint64_t)shape[d];
    space = n ? h->H5Screate_simple(n, extents, NULL) : h->H5Screate(SCALAR);
    TRY(dataset_properties(vm, h, argv[6], argv[7], &properties));
    rc = create(vm, argv, type, space, properties);
out:
    if (type >= 0) h->H5Tclose(type);
    if (space >= 0) h->H5Sclose(space);
    if (properties > 0) h->H5Pclose(properties);
    return rc;
}

gpa_code hdf5_write(gpa_vm *vm, value *argv,
                    value *out) { /* library, file, path, attribute, a, start, step */
    const library *h = library_of(argv[0]);
    location p;
    gpa_arr *a = NULL;
    char *data = NULL;
    (void)out;
    gpa_code rc = GPA_OK;
    TRY(open_location(vm, argv, &p));
    TRY(arg_array(vm, argv[4], DT_NONE, &a));
    if (a->ndim != p.ndim)
        TRY(vm_fail(vm, GPA_E_TYPE, "Can't broadcast %d axes to %d", a->ndim, p.ndim));
    if (p.dtype == DT_NONE)
        TRY(vm_fail(vm, GPA_E_TYPE, "gpa has no dtype for the elements of '%s'",
                    argv[2].str->text));
    if (a->size == 0) goto out;
    TRY(select_hyperslab(vm, h, &p, argv[5], argv[6], a->shape));
    if (!(data = mem_new((size_t)a->size * dtype_size((gpa_dtype)a->dtype)))) TRY(vm_no_memory(vm));
    TRY(arr_read(vm_rt(vm), a, data, vm_err(vm)));
    rc = transfer(vm, h, &p, &(elements){(gpa_dtype)a->dtype, a->shape, .from = data});
out:
    mem_free(data);
    arr_release(vm_rt(vm), a);
    close_location(h, &p);
    return rc;
}

/* ---- strings ---- */

gpa_code hdf5_read_text(gpa_vm *vm, value *argv, value *out) { /* library, file, path, attribute */
    const library *h = library_of(argv[0]);
    location p;
    char *text = NULL, *fixed = NULL;
    size_t size;
    gpa_code rc = GPA_OK;
    TRY(open_location(vm, argv, &p));
    bool variable = h->H5Tis_variable_str(p.type) > 0;
    size = h->H5Tget_size(p.type);
    if (p.ndim)
        TRY(vm_fail(vm, GPA_E_TYPE, "gpa's arrays hold numbers: an array of texts cannot be read"));
    if (!variable && !(fixed = mem_zero(size + 1))) TRY(vm_no_memory(vm));
    void *to = variable ? (void *)&text : fixed;
    if ((p.attribute >= 0 ? h->H5Aread(p.attribute, p.type, to)
                          : h->H5Dread(p.object, p.type, ALL, ALL, 0, to)) < 0)
        TRY(fail(vm, h, GPA_E_OS));
    const char *found = variable ? text : fixed;
    rc = native_return(v_bytes(vm, found ? found : "", found ? strlen(found) : 0), out);
out:
    if (text) h->H5free_memory(text);
    mem_free(fixed);
    close_location(h, &p);
    return rc;
}

gpa_code hdf5_write_text(gpa_vm *vm, value *argv,
                         value *out) { /* library, file, path, attribute, text */
    const library *h = library_of(argv[0]);
    h5_id type = text_type(h), space = h->H5Screate(SCALAR);
    const char *text = argv[4].str->text;
    location p = {-1, -1, -1, -1, DT_NONE, 0, {0}};
    (void)out;
    gpa_code rc = GPA_OK;
    TRY(create(vm, argv, type, space, 0));
    TRY(open_location(vm, argv, &p));
    if ((p.attribute >= 0 ? h->H5Awrite(p.attribute, type, &text)
                          : h->H5Dwrite(p.object, type, ALL, ALL, 0, &text)) < 0)
        rc = fail(vm, h, GPA_E_OS);
out:
    close_location(h, &p);
    h->H5Tclose(type);
    h->H5Sclose(space);
    return rc;
}
