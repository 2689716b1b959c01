/* The functions of this folder that rooms below call (lang/compile/typed_interface.h). */
#include "lang/compile/typed_interface.h"
#include "lang/typed/lift.h"
#include "lang/typed/types.h"

const typed_interface typed_compiler = {
    .loop_wanted = lift_eligible,
    .loop_returns = lift_returns,
    .loop_new = lift_new,
    .loop_free = lift_free,
    .loop_run = lift_run,
    .array_type = typed_array_type,
    .is_type = typed_is_type,
    .signature_of = typed_signature_of,
};
