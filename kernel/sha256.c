/* SHA-256 and HMAC: sha256.h. Invariant: `block` holds the last n % 64 bytes, not hashed yet. */
#include "kernel/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t cube_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* One of 64 rounds. Instead of shifting the working variables a to h by one, V rotates their
 * names. */
static inline void mix(uint32_t v[8], unsigned round, uint32_t word) {
#define V(i) v[((i)-round) & 7]
    uint32_t choice = (V(4) & V(5)) ^ (~V(4) & V(6)),
             majority = (V(0) & V(1)) ^ (V(0) & V(2)) ^ (V(1) & V(2));
    uint32_t sum = V(7) +
                   (rotate_right(V(4), 6) ^ rotate_right(V(4), 11) ^ rotate_right(V(4), 25)) +
                   choice + word;
    V(3) += sum;
    V(7) =
        sum + (rotate_right(V(0), 2) ^ rotate_right(V(0), 13) ^ rotate_right(V(0), 22)) + majority;
#undef V
}

static void hash_block(uint32_t h[8], const uint8_t *p) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    for (int i = 0; i < 64; i++) w[i] += cube_roots[i];
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i += 8) {
        mix(v, 0, w[i]), mix(v, 1, w[i + 1]), mix(v, 2, w[i + 2]), mix(v, 3, w[i + 3]);
        mix(v, 4, w[i + 4]), mix(v, 5, w[i + 5]), mix(v, 6, w[i + 6]), mix(v, 7, w[i + 7]);
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void sha256_begin(sha256 *s) {
    /* likewise, of the square roots of the first eight primes */
    *s = (sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                        0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(sha256 *s, const void *data, size_t n) {
    const uint8_t *p = data;
    size_t have = s->n % 64;
    s->n += n;
    if (have) {
        size_t more = n < 64 - have ? n : 64 - have;
        memcpy(s->block + have, p, more);
        p += more, n -= more;
        if (have + more < 64) return;
        hash_block(s->h, s->block);
    }
    for (; n >= 64; p += 64, n -= 64) hash_block(s->h, p);
    if (n) memcpy(s->block, p, n);
}

void sha256_end(sha256 *s, uint8_t digest[32]) {
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = s->n * 8;
    uint8_t size[8];
    for (int i = 0; i < 8; i++) size[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(s, padding, 1 + (119 - s->n % 64) % 64);
    sha256_add(s, size, sizeof size);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_init(hmac *m, const void *key, size_t n) {
    uint8_t block[64] = {0}, inner[64], outer[64];
    if (n > sizeof block) {
        sha256 s;
        sha256_begin(&s);
        sha256_add(&s, key, n);
        sha256_end(&s, block);
    } else if (n) {
        memcpy(block, key, n);
    }
    for (int i = 0; i < 64; i++) inner[i] = block[i] ^ 0x36, outer[i] = block[i] ^ 0x5c;
    sha256_begin(&m->inner);
    sha256_add(&m->inner, inner, sizeof inner);
    sha256_begin(&m->outer);
    sha256_add(&m->outer, outer, sizeof outer);
}

void hmac_sign(const hmac *m, const bytes *parts, size_t n, char text[HMAC_TEXT + 1]) {
    static const char digits[] = "0123456789abcdef";
    sha256 s = m->inner;
    uint8_t digest[32];
    for (size_t i = 0; i < n; i++) sha256_add(&s, parts[i].data, parts[i].n);
    sha256_end(&s, digest);
    s = m->outer;
    sha256_add(&s, digest, sizeof digest);
    sha256_end(&s, digest);
    for (int i = 0; i < 32; i++)
        text[2 * i] = digits[digest[i] >> 4], text[2 * i + 1] = digits[digest[i] & 15];
    text[HMAC_TEXT] = 0;
}

bool hmac_equal(const char *a, const char *b, size_t n) {
    unsigned char differ = 0;
    for (size_t i = 0; i < n; i++) differ |= (unsigned char)(a[i] ^ b[i]);
    return *(volatile unsigned char *)&differ == 0;
}
