// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The log is written by both without a lock.

#include <atomic>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>

int main()
{
    std::string log;
    int steps = 0;
    {
        std::jthread worker([&](std::stop_token stop) {
            while (!stop.stop_requested()) {
                steps++;
                std::this_thread::yield();
            }
            log += "ended";
        });
        log += "started, and this is long enough for the heap";
        worker.request_stop();
        log += "stopping";
        worker.join();
    }
    log += "stopped";
    std::printf("%d\n", steps >= 0);
}
