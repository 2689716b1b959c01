/* `gpa kernel ...`: runs the program gpa-kernel, which is installed next to gpa. */
#ifndef GPA_KERNEL_COMMAND_H
#define GPA_KERNEL_COMMAND_H

/* Executes gpa-kernel with the arguments from argv[1] on. Returns an exit code only if it is
 * missing, after reporting that on standard error. */
int kernel_command(int argc, char **argv);

#endif
