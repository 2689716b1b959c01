# An invalid GPA_NUM_THREADS is an error, whether the device was named or chosen; no other number or device replaces it.
. tests/checks.sh
[ -e "$B/gpa-cpu.so" ] || skip "no CPU device"
add='print(ones(2) + 1)'
for n in zz 0 -3 2x 4097; do
    equal "'$n' threads" "$(GPA_NUM_THREADS=$n "$GPA" --device cpu -c "$add" 2>&1 | head -1)" \
        "ValueError: GPA_NUM_THREADS: '$n' is not a number of threads (1 to 4096)"
done
equal "no number: as many as there are" "$(GPA_NUM_THREADS='' "$GPA" --device cpu -c "$add" 2>&1)" "[2. 2.]"
case $("$GPA" --devices 2>&1 | head -1) in
cuda:*[0-9]\ *GiB*) ;; # the default is a GPU, which has no such number
*) equal "the device that was chosen" "$(env -u GPA_DEVICE GPA_NUM_THREADS=zz "$GPA" -c "$add" 2>&1 | head -1)" \
    "ValueError: GPA_NUM_THREADS: 'zz' is not a number of threads (1 to 4096)" ;;
esac
finish
