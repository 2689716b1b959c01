# What `make install` puts down runs from there, and finds its plugins, whatever the working folder; an archive of
# `make dist` runs after being moved.
work=$OUT/install; rm -rf "$work"; mkdir -p "$work"
bad=0
report() { if [ "$1" = "$2" ]; then echo "ok - $3"; else echo "not ok - $3: got '$1', not '$2'"; bad=1; fi; }
unset GPA_PLUGIN_DIR

make -s install MODE="$MODE" DESTDIR="$work" PREFIX=/opt > "$work/log" 2>&1 || { sed 's/^/# /' "$work/log"; }
mv "$work/opt" "$work/moved"
program=$work/moved/bin/gpa
root=$PWD
cd / || exit 1
report "$("$program" -c 'print((arange(10) ** 2).sum())' 2>&1)" 285 "an installed program runs"
if [ -e "$work/moved/lib/gpa/gpa-cpu.so" ]; then
    report "$("$program" --device cpu -c 'print((arange(10) ** 2).sum())' 2>&1)" 285 "it finds its plugin"
fi
if [ -x "$work/moved/bin/gpa-kernel" ]; then
    spec=share/jupyter/kernels/gpa
    report "$(grep -o '"/opt/.*"' "$work/moved/$spec/kernel.json")" '"/opt/bin/gpa-kernel"' "the kernelspec names the place it is for"
    "$work/moved/bin/gpa-kernel" install --prefix "$work/moved" --program '{resource_dir}/../../../../bin/gpa-kernel' > /dev/null
    report "$(JUPYTER_PATH=$work/moved/share/jupyter "$program" kernel doctor | grep -c "^ok .*$work/moved/$spec starts $work/moved/$spec/../../../../bin/gpa-kernel")" 1 \
        "a kernelspec as in an archive finds the program beside it"
fi
"$root/.make/dist.sh" "$work/moved" > "$work/log" 2>&1 || sed 's/^/# /' "$work/log"
report "$("$root/.make/needed.sh" "$work"/moved/bin/* "$work"/moved/lib/gpa/*.so | grep -v "^$work/moved/")" '' "an archive has all libraries but the C library's, and finds its own"
report "$("$program" -c 'import numpy as np; np.ones((9, 9)) @ np.ones((9, 9)); np.fft.fft(np.ones(8))[0]
used = [line.split()[-1] for line in open("/proc/self/maps") if any([n in line for n in ("openblas", "LLVM")])]
print(sorted(set([not u.startswith("'"$work/moved/"'") for u in used])) in ([], [False]))' 2>&1)" True "those opened at run time too"
report "$(grep -c '^lib' "$work/moved/share/doc/gpa/LICENSES.txt")" "$(find "$work/moved/lib/gpa" -maxdepth 1 -name 'lib*.so*' | wc -l)" "each has its licence listed"
report "$(ls "$work/moved/share/doc/gpa/LICENSE")" "$work/moved/share/doc/gpa/LICENSE" "the licence is there"
exit $bad
