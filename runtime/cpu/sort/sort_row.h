/* Parallel radix sort of one row of items of one type: sort.c includes this for each, with
 *
 *   ITEM           the type of an item: a key, perhaps with the index of its element
 *   KEY(x)         its key
 *   MADE(key, i)   the item of element i
 *   RANK           1: items contain indices, and these are the result
 *   NAME(x)        a name with the suffix of the item
 *
 * Hybrid: a bucket is split by the highest digit in which its keys differ, relative to its lowest
 * key (MSD), by all threads while buckets are large. Small buckets are sorted by one thread each,
 * least significant digit first (LSD). Both are stable. Items alternate between two arrays; `side`
 * says which of them holds a bucket. */

typedef struct {
    row *w;
    part p;
    uint64_t low;
    int shift, digits;
    int64_t *count; /* histogram of the digits of each chunk */
    int16_t *bin;   /* of each digit, in a partition; else NULL: a bin per digit */
} NAME(split);

/* Chunk c of a bucket. */
static void NAME(count)(void *arg, int64_t c) {
    const NAME(split) *s = arg;
    int64_t from = s->p.at + c * CHUNK, to = MIN(from + CHUNK, s->p.at + s->p.n),
            *count = s->count + c * s->digits;
    const ITEM *x = (const ITEM *)s->w->item[s->p.side];
    memset(count, 0, (size_t)s->digits * sizeof *count);
    for (int64_t i = from; i < to; i++) count[(KEY(x[i]) - s->low) >> s->shift]++;
}

static void NAME(scatter)(void *arg, int64_t c) {
    const NAME(split) *s = arg;
    int64_t from = s->p.at + c * CHUNK, to = MIN(from + CHUNK, s->p.at + s->p.n),
            *count = s->count + c * s->digits;
    const ITEM *x = (const ITEM *)s->w->item[s->p.side];
    ITEM *y = (ITEM *)s->w->item[!s->p.side];
    if (s->bin)
        for (int64_t i = from; i < to; i++)
            y[count[s->bin[(KEY(x[i]) - s->low) >> s->shift]]++] = x[i];
    else
        for (int64_t i = from; i < to; i++) y[count[(KEY(x[i]) - s->low) >> s->shift]++] = x[i];
}

/* In a partition, adjacent digits without a requested index share a bin, which keeps the number of
 * write streams low. Turns the counts into those of bins; returns the number of bins. */
static int NAME(join_digits)(NAME(split) * s, int64_t chunks) {
    int bins = 0;
    bool open = false;
    for (int64_t d = 0, at = s->p.at; d < s->digits; d++) {
        part p = {.at = at};
        for (int64_t c = 0; c < chunks; c++) p.n += s->count[c * s->digits + d];
        bool wanted = part_is_wanted(s->w, &p);
        if (wanted || !open) bins++;
        open = !wanted;
        s->bin[d] = (int16_t)(bins - 1);
        at += p.n;
    }
    for (int64_t c = 0; c < chunks; c++) {
        int64_t *count = s->count + c * s->digits;
        for (int64_t d = 0; d < s->digits; d++) {
            int64_t n = count[d];
            count[d] = 0; /* counted in its bin */
            count[s->bin[d]] += n;
        }
    }
    return bins;
}

static void NAME(limits)(const ITEM *x, int64_t n, uint64_t *low, uint64_t *high) {
    uint64_t a = UINT64_MAX, b = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t k = KEY(x[i]);
        a = k < a ? k : a;
        b = k > b ? k : b;
    }
    *low = a;
    *high = b;
}

static void NAME(chunk_limits)(void *arg, int64_t c) {
    const NAME(split) *s = arg;
    int64_t from = c * CHUNK;
    uint64_t *out = (uint64_t *)s->count + 2 * c;
    NAME(limits)
    ((const ITEM *)s->w->item[s->p.side] + s->p.at + from, MIN(CHUNK, s->p.n - from), out, out + 1);
}

/* Splits a bucket into at most 1 << DIGIT others (most significant digit first); a bucket of one
 * key is final. */
static gpa_code NAME(split_part)(row *w, part p, parts *more, gpa_err *e) {
    int64_t chunks = (p.n + CHUNK - 1) / CHUNK, sum = p.at;
    NAME(split)
    s = {.w = w,
         .p = p,
         .digits = 1 << digit_for(p.n),
         .count = mem_new((size_t)chunks * sizeof(int64_t) << DIGIT)};
    int16_t bin[1 << DIGIT];
    uint64_t high = 0;
    gpa_code rc = GPA_OK;
    if (!s.count) return gpa_no_memory(e);
    threads_each(w->threads, chunks, w->stop, NAME(chunk_limits), &s);
    s.low = UINT64_MAX;
    for (int64_t c = 0; c < chunks; c++) {
        s.low = MIN(s.low, (uint64_t)s.count[2 * c]);
        high = MAX(high, (uint64_t)s.count[2 * c + 1]);
    }
    if (high <= s.low || threads_stopped(w->stop)) {
        p.bits = 0;
        rc = parts_add(more, p, e);
        goto out;
    }
    s.shift = MAX(0, bits_of(high - s.low) - digit_for(p.n));
    threads_each(w->threads, chunks, w->stop, NAME(count), &s);
    int bins = s.digits;
    if (w->n_places) {
        s.bin = bin;
        bins = NAME(join_digits)(&s, chunks);
    }
    for (int64_t d = 0; d < bins && !rc; d++) {
        int64_t from = sum;
        for (int64_t c = 0; c < chunks; c++) {
            int64_t here = s.count[c * s.digits + d];
            s.count[c * s.digits + d] = sum;
            sum += here;
        }
        if (sum > from) rc = parts_add(more, (part){from, sum - from, !p.side, s.shift}, e);
    }
    if (!rc && !threads_stopped(w->stop))
        threads_each(w->threads, chunks, w->stop, NAME(scatter), &s);
out:
    mem_free(s.count);
    return rc;
}

