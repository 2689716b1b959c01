# READLINE=0 builds the program without readline, the one library under the GPL; the prompt reads plain lines.
. tests/checks.sh
command -v make > /dev/null && [ -e Makefile ] && [ -e "$B/core.a" ] || skip "nothing to compile with here"
workspace readline
unset MAKEFLAGS
make -s MODE="$MODE" READLINE=0 B="$work" CORE="$B/core.a" "$work/gpa" > "$work/log" 2>&1
verdict "it builds" $? "$work/log"
equal "it does not link readline" "$(ldd "$work/gpa" | grep -c readline)" 0
equal "lines are read" "$(printf 'x = 6\nx * 7\n' | "$work/gpa" --device ref -q -i 2>&1)" 'Out[2]: 42'
finish
