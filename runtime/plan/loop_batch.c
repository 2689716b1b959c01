/* Rolling.
 *
 * A trip is what is pending at an edge: `look` describes it by words in which nodes have the
 * numbers of their first meeting, the results of the trip before come first, and numbers and arrays
 * stand apart. Trips with equal words are one loop if they read the same arrays. Their numbers
 * stay, or grow by whole steps, or else are listed: each trip chooses its own from parameters.
 *
 *   trips 0  nothing is held; `left` names the memory of the last edge's results: a trip that reads
 * it may be held trips 1  the first trip is held as it was recorded trips n  each result is a node
 * of the loop's body, made anew for every trip
 *
 * Invariant: held[i] is the node of the i-th result of the last trip, and keeps alive every node
 * that `before` names.
 *
 * Reading order: describing a trip, the loop's body, holding, the edge. */
#include "runtime/plan/loop_batch.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/explain.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"

enum {
    MOST_OUT = BODY_MAX_OUT,
    MOST_NODES = 128, /* of a trip */
    MOST_WORDS = 640,
    MOST_NUMBERS = 24,
    KNOWN = 8,       /* loops whose bodies are kept */
    FIRST_TRIPS = 4, /* so many trips are launched first, then twice as many, */
    MOST_TRIPS =
        32, /* up to so many: the device is busy with them while the next ones are recorded */
    FEW_NODES = 32, /* of a trip that is written out for each */
    MOST_LISTED = 8 /* and so many where numbers are listed */
};

/* How a number goes on. STEPS: by its step; LISTED: anyhow; AS_ANOTHER: as one before it that it
 * equals. */
typedef enum { STAYS, STEPS, LISTED, AS_ANOTHER } course;

/* What a node of a trip is to the loop; the rest of its word says which. */
typedef enum { CARRIED, NUMBER, GIVEN, COMPUTED } part;

typedef struct {
    uint64_t words[MOST_WORDS];
    node *nodes[MOST_NODES];  /* by number; the first n_out: the results of the trip before, NULL
                                 where they are not read */
    node *given[BODY_MAX_IN]; /* arrays that the trip reads and does not change */
    gpa_val v[MOST_NUMBERS];  /* numbers, in the order in which nodes take them */
    uint8_t type[MOST_NUMBERS];
    gpa_storage *to[MOST_OUT]; /* where the results belong */
    int32_t root[MOST_OUT];    /* and their nodes' numbers */
    int n_words, n_nodes, n_given, n_numbers, n_out;
    bool linked; /* it reads a result of the trip before */
} trip;

/* A loop that ran before. */
typedef struct {
    uint64_t *words; /* the trip's, and which numbers vary */
    size_t n_words;
    gpa_body *body,
        **inside; /* and the bodies that `words` name, counted: their addresses stay theirs */
    size_t n_inside;
} known;

struct loop_batch {
    trip trip[2], *now, *before;
    const gpa_buf *left[MOST_OUT];
    int n_left;
    int64_t trips, most;
    node *held[MOST_OUT];
    gpa_body *body;        /* trips > 1; counted */
    node *in[BODY_MAX_IN]; /* its inputs, counted; the last one is the number of trips */
    int n_in;
    bool is_read[MOST_OUT]; /* results of the trip before: those have a first value among the inputs
                             */
    course course[MOST_NUMBERS];
    uint64_t step[MOST_NUMBERS]; /* by how much a number grows; of AS_ANOTHER: which one */
    enum {
        EVEN,
        UNEVEN,
        ALONE
    } uneven[MOST_NUMBERS]; /* numbers of this loop that went on otherwise before: they are listed
                             */
    int listed, n_listed, lists; /* trips whose numbers are listed, 0: none; numbers that are; the
                                    first one's place in `in` */
    known known[KNOWN];
    int next;  /* to be replaced */
    bool busy; /* what is held is being computed */
};

/* ---- describing a trip ---- */

static bool put(trip *t, uint64_t word) {
    if (t->n_words == MOST_WORDS) return false;
    t->words[t->n_words++] = word;
    return true;
}

