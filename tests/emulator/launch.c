/* An emulator of kernel launches on the processor: a module is a shared library (nvrtc.c), whose
 * threads run one after the other, block after block, each until it waits. Memory and contexts are
 * those of tests/stub/cuda.c.
 *
 * Threads are fibers only if they wait: a fiber runs threads to their end, and when one waits, the
 * next fiber continues with those that have not started. The scheduler (run_block) releases a warp
 * or a block when all threads that have not ended wait at the same barrier. A barrier in divergent
 * code can never be released: it aborts the process with a message. */
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/emulator/emulator.h"
#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

enum {
    THREADS = 1024,
    LANES = 32,
    STACK = 128 << 10,
    NO_BINARY = 200,
    NOT_FOUND = 500,
    NO_ROOM = 2
};

typedef enum {
    WAITS_NOT = 0,
    WAITS_BLOCK = EMULATOR_BLOCK,
    WAITS_WARP = EMULATOR_WARP,
    NOT_BEGUN,
    ENDED
} state;

struct CUmod_st {
    int fd; /* open as long as the library: dlopen identifies libraries by path */
    void *library;
    emulator_begin_fn *begin;
    struct CUfunc_st *kernels;
};

struct CUfunc_st {
    CUmodule program;
    emulator_enter_fn *enter;
    const size_t *sizes;
    struct CUfunc_st *next;
};

/* One launch at a time. Thread t, once started, runs in fiber in[t]. Fibers are kept. */
static struct {
    pthread_mutex_t lock;
    const struct CUfunc_st *kernel;
    void **args;
    unsigned n, begun, fibres, made;
    emulator_thread threads[THREADS];
    state states[THREADS];
    unsigned in[THREADS];
    int yes[THREADS];
    jmp_buf resume[THREADS], scheduler;
    unsigned char *stacks, slots[3][THREADS][EMULATOR_SLOT];
} L = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wait_for(emulator_wait whom);
static int count(int yes);
static unsigned char *slot(int lane, int odd);
static unsigned lanes(void);
static unsigned givers(void);
static emulator joint = {
    .wait = wait_for, .count = count, .slot = slot, .lanes = lanes, .givers = givers};

static unsigned running(void) { return (unsigned)(joint.now - L.threads); }

/* _setjmp makes no system call for the signal mask, as swapcontext does. */
static void swap(jmp_buf here, jmp_buf there) {
    if (!_setjmp(here)) _longjmp(there, 1);
}

static void wait_for(emulator_wait whom) {
    unsigned t = running();
    L.states[t] = (state)whom;
    swap(L.resume[L.in[t]], L.scheduler);
}

/* The second barrier separates consecutive counts. */
static int count(int yes) {
    L.yes[running()] = yes;
    wait_for(EMULATOR_BLOCK);
    int n = 0;
    for (unsigned t = 0; t < L.n; t++)
        if (L.states[t] != ENDED) n += L.yes[t];
    wait_for(EMULATOR_BLOCK);
    return n;
}

static unsigned char *slot(int lane, int which) {
    return L.slots[which][running() / LANES * LANES + (unsigned)lane];
}

static unsigned lanes(void) {
    unsigned first = running() / LANES * LANES, there = 0;
    for (unsigned i = 0; i < LANES && first + i < L.n; i++)
        there |= (unsigned)(L.states[first + i] != ENDED) << i;
    return there;
}

static unsigned givers(void) {
    unsigned first = running() / LANES * LANES, there = lanes();
    for (unsigned i = 0; i < LANES && first + i < L.n; i++)
        there |= (unsigned)(L.threads[first + i].exchanges >= joint.now->exchanges) << i;
    return there;
}

/* The threads of a block that have not started, to their end; again for the next block. */
static void fibre(int f) {
    for (;; swap(L.resume[f], L.scheduler))
        while (L.begun < L.n) {
            unsigned t = L.begun++;
            L.in[t] = (unsigned)f;
            L.states[t] = WAITS_NOT;
            joint.now = &L.threads[t];
            L.kernel->enter(&joint, L.args);
            L.states[t] = ENDED;
        }
}

static void make_fibre(unsigned f) {
    ucontext_t made;
    getcontext(&made);
    made.uc_stack = (stack_t){.ss_sp = L.stacks + (size_t)f * STACK, .ss_size = STACK};
    made.uc_link = NULL;
    makecontext(&made, (void (*)(void))fibre, 1, (int)f);
    if (!_setjmp(L.scheduler)) setcontext(&made);
}

static void begin_fibre(void) {
    unsigned f = L.fibres++;
    if (f < L.made)
        swap(L.scheduler, L.resume[f]);
    else
        make_fibre(L.made++);
}

/* Releases the block's barrier if all threads that have not ended wait for it; true if any does. */
static bool let_block_go(void) {
    unsigned waiting = 0;
    for (unsigned t = 0; t < L.n; t++)
        if (L.states[t] == WAITS_BLOCK)
            waiting++;
        else if (L.states[t] != ENDED)
            return false;
    for (unsigned t = 0; t < L.n; t++)
        if (L.states[t] == WAITS_BLOCK) L.states[t] = WAITS_NOT;
    return waiting > 0;
}

