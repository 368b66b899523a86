// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each task builds its own string, short ones on the stack and long ones on the heap.

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
        }
    }
    printf("%d %s\n", out[15], shared_text.c_str());
}
