// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each task has an object of its own.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <vector>

typedef std::lock_guard<heddle::mutex> guard;

struct Counter {
    heddle::mutex lock;
    long value = 0;
};

int main()
{
    std::vector<Counter *> counters;
    for (int i = 0; i < 4; i++) {
        counters.push_back(new Counter);
        heddle::atomic(counters[i]->value);
    }
    heddle::parallel_for(0, 4, [&counters](int i) {
        Counter *counter = counters[i];
        long old;
        {
            guard held(counter->lock);
            old = counter->value;
        }
        guard held(counter->lock);
        counter->value = old + 1;
    });
    for (Counter *counter : counters)
        delete counter;
}