/* The same for the lanes of the mask that thread t of a warp waits with. */
static bool let_lanes_go(unsigned t) {
    unsigned first = t / LANES * LANES, mask = L.threads[t].mask,
             n = L.n - first < LANES ? L.n - first : LANES;
    for (unsigned i = 0; i < n; i++) {
        bool there = L.states[first + i] == WAITS_WARP && L.threads[first + i].mask == mask;
        if (mask >> i & 1 && !there && L.states[first + i] != ENDED) return false;
    }
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1 && L.states[first + i] == WAITS_WARP) L.states[first + i] = WAITS_NOT;
    return true;
}

static void divergent(void) {
    unsigned warp = 0, block = 0;
    for (unsigned t = 0; t < L.n; t++)
        warp += L.states[t] == WAITS_WARP, block += L.states[t] == WAITS_BLOCK;
    fprintf(
        stderr,
        "a barrier in divergent code: of %u threads %u wait for their warps and %u for the block\n",
        L.n, warp, block);
    abort();
}

static void run_block(void) {
    L.begun = L.fibres = 0;
    for (unsigned t = 0; t < L.n; t++) L.states[t] = NOT_BEGUN, L.threads[t].exchanges = 0;
    while (L.begun < L.n) begin_fibre();
    for (;;) {
        bool goes = false, left = false;
        for (unsigned t = 0; t < L.n; t++) goes |= L.states[t] == WAITS_WARP && let_lanes_go(t);
        if (!goes) goes = let_block_go();
        for (unsigned t = 0; t < L.n; t++) {
            left |= L.states[t] != ENDED;
            if (L.states[t] != WAITS_NOT) continue;
            joint.now = &L.threads[t];
            swap(L.scheduler, L.resume[L.in[t]]);
        }
        if (!left) return;
        if (!goes) divergent();
    }
}

const size_t *stub_sizes(CUfunction f) { return f->sizes; }

int stub_launch(CUfunction f, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                void **args) {
    emulator_dim g = {blocks[0], blocks[1], blocks[2]}, b = {threads[0], threads[1], threads[2]};
    L.n = b.x * b.y * b.z;
    if (L.n > THREADS || shared > EMULATOR_SHARED) return 1;
    stub_log("launch\n");
    pthread_mutex_lock(&L.lock);
    if (!L.stacks) {
        void *mapped = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        L.stacks = mapped == MAP_FAILED ? NULL : mapped;
    }
    L.kernel = f;
    L.args = args;
    for (uint64_t k = 0, n = L.stacks ? (uint64_t)g.x * g.y * g.z : 0; k < n; k++) {
        emulator_dim at = {(unsigned)(k % g.x), (unsigned)(k / g.x % g.y),
                           (unsigned)(k / g.x / g.y)};
        for (unsigned t = 0; t < L.n; t++)
            L.threads[t] = (emulator_thread){
                {t % b.x, t / b.x % b.y, t / b.x / b.y}, at, b, g, (int)(t % LANES), 0, ~0u};
        L.kernel->program->begin(shared);
        run_block();
    }
    pthread_mutex_unlock(&L.lock);
    return L.stacks ? 0 : NO_ROOM;
}

/* The size of an ELF file, which ends with its section table. */
static size_t size_of(const Elf64_Ehdr *x) {
    return x->e_shoff + (size_t)x->e_shnum * x->e_shentsize;
}

int stub_load(const void *image, CUmodule *out) {
    int fd = memfd_create("program", MFD_CLOEXEC);
    size_t n = memcmp(image, ELFMAG, SELFMAG) ? 0 : size_of(image), done = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (ssize_t k = 1; done < n && k > 0; done += k > 0 ? (size_t)k : 0)
        k = write(fd, (const char *)image + done, n - done);
    CUmodule m = n && done == n ? calloc(1, sizeof *m) : NULL;
    if (m && (m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        *(void **)&m->begin = dlsym(m->library, "emulator_begin");
    if (m) m->fd = fd;
    *out = m;
    if (m && m->begin) return 0;
    fprintf(stderr, "no program: %s\n", m ? dlerror() : "not a library");
    if (fd >= 0) close(fd);
    free(m);
    return NO_BINARY;
}

int stub_find(CUmodule m, const char *name, CUfunction *out) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "emulator_enter_%s", name);
    CUfunction f = calloc(1, sizeof *f);
    if (!f) return NO_ROOM;
    *(void **)&f->enter = dlsym(m->library, symbol);
    snprintf(symbol, sizeof symbol, "emulator_sizes_%s", name);
    void *sizes = dlsym(m->library, symbol);
    if (sizes) f->sizes = (*(emulator_sizes_fn **)&sizes)();
    f->program = m;
    f->next = m->kernels;
    *out = m->kernels = f;
    return f->enter && f->sizes ? 0 : NOT_FOUND;
}

void stub_unload(CUmodule m) {
    for (CUfunction next, f = m->kernels; f; f = next) {
        next = f->next;
        free(f);
    }
    dlclose(m->library);
    close(m->fd);
    free(m);
}
