/* The memory pool of a device: reuse, statistics, limits, trimming, over a backend that only
 * allocates.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "runtime/exec/buffer.h"
#include "runtime/exec/device.h"
#include "runtime/exec/rt.h"

struct gpa_mem {
    size_t n;
};

static int allocs, frees;
static size_t in_use, capacity;

static gpa_code fake_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    (void)d;
    if (capacity && in_use + n > capacity) return gpa_no_memory(e);
    *out = mem_new(sizeof **out);
    if (!*out) return gpa_no_memory(e);
    (*out)->n = n;
    in_use += n;
    allocs++;
    return GPA_OK;
}

static void fake_free(gpa_dev *d, gpa_mem *m) {
    (void)d;
    in_use -= m->n;
    frees++;
    mem_free(m);
}

static size_t copied;

static gpa_code fake_copy(gpa_dev *d, const gpa_copy *c, gpa_err *e) {
    (void)d, (void)e;
    assert_true(c->to_at + c->n <= c->to->n && c->from_at + c->n <= c->from->n);
    copied += c->n;
    return GPA_OK;
}

static const gpa_backend fake = {
    .name = "fake", .alloc = fake_alloc, .free = fake_free, .copy = fake_copy};

typedef struct {
    gpa_rt rt;
    gpa_device d;
    gpa_err e;
} world;

static world *begin(uint64_t total, const char *limit) {
    world *w = test_calloc(1, sizeof *w);
    w->d.be = &fake;
    w->d.caps.mem_total = total;
    if (limit)
        setenv("GPA_MEMORY_LIMIT", limit, 1);
    else
        unsetenv("GPA_MEMORY_LIMIT");
    allocs = frees = 0;
    in_use = capacity = 0;
    return w;
}

static void end(world *w) {
    buf_close_pool(&w->rt, &w->d);
    assert_int_equal(w->rt.stats.bytes_live, 0);
    assert_int_equal(w->rt.stats.bytes_cached, 0);
    assert_int_equal(w->rt.stats.bytes_pending, 0);
    assert_int_equal(allocs, frees);
    unsetenv("GPA_MEMORY_LIMIT");
    test_free(w);
}

static gpa_buf *take(world *w, size_t n) {
    gpa_buf *b = NULL;
    assert_int_equal(buf_new(&w->rt, &w->d, n, &b, &w->e), GPA_OK);
    assert_true(b->capacity >= n && b->bytes == n);
    assert_true(n < 64 || b->capacity - n <= n / 4);
    return b;
}

static void blocks_come_back(void **state) {
    (void)state;
    world *w = begin(0, NULL);
    for (size_t n = 0; n < 100000; n = n * 3 / 2 + 1) {
        gpa_buf *b = take(w, n);
        gpa_mem *m = b->mem;
        buf_remove_owner(&w->rt, b);
        b = take(w, n);
#ifndef GPA_STRESS
        assert_ptr_equal(b->mem, m);
#else
        (void)m;
#endif
        buf_remove_owner(&w->rt, b);
    }
    gpa_buf *big = take(w, 10 << 20);
    size_t block = big->capacity;
    buf_remove_owner(&w->rt, big);
    big = take(w, 9 << 20); /* a large request takes a neighbour */
#ifndef GPA_STRESS
    assert_int_equal(big->capacity, block);
#endif
    assert_int_equal(w->rt.stats.bytes_live, big->capacity);
    assert_true(w->rt.stats.bytes_peak >= block);
    buf_remove_owner(&w->rt, big);
    end(w);
}

static void readers_keep_a_block(void **state) {
    (void)state;
    world *w = begin(0, NULL);
    gpa_buf *b = take(w, 1000);
    uint32_t version = b->version;
    buf_add_reader(&w->rt, b);
    buf_remove_owner(&w->rt, b);
    assert_int_equal(w->rt.stats.bytes_pending, b->capacity);
    assert_int_equal(w->rt.stats.bytes_live, b->capacity);
    buf_add_owner(&w->rt, b);
    assert_int_equal(w->rt.stats.bytes_pending, 0);
    buf_remove_owner(&w->rt, b);
    buf_remove_reader(&w->rt, b);
    assert_int_equal(w->rt.stats.bytes_live, 0);
    b = take(w, 1000);
#ifndef GPA_STRESS
    assert_true(b->version > version);
#else
    (void)version;
#endif
    buf_remove_owner(&w->rt, b);
    end(w);
}

