#!/bin/sh
# .make/dist.sh FOLDER: puts the shared libraries that the installed programs and plugins in FOLDER need, all but the C
# library's own, into FOLDER/lib/gpa, with their licences; the programs look there first (their rpath). The folder then
# runs on any machine with the same architecture and a C library at least as new.
set -eu
top=$1
mkdir -p "$top/share/doc/gpa/licenses"
for lib in $("$(dirname "$0")/needed.sh" "$top"/bin/* "$top"/lib/gpa/*.so); do
    cp -L "$lib" "$top/lib/gpa/"
    package=$(dpkg-query -S "$(readlink -f "$lib")" 2> /dev/null | head -1 | cut -d: -f1) || package=
    [ -f "/usr/share/doc/$package/copyright" ] && cp -L "/usr/share/doc/$package/copyright" "$top/share/doc/gpa/licenses/$package"
done
exit 0
