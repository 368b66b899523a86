// expect: race 13:20 19:20
// flags: -fopenmp -O2
// threads: 1,4
// Both loops take the field x.

struct point { short x, y; int weight; char tag[3]; };

struct point point[50];

__attribute__((noinline)) void move_x(struct point *point, int count)
{
    for (int i = 0; i < count; i++)
        point[i].x += 2;
}

__attribute__((noinline)) void move_y(struct point *point, int count)
{
    for (int i = 0; i < count; i++)
        point[i].x += 3;
}

__attribute__((noinline)) void tags(struct point *point, int count)
{
    for (int i = 0; i < count; i++) {
        point[i].tag[0] = 1;
        point[i].tag[1] = 2;
        point[i].tag[2] = 3;
    }
}

__attribute__((noinline)) int weights(const struct point *point, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += point[i].weight;
    return sum;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        move_x(point, 50);
        #pragma omp task
        move_y(point, 50);
        #pragma omp task
        tags(point, 50);
        #pragma omp task
        weights(point, 50);
    }
    return 0;
}
