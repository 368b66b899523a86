// expect: atomicity 23 26
// flags: -std=c++11
// threads: 1,4
// Iterations add to their own bin and to the next one; the bins at the seams are torn.

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
            int old;
            {
                guard held(lock);
                old = bins[i + k];
            }
            guard held(lock);
            bins[i + k] = old + 1;
        }
    });
    printf("%d\n", bins[4]);
}
