/* Sorting by CUB, and turning the values of sparse matrices.
 *
 * A long row of numbers that CUB knows is sorted as it is. CUB orders floats by their bits: NaNs
 * with their sign set come first, and are moved behind the others afterwards, if there are any.
 * Everything else goes by keys: unsigned numbers whose order is the elements', as
 * runtime/host/sort.c makes them, sorted together with the elements' places. Short rows are sorted
 * by CUB's segmented sort, several in a block; rows that fit a block by a block each, as do many
 * longer ones of numbers that CUB knows; of other longer ones the row stands above the key where
 * there is room; where there is none, the places are then sorted by row. Of many 64-bit integers
 * only those bits are sorted by in which they differ. Complex numbers of two doubles are sorted by
 * the lower halves of their keys, then by the upper ones.
 *
 * Reading order: keys, bits in use, rows as they are, sorting by keys, rows of a block, turning,
 * the entry. */
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cuda/std/type_traits>

#include "runtime/cuda/lib/cub.h"
#include "runtime/tables/tuning.h"

namespace {

enum { THREADS = 256, MOST_BLOCKS = 2048, BLOCK_ROW = 16 * THREADS, ALIGN = 256 };

unsigned blocks_for(int64_t n) {
    return (unsigned)min((n + THREADS - 1) / THREADS, (int64_t)MOST_BLOCKS);
}

/* Hands out pieces of the working memory; with a base of NULL it measures. */
struct room {
    char *base;
    size_t used;
    template <class T>
    T *take(size_t n) {
        T *at = base ? (T *)(base + used) : nullptr;
        used += (n * sizeof(T) + ALIGN - 1) / ALIGN * ALIGN;
        return at;
    }
};

/* ---- keys ---- */

__device__ uint64_t bits_at(const void *p, int bytes, int64_t i) {
    switch (bytes) {
        case 1: return ((const uint8_t *)p)[i];
        case 2: return ((const uint16_t *)p)[i];
        case 4: return ((const uint32_t *)p)[i];
    }
    return ((const uint64_t *)p)[i];
}

__device__ uint64_t infinity(cub_order order) {
    switch (order) {
        case CUB_HALF: return 0x7c00;
        case CUB_BFLOAT: return 0x7f80;
        case CUB_FLOAT: return 0x7f800000;
        case CUB_DOUBLE: return 0x7ff0000000000000;
        case CUB_UNSIGNED:
        case CUB_SIGNED:
        case CUB_COMPLEX: break;
    }
    return 0;
}

__device__ uint64_t key_of(uint64_t bits, int bytes, cub_order order) {
    const uint64_t sign = 1ull << (8 * bytes - 1), all = sign | (sign - 1);
    if (order == CUB_UNSIGNED) return bits;
    if (order == CUB_SIGNED) return bits ^ sign;
    if ((bits & ~sign) > infinity(order)) return all;
    if (bits == sign) bits = 0;
    return bits & sign ? ~bits & all : bits | sign;
}

/* The key of a complex number from those of its parts, `last` where they are NaN: as NumPy orders
 * them, a NaN imaginary part comes behind all numbers, a NaN real part behind that, and both last;
 * no number's key is as large as last - 2. */
__device__ ulonglong2 join_keys(uint64_t re, uint64_t im, uint64_t last) {
    if (re != last) return im != last ? make_ulonglong2(re, im) : make_ulonglong2(last - 2, re);
    return im != last ? make_ulonglong2(last - 1, im) : make_ulonglong2(last, 0);
}

__device__ ulonglong2 wide_key(const void *p, int64_t i) {
    const uint64_t *x = (const uint64_t *)p + 2 * i;
    return join_keys(key_of(x[0], 8, CUB_DOUBLE), key_of(x[1], 8, CUB_DOUBLE), ~0ull);
}

/* Element i's key; of a complex one of two doubles the lower half. */
__device__ uint64_t key_at(const cub_sort_call &c, int64_t i) {
    if (c.bytes == 16) return wide_key(c.in, i).y;
    const uint64_t bits = bits_at(c.in, c.bytes, i);
    if (c.order != CUB_COMPLEX) return key_of(bits, c.bytes, c.order);
    const ulonglong2 k = join_keys(key_of((uint32_t)bits, 4, CUB_FLOAT),
                                   key_of(bits >> 32, 4, CUB_FLOAT), 0xffffffff);
    return k.x << 32 | k.y;
}

/* The upper halves, of the elements in the order in which their places are by now. */
template <class K>
__global__ void make_upper_keys(cub_sort_call c, const uint32_t *place, K *key) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS)
        key[i] = (K)wide_key(c.in, place[i]).x;
}

