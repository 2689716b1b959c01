/* Pending matrix products: nodes that a library computes before what reads them is planned. */
#ifndef GPA_EXEC_PRODUCT_H
#define GPA_EXEC_PRODUCT_H

#include "runtime/graph/node.h"

/* Computes the products that the value of a node depends on; they become leaves. n may be NULL. */
gpa_code product_compute_below(gpa_rt *rt, node *n, gpa_err *e);
/* Computes all products that pending arrays depend on. */
gpa_code product_compute_all(gpa_rt *rt, gpa_err *e);

#endif
