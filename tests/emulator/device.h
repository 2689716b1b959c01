/* CUDA C as C++: definitions of what generated sources use, included before each program of the
 * emulator (nvrtc.c). A thread is a fiber (launch.c), which is preempted only in `wait`: no other
 * thread runs between two waits, so atomic operations are plain ones. */
#include <climits>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS /* half of the precompiled header, which every program loads */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tests/emulator/emulator.h"

static const emulator *emu;

/* Calls a kernel with the arguments of a launch. */
template <class... P, size_t... I>
static void emu_call(void (*kernel)(P...), void **args, std::index_sequence<I...>) {
    kernel(*(P *)args[I]...);
}
template <class... P>
static void emu_call(void (*kernel)(P...), void **args) {
    emu_call(kernel, args, std::index_sequence_for<P...>());
}

/* The sizes of its parameters, ended by 0. */
template <class... P>
static const size_t *emu_sizes(void (*)(P...)) {
    static const size_t sizes[] = {sizeof(P)..., 0};
    return sizes;
}

#define __device__
#define __global__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("shared")))
#define threadIdx (emu->now->thread)
#define blockIdx (emu->now->block)
#define blockDim (emu->now->block_size)
#define gridDim (emu->now->grid_size)

/* Dynamic shared memory: 227 KiB, the maximum of a GPU. */
alignas(16) unsigned char g_dynamic[EMULATOR_SHARED];
unsigned g_bins[EMULATOR_SHARED / sizeof(unsigned)];

static inline void __syncthreads() { emu->wait(EMULATOR_BLOCK); }
static inline void emu_wait_lanes(unsigned mask) {
    emu->now->mask = mask;
    emu->wait(EMULATOR_WARP);
}
static inline void __syncwarp(unsigned mask = ~0u) { emu_wait_lanes(mask); }
static inline int __syncthreads_count(int p) { return emu->count(p != 0); }
static inline int __syncthreads_or(int p) { return emu->count(p != 0) > 0; }
static inline int __syncthreads_and(int p) { return emu->count(p == 0) == 0; }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}

/* ---- warp operations; reading a lane that has ended gives the reader's own value ---- */

/* Publishes v to the lanes of the mask; returns the slot. A partial warp waits again after reading
 * (emu_looked). */
template <class T>
static int emu_show(unsigned mask, const T &v) {
    static_assert(sizeof v <= EMULATOR_SLOT, "a value of a lane");
    int which = mask == ~0u ? (int)(emu->now->exchanges++ & 1) : 2;
    memcpy(emu->slot(emu->now->lane, which), &v, sizeof v);
    emu_wait_lanes(mask);
    return which;
}
static inline void emu_looked(unsigned mask) {
    if (mask != ~0u) emu_wait_lanes(mask);
}
template <class T>
static T emu_exchange(unsigned mask, T v, int from) {
    int which = emu_show(mask, v);
    if (from >= 0 && from < 32 && ((mask == ~0u ? emu->givers() : emu->lanes()) & mask) >> from & 1)
        memcpy(&v, emu->slot(from, which), sizeof v);
    emu_looked(mask);
    return v;
}
template <class T>
static T __shfl_sync(unsigned m, T v, int from, int width = 32) {
    return emu_exchange(m, v, emu->now->lane / width * width + (from & (width - 1)));
}
template <class T>
static T __shfl_down_sync(unsigned m, T v, int by, int width = 32) {
    int from = emu->now->lane + by;
    return emu_exchange(m, v, from / width == emu->now->lane / width ? from : -1);
}
template <class T>
static T __shfl_up_sync(unsigned m, T v, int by, int width = 32) {
    int from = emu->now->lane - by;
    return emu_exchange(m, v, from >= emu->now->lane / width * width ? from : -1);
}
template <class T>
static T __shfl_xor_sync(unsigned m, T v, int mask, int = 32) {
    return emu_exchange(m, v, emu->now->lane ^ mask);
}
/* The lanes of the mask whose value satisfies `yes`. */
template <class T, class F>
static unsigned emu_lanes_where(unsigned mask, T v, F yes) {
    unsigned there = emu->lanes() & mask, found = 0;
    int which = emu_show(mask, v);
    for (int i = 0; i < 32; i++) {
        memcpy(&v, emu->slot(i, which), sizeof v);
        if (there >> i & 1 && yes(v)) found |= 1u << i;
    }
    emu_looked(mask);
    return found;
}
static inline unsigned __ballot_sync(unsigned m, int p) {
    return emu_lanes_where(m, p, [](int v) { return v != 0; });
}
template <class T>
static unsigned __match_any_sync(unsigned m, T v) {
    return emu_lanes_where(m, v, [=](T w) { return w == v; });
}
template <class T>
static unsigned __match_all_sync(unsigned m, T v, int *all) {
    unsigned same = __match_any_sync(m, v);
    *all = same == (emu->lanes() & m);
    return *all ? same : 0;
}
static inline int __any_sync(unsigned m, int p) { return __ballot_sync(m, p) != 0; }
static inline int __all_sync(unsigned m, int p) { return __ballot_sync(m, !p) == 0; }
static inline unsigned __reduce_max_sync(unsigned m, unsigned v) {
    unsigned most = 0;
    emu_lanes_where(m, v, [&](unsigned w) { return most = w > most ? w : most, true; });
    return most;
}
static inline unsigned __activemask() { return emu->lanes(); }

/* ---- atomic operations ---- */

