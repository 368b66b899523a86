// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Untied tasks that write their own elements.

#include <stdio.h>

int x[4];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 4; i++) {
            #pragma omp task untied firstprivate(i)
            {
                #pragma omp taskyield
                x[i] = i;
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", x[3]);
}
