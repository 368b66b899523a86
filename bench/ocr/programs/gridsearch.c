// Look-ups of the shape of XSBench: for each, an energy is searched for in a grid, and for every nuclide of a material
// five cross sections are interpolated. Rounds of chains of three tasks, each round in a finish EDT.

#include <ocr.h>
#include <stdlib.h>

#define NUCLIDES 68
#define POINTS 100
#define ENERGIES (NUCLIDES * POINTS)
#define SECTIONS 5
#define ROUND 1024

typedef struct {
    double energy, sections[SECTIONS];
} Point;

typedef struct {
    double energy;
    int points[NUCLIDES];
} Row;

static ocrGuid_t blocks[2], template_of_look_up, template_of_round, template_of_manager;
static u64 wanted;

static u64 next(u64 seed) { return seed * 6364136223846793005u + 1442695040888963407u; }

/* The last row whose energy is not above. */
static int find(const Row *rows, double energy)
{
    int low = 0, high = ENERGIES - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (rows[middle].energy > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static ocrGuid_t look_up(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const Row *rows = depv[0].ptr;
    const Point *points = depv[1].ptr;
    u64 seed = next(paramv[0]);
    double energy = (double)(seed >> 40) / (1 << 24), sums[SECTIONS] = {0};
    int nuclides = 4 + (int)(next(seed) >> 33) % 30;
    const Row *row = &rows[find(rows, energy)];
    for (int i = 0; i < nuclides; i++) {
        int nuclide = (i * 2 + (int)(seed >> 60)) % NUCLIDES;
        const Point *low = &points[nuclide * POINTS + row->points[nuclide]], *high = low + 1;
        double part = (high->energy - energy) / (high->energy - low->energy);
        for (int k = 0; k < SECTIONS; k++)
            sums[k] += high->sections[k] - part * (high->sections[k] - low->sections[k]);
    }
    if (sums[0] < 0)
        ocrPrintf("never\n");
    u64 params[2] = {seed, paramv[1] - 1};
    if (params[1] > 0) {
        ocrGuid_t edt;
        ocrEdtCreate(&edt, template_of_look_up, 2, params, 2, blocks, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    for (u64 i = paramv[0]; i < paramv[0] + ROUND && i < wanted; i++) {
        ocrGuid_t edt;
        u64 params[2] = {i + 1, 3};
        ocrEdtCreate(&edt, template_of_look_up, 2, params, 2, blocks, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t manager(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    if (paramv[0] >= wanted) {
        ocrPrintf("PASSED %lu look-ups\n", (unsigned long)wanted);
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t done, edt, after;
    u64 following = paramv[0] + ROUND;
    ocrEdtCreate(&edt, template_of_round, 1, paramv, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done);
    ocrEdtCreate(&after, template_of_manager, 1, &following, 1, &done, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    Row *rows;
    Point *points;
    ocrGuid_t edt;
    u64 first = 0;
    wanted = ocrGetArgc(depv[0].ptr) > 1 ? strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 1000;
    ocrDbCreate(&blocks[0], (void **)&rows, ENERGIES * sizeof(Row), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    ocrDbCreate(&blocks[1], (void **)&points, NUCLIDES * POINTS * sizeof(Point), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (int i = 0; i < ENERGIES; i++) {
        rows[i].energy = (double)i / ENERGIES;
        for (int nuclide = 0; nuclide < NUCLIDES; nuclide++)
            rows[i].points[nuclide] = i / NUCLIDES == POINTS - 1 ? POINTS - 2 : i / NUCLIDES;
    }
    for (int i = 0; i < NUCLIDES * POINTS; i++)
        points[i] = (Point){(double)(i % POINTS) / POINTS, {i, 1, 2, 3, 4}};
    ocrDbRelease(blocks[0]);
    ocrDbRelease(blocks[1]);
    ocrEdtTemplateCreate(&template_of_look_up, look_up, 2, 2);
    ocrEdtTemplateCreate(&template_of_round, round_of, 1, 1);
    ocrEdtTemplateCreate(&template_of_manager, manager, 1, 1);
    ocrEdtCreate(&edt, template_of_manager, 1, &first, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
