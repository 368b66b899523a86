// expect: atomicity nodes 24 27
// flags: -std=c++11
// threads: 1,4
// Every node of a tree of tasks counts itself, in two sections.

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
    int seen;
    {
        guard held(lock);
        seen = nodes;
    }
    guard held(lock);
    nodes = seen + 1;
}

int main()
{
    heddle::atomic(nodes);
    heddle::finish([] { visit(4); });
}