template <class T, class F>
static T emu_update(T *p, T x, F f) {
    T old = *p;
    *p = f(old, x);
    return old;
}
#define EMU_ATOMIC(name, result)                                            \
    template <class T, class U>                                             \
    static T name(T *p, U v) {                                              \
        return emu_update(p, (T)v, [](T old, T x) { return (T)(result); }); \
    }
EMU_ATOMIC(atomicAdd, old + x)
EMU_ATOMIC(atomicSub, old - x)
EMU_ATOMIC(atomicMax, x > old ? x : old)
EMU_ATOMIC(atomicMin, x < old ? x : old)
EMU_ATOMIC(atomicExch, x)
EMU_ATOMIC(atomicAnd, old &x)
EMU_ATOMIC(atomicOr, old | x)
EMU_ATOMIC(atomicXor, old ^ x)
EMU_ATOMIC(atomicInc, old >= x ? 0 : old + 1)
EMU_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1)
template <class T, class U, class V>
static T atomicCAS(T *p, U expected, V v) {
    T old = *p;
    if (old == (T)expected) *p = (T)v;
    return old;
}

/* Cycles: a constant number between two reads. */
static inline long long clock64() {
    static long long now;
    return now += 1000;
}

/* ---- numbers ---- */

template <class To, class From>
static To emu_bits(From v) {
    static_assert(sizeof(To) == sizeof(From), "as wide");
    To x;
    memcpy(&x, &v, sizeof x);
    return x;
}
static inline float __uint_as_float(unsigned v) { return emu_bits<float>(v); }
static inline float __int_as_float(int v) { return emu_bits<float>(v); }
static inline unsigned __float_as_uint(float v) { return emu_bits<unsigned>(v); }
static inline int __float_as_int(float v) { return emu_bits<int>(v); }
static inline double __longlong_as_double(long long v) { return emu_bits<double>(v); }
static inline long long __double_as_longlong(double v) { return emu_bits<long long>(v); }
static inline int __double2hiint(double v) { return (int)(emu_bits<long long>(v) >> 32); }
static inline int __double2loint(double v) { return (int)emu_bits<long long>(v); }
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline float emu_from_half(unsigned short h) { return (float)emu_bits<_Float16>(h); }
template <class T>
static unsigned short emu_to_half(T v) {
    return emu_bits<unsigned short>((_Float16)v);
}

/* ---- tensor cores: the functions of runtime/cuda/lib/tensor_core.cuh ---- */

#define EMULATED_TENSOR_CORE
template <bool bfloat>
static float emu_from_16(unsigned bits) {
    return bfloat ? emu_bits<float>(bits << 16) : emu_from_half((unsigned short)bits);
}
template <bool bfloat>
static unsigned emu_to_16(float v) {
    if (!bfloat) return emu_to_half(v);
    const unsigned bits = emu_bits<unsigned>(v);
    return v != v ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static inline unsigned shared_address(const void *p) {
    return (unsigned)((const unsigned char *)p - g_dynamic);
}
static inline void copy_async_16(unsigned to, const void *from, int bytes) {
    memset(g_dynamic + to, 0, 16);
    memcpy(g_dynamic + to, from, (size_t)bytes);
}
static inline void copy_async_commit() {}
template <int pending>
static void copy_async_wait() {}
static inline void store_shared_16bit(unsigned to, unsigned short value) {
    memcpy(g_dynamic + to, &value, sizeof value);
}
static inline unsigned emu_row(int lane, int which) {
    unsigned address;
    memcpy(&address, emu->slot(lane, which), sizeof address);
    return address;
}
static inline void load_matrices(unsigned (&r)[4], unsigned address) {
    const int which = emu_show(~0u, address), lane = emu->now->lane;
    for (int i = 0; i < 4; i++)
        memcpy(&r[i], g_dynamic + emu_row(8 * i + lane / 4, which) + lane % 4 * 4, 4);
}
static inline void load_matrices_transposed(unsigned (&r)[4], unsigned address) {
    const int which = emu_show(~0u, address), lane = emu->now->lane;
    for (int i = 0; i < 4; i++) {
        unsigned short pair[2];
        for (int h = 0; h < 2; h++)
            memcpy(&pair[h], g_dynamic + emu_row(8 * i + lane % 4 * 2 + h, which) + lane / 4 * 2,
                   2);
        r[i] = pair[0] | (unsigned)pair[1] << 16;
    }
}
struct emu_fragments {
    unsigned a[4], b[2];
};
template <bool bfloat>
static void emu_multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    const emu_fragments mine = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
    const int which = emu_show(~0u, mine), lane = emu->now->lane;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 16; k++) {
            emu_fragments x, y;
            memcpy(&x, emu->slot(lane / 4 * 4 + k % 8 / 2, which), sizeof x);
            memcpy(&y, emu->slot((lane % 4 * 2 + i % 2) * 4 + k % 8 / 2, which), sizeof y);
            const unsigned left = x.a[i / 2 + k / 8 * 2] >> k % 2 * 16 & 0xffff,
                           right = y.b[k / 8] >> k % 2 * 16 & 0xffff;
            c[i] += emu_from_16<bfloat>(left) * emu_from_16<bfloat>(right);
        }
}
/* BF16 is defined by the program. */
#define multiply_add(c, a, b0, b1) emu_multiply_add<BF16>(c, a, b0, b1)
#define pack_halves(low, high) (emu_to_16<BF16>(low) | emu_to_16<BF16>(high) << 16)
static inline float exp2_fast(float x) { return exp2f(x); }
#define __log2f(x) log2f(x)

using namespace std;
