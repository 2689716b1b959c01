/* JIT compiler: one target machine (runtime/cpu/emit/target.h) and one ORC instance per device.
 *
 * Each module has an LLVM context of its own, so that freeing it frees everything. Objects are
 * emitted by the target machine here rather than by ORC: we control the pass pipeline, and dumps
 * show exactly what runs. The object code of a module depends only on its bitcode, its effort and
 * what put_key writes before them. All form the cache key of the object, in memory and on disk, and
 * name its function.
 *
 * Reading order: jit_new, optimise, put_key, find_code, compile, jit_link_take. */
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
#include "runtime/backend.h"
#include "runtime/exec/disk_cache.h"
#include "runtime/base/str.h"

struct jit {
    cpu_target target;
    LLVMOrcLLJITRef orc;
    LLVMPassBuilderOptionsRef options;
    bool never_quick; /* GPA_CPU_QUICK=never, for tests */
    size_t n_defined; /* number of the target's symbols already defined in ORC */
    jit_code *linked; /* all linked code that jit_unlink has not taken */
};

struct jit_code {
    jit *owner;
    jit_code *next;
    char name[40]; /* name of its function */
    bool quick;
    unsigned users;
    LLVMOrcResourceTrackerRef tracker;
    void *address;
};

/* Emission leaves little to optimize: loops are already vectorized and loop invariants hoisted.
 * Only these passes remain: promoting stack slots to registers, constant folding and dead code
 * elimination. */
static const char PASSES[] = "function(sroa,early-cse,instsimplify,simplifycfg)";

/* Code that runs a few times: only what makes code generation faster. */
static const char QUICK_PASSES[] = "function(sroa)";

/* Kernels have loops around every phase, and recompute values in each phase. */
static const char HARD_PASSES[] =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm,simple-loop-unswitch<nontrivial>),"
    "simplifycfg,loop-unroll,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/* Loops of compiled functions are emitted one iteration at a time. Floating-point sums are not
 * reassociated. */
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

static gpa_code open_orc(jit *j, gpa_err *e) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    /* ORC needs a target machine to know the triple; it compiles nothing with it. */
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(j->target.machine), j->target.triple, "",
                                "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMErrorRef err = LLVMOrcCreateLLJIT(&j->orc, builder);
    return err ? orc_error(err, e) : GPA_OK;
}

gpa_code jit_new(jit **out, gpa_err *e) {
    gpa_code rc;
    jit *j = mem_zero(sizeof *j);
    if (!j) return gpa_no_memory(e);
    TRY(cpu_target_open(&j->target, e));
    TRY(open_orc(j, e));
    j->options = LLVMCreatePassBuilderOptions();
    const char *quick = getenv("GPA_CPU_QUICK");
    j->never_quick = quick && !strcmp(quick, "never");
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
    cpu_target_close(&j->target);
    mem_free(j);
}

cpu_target *jit_target(jit *j) { return &j->target; }
const cpu_target_info *jit_host_of(const jit *j) { return &j->target.info; }

/* Defines in ORC the symbols that modules have referenced since the last call. */
static gpa_code define_symbols(jit *j, gpa_err *e) {
    for (; j->n_defined < j->target.n_symbols; j->n_defined++) {
        const cpu_symbol *s = &j->target.symbols[j->n_defined];
        LLVMOrcCSymbolMapPair pair = {
            LLVMOrcLLJITMangleAndIntern(j->orc, s->name),
            {(LLVMOrcExecutorAddress)(uintptr_t)s->address,
             {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
        LLVMErrorRef err = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(j->orc),
                                                 LLVMOrcAbsoluteSymbols(&pair, 1));
        if (err) return orc_error(err, e);
    }
    return GPA_OK;
}

/* ---- machine code ---- */

static gpa_code optimise(jit *j, LLVMModuleRef m, jit_effort effort, gpa_err *e) {
    static const char *const further[] = {NULL, HARD_PASSES, LOOP_PASSES, NULL};
    const char *first = effort == JIT_QUICK ? QUICK_PASSES : PASSES;
#ifdef GPA_CHECK
    char *why = NULL;
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why)) {
        gpa_fail(e, GPA_E_INTERNAL, "LLVM: %.400s", why);
        LLVMDisposeMessage(why);
        return GPA_E_INTERNAL;
    }
    LLVMDisposeMessage(why);
#endif
    LLVMErrorRef err = LLVMRunPasses(m, first, j->target.machine, j->options);
    if (!err && further[effort])
        err = LLVMRunPasses(m, further[effort], j->target.machine, j->options);
    if (!err && further[effort]) err = LLVMRunPasses(m, PASSES, j->target.machine, j->options);
    return err ? orc_error(err, e) : GPA_OK;
}

static gpa_code emit_object(LLVMTargetMachineRef machine, LLVMModuleRef m, LLVMCodeGenFileType type,
                            LLVMMemoryBufferRef *out, gpa_err *e) {
    char *why = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, m, type, &why, out)) return GPA_OK;
    gpa_fail(e, GPA_E_INTERNAL, "LLVM: %.300s", why);
    LLVMDisposeMessage(why);
    return GPA_E_INTERNAL;
}

