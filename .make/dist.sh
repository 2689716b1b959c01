#!/bin/sh
# .make/dist.sh FOLDER [FLAGS OF STATIC LLVM]: puts the shared libraries that the installed programs and plugins in FOLDER need, all but the C
# library's own, into FOLDER/lib/gpa, with their licences and those of what gpa-cub.so holds, which LICENSES.txt lists; the
# programs look there first (their rpath). The folder then runs on any machine with the same architecture and a C library at
# least as new. Fails if a library other than readline is under the GPL without an exception for linking.
set -eu
top=$1
shift
mkdir -p "$top/share/doc/gpa/licenses"

# Libraries opened at run time, where they are installed: OpenBLAS, libpng.
opened=
for name in libopenblas.so.0 libpng16.so.16; do
    path=$(ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
    if [ -n "$path" ]; then opened="$opened $path"; else echo "  dist: without $name, which is not installed" >&2; fi
done
# licence COPYRIGHT FILES: the licence in Debian's copyright file that stands for FILES, else for `Files: *`, else the first
# one; of a text without such fields the most permissive family whose phrases it contains (packaging is often under the GPL).
licence() {
    awk -v files="$2" '
        NR == 1 { fields = /^Format/ }
        fields && tolower($1) == "files:" { own = index($0, files); all = own || $2 == "*" }
        fields && tolower($1) == "license:" {
            sub(/^[Ll]icense: */, "")
            if (!first) first = $0
            if (all && (own || !whole)) whole = $0
        }
        /Runtime Library Exception/ { gcc = 1 }
        /GNU Lesser|GNU Library/ { lesser = 1 }
        /GNU General Public|GNU GPL/ { general = 1 }
        /Redistribution and use in source and binary forms/ { bsd = 1 }
        /[Pp]ermission is hereby granted|Permission to use, copy/ { mit = 1 }
        END {
            if (whole || first) print whole ? whole : first
            else print gcc ? "GPL-3 with the GCC Runtime Library Exception" : bsd ? "BSD" : mit ? "MIT" : lesser ? "LGPL" : general ? "GPL" : "not known"
        }
    ' "$1"
}
list=$top/share/doc/gpa/LICENSES.txt
printf '%s\n\n%-28s %-24s %s\n' "The libraries in lib/gpa; the texts of their licences are in share/doc/gpa/licenses." LIBRARY PACKAGE LICENCE > "$list"
copyleft=
for lib in $opened $("$(dirname "$0")/needed.sh" "$top"/bin/* "$top"/lib/gpa/*.so $opened); do
    cp -L "$lib" "$top/lib/gpa/"
    real=$(readlink -f "$lib") # a package may name it without /usr, where /lib is a link
    package=$(dpkg-query -S "$real" "${real#/usr}" 2> /dev/null | head -1 | cut -d: -f1) || package=
    text=/usr/share/doc/$package/copyright name="not known" own=none
    case $lib in */libkeyutils.*) own=keyutils. ;; esac
    if [ -f "$text" ]; then cp -L "$text" "$top/share/doc/gpa/licenses/$package"; name=$(licence "$text" "$own"); fi
    # Debian's files give e2fsprogs and gcc one licence; these parts have their own.
    case $lib in */libcom_err.*) name="MIT (lib/et of e2fsprogs)" ;; */libquadmath.*) name="LGPL-2.1+ (libquadmath of gcc)" ;; esac
    printf '%-28s %-24s %s\n' "$(basename "$lib")" "$package" "$name" >> "$list"
    case $package:$name in *xception* | libreadline*) ;; *:GPL*) copyleft="$copyleft $(basename "$lib")" ;; esac
done
[ -z "$copyleft" ] || { echo "  dist: under the GPL:$copyleft" >&2; exit 1; }

# What is inside gpa-cpu.so where LLVM is linked statically: -lLLVM* of -L FOLDER, and libstdc++.
linked() { # NAME FILE
    package=$(dpkg-query -S "$2" 2> /dev/null | head -1 | cut -d: -f1) || package=
    text=/usr/share/doc/$package/copyright
    [ ! -f "$text" ] || cp -L "$text" "$top/share/doc/gpa/licenses/$package"
    printf '%-28s %-24s %s\n' "$1" "$package" "$3" >> "$list"
}
for flag; do
    case $flag in -L*)
        printf '\nLinked into gpa-cpu.so:\n' >> "$list"
        linked LLVM "${flag#-L}/libLLVMCore.a" "Apache-2.0 with LLVM exceptions"
        linked libstdc++ "$(cc -print-file-name=libstdc++.a)" "GPL-3 with the GCC Runtime Library Exception" ;;
    esac
done

# A library with another search path than the programs' (LLVM's: $ORIGIN/../lib): a link of that name to the folder.
for lib in "$top"/lib/gpa/lib*.so*; do
    path=$(readelf -d "$lib" | sed -n 's|.*(RUNPATH).*\[$ORIGIN/\([^]:]*\).*|\1|p')
    [ -z "$path" ] || [ -e "$top/lib/gpa/$path" ] || ln -sr "$top/lib/gpa" "$top/lib/gpa/$path"
done

# Contents of gpa-cub.so: CUB, whose headers state their licence, and the static CUDA runtime, under the licence of the toolkit.
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
