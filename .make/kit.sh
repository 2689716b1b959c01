#!/bin/sh
# .make/kit.sh BUILD ARCHIVE [cpu]: packs what `tests/run --gpu` needs of a build, for a machine that has the sources, Python with
# NumPy and a GPU, and no compiler: tar -xf ARCHIVE -C build && B=build/kit tests/run --gpu. With `cpu` the CPU device,
# whose LLVM is large, in place of the unit tests: a sanitizer's build on a machine of many cores.
set -eu
build=$1 archive=$2 kit=$1/kit
plugins="gpa-cuda.so gpa-cub.so" programs=$(ls "$build"/tests/tools/* "$build"/tests/unit/test_*)
if [ "${3:-}" = cpu ]; then plugins="$plugins gpa-cpu.so" programs=$(ls "$build"/tests/tools/*); fi
rm -rf "$kit"
mkdir -p "$kit/lib" "$kit/tests/unit" "$kit/tests/tools"
for f in gpa $plugins; do [ ! -e "$build/$f" ] || strip -g -o "$kit/$f" "$build/$f"; done
for f in "$build"/gpa-interpreter.sm_*; do [ ! -e "$f" ] || cp "$f" "$kit/"; done
for f in $programs; do
    case $f in *.[ado] | */test_cpu*) ;; *) strip -g -o "$kit/${f#"$build"/}" "$f" ;; esac
done
for lib in $("$(dirname "$0")/needed.sh" "$kit"/gpa "$kit"/gpa-cpu.so "$kit"/tests/*/*); do cp -L "$lib" "$kit/lib/"; done
tar -C "$build" -cJf "$archive" kit
echo "  $archive"
