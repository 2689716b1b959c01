/* A queue and a thread. The lock guards the queue and the states of jobs; a job's contents belong to the thread while it is
 * BUSY and to its owner otherwise. */
#include "runtime/cuda/build.h"

#include <pthread.h>

#include "runtime/base.h"

typedef enum { WAITING, BUSY, DONE } job_state;

struct cu_job {
    struct cu_job *next;
    job_state state;
    char *source;
    cu_target target;
    cu_built built;
};

struct cu_builder {
    const cu_driver *cu;
    CUcontext context;
    pthread_t thread;
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

/* The quick build is there already: nothing is reported. */
static cu_built work(cu_builder *b, const cu_job *job) {
    cu_built x = {0};
    cu_effort effort = EFFORT_FULL;
    gpa_err quiet = {0};
    if (compile_ptx(job->source, job->target, &effort, &x.ptx, &quiet)) return (cu_built){0};
    if (!compile_load(b->cu, x.ptx, effort, &x.module) && !b->cu->module_function(&x.function, x.module, "gpa")) return x;
    free_built(b->cu, &x);
    return (cu_built){0};
}

static void *run(void *at) {
    cu_builder *b = at;
    b->cu->context_set(b->context);
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->first && !b->ends) pthread_cond_wait(&b->changed, &b->lock);
        cu_job *job = b->first;
        if (!job) break;
        b->first = job->next;
        job->state = BUSY;
        pthread_mutex_unlock(&b->lock);
        cu_built x = work(b, job);
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
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (!pthread_create(&b->thread, NULL, run, b)) return b;
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    mem_free(b);
    return NULL;
}

cu_job *build_begin(cu_builder **builder, const cu_driver *cu, CUcontext context, const char *source, cu_target target) {
    if (!*builder && !(*builder = open_builder(cu, context))) return NULL;
    cu_builder *b = *builder;
    cu_job *job = mem_zero(sizeof *job), **end;
    if (!job) return NULL;
    job->target = target;
    if (!(job->source = mem_text(source, strlen(source)))) {
        mem_free(job);
        return NULL;
    }
    pthread_mutex_lock(&b->lock);
    for (end = &b->first; *end;) end = &(*end)->next;
    *end = job;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return job;
}

bool build_take(cu_builder *b, cu_job *job, cu_built *out) {
    pthread_mutex_lock(&b->lock);
    bool done = job->state == DONE;
    pthread_mutex_unlock(&b->lock);
    if (!done) return false;
    *out = job->built;
    free_job(job);
    return true;
}

void build_drop(cu_builder *b, cu_job *job) {
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

void build_close(cu_builder *b) {
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->ends = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    mem_free(b);
}
