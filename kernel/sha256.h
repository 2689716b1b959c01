/* SHA-256 (FIPS 180-4) and HMAC signatures (RFC 2104). All state is the caller's: any thread may
 * sign. */
#ifndef GPA_SHA256_H
#define GPA_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/comm.h"

typedef gpa_buffer bytes;

typedef struct {
    uint32_t h[8];
    uint8_t block[64];
    uint64_t n; /* bytes hashed so far, and buffered */
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *data, size_t n);
void sha256_end(sha256 *s, uint8_t digest[32]);

/* A prepared HMAC key: inner and outer hash after their first block. */
typedef struct {
    sha256 inner, outer;
} hmac;

enum { HMAC_TEXT = 64 };
void hmac_init(hmac *m, const void *key, size_t n);
/* HMAC of the concatenated parts, in lower-case hexadecimal. */
void hmac_sign(const hmac *m, const bytes *parts, size_t n, char text[HMAC_TEXT + 1]);
/* Constant-time comparison: true if two texts of n bytes are equal. */
bool hmac_equal(const char *a, const char *b, size_t n);

#endif
