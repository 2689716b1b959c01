# What the host does around a GPU, with stand-ins for NVIDIA's driver and compiler (tests/stub): start-up, which libraries
# are loaded when, compiled programs on disk, several GPUs, faults, Ctrl-C. Programs compute nothing there.
. tests/checks.sh
[ -e "$B/tests/stub/lib64/libcuda.so.1" ] && [ -e "$B/gpa-cuda.so" ] || skip "no stand-ins for the driver"
workspace gpu_stub
stub=$(realpath "$B")/tests/stub
export CUDA_PATH=$stub LD_LIBRARY_PATH=$stub/lib64 GPA_DEVICE=cuda
export GPA_CACHE_DIR=$work/cache STUB_CUDA_LOG=$work/log STUB_CUDA_GO=$work/go
export GPA_CUDA_INTERPRET=never # what is compiled is counted
unset CUDA_HOME GPA_CACHE_SHARED GPA_MEMORY_LIMIT
case $B in *asan* | *stress*) export LD_PRELOAD= ;; esac

# gpa SETTINGS CODE: output, errors too; the stub's log is new. begin: the same in the background.
gpa() { : > "$work/log"; STUB_CUDA=$1 timeout -k 5 60 "$GPA" -c "$2" 2>&1; }
log() { tr '\n' ' ' < "$work/log"; }
begin() { : > "$work/log"; rm -f "$work/go"; STUB_CUDA=$1 start "$GPA" -c "$2"; }

libraries='print([n for n in ["libcuda", "libnvrtc", "libcublas"] if n in open("/proc/self/maps").read()])'
add='a = np.array([1.0, 2.0]); float((a + 1)[0])'

# Devices.
equal "an array goes there and comes back" "$(gpa "" 'a = np.array([1.0, 2.0]); print(a, a.device)')" '[1. 2.] cuda:0'
contains "devices are listed" "$(STUB_CUDA="count=2 cc=86" "$GPA" --devices)" 'cuda:1: Stub GPU B, compute 8.6, 1.0 GiB'
contains "an old GPU is refused, with why" "$(STUB_CUDA="cc=70" "$GPA" --devices)" \
    'compute capability 7.0: 7.5 or later is needed'
equal "arrays on two GPUs" "$(gpa "count=2" '
a = np.array([1, 2])
b = a.to("cuda:1")
with device("cuda:1"): c = np.array([5, 6])
print(a.device, b.device, c.device, b, c, c.to("cuda:0"), b.get(), device("cuda:1").mem_info[1])')" \
    'cuda:0 cuda:1 cuda:1 [1 2] [5 6] [5 6] [1 2] 1073741824'
equal "from one GPU to another, and back" "$(gpa "count=2" '
a = np.array([1.0, 2.0])
b = a.to("cuda:1")
c = b.to("cuda:0")
print(b, c, c.device)') $(log)" '[1. 2.] [1. 2.] cuda:0 device 0 reaches device 1 reaches peer 16 peer 16 '
contains "a GPU too many" "$(gpa "count=2" 'device("cuda:2")')" 'cuda:2: there are 2 cuda devices'
contains "no GPU by name" "$(gpa "count=0" 'np.empty(3)')" 'the driver sees no GPU'
equal "no GPU by default" "$(GPA_DEVICE= gpa "count=0" 'print(np.ones(3).device in ("cpu", "ref"))')" True

# The device's own clock: a program takes 250 µs there.
contains "%timeit tells the GPU's time" "$(gpa "" 'a = np.array([1.0, 2.0])
%timeit -n 3 -r 1 a + 1')" $'\ncuda:0: 250 μs in 1 launch, 32 bytes, 128 kB/s per loop'
equal "-o keeps it" "$(gpa "" 'a = np.array([1.0, 2.0])
r = %timeit -n 3 -r 1 -o -q a + 1
print(r.device_time)')" 0.00025
contains "%prun tells it" "$(gpa "" 'a = np.array([1.0, 2.0])
%prun a + 1')" '       1    250 μs 100.0%  32 bytes   128 kB/s  linear: array float64 (2,) = a + 1'

