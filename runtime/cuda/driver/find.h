/* Search paths of NVIDIA's libraries: the toolkit's folders, the system's, and Python packages. */
#ifndef GPA_CUDA_DRIVER_FIND_H
#define GPA_CUDA_DRIVER_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* The file lib<stem>.so.<major - behind> (`behind` is 0 if the library is numbered like CUDA) for
 * the CUDA version closest to the driver's: the same major version, then earlier ones down to 12,
 * then later ones. For each version the first folder that has the file, in this order: $CUDA_PATH
 * and $CUDA_HOME, $LD_LIBRARY_PATH, the folder of this plugin, packages of the environment that it
 * is installed in, /usr/local/cuda and the system's folders, then packages of Python (the
 * environment in use, the user's, the system's). False if there is none; the dynamic linker may
 * still find one. */
bool find_library(const char *stem, int behind, int driver_major, char *path, size_t n);
/* A file in the folder of this plugin. */
bool find_next_to_plugin(const char *file, char *path, size_t n);

#endif
