// expect: atomicity words
// flags: -std=c++17 -pthread
// compilers: clang,gcc
// Whether there are many is asked in one section, and they are dropped in another.

#include <cstdio>
#include <heddle.hpp>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

std::mutex mutex;
std::map<std::string, std::vector<int>> words;
HEDDLE_GUARDED_BY(mutex, words);

void add(const std::string &word, int at)
{
    std::lock_guard<std::mutex> lock(mutex);
    words[word].push_back(at);
}

void drop_if_many(const std::string &word)
{
    bool are_many;
    {
        std::lock_guard<std::mutex> lock(mutex);
        auto found = words.find(word);
        are_many = found != words.end() && found->second.size() > 3;
    }
    if (are_many) {
        std::lock_guard<std::mutex> lock(mutex);
        words.erase(word);
    }
}

int main()
{
    auto work = [](int first) {
        for (int i = 0; i < 40; i++) {
            std::string word = "word " + std::to_string(i % 4);
            add(word, first + i);
            if (i % 5 == 0)
                drop_if_many(word);
        }
    };
    std::thread one(work, 0), other(work, 100);
    one.join();
    other.join();
    std::printf("%d\n", words.size() <= 4);
}
