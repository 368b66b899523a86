// expect: race 18:21 18:23
// flags: -fopenmp -O3
// threads: 2,4
// At the end of a chunk an element of the next thread is read.

int cell[130];
unsigned char byte[130];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 128; i++)
            byte[i] = (unsigned char)(byte[i] + 1);
        #pragma omp for schedule(static, 7)
        for (int i = 0; i < 128; i++)
            cell[i] = cell[i + 1] + 1;
        #pragma omp for schedule(static)
        for (int i = 0; i < 127; i++)
            byte[i] += byte[i] / 2;
    }
    return 0;
}
