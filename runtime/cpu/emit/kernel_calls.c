/* Runtime functions called by compiled kernels: fault and printf records, warp exchanges, block
 * votes, atomics lane by lane. */
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/emit/kernel.h"

enum { WARP = 32 };

/* ---- fault and printf records ---- */

static void unravel(int32_t to[3], int64_t n, const uint32_t size[3]) {
    to[0] = (int32_t)(n % size[0]);
    to[1] = (int32_t)(n / size[0] % size[1]);
    to[2] = (int32_t)(n / size[0] / size[1]);
}

void kernel_fault(kernel_cell *c, cpu_fault_site at, int64_t a, int64_t b, int64_t block,
                  int64_t thread) {
    kir_fault_record r = {.kind = at.kind, .line = at.line, .axis = at.axis, .a = a, .b = b};
    unravel(r.block, block, c->launch->grid);
    unravel(r.thread, thread, c->launch->block);
    cpu_fault_keep(&c->fault, block, 0, &r);
}

void kernel_say(kernel_cell *c, uint64_t text_n, int64_t block, int64_t thread, uint64_t lanes_mask,
                const gpa_val *args) {
    gpa_printed s = {
        .block = (uint64_t)block, .text = (uint32_t)text_n, .n = (uint32_t)(text_n >> 32)};
    if (!c->launch->print) return;
    while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE)) continue;
    for (uint32_t lane = 0; lanes_mask >> lane; lane++) {
        if (!(lanes_mask >> lane & 1)) continue;
        s.thread = (uint32_t)thread + lane;
        for (uint32_t i = 0; i < s.n; i++) s.args[i] = args[lane * s.n + i];
        c->launch->print(c->launch->user, &s);
    }
    __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/* ---- threads of a block ---- */

typedef struct {
    int64_t x, threads, pitch, rows;
} geometry;

static geometry shape_of(const int64_t *view) {
    const int64_t *v = view + VIEW_SIZE;
    return (geometry){v[KV_BLOCK], v[KV_BLOCK] * v[KV_BLOCK + 1] * v[KV_BLOCK + 2], v[KV_PITCH],
                      v[KV_BLOCK + 1] * v[KV_BLOCK + 2]};
}

/* The index of thread number t (counted along x, then y, z) in the padded rows. */
static int64_t padded(const geometry *g, int64_t t) { return t / g->x * g->pitch + t % g->x; }

static char *slot_address(char *context, const geometry *g, int64_t slot) {
    return context + slot * KERNEL_SLOT_BYTES * g->pitch * g->rows;
}

/* Context slots hold values in register format: halves as float, bool as a byte, the parts of a
 * complex number separately. */
static size_t part_bytes(gpa_dtype t) {
    if (t == DT_F16 || t == DT_BF16) return 4;
    return dtype_size(t) / (dtype_is_complex(t) ? 2 : 1);
}

typedef struct {
    char *context;
    geometry g;
    int64_t slot;
    kir_warp row;
    gpa_dtype t;
    uint32_t active;
    int64_t first; /* thread of lane 0 */
} exchange;

static char *at(const exchange *x, int64_t slot, size_t size, unsigned lane) {
    return slot_address(x->context, &x->g, x->slot + slot) +
           (size_t)padded(&x->g, x->first + lane) * size;
}

static int32_t number(const exchange *x, int64_t slot, unsigned lane) {
    int32_t v;
    memcpy(&v, at(x, slot, 4, lane), 4);
    return v;
}

static unsigned source(const exchange *x, unsigned lane) {
    int by = number(x, KERNEL_B, lane), from = (int)lane;
    if (x->row == KIR_WA_SHFL) from = by & (WARP - 1);
    if (x->row == KIR_WA_SHFL_UP) from = (int)lane - by;
    if (x->row == KIR_WA_SHFL_DOWN) from = (int)lane + by;
    if (x->row == KIR_WA_SHFL_XOR) from = (int)lane ^ by;
    bool inside = from >= 0 && from < WARP && x->active >> from & 1u;
    return inside ? (unsigned)from : lane;
}

