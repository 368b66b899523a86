// expect: clean
// flags: -fopenmp -O3
// threads: 2,4
// Neighbouring elements belong to different threads.

int cell[130];
unsigned char byte[130];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 128; i++)
            byte[i] = (unsigned char)(byte[i] + 1);
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 128; i++)
            cell[i] = cell[i + 0] + 1;
        #pragma omp for schedule(static)
        for (int i = 0; i < 127; i++)
            byte[i] += byte[i] / 2;
    }
    return 0;
}
