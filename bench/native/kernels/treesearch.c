// TreeSearch: the nodes of a tree that is known only by growing it, counted.
//
// How many children a node has follows from its number alone, so that subtrees differ in size by
// orders of magnitude. One task per node; the rules of the tree are global, and each task that has
// children reads them again for each child.
// Seeded defect: the children of a node add to one count.

#include "kernel.h"

// The rules: so many of a million nodes have so many children each, and the root has its own number.
// Less than one child in the mean: the tree is finite, but barely.
static struct {
  uint64_t in_a_million, children, roots;
} rules = {124000, 8, 0};

typedef struct {
  uint64_t number;
  int depth;
} Node;

typedef struct {
  uint64_t nodes, leaves;
  int deepest;
} Tree;

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static uint64_t fan_out(Node node) {
  return node.number % 1000000 < rules.in_a_million ? rules.children : 0;
}

static void grow(Node node, uint64_t children, Tree *tree);

// The tree below a node with children.
static void branch(Node node, uint64_t children, Tree *tree) {
  Tree *below = own_room(children, sizeof *below);
  for (uint64_t i = 0; i < children; i++) {
    Node child = {mixed(node.number * 31 + i + 1), node.depth + 1};
    uint64_t its = fan_out(child);
#ifdef RACY
#pragma omp task firstprivate(child, its)
    grow(child, its, &below[0]);
#else
#pragma omp task firstprivate(child, its, i)
    grow(child, its, &below[i]);
#endif
  }
#pragma omp taskwait
  for (uint64_t i = 0; i < children; i++) {
    tree->nodes += below[i].nodes; // racy
    tree->leaves += below[i].leaves; // racy
    tree->deepest = below[i].deepest > tree->deepest ? below[i].deepest : tree->deepest; // racy
  }
  free(below);
}

static void grow(Node node, uint64_t children, Tree *tree) {
  tree->nodes += 1; // racy
  if (children == 0) {
    tree->leaves += 1; // racy
    tree->deepest = node.depth > tree->deepest ? node.depth : tree->deepest; // racy
    return;
  }
  branch(node, children, tree);
}

int main(int count, char **words) {
  rules.roots = size_argument(count, words);
  Tree tree = {0, 0, 0};
#pragma omp parallel
#pragma omp single
  grow((Node){41, 0}, rules.roots, &tree);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, tree.nodes);
  digest_add(&digest, tree.leaves);
  digest_add(&digest, (uint64_t)tree.deepest);
  return print_digest(digest);
}
