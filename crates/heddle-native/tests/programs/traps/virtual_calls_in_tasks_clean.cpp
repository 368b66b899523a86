// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each task has its own object.

#include <cstdio>

struct Shape {
    virtual ~Shape() = default;
    virtual void grow() = 0;
};

struct Square : Shape {
    int side = 1;
    void grow() override
    {
        side = 2;
    }
};

int main()
{
    Square shapes[4];
    Shape *all[4];
    for (int i = 0; i < 4; i++)
        all[i] = &shapes[i];
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task shared(all)
        all[i]->grow();
    }
    printf("%d\n", shapes[3].side);
}
