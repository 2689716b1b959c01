# clang compiles every source without a warning; a warning is an error.
. tests/checks.sh
command -v make > /dev/null && [ -e Makefile ] || skip "nothing to compile with here"
[ -n "$(for c in clang clang-{15..19}; do command -v $c; done)" ] || skip "clang is missing"
workspace clang
unset MAKEFLAGS
make -s syntax JOBS=1 > "$work/out" 2>&1
verdict "no warning" $? "$work/out"
echo 'static int unused(int x) { return (short)x; }' > "$work/warned.c"
make -s syntax JOBS=1 CHECKED="$work/warned.c" > "$work/out" 2>&1
equal "a warning is an error" "$(($? != 0))" 1
finish
