/* The texts of attention.cuh (after tensor_core.cuh) and attention_sm90.cuh, embedded by the build.
 */
#ifndef GPA_CUDA_LIB_ATTENTION_SOURCE_H
#define GPA_CUDA_LIB_ATTENTION_SOURCE_H

extern const char attention_source[], attention_sm90_source[];

#endif
