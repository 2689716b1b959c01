#!/bin/sh
# .make/kit.sh BUILD ARCHIVE: packs what `tests/run --gpu` needs of a build, for a machine that has the sources, Python with
# NumPy and a GPU, and no compiler: tar -xf ARCHIVE -C build && B=build/kit tests/run --gpu
set -eu
build=$1 archive=$2 kit=$1/kit
rm -rf "$kit"
mkdir -p "$kit/lib" "$kit/tests/unit" "$kit/tests/tools"
for f in gpa gpa-cuda.so gpa-cub.so; do [ ! -e "$build/$f" ] || strip -o "$kit/$f" "$build/$f"; done
for f in "$build"/gpa-interpreter.sm_*; do [ ! -e "$f" ] || cp "$f" "$kit/"; done
for f in "$build"/tests/unit/test_* "$build"/tests/tools/*; do
    case $f in *.[ado] | */test_cpu*) ;; *) strip -o "$kit/${f#"$build"/}" "$f" ;; esac
done
for lib in $("$(dirname "$0")/needed.sh" "$kit/gpa" "$kit"/tests/unit/*); do cp -L "$lib" "$kit/lib/"; done
tar -C "$build" -cJf "$archive" kit
echo "  $archive"
