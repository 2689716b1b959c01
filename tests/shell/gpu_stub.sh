# What the host does around a GPU, with stand-ins for NVIDIA's driver and compiler (tests/stub): start-up, which libraries
# are loaded when, compiled programs on disk, several GPUs, faults, Ctrl-C. Programs compute nothing there.
root=$(realpath "$B") work=$(realpath "$B")/test/gpu_stub; rm -rf "$work"; mkdir -p "$work"
[ -e "$B/tests/stub/lib64/libcuda.so.1" ] && [ -e "$B/gpa-cuda.so" ] || { echo "skip - no stand-ins for the driver"; exit 0; }
export GPA_CUDA_INTERPRET=never # what is compiled is looked at
export CUDA_PATH=$root/tests/stub LD_LIBRARY_PATH=$root/tests/stub/lib64 GPA_DEVICE=cuda GPA_CACHE_DIR=$work/cache STUB_CUDA_LOG=$work/log
unset CUDA_HOME GPA_CACHE_SHARED GPA_MEMORY_LIMIT
case $B in *asan* | *stress*) export LD_PRELOAD= ;; esac
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
has() { if [[ $2 == *"$3"* ]]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# without: %s\n' "$2" "$3"; bad=1; fi; }
# gpa WORDS CODE: output, errors too; the log begins anew
gpa() { : > "$work/log"; STUB_CUDA=$1 timeout -k 5 60 "$GPA" -c "$2" 2>&1; }
log() { tr '\n' ' ' < "$work/log"; }
libraries='print([n for n in ["libcuda", "libnvrtc", "libcublas"] if n in open("/proc/self/maps").read()])'
add='a = np.array([1.0, 2.0]); float((a + 1)[0])'

# devices
ok "an array goes there and comes back" "$(gpa "" 'a = np.array([1.0, 2.0]); print(a, a.device)')" '[1. 2.] cuda:0'
has "devices are listed"                "$(STUB_CUDA="count=2 cc=86" "$GPA" --devices)" 'cuda:1: Stub GPU B, compute 8.6, 1.0 GiB'
has "an old GPU is refused, with why"   "$(STUB_CUDA="cc=70" "$GPA" --devices)" 'compute capability 7.0: 7.5 or later is needed'
ok "arrays on two GPUs"                 "$(gpa "count=2" $'a = np.array([1, 2]); b = a.to("cuda:1")\nwith device("cuda:1"): c = np.array([5, 6])
print(a.device, b.device, c.device, b, c, c.to("cuda:0"), b.get(), cp.cuda.Device(1).id if 0 else device("cuda:1").mem_info[1])')" 'cuda:0 cuda:1 cuda:1 [1 2] [5 6] [5 6] [1 2] 1073741824'
ok "from one GPU to another, and back"   "$(gpa "count=2" $'a = np.array([1.0, 2.0]); b = a.to("cuda:1"); c = b.to("cuda:0"); print(b, c, c.device)') $(log)" '[1. 2.] [1. 2.] cuda:0 device 0 reaches device 1 reaches peer 16 peer 16 '
has "a GPU too many"                    "$(gpa "count=2" 'device("cuda:2")')" 'cuda:2: there are 2 cuda devices'
has "no GPU by name"                    "$(gpa "count=0" 'np.empty(3)')" 'the driver sees no GPU'
ok "no GPU by default"                  "$(GPA_DEVICE= gpa "count=0" 'print(np.ones(3).device in ("cpu", "ref"))')" True

# the device's own clock: a program takes 250 µs there
has "%timeit tells the GPU's time"      "$(gpa "" $'a = np.array([1.0, 2.0])\n%timeit -n 3 -r 1 a + 1')" $'\ncuda:0: 250 μs in 1 launch, 32 bytes, 128 kB/s per loop'
ok "-o keeps it"                        "$(gpa "" $'a = np.array([1.0, 2.0])\nr = %timeit -n 3 -r 1 -o -q a + 1\nprint(r.device_time)')" 0.00025
has "%prun tells it"                    "$(gpa "" $'a = np.array([1.0, 2.0])\n%prun a + 1')" '       1    250 μs 100.0%  32 bytes   128 kB/s  linear: array float64 (2,) = a + 1'

# programs: compiled once, and the compiler is loaded for nothing else
rm -rf "$GPA_CACHE_DIR"
ok "the first time"                     "$(gpa "" "$add; $libraries") $(log)" "['libcuda', 'libnvrtc'] nvrtc compile compute_90 load ptx "
ok "the compiler is not loaded again"   "$(gpa "" "$add; $libraries") $(log)" "['libcuda'] load ptx "
for f in "$GPA_CACHE_DIR"/*.program; do printf x >> "$f"; done
ok "damage is mended"                   "$(gpa "" "$add; $libraries") $(log)" "['libcuda', 'libnvrtc'] nvrtc compile compute_90 load ptx "
ok "and only once"                      "$(gpa "" "$add; $libraries") $(log)" "['libcuda'] load ptx "
GPA_CACHE_SHARED=$GPA_CACHE_DIR GPA_CACHE_DIR=$work/empty
export GPA_CACHE_SHARED GPA_CACHE_DIR
ok "programs of a shared folder"        "$(gpa "" "$add; $libraries") $(log) $(ls "$GPA_CACHE_DIR" 2> /dev/null | wc -l)" "['libcuda'] load ptx  0"
ok "which need no compiler"             "$(mkdir -p "$work/driver"; cp "$CUDA_PATH/lib64/libcuda.so.1" "$work/driver"; CUDA_PATH=$work/nowhere LD_LIBRARY_PATH=$work/driver HOME=$work gpa "" "$add; $libraries" | grep -c libcuda)" 1
GPA_CACHE_DIR=$GPA_CACHE_SHARED; unset GPA_CACHE_SHARED
several=$'x = np.arange(6.0); y = np.ones((3, 4)); float(x[0] + y[0, 0])
import time; t = time.perf_counter()
a = np.sin(x); b = np.exp(y) * 2; c = np.cumsum(x[:5] * 3)
for k in range(1): pass
print(time.perf_counter() - t < 1.4)'
ok "new programs of a cell side by side" "$(gpa "compiling=500" "$several")" True
ok "and on disk for the next time"      "$(gpa "compiling=500" "$several") $(log)" "True load ptx load ptx load ptx load ptx load ptx "
ok "another version of the compiler"    "$(touch "$CUDA_PATH/lib64/libnvrtc.so.13"; gpa "nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_90 load ptx "
ok "another architecture"               "$(gpa "cc=80 nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_80 load ptx "
ok "a GPU that the compiler knows not"  "$(gpa "cc=120 nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_100 load ptx "
touch "$CUDA_PATH/lib64/libnvrtc.so.13"
ok "an older driver gets machine code"  "$(gpa "version=12040" "$add") $(log)" " nvrtc compile sm_90 load cubin "
touch "$CUDA_PATH/lib64/libnvrtc.so.13"
ok "one that refuses PTX, too"          "$(gpa "no-ptx nvrtc=12080" "$add") $(log)" " nvrtc compile compute_90 load ptx compile sm_90 load cubin "

# start-up: nobody waits for a driver that he does not need
ms() { echo $((($(date +%s%N) - $1) / 1000000)); }
quick() { if [ "$2" -lt "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2 ms"; bad=1; fi; }
unset GPA_DEVICE
t=$(date +%s%N); gpa "slow=4000" 'print(1)' > /dev/null; quick "a program without arrays" "$(ms "$t")" 3000
t=$(date +%s%N); gpa "slow=4000" 'import numpy as np; print(np.pi)' > /dev/null
case $B in *release*) quick "one that imports numpy and leaves" "$(ms "$t")" 3000 ;; esac
t=$(date +%s%N); gpa "slow=1500" $'import numpy as np, time\ntime.sleep(1.5)\nnp.array([1]).device' > /dev/null; quick "the driver comes up meanwhile" "$(ms "$t")" 2900
t=$(date +%s%N); STUB_CUDA="slow=8000" timeout --preserve-status -s INT 0.7 "$GPA" -c 'np.array([1.0])' > /dev/null 2>&1
case $B in *release*) quick "Ctrl-C while it does" "$(ms "$t")" 3000 ;; esac
t=$(date +%s%N); out=$(STUB_CUDA="endless" timeout --preserve-status -k 9 -s INT 1.5 "$GPA" -c 'a = np.array([1.0]) + 1; print(a)' 2>&1); has "Ctrl-C of what never ends" "$out" KeyboardInterrupt
quick "which is soon" "$(ms "$t")" 4500
export GPA_DEVICE=cuda
STUB_CUDA="load=4500" "$GPA" -c $'a = np.array([1.0])\ntry: (a + 1)[0].item()\nexcept KeyboardInterrupt: print("stopped")' > "$work/out" 2>&1 & pid=$!
sleep 0.7; kill -INT $pid; sleep 2.9; kill -INT $pid; wait $pid
ok "a driver that does not answer Ctrl-C" "$(cat "$work/out")" $'\nThe call that is running does not answer Ctrl-C. Ctrl-\\ ends the process.\nstopped'

# a program that does not end: the wait is given up, nothing waits without need, the GPU can be had afresh
stuck=$'import time\ndef waits(what):\n    try: print(what())\n    except KeyboardInterrupt: print("stopped", end=" ")
a = np.array([1.0]) + 1\nwaits(lambda: a)\nprint(1 + 1)\nwaits(lambda: np.array([2.0]))\nwaits(lambda: a.tolist())\n%gpu reset\nprint(np.array([3.0]), np.array([3.0]).device)'
: > "$work/log"
STUB_CUDA="endless" "$GPA" -c "$stuck" > "$work/out" 2>&1 & pid=$!
(sleep 30; kill -9 $pid) 2> /dev/null & guard=$!
for i in 1 2 3; do sleep 0.8; kill -INT $pid; done
wait $pid; kill $guard
ok "Ctrl-C gives up, %gpu reset gives the device up" "$(tr '\n' ' ' < "$work/out")" 'stopped 2 stopped stopped 128 bytes given back; arrays hold 0 bytes The device had been given up; cuda:0 is there afresh. [3.] cuda:0 '
ok "and nothing hangs in the driver"                 "$(grep -c hangs "$work/log") $(grep context "$work/log")" "0 context 0"
t=$(date +%s%N); out=$(STUB_CUDA="endless" timeout --preserve-status -k 9 -s INT 1.5 "$GPA" -c 'a = np.array([1.0]) + 1; print(a)' 2>&1; grep -c hangs "$work/log")
ok "leaving does not, either" "${out##*$'\n'}" 0

# memory
out=$(gpa "memory=60000000" $'big = np.empty(10 ** 6)\nsmall = np.empty(2000)\ngone = np.empty(10 ** 6)\ndel gone\nc = np.empty(10 ** 8)')
has "no room"             "$out" 'MemoryError: Unable to allocate 763. MiB for an array with shape (100000000,) and data type float64'
has "what is free"        "$out" ' free of 57.2 MiB'
has "what is kept"        "$out" ", 8.00 MiB cached, "
has "who has it"          "$out" 'largest: big 7.63 MiB, small 15.6 KiB'
has "what could be done"  "$out" '`del big` gives its memory back'
has "a limit"             "$(GPA_MEMORY_LIMIT=10% gpa "memory=60000000" 'a = np.empty(10 ** 6)')" 'limit 5.72 MiB (GPA_MEMORY_LIMIT)'
ok "blocks are used again" "$(gpa "memory=60000000" $'for i in range(50): a = np.empty(10 ** 6); b = np.empty(10 ** 6 + i * 1000)\nprint(1)')" 1
ok "and in other sizes"    "$(gpa "memory=60000000" $'for i in range(1, 8): a = np.empty(10 ** 6 * i); a = None\nprint(1)')" 1

# faults
fault=$'a = np.array([1.0, 2.0]); b = np.array([3.0, 4.0]); h = np.array([7.0, 8.0]).to("ref")\ntry: print((a + 1)[0].item())\nexcept RuntimeError as e: print(e)
try: print(b[0].item())\nexcept RuntimeError as e: print(e)\nprint(h, np.array([4.0, 5.0]), device())'
out=$(gpa "fault=1" "$fault")
has "a fault is an error"           "$out" 'an illegal memory access was encountered'
has "what was lost says so"         "$out" 'the elements of this array were lost when cuda:0 failed'
has "everything else goes on"       "$out" "[7. 8.] [4. 5.] device('cuda:0')"
has "the context was made again"    "$(log)" reset
kernel=$'from numba import cuda\n@cuda.jit\ndef k(x): x[cuda.grid(1)] = 1\nd = np.zeros(4)\nk[1, 4](d)
try: (np.array([1.0]) + 1)[0].item()\nexcept RuntimeError: print("fault")\nd = np.zeros(4)\nk[1, 4](d)\nprint(len(d.tolist()), d.device)'
ok "kernels from before are loaded again" "$(gpa "fault=3" "$kernel")" $'fault\n4 cuda:0'
out=$(gpa "fault=1 dead" "$fault")
has "a process that gets no other"  "$out" "[7. 8.] [4. 5.] device('"
has "goes on elsewhere"             "$(gpa "fault=1 dead" "$fault"$'\nprint(device().name != "cuda:0")')" True
has "and says why"                  "$(gpa "fault=1 dead" $'a = np.array([1.0]) + 1; print(a)')" 'cuda:0 is lost to this session'
exit $bad
