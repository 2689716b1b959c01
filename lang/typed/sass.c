/* Translation of PTX to SASS by ptxas and cuobjdump, through temporary files; the encodings next to
 * the instructions are removed. */
#include "lang/typed/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_tool(const char *command, gpa_str *out) {
    char part[4096];
    size_t before = out->len, n;
    FILE *f = popen(command, "r");
    if (!f) return false;
    while ((n = fread(part, 1, sizeof part, f))) str_putn(out, part, n);
    return pclose(f) == 0 && out->len > before;
}

bool sass_of_ptx(const char *ptx, size_t n, gpa_str *out) {
    char path[] = "/tmp/gpa-ptx-XXXXXX", command[640];
    const char *target = memmem(ptx, n, ".target sm_", 11);
    int fd = mkstemp(path), arch = target ? atoi(target + 11) : 0;
    bool written = fd >= 0 && arch && write(fd, ptx, n) == (ssize_t)n, done = false;
    if (fd >= 0) close(fd);
    snprintf(command, sizeof command,
             "PATH=\"$PATH:/usr/local/cuda/bin\"; f=%s; { ptxas -arch=sm_%d%s -o $f.cubin $f && "
             "cuobjdump -sass $f.cubin > $f.sass && "
             "sed -E 's|[[:blank:]]*/[*] 0x[0-9a-f]+ [*]/$||; /^[[:blank:].]*$/d; s/^\t\t//' "
             "$f.sass; } 2> /dev/null; s=$?; rm -f $f.cubin $f.sass; exit $s",
             path, arch, memmem(ptx, n, "sm_90a", 6) ? "a" : "");
    if (written) done = read_tool(command, out);
    if (fd >= 0) unlink(path);
    return done;
}