/* LSD radix sort of n items; returns the array with the result, x or y. */
static ITEM *NAME(sort_items)(ITEM *x, ITEM *y, int64_t n) {
    uint64_t low, high;
    int64_t count[1 << LOW_DIGIT];
    if (n <= FEW) {
        for (int64_t i = 1; i < n; i++) {
            ITEM item = x[i];
            int64_t j = i;
            for (; j > 0 && KEY(x[j - 1]) > KEY(item); j--) x[j] = x[j - 1];
            x[j] = item;
        }
        return x;
    }
    NAME(limits)(x, n, &low, &high);
    int bits = bits_of(high - low), rounds = (bits + LOW_DIGIT - 1) / LOW_DIGIT;
    if (n < 2000) rounds = (bits + 7) / 8;
    const int digit = rounds ? (bits + rounds - 1) / rounds : 1;
    const uint64_t mask = (1u << digit) - 1;
    for (int shift = 0; shift < bits; shift += digit) {
        memset(count, 0, sizeof *count << digit);
        for (int64_t i = 0; i < n; i++) count[(KEY(x[i]) - low) >> shift & mask]++;
        for (int64_t d = 0, sum = 0; d <= (int64_t)mask; d++) {
            int64_t here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++) y[count[(KEY(x[i]) - low) >> shift & mask]++] = x[i];
        ITEM *t = x;
        x = y;
        y = t;
    }
    return x;
}

/* Sorts a small bucket and writes the result. */
static void NAME(finish)(void *arg, int64_t i) {
    const row *w = arg;
    const part *p = &w->ready.item[i];
    const ITEM *x = (ITEM *)w->item[p->side] + p->at;
    if (p->bits && part_is_wanted(w, p))
        x = NAME(sort_items)((ITEM *)w->item[p->side] + p->at, (ITEM *)w->item[!p->side] + p->at,
                             p->n);
#if RANK
    int64_t *to = (int64_t *)w->out + p->at;
    for (int64_t k = 0; k < p->n; k++) to[k] = (int64_t)AT(x[k]);
#else
    uint64_t bits[BLOCK];
    for (int64_t k = 0; k < p->n; k += BLOCK) {
        int64_t n = MIN(BLOCK, p->n - k);
        for (int64_t j = 0; j < n; j++) bits[j] = sortkey_to_bits(KEY(x[k + j]), &w->order);
        sortkey_save((char *)w->out + (size_t)(p->at + k) * w->order.item, w->order.item, n, bits);
    }
#endif
}

/* The items of a chunk of elements. */
static void NAME(make)(void *arg, int64_t c) {
    const row *w = arg;
    const sortkey_order order = w->order;
    uint64_t bits[BLOCK];
    ITEM *x = (ITEM *)w->item[0];
    int64_t to = MIN((c + 1) * CHUNK, w->n);
    for (int64_t i = c * CHUNK; i < to; i += BLOCK) {
        int64_t n = MIN(BLOCK, to - i);
        sortkey_load((const char *)w->in + (size_t)i * order.item, order.item, n, bits);
        for (int64_t j = 0; j < n; j++)
            x[i + j] = MADE(RANK ? sortkey_rank(bits[j], &order) : sortkey_of_bits(bits[j], &order),
                            i + j);
    }
}

static gpa_code NAME(sort_row)(row *w, gpa_err *e) {
    parts waiting = {0};
    gpa_code rc = GPA_OK;
    threads_each(w->threads, (w->n + CHUNK - 1) / CHUNK, w->stop, NAME(make), w);
    TRY(parts_add(&waiting, (part){0, w->n, 0, 64}, e));
    while (waiting.n && !threads_stopped(w->stop)) {
        part p = waiting.item[--waiting.n];
        if (p.n <= SMALL || !p.bits || !part_is_wanted(w, &p))
            TRY(parts_add(&w->ready, p, e));
        else
            TRY(NAME(split_part)(w, p, &waiting, e));
    }
    threads_each(w->threads, w->ready.n, w->stop, NAME(finish), w);
out:
    mem_free(waiting.item);
    return rc;
}

#undef ITEM
#undef KEY
#undef MADE
#undef AT
#undef RANK
#undef NAME
