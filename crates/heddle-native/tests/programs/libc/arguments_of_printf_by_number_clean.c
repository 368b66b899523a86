// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// Only four characters are printed, and the fifth changes.

#include <stdio.h>

int main(void)
{
    char text[16] = "shared", out[64];
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(text, out)
        snprintf(out, sizeof out, "%2$d %3$f %1$.*4$s", text, 7, 2.5, 4);
        text[4] = 'X';
    }
    puts(out[0] == '7' ? "seven" : "?");
}
