/* Launches of kernels: thread blocks divided among threads, each with scratch memory for one
 * block. */
#include "runtime/cpu/run/run_kernel.h"

#include "runtime/base/base.h"
#include "runtime/cpu/emit/kernel.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

typedef struct {
    const int32_t *stop;
    cpu_fn fn;
    int64_t view[VIEW_SLOTS];
    int64_t blocks, step;
    size_t memory; /* bytes per block */
    bool short_of_memory;
} launch;

emit_plan kernel_layout(const gpa_prog *p, const cpu_target_info *host, uint32_t x) {
    uint32_t lanes = MIN(MAX(host->bytes / p->kernel.widest, (uint32_t)TUNE_CPU_KERNEL_MIN_LANES),
                         (uint32_t)TUNE_CPU_KERNEL_MAX_LANES);
    emit_plan plan;
    if (x % (2 * lanes) == 0) lanes *= 2; /* two registers hide each other's latency */
    while (lanes > TUNE_CPU_KERNEL_MIN_LANES && lanes / 2 >= x) lanes /= 2;
    memset(&plan, 0, sizeof plan);
    plan.dim = -1;
    plan.part = EMIT_WHOLE;
    plan.lanes = (uint16_t)lanes;
    plan.stream = x % lanes == 0;
    return plan;
}

static void fill_view(launch *L, const kir_func *f, const gpa_launch *l, const kernel_cell *cell,
                      uint32_t lanes) {
    int64_t *v = L->view, *size = v + VIEW_SIZE;
    v[VIEW_FAULT] = (int64_t)(intptr_t)cell;
    v[VIEW_STOP] = (int64_t)(intptr_t)L->stop;
    v[VIEW_PARAMS] = (int64_t)(intptr_t)l->params;
    for (int d = 0; d < 3; d++) size[KV_GRID + d] = l->grid[d], size[KV_BLOCK + d] = l->block[d];
    size[KV_PITCH] = (l->block[0] + lanes - 1) / lanes * lanes;
    size[KV_DYNAMIC] = (l->shared + 63) / 64 * 64;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const gpa_binding *b = &l->arrays[a];
        int64_t *s = v + VIEW_ARRAYS + a * ARRAY_SLOTS;
        s[ARRAY_BASE] = b->mem ? (int64_t)(intptr_t)b->mem->base +
                                     b->offset * (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype)
                               : 0;
        for (int d = 0; d < KIR_MAX_DIMS; d++)
            s[ARRAY_STRIDE + d] = b->stride[d], s[ARRAY_SIZE + d] = b->size[d];
    }
}

static void run_blocks(void *arg, int64_t i) {
    launch *L = arg;
    char *block = mem_new(L->memory + 64);
    if (!block) {
        __atomic_store_n(&L->short_of_memory, true, __ATOMIC_RELAXED);
        return;
    }
    char *memory = (char *)(((uintptr_t)block + 63) / 64 * 64);
    L->fn(L->view, i * L->step, MIN((i + 1) * L->step, L->blocks), 0, 0, NULL, memory, 0);
    mem_free(block);
}

gpa_code run_kernel(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l,
                    gpa_err *e) {
    kernel_cell cell = {.fault = {.record = l->fault}, .launch = l};
    gpa_code rc = GPA_OK;
    launch *L = mem_zero(sizeof *L);
    if (!L) return gpa_no_memory(e);
    L->stop = stop;
    emit_plan plan = kernel_layout(p, jit_host_of(j), l->block[0]);
    TRY(program_variant(p, j, &plan, 0, &L->fn, e));
    fill_view(L, p->f, l, &cell, plan.lanes);
    const int64_t *size = L->view + VIEW_SIZE;
    int64_t padded = size[KV_PITCH] * l->block[1] * l->block[2];
    L->blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    L->memory = p->kernel.shared + (size_t)size[KV_DYNAMIC] +
                (size_t)padded * (p->kernel.contexts * KERNEL_SLOT_BYTES + p->kernel.local) + 256;
    L->step = MAX(L->blocks / ((int64_t)threads * TUNE_CPU_KERNEL_ITEMS_PER_THREAD), 1);
    bool small =
        L->blocks * padded * (int64_t)(p->f->n_code + 16) < TUNE_CPU_KERNEL_SERIAL_MAX_WORK;
    threads_each(small ? 1 : threads, (L->blocks + L->step - 1) / L->step, stop, run_blocks, L);
    if (L->short_of_memory) TRY(gpa_no_memory(e));
    if (threads_stopped(stop)) rc = gpa_interrupted(e);
out:
    mem_free(L);
    return rc;
}
