#!/bin/sh
# Writes the C source of the prelude (lang/prelude.h): lang/prelude/*.gpa together are the module numpy's, and each
# lang/prelude/modules/NAME.gpa is the module NAME's, as are the files of a folder NAME together.
text() { # VARIABLE FILE...: a string of these files
    echo "static const char $1[] = {"
    shift
    cat "$@" | od -An -v -to1 | sed 's/ *\([0-7][0-7]*\)/ 0\1,/g'
    echo '0};'
}
echo '#include "lang/prelude.h"'
text numpy lang/prelude/*.gpa
rows=' {"numpy", numpy, sizeof numpy - 1},'
n=0
for file in lang/prelude/modules/*; do
    n=$((n + 1))
    name=${file##*/}
    if [ -d "$file" ]; then text "module_$n" "$file"/*.gpa; else text "module_$n" "$file"; fi
    rows="$rows {\"${name%.gpa}\", module_$n, sizeof module_$n - 1},"
done
echo "const gpa_prelude gpa_preludes[] = {$rows {0, 0, 0}};"
