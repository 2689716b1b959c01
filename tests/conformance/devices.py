"""The devices against the tables: python tests/conformance/devices.py BUILD [PART/PARTS]

tests/tools/conform in the build runs every operation, cast and reduction, on every dtype and in
every layout, as kir on a device, and compares with the scalar functions, which tables.py
compares with NumPy. A part is every PARTS-th dtype, on CUDA only."""

import os
import subprocess
import sys

build, part = os.path.abspath(sys.argv[1]), sys.argv[2:]
devices = (
    [build + "/gpa-cuda.so"]
    if part
    else ["ref"]
    + [build + so for so in ("/gpa-cpu.so", "/gpa-cuda.so") if os.path.exists(build + so)]
)
statuses = [
    subprocess.run([build + "/tests/tools/conform", device] + part, check=False).returncode
    for device in devices
]
if any(status not in (0, 1) for status in statuses):
    print(f"not ok - conform ended with {statuses}")
sys.exit(any(statuses))
