/* Ports may be numbers or text; what is missing gets the protocol's defaults, but for the ports. */
#include "kernel/connection.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *const port_names[N_PORTS] = {"shell_port", "control_port", "stdin_port",
                                                "iopub_port", "hb_port"};

/* Copies a member, or the default when it is absent; false when it is no text or does not fit. */
static bool get(const json_t *file, const char *name, const char *otherwise, char *text, size_t n) {
    const json_t *item = json_object_get(file, name);
    if (json_is_integer(item))
        return snprintf(text, n, "%lld", (long long)json_integer_value(item)) < (int)n;
    const char *value = item ? json_string_value(item) : otherwise;
    return value && snprintf(text, n, "%s", value) < (int)n;
}

bool connection_read(connection *c, const char *path, char *why, size_t n) {
    json_error_t e;
    json_t *file = json_load_file(path, 0, &e);
    const char *bad = NULL;
    if (!file) return snprintf(why, n, "%s: %s", path, e.text), false;
    if (!get(file, "transport", "tcp", c->transport, sizeof c->transport)) bad = "transport";
    if (!get(file, "ip", "127.0.0.1", c->ip, sizeof c->ip)) bad = "ip";
    if (!get(file, "key", "", c->key, sizeof c->key)) bad = "key";
    if (!get(file, "signature_scheme", "hmac-sha256", c->scheme, sizeof c->scheme))
        bad = "signature_scheme";
    for (int i = 0; i < N_PORTS; i++)
        if (!bad && !get(file, port_names[i], NULL, c->ports[i], sizeof c->ports[i]))
            bad = port_names[i];
    json_decref(file);
    if (bad) snprintf(why, n, "%s: no usable \"%s\"", path, bad);
    return !bad;
}

void connection_endpoint(const connection *c, connection_port port, char *text, size_t n) {
    snprintf(text, n, "%s://%s%s%s", c->transport, c->ip,
             strcmp(c->transport, "ipc") == 0 ? "-" : ":", c->ports[port]);
}
