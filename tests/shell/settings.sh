#!/bin/bash
# A variable of the environment that cannot be read is said at start; the program does not go on as if it were not there.
bad=0
check() { # name, what is expected, what came
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# %s\n' "expected $2" "got $3"; bad=1; fi
}
refused() { # VARIABLE=VALUE, the sentence
    check "$1" "gpa: ValueError: $2 2" "$(env "$1" "$GPA" -c 'print(1)' 2>&1) $(env "$1" "$GPA" -c 1 > /dev/null 2>&1; echo $?)"
}
for v in GPA_MEMORY_LIMIT GPA_CACHE_LIMIT; do
    for amount in much -1 4X 0; do refused "$v=$amount" "$v: '$amount' is not an amount of memory"; done
    for amount in 512M 2e9 4GiB ''; do check "$v=$amount is one" 1 "$(env "$v=$amount" "$GPA" -c 'print(1)' 2>&1)"; done
done
refused GPA_MEMORY_LIMIT=101% "GPA_MEMORY_LIMIT: '101%' is not an amount of memory"
refused GPA_CACHE_LIMIT=25% "GPA_CACHE_LIMIT: '25%' is not an amount of memory"
check "a share of the memory" 1 "$(GPA_MEMORY_LIMIT=25% "$GPA" -c 'print(1)' 2>&1)"
check "a device" "gpa: ValueError: unknown device 'gpu'" "$(GPA_DEVICE=gpu "$GPA" -c 'print(1)' 2>&1)"
check "an unknown theme is said, and another taken" "gpa: GPA_THEME: 'pink' is not light, dark or neutral
1" "$(GPA_THEME=pink "$GPA" -c 'print(1)' 2>&1)"
check "a theme" 1 "$(GPA_THEME=dark "$GPA" -c 'print(1)' 2>&1)"
exit $bad
