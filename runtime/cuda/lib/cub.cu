/* Sorting by CUB, and transposing sparse matrices (a stable sort by key).
 *
 * Dispatch of a sort, by row length, dtype and number of rows:
 * - Long rows of float32, float64, int32 and int64: DeviceRadixSort, or DeviceSegmentedRadixSort
 * for many rows. CUB orders floats by their bits, NaNs with the sign set first: these are rotated
 * to the end afterwards.
 * - Everything else, and argsort: unsigned keys that compare like the elements (as in
 *   runtime/host/sort.c), sorted together with indices. Short rows by DeviceSegmentedSort; rows
 * that fit a block by BlockRadixSort; longer ones by one DeviceRadixSort with the row number in
 * the upper bits of the key, or, if that does not fit, by a second stable sort by row.
 *
 * Many 64-bit integers are sorted by the bits in which they differ alone. complex128 is sorted by
 * the lower halves of its keys, then by the upper ones.
 *
 * Reading order: keys, bits in use, sorting without keys, sorting by keys, rows of a block,
 * transposing, the entry. */
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

enum { THREADS = 256, MAX_BLOCKS = 2048, BLOCK_ROW = 16 * THREADS, ALIGN = 256 };

unsigned blocks_for(int64_t n) {
    return (unsigned)min((n + THREADS - 1) / THREADS, (int64_t)MAX_BLOCKS);
}

/* Allocates parts of the scratch memory; with base NULL it computes the size. */
struct arena {
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

/* The key of a complex number from those of its parts (NaN: `last`), in NumPy's order: a NaN
 * imaginary part after all numbers, a NaN real part after that, and both last; no number's key is
 * as large as last - 2. */
__device__ ulonglong2 join_keys(uint64_t re, uint64_t im, uint64_t last) {
    if (re != last) return im != last ? make_ulonglong2(re, im) : make_ulonglong2(last - 2, re);
    return im != last ? make_ulonglong2(last - 1, im) : make_ulonglong2(last, 0);
}

__device__ ulonglong2 wide_key(const void *p, int64_t i) {
    const uint64_t *x = (const uint64_t *)p + 2 * i;
    return join_keys(key_of(x[0], 8, CUB_DOUBLE), key_of(x[1], 8, CUB_DOUBLE), ~0ull);
}

/* The key of element i; of complex128 the lower half. */
__device__ uint64_t key_at(const cub_sort_call &c, int64_t i) {
    if (c.bytes == 16) return wide_key(c.in, i).y;
    const uint64_t bits = bits_at(c.in, c.bytes, i);
    if (c.order != CUB_COMPLEX) return key_of(bits, c.bytes, c.order);
    const ulonglong2 k = join_keys(key_of((uint32_t)bits, 4, CUB_FLOAT),
                                   key_of(bits >> 32, 4, CUB_FLOAT), 0xffffffff);
    return k.x << 32 | k.y;
}

/* The upper halves of the keys, in the order after the first sort. */
template <class K>
__global__ void make_upper_keys(cub_sort_call c, const uint32_t *index, K *key) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS)
        key[i] = (K)wide_key(c.in, index[i]).x;
}

/* Keys, with the row number above their lowest `bits` if `fold` is set; and indices. */
template <class K>
__global__ void make_keys(cub_sort_call c, bool fold, int bits, K *key, uint32_t *index) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS) {
        const uint64_t k = key_at(c, i);
        key[i] =
            (K)(fold && bits < 64 ? (uint64_t)(i / c.n) << bits | (k & ((1ull << bits) - 1)) : k);
        index[i] = (uint32_t)i;
    }
}

__global__ void make_rows(cub_sort_call c, const uint32_t *index, uint32_t *row) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS)
        row[i] = (uint32_t)(index[i] / c.n);
}

/* out[i] = element `at` of the row that starts at `first`, or its index. */
__device__ void put_element(const cub_sort_call &c, int64_t i, int64_t first, int64_t at) {
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

/* The result, gathered by the sorted indices. */
__global__ void put_result(cub_sort_call c, const uint32_t *index) {
    const int64_t all = c.rows * c.n;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < all;
         i += (int64_t)gridDim.x * THREADS) {
        const int64_t first = i / c.n * c.n;
        put_element(c, i, first, index[i] - first);
    }
}

