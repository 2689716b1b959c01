#!/bin/sh
# .make/deb.sh ROOT VERSION FOLDER: a Debian package of the files installed below ROOT with PREFIX=/usr. It depends on the packages
# of the libraries that the files need or open at run time.
set -eu
root=$1 version=$2 folder=$3
needed=$(for f in "$root"/usr/bin/* "$root"/usr/lib/gpa/*.so; do readelf -d "$f"; done | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
depends=
for name in $needed libopenblas.so.0 libpng16.so.16; do
    path=$(ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }')
    [ -n "$path" ] || continue
    real=$(readlink -f "$path")
    package=$(dpkg-query -S "$path" "$real" "${real#/usr}" 2> /dev/null | head -1 | cut -d: -f1) || true
    case " $depends libc6 " in *" $package "*) ;; *) depends="$depends $package" ;; esac
done
glibc=$(dpkg-query -W -f '${Version}' libc6 | cut -d- -f1)
architecture=$(dpkg --print-architecture)
mkdir -p "$root/DEBIAN"
mv "$root/usr/share/doc/gpa/LICENSE" "$root/usr/share/doc/gpa/copyright"
cat > "$root/DEBIAN/control" << E
Package: gpa
Version: $version
Architecture: $architecture
Section: math
Priority: optional
Maintainer: the authors of gpa <gpa@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc)$(printf ', %s' $depends)
Recommends: gnuplot-nox, python3
Suggests: jupyter, libhdf5-103
Description: GPU arrays at a prompt and in Jupyter
 An interactive array language with the syntax of Python and the meaning of
 NumPy: expressions are fused, compiled at run time and run on a GPU or the CPU.
E
dpkg-deb --root-owner-group -b "$root" "$folder/gpa_${version}_$architecture.deb" > /dev/null
echo "  $folder/gpa_${version}_$architecture.deb"
