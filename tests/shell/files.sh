#!/bin/bash
# Files that cannot be written whole: the limit on the size of files stands in for a full disk. What replaces a file leaves the
# old one as it was, and no other file.
work=$B/test/files; rm -rf "$work"; mkdir -p "$work"; cd "$work" || exit 1
cat > save.gpa <<'END'
import numpy as np
import matplotlib.pyplot as plt
noise = np.random.default_rng(1).random((200, 200))
plt.plot(noise[0])
for name, save in (
    ("a.npy", lambda: np.save("a.npy", noise)),
    ("a.txt", lambda: np.savetxt("a.txt", noise)),
    ("a.npz", lambda: np.savez("a.npz", noise)),
    ("b.npz", lambda: np.savez_compressed("b.npz", noise)),
    ("a.svg", lambda: plt.savefig("a.svg")),
    ("a.png", lambda: plt.savefig("a.png", dpi=600)),
    ("b.png", lambda: plt.imsave("b.png", noise)),
):
    try:
        save()
        print(name, "saved")
    except OSError as error:
        print(name, "File too large" in str(error))
END
names="a.npy a.txt a.npz b.npz a.svg a.png b.png"
for name in $names; do echo old > $name; done
(ulimit -f 8; "$GPA" --device ref save.gpa > out 2> err); status=$?
bad=0
for name in $names; do
    case $name in *.svg | a.png) command -v gnuplot > /dev/null || { echo "skip - $name: gnuplot is missing"; continue; } ;; esac
    if grep -q "^$name True" out && [ "$(cat $name)" = old ]; then echo "ok - $name"
    else echo "not ok - $name"; grep "^$name" out | sed 's/^/# /'; head -c 40 $name | tr -cd '[:print:]' | sed 's/^/# /'; bad=1; fi
done
if [ $status = 0 ]; then echo "ok - the session goes on"; else echo "not ok - status $status"; sed 's/^/# /' err; bad=1; fi
left=$(ls -A | grep -vxF "$(printf '%s\n' $names save.gpa out err)")
if [ -z "$left" ]; then echo "ok - no temporary files are left"; else echo "not ok - left: $left"; bad=1; fi
exit $bad
