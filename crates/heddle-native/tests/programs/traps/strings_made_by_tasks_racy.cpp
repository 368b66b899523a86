// expect: race 21 21
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The tasks store a character into one string.

#include <cstdio>
#include <cstring>
#include <string>

int main()
{
    std::string shared_text = "0123456789";
    int out[16] = {0};
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task shared(shared_text, out)
        {
            std::string text = "task number " + std::to_string(i) + std::string(i * 3, '.');
            out[i] = static_cast<int>(text.size());
            shared_text[4] = 'x';
        }
    }
    puts("done");
}
