/* The version of gpa. */
#ifndef GPA_VERSION_H
#define GPA_VERSION_H

#define GPA_VERSION "0.1.0"

#endif
