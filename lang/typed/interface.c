/* Entry points of compiled functions for the interpreter (lang/compile/typed_interface.h). */
#include "lang/compile/typed_interface.h"
#include "lang/typed/call_types.h"
#include "lang/typed/lift.h"
#include "lang/typed/types.h"

const typed_interface typed_compiler = {
    .loop_wanted = lift_eligible,
    .loop_returns = lift_returns,
    .loop_new = lift_new,
    .loop_free = lift_free,
    .loop_run = lift_run,
    .enter = call_types_enter,
    .leave = call_types_leave,
    .free_calls = call_types_free,
    .scalar_dtype = typed_scalar_dtype,
};
