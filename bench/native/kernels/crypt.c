// Crypt: the IDEA cipher over a long text, there and back.
//
// After Lai and Massey, A Proposal for a New Block Encryption Standard (1990): eight rounds and a
// half on blocks of four 16-bit words. The text is cut into parts, and a task loop works them off.
// Seeded defect: every task takes one block more than its part.

#include "kernel.h"

enum { WORDS = 4, BLOCKS_PER_PART = 512, SUBKEYS = 52 };

#ifdef RACY
enum { EXTRA = 1 };
#else
enum { EXTRA = 0 };
#endif

static const uint16_t SECRET[8] = {1, 2, 3, 4, 5, 6, 7, 8};

// Modulo 2^16 + 1, where 0 stands for 2^16.
static inline uint16_t multiply(uint16_t a, uint16_t b) {
  uint64_t x = a == 0 ? 65536 : a;
  uint64_t y = b == 0 ? 65536 : b;
  return (uint16_t)(x * y % 65537);
}

// The modulus is prime, so the inverse is the power 2^16 - 1.
static uint16_t inverse(uint16_t a) {
  uint16_t power = a;
  for (int i = 1; i < 65535; i++) {
    power = multiply(power, a);
  }
  return power;
}

static void encryption_key(uint16_t *key) {
  for (int i = 0; i < SUBKEYS; i++) {
    int bit = (25 * (i / 8) + 16 * (i % 8)) % 128;
    uint32_t pair = (uint32_t)SECRET[bit / 16] << 16 | SECRET[(bit / 16 + 1) % 8];
    key[i] = (uint16_t)(pair >> (16 - bit % 16));
  }
}

// The subkeys in reverse sequence, each inverted for the operation it takes part in.
static void decryption_key(uint16_t *to, const uint16_t *key) {
  for (int round = 0; round < 9; round++, to += 6) {
    const uint16_t *from = &key[6 * (8 - round)];
    int swapped = round % 8 != 0;
    to[0] = inverse(from[0]);
    to[1] = (uint16_t)-from[1 + swapped];
    to[2] = (uint16_t)-from[2 - swapped];
    to[3] = inverse(from[3]);
    if (round < 8) {
      to[4] = key[6 * (7 - round) + 4];
      to[5] = key[6 * (7 - round) + 5];
    }
  }
}

static void cipher_block(const uint16_t *k, const uint16_t *from, uint16_t *to) {
  uint16_t a = from[0], b = from[1], c = from[2], d = from[3];
  for (int round = 0; round < 8; round++, k += 6) {
    a = multiply(a, k[0]), d = multiply(d, k[3]);
    b += k[1], c += k[2];
    uint16_t left = multiply(a ^ c, k[4]);
    uint16_t right = multiply((uint16_t)((b ^ d) + left), k[5]);
    left += right;
    a ^= right, d ^= left;
    uint16_t second = c ^ right;
    c = b ^ left, b = second;
  }
  to[0] = multiply(a, k[0]); // racy
  to[1] = c + k[1];          // racy
  to[2] = b + k[2];          // racy
  to[3] = multiply(d, k[3]); // racy
}

static void cipher_part(const uint16_t *key, const uint16_t *from, uint16_t *to, size_t first,
                        size_t end) {
  for (size_t block = first; block < end; block++) {
    cipher_block(key, &from[WORDS * block], &to[WORDS * block]);
  }
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void cipher(const uint16_t *key, const uint16_t *from, uint16_t *to, size_t blocks) {
  size_t part = least(BLOCKS_PER_PART, (blocks + 1) / 2);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (size_t first = 0; first < blocks; first += part) {
    cipher_part(key, from, to, first, least(blocks, first + part + EXTRA));
  }
}

int main(int count, char **words) {
  size_t blocks = size_argument(count, words);
  uint16_t *plain = room(WORDS * blocks, sizeof *plain);
  uint16_t *secret = room(WORDS * blocks, sizeof *secret);
  uint16_t *restored = room(WORDS * blocks, sizeof *restored);
  uint16_t key[SUBKEYS], inverse_key[SUBKEYS];
  Random random = random_of(5);
  for (size_t i = 0; i < WORDS * blocks; i++) {
    plain[i] = (uint16_t)random_bits(&random);
  }
  encryption_key(key);
  decryption_key(inverse_key, key);
  cipher(key, plain, secret, blocks);
  cipher(inverse_key, secret, restored, blocks);
  int lost = memcmp(plain, restored, 2 * WORDS * blocks) != 0;
  Digest digest = EMPTY_DIGEST;
  digest_bytes(&digest, (uint8_t *)secret, 2 * WORDS * blocks);
  free(plain), free(secret), free(restored);
  return print_digest(digest) || lost;
}
