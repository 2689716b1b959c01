/* The PNG is written without compression, which needs no library: a few kilobytes. */
#include "kernel/logo.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A square with round corners; the whole picture is 64 units wide. */
typedef struct {
    double x, y, edge, radius;
    uint32_t rgb;
} square;

enum { N_SQUARES = 10, MAX_SIZE = 128 };

static void describe(square s[N_SQUARES]) {
    static const uint32_t colours[] = {0x3b6fb6, 0x2a93b0, 0x35b779, 0x8fd744,
                                       0xfde725}; /* by diagonal */
    s[0] = (square){0, 0, 64, 12, 0x1e2235};
    for (int i = 0; i < 9; i++)
        s[1 + i] = (square){9 + i % 3 * 16.5, 9 + i / 3 * 16.5, 13, 3, colours[i % 3 + i / 3]};
}

void logo_svg(FILE *f) {
    square s[N_SQUARES];
    describe(s);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\n", f);
    for (int i = 0; i < N_SQUARES; i++)
        fprintf(f,
                "  <rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"#%06x\"/>\n",
                s[i].x, s[i].y, s[i].edge, s[i].edge, s[i].radius, (unsigned)s[i].rgb);
    fputs("</svg>\n", f);
}

/* ---- PNG ---- */

static bool inside(const square *s, double x, double y) {
    double half = s->edge / 2, dx = fabs(x - s->x - half) - half + s->radius,
           dy = fabs(y - s->y - half) - half + s->radius;
    return dx <= s->radius && dy <= s->radius && (dx <= 0 || dy <= 0 || hypot(dx, dy) <= s->radius);
}

/* The mean of 4 by 4 samples: colour and opacity. */
static void pixel(const square *s, double x, double y, double step, uint8_t rgba[4]) {
    int sum[3] = {0}, hits = 0;
    for (int k = 0; k < 16; k++) {
        double px = x + (k % 4 + 0.5) * step / 4, py = y + (k / 4 + 0.5) * step / 4;
        int top = N_SQUARES - 1;
        while (top >= 0 && !inside(&s[top], px, py)) top--;
        if (top < 0) continue;
        hits++;
        for (int c = 0; c < 3; c++) sum[c] += (int)(s[top].rgb >> (16 - 8 * c) & 255);
    }
    for (int c = 0; c < 3; c++) rgba[c] = (uint8_t)(hits ? sum[c] / hits : 0);
    rgba[3] = (uint8_t)(hits * 255 / 16);
}

static uint32_t crc(uint32_t sum, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sum ^= p[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return sum;
}

static void big_endian(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void put_chunk(FILE *f, const char *type, const uint8_t *data, size_t n) {
    uint8_t head[8], tail[4];
    big_endian(head, (uint32_t)n);
    memcpy(head + 4, type, 4);
    big_endian(tail, ~crc(crc(0xffffffff, head + 4, 4), data, n));
    fwrite(head, 1, sizeof head, f);
    fwrite(data, 1, n, f);
    fwrite(tail, 1, sizeof tail, f);
}

/* zlib's format around one row per stored block. */
static size_t pack(const square *s, int size, uint8_t *out) {
    size_t at = 0, row = 1 + 4 * (size_t)size;
    uint32_t a = 1, b = 0;
    out[at++] = 0x78, out[at++] = 0x01;
    for (int y = 0; y < size; y++) {
        out[at++] = y == size - 1;
        out[at++] = (uint8_t)row, out[at++] = (uint8_t)(row >> 8);
        out[at++] = (uint8_t)~row, out[at++] = (uint8_t)(~row >> 8);
        out[at] = 0; /* this row is not filtered */
        double step = 64.0 / size;
        for (int x = 0; x < size; x++) pixel(s, x * step, y * step, step, out + at + 1 + 4 * x);
        for (size_t i = 0; i < row; i++) a = (a + out[at + i]) % 65521, b = (b + a) % 65521;
        at += row;
    }
    big_endian(out + at, b << 16 | a);
    return at + 4;
}

void logo_png(FILE *f, int size) {
    static uint8_t data[2 + MAX_SIZE * (6 + 4 * MAX_SIZE) + 4];
    uint8_t head[13] = {[8] = 8, [9] = 6}; /* eight bits, colour with opacity */
    square s[N_SQUARES];
    describe(s);
    big_endian(head, (uint32_t)size);
    big_endian(head + 4, (uint32_t)size);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
    put_chunk(f, "IHDR", head, sizeof head);
    put_chunk(f, "IDAT", data, pack(s, size, data));
    put_chunk(f, "IEND", head, 0);
}