static uint64_t head(part p, unsigned dtype, uint64_t which) {
    return (uint64_t)p | (uint64_t)dtype << 2 | which << 10;
}

static bool add_node(gpa_rt *rt, trip *t, node *n) {
    if (t->n_nodes == MOST_NODES) return false;
    n->mark = rt->nodes.mark;
    n->slot = t->n_nodes;
    t->nodes[t->n_nodes++] = n;
    return true;
}

/* Numbers are told apart by where they stand: equal ones may be one node in this trip and two in
 * the next. */
static bool add_number(trip *t, const node *number) {
    if (t->n_numbers == MOST_NUMBERS) return false;
    t->type[t->n_numbers] = number->dtype;
    t->v[t->n_numbers++] = number->v;
    return put(t, head(NUMBER, number->dtype, 0));
}

/* Which result of the trip before a leaf is, the whole of it; -1: none. *partly: it shows some of
 * one in another way. */
static int result_before(const struct loop_batch *r, const node *n, bool *partly) {
    *partly = false;
    for (int i = 0; i < r->n_left && n->kind == NODE_BUF && !r->trips; i++) {
        if (n->buf != r->left[i]) continue;
        *partly = !node_is_contiguous(n) || n->map[n->ndim];
        return i;
    }
    return -1;
}

static bool add_given(gpa_rt *rt, const struct loop_batch *r, trip *t, node *n) {
    bool other_part;
    int before = result_before(r, n, &other_part);
    if (before >= 0 && !other_part && !t->nodes[before]) {
        t->linked = true;
        t->nodes[before] = n;
        n->mark = rt->nodes.mark;
        n->slot = before;
        return true;
    }
    if (before >= 0 || t->n_given == BODY_MAX_IN || !add_node(rt, t, n)) return false;
    t->given[t->n_given] = n;
    return put(t, head(GIVEN, n->dtype, (uint64_t)t->n_given++));
}

static const node *repeated_number(const node *n) {
    while (n->kind == NODE_VIEW) n = n->in[0];
    return n->kind == NODE_SCALAR ? n : NULL;
}

/* Describes n and what it is computed from. False: the trip is not of the kind that is rolled. */
static bool look_at(gpa_rt *rt, const struct loop_batch *r, trip *t, node *n) {
    if (n->mark == rt->nodes.mark) {
        if (n->slot < t->n_out) t->linked = true;
        return true;
    }
    const node *number = repeated_number(n);
    if (number) return add_number(t, number) && add_node(rt, t, n);
    if (n->kind == NODE_BUF || n->kind == NODE_IOTA) return add_given(rt, r, t, n);
    if (!node_is_elementwise(n) || (n->kind == NODE_BODY && n->body->n_out > 1)) return false;
    for (int i = 0; i < n->n_in; i++)
        if (!repeated_number(n->in[i]) && !look_at(rt, r, t, n->in[i])) return false;
    bool room = put(t, head(COMPUTED, n->dtype,
                            (uint64_t)n->kind | (uint64_t)n->sub << 8 | (uint64_t)n->n_in << 24));
    for (int i = 0; i < n->n_in && room; i++) {
        const node *operand = repeated_number(n->in[i]);
        room =
            operand ? add_number(t, operand) : put(t, head(COMPUTED, 0, (uint64_t)n->in[i]->slot));
    }
    if (room && n->kind == NODE_BODY) room = put(t, (uint64_t)(uintptr_t)n->body);
    return room && add_node(rt, t, n);
}

