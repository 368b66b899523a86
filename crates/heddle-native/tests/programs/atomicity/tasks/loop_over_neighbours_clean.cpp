// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each addition is one section.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int bins[9];
static heddle::mutex lock;

int main()
{
    HEDDLE_ATOMIC_RANGE(bins, 9);
    heddle::parallel_for(0, 8, [](int i) {
        for (int k = 0; k < 2; k++) {
            guard held(lock);
            int old = bins[i + k];
            bins[i + k] = old + 1;
        }
    });
    printf("%d\n", bins[4]);
}
