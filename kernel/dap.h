/* Debug Adapter Protocol on standard input and output, for editors: launches a program and debugs
 * it. */
#ifndef GPA_KERNEL_DAP_H
#define GPA_KERNEL_DAP_H

/* Serves an editor until it disconnects. Returns the process's exit code. */
int dap_main(void);

#endif