/* Describes what is pending. */
static bool look(gpa_rt *rt, struct loop_batch *r, trip *t) {
    const node *first = rt->pending.next->node;
    t->n_words = t->n_nodes = t->n_given = t->n_numbers = t->n_out = 0;
    t->linked = false;
    if (rt->n_pending > MOST_OUT || first->ndim == 0 || first->size == 0) return false;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next) {
        if (s->failed || s->node->owner != s ||
            !shape_equal(s->node->ndim, s->node->shape, first->ndim, first->shape))
            return false;
        t->to[t->n_out++] = s;
    }
    if (r->trips ? t->n_out != r->before->n_out : t->n_out != r->n_left) return false;
    rt->nodes.mark++;
    for (int i = 0; i < t->n_out; i++) {
        if (!r->trips)
            t->nodes[t->n_nodes++] = NULL;
        else if (!add_node(rt, t, r->held[i]))
            return false;
        put(t, head(CARRIED, t->to[i]->node->dtype, 0));
    }
    for (int i = 0; i < t->n_out; i++)
        if (!look_at(rt, r, t, t->to[i]->node)) return false;
    for (int i = 0; i < t->n_out; i++) {
        t->root[i] = t->to[i]->node->slot;
        if (!put(t, (uint64_t)t->root[i])) return false;
        const node *carried = t->nodes[i];
        if (carried && (carried->dtype != t->to[i]->node->dtype ||
                        !shape_equal(carried->ndim, carried->shape, first->ndim, first->shape)))
            return false;
    }
    return t->linked;
}

/* ---- the loop's body ---- */

static kir_ins ins(kir_code code, gpa_dtype type, int32_t a, int32_t b, int32_t c, uint32_t imm) {
    return (kir_ins){
        .code = (uint8_t)code, .type = (uint8_t)type, .a = a, .b = b, .c = c, .imm = imm};
}

static int32_t new_param(kir_func *f, gpa_dtype t) {
    int p = kir_add_param(f, t);
    return p < 0 ? -1 : kir_emit(f, ins(KIR_PARAM, t, -1, -1, -1, (uint32_t)p));
}

/* The value of a computed node in a trip; *number: the number that is taken next. */
static int32_t compute(kir_func *f, const node *n, const int32_t *value, const int32_t **number) {
    int32_t in[BODY_MAX_IN];
    for (int i = 0; i < n->n_in; i++)
        in[i] = repeated_number(n->in[i]) ? *(*number)++ : value[n->in[i]->slot];
    kir_set_span(f, n->span);
    if (n->kind == NODE_CAST) return kir_cast(f, (gpa_dtype)n->dtype, in[0]);
    if (n->kind == NODE_BODY) return body_emit(n->body, f, in) ? body_value(n->body, n->sub) : -1;
    if (n->n_in == 1) return kir_op1(f, (gpa_op)n->sub, in[0]);
    if (n->n_in == 2) return kir_op2(f, (gpa_op)n->sub, in[0], in[1]);
    return kir_op3(f, (gpa_op)n->sub, in[0], in[1], in[2]);
}

/* The parameters are, in this order: the first values of the carried results that are read, the
 * arrays, the numbers with the steps of those that grow, the numbers that are listed, trip by trip,
 * and the number of trips (gather_inputs). */
typedef struct {
    int32_t first[MOST_OUT], given[BODY_MAX_IN], number[MOST_NUMBERS], step[MOST_NUMBERS],
        list[MOST_NUMBERS][MOST_LISTED], trips;
} params;

static void add_params(const struct loop_batch *r, const trip *t, kir_func *f, params *p) {
    for (int i = 0; i < t->n_out; i++)
        p->first[i] = r->is_read[i] ? new_param(f, (gpa_dtype)t->to[i]->node->dtype) : -1;
    for (int i = 0; i < t->n_given; i++) p->given[i] = new_param(f, (gpa_dtype)t->given[i]->dtype);
    for (int i = 0; i < t->n_numbers; i++) {
        if (r->course[i] == STAYS) p->number[i] = new_param(f, (gpa_dtype)t->type[i]);
        if (r->course[i] != STEPS) continue;
        p->number[i] = new_param(f, DT_I64);
        p->step[i] = new_param(f, DT_I64);
    }
    for (int i = 0; i < t->n_numbers; i++)
        for (int j = 0; r->course[i] == LISTED && j < r->listed; j++)
            p->list[i][j] = new_param(f, (gpa_dtype)t->type[i]);
    p->trips = new_param(f, DT_I64);
}

/* Of 2^bits values from the first one on, the one that the bits of the trip choose. */
static int32_t choose(kir_func *f, const int32_t *values, const int32_t *odd, int bits) {
    if (bits == 0) return values[0];
    int32_t even = choose(f, values, odd, bits - 1),
            other = choose(f, values + (1 << (bits - 1)), odd, bits - 1);
    return kir_op3(f, OP_WHERE, odd[bits - 1], other, even);
}

