/* Captured programs: the structure of operands as a key, capture, launch. */
#include "runtime/exec/captured.h"

#include "runtime/exec/buffer.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/graph/storage.h"
#include "runtime/exec/program_cache.h"

static gpa_buf *buffer_of(const gpa_arr *a) { return a->storage->buf; }

static bool same_operand(const gpa_arr *a, const gpa_arr *b) {
    return buffer_of(a) == buffer_of(b) && a->offset == b->offset && a->dtype == b->dtype &&
           a->strides[0] == b->strides[0];
}

bool captured_qualifies(const gpa_device *d, const captured_operands *x) {
    int negative = 0;
    for (int i = 0; i < x->n; i++) {
        const gpa_arr *a = x->operand[i];
        if (a->ndim != 1 || a->size < 2 || a->size != x->operand[0]->size || a->storage->node)
            return false;
        const gpa_buf *b = buffer_of(a);
        /* 32-bit index arithmetic, as in the captured program */
        if (!b || b->device != d || !b->host || deferred_is_open(b->deferred) ||
            b->bytes / dtype_size((gpa_dtype)a->dtype) > INT32_MAX || a->strides[0] == 0)
            return false;
        negative += a->strides[0] < 0;
    }
    return negative < x->n; /* layout reverses a dimension that all arrays traverse backwards */
}

uint64_t captured_key(uint32_t what, const captured_operands *x) {
    uint64_t key = what;
    for (int i = 0; i < x->n; i++)
        key = key << 8 | (uint64_t)x->operand[i]->dtype << 1 | (x->operand[i]->strides[0] == 1);
    const bool two = x->n == 2;
    key = key << 1 | (two && buffer_of(x->operand[0]) == buffer_of(x->operand[1]));
    return key << 1 | (two && same_operand(x->operand[0], x->operand[1]));
}

void captured_free(captured_program *c) {
    program_release(c->program);
    *c = (captured_program){.key = 0};
}

/* The operand that an array of a launch reads; -1: none. */
static int operand_of(const lowered *l, size_t array, const captured_operands *x) {
    for (int i = 0; i < x->n; i++)
        if (l->buf[array] == buffer_of(x->operand[i]) &&
            l->bind[array].offset == x->operand[i]->offset &&
            l->bind[array].stride[0] == x->operand[i]->strides[0])
            return i;
    return -1;
}

bool captured_set(captured_program *c, uint64_t key, gpa_device *d, const lowered *l,
                  program_cache_entry *program, const captured_operands *x) {
    captured_program made = {.key = key, .device = d, .epoch = d->epoch, .n_arrays = l->n_arrays};
    int results = 0;
    if (!program || l->empty || l->n_loops || l->faults || l->n_arrays > CAPTURED_ARRAYS ||
        l->f->n_params || l->f->ndim != 1 || l->size[0] != x->operand[0]->size)
        return false;
    for (size_t i = 0; i < l->n_arrays; i++) {
        made.role[i] = (int8_t)(l->fresh[i] ? -1 : operand_of(l, i, x));
        results += l->fresh[i] != NULL;
        if (!l->fresh[i] && made.role[i] < 0) return false;
    }
    if (results != 1) return false;
    captured_free(c);
    made.program = program_retain(program);
    *c = made;
    return true;
}

gpa_code captured_run(gpa_rt *rt, const captured_program *c, const captured_operands *x,
                      gpa_buf *result, gpa_err *e) {
    gpa_binding bind[CAPTURED_ARRAYS] = {0};
    gpa_device *d = result->device;
    gpa_launch run = {.arrays = bind};
    gpa_code rc = buf_check(result, e);
    run.size[0] = x->operand[0]->size;
    for (int i = 0; i < x->n && !rc; i++) {
        rt->stats.bytes_read +=
            (uint64_t)x->operand[i]->size * dtype_size((gpa_dtype)x->operand[i]->dtype);
        rc = buf_check(buffer_of(x->operand[i]), e);
    }
    for (size_t i = 0; i < c->n_arrays; i++) {
        const gpa_arr *a = c->role[i] < 0 ? NULL : x->operand[c->role[i]];
        bind[i].mem = a ? buffer_of(a)->mem : result->mem;
        bind[i].offset = a ? a->offset : 0;
        bind[i].stride[0] = a ? a->strides[0] : 0;
    }
    if (!rc) rc = device_result(rt, d, d->be->run(d->dev, c->program->prog, &run, e), e);
    rt->stats.launches++;
    rt->stats.bytes_written += result->bytes;
    return rc ? rc : exec_wait(rt, d, e);
}
