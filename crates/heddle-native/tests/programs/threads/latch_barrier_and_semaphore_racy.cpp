// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// One of them is not waited for.

#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main()
{
    std::latch started(3);
    std::barrier<> round(3);
    std::binary_semaphore done(0);
    int first[3], second[3], sums[3], third = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            first[i] = i;
            started.arrive_and_wait();
            second[i] = first[(i + 1) % 3];
            (void)round.arrive();
            // Whoever comes last finds the others' work handed over; the first does not.
            sums[i] = second[0] + second[1] + second[2];
            if (i == 0) {
                third = sums[0];
                done.release();
            }
        });
    done.acquire();
    std::printf("%d\n", third >= 0);
    for (auto &thread : threads)
        thread.join();
}