/* Keys, with the row above their lowest `bits` where `fold` is set; and places. */
template <class K>
__global__ void make_keys(cub_sort_call c, bool fold, int bits, K *key, uint32_t *place) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS) {
        const uint64_t k = key_at(c, i);
        key[i] =
            (K)(fold && bits < 64 ? (uint64_t)(i / c.n) << bits | (k & ((1ull << bits) - 1)) : k);
        place[i] = (uint32_t)i;
    }
}

__global__ void make_rows(cub_sort_call c, const uint32_t *place, uint32_t *row) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS)
        row[i] = (uint32_t)(place[i] / c.n);
}

/* The element at place `at` of the row that begins at `first` becomes number i of all. */
__device__ void put_one(const cub_sort_call &c, int64_t i, int64_t first, int64_t at) {
    if (c.ranks)
        ((int64_t *)c.out)[i] = at;
    else if (c.bytes == 1)
        ((uint8_t *)c.out)[i] = ((const uint8_t *)c.in)[first + at];
    else if (c.bytes == 2)
        ((uint16_t *)c.out)[i] = ((const uint16_t *)c.in)[first + at];
    else if (c.bytes == 4)
        ((uint32_t *)c.out)[i] = ((const uint32_t *)c.in)[first + at];
    else if (c.bytes == 8)
        ((uint64_t *)c.out)[i] = ((const uint64_t *)c.in)[first + at];
    else
        for (int k = 0; k < 2; k++)
            ((uint64_t *)c.out)[2 * i + k] = ((const uint64_t *)c.in)[2 * (first + at) + k];
}

/* The result, from the places in order. */
__global__ void put_result(cub_sort_call c, const uint32_t *place) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS) {
        const int64_t first = i / c.n * c.n;
        put_one(c, i, first, place[i] - first);
    }
}

/* ---- bits in use ---- */

/* Whether it is worth a look, and a wait, how far the numbers differ. */
bool looks(const cub_sort_call *c) {
    return c->bytes == 8 && c->order <= CUB_SIGNED &&
           c->rows * c->n >= TUNE_CUDA_SORT_FIND_BITS_MIN_ELEMS;
}

__global__ void find_differing(const unsigned long long *in, int64_t n, unsigned long long *out) {
    unsigned long long all = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        all |= in[i] ^ in[0];
    for (int k = 16; k; k /= 2) all |= __shfl_xor_sync(~0u, all, k);
    if (threadIdx.x % 32 == 0 && all) atomicOr(out, all);
}

/* How many of the keys' lowest bits they differ in; above these all are alike. */
cudaError_t bits_in_use(const cub_sort_call *c, room *r, int *bits) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    unsigned long long differing = 0;
    *bits = min(8 * c->bytes, 64);
    if (!looks(c)) return cudaSuccess;
    auto *own = r->take<unsigned long long>(1);
    if (!r->base) return cudaSuccess;
    cudaError_t rc = cudaMemsetAsync(own, 0, sizeof *own, s);
    if (!rc)
        find_differing<<<blocks_for(c->rows * c->n), THREADS, 0, s>>>(
            (const unsigned long long *)c->in, c->rows * c->n, own);
    if (!rc) rc = cudaMemcpyAsync(&differing, own, sizeof differing, cudaMemcpyDeviceToHost, s);
    if (!rc) rc = cudaStreamSynchronize(s);
    *bits = differing ? 64 - __builtin_clzll(differing) : 1;
    return rc;
}

/* ---- rows as they are ---- */

template <class T>
__device__ bool signed_nan(T x) {
    return x != x && signbit(x);
}

/* How many NaNs a sorted row begins with. */
template <class T>
__global__ void count_first(const T *row, int64_t n, int64_t *count) {
    int64_t lo = 0, hi = row[0] == row[0] ? 0 : n;
    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;
        if (signed_nan(row[middle]))
            lo = middle + 1;
        else
            hi = middle;
    }
    *count = lo;
}

template <class T>
__global__ void turn_row(const T *from, T *to, int64_t n, const int64_t *count) {
    if (!*count) return;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        to[i] = from[(i + *count) % n];
}