/* The numbers of trip k, a value of the body; which >= 0: k is known to be that. */
static void write_numbers(const struct loop_batch *r, const trip *t, kir_func *f, const params *p,
                          int32_t k, int which, int32_t *number) {
    int32_t odd[MOST_LISTED] = {0};
    int bits = 0;
    for (; which < 0 && 1 << bits < r->listed; bits++) {
        int32_t bit = kir_const(f, DT_I64, (gpa_val){.I64 = 1 << bits});
        odd[bits] = kir_op2(f, OP_NOT_EQUAL, kir_op2(f, OP_BITWISE_AND, k, bit),
                            kir_const(f, DT_I64, (gpa_val){.I64 = 0}));
    }
    for (int i = 0; i < t->n_numbers; i++) {
        switch (r->course[i]) {
            case STAYS: number[i] = p->number[i]; break;
            case STEPS:
                number[i] =
                    kir_op2(f, OP_ADD, p->number[i], kir_op2(f, OP_MULTIPLY, k, p->step[i]));
                number[i] = kir_cast(f, (gpa_dtype)t->type[i], number[i]);
                break;
            case LISTED:
                number[i] = which < 0 ? choose(f, p->list[i], odd, bits) : p->list[i][which];
                break;
            case AS_ANOTHER: number[i] = number[r->step[i]]; break;
        }
    }
}

/* A trip. value: of the trip's nodes, the results of the trip before to begin with; they become
 * those of this one. */
static void write_trip(const trip *t, kir_func *f, const params *p, const int32_t *number,
                       int32_t *value) {
    int32_t out[MOST_OUT];
    for (int i = t->n_out; i < t->n_nodes; i++) {
        const node *n = t->nodes[i];
        int w = 0;
        if (repeated_number(n)) {
            value[i] = *number++;
        } else if (n->kind == NODE_BUF || n->kind == NODE_IOTA) {
            while (t->given[w] != n) w++;
            value[i] = p->given[w];
        } else {
            value[i] = compute(f, n, value, &number);
        }
    }
    for (int i = 0; i < t->n_out; i++) out[i] = value[t->root[i]];
    memcpy(value, out, (size_t)t->n_out * sizeof *out);
}

static void write_loop(const struct loop_batch *r, const trip *t, kir_func *f, const params *p,
                       int32_t *out) {
    int32_t value[MOST_NODES], number[MOST_NUMBERS], var[MOST_OUT];
    int32_t zero = kir_const(f, DT_I64, (gpa_val){.I64 = 0}),
            one = kir_const(f, DT_I64, (gpa_val){.I64 = 1});
    gpa_dtype type[MOST_OUT];
    for (int i = 0; i < t->n_out; i++) {
        type[i] = (gpa_dtype)t->to[i]->node->dtype;
        var[i] = kir_emit(f, ins(KIR_VAR, type[i], p->first[i], -1, -1, 0));
    }
    int32_t k = kir_open(f, ins(KIR_FOR, DT_I64, zero, p->trips, one, KIR_SHORT_LOOP));
    for (int i = 0; i < t->n_out; i++)
        value[i] = r->is_read[i] ? kir_emit(f, ins(KIR_GET, type[i], var[i], -1, -1, 0)) : -1;
    write_numbers(r, t, f, p, k, -1, number);
    write_trip(t, f, p, number, value);
    for (int i = 0; i < t->n_out; i++) kir_emit(f, ins(KIR_SET, DT_NONE, var[i], value[i], -1, 0));
    kir_close(f);
    for (int i = 0; i < t->n_out; i++)
        out[i] = kir_emit(f, ins(KIR_GET, type[i], var[i], -1, -1, 0));
}

