/* ABI hash: detects a plugin that was built from other tables or structure layouts than the
 * core. */
#include "runtime/backend.h"
#include "runtime/base/base.h"

uint64_t gpa_tables_hash(void) {
    static const char *const rows[] = {
#define DT(...) #__VA_ARGS__,
#define OP(...) #__VA_ARGS__,
#define OPX(...) #__VA_ARGS__,
#define RED(...) #__VA_ARGS__,
#define KI(...) #__VA_ARGS__,
#define ATOMIC_ROW(...) #__VA_ARGS__,
#define THREAD_ROW(...) #__VA_ARGS__,
#define BARRIER_ROW(...) #__VA_ARGS__,
#define FENCE_ROW(...) #__VA_ARGS__,
#define WARP_ROW(...) #__VA_ARGS__,
#define FAULT_ROW(...) #__VA_ARGS__,
#define HELP_I(...) #__VA_ARGS__,
#define HELP_F(...) #__VA_ARGS__,
#define HELP_C(...) #__VA_ARGS__,
#include "runtime/tables/dtype.def"
#include "runtime/tables/op.def"
#include "runtime/tables/op_helpers.def"
#include "runtime/tables/reduce.def"
#include "runtime/ir/kir.def"
#include "runtime/ir/kir_rows.def"
    };
    static const size_t sizes[] = {sizeof(kir_ins),    sizeof(kir_array),   sizeof(kir_func),
                                   sizeof(gpa_launch), sizeof(gpa_binding), sizeof(gpa_backend),
                                   sizeof(gpa_caps)};
    uint64_t h = hash_bytes(sizes, sizeof sizes, GPA_BACKEND_ABI);
    for (size_t i = 0; i < COUNT_OF(rows); i++) h = hash_bytes(rows[i], strlen(rows[i]), h);
    return h;
}
