# compute-sanitizer over a selection of programs that reach every template: memory, races, reads of what was never written,
# barriers.
tool=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2> /dev/null | tail -n 1)
[ "$tool" ] || { echo "skip - no compute-sanitizer"; exit 0; }
mkdir -p "$OUT/sanitize"
bad=0
check() {
    log=$OUT/sanitize/$1
    timeout -k 5 280 "$tool" --tool "$1" --error-exitcode 99 --print-limit 20 "$GPA" tests/gpu/selection.gpa > "$log" 2>&1
    status=$?
    if [ $status = 0 ] && grep -q '^all of it$' "$log"; then echo "ok - $1"
    else echo "not ok - $1: status $status"; grep -v '^ok' "$log" | head -n 40 | sed 's/^/# /'; return 1; fi
}
for which in memcheck racecheck initcheck synccheck; do check $which & pids+=($!); done
for pid in "${pids[@]}"; do wait "$pid" || bad=1; done
exit $bad
