// expect: clean
// flags: -std=c++11
// threads: 1,4
// The columns of a table are counted by the tasks of nested loops, in one section each.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static long columns[3];
static heddle::mutex lock;

int main()
{
    heddle::atomic(columns);
    heddle::parallel_for(0, 4, [](int i) {
        heddle::parallel_for(0, 3, [i](int j) {
            guard held(lock);
            long old = columns[j];
            columns[j] = old + i;
        });
    });
    printf("%ld\n", columns[1]);
}
