# Command line: options, exit codes, output streams.
. tests/checks.sh
workspace options
errors=$work/err

# whole FILE PATTERN: the text of a file, its last end of line included.
whole() { text=$(cat "$1"; echo x); [[ ${text%x} == $2 ]]; }

# check NAME STATUS STDOUT STDERR COMMAND...: each stream must match its pattern, a glob with \n for an end of line.
check() {
    name=$1 want=$2 out=${3//\\n/$'\n'} err=${4//\\n/$'\n'}; shift 4
    timeout -k 5 60 "$@" > "$work/out" 2> "$work/err"; status=$?
    if [ $status = "$want" ] && whole "$work/out" "$out" && whole "$work/err" "$err"; then passed "$name"
    else failed "$name: status $status, expected $want" "$work/out" "$work/err"; fi
}

printf '#!/usr/bin/env gpa\nimport sys\nprint(sys.argv[1:], 6 * 7)\n' > "$work/args.gpa"
printf 'print("before")\nprint(1 / 0)\nprint("after")\n' > "$work/fails.gpa"
printf 'import sys\nsys.exit(7)\n' > "$work/exits.gpa"
printf 'def f(:\n' > "$work/broken.gpa"
printf 'value = 5\ndef double(x):\n    return 2 * x\n' > "$work/helper.gpa"
printf 'value = 6\n' > "$work/helper.py" # the .gpa file comes first
printf 'def treble(x):\n    return 3 * x\n' > "$work/other.py"
printf '%s\n' 'import helper' 'from helper import double' 'from other import treble' \
    'print(helper.value, double(4), treble(4))' > "$work/imports.gpa"
chmod +x "$work/args.gpa"

check "a command"                  0 '90\n' '' "$GPA" -c 'print(sum(range(10)) * 2)'
check "a command with arguments"   0 "\['a', 'b'\]\n" '' "$GPA" -c 'import sys; print(sys.argv[1:])' a b
check "an array in a command"      0 '285\n' '' "$GPA" -c 'print((np.arange(10) ** 2).sum())'
check "names without an import"    0 '285\n' '' "$GPA" -c 'print((arange(10) ** 2).sum())'
check "a file with arguments"      0 "\['x', '-y'\] 42\n" '' "$GPA" "$work/args.gpa" x -y
check "a file by its first line"   0 "\['z'\] 42\n" '' env PATH="$B:$PATH" "$work/args.gpa" z
check "an error ends a file"       1 'before\n' '*ZeroDivisionError: division by zero*' "$GPA" "$work/fails.gpa"
check "an error names its line"    1 'before\n' '*fails.gpa*line 2*' "$GPA" "$work/fails.gpa"
check "the status of sys.exit"     7 '' '' "$GPA" "$work/exits.gpa"
check "a syntax error"             1 '' '*SyntaxError*' "$GPA" "$work/broken.gpa"
check "a file that is not there"   2 '' '*no-such-file*' "$GPA" "$work/no-such-file.gpa"
check "an unknown option"          2 '' '*--no-such-option*' "$GPA" --no-such-option
check "a misspelt option"          2 '' "gpa: unknown option '--verison' (did you mean '--version'[?])*" "$GPA" --verison
check "an option without argument" 2 '' '*--device*needs an argument*' "$GPA" --device
check "a choice that is not one"   2 '' '*auto|always|never*' "$GPA" --color=sometimes -c 1
check "commands in order"          0 '1\n2\n' '' "$GPA" -c 'x = 1; print(x)' -c 'print(x + 1)'
check "a later -c is an argument"  0 "\['a', '-c'\]\n" '' "$GPA" -c 'import sys; print(sys.argv[1:])' a -c
check "commands stop at an error"  1 '' '*ZeroDivisionError*' "$GPA" -c '1 / 0' -c 'print(2)'
check "values on request"          0 '12\n' '' "$GPA" -e -c '3 * 4'
check "colours when asked for"     1 '' $'*\033[[]1;31mZeroDivisionError:*' "$GPA" --color=always -c '1 / 0'
check "no colours by NO_COLOR"     1 '' 'ZeroDivisionError: *' env NO_COLOR=1 CLICOLOR_FORCE=1 "$GPA" -c '1 / 0'
check "colours by CLICOLOR_FORCE"  1 '' $'\033*' env -u NO_COLOR CLICOLOR_FORCE=1 "$GPA" -c '1 / 0'
[ -e /dev/full ] && check "a disk that is full" 1 '' '*No space left on device*' bash -c '"$1" -c "print(1)" > /dev/full' full "$GPA"
check "a reader that goes away"    0 '0\n' '' bash -c '"$1" -c "for i in range(10**5): print(i)" | head -1' piped "$GPA"
check "the kernel's program"       0 '*gpa-kernel*' '' \
    bash -c '[ -x "$1-kernel" ] || { echo gpa-kernel; exit; }; "$1" kernel --help' kernel "$GPA"
check "what was found where"         0 "gpa [0-9]*program * $GPA*device *current device: *library * */gpa-c*python *" '*' "$GPA" --version --verbose
check "the version"                0 'gpa [0-9]*.[0-9]*\n' '' "$GPA" --version
check "help"                       0 '*--explain*' '' "$GPA" --help
check "devices"                    0 '*ref*' '' "$GPA" --devices
check "a program on stdin"         0 '3\n4\n' '' bash -c 'printf "$1" | "${@:2}"' piped 'for i in range(3, 5):\n    print(i)\n' "$GPA"
check "a program on stdin by dash" 0 '3\n' '' bash -c 'printf "$1" | "${@:2}"' piped 'print(3)' "$GPA" -
check "an error on stdin"          1 '' '*NameError*' bash -c 'printf "$1" | "${@:2}"' piped 'nope\n' "$GPA" -
check "imports of files"           0 '5 8 12\n' '' "$GPA" "$work/imports.gpa"
check "the reference device"       0 '285\n' '' "$GPA" --device ref -c 'print((arange(10) ** 2).sum())'
printf 'from numba import cuda\n@cuda.jit\ndef count(h):\n    h[0] += 1\ncount[1, 8](np.zeros(1))\n' > "$work/races.gpa"
check "Numba's simulator"          1 '' '*race in kernel count: thread (1, 0, 0) of block (0, 0, 0)*line 4*' \
    env -u GPA_DEVICE NUMBA_ENABLE_CUDASIM=1 "$GPA" "$work/races.gpa"
check "the device by environment"  0 '285\n' '' env GPA_DEVICE=ref "$GPA" -c 'print((arange(10) ** 2).sum())'
check "a device that is not there" 2 '' '*nosuch*' "$GPA" --device nosuch -c 'print(arange(3) + 1)'
check "compiled programs on disk"  0 "*/cache: 0 programs, 0 bytes of at most 256 MiB*" '' \
    env GPA_CACHE_DIR="$work/cache" "$GPA" --cache info
check "their removal"              0 "*/cache: removed 0 programs, 0 bytes\n" '' \
    env GPA_CACHE_DIR="$work/cache" "$GPA" --cache clear
check "neither of them"            2 '' '*--cache*info|clear*' "$GPA" --cache
check "the plan of a program"      0 '?*' '*' "$GPA" --explain -c 'a = arange(1000.0); print((a * 2 + 1).sum())'

# The user's folder: by $HOME, and by the system's list of users where there is none.
folder='import os; print(os.path.expanduser("~"), os.path.expanduser("~/x"))'
for home in HOME=/h/ HOME=/ HOME= --unset=HOME; do
    check "the user's folder, $home" 0 "$(env "$home" "$PYTHON" -c "$folder")\n" '' env "$home" "$GPA" -c "$folder"
done

# What is flushed is seen while the program runs.
for flush in 'print("seen", flush=True)' 'import sys; print("seen"); sys.stdout.flush()' \
    'import sys; print("seen", file=sys.stdout, flush=True)'; do
    start "$GPA" -c "$flush
while True: pass"
    until_says "$work/out" .
    kill -KILL $pid; end
    equal "$flush" "$(cat "$work/out")" seen
done

# Ctrl-C: within half a second on an idle machine (tests run concurrently), status 130, and the report says so.
limit=2000; case $B in *asan* | *stress* | *cov*) limit=5000 ;; esac
stops() {
    start "$GPA" --device "$2" -c "print('begun', flush=True)"$'\n'"$3"
    until_says "$work/out" begun
    sleep 0.7
    since=$(date +%s%N)
    kill -INT $pid; end
    took=$(ms "$since")
    if [ $status = 130 ] && [ "$took" -lt $limit ] && grep -q KeyboardInterrupt "$work/err"; then passed "an interrupt $1"
    else failed "an interrupt $1: status $status after $took ms" "$work/err"; fi
}
default=${GPA_DEVICE:-cpu}; [ $default != cpu ] || [ -e "$B/gpa-cpu.so" ] || default=ref
stops "of a loop"                      $default 'while True: pass'
stops "of a loop in the library"       $default 'max(range(10 ** 13))'
stops "of a list that grows"           $default 'list(map(str, range(10 ** 10)))'
stops "of a long sort"                 $default $'x = [3, 1, 2] * 500000\nwhile True: sorted(x)'
stops "of a sort of an array"          $default $'a = arange(10 ** 7) * 7919 % 1000003\nwhile True: sort(a)'
stops "of programs in a loop"          $default $'a = ones(10 ** 6)\nwhile True: a = sin(a) + 1'
stops "of a product"                   $default $'a = arange(4000000).reshape(2000, 2000)\nwhile True: a @ a'
stops "of the reference device"        ref      'print(exp(sin(ones(10 ** 8))).sum())'
finish
