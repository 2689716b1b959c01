# The program from outside: options, exit codes, where output goes.
work=$B/test/options; rm -rf "$work"; mkdir -p "$work"
bad=0

# check NAME STATUS STDOUT-REGEX STDERR-REGEX COMMAND...: the whole of each stream must match.
check() {
    name=$1 want=$2 out=$3 err=$4; shift 4
    "$@" > "$work/out" 2> "$work/err"; status=$?
    if [ $status = "$want" ] && grep -Pzq "\A(?:$out)\Z" "$work/out" && grep -Pzq "\A(?:$err)\Z" "$work/err"; then
        echo "ok - $name"
    else
        echo "not ok - $name: status $status, expected $want"; bad=1
        sed 's/^/# stdout: /' "$work/out"; sed 's/^/# stderr: /' "$work/err"
    fi
}
piped() { printf "$1" | "${@:2}"; }

printf '#!/usr/bin/env gpa\nimport sys\nprint(sys.argv[1:], 6 * 7)\n' > "$work/args.gpa"
printf 'print("before")\nprint(1 / 0)\nprint("after")\n' > "$work/fails.gpa"
printf 'import sys\nsys.exit(7)\n' > "$work/exits.gpa"
printf 'def f(:\n' > "$work/broken.gpa"
printf 'value = 5\ndef double(x):\n    return 2 * x\n' > "$work/helper.gpa"
printf 'import helper\nfrom helper import double\nprint(helper.value, double(4))\n' > "$work/imports.gpa"
chmod +x "$work/args.gpa"

check "a command"                  0 '90\n' '' "$GPA" -c 'print(sum(range(10)) * 2)'
check "a command with arguments"   0 "\['a', 'b'\]\n" '' "$GPA" -c 'import sys; print(sys.argv[1:])' a b
check "an array in a command"      0 '285\n' '' "$GPA" -c 'print((np.arange(10) ** 2).sum())'
check "names without an import"    0 '285\n' '' "$GPA" -c 'print((arange(10) ** 2).sum())'
check "a file with arguments"      0 "\['x', '-y'\] 42\n" '' "$GPA" "$work/args.gpa" x -y
check "a file by its first line"   0 "\['z'\] 42\n" '' env PATH="$PWD/$B:$PATH" "$work/args.gpa" z
check "an error ends a file"       1 'before\n' '(.|\n)*ZeroDivisionError: division by zero(.|\n)*' "$GPA" "$work/fails.gpa"
check "an error names its line"    1 'before\n' '(.|\n)*fails\.gpa.*line 2(.|\n)*' "$GPA" "$work/fails.gpa"
check "the status of sys.exit"     7 '' '' "$GPA" "$work/exits.gpa"
check "a syntax error"             1 '' '(.|\n)*SyntaxError(.|\n)*' "$GPA" "$work/broken.gpa"
check "a file that is not there"   2 '' '(.|\n)*no-such-file(.|\n)*' "$GPA" "$work/no-such-file.gpa"
check "an unknown option"          2 '' '(.|\n)*--no-such-option(.|\n)*' "$GPA" --no-such-option
check "the version"                0 'gpa [0-9]+\.[0-9]+.*\n' '' "$GPA" --version
check "help"                       0 '(.|\n)*--explain(.|\n)*' '' "$GPA" --help
check "devices"                    0 '(.|\n)*ref(.|\n)*' '' "$GPA" --devices
check "a program on stdin"         0 '3\n4\n' '' piped 'for i in range(3, 5):\n    print(i)\n' "$GPA"
check "a program on stdin by dash" 0 '3\n' '' piped 'print(3)' "$GPA" -
check "an error on stdin"          1 '' '(.|\n)*NameError(.|\n)*' piped 'nope\n' "$GPA" -
check "imports of files"           0 '5 8\n' '' "$GPA" "$work/imports.gpa"
check "the reference device"       0 '285\n' '' "$GPA" --device ref -c 'print((arange(10) ** 2).sum())'
check "the device by environment"  0 '285\n' '' env GPA_DEVICE=ref "$GPA" -c 'print((arange(10) ** 2).sum())'
check "a device that is not there" 1 '' '(.|\n)*nosuch(.|\n)*' "$GPA" --device nosuch -c 'print(arange(3) + 1)'
check "the plan of a program"      0 '(.|\n)+' '(.|\n)*' "$GPA" --explain -c 'a = arange(1000.0); print((a * 2 + 1).sum())'

# Ctrl-C: within half a second, status 130, and the report says so.
"$GPA" -c 'while True: pass' > "$work/out" 2> "$work/err" & pid=$!
sleep 0.3; start=$(date +%s%N); kill -INT $pid; wait $pid; status=$?
took=$((($(date +%s%N) - start) / 1000000))
limit=500; case $B in *asan* | *stress*) limit=5000 ;; esac
if [ $status = 130 ] && [ $took -lt $limit ] && grep -q KeyboardInterrupt "$work/err"; then echo "ok - an interrupt"
else echo "not ok - an interrupt: status $status after $took ms"; sed 's/^/# /' "$work/err"; bad=1; fi
exit $bad