template <class T>
__global__ void copy_row(const T *from, T *to, int64_t n, const int64_t *count) {
    if (!*count) return;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        to[i] = from[i];
}

template <class T>
void nans_last(T *row, T *spare, int64_t n, int64_t *count, cudaStream_t s) {
    count_first<<<1, 1, 0, s>>>(row, n, count);
    turn_row<<<blocks_for(n), THREADS, 0, s>>>(row, spare, n, count);
    copy_row<<<blocks_for(n), THREADS, 0, s>>>(spare, row, n, count);
}

template <class T>
cudaError_t sort_rows(const cub_sort_call *c, room *r) {
    constexpr bool real = cuda::std::is_floating_point_v<T>;
    const cudaStream_t s = (cudaStream_t)c->stream;
    const T *in = (const T *)c->in;
    T *out = (T *)c->out;
    size_t bytes = 0;
    int bits;
    cudaError_t rc = bits_in_use(c, r, &bits);
    if (!rc)
        rc = cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, (uint32_t)c->n, 0,
                                            (int)sizeof(T) * 8, s);
    if (rc) return rc;
    if (real && bytes < (size_t)c->n * sizeof(T)) bytes = (size_t)c->n * sizeof(T);
    void *own = r->take<char>(bytes);
    int64_t *count = r->take<int64_t>(1);
    for (int64_t i = 0; r->base && i < c->rows && !rc; i++) {
        size_t n = bytes;
        rc = cub::DeviceRadixSort::SortKeys(own, n, in + i * c->n, out + i * c->n, (uint32_t)c->n,
                                            0, bits, s);
        if constexpr (real)
            if (!rc) nans_last(out + i * c->n, (T *)own, c->n, count, s);
    }
    return rc;
}

/* Where row i begins. */
struct row_start {
    uint32_t n;
    __host__ __device__ uint32_t operator()(uint32_t i) const { return i * n; }
};

/* Many rows at once, a block each. */
template <class T>
__global__ void turn_rows(const T *from, T *to, int64_t n, int64_t *count) {
    const T *row = from + blockIdx.x * n;
    __shared__ int64_t nans;
    if (threadIdx.x == 0) {
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            const int64_t middle = (lo + hi) / 2;
            if (signed_nan(row[middle]))
                lo = middle + 1;
            else
                hi = middle;
        }
        count[blockIdx.x] = nans = lo;
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; nans && i < n; i += THREADS)
        to[blockIdx.x * n + i] = row[(i + nans) % n];
}

template <class T>
__global__ void copy_rows(const T *from, T *to, int64_t n, const int64_t *count) {
    for (int64_t i = threadIdx.x; count[blockIdx.x] && i < n; i += THREADS)
        to[blockIdx.x * n + i] = from[blockIdx.x * n + i];
}

template <class T>
cudaError_t sort_many_rows(const cub_sort_call *c, room *r) {
    constexpr bool real = cuda::std::is_floating_point_v<T>;
    const cudaStream_t s = (cudaStream_t)c->stream;
    const T *in = (const T *)c->in;
    T *out = (T *)c->out, *spare = nullptr;
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
                                                        row_start{(uint32_t)c->n});
    const int all = (int)(c->rows * c->n), rows = (int)c->rows;
    size_t bytes = 0;
    int bits;
    cudaError_t rc = bits_in_use(c, r, &bits);
    if (!rc)
        rc = cub::DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, in, out, all, rows, starts,
                                                     starts + 1, 0, (int)sizeof(T) * 8, s);
    if (rc) return rc;
    void *own = r->take<char>(bytes);
    if (real) spare = r->take<T>(all);
    int64_t *count = r->take<int64_t>(rows);
    if (!r->base) return rc;
    rc = cub::DeviceSegmentedRadixSort::SortKeys(own, bytes, in, out, all, rows, starts, starts + 1,
                                                 0, bits, s);
    if constexpr (real)
        if (!rc) {
            turn_rows<<<rows, THREADS, 0, s>>>(out, spare, c->n, count);
            copy_rows<<<rows, THREADS, 0, s>>>(spare, out, c->n, count);
        }
    return rc;
}

/* ---- sorting by keys ---- */

int bits_of(int64_t n) {
    int bits = 0;
    while (n >> bits) bits++;
    return bits;
}

