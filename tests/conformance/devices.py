"""The devices against the tables: python tests/conformance/devices.py BUILD

tests/tools/conform in the build runs every operation, cast and reduction, on every dtype and in every layout, as kir on a
device, and compares with the scalar functions, which tables.py compares with NumPy."""
import glob
import subprocess
import sys

build = sys.argv[1]
statuses = [subprocess.run([build + "/tests/tools/conform", device], check=False).returncode
            for device in ["ref"] + sorted(glob.glob(f"./{build}/gpa-*.so"))]
if any(status not in (0, 1) for status in statuses):
    print(f"not ok - conform ended with {statuses}")
sys.exit(any(statuses))