/* As many trips as numbers are listed for, one after the other: nothing is chosen. */
static void write_all(const struct loop_batch *r, const trip *t, kir_func *f, const params *p,
                      int32_t *out) {
    int32_t value[MOST_NODES], number[MOST_NUMBERS];
    memcpy(value, p->first, (size_t)t->n_out * sizeof *value);
    for (int which = 0; which < r->listed; which++) {
        write_numbers(r, t, f, p, kir_const(f, DT_I64, (gpa_val){.I64 = which}), which, number);
        write_trip(t, f, p, number, value);
    }
    memcpy(out, value, (size_t)t->n_out * sizeof *out);
}

static const char *name_of(const node *n) {
    while (n->kind == NODE_CAST) n = n->in[0];
    return n->kind == NODE_OP     ? op_info[n->sub].name
           : n->kind == NODE_BODY ? n->body->f->name
                                  : "copy";
}

/* all: of all trips that numbers are listed for, else of any number. */
static gpa_code make_body(const struct loop_batch *r, const trip *t, bool all, gpa_body **out,
                          gpa_err *e) {
    int32_t values[MOST_OUT];
    params p;
    const node *last = t->to[t->n_out - 1]->node;
    kir_func *f = kir_new(KIR_MAP, name_of(last));
    if (!f) return gpa_no_memory(e);
    add_params(r, t, f, &p);
    (all ? write_all : write_loop)(r, t, f, &p, values);
    gpa_code rc = body_new_take(f, values, t->n_out, out, e);
    if (rc) return rc;
    gpa_str text;
    str_init(&text);
    if (all)
        str_put(&text, r->body->text ? r->body->text : "");
    else
        explain_put_value(&text,
                          r->held[t->n_out - 1]); /* the trip before: this one holds it in itself */
    (*out)->trips = (int8_t)((*out)->f->n_params - 1);
    (*out)->text = mem_text(text.text, text.len);
    str_free(&text);
    return GPA_OK;
}

static void forget(known *k) {
    for (size_t i = 0; i < k->n_inside; i++) body_release(k->inside[i]);
    mem_free(k->inside);
    mem_free(k->words);
    body_release(k->body);
    *k = (known){0};
}

/* Keeps a body for the next time this loop runs; does nothing when memory is short. */
static void remember(struct loop_batch *r, const trip *t, gpa_body *body) {
    known k = {.n_words = (size_t)t->n_words};
    for (int i = 0; i < t->n_nodes; i++)
        k.n_inside += t->nodes[i] && t->nodes[i]->kind == NODE_BODY && i >= t->n_out;
    k.words = mem_new(k.n_words * sizeof *k.words);
    k.inside = mem_new(k.n_inside * sizeof(gpa_body *));
    if (!k.words || !k.inside) {
        mem_free(k.words);
        mem_free(k.inside);
        return;
    }
    memcpy(k.words, t->words, k.n_words * sizeof *k.words);
    k.n_inside = 0;
    for (int i = t->n_out; i < t->n_nodes; i++)
        if (t->nodes[i]->kind == NODE_BODY) k.inside[k.n_inside++] = body_retain(t->nodes[i]->body);
    k.body = body_retain(body);
    known *place = &r->known[r->next++ % KNOWN];
    forget(place);
    *place = k;
}

/* The body of this loop: one that was made before, or a new one. */
static gpa_code find_body(struct loop_batch *r, trip *t, bool all, gpa_body **out, gpa_err *e) {
    int n_words = t->n_words;
    bool room = true;
    for (int i = 0; i < t->n_numbers && room; i++)
        room = put(t, (uint64_t)r->course[i] | (r->course[i] == AS_ANOTHER ? r->step[i] << 2 : 0));
    room = room && put(t, (uint64_t)r->listed << 1 | all);
    size_t bytes = (size_t)t->n_words * sizeof *t->words;
    *out = NULL;
    for (int i = 0; i < KNOWN && !*out; i++) {
        const known *k = &r->known[i];
        if (k->body && k->n_words == (size_t)t->n_words && memcmp(k->words, t->words, bytes) == 0)
            *out = body_retain(k->body);
    }
    gpa_code rc = *out ? GPA_OK : make_body(r, t, all, out, e);
    if (!rc && room) remember(r, t, *out);
    t->n_words = n_words;
    return rc;
}

