/* Profiling of launches and library calls: a record per program or call. The key of a record is the
 * program's cache entry, or the address of the call's name. */
#include "runtime/exec/profile.h"

#include "runtime/base/clock.h"
#include "runtime/exec/buffer.h"
#include "runtime/exec/explain.h"
#include "runtime/exec/rt.h"

typedef struct {
    const void *key;              /* `program`, or the name of a call */
    program_cache_entry *program; /* retained; NULL: a call */
    char *what;                   /* owned */
    rt_profile_row row;
} record;

struct profile {
    record *records;
    size_t n, cap;
    double begun;
    double compiled; /* rt_stats.compile_seconds at the start */
};

void profile_begin(gpa_rt *rt, gpa_device *d) {
    if (!rt->profile) return;
    gpa_err quiet = {0};
    d->be->sync(d->dev, &quiet); /* a failure is reported by the next wait */
    rt->profile->begun = clock_seconds();
    rt->profile->compiled = rt->stats.compile_seconds;
    if (d->be->clock) d->be->clock(d->dev, true);
}

/* The record of a key, made if necessary; NULL: out of memory. */
static record *find(struct profile *p, const void *key) {
    for (size_t i = 0; i < p->n; i++)
        if (p->records[i].key == key) return &p->records[i];
    if (!mem_grow(&p->records, p->n, &p->cap, sizeof *p->records)) return NULL;
    p->records[p->n] = (record){.key = key};
    return &p->records[p->n++];
}

static record *note(gpa_rt *rt, gpa_device *d, const void *key, uint64_t bytes) {
    struct profile *p = rt->profile;
    gpa_err quiet = {0};
    double measured = d->be->clock ? d->be->clock(d->dev, false) : -1;
    d->be->sync(d->dev, &quiet);
    double compiling = rt->stats.compile_seconds - p->compiled; /* at the first launch */
    double seconds = measured >= 0 ? measured : clock_seconds() - p->begun - compiling;
    record *r = find(p, key);
    if (!r) return NULL;
    r->row.calls++;
    r->row.seconds += seconds;
    r->row.bytes += bytes;
    return r;
}

void profile_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l,
                  program_cache_entry *program) {
    gpa_str text;
    record *r = rt->profile ? note(rt, d, program, l->bytes_read + l->bytes_written) : NULL;
    if (!r || r->what) return;
    r->program = program_retain(program);
    str_init(&text);
    explain_put_step(&text, p, s, l);
    r->what = str_take(&text);
}

void profile_again(gpa_rt *rt, gpa_device *d, const program_cache_entry *program, uint64_t bytes) {
    if (rt->profile) note(rt, d, program, bytes);
}

void profile_call(gpa_rt *rt, gpa_device *d, const char *name, uint64_t bytes) {
    record *r = rt->profile ? note(rt, d, name, bytes) : NULL;
    if (r && !r->what) r->what = mem_text(name, strlen(name));
}

void profile_free(gpa_rt *rt) {
    struct profile *p = rt->profile;
    for (size_t i = 0; p && i < p->n; i++) {
        program_release(p->records[i].program);
        mem_free(p->records[i].what);
    }
    if (p) mem_free(p->records);
    mem_free(p);
    rt->profile = NULL;
}

bool rt_has_clock(gpa_rt *rt) {
    gpa_device *d;
    gpa_err quiet = {0};
    return device_default(rt, &d, &quiet) == GPA_OK && d->be->clock;
}

gpa_code rt_profile_start(gpa_rt *rt, gpa_err *e) {
    profile_free(rt);
    rt->profile = mem_zero(sizeof *rt->profile);
    return rt->profile ? GPA_OK : gpa_no_memory(e);
}

void rt_profile_stop(gpa_rt *rt, void (*each)(void *user, const rt_profile_row *row), void *user) {
    struct profile *p = rt->profile;
    for (size_t i = 0; p && i < p->n; i++) {
        p->records[i].row.what = p->records[i].what ? p->records[i].what : "";
        if (each) each(user, &p->records[i].row);
    }
    profile_free(rt);
}
