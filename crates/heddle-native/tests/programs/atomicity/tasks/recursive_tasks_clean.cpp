// expect: clean
// flags: -std=c++11
// threads: 1,4
// Every node of a tree of tasks counts itself, in one section.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int nodes;
static heddle::mutex lock;

static void visit(int depth)
{
    if (depth > 0) {
        heddle::async([depth] { visit(depth - 1); });
        heddle::async([depth] { visit(depth - 1); });
    }
    guard held(lock);
    int seen = nodes;
    nodes = seen + 1;
}

int main()
{
    heddle::atomic(nodes);
    heddle::finish([] { visit(4); });
}
