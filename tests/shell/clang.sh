#!/bin/bash
# clang compiles every source without a warning, as gcc does; and a warning would be seen.
command -v make > /dev/null && [ -e Makefile ] || { echo "skip - nothing to compile with here"; exit 0; }
[ -n "$(for c in clang clang-{15..19}; do command -v $c; done)" ] || { echo "skip - clang is missing"; exit 0; }
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
bad=0
unset MAKEFLAGS
if make -s syntax JOBS=1 > "$tmp/said" 2>&1; then echo "ok - clang has nothing to say"; else
    echo "not ok - clang has nothing to say"; head -n 40 "$tmp/said" | sed 's/^/# /'; bad=1
fi
echo 'static int unused(int x) { return (short)x; }' > "$tmp/warned.c"
if make -s syntax JOBS=1 CHECKED="$tmp/warned.c" > "$tmp/said" 2>&1; then echo "not ok - a warning is an error"; bad=1; else echo "ok - a warning is an error"; fi
exit $bad
