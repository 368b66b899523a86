// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The callback runs in the thread that asks to stop, or in the one that asks too late.

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
            
        });
        log += "started, and this is long enough for the heap";
        worker.request_stop();
        
        worker.join();
    }
    log += "stopped";
    std::printf("%d\n", steps >= 0);
}