/* Writes what the machine code of a module depends on besides its effort: its bitcode, and what
 * defines the numbers of operations and dtypes in it. The last byte is that of the effort
 * (name_code). Increase the version number whenever something changes that is not covered here. */
static void put_key(const jit *j, LLVMModuleRef m, gpa_str *key) {
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    str_printf(key, "gpa-2 llvm %s, %s, %s, tables %llx\n", LLVM_VERSION_STRING, j->target.info.cpu,
               j->target.features, (unsigned long long)gpa_tables_hash());
    str_putn(key, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    str_putc(key, ' ');
    LLVMDisposeMemoryBuffer(bytes);
}

/* Completes the key with the effort. */
static void name_code(gpa_str *key, jit_effort effort, char *name, size_t n) {
    key->text[key->len - 1] = (char)('0' + effort);
    snprintf(name, n, "gpa_%016llx%016llx", (unsigned long long)hash_bytes(key->text, key->len, 1),
             (unsigned long long)hash_bytes(key->text, key->len, 2));
}

static void free_code(jit_code *c) {
    if (c->tracker) {
        LLVMConsumeError(LLVMOrcResourceTrackerRemove(c->tracker));
        LLVMOrcReleaseResourceTracker(c->tracker);
    }
    mem_free(c);
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

/* Links an object, which it takes. */
static gpa_code add_code_take(jit *j, LLVMMemoryBufferRef object, const char *name,
                              jit_effort effort, jit_code **out, gpa_err *e) {
    jit_code *code = mem_zero(sizeof *code);
    if (!code) {
        LLVMDisposeMemoryBuffer(object);
        return gpa_no_memory(e);
    }
    snprintf(code->name, sizeof code->name, "%s", name);
    gpa_code rc = define_symbols(j, e);
    if (rc)
        LLVMDisposeMemoryBuffer(object);
    else
        rc = link_object_take(j, object, code, e);
    if (rc) {
        free_code(code);
        return rc;
    }
    code->owner = j;
    code->quick = effort == JIT_QUICK;
    code->next = j->linked;
    *out = j->linked = code;
    return GPA_OK;
}

/* The code of a module's key that is linked already, or stored on disk; NULL: neither. */
static gpa_code find_code(jit *j, gpa_str *key, jit_effort effort, jit_code **out, gpa_err *e) {
    char name[sizeof(*out)->name];
    size_t n;
    name_code(key, effort, name, sizeof name);
    for (*out = j->linked; *out; *out = (*out)->next)
        if (!strcmp((*out)->name, name)) return GPA_OK;
    char *kept = disk_cache_get(key->text, key->len, &n);
    if (!kept) return GPA_OK;
    LLVMMemoryBufferRef object = LLVMCreateMemoryBufferWithMemoryRangeCopy(kept, n, name);
    mem_free(kept);
    return add_code_take(j, object, name, effort, out, e);
}

/* Compiles a module and stores its object on disk. */
static gpa_code compile(jit *j, LLVMModuleRef m, gpa_str *key, jit_effort effort, jit_code **out,
                        gpa_err *e) {
    char name[sizeof(*out)->name];
    LLVMTargetMachineRef machine = effort == JIT_QUICK ? j->target.quick : j->target.machine;
    LLVMMemoryBufferRef object;
    gpa_code rc = GPA_OK;
    name_code(key, effort, name, sizeof name);
    LLVMSetValueName2(LLVMGetNamedFunction(m, JIT_FUNCTION), name, strlen(name));
    TRY(optimise(j, m, effort, e));
    TRY(emit_object(machine, m, LLVMObjectFile, &object, e));
    disk_cache_put(key->text, key->len, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    TRY(add_code_take(j, object, name, effort, out, e));
out:
    return rc;
}

gpa_code jit_link_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_code **out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    gpa_str key;
    str_init(&key);
    put_key(j, m, &key);
    *out = NULL;
    if (key.failed) {
        rc = gpa_no_memory(e);
        goto out;
    }
    if (effort == JIT_QUICK && j->never_quick) effort = JIT_PLAIN;
    if (effort == JIT_QUICK) TRY(find_code(j, &key, JIT_PLAIN, out, e));
    if (!*out) TRY(find_code(j, &key, effort, out, e));
    if (!*out) TRY(compile(j, m, &key, effort, out, e));
    (*out)->users++;
out:
    str_free(&key);
    cpu_module_free(m);
    return rc;
}

void *jit_address(const jit_code *c) { return c->address; }
bool jit_is_quick(const jit_code *c) { return c->quick; }

void jit_unlink(jit_code *c) {
    if (!c || --c->users) return;
    jit_code **at = &c->owner->linked;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free_code(c);
}

gpa_code jit_print_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_text what, gpa_str *out,
                        gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (what != JIT_EMITTED) TRY(optimise(j, m, effort, e));
    if (what == JIT_ASSEMBLY) {
        LLVMMemoryBufferRef text;
        TRY(emit_object(j->target.machine, m, LLVMAssemblyFile, &text, e));
        str_putn(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
        LLVMDisposeMemoryBuffer(text);
    } else {
        char *text = LLVMPrintModuleToString(m);
        str_put(out, text);
        LLVMDisposeMessage(text);
    }
    if (out->failed) rc = gpa_no_memory(e);
out:
    cpu_module_free(m);
    return rc;
}