static bool same(const exchange *x, unsigned a, unsigned b) {
    size_t size = part_bytes(x->t);
    bool equal = memcmp(at(x, KERNEL_A, size, a), at(x, KERNEL_A, size, b), size) == 0;
    return equal && (!dtype_is_complex(x->t) ||
                     memcmp(at(x, KERNEL_A + 1, size, a), at(x, KERNEL_A + 1, size, b), size) == 0);
}

static void shuffle(const exchange *x) {
    size_t size = part_bytes(x->t);
    for (int part = 0; part < (dtype_is_complex(x->t) ? 2 : 1); part++)
        for (unsigned lane = 0; lane < WARP; lane++)
            if (x->active >> lane & 1u)
                memcpy(at(x, KERNEL_RESULT + part, size, lane),
                       at(x, KERNEL_A + part, size, source(x, lane)), size);
}

static void vote(const exchange *x) {
    uint32_t truth = 0;
    bool masks = x->row == KIR_WA_MATCH_ANY || x->row == KIR_WA_MATCH_ALL;
    for (unsigned lane = 0; lane < WARP && !masks && x->row != KIR_WA_ACTIVEMASK; lane++)
        if (x->active >> lane & 1u && *at(x, KERNEL_A, 1, lane)) truth |= 1u << lane;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(x->active >> lane & 1u)) continue;
        uint32_t alike = 0, v = x->active;
        for (unsigned k = 0; k < WARP && masks; k++)
            if (x->active >> k & 1u && same(x, lane, k)) alike |= 1u << k;
        if (x->row == KIR_WA_BALLOT) v = truth;
        if (x->row == KIR_WA_MATCH_ANY) v = alike;
        if (x->row == KIR_WA_MATCH_ALL) v = alike == x->active ? alike : 0;
        char flag = x->row == KIR_WA_ALL   ? truth == x->active
                    : x->row == KIR_WA_ANY ? truth != 0
                                           : truth == 0 || truth == x->active;
        bool one = x->row == KIR_WA_ALL || x->row == KIR_WA_ANY || x->row == KIR_WA_EQ;
        if (one)
            *at(x, KERNEL_RESULT, 1, lane) = flag;
        else
            memcpy(at(x, KERNEL_RESULT, 4, lane), &v, 4);
    }
}

/* Of the remaining lanes, those in the mask of the first one that pass the same mask. */
static uint32_t together(const exchange *x, uint32_t left) {
    unsigned first = (unsigned)__builtin_ctz(left);
    uint32_t mask = (uint32_t)number(x, KERNEL_C, first), found = 1u << first;
    for (unsigned lane = first; lane < WARP; lane++)
        if (left >> lane & mask >> lane & 1u && (uint32_t)number(x, KERNEL_C, lane) == mask)
            found |= 1u << lane;
    return found;
}

static bool runs(const char *mask, const geometry *g, int64_t t) {
    return !mask || mask[padded(g, t)];
}

void kernel_warp(const int64_t *view, uint64_t row_type, char *context, int64_t slot,
                 int64_t mask_slot, uint64_t used) {
    exchange x = {.context = context,
                  .g = shape_of(view),
                  .slot = slot,
                  .row = (kir_warp)(row_type & 0xffff),
                  .t = (gpa_dtype)(row_type >> 16)};
    const char *mask = mask_slot >= 0 ? slot_address(context, &x.g, mask_slot) : NULL;
    for (x.first = 0; x.first < x.g.threads; x.first += WARP) {
        x.active = 0;
        for (unsigned lane = 0; lane < WARP && x.first + lane < x.g.threads; lane++)
            if (runs(mask, &x.g, x.first + lane)) x.active |= 1u << lane;
        bool masked = used >> 2 & 1u;
        for (uint32_t left = x.active; left; left &= ~x.active) {
            x.active = masked ? together(&x, left) : left;
            if (x.row <= KIR_WA_SHFL_XOR)
                shuffle(&x);
            else
                vote(&x);
        }
    }
}

