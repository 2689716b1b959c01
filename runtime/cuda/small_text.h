/* The text of elements.cuh, small.cuh and middle.cuh, which the build turns into a string. */
#ifndef GPA_CUDA_SMALL_TEXT_H
#define GPA_CUDA_SMALL_TEXT_H

extern const char small_text[];

#endif
