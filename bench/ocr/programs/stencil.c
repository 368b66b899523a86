// A stencil in one dimension: in every step each piece waits for itself and its neighbours of the step before.

#include <ocr.h>
#include <stdlib.h>

#define CELLS 256

static u64 pieces, steps;
static ocrGuid_t *blocks[2], *done;

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    double *to = depv[0].ptr;
    const double *left = depv[1].ptr, *own = depv[2].ptr, *right = depv[3].ptr;
    to[0] = (left[CELLS - 1] + own[0] + own[1]) / 3;
    for (int i = 1; i < CELLS - 1; i++)
        to[i] = (own[i - 1] + own[i] + own[i + 1]) / 3;
    to[CELLS - 1] = (own[CELLS - 2] + own[CELLS - 1] + right[0]) / 3;
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const double *some = depv[0].ptr;
    ocrPrintf("%s %f\n", some[0] >= 0 ? "PASSED" : "FAILED", some[0]);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t event(u64 at, u64 piece) { return done[at * pieces + piece]; }

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    pieces = ocrGetArgc(depv[0].ptr) > 1 ? strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 8;
    steps = ocrGetArgc(depv[0].ptr) > 2 ? strtoul(ocrGetArgv(depv[0].ptr, 2), NULL, 10) : 8;
    done = malloc((steps + 1) * pieces * sizeof(ocrGuid_t));
    for (int half = 0; half < 2; half++) {
        blocks[half] = malloc(pieces * sizeof(ocrGuid_t));
        for (u64 i = 0; i < pieces; i++) {
            double *place;
            ocrDbCreate(&blocks[half][i], (void **)&place, CELLS * sizeof(double), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
            for (int j = 0; j < CELLS; j++)
                place[j] = i + j;
            ocrDbRelease(blocks[half][i]);
        }
    }
    for (u64 at = 0; at <= steps; at++)
        for (u64 i = 0; i < pieces; i++)
            ocrEventCreate(&done[at * pieces + i], OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrGuid_t template, end;
    ocrEdtTemplateCreate(&template, last, 0, 1 + pieces);
    ocrEdtCreate(&end, template, 0, NULL, 1 + pieces, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(blocks[steps % 2][0], end, 0, DB_MODE_CONST);
    for (u64 i = 0; i < pieces; i++)
        ocrAddDependence(event(steps, i), end, 1 + i, DB_MODE_NULL);
    ocrEdtTemplateCreate(&template, step, 0, 7);
    for (u64 at = 0; at < steps; at++) {
        for (u64 i = 0; i < pieces; i++) {
            u64 near[3] = {(i + pieces - 1) % pieces, i, (i + 1) % pieces};
            ocrGuid_t edt, output = event(at + 1, i);
            ocrEdtCreate(&edt, template, 0, NULL, 7, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &output);
            ocrAddDependence(blocks[(at + 1) % 2][i], edt, 0, DB_MODE_RW);
            for (int side = 0; side < 3; side++) {
                ocrAddDependence(blocks[at % 2][near[side]], edt, 1 + side, DB_MODE_CONST);
                ocrAddDependence(event(at, near[side]), edt, 4 + side, DB_MODE_NULL);
            }
        }
    }
    for (u64 i = 0; i < pieces; i++)
        ocrEventSatisfy(event(0, i), NULL_GUID);
    return NULL_GUID;
}