/* ---- holding ---- */

/* A number as an integer that it can be made of again, to the bit. */
static bool as_integer(gpa_dtype t, gpa_val v, uint64_t *out) {
    gpa_val whole = dtype_cast(v, t, DT_I64), back = dtype_cast(whole, DT_I64, t);
    *out = (uint64_t)whole.I64;
    return memcmp(&back, &v, dtype_size(t)) == 0;
}

/* What a number grows by from trip to trip; false: one with a fraction grows, which would be
 * rounded. */
static bool step_between(gpa_dtype t, gpa_val a, gpa_val b, uint64_t *step) {
    uint64_t from, to;
    *step = 0;
    if (memcmp(&a, &b, dtype_size(t)) == 0) return true;
    if (!as_integer(t, a, &from) || !as_integer(t, b, &to)) return false;
    *step = to - from;
    return true;
}

static bool equal_numbers(const trip *a, int i, const trip *b, int j) {
    return a->type[i] == b->type[j] &&
           memcmp(&a->v[i], &b->v[j], dtype_size((gpa_dtype)a->type[i])) == 0;
}

/* How the i-th number goes on from the first trip to the second, t. */
static course find_course(struct loop_batch *r, const trip *t, int i) {
    const trip *b = r->before;
    for (int j = 0; j < i && r->uneven[i] != ALONE; j++) {
        if (r->course[j] == AS_ANOTHER || !equal_numbers(t, i, t, j) || !equal_numbers(b, i, b, j))
            continue;
        r->step[i] = (uint64_t)j;
        return AS_ANOTHER;
    }
    if (!r->uneven[i] && step_between((gpa_dtype)t->type[i], b->v[i], t->v[i], &r->step[i]))
        return r->step[i] ? STEPS : STAYS;
    if (!r->uneven[i])
        r->uneven[i] =
            UNEVEN; /* when the loop begins anew its next numbers may be whole by chance */
    return LISTED;
}

/* Whether the second trip's numbers have room among the inputs. */
static bool find_courses(struct loop_batch *r, const trip *t) {
    int fixed = t->n_given + 1;
    for (int i = 0; i < t->n_out; i++) fixed += r->is_read[i] = r->before->nodes[i] != NULL;
    r->n_listed = r->listed = 0;
    for (int i = 0; i < t->n_numbers; i++) {
        r->course[i] = find_course(r, t, i);
        r->n_listed += r->course[i] == LISTED;
        fixed += r->course[i] == STAYS ? 1 : r->course[i] == STEPS ? 2 : 0;
    }
    if (!r->n_listed) return true;
    for (r->listed = MOST_LISTED; fixed + r->n_listed * r->listed > BODY_MAX_IN; r->listed /= 2)
        if (r->listed == FIRST_TRIPS) return false;
    return true;
}

/* Whether the i-th number of the third trip or a later one, t, goes on so. */
static bool goes_on(const struct loop_batch *r, const trip *t, int i) {
    uint64_t step;
    switch (r->course[i]) {
        case LISTED: return true;
        case AS_ANOTHER: return equal_numbers(t, i, t, (int)r->step[i]);
        default:
            return step_between((gpa_dtype)t->type[i], r->before->v[i], t->v[i], &step) &&
                   step == r->step[i];
    }
}

static bool same_words(const trip *a, const trip *b) {
    return a->n_words == b->n_words && a->n_numbers == b->n_numbers &&
           memcmp(a->words, b->words, (size_t)a->n_words * sizeof *a->words) == 0;
}

/* Whether the trip is the one that was held, again. */
static bool continues(struct loop_batch *r, const trip *t) {
    const trip *b = r->before;
    bool good = same_words(t, b) && t->n_given == b->n_given &&
                memcmp(t->given, b->given, (size_t)t->n_given * sizeof *t->given) == 0;
    if (!good || r->trips == 1) return good && find_courses(r, t);
    for (int i = 0; i < t->n_numbers; i++) {
        if (goes_on(r, t, i)) continue;
        r->uneven[i] = r->course[i] == AS_ANOTHER ? ALONE : UNEVEN;
        good = false;
    }
    return good;
}

