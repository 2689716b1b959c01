#!/bin/sh
# Generates the C source of library_modules (lang/vm/library.h): the texts of the modules written in the language.
# The text of module a.b is the file lang/library/a/b.gpa; of a package, the file a/b/__init__.gpa or the files of the
# folder a/b/__init__ joined in name order.
set -e
export LC_ALL=C
emit_text() { # VARIABLE FILE...: a string with the contents of these files
    echo "static const char $1[] = {"
    shift
    cat "$@" | od -An -v -to1 | sed 's/ *\([0-7][0-7]*\)/ 0\1,/g'
    echo '0};'
}
echo '#include "lang/vm/library.h"'
rows=
n=0
for path in $(cd lang/library && find . \( -name '*.gpa' ! -path '*/__init__/*' -o -type d -name __init__ \) | sort); do
    path=lang/library/${path#./}
    n=$((n + 1))
    module=${path#lang/library/}
    module=${module%.gpa}
    module=$(echo "${module%/__init__}" | tr / .)
    if [ -d "$path" ]; then emit_text "module_$n" "$path"/*.gpa; else emit_text "module_$n" "$path"; fi
    rows="$rows {\"$module\", module_$n, sizeof module_$n - 1},"
done
echo "const library_module library_modules[] = {$rows {0, 0, 0}};"
