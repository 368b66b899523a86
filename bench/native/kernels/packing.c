// Packing: rectangles laid on a board so that the box around them is as small as can be.
//
// Branch and bound: one task per place of a rectangle, beside or below one laid before, either way up.
// Each task has its own copy of the board; it is given up when its box is no smaller than the best one known.
// Seeded defect: the best one known is compared and replaced without protection.

#include "kernel.h"

enum { SIDE = 64, MOST = 16 };

typedef struct {
  int height, width;
} Size;

typedef struct {
  uint8_t cells[SIDE][SIDE];
  Size box;
  // Where rectangles were laid: top, left, and the first row and column beyond.
  int8_t laid[MOST][4];
} Board;

static Size pieces[MOST];
static int piece_count;
static int best = SIDE * SIDE;

static int best_known(void) {
  int area;
#ifndef RACY
#pragma omp atomic read
#endif
  area = best; // racy
  return area;
}

static void improve(int area) {
#ifndef RACY
#pragma omp critical
#endif
  if (area < best) { // racy
#ifndef RACY
#pragma omp atomic write
#endif
    best = area; // racy
  }
}

static int is_free(const Board *board, int top, int left, Size size) {
  for (int row = top; row < top + size.height; row++) {
    for (int column = left; column < left + size.width; column++) {
      if (board->cells[row][column] != 0) {
        return 0;
      }
    }
  }
  return 1;
}

static void lay(Board *board, int piece, int top, int left, Size size) {
  int bottom = top + size.height, right = left + size.width;
  for (int row = top; row < bottom; row++) {
    memset(&board->cells[row][left], piece + 1, (size_t)size.width);
  }
  board->laid[piece][0] = (int8_t)top, board->laid[piece][1] = (int8_t)left;
  board->laid[piece][2] = (int8_t)bottom, board->laid[piece][3] = (int8_t)right;
  board->box.height = bottom > board->box.height ? bottom : board->box.height;
  board->box.width = right > board->box.width ? right : board->box.width;
}

static void search(const Board *board, int piece);

// The piece at this place, and what follows from it.
static void place(const Board *board, int piece, int top, int left, Size size) {
  if (top + size.height > SIDE || left + size.width > SIDE || !is_free(board, top, left, size)) {
    return;
  }
  Board own;
  memcpy(&own, board, sizeof own);
  lay(&own, piece, top, left, size);
  if (own.box.height * own.box.width >= best_known()) {
    return;
  }
  if (piece + 1 == piece_count) {
    improve(own.box.height * own.box.width);
  } else {
    search(&own, piece + 1);
  }
}

static void search(const Board *board, int piece) {
  for (int turned = 0; turned < 2; turned++) {
    Size size = pieces[piece];
    size = turned ? (Size){size.width, size.height} : size;
    for (int beside = 0; beside < piece; beside++) {
      const int8_t *other = board->laid[beside];
#pragma omp task
      place(board, piece, other[0], other[3], size);
#pragma omp task
      place(board, piece, other[2], other[1], size);
    }
  }
#pragma omp taskwait
}

int main(int count, char **words) {
  piece_count = (int)size_argument(count, words);
  if (piece_count > MOST) {
    return 2;
  }
  Random random = random_of(47);
  for (int i = 0; i < piece_count; i++) {
    pieces[i].height = 2 + (int)(random_bits(&random) % 6);
    pieces[i].width = 2 + (int)(random_bits(&random) % 9);
  }
  Board board;
  memset(&board, 0, sizeof board);
  lay(&board, 0, 0, 0, pieces[0]);
#pragma omp parallel
#pragma omp single
  search(&board, 1);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, (uint64_t)best);
  return print_digest(digest);
}
