/* Data race detection for KERNEL programs by a happens-before check on shadow memory, and
 * detection of reads of uninitialized shared memory.
 *
 * Every element of an array that the program writes has a shadow cell: its last write and its
 * last two reads by different threads. Two accesses of one element by different threads, at
 * least one a write, are ordered if a barrier of the block (within a warp also one of the warp)
 * is between them, if both are atomic, or if the first thread's block has executed a fence and
 * the second thread an atomic since (the release/acquire pattern between blocks). Otherwise they
 * race. A write of the value that is there already is not a race: many threads may set one flag.
 *
 * Reading order: shadow memory, the clock, accesses. */
#include "runtime/ref/ref.h"

enum { PAGE = 256, WARPS = 32 };

typedef struct {
    uint64_t tick, block;
    uint32_t epoch, warp_epoch, line, thread;
    bool set, atomic;
} access_record;

typedef struct {
    access_record write, read[2];
} cell;

/* The cells of a memory region, in pages allocated at their first access. */
typedef struct shadow {
    struct shadow *next;
    const unsigned char *base;
    size_t bytes, unit, n_pages;
    bool shared;
    cell **pages;
} shadow;

struct ref_check {
    shadow *all, *of[KIR_MAX_ARRAYS]; /* per array; NULL: never written */
    uint64_t tick, block;
    uint64_t *fences;  /* per block: tick of its last fence */
    uint64_t *atomics; /* per thread of the block: tick of its last atomic */
    uint32_t n_threads, epoch, warp_epoch[WARPS];
    /* The first read of an uninitialized element since the last round; if a thread writes the
     * element later in the round, it is a race instead. */
    kir_fault_record unwritten;
};

/* ---- shadow memory ---- */

static void forget_cells(shadow *s) {
    for (size_t i = 0; i < s->n_pages; i++) {
        mem_free(s->pages[i]);
        s->pages[i] = NULL;
    }
}

/* Gives array k the shadow of its memory (base, bytes, unit, shared); a cell is as large as the
 * smallest element type there. */
static gpa_code add_shadow(ref_check *c, size_t k, const shadow *memory, gpa_err *e) {
    shadow *s = c->all;
    while (s && s->base != memory->base) s = s->next;
    if (!s) {
        if (!(s = mem_zero(sizeof *s))) return gpa_no_memory(e);
        *s = *memory;
        s->next = c->all;
        c->all = s;
    }
    s->bytes = MAX(s->bytes, memory->bytes);
    s->unit = MIN(s->unit, memory->unit);
    c->of[k] = s;
    return GPA_OK;
}

static cell *cell_at(shadow *s, size_t byte) {
    size_t i = byte / s->unit;
    if (!s->pages) {
        s->n_pages = s->bytes / s->unit / PAGE + 1;
        if (!(s->pages = mem_zero(s->n_pages * sizeof *s->pages))) return NULL;
    }
    cell **page = &s->pages[i / PAGE];
    if (!*page) *page = mem_zero(PAGE * sizeof **page);
    return *page ? &(*page)[i % PAGE] : NULL;
}

gpa_code check_new(const ref_frame *fr, ref_check **out, gpa_err *e) {
    const gpa_prog *p = fr->prog;
    const gpa_launch *l = fr->launch;
    ref_check *c = mem_zero(sizeof *c);
    gpa_code rc = GPA_OK;
    if (!c) return gpa_no_memory(e);
    c->n_threads = l->block[0] * l->block[1] * l->block[2];
    c->fences = mem_zero((size_t)l->grid[0] * l->grid[1] * l->grid[2] * sizeof *c->fences);
    c->atomics = mem_zero(c->n_threads * sizeof *c->atomics);
    if (!c->fences || !c->atomics) TRY(gpa_no_memory(e));
    for (size_t k = 0; k < p->n_arrays; k++) {
        const kir_array *a = &p->arrays[k];
        const gpa_mem *m = a->where == KIR_GLOBAL ? l->arrays[k].mem : NULL;
        bool written = false;
        for (size_t w = 0; m && w < p->n_arrays; w++)
            written |=
                p->arrays[w].where == KIR_GLOBAL && l->arrays[w].mem == m && p->written >> w & 1u;
        if (written)
            TRY(add_shadow(
                c, k,
                &(shadow){.base = m->data, .bytes = m->n, .unit = dtype_size((gpa_dtype)a->dtype)},
                e));
    }
    *out = c;
    return GPA_OK;
out:
    check_free(c);
    return rc;
}

gpa_code check_shared(ref_check *c, size_t k, const unsigned char *base, size_t n, size_t unit,
                      gpa_err *e) {
    return add_shadow(c, k, &(shadow){.base = base, .bytes = n, .unit = unit, .shared = true}, e);
}

void check_free(ref_check *c) {
    if (!c) return;
    for (shadow *s = c->all, *next; s; s = next) {
        next = s->next;
        forget_cells(s);
        mem_free(s->pages);
        mem_free(s);
    }
    mem_free(c->fences);
    mem_free(c->atomics);
    mem_free(c);
}

