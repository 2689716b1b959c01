/* Background compilation: a work queue and its worker threads. The lock guards the queue and the
 * states of jobs; the contents of a job belong to a thread while it is BUSY, and to its owner
 * otherwise. */
#include "runtime/cuda/build/background.h"

#include <pthread.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

typedef enum { WAITING, BUSY, DONE } job_state;

struct cu_job {
    struct cu_job *next;
    job_state state;
    char *source;
    cu_target target;
    cu_effort effort;
    bool urgent;
    cu_built built;
};

struct cu_builder {
    const cu_driver *cu;
    CUcontext context;
    pthread_t thread[TUNE_CUDA_BUILD_MAX_THREADS];
    int threads, idle, most;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cu_job *first; /* waiting, in order */
    bool ends;
};

static void free_job(cu_job *job) {
    mem_free(job->source);
    mem_free(job);
}

static void free_built(const cu_driver *cu, cu_built *x) {
    if (x->module) cu->module_unload(x->module);
    mem_free(x->ptx);
}

/* Compiles and loads a job. Errors are not reported: a variant has a quick build, or the waiting
 * thread builds it again itself. */
static cu_built compile_job(cu_builder *b, const cu_job *job) {
    cu_built x = {0};
    gpa_err quiet = {0};
    x.effort = job->effort;
    if (compile_ptx(job->source, job->target, &x.effort, &x.ptx, &quiet)) return (cu_built){0};
    if (!compile_load(b->cu, x.ptx, x.effort, &x.module) &&
        !b->cu->module_function(&x.function, x.module, "gpa"))
        return x;
    free_built(b->cu, &x);
    return (cu_built){0};
}

static void *run(void *at) {
    cu_builder *b = at;
    b->cu->context_set(b->context);
    pthread_mutex_lock(&b->lock);
    for (;;) {
        b->idle++;
        pthread_cond_broadcast(&b->changed); /* wakes background_settle */
        while (!b->first && !b->ends) pthread_cond_wait(&b->changed, &b->lock);
        b->idle--;
        cu_job *job = b->first;
        if (!job) break;
        b->first = job->next;
        job->state = BUSY;
        pthread_mutex_unlock(&b->lock);
        cu_built x = compile_job(b, job);
        pthread_mutex_lock(&b->lock);
        job->built = x;
        job->state = DONE;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static cu_builder *open_builder(const cu_driver *cu, CUcontext context) {
    cu_builder *b = mem_zero(sizeof *b);
    if (!b) return NULL;
    b->cu = cu, b->context = context;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    b->most = (int)MIN(MAX(cores * 3 / 4, 2), TUNE_CUDA_BUILD_MAX_THREADS);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    return b;
}

/* Starts a thread if there are more jobs than idle threads. The lock is held. */
static void add_thread(cu_builder *b) {
    int waiting = 0;
    for (const cu_job *x = b->first; x; x = x->next) waiting++;
    if (waiting > b->idle && b->threads < b->most &&
        !pthread_create(&b->thread[b->threads], NULL, run, b))
        b->threads++;
}

cu_job *background_begin(cu_builder **builder, const cu_build *x) {
    if (!*builder && !(*builder = open_builder(x->cu, x->context))) return NULL;
    cu_builder *b = *builder;
    cu_job *job = mem_zero(sizeof *job), **end;
    if (!job) return NULL;
    job->target = x->target, job->effort = x->effort, job->urgent = x->urgent;
    if (!(job->source = mem_text(x->source, strlen(x->source)))) {
        mem_free(job);
        return NULL;
    }
    pthread_mutex_lock(&b->lock);
    for (end = &b->first; *end && (!x->urgent || (*end)->urgent);) end = &(*end)->next;
    job->next = *end;
    *end = job;
    add_thread(b);
    bool served = b->threads;
    if (!served) *end = job->next;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (served) return job;
    free_job(job);
    return NULL;
}

static void take_result(cu_job *job, cu_built *out) {
    *out = job->built;
    free_job(job);
}

bool background_take(cu_builder *b, cu_job *job, cu_built *out) {
    pthread_mutex_lock(&b->lock);
    bool done = job->state == DONE;
    pthread_mutex_unlock(&b->lock);
    if (!done) return false;
    take_result(job, out);
    return true;
}

void background_wait(cu_builder *b, cu_job *job, cu_built *out) {
    pthread_mutex_lock(&b->lock);
    while (job->state != DONE) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
    take_result(job, out);
}

void background_settle(cu_builder *b) {
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    while (b->first || b->idle < b->threads) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void background_drop(cu_builder *b, cu_job *job) {
    pthread_mutex_lock(&b->lock);
    while (job->state == BUSY) pthread_cond_wait(&b->changed, &b->lock);
    for (cu_job **x = &b->first; *x && job->state == WAITING; x = &(*x)->next)
        if (*x == job) {
            *x = job->next;
            break;
        }
    pthread_mutex_unlock(&b->lock);
    free_built(b->cu, &job->built);
    free_job(job);
}

void background_close(cu_builder *b) {
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->ends = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (int i = 0; i < b->threads; i++) pthread_join(b->thread[i], NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    mem_free(b);
}
