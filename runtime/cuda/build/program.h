/* Programs and their compiled variants. */
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
        first; /* first: the quick build that was replaced; launches of it may still be queued */
    CUfunction function; /* NULL: it is being built for the first time */
    cu_effort effort;
    cu_job *job;      /* that build, or later the full one, on its way */
    double points;    /* computed so far by the quick build */
    bool interpreted; /* such a launch went to the interpreter */
    gpa_val *numbers; /* the parameters that are compiled in; NULL: it serves any */
    gpa_val *latest;  /* those of the latest launch, */
    uint32_t alike;   /* and how many launches in a row had them */
} cu_variant;

struct gpa_prog {
    kir_func copy;
    cu_facts facts;
    cu_variant *variants;
    size_t n_variants, cap_variants,
        ran;              /* ran: the index of the one that served the latest launch */
    double seconds;       /* spent on compiling them */
    struct ic_code *code; /* for the interpreter; NULL: it is not known yet, or cannot be */
    bool coded;           /* it is known */
    uint8_t when;         /* interpret_when */
    uint64_t interpreted; /* launches so far */
    unsigned generation;        /* of the device's, in which they were loaded */
};

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e);
void program_free(gpa_dev *d, gpa_prog *p);
/* The variant for a plan, which will now compute so many points with these parameters: compiled
 * quickly and loaded at first need, again and better in the background when it has computed many,
 * and once more with the parameters as literals when it waits for instructions and they stay as
 * they are. Valid until the next call. */
gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points,
                         const gpa_val *numbers, const cu_variant **out, gpa_err *e);
/* Whether a launch goes to the interpreter, since the variant for its plan is not there and is not
 * waited for: it is built in the background. */
bool program_interprets(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);
/* It has taken too long in the interpreter: not again. */
void program_not_interpreted(gpa_prog *p);
/* Begins to build in the background the variant for a plan that will be wanted, unless it is there
 * or on disk. */
void program_begin(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);

#endif
