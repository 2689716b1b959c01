/* Compiled programs of a device: variants by launch plan, tiered compilation. */
#ifndef GPA_CUDA_BUILD_PROGRAM_H
#define GPA_CUDA_BUILD_PROGRAM_H

#include "runtime/cuda/build/background.h"
#include "runtime/cuda/driver/device.h"
#include "runtime/cuda/emit/emit.h"

typedef struct {
    cu_plan plan;
    cu_source source;
    char *ptx;
    CUmodule module,
        replaced;        /* the quick build that was replaced; launches of it may be in flight */
    CUfunction function; /* NULL: the first build is not finished */
    cu_effort effort;
    cu_job *job;       /* a build in the background: the first one, or the full one */
    double points;     /* computed by the quick build so far */
    bool interpreted;  /* a launch of this plan was interpreted */
    gpa_val *literals; /* the parameters that are compiled in; NULL: generic */
    gpa_val *recent;   /* parameters of the recent launch, */
    uint32_t repeats;  /* and how many consecutive launches had them */
} cu_variant;

struct gpa_prog {
    kir_func copy;
    cu_facts facts;
    cu_variant *variants;
    size_t n_variants, cap_variants, ran; /* ran: the variant of the recent launch */
    double seconds;                       /* spent on compilation */
    struct ic_code *code;                 /* bytecode; NULL: not translated yet, or unsupported */
    bool coded;                           /* translation was attempted */
    uint8_t when;                         /* interpret_when */
    uint64_t interpreted;                 /* launches that the interpreter executed */
    unsigned generation;                  /* of the device, in which the variants were loaded */
};

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e);
void program_free(gpa_dev *d, gpa_prog *p);
/* A compiled variant, as a launch uses it. */
typedef struct {
    const cu_plan *plan;
    double points;         /* that the launch computes */
    const gpa_val *params; /* its parameters; NULL: unknown */
} cu_demand;

/* The variant for a launch (tiered compilation): a quick build at first need; a full build in the
 * background once the variant has computed many points; and a build with the parameters as literals
 * if the program is compute bound and its parameters stay the same. Valid until the next call. */
gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_demand *x, const cu_variant **out,
                         gpa_err *e);
/* True if a launch is interpreted while the variant for its plan is built in the background. */
bool program_interprets(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);
/* Never interpret the program again: it exceeded its budget. */
void program_never_interpret(gpa_prog *p);
/* Starts a background build of the variant for a plan that will be needed, unless it is loaded or
 * on disk. */
void program_begin(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);

#endif
