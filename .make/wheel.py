"""A wheel of the installed files: python wheel.py TREE VERSION FOLDER

TREE is what `make dist` packs: programs in bin/, plugins and libraries in lib/gpa/, the kernelspec in share/. pip puts them into the
same folders of an environment, so that programs find plugins as in an archive. One wheel is for every Python: it contains none.
Its platform is the oldest C library that has all symbols which the files need."""

import base64
import glob
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

# Front end; NVIDIA's libraries, which gpa finds in the environment that it is installed in (runtime/cuda/driver/find.c).
EXTRAS = {
    "jupyter": ["jupyterlab>=4", "ipywidgets>=8"],
    "cuda13": [
        "nvidia-cuda-nvrtc>=13,<14", "nvidia-cublas>=13,<14", "nvidia-cufft>=12,<13", "nvidia-cusolver>=12,<13",
        "nvidia-cusparse>=12,<13", "nvidia-nvjitlink>=13,<14",
    ],
}
METADATA = """Metadata-Version: 2.1
Name: gpa-lang
Version: {version}
Summary: GPU arrays at a prompt and in Jupyter: NumPy's language, fused and compiled at run time
License: MIT; the bundled libraries are under the licences that share/doc/gpa/LICENSES.txt lists
Requires-Python: >=3.8
Classifier: Framework :: Jupyter
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown
{extras}
{readme}"""
MOST_MEGABYTES = 60


def files_of(top):
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), top)


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def newest_glibc(top):
    """The newest version of the C library whose symbols a file needs, as (2, 36)."""
    versions = {(2, 17)}
    for name in files_of(top):
        path = os.path.join(top, name)
        if is_elf(path):
            output = subprocess.run(["readelf", "-W", "--version-info", path], capture_output=True, text=True, check=True).stdout
            versions |= {(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", output)}
    return max(versions)


def path_in_wheel(name, data):
    """Where a file goes in the wheel: programs among the scripts, the rest relative to the environment's folder."""
    if name.startswith("bin/"):
        return f"{data}/scripts/{name[4:]}"
    return f"{data}/data/{name}"


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        self.zip.writestr(f"{info}/RECORD", "\n".join(self.record + [f"{info}/RECORD,,"]) + "\n")
        self.zip.close()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def metadata(version, readme):
    extras = []
    for name, needed in EXTRAS.items():
        extras.append(f"Provides-Extra: {name}")
        extras += [f"Requires-Dist: {requirement}; extra == '{name}'" for requirement in needed]
    return METADATA.format(version=version, extras="\n".join(extras) + "\n", readme=readme)


def main():
    top, version, folder = sys.argv[1:]
    tag = "py3-none-manylinux_{}_{}_{}".format(*newest_glibc(top), platform.machine())
    data, info = f"gpa_lang-{version}.data", f"gpa_lang-{version}.dist-info"
    path = os.path.join(folder, f"gpa_lang-{version}-{tag}.whl")
    wheel = Wheel(path)
    for name in files_of(top):
        full = os.path.join(top, name)
        wheel.add(path_in_wheel(name, data), read(full), 0o755 if os.access(full, os.X_OK) else 0o644)
    documents = os.path.join(top, "share/doc/gpa")
    readme = read(os.path.join(documents, "README.md")).decode()
    wheel.add(f"{info}/METADATA", metadata(version, readme).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: gpa\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    for text in [documents + "/LICENSE", documents + "/LICENSES.txt"] + sorted(glob.glob(documents + "/licenses/*")):
        if os.path.isfile(text):
            wheel.add(f"{info}/licenses/{os.path.relpath(text, documents)}", read(text))
    wheel.close(info)
    size = os.path.getsize(path) / 1e6
    print(f"  {path} ({size:.1f} MB)")
    if size > MOST_MEGABYTES:
        sys.exit(f"  wheel: larger than {MOST_MEGABYTES} MB")


main()
