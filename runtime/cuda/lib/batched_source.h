/* The text of elements.cuh, warp_matrix.cuh and block_matrix.cuh, embedded by the build. */
#ifndef GPA_CUDA_LIB_BATCHED_SOURCE_H
#define GPA_CUDA_LIB_BATCHED_SOURCE_H

extern const char batched_source[];

#endif
