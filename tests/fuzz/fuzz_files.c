/* Fuzz target: readers of array files. For any bytes a reader returns arrays or an error. One
 * session reads all inputs. */
#define FUZZ_MOST 8000
#include "tests/fuzz/drive.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lang/session.h"

static const char readers[] =
    "import numpy as np\n"
    "import imageio\n"
    "def members(path):\n"
    "    with np.load(path) as archive:\n"
    "        return [archive[name] for name in archive]\n"
    "def table(path):\n"
    "    import h5py\n"
    "    with h5py.File(path, 'r') as f:\n"
    "        return [f[name][...] for name in f]\n"
    "def read(path):\n"
    "    text = np.genfromtxt\n"
    "    for f in (lambda: np.load(path), lambda: members(path), lambda: imageio.imread(path), "
    "lambda: table(path), lambda: np.loadtxt(path),\n"
    "              lambda: np.loadtxt(path, delimiter=',', quotechar='\"', ndmin=2), lambda: "
    "text(path, delimiter=',', names=True, dtype=None),\n"
    "              lambda: text(path, delimiter=(2, 3, 1), invalid_raise=False), lambda: "
    "np.fromfile(path, sep=','), lambda: np.fromfile(path, 'c8')):\n"
    "        try:\n"
    "            str(f())\n"
    "        except Exception as e:\n"
    "            assert str(e) != ''\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gpa_session *s;
    static int file = -1;
    gpa_err e = {0};
    char cell[64];
    int status;
    if (!s) {
        gpa_config c;
        gpa_config_init(&c);
        c.device = "ref";
        file = memfd_create("input", 0);
        if (file < 0 || gpa_session_new(&c, &s, &e)) __builtin_trap();
        if (gpa_session_eval(s, NULL, readers, sizeof readers - 1, GPA_EVAL_SILENT, &status))
            __builtin_trap();
    }
    if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) __builtin_trap();
    snprintf(cell, sizeof cell, "read('/proc/self/fd/%d')", file);
    if (gpa_session_eval(s, NULL, cell, strlen(cell), GPA_EVAL_SILENT, &status)) __builtin_trap();
    return 0;
}
