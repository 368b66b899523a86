// Look-ups of the shape of RSBench: for each, the nuclides of a material, and of each the poles of a window, from which
// a cross section is computed. Rounds of chains of three tasks, each round in a finish EDT.

#include <complex.h>
#include <math.h>
#include <ocr.h>
#include <stdlib.h>

#define NUCLIDES 68
#define WINDOWS 100
#define POLES 10
#define KINDS 4
#define ROUND 1024

typedef struct {
    double complex at, total, absorbed, split;
    int kind;
} Pole;

typedef struct {
    double total, absorbed, split;
} Window;

static ocrGuid_t poles_block, windows_block, template_of_look_up, template_of_round, template_of_manager;
static u64 wanted;

static u64 next(u64 seed) { return seed * 6364136223846793005u + 1442695040888963407u; }

/* The cross section of a nuclide at an energy. */
static double section(const Pole *poles, const Window *windows, double energy)
{
    int at = (int)(energy * WINDOWS);
    double complex shifts[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        double angle = 2 * (sqrt(energy) * (kind + 1) - atan(energy * kind));
        shifts[kind] = cos(angle) - sin(angle) * I;
    }
    double total = energy * windows[at].total, absorbed = energy * windows[at].absorbed;
    double split = energy * windows[at].split;
    for (int i = 0; i < POLES; i++) {
        const Pole *pole = &poles[at * POLES + i];
        double complex near = 1 / (pole->at - sqrt(energy)) / energy;
        total += creal(pole->total * near * shifts[pole->kind]);
        absorbed += creal(pole->absorbed * near);
        split += creal(pole->split * near);
    }
    return total - absorbed + split;
}

static ocrGuid_t look_up(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const Pole *poles = depv[0].ptr;
    const Window *windows = depv[1].ptr;
    u64 seed = next(paramv[0]);
    double energy = (double)(seed >> 40) / (1 << 24), sum = 0;
    int nuclides = 4 + (int)(next(seed) >> 33) % 30;
    for (int i = 0; i < nuclides; i++) {
        int nuclide = (i * 2 + (int)(seed >> 60)) % NUCLIDES;
        sum += section(poles + nuclide * WINDOWS * POLES, windows + nuclide * WINDOWS, energy);
    }
    if (isnan(sum))
        ocrPrintf("never\n");
    u64 params[2] = {seed, paramv[1] - 1};
    if (params[1] > 0) {
        ocrGuid_t edt, blocks[2] = {poles_block, windows_block};
        ocrEdtCreate(&edt, template_of_look_up, 2, params, 2, blocks, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    for (u64 i = paramv[0]; i < paramv[0] + ROUND && i < wanted; i++) {
        ocrGuid_t edt, blocks[2] = {poles_block, windows_block};
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
    Pole *poles;
    Window *windows;
    ocrGuid_t edt;
    u64 first = 0;
    wanted = ocrGetArgc(depv[0].ptr) > 1 ? strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 1000;
    ocrDbCreate(&poles_block, (void **)&poles, NUCLIDES * WINDOWS * POLES * sizeof(Pole), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    ocrDbCreate(&windows_block, (void **)&windows, NUCLIDES * WINDOWS * sizeof(Window), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (int i = 0; i < NUCLIDES * WINDOWS * POLES; i++)
        poles[i] = (Pole){i + 2 * I, 1 + i * I, 2 - I, 3 + I, i % KINDS};
    for (int i = 0; i < NUCLIDES * WINDOWS; i++)
        windows[i] = (Window){i, 1, 2};
    ocrDbRelease(poles_block);
    ocrDbRelease(windows_block);
    ocrEdtTemplateCreate(&template_of_look_up, look_up, 2, 2);
    ocrEdtTemplateCreate(&template_of_round, round_of, 1, 1);
    ocrEdtTemplateCreate(&template_of_manager, manager, 1, 1);
    ocrEdtCreate(&edt, template_of_manager, 1, &first, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
