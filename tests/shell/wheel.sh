# A wheel of `make wheel` in a fresh environment, without compilers or any of the machine's programs on PATH: the program, its
# plugin and its Python are found, front ends find the kernel, a cell runs; uninstalled, nothing is left. And the package for Debian.
. tests/checks.sh
workspace wheel
[ "$MODE" = release ] || skip "wheels are of release builds"
"$PYTHON" -c 'import jupyter_client' 2> /dev/null || skip "no Jupyter client"
unset GPA_PLUGIN_DIR GPA_PYTHON VIRTUAL_ENV

make -s wheel > "$work/log" 2>&1
verdict "make wheel" $? "$work/log"
wheel=$(echo build/gpa_lang-*.whl)
at_most "megabytes of the wheel" $(($(stat -c %s "$wheel") / 1000000)) 60
contains "its file name tells the C library" "$wheel" "-py3-none-manylinux_2_"
newest=$(for f in build/dist/*/bin/* build/dist/*/lib/gpa/*.so*; do readelf -W --version-info "$f"; done |
    sed -n 's/.*Name: GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -1)
contains "the newest that a file needs" "$wheel" "manylinux_2_${newest}_"

env=$work/env
{ python3 -m venv "$env" && "$env/bin/pip" install -q --no-index --disable-pip-version-check "$wheel"; } > "$work/log" 2>&1
verdict "pip install" $? "$work/log"
mkdir -p "$work/bin" "$work/home"
ln -s "$(command -v sh)" "$work/bin/sh" # popen asks Python by it
alone() { (cd / && env -i HOME="$work/home" PATH="$env/bin:$work/bin" "$@" 2>&1); }
equal "a program on the CPU device" "$(alone gpa --device cpu -c 'print((np.arange(10) ** 2).sum(), np.fft.fft(np.ones(4))[0])')" "285 (4+0j)"
equal "a matrix product by the library" "$(alone gpa -c 'print((np.ones((99, 99)) @ np.ones((99, 99)))[0, 0])')" 99.0
# CUDA and Open MPI, with what these load, are the machine's.
machine='libcuda|nvidia|libmpi|libopen-(pal|rte)|libhwloc|libevent|libudev'
others=$(alone gpa --version --verbose |
    awk -v own="$env/" -v machine="$machine" '$1 == "library" && index($2, own) != 1 && $2 !~ machine { print $2 }')
equal "libraries of the machine" "$others" ""
contains "what was found where" "$(alone gpa --version --verbose)" "library    $env/lib/gpa/gpa-cpu.so"
if [ -e "$env/lib/gpa/gpa-cuda.so" ]; then # a stand-in for the driver, and one for the library of a package
    packages=$(echo "$env"/lib/python3*/site-packages)
    mkdir -p "$packages/nvidia/cu13/lib"
    cp "$B/tests/stub/lib64/libnvrtc.so.13" "$packages/nvidia/cu13/lib/"
    contains "NVIDIA's libraries are those of the environment" "$(alone LD_LIBRARY_PATH="$B/tests/fake" GPA_DEVICE=cuda:0 GPA_CUDA_INTERPRET=never \
        gpa -c 'print(np.ones(3) + 1, [line for line in open("/proc/self/maps") if "nvrtc" in line])')" "$packages/nvidia/cu13/lib/libnvrtc.so.13"
fi
contains "Python is the environment's" "$(alone gpa -c '%python')" "$env/bin/python3"
contains "licences" "$(find "$env" -path '*dist-info/licenses*' -name LICENSES.txt -exec cat {} +)" LLVM
spec=$env/share/jupyter/kernels/gpa
python=$(realpath -s "$PYTHON")
answer=$(env -i HOME="$work/home" PATH="$work/bin" JUPYTER_PATH="$env/share/jupyter" "$python" - <<'P'
import jupyter_client
manager, client = jupyter_client.manager.start_new_kernel(kernel_name="gpa")
texts = []
cell = "print((np.arange(10) ** 2).sum())"
client.execute_interactive(cell, output_hook=lambda m: texts.append(m["content"].get("text", "")), timeout=60)
print("".join(texts).strip())
client.stop_channels()
manager.shutdown_kernel()
P
)
equal "a cell in the kernel that front ends find" "$answer" 285
[ -s "$spec/kernel.json" ]; verdict "its kernelspec" $?
"$env/bin/pip" uninstall -q -y --disable-pip-version-check gpa-lang > "$work/log" 2>&1
equal "files after pip uninstall" "$(find "$env" -name '*gpa*' ! -type d; find "$env/lib/gpa" -type f 2> /dev/null)" ""

# In the image compilers are installed before make looks for them.
first=$(sed -n 's/^RUN \(make[^&]*\).*/\1/p' .binder/Dockerfile)
$first -n CC=no-compiler > "$work/log" 2>&1
verdict "the image's first make needs no compiler" $? "$work/log"

if command -v dpkg-deb > /dev/null; then
    make -s deb > "$work/log" 2>&1
    verdict "make deb" $? "$work/log"
    dpkg-deb -x build/gpa_*.deb "$work/deb"
    equal "its program" "$("$work/deb/usr/bin/gpa" --device cpu -c 'print((np.arange(10) ** 2).sum())' 2>&1)" 285
    needed=$(dpkg-deb -f build/gpa_*.deb Depends | tr ',' '\n' | sed 's/(.*//')
    missing=$(echo "$needed" | xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>&1 | grep -v '^installed')
    equal "packages that it depends on and the machine lacks" "$missing" ""
fi
finish
