/* Command line of gpa-kernel. */
#include <stdio.h>
#include <string.h>

#include "kernel/dap.h"
#include "kernel/doctor.h"
#include "kernel/install.h"
#include "kernel/kernel.h"

static const char usage[] =
    "usage: gpa-kernel -f CONNECTION_FILE\n"
    "       gpa-kernel install [--user | --sys-prefix | --prefix DIR] [--name NAME] "
    "[--display-name TEXT]\n"
    "                          [--env VAR=VALUE]... [--ranks N] [--program PATH]\n"
    "       gpa-kernel uninstall [--user | --sys-prefix | --prefix DIR] [--name NAME]\n"
    "       gpa-kernel doctor\n"
    "       gpa-kernel dap\n"
    "\n"
    "The Jupyter kernel of gpa. Front ends start it with -f; `install` tells them that it is "
    "there, by default\n"
    "for this user only; `doctor` looks whether a notebook will work, and says what is in the "
    "way;\n"
    "`dap` debugs a program for an editor (gpa --dap).\n"
    "\n"
    "  --user          for this user\n"
    "  --sys-prefix    for the Python environment that is active\n"
    "  --prefix DIR    in DIR/share/jupyter\n"
    "  --ranks N       sessions compute on N processes, as gpa --ranks N\n"
    "  --program PATH  what front ends are to start; by default this program\n"
    "  --version       print the version\n"
    "  --help          print this text\n";

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "";
    /* The rest are settings and files of Jupyter's programs: `jupyter run` passes the program.
     */
    if (strcmp(first, "-f") == 0 && argc >= 3) return kernel_run(argv[2]);
    if (strcmp(first, "install") == 0 || strcmp(first, "uninstall") == 0)
        return install_main(argc - 1, argv + 1, usage);
    if (strcmp(first, "doctor") == 0 && argc == 2) return doctor_main();
    if (strcmp(first, "dap") == 0 && argc == 2) return dap_main();
    if (strcmp(first, "--version") == 0) return puts("gpa-kernel " GPA_VERSION), 0;
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return fputs(usage, stdout), 0;
    fputs(usage, stderr);
    return 2;
}