static gpa_code add_input(gpa_rt *rt, struct loop_batch *r, gpa_dtype t, gpa_val v, gpa_err *e) {
    node *n;
    if (r->n_in == BODY_MAX_IN) return gpa_fail(e, GPA_E_INTERNAL, "a loop with too many inputs");
    gpa_code rc = node_scalar(rt, t, v, &n, e);
    if (!rc) r->in[r->n_in++] = n;
    return rc;
}

/* The inputs that write_loop has parameters for. */
static gpa_code gather_inputs(gpa_rt *rt, struct loop_batch *r, const trip *t, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < t->n_out; i++)
        if (r->is_read[i]) r->in[r->n_in++] = node_retain(r->before->nodes[i]);
    if (r->n_in + t->n_given > BODY_MAX_IN)
        return gpa_fail(e, GPA_E_INTERNAL, "a loop with too many inputs");
    for (int i = 0; i < t->n_given; i++) r->in[r->n_in++] = node_retain(t->given[i]);
    for (int i = 0; i < t->n_numbers && !rc; i++) {
        gpa_dtype as = (gpa_dtype)t->type[i];
        gpa_val first = r->before->v[i];
        if (r->course[i] == STAYS) rc = add_input(rt, r, as, first, e);
        if (r->course[i] != STEPS) continue;
        rc = add_input(rt, r, DT_I64, dtype_cast(first, as, DT_I64), e);
        if (!rc) rc = add_input(rt, r, DT_I64, (gpa_val){.U64 = r->step[i]}, e);
    }
    r->lists = r->n_in;
    for (int i = 0; i < t->n_numbers; i++)
        for (int j = 0; r->course[i] == LISTED && j < r->listed && !rc; j++)
            rc = add_input(rt, r, (gpa_dtype)t->type[i], r->before->v[i], e);
    return rc ? rc : add_input(rt, r, DT_I64, (gpa_val){.I64 = 1}, e);
}

static void drop_inputs(gpa_rt *rt, struct loop_batch *r) {
    while (r->n_in) node_release(rt, r->in[--r->n_in]);
    body_release(r->body);
    r->body = NULL;
}

/* The trip at hand becomes the one that was. */
static gpa_code hold(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    trip *t = r->now;
    gpa_storage *to[MOST_OUT];
    node *was[MOST_OUT], *made[MOST_OUT] = {0};
    gpa_code rc = GPA_OK;
    if (!r->trips && !same_words(t, r->before)) memset(r->uneven, 0, sizeof r->uneven);
    for (int i = 0; i < t->n_out; i++) {
        to[i] = t->to[i];
        was[i] = r->trips ? r->held[i] : NULL;
        if (r->body)
            TRY(node_body(rt, r->body, i, r->in, &made[i], e));
        else
            made[i] = node_retain(to[i]->node);
    }
    for (int i = 0; i < t->n_out; i++) {
        r->held[i] = made[i];
        made[i] = NULL;
        node_release(rt, was[i]);
    }
    r->trips++;
    r->now = r->before;
    r->before = t;
    for (int i = 0; i < r->before->n_out && r->body && !rc;
         i++) /* memory may be short: then nothing is held any more */
        if (r->trips && to[i]->node) rc = storage_replace(rt, to[i], r->held[i], e);
out:
    for (int i = 0; i < t->n_out; i++) node_release(rt, made[i]);
    return rc;
}

static gpa_code set_input(gpa_rt *rt, struct loop_batch *r, int i, gpa_dtype t, gpa_val v, gpa_err *e) {
    node *n;
    gpa_code rc = node_scalar(rt, t, v, &n, e);
    if (rc) return rc;
    node_release(rt, r->in[i]);
    r->in[i] = n;
    return GPA_OK;
}

