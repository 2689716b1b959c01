#!/bin/sh
# .make/tuning_kit.sh BUILD ARCHIVE: packs what tests/bench/tuning.py needs of a tuning build to measure the rows of a GPU, for a
# machine that has the sources, Python and a GPU, and no compiler. Without the CPU device, whose LLVM is large.
set -eu
build=$1 archive=$2
rm -rf "$build/kit" && mkdir -p "$build/kit/tuning/lib"
(cd "$build" && find . -path ./kit -prune -o -path ./objects -prune -o \( -name gpa -o -name 'gpa-cu*.so' -o -name 'gpa-interpreter.sm_*' \) \
    -type f -print) | while read -r f; do
    mkdir -p "$build/kit/tuning/$(dirname "$f")"
    case $f in *.sm_*) cp "$build/$f" "$build/kit/tuning/$f" ;; *) strip -o "$build/kit/tuning/$f" "$build/$f" ;; esac
done
for lib in $("$(dirname "$0")/needed.sh" "$build/gpa"); do cp -L "$lib" "$build/kit/tuning/lib/"; done
tar -C "$build/kit" -cJf "$archive" tuning
echo "  $archive"