int64_t kernel_vote(const int64_t *view, const char *context, int64_t slot, int64_t mask_slot,
                    uint64_t row) {
    geometry g = shape_of(view);
    int64_t n = 0, n_true = 0;
    char *all = (char *)(uintptr_t)context;
    const char *mask = mask_slot >= 0 ? slot_address(all, &g, mask_slot) : NULL,
               *votes = slot_address(all, &g, slot);
    for (int64_t t = 0; t < g.threads; t++) {
        if (!runs(mask, &g, t)) continue;
        n++;
        n_true += votes[padded(&g, t)] != 0;
    }
    return row == KIR_BA_COUNT ? n_true : row == KIR_BA_AND ? n_true == n : n_true > 0;
}

/* ---- atomics ---- */

/* Words of 1 to 8 bytes as integers of 64 bits: read, and replaced if still equal to *seen, which
 * then is what was there. */
static uint64_t word_load(const void *p, size_t size) {
    switch (size) {
        case 1: return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
        case 2: return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
        case 4: return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
        default: return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
    }
}

static bool word_exchange(void *p, size_t size, uint64_t *seen, uint64_t next) {
    const uint64_t old = *seen;
    switch (size) {
        case 1:
            *seen = __sync_val_compare_and_swap((uint8_t *)p, (uint8_t)old, (uint8_t)next);
            break;
        case 2:
            *seen = __sync_val_compare_and_swap((uint16_t *)p, (uint16_t)old, (uint16_t)next);
            break;
        case 4:
            *seen = __sync_val_compare_and_swap((uint32_t *)p, (uint32_t)old, (uint32_t)next);
            break;
        default: *seen = __sync_val_compare_and_swap((uint64_t *)p, old, next); break;
    }
    return *seen == old;
}

/* Not all processors have a 16-byte atomic exchange: a global lock serializes these updates in
 * the whole program. */
static gpa_val update_wide(kir_atomic row, gpa_dtype t, void *p, gpa_val b, gpa_val c) {
    static int32_t lock;
    gpa_val old = {.bits = {0, 0}};
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) continue;
    memcpy(&old, p, 16);
    gpa_val v = kir_atomic_result(row, t, old, b, c);
    memcpy(p, &v, 16);
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return old;
}

static gpa_val update(kir_atomic row, gpa_dtype t, void *p, gpa_val b, gpa_val c) {
    gpa_val old = {.bits = {0, 0}};
    if (row == KIR_AT_ADD && t == DT_I32) {
        old.I32 = __atomic_fetch_add((int32_t *)p, b.I32, __ATOMIC_SEQ_CST);
        return old;
    }
    if (row == KIR_AT_ADD && t == DT_I64) {
        old.I64 = __atomic_fetch_add((int64_t *)p, b.I64, __ATOMIC_SEQ_CST);
        return old;
    }
    const size_t size = dtype_size(t);
    if (size > 8) return update_wide(row, t, p, b, c);
    uint64_t seen = word_load(p, size), next = 0;
    do {
        memcpy(&old, &seen, size);
        gpa_val v = kir_atomic_result(row, t, old, b, c);
        memcpy(&next, &v, size);
    } while (!word_exchange(p, size, &seen, next));
    return old;
}

void kernel_atomic(uint64_t row_type, const int64_t *addresses, const void *b, const void *c,
                   void *old, uint64_t mask) {
    gpa_dtype t = (gpa_dtype)(row_type >> 16);
    size_t size = dtype_size(t);
    for (unsigned lane = 0; mask >> lane; lane++) {
        if (!(mask >> lane & 1)) continue;
        gpa_val vb = {.bits = {0, 0}}, vc = vb;
        memcpy(&vb, (const char *)b + lane * size, size);
        memcpy(&vc, (const char *)c + lane * size, size);
        gpa_val was =
            update((kir_atomic)(row_type & 0xffff), t, (void *)(uintptr_t)addresses[lane], vb, vc);
        memcpy((char *)old + lane * size, &was, size);
    }
}
