/* The compiler: one target machine and one ORC instance per device.
 *
 * Modules live in contexts of their own, so that nothing a program leaves behind outlives it.
 * Objects are emitted by the target machine here rather than by ORC: the pipeline stays in our
 * hands and dumps show exactly what runs. What a module is compiled to depends on nothing but its
 * bytes and what put_key writes before them; objects are found by that, in memory and on disk, and
 * their function is named after it.
 *
 * Reading order: jit_new, host_vectors, optimise, put_key, object_of, jit_link_take. */
#include "runtime/cpu/run/jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/exec/disk_cache.h"
#include "runtime/base/str.h"

struct jit {
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef orc;
    LLVMPassBuilderOptionsRef options;
    jit_host host;
    char *layout, *triple, *features;
    char **defined; /* names given to jit_define */
    size_t n_defined, cap_defined;
    jit_code *linked; /* all that jit_unlink did not take */
};

struct jit_code {
    jit *owner;
    jit_code *next;
    char name[40]; /* of its function */
    unsigned users;
    LLVMOrcResourceTrackerRef tracker;
    void *address;
};

/* Emission leaves little to do: loops are already vector loops and invariants already hoisted. What
 * remains is to turn local slots into values, fold, and drop what is not used. */
static const char PASSES[] = "function(sroa,early-cse,instsimplify,simplifycfg)";

/* Kernels are written with loops around every phase, and values computed anew in each. */
static const char HARD_PASSES[] =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm,simple-loop-unswitch<nontrivial>),"
    "simplifycfg,loop-unroll,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/* Loops of compiled functions are written one trip at a time; numbers keep the order in which they
 * are added. */
static const char LOOP_PASSES[] =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "gvn,loop-mssa(licm),"
    "loop(indvars),loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,loop-unroll,early-"
    "cse<memssa>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)";

static gpa_code orc_error(LLVMErrorRef err, gpa_err *e) {
    char *text = LLVMGetErrorMessage(err);
    gpa_code rc = gpa_fail(e, GPA_E_INTERNAL, "LLVM: %.300s", text);
    LLVMDisposeErrorMessage(text);
    return rc;
}

static bool has_feature(const char *features, const char *name) {
    size_t n = strlen(name);
    for (const char *p = features; (p = strstr(p, name)); p += n)
        if (p > features && p[-1] == '+' && (p[n] == ',' || !p[n])) return true;
    return false;
}

static void host_vectors(jit_host *h, const char *features) {
    *h = (jit_host){.bytes = 16, .name = "128-bit vectors"};
#if defined(__x86_64__)
    h->letter = 'b';
    h->name = "SSE2";
    if (!has_feature(features, "sse4.1")) h->letter = 0;
    if (has_feature(features, "avx2") && has_feature(features, "fma"))
        h->bytes = 32, h->letter = 'd', h->name = "AVX2", h->fma = true;
    if (has_feature(features, "avx512f") && has_feature(features, "avx512vl") &&
        has_feature(features, "avx512bw") && has_feature(features, "avx512dq"))
        h->bytes = 64, h->letter = 'e', h->masks = true, h->name = "AVX-512";
#elif defined(__aarch64__)
    h->letter = 'n';
    h->name = "NEON";
    h->fma = true;
    (void)features, (void)has_feature;
#endif
}

/* What the processor has, and what is better done without: AMD's gathers and scatters are slower
 * than single accesses. */
static char *host_features(const char *cpu) {
    char *has = LLVMGetHostCPUFeatures(), text[8192];
    int n = snprintf(text, sizeof text, "%s,+prefer-no-gather,+prefer-no-scatter", has);
    if (strncmp(cpu, "znver", 5) != 0 || n >= (int)sizeof text) return has;
    LLVMDisposeMessage(has);
    return LLVMCreateMessage(text);
}

static gpa_code open_machine(jit *j, gpa_err *e) {
    char *cpu = LLVMGetHostCPUName(), *features = host_features(cpu), *why = NULL;
    LLVMTargetRef target;
    gpa_code rc = GPA_OK;
    host_vectors(&j->host, features);
    j->features = features;
    j->host.halves = j->host.bytes == 64 && !strcmp(cpu, "znver4");
    snprintf(j->host.cpu, sizeof j->host.cpu, "%s", cpu);
    j->triple = LLVMGetDefaultTargetTriple();
    if (LLVMGetTargetFromTriple(j->triple, &target, &why)) {
        rc = gpa_fail(e, GPA_E_DEVICE, "LLVM has no code generator for this machine: %.200s", why);
        LLVMDisposeMessage(why);
        goto out;
    }
    j->machine = LLVMCreateTargetMachine(target, j->triple, cpu, features, LLVMCodeGenLevelDefault,
                                         LLVMRelocPIC, LLVMCodeModelSmall);
    if (!j->machine) {
        rc = gpa_fail(e, GPA_E_DEVICE, "LLVM cannot generate code for %.100s", j->triple);
        goto out;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
    j->layout = LLVMCopyStringRepOfTargetData(layout);
    LLVMDisposeTargetData(layout);
out:
    LLVMDisposeMessage(cpu);
    return rc;
}

static gpa_code open_orc(jit *j, gpa_err *e) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    /* ORC wants a machine of its own, to know the triple; it compiles nothing. */
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(j->machine), j->triple, "", "",
                                LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMErrorRef err = LLVMOrcCreateLLJIT(&j->orc, builder);
    return err ? orc_error(err, e) : GPA_OK;
}

