"""jupyter_kernel_test, Jupyter's test suite for kernels."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

folder = tempfile.TemporaryDirectory()
os.environ.update(
    JUPYTER_DATA_DIR=folder.name, JUPYTER_RUNTIME_DIR=folder.name, JUPYTER_PLATFORM_DIRS="1"
)
subprocess.run(
    [os.path.join(os.environ.get("B", "build/release"), "gpa-kernel"), "install"],
    check=True,
    capture_output=True,
)

import jupyter_kernel_test as suite  # it reads the environment


class Kernel(suite.KernelTests):
    kernel_name, language_name = "gpa", "python"
    file_extension = ".gpa"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys\nprint('oh', file=sys.stderr)"
    completion_samples = [{"text": "linsp", "matches": {"linspace"}}]
    complete_code_samples = ["1", "x = 3", "def f(x):\n  return x*2\n\n"]
    incomplete_code_samples = [
        'print("""hello',
        "def f(x):",
        "f(1,",
        "x = [1,\n2",
        "if x:\n  y = 1",
    ]
    invalid_code_samples = ["x = = 7q", "1 +* 2"]
    code_generate_error = "undefined_name_xyz"
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "6*7", "result": "42"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
    ]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "1?2*"
    code_page_something = "linspace?"
    code_display_data = [
        {"code": "display(6 * 7)", "mime": "text/plain"},
        {"code": "display(table(eye(3)))", "mime": "text/html"},
        {"code": "display(image(eye(3)))", "mime": "image/png"},
        {"code": "plot([1, 2, 3]);", "mime": "image/png"},
        {
            "code": "%config InlineBackend.figure_format = 'svg'\nplot([1, 2, 3]);",
            "mime": "image/svg+xml",
        },
    ]
    if not shutil.which("gnuplot"):
        del code_display_data[2:]
    code_clear_output = "clear_output()"
    code_inspect_sample = "linspace"


class Welcome(suite.IopubWelcomeTests):
    kernel_name = "gpa"
    support_iopub_welcome = True


class Lines(unittest.TestResult):
    def say(self, word, test, more=""):
        print(f"{word} - {test.id().partition('.')[2]}{more}", flush=True)

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        print(f"skip - {test.id().partition('.')[2]}: {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say("not ok", test)
        print(
            "".join(
                "# " + line + "\n" for line in self._exc_info_to_string(err, test).splitlines()
            ),
            end="",
            flush=True,
        )

    addError = addFailure


result = Lines()
unittest.TestSuite(
    unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Kernel, Welcome)
).run(result)
folder.cleanup()
sys.exit(not result.wasSuccessful())
