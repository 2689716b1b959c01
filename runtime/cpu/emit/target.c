/* The host as an LLVM target: target.h. */
#include "runtime/cpu/emit/target.h"

#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"

static bool has_feature(const char *features, const char *name) {
    size_t n = strlen(name);
    for (const char *p = features; (p = strstr(p, name)); p += n)
        if (p > features && p[-1] == '+' && (p[n] == ',' || !p[n])) return true;
    return false;
}

static void host_vectors(cpu_target_info *h, const char *features) {
    *h = (cpu_target_info){.bytes = 16, .name = "128-bit vectors"};
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

/* Features of the processor that pay: not AMD's gathers and scatters, which are slower
 * than single accesses. */
static char *host_features(const char *cpu) {
    char *has = LLVMGetHostCPUFeatures(), text[8192];
    int n = snprintf(text, sizeof text, "%s,+prefer-no-gather,+prefer-no-scatter", has);
    if (strncmp(cpu, "znver", 5) != 0 || n >= (int)sizeof text) return has;
    LLVMDisposeMessage(has);
    return LLVMCreateMessage(text);
}

gpa_code cpu_target_symbol(cpu_target *t, const char *name, void *address, gpa_err *e) {
    for (size_t i = 0; i < t->n_symbols; i++)
        if (!strcmp(t->symbols[i].name, name)) return GPA_OK;
    if (!mem_grow(&t->symbols, t->n_symbols, &t->cap_symbols, sizeof *t->symbols))
        return gpa_no_memory(e);
    char *own = mem_text(name, strlen(name));
    if (!own) return gpa_no_memory(e);
    t->symbols[t->n_symbols++] = (cpu_symbol){own, address};
    return GPA_OK;
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

static gpa_code name_conversions(cpu_target *t, gpa_err *e) {
    gpa_code rc = GPA_OK;
    (void)t, (void)e;
#define DEFINE(name) \
    if (!rc) rc = cpu_target_symbol(t, #name, (void *)(uintptr_t)name, e);
    CONVERSIONS(DEFINE)
#undef DEFINE
    return rc;
}

gpa_code cpu_target_open(cpu_target *t, gpa_err *e) {
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter())
        return gpa_fail(e, GPA_E_DEVICE, "LLVM was built without this machine's target");
    char *cpu = LLVMGetHostCPUName(), *features = host_features(cpu), *why = NULL;
    LLVMTargetRef target;
    gpa_code rc = GPA_OK;
    host_vectors(&t->info, features);
    t->features = features;
    t->info.double_pumped = t->info.bytes == 64 && !strcmp(cpu, "znver4");
    snprintf(t->info.cpu, sizeof t->info.cpu, "%s", cpu);
    t->triple = LLVMGetDefaultTargetTriple();
    if (LLVMGetTargetFromTriple(t->triple, &target, &why)) {
        rc = gpa_fail(e, GPA_E_DEVICE, "LLVM has no code generator for this machine: %.200s", why);
        LLVMDisposeMessage(why);
        goto out;
    }
    t->machine = LLVMCreateTargetMachine(target, t->triple, cpu, features, LLVMCodeGenLevelDefault,
                                         LLVMRelocPIC, LLVMCodeModelSmall);
    t->quick = LLVMCreateTargetMachine(target, t->triple, cpu, features, LLVMCodeGenLevelNone,
                                       LLVMRelocPIC, LLVMCodeModelSmall);
    if (!t->machine || !t->quick) {
        rc = gpa_fail(e, GPA_E_DEVICE, "LLVM cannot generate code for %.100s", t->triple);
        goto out;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(t->machine);
    t->layout = LLVMCopyStringRepOfTargetData(layout);
    LLVMDisposeTargetData(layout);
    rc = name_conversions(t, e);
out:
    LLVMDisposeMessage(cpu);
    return rc;
}

void cpu_target_close(cpu_target *t) {
    if (t->machine) LLVMDisposeTargetMachine(t->machine);
    if (t->quick) LLVMDisposeTargetMachine(t->quick);
    if (t->triple) LLVMDisposeMessage(t->triple);
    if (t->layout) LLVMDisposeMessage(t->layout);
    if (t->features) LLVMDisposeMessage(t->features);
    for (size_t i = 0; i < t->n_symbols; i++) mem_free(t->symbols[i].name);
    mem_free(t->symbols);
    *t = (cpu_target){0};
}

const char *cpu_target_vectors(void) {
    cpu_target_info h;
    char *features = LLVMGetHostCPUFeatures();
    host_vectors(&h, features);
    LLVMDisposeMessage(features);
    return h.name;
}

LLVMModuleRef cpu_module_new(const cpu_target *t, const char *name) {
    LLVMContextRef ctx = LLVMContextCreate();
#if LLVM_VERSION_MAJOR < 17
    LLVMContextSetOpaquePointers(ctx, 1);
#endif
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext(name, ctx);
    LLVMSetTarget(m, t->triple);
    LLVMSetDataLayout(m, t->layout);
    return m;
}

void cpu_module_free(LLVMModuleRef m) {
    if (!m) return;
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}
