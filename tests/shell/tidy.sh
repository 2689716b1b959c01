# clang-tidy finds nothing in any source with the checks of .clang-tidy; a finding is an error.
. tests/checks.sh
command -v make > /dev/null && [ -e Makefile ] || skip "nothing to compile with here"
command -v clang-tidy clang-tidy-14 > /dev/null || skip "clang-tidy is missing"
workspace tidy
unset MAKEFLAGS
make -s tidy JOBS=1 > "$work/out" 2>&1
verdict "no finding" $? "$work/out"
printf 'int f(int x);\nint f(int x) {\n    if (x);\n    return x;\n}\n' > "$work/found.c"
make -s tidy JOBS=1 CHECKED="$work/found.c" > "$work/out" 2>&1
equal "a finding is an error" "$(($? != 0))" 1
contains "and is named" "$(cat "$work/out")" "found.c:3:11: error: potentially unintended semicolon [bugprone-suspicious-semicolon"
finish
