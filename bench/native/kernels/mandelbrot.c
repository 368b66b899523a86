// Mandelbrot: the set as a bitmap of one bit per point, eight points in a byte.
//
// Rows are handed out one by one. They begin at a byte, so that no byte belongs to two of them.
// Seeded defect: rows follow each other bit by bit, so that neighbours share a byte.

#include "kernel.h"

enum { ITERATIONS = 50 };

static int inside(size_t size, size_t x, size_t y) {
  double scale = 2.0 / (double)size;
  double real = (double)x * scale - 1.5, imaginary = (double)y * scale - 1.0;
  double r = 0.0, i = 0.0;
  for (int step = 0; step < ITERATIONS; step++) {
    double next = r * r - i * i + real;
    i = 2.0 * r * i + imaginary;
    r = next;
    if (r * r + i * i > 4.0) {
      return 0;
    }
  }
  return 1;
}

static void draw_row(uint8_t *bitmap, size_t size, size_t y) {
#ifdef RACY
  size_t start = y * size;
#else
  size_t start = y * ((size + 7) / 8) * 8;
#endif
  for (size_t x = 0; x < size; x++) {
    if (inside(size, x, y)) {
      bitmap[(start + x) / 8] |= (uint8_t)(0x80 >> (start + x) % 8); // racy
    }
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words), bytes = size * ((size + 7) / 8);
  uint8_t *bitmap = room(bytes, 1);
#pragma omp parallel for schedule(dynamic)
  for (size_t y = 0; y < size; y++) {
    draw_row(bitmap, size, y);
  }
  Digest digest = EMPTY_DIGEST;
  digest_bytes(&digest, bitmap, bytes);
  free(bitmap);
  return print_digest(digest);
}