/* One trip more, as far as the inputs know. The body is made when the second one comes. */
static gpa_code count_on(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    const trip *t = r->now;
    gpa_code rc = GPA_OK;
    int at = r->lists + (int)r->trips;
    if (!r->body) {
        TRY(find_body(r, r->now, false, &r->body, e));
        TRY(gather_inputs(rt, r, t, e));
        at = r->lists + 1;
    }
    for (int i = 0; i < t->n_numbers; i++) {
        if (r->course[i] != LISTED) continue;
        TRY(set_input(rt, r, at, (gpa_dtype)t->type[i], t->v[i], e));
        at += r->listed;
    }
    TRY(set_input(rt, r, r->n_in - 1, DT_I64, (gpa_val){.I64 = r->trips + 1}, e));
    if (r->listed == r->trips + 1 && t->n_nodes <= FEW_NODES) {
        gpa_body *all;
        TRY(find_body(r, r->now, true, &all, e));
        body_release(r->body);
        r->body = all;
    }
out:
    if (rc && r->trips == 1) drop_inputs(rt, r);
    return rc;
}

gpa_code loop_batch_flush(gpa_rt *rt, gpa_err *e) {
    struct loop_batch *r = rt->loop_batch;
    if (!r || !r->trips || r->busy) return GPA_OK;
    bool wanted = false; /* one is enough: without the others it would be another program */
    for (int i = 0; i < r->before->n_out; i++) wanted = wanted || r->held[i]->refs > 1;
    r->busy = true;
    gpa_code rc = wanted ? exec_nodes(rt, r->held, (size_t)r->before->n_out, CUT_LOOP, e) : GPA_OK;
    r->busy = false;
    r->n_left = r->before->n_out;
    for (int i = 0; i < r->n_left; i++) {
        r->left[i] = r->held[i]->kind == NODE_BUF ? r->held[i]->buf : NULL;
        node_release(rt, r->held[i]);
    }
    r->trips = r->listed = 0;
    drop_inputs(rt, r);
    return rc;
}

/* ---- the edge ---- */

/* Computes what is pending, and notes where it is then. */
static gpa_code compute_all(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    gpa_storage *s[MOST_OUT];
    size_t n = rt->n_pending;
    if (n > MOST_OUT) n = 0;
    gpa_storage *at = rt->pending.next;
    for (size_t i = 0; i < n; i++, at = at->next) s[i] = at;
    gpa_code rc = exec_pending(rt, CUT_LOOP, e);
    r->n_left = (int)n;
    r->most = FIRST_TRIPS;
    for (size_t i = 0; i < n; i++) r->left[i] = s[i]->buf;
    return rc;
}

/* Whether nothing came since the last edge. */
static bool is_unchanged(const gpa_rt *rt, const struct loop_batch *r) {
    const gpa_storage *s = rt->pending.next;
    if (!r->trips || rt->n_pending != (size_t)r->before->n_out) return false;
    for (int i = 0; i < r->before->n_out; i++, s = s->next)
        if (s->node != r->held[i]) return false;
    return true;
}

gpa_code loop_batch_edge(gpa_rt *rt, gpa_err *e) {
    struct loop_batch *r = rt->loop_batch;
    if (!r) {
        if (!(r = rt->loop_batch = mem_zero(sizeof *r))) return gpa_no_memory(e);
        r->now = &r->trip[0];
        r->before = &r->trip[1];
    }
    if (is_unchanged(rt, r)) return GPA_OK;
    gpa_err quiet; /* cleared, not zeroed: this runs in every trip */
    gpa_err_clear(&quiet);
    bool good =
        look(rt, r, r->now) && (!r->trips || (continues(r, r->now) && !count_on(rt, r, &quiet)));
    if (!good) return compute_all(rt, r, e);
    gpa_code rc = hold(rt, r, e);
    if (rc || r->trips < (r->listed ? r->listed : r->most)) return rc;
    r->most = MIN(2 * r->most, MOST_TRIPS);
    return loop_batch_flush(rt, e);
}

void loop_batch_free(gpa_rt *rt) {
    struct loop_batch *r = rt->loop_batch;
    if (!r) return;
    for (int i = 0; r->trips && i < r->before->n_out; i++) node_release(rt, r->held[i]);
    drop_inputs(rt, r);
    for (int i = 0; i < KNOWN; i++) forget(&r->known[i]);
    mem_free(r);
    rt->loop_batch = NULL;
}