/* Sorts values (places, mostly) by keys; *key and *value are then where they are. */
template <class K, class V>
cudaError_t sort_values(K **key, K *spare, V **value, V **other, int64_t n, int bits, room *r,
                        cudaStream_t s) {
    cub::DoubleBuffer<K> k(*key, spare);
    cub::DoubleBuffer<V> v(*value, *other);
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, (uint32_t)n, 0, bits, s);
    if (rc) return rc;
    void *own = r->take<char>(bytes);
    if (!r->base) return rc;
    rc = cub::DeviceRadixSort::SortPairs(own, bytes, k, v, (uint32_t)n, 0, bits, s);
    *key = k.Current();
    *value = v.Current();
    *other = v.Alternate();
    return rc;
}

template <class K>
cudaError_t sort_by_keys(const cub_sort_call *c, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t all = c->rows * c->n;
    const int row_bits = bits_of(c->rows - 1);
    int bits;
    cudaError_t rc = bits_in_use(c, r, &bits);
    if (rc) return rc;
    const bool fold = bits + row_bits <= (int)sizeof(K) * 8;
    K *key = r->take<K>(all), *spare = r->take<K>(all), *const first = key;
    uint32_t *place = r->take<uint32_t>(all), *other = r->take<uint32_t>(all);
    if (r->base) make_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, fold, bits, key, place);
    rc = sort_values(&key, spare, &place, &other, all, fold ? bits + row_bits : bits, r, s);
    if (!rc && c->bytes == 16) {
        key = first;
        if (r->base) make_upper_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, place, key);
        rc = sort_values(&key, spare, &place, &other, all, bits, r, s);
    }
    if (!rc && !fold) {
        uint32_t *row = (uint32_t *)first, *spare_row = (uint32_t *)spare;
        if (r->base) make_rows<<<blocks_for(all), THREADS, 0, s>>>(*c, place, row);
        rc = sort_values(&row, spare_row, &place, &other, all, row_bits, r, s);
    }
    if (!rc && r->base) put_result<<<blocks_for(all), THREADS, 0, s>>>(*c, place);
    return rc;
}

template <class K>
cudaError_t sort_short(const cub_sort_call *c, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t all = c->rows * c->n;
    K *key = r->take<K>(all), *spare = r->take<K>(all);
    uint32_t *place = r->take<uint32_t>(all), *other = r->take<uint32_t>(all);
    cub::DoubleBuffer<K> k(key, spare);
    cub::DoubleBuffer<uint32_t> p(place, other);
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
                                                        row_start{(uint32_t)c->n});
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceSegmentedSort::StableSortPairs(nullptr, bytes, k, p, (int)all,
                                                               (int)c->rows, starts, starts + 1, s);
    if (rc) return rc;
    void *own = r->take<char>(bytes);
    if (!r->base) return rc;
    make_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, false, 0, key, place);
    rc = cub::DeviceSegmentedSort::StableSortPairs(own, bytes, k, p, (int)all, (int)c->rows, starts,
                                                   starts + 1, s);
    if (!rc) put_result<<<blocks_for(all), THREADS, 0, s>>>(*c, p.Current());
    return rc;
}

/* ---- rows of a block ---- */

/* Beyond the row's end stand the largest keys, behind all that are equal to them. */
template <class K, int LANES, int ITEMS>
__global__ void __launch_bounds__(LANES) sort_row(cub_sort_call c) {
    using sort = cub::BlockRadixSort<K, LANES, ITEMS, uint16_t>;
    __shared__ typename sort::TempStorage own;
    const int64_t first = (int64_t)blockIdx.x * c.n;
    K key[ITEMS];
    uint16_t place[ITEMS];
    for (int k = 0; k < ITEMS; k++) {
        const int at = (int)threadIdx.x * ITEMS + k;
        key[k] = at < c.n ? (K)key_at(c, first + at) : ~(K)0;
        place[k] = (uint16_t)at;
    }
    sort(own).SortBlockedToStriped(key, place, 0, 8 * c.bytes);
    for (int k = 0; k < ITEMS; k++) {
        const int at = (int)threadIdx.x + k * LANES;
        if (at < c.n) put_one(c, first + at, first, place[k]);
    }
}

