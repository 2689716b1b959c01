#!/bin/sh
# Generates the C source of library_modules (lang/vm/library.h): the texts of the modules written in the language, which the
# assembler includes. The text of module a.b is the file lang/library/a/b.gpa; of a package, the file a/b/__init__.gpa or the
# files of the folder a/b/__init__ joined in name order.
set -e
export LC_ALL=C
emit_text() { # VARIABLE FILE...: a string with the contents of these files
    echo "extern const char $1[];"
    echo "__asm__(\".section .rodata; $1:\""
    shift
    for file; do echo "        \"; .incbin \\\"$file\\\"\""; done
    echo '        "; .byte 0; .previous");'
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
    if [ -d "$path" ]; then files=$(echo "$path"/*.gpa); else files=$path; fi
    emit_text "module_$n" $files
    rows="$rows {\"$module\", module_$n, $(cat $files | wc -c)},"
done
echo "const library_module library_modules[] = {$rows {0, 0, 0}};"