/* ---- bits in use ---- */

/* True if finding the bits in use is worth a synchronization. */
bool finds_bits(const cub_sort_call *c) {
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

/* The number of low bits in which the keys differ; all higher bits are equal. */
cudaError_t bits_in_use(const cub_sort_call *c, arena *r, int *bits) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    unsigned long long differing = 0;
    *bits = min(8 * c->bytes, 64);
    if (!finds_bits(c)) return cudaSuccess;
    auto *scratch = r->take<unsigned long long>(1);
    if (!r->base) return cudaSuccess;
    cudaError_t rc = cudaMemsetAsync(scratch, 0, sizeof *scratch, s);
    if (!rc)
        find_differing<<<blocks_for(c->rows * c->n), THREADS, 0, s>>>(
            (const unsigned long long *)c->in, c->rows * c->n, scratch);
    if (!rc) rc = cudaMemcpyAsync(&differing, scratch, sizeof differing, cudaMemcpyDeviceToHost, s);
    if (!rc) rc = cudaStreamSynchronize(s);
    *bits = differing ? 64 - __builtin_clzll(differing) : 1;
    return rc;
}

/* ---- sorting without keys ---- */

template <class T>
__device__ bool signed_nan(T x) {
    return x != x && signbit(x);
}

/* The number of NaNs at the start of a sorted row. */
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
__global__ void rotate_row(const T *from, T *to, int64_t n, const int64_t *count) {
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
void move_nans_last(T *row, T *spare, int64_t n, int64_t *count, cudaStream_t s) {
    count_first<<<1, 1, 0, s>>>(row, n, count);
    rotate_row<<<blocks_for(n), THREADS, 0, s>>>(row, spare, n, count);
    copy_row<<<blocks_for(n), THREADS, 0, s>>>(spare, row, n, count);
}

template <class T>
cudaError_t sort_rows(const cub_sort_call *c, arena *r) {
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
    void *scratch = r->take<char>(bytes);
    int64_t *count = r->take<int64_t>(1);
    for (int64_t i = 0; r->base && i < c->rows && !rc; i++) {
        size_t n = bytes;
        rc = cub::DeviceRadixSort::SortKeys(scratch, n, in + i * c->n, out + i * c->n,
                                            (uint32_t)c->n, 0, bits, s);
        if constexpr (real)
            if (!rc) move_nans_last(out + i * c->n, (T *)scratch, c->n, count, s);
    }
    return rc;
}

/* The start of row i. */
struct row_start {
    uint32_t n;
    __host__ __device__ uint32_t operator()(uint32_t i) const { return i * n; }
};

/* The same for many rows, a block each. */
template <class T>
__global__ void rotate_rows(const T *from, T *to, int64_t n, int64_t *count) {
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
cudaError_t sort_many_rows(const cub_sort_call *c, arena *r) {
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
    void *scratch = r->take<char>(bytes);
    if (real) spare = r->take<T>(all);
    int64_t *count = r->take<int64_t>(rows);
    if (!r->base) return rc;
    rc = cub::DeviceSegmentedRadixSort::SortKeys(scratch, bytes, in, out, all, rows, starts,
                                                 starts + 1, 0, bits, s);
    if constexpr (real)
        if (!rc) {
            rotate_rows<<<rows, THREADS, 0, s>>>(out, spare, c->n, count);
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

/* Keys and the values (indices, mostly) that are sorted by them, each in two buffers. */
template <class K, class V> struct keyed_values {
    K *key, *spare_key;
    V *value, *spare_value;
};

/* Sorts by keys; x->key and x->value then point to the results. */
template <class K, class V>
cudaError_t sort_values(keyed_values<K, V> *x, int64_t n, int bits, arena *r, cudaStream_t s) {
    cub::DoubleBuffer<K> k(x->key, x->spare_key);
    cub::DoubleBuffer<V> v(x->value, x->spare_value);
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, (uint32_t)n, 0, bits, s);
    if (rc) return rc;
    void *scratch = r->take<char>(bytes);
    if (!r->base) return rc;
    rc = cub::DeviceRadixSort::SortPairs(scratch, bytes, k, v, (uint32_t)n, 0, bits, s);
    *x = {k.Current(), k.Alternate(), v.Current(), v.Alternate()};
    return rc;
}

template <class K>
cudaError_t sort_by_keys(const cub_sort_call *c, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t all = c->rows * c->n;
    const int row_bits = bits_of(c->rows - 1);
    int bits;
    cudaError_t rc = bits_in_use(c, r, &bits);
    if (rc) return rc;
    const bool fold = bits + row_bits <= (int)sizeof(K) * 8;
    K *key = r->take<K>(all), *spare = r->take<K>(all);
    uint32_t *index = r->take<uint32_t>(all), *other = r->take<uint32_t>(all);
    keyed_values<K, uint32_t> x = {key, spare, index, other};
    if (r->base) make_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, fold, bits, x.key, x.value);
    rc = sort_values(&x, all, fold ? bits + row_bits : bits, r, s);
    if (!rc && c->bytes == 16) {
        x.key = key, x.spare_key = spare;
        if (r->base) make_upper_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, x.value, x.key);
        rc = sort_values(&x, all, bits, r, s);
    }
    keyed_values<uint32_t, uint32_t> rows = {(uint32_t *)key, (uint32_t *)spare, x.value,
                                             x.spare_value};
    if (!rc && !fold) {
        if (r->base) make_rows<<<blocks_for(all), THREADS, 0, s>>>(*c, rows.value, rows.key);
        rc = sort_values(&rows, all, row_bits, r, s);
    }
    if (!rc && r->base) put_result<<<blocks_for(all), THREADS, 0, s>>>(*c, rows.value);
    return rc;
}

template <class K>
cudaError_t sort_short(const cub_sort_call *c, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t all = c->rows * c->n;
    K *key = r->take<K>(all), *spare = r->take<K>(all);
    uint32_t *index = r->take<uint32_t>(all), *other = r->take<uint32_t>(all);
    cub::DoubleBuffer<K> k(key, spare);
    cub::DoubleBuffer<uint32_t> p(index, other);
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
                                                        row_start{(uint32_t)c->n});
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceSegmentedSort::StableSortPairs(nullptr, bytes, k, p, (int)all,
                                                               (int)c->rows, starts, starts + 1, s);
    if (rc) return rc;
    void *scratch = r->take<char>(bytes);
    if (!r->base) return rc;
    make_keys<<<blocks_for(all), THREADS, 0, s>>>(*c, false, 0, key, index);
    rc = cub::DeviceSegmentedSort::StableSortPairs(scratch, bytes, k, p, (int)all, (int)c->rows,
                                                   starts, starts + 1, s);
    if (!rc) put_result<<<blocks_for(all), THREADS, 0, s>>>(*c, p.Current());
    return rc;
}