# Programs: compiled once, and the compiler is loaded for nothing else.
rm -rf "$GPA_CACHE_DIR"
compiled="['libcuda', 'libnvrtc'] nvrtc compile compute_90 load ptx " cached="['libcuda'] load ptx "
equal "the first time"                   "$(gpa "" "$add; $libraries") $(log)" "$compiled"
equal "the compiler is not loaded again" "$(gpa "" "$add; $libraries") $(log)" "$cached"
for f in "$GPA_CACHE_DIR"/*.program; do printf x >> "$f"; done
equal "damage is mended"                 "$(gpa "" "$add; $libraries") $(log)" "$compiled"
equal "and only once"                    "$(gpa "" "$add; $libraries") $(log)" "$cached"

GPA_CACHE_SHARED=$GPA_CACHE_DIR GPA_CACHE_DIR=$work/empty
export GPA_CACHE_SHARED GPA_CACHE_DIR
equal "programs of a shared folder" \
    "$(gpa "" "$add; $libraries") $(log) $(ls "$GPA_CACHE_DIR" 2> /dev/null | wc -l)" "$cached 0"
mkdir -p "$work/driver"
cp "$stub/lib64/libcuda.so.1" "$work/driver"
contains "which need no compiler" \
    "$(CUDA_PATH=$work/nowhere LD_LIBRARY_PATH=$work/driver HOME=$work gpa "" "$add; $libraries")" libcuda
GPA_CACHE_DIR=$GPA_CACHE_SHARED; unset GPA_CACHE_SHARED

first='x = np.arange(6.0); y = np.ones((3, 4)); float(x[0] + y[0, 0])'
several="$first
a = np.sin(x); b = np.exp(y) * 2; c = np.cumsum(x[:5] * 3)
for k in range(1): pass
print(1)"
gpa "" "$first"
equal "new programs of a cell at the same time" \
    "$(gpa "together=2" "$several") $(grep -c compile "$work/log") compiled, $(grep -c alone "$work/log") alone" \
    "1 3 compiled, 0 alone"
equal "and on disk for the next time" "$(gpa "" "$several") $(log)" "1 load ptx load ptx load ptx load ptx load ptx "

# SETTINGS of the stub, and what the driver and the compiler are asked for.
newer="nvrtc=13010 version=13010"
while IFS='|' read -r name settings calls; do
    touch "$stub/lib64/libnvrtc.so.13" # so that its version is asked for again
    equal "$name" "$(gpa "$settings" "$add") $(log)" " nvrtc $calls "
done << END
another version of the compiler|$newer|compile compute_90 load ptx
another architecture|cc=80 $newer|compile compute_80 load ptx
a GPU that the compiler knows not|cc=120 $newer|compile compute_100 load ptx
an older driver gets machine code|version=12040|compile sm_90 load cubin
one that refuses PTX, too|no-ptx nvrtc=12080|compile compute_90 load ptx compile sm_90 load cubin
END

# Start-up: only what needs the driver waits for it; here it comes up when there is a file.
unset GPA_DEVICE
rm -f "$work/go"
equal "a program without arrays" "$(gpa "held-init" 'print(1)')" 1
case $B in *release*)
    equal "one that imports numpy and leaves" "$(gpa "held-init" 'import numpy as np; print(np.pi > 3)')" True ;;
esac
equal "the driver comes up meanwhile" "$(gpa "held-init" '
import numpy as np, os, time
while "held" not in open(os.environ["STUB_CUDA_LOG"]).read(): time.sleep(0.02)
open(os.environ["STUB_CUDA_GO"], "w").close()
print(np.array([1]).device)')" cuda:0
case $B in *release*)
    begin "held-init" 'print("begun", flush=True)
np.array([1.0])'
    until_says "$work/out" begun; sleep 0.3; kill -INT $pid; end
    contains "Ctrl-C while it does" "$(cat "$work/out")" KeyboardInterrupt ;;
esac

# Ctrl-C.
export GPA_DEVICE=cuda
begin "endless" 'a = np.array([1.0]) + 1; print(a)'
until_says "$work/log" endless; sleep 0.3; since=$(date +%s%N); kill -INT $pid; end
at_most "Ctrl-C of what never ends: milliseconds" "$(ms "$since")" 3000
contains "it is an error" "$(cat "$work/out")" KeyboardInterrupt
equal "leaving does not hang, either" "$(grep -c hangs "$work/log")" 0
begin "held-load" 'a = np.array([1.0])
try: (a + 1)[0].item()
except KeyboardInterrupt: print("stopped")'
until_says "$work/log" held-load; kill -INT $pid; sleep 2.2; kill -INT $pid
until_says "$work/out" answer; touch "$work/go"; end
equal "a driver that does not answer Ctrl-C" "$(cat "$work/out")" '
The call that is running does not answer Ctrl-C. Ctrl-\ ends the process.
stopped'

# A program that does not end: the wait is given up, nothing else waits for it, %gpu reset makes a new context.
begin "endless" '
def waits(n, what):
    try: print("wait", n, flush=True); print(what())
    except KeyboardInterrupt: print("stopped", flush=True)
a = np.array([1.0]) + 1
waits(1, lambda: a)
print(1 + 1)
waits(2, lambda: np.array([2.0]))
waits(3, lambda: a.tolist())
%gpu reset
print(np.array([3.0]), np.array([3.0]).device)'
for i in 1 2 3; do until_says "$work/out" "wait $i"; sleep 0.3; kill -INT $pid; done
end
equal "Ctrl-C gives up the wait, %gpu reset the device" "$(grep -v wait "$work/out")" 'stopped
2
stopped
stopped
128 bytes given back; arrays hold 0 bytes
The device had been given up; cuda:0 is initialized again.
[3.] cuda:0'
equal "and nothing hangs in the driver" "$(grep -c hangs "$work/log") $(grep context "$work/log")" "0 context 0"

# Memory.
out=$(gpa "memory=60000000" '
big = np.empty(10 ** 6)
small = np.empty(2000)
gone = np.empty(10 ** 6)
del gone
c = np.empty(10 ** 8)')
while IFS='|' read -r name part; do contains "out of memory: $name" "$out" "$part"; done << 'END'
what was asked for|MemoryError: Unable to allocate 763. MiB for an array with shape (100000000,) and data type float64
what is free| free of 57.2 MiB
what is cached|, 8.00 MiB cached, 
the largest names|largest: big 7.63 MiB, small 15.6 KiB
what could be done|`del big` gives its memory back
END
contains "a limit" "$(GPA_MEMORY_LIMIT=10% gpa "memory=60000000" 'a = np.empty(10 ** 6)')" \
    'limit 5.72 MiB (GPA_MEMORY_LIMIT)'
equal "blocks are used again" "$(gpa "memory=60000000" '
for i in range(50): a = np.empty(10 ** 6); b = np.empty(10 ** 6 + i * 1000)
print(1)')" 1
equal "and in other sizes" "$(gpa "memory=60000000" '
for i in range(1, 8): a = np.empty(10 ** 6 * i); a = None
print(1)')" 1

# Faults.
fault='
a = np.array([1.0, 2.0]); b = np.array([3.0, 4.0]); h = np.array([7.0, 8.0]).to("ref")
try: print((a + 1)[0].item())
except RuntimeError as e: print(e)
try: print(b[0].item())
except RuntimeError as e: print(e)
print(h, np.array([4.0, 5.0]), device())'
out=$(gpa "fault=1" "$fault")
contains "a fault is an error"        "$out" 'an illegal memory access was encountered'
contains "arrays that were lost"      "$out" 'the elements of this array were lost when cuda:0 failed'
contains "everything else goes on"    "$out" "[7. 8.] [4. 5.] device('cuda:0')"
contains "the context was made again" "$(log)" reset
equal "kernels from before are loaded again" "$(gpa "fault=3" '
from numba import cuda
@cuda.jit
def k(x): x[cuda.grid(1)] = 1
d = np.zeros(4)
k[1, 4](d)
try: (np.array([1.0]) + 1)[0].item()
except RuntimeError: print("fault")
d = np.zeros(4)
k[1, 4](d)
print(len(d.tolist()), d.device)')" 'fault
4 cuda:0'
contains "a process that gets no other context" "$(gpa "fault=1 dead" "$fault")" "[7. 8.] [4. 5.] device('"
contains "goes on on another device" "$(gpa "fault=1 dead" "$fault
print(device().name != 'cuda:0')")" True
contains "and says why" "$(gpa "fault=1 dead" 'a = np.array([1.0]) + 1; print(a)')" 'cuda:0 is lost to this session'
finish
