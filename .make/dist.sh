#!/bin/sh
# .make/dist.sh FOLDER: puts the shared libraries that the installed programs and plugins in FOLDER need, all but the C
# library's own, into FOLDER/lib/gpa, with their licences and those of what gpa-cub.so holds; the programs look there first
# (their rpath). The folder then runs on any machine with the same architecture and a C library at least as new.
set -eu
top=$1
mkdir -p "$top/share/doc/gpa/licenses"

# What is opened at run time, where it is there: matrices, transforms, pictures.
opened=
for name in libopenblas.so.0 libfftw3.so.3 libfftw3_threads.so.3 libfftw3f.so.3 libfftw3f_threads.so.3 libpng16.so.16; do
    path=$(ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
    if [ -n "$path" ]; then opened="$opened $path"; else echo "  dist: without $name, which is not here" >&2; fi
done
for lib in $opened $("$(dirname "$0")/needed.sh" "$top"/bin/* "$top"/lib/gpa/*.so $opened); do
    cp -L "$lib" "$top/lib/gpa/"
    package=$(dpkg-query -S "$(readlink -f "$lib")" 2> /dev/null | head -1 | cut -d: -f1) || package=
    [ -f "/usr/share/doc/$package/copyright" ] && cp -L "/usr/share/doc/$package/copyright" "$top/share/doc/gpa/licenses/$package"
done

# A library with a search path of its own (LLVM's: $ORIGIN/../lib) does not look where the programs do: the folder goes by that
# name too.
for lib in "$top"/lib/gpa/lib*.so*; do
    path=$(readelf -d "$lib" | sed -n 's|.*(RUNPATH).*\[$ORIGIN/\([^]:]*\).*|\1|p')
    [ -z "$path" ] || [ -e "$top/lib/gpa/$path" ] || ln -sr "$top/lib/gpa" "$top/lib/gpa/$path"
done

# What is inside gpa-cub.so: CUB, whose headers say their licence, and the static CUDA runtime, which stands under the toolkit's.
if [ -e "$top/lib/gpa/gpa-cub.so" ]; then
    nvcc=$(command -v nvcc) || nvcc=/usr/local/cuda/bin/nvcc
    toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    header=$(find -L "$toolkit" -name cub.cuh -path '*/cub/*' 2> /dev/null | head -1)
    runtime=$(dpkg-query -S "$toolkit"/*/libcudart_static.a "$toolkit"/targets/*/lib/libcudart_static.a 2> /dev/null | head -1 | cut -d: -f1) || runtime=
    sed '/\*\//q' "$header" > "$top/share/doc/gpa/licenses/cub"
    for text in "$toolkit/EULA.txt" "/usr/share/doc/$runtime/copyright" "$toolkit"/dist-info/nvidia_cuda_runtime-*/licenses/License.txt; do
        if [ -f "$text" ]; then cp -L "$text" "$top/share/doc/gpa/licenses/cuda-runtime"; break; fi
    done
    for name in cub cuda-runtime; do
        [ -s "$top/share/doc/gpa/licenses/$name" ] || echo "  dist: the licence of $name was not found in $toolkit" >&2
    done
fi
exit 0