/* ---- rows of a block ---- */

/* Padding after the end of a row has the largest key; the sort is stable, so it stays last. */
template <class K, int LANES, int ITEMS>
__global__ void __launch_bounds__(LANES) sort_row(cub_sort_call c) {
    using sort = cub::BlockRadixSort<K, LANES, ITEMS, uint16_t>;
    __shared__ typename sort::TempStorage scratch;
    const int64_t first = (int64_t)blockIdx.x * c.n;
    K key[ITEMS];
    uint16_t index[ITEMS];
    for (int k = 0; k < ITEMS; k++) {
        const int at = (int)threadIdx.x * ITEMS + k;
        key[k] = at < c.n ? (K)key_at(c, first + at) : ~(K)0;
        index[k] = (uint16_t)at;
    }
    sort(scratch).SortBlockedToStriped(key, index, 0, 8 * c.bytes);
    for (int k = 0; k < ITEMS; k++) {
        const int at = (int)threadIdx.x + k * LANES;
        if (at < c.n) put_element(c, first + at, first, index[k]);
    }
}

template <class K>
cudaError_t sort_in_blocks(const cub_sort_call *c, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    r->take<char>(1); /* an allocation of 0 bytes would be NULL, which asks for the size */
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

/* ---- transposing ---- */

/* The payload of a key: the other index and the value, or its index if it is larger. */
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

/* Row pointers: for every k up to `keys`, how many of the sorted keys are less than k. */
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
cudaError_t transpose_with_other(const cub_transpose_call *c, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const int64_t n = c->count;
    uint32_t *key = r->take<uint32_t>(n), *spare = r->take<uint32_t>(n);
    V *value = r->take<V>(n), *other = r->take<V>(n);
    keyed_values<uint32_t, V> x = {key, spare, value, other};
    if (r->base) pack<<<blocks_for(n), THREADS, 0, s>>>(*c, x.key, x.value);
    const cudaError_t rc = sort_values(&x, n, max(bits_of(c->n - 1), 1), r, s);
    if (rc || !r->base) return rc;
    find_starts<<<blocks_for(c->n + 1), THREADS, 0, s>>>(x.key, n, c->n, c->start);
    unpack<<<blocks_for(n), THREADS, 0, s>>>(*c, x.value);
    return rc;
}

/* Sorts values alone, out of place. */
template <class V>
cudaError_t transpose_values(const cub_transpose_call *c, const V *from, V *to, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    const uint32_t *in = (const uint32_t *)c->key;
    uint32_t *key = r->take<uint32_t>(c->count);
    const int bits = max(bits_of(c->n - 1), 1);
    size_t bytes = 0;
    cudaError_t rc = cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, key, from, to,
                                                     (uint32_t)c->count, 0, bits, s);
    void *scratch = r->take<char>(bytes);
    if (rc || !r->base) return rc;
    rc = cub::DeviceRadixSort::SortPairs(scratch, bytes, in, key, from, to, (uint32_t)c->count, 0,
                                         bits, s);
    find_starts<<<blocks_for(c->n + 1), THREADS, 0, s>>>(key, c->count, c->n, c->start);
    return rc;
}

