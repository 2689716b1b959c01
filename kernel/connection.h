/* The connection file: where front ends expect the kernel, and the key they share with it. */
#ifndef GPA_CONNECTION_H
#define GPA_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { PORT_SHELL, PORT_CONTROL, PORT_STDIN, PORT_IOPUB, PORT_HB, N_PORTS } connection_port;

typedef struct {
    char transport[8], ip[256], key[256], scheme[32];
    char ports[N_PORTS][8];
} connection;

/* Reads a file. On failure false, and a sentence in why[0..n). */
bool connection_read(connection *c, const char *path, char *why, size_t n);
/* "tcp://127.0.0.1:5555", "ipc:///tmp/k-1". */
void connection_endpoint(const connection *c, connection_port port, char *text, size_t n);

#endif
