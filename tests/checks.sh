# Helpers of the shell tests, which begin with `. tests/checks.sh` and end with `finish`. Each test prints `ok - NAME`, or
# `not ok - NAME` and its reasons.
bad=0
finish() { exit $bad; }
skip() { echo "skip - $1"; exit 0; }

# workspace NAME: an empty folder, as $work.
workspace() { work=$(realpath -m "$OUT/$1"); rm -rf "$work"; mkdir -p "$work"; }

# passed NAME, failed NAME [FILE ...]: the texts of the files are the reasons.
passed() { echo "ok - $1"; }
failed() { echo "not ok - $1"; bad=1; shift; [ $# = 0 ] || cat "$@" | sed 's/^/# /'; }

# verdict NAME STATUS [FILE ...]: passed if the status is 0.
verdict() { if [ "$2" = 0 ]; then passed "$1"; else failed "$1" "${@:3}"; fi; }

# equal NAME GOT EXPECTED
equal() {
    if [ "$2" = "$3" ]; then passed "$1"; else failed "$1" <(printf 'got: %s\nexpected: %s\n' "$2" "$3"); fi
}

# contains NAME GOT PART
contains() {
    if [[ $2 == *"$3"* ]]; then passed "$1"; else failed "$1" <(printf 'got: %s\nwithout: %s\n' "$2" "$3"); fi
}

# at_most NAME NUMBER LIMIT
at_most() { if [ "$2" -le "$3" ]; then passed "$1"; else failed "$1: $2, expected at most $3"; fi; }

# start COMMAND ...: a program in the background, as $pid, with its output in $work/out and its errors there too, or in the
# file $errors; it is killed after `seconds` (60). until_says FILE TEXT waits for a text, or the end of the program; `end` for
# the end, and sets $status. ms SINCE: milliseconds since a time in nanoseconds (date +%s%N).
start() {
    : > "$work/out"
    if [ "$errors" ]; then "$@" > "$work/out" 2> "$errors" & pid=$!; else "$@" > "$work/out" 2>&1 & pid=$!; fi
    (sleep "${seconds:-60}"; kill -9 $pid) > /dev/null 2>&1 & guard=$!
}
until_says() { until grep -qs -- "$2" "$1" || ! kill -0 $pid 2> /dev/null; do sleep 0.05; done; }
end() { wait $pid; status=$?; kill $guard; } 2> /dev/null
ms() { echo $((($(date +%s%N) - $1) / 1000000)); }
