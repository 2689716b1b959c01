/* CUDA graphs: kernel launches recorded once, then queued by one call of the driver.
 *
 * The kernels of a graph are a chain: each depends on the one before. Recording again into a graph
 * updates the parameters of the kernels that have changed; their number stays. */
#ifndef GPA_CUDA_DRIVER_GRAPH_H
#define GPA_CUDA_DRIVER_GRAPH_H

#include "runtime/cuda/driver/device.h"

/* gpa_backend's functions of these names. */
gpa_code graph_begin(gpa_dev *d, gpa_graph **g, gpa_err *e);
void graph_keep(gpa_dev *d);
gpa_code graph_end(gpa_dev *d, gpa_graph *g, bool *ready, gpa_err *e);
gpa_code graph_run(gpa_dev *d, gpa_graph *g, gpa_err *e);
void graph_free(gpa_dev *d, gpa_graph *g);

/* True if the driver has graphs. */
bool graph_is_supported(const gpa_dev *d);
/* The functions below have an effect only while launches are recorded. */

/* A launch of a program begins, which is any number of kernels. */
void graph_begin_launch(gpa_dev *d);
/* Its next kernel: k->function with the `bytes` bytes of its one parameter. */
CUresult graph_add(gpa_dev *d, const cu_kernel *k, const void *block, size_t bytes);
/* Scratch memory of the launch, which the graph owns; all its launches may share it. 0: there
 * is none, and the graph is refused. */
CUdeviceptr graph_scratch(gpa_dev *d, size_t bytes);
/* The estimated seconds of the launch. */
void graph_cost(gpa_dev *d, double seconds);
/* The launches cannot be recorded. */
void graph_refuse(gpa_dev *d);

#endif
