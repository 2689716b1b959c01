/* Private arrays: outputs of which every point writes a few adjacent elements (generalized ufuncs),
 * kept in registers until the end.
 *
 * Stored where they are computed, the stores of adjacent threads would be n elements apart and
 * would not coalesce. A block stages its elements in shared memory instead, and copies them out
 * together.
 *
 * An array qualifies if abstract interpretation of the program, with all loops unrolled, shows that
 * point i accesses elements i * n ... i * n + n - 1 only, stores each of them unconditionally, and
 * loads none before storing it. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

typedef struct {
    const em *E;
    unsigned array;
    int64_t n;        /* elements of a point; 0: unknown yet */
    uint64_t stored;  /* bit per element */
    int64_t *counter; /* per instruction: the current value of a loop counter */
    int steps;
    bool good;
} analysis;

/* An affine function of the point's index: by * index + at. */
typedef struct {
    int64_t by, at;
    bool good;
} affine;

static affine value_of(const analysis *s, int32_t v) {
    const kir_func *f = s->E->f;
    const kir_ins *i = &f->code[v];
    affine none = {0, 0, false}, a, b;
    if (i->code == KIR_CONST && i->type == DT_I64)
        return (affine){0, f->consts[i->imm].v.I64, true};
    if (i->code == KIR_INDEX) return (affine){1, 0, i->imm == 0};
    if (i->code == KIR_FOR) return (affine){0, s->counter[v], true};
    if (i->code != KIR_OP || i->type != DT_I64 ||
        (i->sub != OP_ADD && i->sub != OP_SUBTRACT && i->sub != OP_MULTIPLY))
        return none;
    a = value_of(s, i->a), b = value_of(s, i->b);
    affine r = {0, 0, a.good && b.good};
    bool over;
    if (i->sub == OP_MULTIPLY) {
        r.good = r.good && (a.by == 0 || b.by == 0);
        int64_t x, y;
        over = __builtin_mul_overflow(a.by, b.at, &x);
        over |= __builtin_mul_overflow(a.at, b.by, &y);
        over |= __builtin_mul_overflow(a.at, b.at, &r.at);
        r.by = a.by ? x : y;
    } else if (i->sub == OP_ADD) {
        over = __builtin_add_overflow(a.by, b.by, &r.by);
        over |= __builtin_add_overflow(a.at, b.at, &r.at);
    } else {
        over = __builtin_sub_overflow(a.by, b.by, &r.by);
        over |= __builtin_sub_overflow(a.at, b.at, &r.at);
    }
    return over ? none : r;
}

static void visit_access(analysis *s, const kir_ins *i, bool certain) {
    affine x = value_of(s, i->a);
    if (!s->n) s->n = x.by;
    s->good = x.good && x.by == s->n && s->n > 1 && s->n <= TUNE_CUDA_PRIVATE_MAX_ELEMS &&
              x.at >= 0 && x.at < s->n;
    if (!s->good) return;
    uint64_t bit = UINT64_C(1) << x.at;
    if (i->code == KIR_STOREX && certain) s->stored |= bit;
    if (i->code == KIR_LOADX && !(s->stored & bit)) s->good = false;
}

static void visit(analysis *s, int32_t lo, int32_t hi, bool certain) {
    const kir_func *f = s->E->f;
    for (int32_t at = lo; at < hi && s->good; at++) {
        const kir_ins *i = &f->code[at];
        int64_t from, to;
        if (++s->steps > TUNE_CUDA_PRIVATE_MAX_STEPS) s->good = false;
        switch ((int)i->code) {
            case KIR_CONST:
            case KIR_PARAM:
            case KIR_SIZE:
            case KIR_STRIDE:
            case KIR_INDEX:
            case KIR_OP:
            case KIR_CAST:
            case KIR_VAR:
            case KIR_GET:
            case KIR_SET:
            case KIR_ELSE:
            case KIR_END: break;
            case KIR_LOADX:
            case KIR_STOREX:
                if (i->sub == s->array) visit_access(s, i, certain);
                break;
            case KIR_IF:
                visit(s, at + 1, s->E->end_of[at], false);
                at = s->E->end_of[at];
                break;
            case KIR_FOR:
                s->good = em_is_unrolled(s->E, at) && f->code[i->a].type == DT_I64;
                if (!s->good) return;
                from = f->consts[f->code[i->a].imm].v.I64, to = f->consts[f->code[i->b].imm].v.I64;
                for (int64_t n = from; s->good && n < to; n++) {
                    s->counter[at] = n;
                    visit(s, at + 1, s->E->end_of[at], certain);
                }
                at = s->E->end_of[at];
                break;
            default: s->good = false;
        }
    }
}

/* The elements of each point in a private array; 0: the array does not qualify. */
static unsigned private_elements(const em *E, unsigned array) {
    analysis s = {.E = E, .array = array, .good = true};
    if (!(E->f->arrays[array].access & KIR_WRITE) || !em_is_restrict(E, array) ||
        !(E->plan->vectorized >> array & 1))
        return 0;
    if (!(s.counter = mem_zero((E->f->n_code + 1) * sizeof *s.counter))) return 0;
    visit(&s, 0, (int32_t)E->f->n_code, true);
    mem_free(s.counter);
    return s.good && s.n && s.stored == UINT64_MAX >> (64 - s.n) ? (unsigned)s.n : 0;
}

void em_find_private(em *E) {
    size_t bytes = 0;
    if (E->f->form != KIR_MAP || E->f->ndim != 1 || E->plan->group != GROUP_NONE || !em_in_order(E))
        return;
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        unsigned n = private_elements(E, a);
        size_t more = n * dtype_size((gpa_dtype)E->f->arrays[a].dtype);
        if (bytes + more > TUNE_CUDA_PRIVATE_MAX_BYTES) continue;
        E->private_elems[a] = (uint8_t)n;
        E->needs |= n ? NEED_COPY_OUT : 0u;
        bytes += more;
    }
}

void em_declare_private(em *E, gpa_str *out) {
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (E->private_elems[a])
            str_printf(out, "    %s kept%u[%u];\n", em_memory(E, (gpa_dtype)E->f->arrays[a].dtype),
                       a, E->private_elems[a]);
}

void em_copy_out_private(em *E, gpa_str *out) {
    char base[FIELD_NAME_BYTES], chunks[FIELD_NAME_BYTES];
    bool any = false;
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!E->private_elems[a]) continue;
        str_printf(out, "    __shared__ __align__(16) %s staged%u[%u];\n",
                   em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), a,
                   E->private_elems[a] * TUNE_CUDA_POINT_THREADS);
        str_printf(out,
                   "    _Pragma(\"unroll\") for (int k = 0; k < %u; k++) staged%u[threadIdx.x * %u "
                   "+ k] = kept%u[k];\n",
                   E->private_elems[a], a, E->private_elems[a], a);
        any = true;
    }
    if (!any) return;
    em_field(E, chunks, FIELD_ACCESSES, 0, 0);
    str_printf(out,
               "    __syncthreads();\n    const unsigned long long start = (unsigned long "
               "long)blockIdx.x * %d;\n",
               TUNE_CUDA_POINT_THREADS);
    str_printf(out, "    const unsigned points = %s - start < %d ? (unsigned)(%s - start) : %d;\n",
               chunks, TUNE_CUDA_POINT_THREADS, chunks, TUNE_CUDA_POINT_THREADS);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (E->private_elems[a])
            str_printf(out, "    g_copy_out(%s + start * %u, staged%u, points * %u);\n",
                       em_field(E, base, FIELD_BASE, a, 0), E->private_elems[a], a,
                       E->private_elems[a]);
}
