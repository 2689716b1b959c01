#!/bin/bash
# A number of threads that is none is an error, whoever chose the device; it is not replaced by another number or device.
[ -e "$B/gpa-cpu.so" ] || { echo "skip - no CPU device"; exit 0; }
bad=0
check() { # name, what is expected, what came
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# %s\n' "expected $2" "got $3"; bad=1; fi
}
for n in zz 0 -3 2x 4097; do
    said=$(GPA_NUM_THREADS=$n "$GPA" --device cpu -c 'print(ones(2) + 1)' 2>&1 | head -1)
    check "'$n' threads" "ValueError: GPA_NUM_THREADS: '$n' is not a number of threads (1 to 4096)" "$said"
done
check "no number: as many as there are" "[2. 2.]" "$(GPA_NUM_THREADS='' "$GPA" --device cpu -c 'print(ones(2) + 1)' 2>&1)"
case $("$GPA" --devices 2>&1 | head -1) in
cuda:*[0-9]\ *GiB*) ;; # the default is a GPU, which has no such number
*) check "the device that was chosen" "ValueError: GPA_NUM_THREADS: 'zz' is not a number of threads (1 to 4096)" \
       "$(env -u GPA_DEVICE GPA_NUM_THREADS=zz "$GPA" -c 'print(ones(2) + 1)' 2>&1 | head -1)" ;;
esac
exit $bad