#ifdef __x86_64__
/* Generated code without F16C converts halves by functions of the compiler's library. They take and
 * give their values in vector registers, which C has no portable type for: only their addresses are
 * of use here. */
void __truncsfhf2(void);
void __truncdfhf2(void);
void __extendhfsf2(void);
#define CONVERSIONS(FN) FN(__truncsfhf2) FN(__truncdfhf2) FN(__extendhfsf2)
#else
#define CONVERSIONS(FN)
#endif

static gpa_code define_conversions(jit *j, gpa_err *e) {
    gpa_code rc = GPA_OK;
    (void)j, (void)e;
#define DEFINE(name) \
    if (!rc) rc = jit_define(j, #name, (void *)(uintptr_t)name, e);
    CONVERSIONS(DEFINE)
#undef DEFINE
    return rc;
}

gpa_code jit_new(jit **out, gpa_err *e) {
    gpa_code rc;
    jit *j = mem_zero(sizeof *j);
    if (!j) return gpa_no_memory(e);
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
        rc = gpa_fail(e, GPA_E_DEVICE, "LLVM was built without this machine's target");
        goto out;
    }
    TRY(open_machine(j, e));
    TRY(open_orc(j, e));
    TRY(define_conversions(j, e));
    j->options = LLVMCreatePassBuilderOptions();
    *out = j;
    return GPA_OK;
out:
    jit_free(j);
    return rc;
}

void jit_free(jit *j) {
    if (!j) return;
    if (j->options) LLVMDisposePassBuilderOptions(j->options);
    if (j->orc) LLVMConsumeError(LLVMOrcDisposeLLJIT(j->orc));
    if (j->machine) LLVMDisposeTargetMachine(j->machine);
    if (j->triple) LLVMDisposeMessage(j->triple);
    if (j->layout) LLVMDisposeMessage(j->layout);
    if (j->features) LLVMDisposeMessage(j->features);
    for (size_t i = 0; i < j->n_defined; i++) mem_free(j->defined[i]);
    mem_free(j->defined);
    mem_free(j);
}

const char *jit_vectors(void) {
    jit_host h;
    char *features = LLVMGetHostCPUFeatures();
    host_vectors(&h, features);
    LLVMDisposeMessage(features);
    return h.name;
}

const jit_host *jit_host_of(const jit *j) { return &j->host; }

LLVMModuleRef jit_module(jit *j, const char *name) {
    LLVMContextRef ctx = LLVMContextCreate();
#if LLVM_VERSION_MAJOR < 17
    LLVMContextSetOpaquePointers(ctx, 1);
#endif
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext(name, ctx);
    LLVMSetTarget(m, j->triple);
    LLVMSetDataLayout(m, j->layout);
    return m;
}

void jit_discard(LLVMModuleRef m) {
    if (!m) return;
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}

gpa_code jit_define(jit *j, const char *name, void *address, gpa_err *e) {
    for (size_t i = 0; i < j->n_defined; i++)
        if (!strcmp(j->defined[i], name)) return GPA_OK;
    if (!mem_room(&j->defined, j->n_defined, &j->cap_defined, sizeof *j->defined))
        return gpa_no_memory(e);
    if (!(j->defined[j->n_defined] = mem_text(name, strlen(name)))) return gpa_no_memory(e);
    LLVMOrcCSymbolMapPair pair = {
        LLVMOrcLLJITMangleAndIntern(j->orc, name),
        {(LLVMOrcExecutorAddress)(uintptr_t)address,
         {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
    LLVMErrorRef err = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(j->orc),
                                             LLVMOrcAbsoluteSymbols(&pair, 1));
    if (err) {
        mem_free(j->defined[j->n_defined]);
        return orc_error(err, e);
    }
    j->n_defined++;
    return GPA_OK;
}

/* ---- machine code ---- */

static gpa_code optimise(jit *j, LLVMModuleRef m, jit_effort effort, gpa_err *e) {
    static const char *const further[] = {NULL, HARD_PASSES, LOOP_PASSES};
#ifdef GPA_CHECK
    char *why = NULL;
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why)) {
        gpa_fail(e, GPA_E_INTERNAL, "LLVM: %.400s", why);
        LLVMDisposeMessage(why);
        return GPA_E_INTERNAL;
    }
    LLVMDisposeMessage(why);
#endif
    LLVMErrorRef err = LLVMRunPasses(m, PASSES, j->machine, j->options);
    if (!err && further[effort]) err = LLVMRunPasses(m, further[effort], j->machine, j->options);
    if (!err && further[effort]) err = LLVMRunPasses(m, PASSES, j->machine, j->options);
    return err ? orc_error(err, e) : GPA_OK;
}

