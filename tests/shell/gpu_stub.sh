# What the host does around a GPU, with stand-ins for NVIDIA's driver and compiler (tests/stub): start-up, which libraries
# are loaded when, compiled programs on disk, several GPUs, faults, Ctrl-C. Programs compute nothing there.
root=$(realpath "$B") work=$(realpath "$B")/test/gpu_stub; rm -rf "$work"; mkdir -p "$work"
[ -e "$B/tests/stub/lib64/libcuda.so.1" ] && [ -e "$B/gpa-cuda.so" ] || { echo "skip - no stand-ins for the driver"; exit 0; }
export GPA_CUDA_INTERPRET=never # what is compiled is looked at
export CUDA_PATH=$root/tests/stub LD_LIBRARY_PATH=$root/tests/stub/lib64 GPA_DEVICE=cuda GPA_CACHE_DIR=$work/cache STUB_CUDA_LOG=$work/log STUB_CUDA_GO=$work/go
unset CUDA_HOME GPA_CACHE_SHARED GPA_MEMORY_LIMIT
case $B in *asan* | *stress*) export LD_PRELOAD= ;; esac
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
has() { if [[ $2 == *"$3"* ]]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# without: %s\n' "$2" "$3"; bad=1; fi; }
# gpa WORDS CODE: output, errors too; the log begins anew
gpa() { : > "$work/log"; STUB_CUDA=$1 timeout -k 5 60 "$GPA" -c "$2" 2>&1; }
log() { tr '\n' ' ' < "$work/log"; }
# begin WORDS CODE: the same behind, as $pid; output in a file. Nothing is interrupted before it says that it is where it should be.
begin() {
    : > "$work/log"; : > "$work/out"; rm -f "$work/go"
    STUB_CUDA=$1 "$GPA" -c "$2" > "$work/out" 2>&1 & pid=$!
    (sleep 60; kill -9 $pid) > /dev/null 2>&1 & guard=$!
}
until_says() { until grep -q -- "$2" "$work/$1" || ! kill -0 $pid 2> /dev/null; do sleep 0.05; done; } # FILE TEXT
end() { wait $pid; kill $guard; } 2> /dev/null
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
first='x = np.arange(6.0); y = np.ones((3, 4)); float(x[0] + y[0, 0])'
several=$first$'\na = np.sin(x); b = np.exp(y) * 2; c = np.cumsum(x[:5] * 3)\nfor k in range(1): pass\nprint(1)'
gpa "" "$first"
ok "new programs of a cell side by side" "$(gpa "together=2" "$several") $(grep -c compile "$work/log") compiled, $(grep -c alone "$work/log") alone" "1 3 compiled, 0 alone"
ok "and on disk for the next time"      "$(gpa "" "$several") $(log)" "1 load ptx load ptx load ptx load ptx load ptx "
ok "another version of the compiler"    "$(touch "$CUDA_PATH/lib64/libnvrtc.so.13"; gpa "nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_90 load ptx "
ok "another architecture"               "$(gpa "cc=80 nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_80 load ptx "
ok "a GPU that the compiler knows not"  "$(gpa "cc=120 nvrtc=13010 version=13010" "$add") $(log)" " nvrtc compile compute_100 load ptx "
touch "$CUDA_PATH/lib64/libnvrtc.so.13"
ok "an older driver gets machine code"  "$(gpa "version=12040" "$add") $(log)" " nvrtc compile sm_90 load cubin "
touch "$CUDA_PATH/lib64/libnvrtc.so.13"
ok "one that refuses PTX, too"          "$(gpa "no-ptx nvrtc=12080" "$add") $(log)" " nvrtc compile compute_90 load ptx compile sm_90 load cubin "

# start-up: nobody waits for a driver that he does not need; here it comes up when there is a file
ms() { echo $((($(date +%s%N) - $1) / 1000000)); }
quick() { if [ "$2" -lt "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2 ms"; bad=1; fi; }
unset GPA_DEVICE
rm -f "$work/go"
ok "a program without arrays" "$(gpa "held-init" 'print(1)')" 1
case $B in *release*) ok "one that imports numpy and leaves" "$(gpa "held-init" 'import numpy as np; print(np.pi > 3)')" True ;; esac
ok "the driver comes up meanwhile" "$(gpa "held-init" $'import numpy as np, os, time\nwhile "held" not in open(os.environ["STUB_CUDA_LOG"]).read(): time.sleep(0.02)
open(os.environ["STUB_CUDA_GO"], "w").close()\nprint(np.array([1]).device)')" cuda:0
case $B in *release*)
    begin "held-init" $'print("begun", flush=True)\nnp.array([1.0])'; until_says out begun; sleep 0.3; kill -INT $pid; end
    has "Ctrl-C while it does" "$(cat "$work/out")" KeyboardInterrupt ;;
esac
export GPA_DEVICE=cuda
begin "endless" 'a = np.array([1.0]) + 1; print(a)'; until_says log endless; sleep 0.3; t=$(date +%s%N); kill -INT $pid; end
quick "Ctrl-C of what never ends is soon" "$(ms "$t")" 3000
has "and says so" "$(cat "$work/out")" KeyboardInterrupt
ok "leaving does not hang, either" "$(grep -c hangs "$work/log")" 0
begin "held-load" $'a = np.array([1.0])\ntry: (a + 1)[0].item()\nexcept KeyboardInterrupt: print("stopped")'
until_says log held-load; kill -INT $pid; sleep 2.2; kill -INT $pid; until_says out answer; touch "$work/go"; end
ok "a driver that does not answer Ctrl-C" "$(cat "$work/out")" $'\nThe call that is running does not answer Ctrl-C. Ctrl-\\ ends the process.\nstopped'

# a program that does not end: the wait is given up, nothing waits without need, the GPU can be had afresh
stuck=$'def waits(n, what):\n    try: print("wait", n, flush=True); print(what())\n    except KeyboardInterrupt: print("stopped", flush=True)
a = np.array([1.0]) + 1\nwaits(1, lambda: a)\nprint(1 + 1)\nwaits(2, lambda: np.array([2.0]))\nwaits(3, lambda: a.tolist())\n%gpu reset\nprint(np.array([3.0]), np.array([3.0]).device)'
begin "endless" "$stuck"
for i in 1 2 3; do until_says out "wait $i"; sleep 0.3; kill -INT $pid; done
end
ok "Ctrl-C gives up, %gpu reset gives the device up" "$(grep -v wait "$work/out" | tr '\n' ' ')" 'stopped 2 stopped stopped 128 bytes given back; arrays hold 0 bytes The device had been given up; cuda:0 is initialized again. [3.] cuda:0 '
ok "and nothing hangs in the driver"                 "$(grep -c hangs "$work/log") $(grep context "$work/log")" "0 context 0"

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
