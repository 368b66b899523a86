// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Constructor, virtual call and destructor touch the task's own object only.

#include <cstdio>

int destroyed, out[16];

struct Base {
    int key;
    explicit Base(int k) : key(k) {}
    virtual int weight() const { return key; }
    virtual ~Base()
    {
        key = 0;
    }
};

struct Heavy : Base {
    using Base::Base;
    int weight() const override { return key * 10; }
};

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            Base *object = i % 2 ? new Heavy(i) : new Base(i);
            out[i] = object->weight();
            delete object;
        }
    }
    printf("%d %d\n", out[15], destroyed);
}