static gpa_code emit_object(jit *j, LLVMModuleRef m, LLVMCodeGenFileType type,
                            LLVMMemoryBufferRef *out, gpa_err *e) {
    char *why = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(j->machine, m, type, &why, out)) return GPA_OK;
    gpa_fail(e, GPA_E_INTERNAL, "LLVM: %.300s", why);
    LLVMDisposeMessage(why);
    return GPA_E_INTERNAL;
}

/* What decides the machine code of a module. The number changes whenever something does that is not
 * written here. */
static void put_key(const jit *j, LLVMModuleRef m, jit_effort effort, gpa_str *key) {
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    str_printf(key, "gpa-1 llvm %s, %s, %s, effort %d\n", LLVM_VERSION_STRING, j->host.cpu,
               j->features, (int)effort);
    str_putn(key, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
}

/* The object that belongs to the key: from disk, or compiled and kept there. */
static gpa_code object_of(jit *j, LLVMModuleRef m, jit_effort effort, const gpa_str *key,
                          const char *name, LLVMMemoryBufferRef *out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    size_t n;
    char *kept = disk_cache_get(key->text, key->len, &n);
    if (kept) {
        *out = LLVMCreateMemoryBufferWithMemoryRangeCopy(kept, n, name);
        mem_free(kept);
        return GPA_OK;
    }
    LLVMSetValueName2(LLVMGetNamedFunction(m, JIT_FUNCTION), name, strlen(name));
    TRY(optimise(j, m, effort, e));
    TRY(emit_object(j, m, LLVMObjectFile, out, e));
    disk_cache_put(key->text, key->len, LLVMGetBufferStart(*out), LLVMGetBufferSize(*out));
out:
    return rc;
}

static gpa_code link_object_take(jit *j, LLVMMemoryBufferRef object, jit_code *code, gpa_err *e) {
    LLVMOrcExecutorAddress at = 0;
    code->tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(j->orc));
    LLVMErrorRef err = LLVMOrcLLJITAddObjectFileWithRT(j->orc, code->tracker, object);
    if (!err) err = LLVMOrcLLJITLookup(j->orc, &at, code->name);
    if (err) return orc_error(err, e);
    code->address = (void *)(uintptr_t)at;
    return GPA_OK;
}

static jit_code *find_linked(const jit *j, const char *name) {
    for (jit_code *c = j->linked; c; c = c->next)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

static void free_code(jit_code *c) {
    if (c->tracker) {
        LLVMConsumeError(LLVMOrcResourceTrackerRemove(c->tracker));
        LLVMOrcReleaseResourceTracker(c->tracker);
    }
    mem_free(c);
}

gpa_code jit_link_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_code **out, void **address,
                       gpa_err *e) {
    gpa_code rc = GPA_OK;
    LLVMMemoryBufferRef object;
    jit_code *code = mem_zero(sizeof *code);
    gpa_str key;
    str_init(&key);
    put_key(j, m, effort, &key);
    if (!code || key.failed) {
        rc = gpa_no_memory(e);
        goto out;
    }
    snprintf(code->name, sizeof code->name, "gpa_%016llx%016llx",
             (unsigned long long)hash_bytes(key.text, key.len, 1),
             (unsigned long long)hash_bytes(key.text, key.len, 2));
    jit_code *known = find_linked(j, code->name);
    if (known) {
        mem_free(code);
        code = known;
    } else {
        TRY(object_of(j, m, effort, &key, code->name, &object, e));
        TRY(link_object_take(j, object, code, e));
        code->owner = j;
        code->next = j->linked;
        j->linked = code;
    }
    code->users++;
    *address = code->address;
    *out = code;
out:
    if (rc && code) free_code(code);
    str_free(&key);
    jit_discard(m);
    return rc;
}

void jit_unlink(jit_code *c) {
    if (!c || --c->users) return;
    jit_code **at = &c->owner->linked;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free_code(c);
}

gpa_code jit_print_take(jit *j, LLVMModuleRef m, jit_effort effort, int optimised, int assembly,
                        gpa_str *out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (optimised || assembly) TRY(optimise(j, m, effort, e));
    if (assembly) {
        LLVMMemoryBufferRef text;
        TRY(emit_object(j, m, LLVMAssemblyFile, &text, e));
        str_putn(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
        LLVMDisposeMemoryBuffer(text);
    } else {
        char *text = LLVMPrintModuleToString(m);
        str_put(out, text);
        LLVMDisposeMessage(text);
    }
    if (out->failed) rc = gpa_no_memory(e);
out:
    jit_discard(m);
    return rc;
}
