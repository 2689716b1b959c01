# An invalid environment variable is an error at start; it is not ignored.
. tests/checks.sh

# refused VARIABLE=VALUE MESSAGE
refused() {
    equal "$1" "$(env "$1" "$GPA" -c 'print(1)' 2>&1)" "gpa: ValueError: $2"
    env "$1" "$GPA" -c 1 > /dev/null 2>&1
    equal "$1: status" $? 2
}
for v in GPA_MEMORY_LIMIT GPA_CACHE_LIMIT; do
    for amount in much -1 4X 0; do refused "$v=$amount" "$v: '$amount' is not an amount of memory"; done
    for amount in 512M 2e9 4GiB ''; do equal "$v=$amount is one" "$(env "$v=$amount" "$GPA" -c 'print(1)' 2>&1)" 1; done
done
refused GPA_MEMORY_LIMIT=101% "GPA_MEMORY_LIMIT: '101%' is not an amount of memory"
refused GPA_CACHE_LIMIT=25% "GPA_CACHE_LIMIT: '25%' is not an amount of memory"
equal "a share of the memory" "$(GPA_MEMORY_LIMIT=25% "$GPA" -c 'print(1)' 2>&1)" 1
equal "a device" "$(GPA_DEVICE=gpu "$GPA" -c 'print(1)' 2>&1)" "gpa: ValueError: unknown device 'gpu'"
equal "a theme" "$(GPA_THEME=dark "$GPA" -c 'print(1)' 2>&1)" 1
equal "an unknown theme is a warning" "$(GPA_THEME=pink "$GPA" -c 'print(1)' 2>&1)" \
    "gpa: GPA_THEME: 'pink' is not light, dark or neutral
1"
equal "unknown graphics are a warning" "$(GPA_GRAPHICS=braille "$GPA" -c 'print(1)' 2>&1)" \
    "gpa: GPA_GRAPHICS: 'braille' is not kitty, sixel, iterm, symbols or none
1"
equal "graphics" "$(GPA_GRAPHICS=none "$GPA" -c 'print(1)' 2>&1)" 1
finish
