/* Sorting networks over vectors of one width: sort_short.c includes this for each, with
 *
 *   T         the type of a lane, a signed integer
 *   MOST      its largest number
 *   BYTES     the width of a vector; element i is v[i * PARTS], where PARTS vectors are LANES_BYTES
 *   TARGET    an attribute: the processor that has such vectors
 *   EXTREME(which, a, b)  if defined, its instructions for the `min` and `max` of lanes, which GCC
 *             does not derive from comparisons
 *   NAME(x)   a name with the suffix of width and size
 *
 * RUN vectors at a time are sorted in registers; then sorted runs are merged pairwise, a few levels
 * of comparisons per pass over memory. Padding counts as the largest number, which no comparison
 * moves to the front. Reading order: keys, registers, passes. */
typedef T NAME(vec) __attribute__((vector_size(BYTES)));

#define PARTS (LANES_BYTES / BYTES)
#define IN_REGISTERS static inline __attribute__((always_inline)) TARGET

/* ---- keys ---- */

/* Maps floats (flip: the bits below the sign) and unsigned numbers (turn: the sign) to signed ones.
 * Returns whether there is a -0. */
TARGET static bool NAME(to_keys)(NAME(vec) * v, int64_t n, T flip, T nan, T turn) {
    const int sign = (int)sizeof(T) * 8 - 1;
    NAME(vec) zeros = {0}, lost = {0};
    T zero = 0, none = 0;
    for (int64_t i = 0; i < n; i++) {
        NAME(vec) x = v[i * PARTS] ^ turn;
        zeros |= x == ~flip;
        lost |= (x & flip) > nan;
        v[i * PARTS] = x ^ ((x >> sign) & flip);
    }
    for (int k = 0; k < (int)(BYTES / sizeof(T)); k++) {
        zero |= zeros[k];
        none |= lost[k];
    }
    for (int64_t i = 0; flip && none && i < n; i++) { /* NaN loses its sign and sorts last */
        NAME(vec) x = v[i * PARTS], plain = (x ^ (x >> sign)) & flip, last = plain > nan;
        v[i * PARTS] = (plain & last) | (x & ~last);
    }
    return flip && zero;
}

/* The inverse map. */
TARGET static void NAME(from_keys)(NAME(vec) * v, int64_t n, T flip, T turn) {
    const int sign = (int)sizeof(T) * 8 - 1;
    for (int64_t i = 0; i < n; i++) {
        NAME(vec) x = v[i * PARTS] ^ turn;
        v[i * PARTS] = x ^ ((x >> sign) & flip);
    }
}

/* ---- registers ---- */

/* Compare-exchange of two vectors. */
IN_REGISTERS void NAME(order)(NAME(vec) * v, int i, int j) {
    NAME(vec) a = v[i], b = v[j];
#ifdef EXTREME
    v[i] = EXTREME(min, a, b);
    v[j] = EXTREME(max, a, b);
#else
    NAME(vec) lower = a < b;
    v[i] = (a & lower) | (b & ~lower);
    v[j] = (b & lower) | (a & ~lower);
#endif
}

/* Compare-exchanges v[i] with v[i + d] for those i of 0 .. n - 1 for which `some` holds. */
#define LEVEL(n, d, some) \
    FEW for (int i = 0; i + (d) < (n); i++) if (some) NAME(order)(v, i, i + (d))

/* Batcher's merge exchange of n vectors: 4, 8 or RUN. */
IN_REGISTERS void NAME(sort_run)(NAME(vec) * v, const int n) {
    LEVEL(n, 1, !(i & 1));
    LEVEL(n, 2, !(i & 2));
    LEVEL(n, 1, (i & 3) == 1);
    if (n == 4) return;
    LEVEL(n, 4, !(i & 4));
    LEVEL(n, 2, (i & 6) == 2);
    LEVEL(n, 1, (i & 1) && (i & 7) != 7);
    if (n == 8) return;
    LEVEL(n, 8, true);
    LEVEL(n, 4, i >= 4 && i < 8);
    LEVEL(n, 2, i & 2);
    LEVEL(n, 1, i & 1);
}