/* ---- the clock ---- */

void check_block(ref_check *c, uint64_t block) {
    c->block = block;
    c->epoch = 0;
    memset(c->warp_epoch, 0, sizeof c->warp_epoch);
    memset(c->atomics, 0, c->n_threads * sizeof *c->atomics);
    for (shadow *s = c->all; s; s = s->next)
        if (s->shared) forget_cells(s);
}

void check_barrier(ref_check *c) { c->epoch++; }

void check_warp_barrier(ref_check *c, uint32_t warp) { c->warp_epoch[warp % WARPS]++; }

void check_fence(ref_check *c) { c->fences[c->block] = ++c->tick; }

/* ---- accesses ---- */

static bool happens_before(const ref_check *c, const access_record *before,
                           const access_record *now) {
    if (!before->set || (before->atomic && now->atomic)) return true;
    bool here = before->block == now->block;
    if (here && before->thread == now->thread) return true;
    if (here && before->epoch != now->epoch) return true;
    if (here && before->thread / 32 == now->thread / 32 && before->warp_epoch != now->warp_epoch)
        return true;
    return c->fences[before->block] > before->tick && c->atomics[now->thread] > before->tick;
}

static void unravel(int32_t out[3], uint64_t linear, const uint32_t size[3]) {
    out[0] = (int32_t)(linear % size[0]);
    out[1] = (int32_t)(linear / size[0] % size[1]);
    out[2] = (int32_t)(linear / size[0] / size[1]);
}

static bool report_race(ref_frame *fr, const ref_step *s, const access_record *before, int64_t at,
                        bool writes, bool other_writes) {
    kir_fault_record f = {.kind = KIR_FT_RACE, .axis = s->sub, .a = at, .other_line = before->line};
    f.how = (writes ? KIR_HOW_WRITES : 0u) | (other_writes ? KIR_HOW_OTHER_WRITES : 0u);
    unravel(f.other_block, before->block, fr->launch->grid);
    unravel(f.other_thread, before->thread, fr->launch->block);
    ref_fault(fr, s, f);
    return false;
}

static void note_unwritten(const ref_frame *fr, const ref_step *s, int64_t at) {
    kir_fault_record *f = &fr->check->unwritten;
    if (f->set) return;
    *f = (kir_fault_record){
        .set = 1, .kind = KIR_FT_UNWRITTEN, .line = s->line, .axis = s->sub, .a = at};
    for (int d = 0; d < 3; d++)
        f->block[d] = (int32_t)fr->block[d], f->thread[d] = (int32_t)fr->thread[d];
}

bool check_round(ref_frame *top) {
    kir_fault_record *f = &top->check->unwritten, *to = top->launch->fault;
    if (!f->set) return true;
    if (to && !to->set) *to = *f;
    top->why = REF_FAULT;
    return false;
}

static void note_read(cell *x, const access_record *now) {
    bool same =
        x->read[0].set && x->read[0].block == now->block && x->read[0].thread == now->thread;
    if (!same) x->read[1] = x->read[0];
    x->read[0] = *now;
}

/* An earlier access that races with this one, NULL: none; the cell then records this one. */
static const access_record *find_conflict(const ref_check *c, cell *x, const access_record *now,
                                          ref_access how, bool changes) {
    bool writes = how != REF_READS;
    if (!happens_before(c, &x->write, now) && (!writes || changes)) return &x->write;
    for (int i = 0; i < 2 && changes; i++)
        if (!happens_before(c, &x->read[i], now)) return &x->read[i];
    if (how != REF_WRITES) note_read(x, now);
    if (writes && (changes || !x->write.set)) x->write = *now;
    return NULL;
}

bool check_access(ref_frame *fr, const ref_step *s, const unsigned char *p, int64_t at,
                  ref_access how, const void *now) {
    ref_check *c = fr->check;
    shadow *d = c->of[s->sub];
    if (!d) return true;
    access_record t = {.tick = ++c->tick,
                       .block = c->block,
                       .epoch = c->epoch,
                       .warp_epoch = c->warp_epoch[fr->linear / 32 % WARPS],
                       .line = s->line,
                       .thread = fr->linear,
                       .set = true,
                       .atomic = how == REF_UPDATES};
    bool changes = how == REF_UPDATES || (how == REF_WRITES && memcmp(p, now, s->size) != 0);
    for (size_t byte = 0; byte < s->size; byte += d->unit) {
        cell *x = cell_at(d, (size_t)(p - d->base) + byte);
        if (!x) {
            ref_stop(fr, GPA_E_MEMORY, "out of memory");
            return false;
        }
        if (d->shared && how != REF_WRITES && !x->write.set) note_unwritten(fr, s, at);
        const access_record *other = find_conflict(c, x, &t, how, changes);
        if (other) return report_race(fr, s, other, at, how != REF_READS, other == &x->write);
    }
    if (how == REF_UPDATES) c->atomics[fr->linear] = c->tick;
    return true;
}