__global__ void fill_iota(uint32_t *index, int64_t n) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        index[i] = (uint32_t)i;
}

__global__ void gather(cub_transpose_call c, const uint32_t *index) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < c.count;
         i += (int64_t)gridDim.x * THREADS) {
        const uint32_t p = index[i];
        if (c.bytes == 1)
            ((uint8_t *)c.to_at)[i] = ((const uint8_t *)c.at)[p];
        else if (c.bytes == 2)
            ((uint16_t *)c.to_at)[i] = ((const uint16_t *)c.at)[p];
        else
            ((ulonglong2 *)c.to_at)[i] = ((const ulonglong2 *)c.at)[p];
    }
}

/* Sorts values of 1, 2 or 16 bytes by their indices. */
cudaError_t transpose_by_index(const cub_transpose_call *c, arena *r) {
    const cudaStream_t s = (cudaStream_t)c->stream;
    uint32_t *index = r->take<uint32_t>(c->count), *sorted = r->take<uint32_t>(c->count);
    if (r->base) fill_iota<<<blocks_for(c->count), THREADS, 0, s>>>(index, c->count);
    const cudaError_t rc = transpose_values<uint32_t>(c, index, sorted, r);
    if (!rc && r->base) gather<<<blocks_for(c->count), THREADS, 0, s>>>(*c, sorted);
    return rc;
}

cudaError_t transpose_matrix(const cub_transpose_call *c, arena *r) {
    if (c->other)
        return c->bytes == 8 ? transpose_with_other<wide_value>(c, r)
                             : transpose_with_other<narrow_value>(c, r);
    if (c->bytes == 4) return transpose_values(c, (const uint32_t *)c->at, (uint32_t *)c->to_at, r);
    if (c->bytes == 8)
        return transpose_values(c, (const narrow_value *)c->at, (narrow_value *)c->to_at, r);
    return transpose_by_index(c, r);
}

/* ---- the entry ---- */

cudaError_t sort_elements(const cub_sort_call *c, arena *r) {
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

extern "C" __attribute__((visibility("default"))) int gpa_cub(const cub_call *c, void *scratch,
                                                              size_t *bytes) {
    arena r = {(char *)scratch, 0};
    const cudaError_t rc =
        c->transpose ? transpose_matrix(c->transpose, &r) : sort_elements(c->sort, &r);
    *bytes = r.used;
    return (int)(rc || !scratch ? rc : cudaGetLastError());
}