template <class K>
cudaError_t sort_in_blocks(const cub_sort_call *c, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    r->take<char>(1); /* a call that needs none says so by a little */
    if (!r->base) return cudaSuccess;
    const unsigned rows = (unsigned)c->rows;
    if (c->n <= 128)
        sort_row<K, 32, 4><<<rows, 32, 0, s>>>(*c);
    else if (c->n <= 192)
        sort_row<K, 64, 3><<<rows, 64, 0, s>>>(*c);
    else if (c->n <= 256)
        sort_row<K, 64, 4><<<rows, 64, 0, s>>>(*c);
    else if (c->n <= 384)
        sort_row<K, 128, 3><<<rows, 128, 0, s>>>(*c);
    else if (c->n <= 512)
        sort_row<K, 128, 4><<<rows, 128, 0, s>>>(*c);
    else if (c->n <= 1024)
        sort_row<K, 256, 4><<<rows, 256, 0, s>>>(*c);
    else if (c->n <= 2048)
        sort_row<K, 256, 8><<<rows, 256, 0, s>>>(*c);
    else
        sort_row<K, 256, 16><<<rows, 256, 0, s>>>(*c);
    return cudaSuccess;
}

/* ---- turning ---- */

/* What goes with a key: the other index and the value, or where the value is if it is larger. */
struct alignas(8) narrow_value {
    uint32_t other, at;
};
struct wide_value {
    uint64_t at;
    uint32_t other, unused;
};

template <class V>
__global__ void pack(cub_transpose_call c, uint32_t *key, V *value) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < c.count;
         i += (int64_t)gridDim.x * THREADS) {
        V v;
        key[i] = (uint32_t)c.key[i];
        v.other = (uint32_t)c.other[i];
        v.at = c.bytes > 8 ? i : bits_at(c.at, c.bytes, i);
        value[i] = v;
    }
}

template <class V>
__global__ void unpack(cub_transpose_call c, const V *value) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < c.count;
         i += (int64_t)gridDim.x * THREADS) {
        const V v = value[i];
        c.to_other[i] = (int32_t)v.other;
        if (c.bytes == 1)
            ((uint8_t *)c.to_at)[i] = (uint8_t)v.at;
        else if (c.bytes == 2)
            ((uint16_t *)c.to_at)[i] = (uint16_t)v.at;
        else if (c.bytes == 4)
            ((uint32_t *)c.to_at)[i] = (uint32_t)v.at;
        else if (c.bytes == 8)
            ((uint64_t *)c.to_at)[i] = v.at;
        else
            ((ulonglong2 *)c.to_at)[i] = ((const ulonglong2 *)c.at)[v.at];
    }
}

/* How many of the ascending keys are less than k, for every k up to `keys`. */
__global__ void find_starts(const uint32_t *key, int64_t n, int64_t keys, int32_t *start) {
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k <= keys;
         k += (int64_t)gridDim.x * THREADS) {
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            const int64_t middle = (lo + hi) / 2;
            if (key[middle] < k)
                lo = middle + 1;
            else
                hi = middle;
        }
        start[k] = (int32_t)lo;
    }
}

template <class V>
cudaError_t turn_as(const cub_transpose_call *c, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t n = c->count;
    uint32_t *key = r->take<uint32_t>(n), *spare = r->take<uint32_t>(n);
    V *value = r->take<V>(n), *other = r->take<V>(n);
    if (r->base) pack<<<blocks_for(n), THREADS, 0, s>>>(*c, key, value);
    const cudaError_t rc =
        sort_values(&key, spare, &value, &other, n, max(bits_of(c->n - 1), 1), r, s);
    if (rc || !r->base) return rc;
    find_starts<<<blocks_for(c->n + 1), THREADS, 0, s>>>(key, n, c->n, c->start);
    unpack<<<blocks_for(n), THREADS, 0, s>>>(*c, value);
    return rc;
}

/* Values alone, with their keys as they are, from one place to another. */
template <class V>
cudaError_t turn_values(const cub_transpose_call *c, const V *from, V *to, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const uint32_t *in = (const uint32_t *)c->key;
    uint32_t *key = r->take<uint32_t>(c->count);
    const int bits = max(bits_of(c->n - 1), 1);
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, key, from, to,
                                                     (uint32_t)c->count, 0, bits, s);
    void *own = r->take<char>(bytes);
    if (rc || !r->base) return rc;
    rc = cub::DeviceRadixSort::SortPairs(own, bytes, in, key, from, to, (uint32_t)c->count, 0, bits,
                                         s);
    find_starts<<<blocks_for(c->n + 1), THREADS, 0, s>>>(key, c->count, c->n, c->start);
    return rc;
}

