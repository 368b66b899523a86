// expect: race 16 16
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The destructor counts in a shared variable.

#include <cstdio>

int destroyed, out[16];

struct Base {
    int key;
    explicit Base(int k) : key(k) {}
    virtual int weight() const { return key; }
    virtual ~Base()
    {
        destroyed++;
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
    puts("done");
}