static void limits_hold(void **state) {
    (void)state;
    world *w = begin(100 << 20, "25%");
    gpa_buf *a = take(w, 20 << 20), *b = NULL;
    assert_int_equal(buf_new(&w->rt, &w->d, 10 << 20, &b, &w->e), GPA_E_MEMORY);
    gpa_err_clear(&w->e);
    buf_remove_owner(&w->rt, a);
    b = take(w, 10 << 20); /* the cached block is freed */
    assert_true(w->rt.stats.bytes_cached + w->rt.stats.bytes_live <= 25 << 20);
    buf_remove_owner(&w->rt, b);
    end(w);

    w = begin(0, NULL); /* the device itself runs short */
    capacity = 30 << 20;
    a = take(w, 20 << 20);
    buf_remove_owner(&w->rt, a);
    b = take(w, 28 << 20);
    assert_int_equal(buf_new(&w->rt, &w->d, 1 << 20 << 2, &a, &w->e), GPA_E_MEMORY);
    buf_remove_owner(&w->rt, b);
    end(w);
}

static void limits_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {{"1000000", 1000000},
                {"4G", 4ull << 30},
                {"512M", 512ull << 20},
                {"1.5k", 1536},
                {"2GiB", 2ull << 30},
                {"50%", 50 << 20},
                {"", 100 << 20},
                {"nonsense", 0},
                {"4X", 0},
                {"-3", 0},
                {"0", 0},
                {"150%", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        world *w = begin(100 << 20, rows[i].text);
        uint64_t limit = 0;
        gpa_code rc = buf_limit(&w->rt, &w->d, &limit, &w->e);
        assert_int_equal(rc, rows[i].bytes ? GPA_OK : GPA_E_VALUE);
        assert_int_equal(limit, rows[i].bytes);
        end(w);
    }
}

static void failure_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t n = 1; n < 6; n++) {
        world *w = begin(0, NULL);
        gpa_buf *b = NULL;
        mem_fail_at(n);
        gpa_code rc = buf_new(&w->rt, &w->d, 5000, &b, &w->e);
        mem_fail_at(0);
        assert_true(rc == GPA_OK || rc == GPA_E_MEMORY);
        if (!rc) buf_remove_owner(&w->rt, b);
        end(w);
    }
}

static void shortened_blocks_are_made_smaller(void **state) {
    (void)state;
    world *w = begin(0, NULL);
    gpa_buf *few = take(w, 8 << 20), *gone = take(w, 8 << 20), *told = take(w, 8 << 20),
            *most = take(w, 8 << 20), *small;
    const gpa_mem *before = few->mem;
    buf_truncate(&w->rt, few, 1 << 20);
    buf_truncate(&w->rt, gone, 1 << 20);
    buf_truncate(&w->rt, told, 1 << 20);
    buf_truncate(&w->rt, most, (8 << 20) - 1);
    assert_int_equal(w->rt.stats.bytes_live, 32 << 20);
    buf_pin(told);
    buf_remove_owner(&w->rt, gone);
    buf_trim(&w->rt, &w->d);
    copied = 0;
    assert_true(buf_compact(&w->rt, &w->d));
    assert_int_equal(copied, 1 << 20);
    assert_ptr_not_equal(few->mem, before);
    assert_int_equal(few->mem->n, 1 << 20);
    assert_int_equal(few->bytes, 1 << 20);
    assert_int_equal(w->rt.stats.bytes_live, 17 << 20);
    assert_int_equal(in_use, 17 << 20);
    assert_false(buf_compact(&w->rt, &w->d));

    buf_truncate(&w->rt, told, 1 << 19); /* without memory for the smaller block it stays */
    capacity = in_use;
    assert_false(buf_compact(&w->rt, &w->d));
    capacity = 0;
    buf_remove_owner(&w->rt, few);
    small = take(w, 1 << 20); /* a moved block comes back as one of its new size */
    assert_ptr_equal(small, few);
    buf_remove_owner(&w->rt, small);
    buf_remove_owner(&w->rt, told);
    buf_remove_owner(&w->rt, most);
    end(w);
}

UNIT_TESTS(TEST(blocks_come_back), TEST(readers_keep_a_block), TEST(limits_hold),
           TEST(limits_are_read), TEST(failure_leaves_nothing),
           TEST(shortened_blocks_are_made_smaller))
