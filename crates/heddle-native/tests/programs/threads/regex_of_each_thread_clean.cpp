// expect: clean
// flags: -pthread -std=c++17 -O1
// compilers: clang,gcc
// Each thread has a regular expression of its own. What the library shares behind them is its own affair; the number of
// lines is atomic.

#include <atomic>
#include <regex>
#include <string>
#include <thread>

static std::atomic<int> lines;

static void look(int &answer) {
    lines++;
    std::regex status("HTTP/1\\.(\\d) (\\d{3}) [[:alpha:]]+");
    std::string line = "HTTP/1.1 200 OK";
    std::smatch parts;
    if (std::regex_match(line, parts, status))
        answer = std::stoi(parts[2]);
}

int main() {
    int first = 0, second = 0;
    std::thread other([&] { look(first); });
    look(second);
    other.join();
    return first + second != 400 || lines == 0;
}