/* Bitonic merge of n vectors (flip: of two ascending halves); n is a power of two up to RUN. */
IN_REGISTERS void NAME(merge)(NAME(vec) * v, const int n, const bool flip) {
    FEW for (int i = 0; i < n / 2; i++) NAME(order)(v, i, flip ? n - 1 - i : i + n / 2);
    if (n > 2) LEVEL(n, n / 4, !(i & n / 4));
    if (n > 4) LEVEL(n, n / 8, !(i & n / 8));
    if (n > 8) LEVEL(n, n / 16, !(i & n / 16));
}

/* ---- passes ---- */

/* For each i < step merges `width` vectors `step` apart, from v[at + i] on; with `flip` the upper
 * half is read in reverse. Or sorts them. */
IN_REGISTERS void NAME(pass)(NAME(vec) * v, int64_t n, int64_t at, int64_t step, const int width,
                             const bool flip, const bool sort) {
    for (int64_t i = 0; i < step; i++) {
        NAME(vec) w[RUN];
        FEW for (int x = 0; x < width; x++) {
            int64_t j = at + (flip && x >= width / 2 ? (x + 1) * step - 1 - i : x * step + i);
            w[x] = j < n ? v[j * PARTS] : (NAME(vec)){0} + MOST;
        }
        if (sort)
            NAME(sort_run)(w, width);
        else
            NAME(merge)(w, width, flip);
        FEW for (int x = 0; x < width; x++) {
            int64_t j = at + (flip && x >= width / 2 ? (x + 1) * step - 1 - i : x * step + i);
            if (j < n) v[j * PARTS] = w[x];
        }
    }
}

/* Merges two sorted runs from v[from] on: the first of k vectors, the second of up to as many. */
TARGET static void NAME(merge_runs)(NAME(vec) * v, int64_t n, int64_t from, int64_t k) {
    int64_t end = MIN(from + 2 * k, n);
    bool flip = true;
    for (int64_t size = 2 * k, step; size > RUN; size = step, flip = false) {
        int width = (int)MIN(size / RUN, WIDEST);
        step = size / width;
        for (int64_t at = from; at + step < end; at += size) {
            if (width == 2 && flip)
                NAME(pass)(v, n, at, step, 2, true, false);
            else if (width == 2)
                NAME(pass)(v, n, at, step, 2, false, false);
            else if (width == 4 && flip)
                NAME(pass)(v, n, at, step, 4, true, false);
            else if (width == 4)
                NAME(pass)(v, n, at, step, 4, false, false);
            else if (flip)
                NAME(pass)(v, n, at, step, WIDEST, true, false);
            else
                NAME(pass)(v, n, at, step, WIDEST, false, false);
        }
    }
    for (int64_t at = from; at < end; at += RUN) NAME(pass)(v, n, at, 1, RUN, false, false);
}

/* Sorts n vectors lane by lane. */
TARGET static void NAME(network)(NAME(vec) * v, int64_t n) {
    if (n <= 4)
        NAME(pass)(v, n, 0, 1, 4, false, true);
    else if (n <= 8)
        NAME(pass)(v, n, 0, 1, 8, false, true);
    for (int64_t at = 0; at < n && n > 8; at += RUN) NAME(pass)(v, n, at, 1, RUN, false, true);
    for (int64_t k = RUN; k < n; k *= 2)
        for (int64_t from = 0; from + k < n; from += 2 * k) NAME(merge_runs)(v, n, from, k);
}

/* Sorts n elements of each lane in memory, LANES_BYTES for each element; arguments and result as of
 * to_keys. */
static bool NAME(lanes)(void *memory, int64_t n, T flip, T nan, T turn) {
    bool zeros = false;
    for (int part = 0; part < PARTS; part++) {
        NAME(vec) *v = (NAME(vec) *)memory + part;
        if (flip || turn) zeros |= NAME(to_keys)(v, n, flip, nan, turn);
        NAME(network)(v, n);
        if (flip || turn) NAME(from_keys)(v, n, flip, turn);
    }
    return zeros;
}

#undef T
#undef MOST
#undef BYTES
#undef TARGET
#undef EXTREME
#undef NAME
#undef PARTS
#undef IN_REGISTERS
#undef LEVEL
