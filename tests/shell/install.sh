# What `make install` installs runs from there, and finds its plugins, whatever the working folder; an archive of `make dist`
# runs after being moved.
. tests/checks.sh
workspace install
root=$PWD
unset GPA_PLUGIN_DIR

make -s install MODE="$MODE" DESTDIR="$work" PREFIX=/opt > "$work/log" 2>&1
verdict "make install" $? "$work/log"
mv "$work/opt" "$work/moved"
top=$work/moved program=$work/moved/bin/gpa sum='print((arange(10) ** 2).sum())'
cd / || exit 1
equal "an installed program runs" "$("$program" -c "$sum" 2>&1)" 285
[ ! -e "$top/lib/gpa/gpa-cpu.so" ] || equal "it finds its plugin" "$("$program" --device cpu -c "$sum" 2>&1)" 285
if [ -x "$top/bin/gpa-kernel" ]; then
    spec=$top/share/jupyter/kernels/gpa relative=../../../../bin/gpa-kernel
    equal "the kernelspec names the program that it is for" "$(grep -o '"/opt/.*"' "$spec/kernel.json")" '"/opt/bin/gpa-kernel"'
    "$top/bin/gpa-kernel" install --prefix "$top" --program "{resource_dir}/$relative" > /dev/null
    contains "a kernelspec as in an archive finds the program next to it" \
        "$(JUPYTER_PATH=$top/share/jupyter "$program" kernel doctor | grep '^ok ')" "$spec starts $spec/$relative"
fi

"$root/.make/dist.sh" "$top" > "$work/log" 2>&1
verdict "make dist" $? "$work/log"
equal "an archive has all libraries but the C library's, and finds its own" \
    "$("$root/.make/needed.sh" "$top"/bin/* "$top"/lib/gpa/*.so | grep -v "^$top/")" ''
equal "libraries that are opened at run time, too" "$("$program" -c '
import numpy as np
np.ones((9, 9)) @ np.ones((9, 9))
np.fft.fft(np.ones(8))[0]
for line in open("/proc/self/maps"):
    file = line.split()[-1]
    if any([n in file for n in ("openblas", "LLVM")]) and not file.startswith("'"$top/"'"): print(file)' 2>&1)" ''
equal "each has its licence listed" "$(grep -c '^lib' "$top/share/doc/gpa/LICENSES.txt")" \
    "$(find "$top/lib/gpa" -maxdepth 1 -name 'lib*.so*' -type f | wc -l)"
[ -s "$top/share/doc/gpa/LICENSE" ]; verdict "gpa's licence is there" $?
finish
