/* What Jupyter's jupyter_core.paths does, without asking a Python:
 * https://docs.jupyter.org/en/latest/use/jupyter-directories.html */
#include "kernel/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

bool places_user(char path[PLACE_SIZE]) {
    const char *data = variable("JUPYTER_DATA_DIR"), *share = variable("XDG_DATA_HOME"),
               *home = variable("HOME");
    int n = data    ? snprintf(path, PLACE_SIZE, "%s", data)
            : share ? snprintf(path, PLACE_SIZE, "%s/jupyter", share)
            : home  ? snprintf(path, PLACE_SIZE, "%s/.local/share/jupyter", home)
                    : PLACE_SIZE;
    return n < PLACE_SIZE;
}

const char *places_environment(void) {
    const char *venv = variable("VIRTUAL_ENV");
    return venv ? venv : variable("CONDA_PREFIX");
}

void places_each(void (*see)(void *user, const char *folder), void *user) {
    static const char *const system[] = {"/usr/local/share/jupyter", "/usr/share/jupyter"};
    const char *more = variable("JUPYTER_PATH"), *environment = places_environment();
    char path[PLACE_SIZE];
    while (more && *more) {
        size_t n = strcspn(more, ":");
        if (n && snprintf(path, sizeof path, "%.*s", (int)n, more) < PLACE_SIZE) see(user, path);
        more += n + (more[n] == ':');
    }
    if (places_user(path)) see(user, path);
    if (environment && snprintf(path, sizeof path, "%s/share/jupyter", environment) < PLACE_SIZE)
        see(user, path);
    for (size_t i = 0; i < sizeof system / sizeof *system; i++) see(user, system[i]);
}