__global__ void number(uint32_t *place, int64_t n) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        place[i] = (uint32_t)i;
}

__global__ void bring(cub_transpose_call c, const uint32_t *place) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < c.count;
         i += (int64_t)gridDim.x * THREADS) {
        const uint32_t p = place[i];
        if (c.bytes == 1)
            ((uint8_t *)c.to_at)[i] = ((const uint8_t *)c.at)[p];
        else if (c.bytes == 2)
            ((uint16_t *)c.to_at)[i] = ((const uint16_t *)c.at)[p];
        else
            ((ulonglong2 *)c.to_at)[i] = ((const ulonglong2 *)c.at)[p];
    }
}

/* Values of no size of their own by their places. */
cudaError_t turn_places(const cub_transpose_call *c, room *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    uint32_t *place = r->take<uint32_t>(c->count), *sorted = r->take<uint32_t>(c->count);
    if (r->base) number<<<blocks_for(c->count), THREADS, 0, s>>>(place, c->count);
    const cudaError_t rc = turn_values<uint32_t>(c, place, sorted, r);
    if (!rc && r->base) bring<<<blocks_for(c->count), THREADS, 0, s>>>(*c, sorted);
    return rc;
}

cudaError_t turn(const cub_transpose_call *c, room *r) {
    if (c->other) return c->bytes == 8 ? turn_as<wide_value>(c, r) : turn_as<narrow_value>(c, r);
    if (c->bytes == 4) return turn_values(c, (const uint32_t *)c->at, (uint32_t *)c->to_at, r);
    if (c->bytes == 8)
        return turn_values(c, (const narrow_value *)c->at, (narrow_value *)c->to_at, r);
    return turn_places(c, r);
}

/* ---- the entry ---- */

cudaError_t sort_elements(const cub_sort_call *c, room *r) {
    const bool plain = !c->ranks && (c->rows == 1 || c->n >= TUNE_CUDA_SORT_BY_DEVICE_MIN_ROW);
    if (plain && c->order == CUB_FLOAT) return sort_rows<float>(c, r);
    if (plain && c->order == CUB_DOUBLE) return sort_rows<double>(c, r);
    if (plain && c->order == CUB_SIGNED && c->bytes == 4) return sort_rows<int32_t>(c, r);
    if (plain && c->order == CUB_SIGNED && c->bytes == 8) return sort_rows<int64_t>(c, r);
    const bool many = !c->ranks && c->rows >= TUNE_CUDA_SORT_BY_BLOCKS_MIN_ROWS &&
                      c->n > BLOCK_ROW && c->n <= TUNE_CUDA_SORT_BY_BLOCKS_MAX_ROW;
    if (many && c->order == CUB_FLOAT) return sort_many_rows<float>(c, r);
    if (many && c->order == CUB_DOUBLE) return sort_many_rows<double>(c, r);
    if (many && c->order == CUB_SIGNED && c->bytes == 4) return sort_many_rows<int32_t>(c, r);
    if (many && c->order == CUB_SIGNED && c->bytes == 8) return sort_many_rows<int64_t>(c, r);
    if (c->bytes == 16) return sort_by_keys<uint64_t>(c, r);
    const bool narrow = c->bytes <= 4;
    if (c->rows > 1 && c->n <= TUNE_CUDA_SORT_SEGMENTED_MAX_ROW)
        return narrow ? sort_short<uint32_t>(c, r) : sort_short<uint64_t>(c, r);
    if (c->n <= BLOCK_ROW)
        return narrow ? sort_in_blocks<uint32_t>(c, r) : sort_in_blocks<uint64_t>(c, r);
    return 8 * c->bytes + bits_of(c->rows - 1) <= 32 ? sort_by_keys<uint32_t>(c, r)
                                                     : sort_by_keys<uint64_t>(c, r);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int gpa_cub(const cub_call *c, void *own,
                                                              size_t *bytes) {
    room r = {(char *)own, 0};
    const cudaError_t rc = c->transpose ? turn(c->transpose, &r) : sort_elements(c->sort, &r);
    *bytes = r.used;
    return (int)(rc || !own ? rc : cudaGetLastError());
}
