// NQueens: in how many ways that many queens stand on a board without threat.
//
// One task per queen of the first rows, each with its own copy of the board.
// Seeded defect: the tasks of a row share one board.

#include "kernel.h"

enum { TASK_ROWS = 5, MOST = 16 };

static int safe(const uint8_t *board, int row, int column) {
  for (int above = 0; above < row; above++) {
    int off = board[above] - column; // racy
    if (off == 0 || off == row - above || off == above - row) {
      return 0;
    }
  }
  return 1;
}

static uint64_t serial(uint8_t *board, int row, int size) {
  uint64_t ways = 0;
  if (row == size) {
    return 1;
  }
  for (int column = 0; column < size; column++) {
    if (safe(board, row, column)) {
      board[row] = (uint8_t)column; // racy
      ways += serial(board, row + 1, size);
    }
  }
  return ways;
}

static uint64_t place(uint8_t *board, int row, int size);

// The ways with a queen in this column of the row.
static uint64_t branch(uint8_t *board, int row, int column, int size) {
#ifdef RACY
  board[row] = (uint8_t)column; // racy
  return place(board, row + 1, size);
#else
  uint8_t own[MOST];
  memcpy(own, board, (size_t)row);
  own[row] = (uint8_t)column;
  return place(own, row + 1, size);
#endif
}

static uint64_t place(uint8_t *board, int row, int size) {
  uint64_t ways[MOST] = {0}, sum = 0;
  if (row == size || row >= TASK_ROWS) {
    return serial(board, row, size);
  }
  for (int column = 0; column < size; column++) {
    if (safe(board, row, column)) {
#pragma omp task shared(ways)
      ways[column] = branch(board, row, column, size);
    }
  }
#pragma omp taskwait
  for (int column = 0; column < size; column++) {
    sum += ways[column];
  }
  return sum;
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  uint8_t board[MOST] = {0};
  uint64_t ways = 0;
  if (size > MOST) {
    return 2;
  }
#pragma omp parallel
#pragma omp single
  ways = place(board, 0, (int)size);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, ways);
  return print_digest(digest);
}
