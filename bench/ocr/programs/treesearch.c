// An unbalanced tree, as UTS: each task has a block that its parent wrote, makes children with blocks of their own, and a
// latch tells when all are done.

#include <ocr.h>
#include <stdlib.h>

#define WORK 200

typedef struct {
    u64 seed, budget;
} node;

static ocrGuid_t latch;

static u64 next(u64 seed) { return seed * 6364136223846793005u + 1442695040888963407u; }

static ocrGuid_t visit(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static void plant(u64 seed, u64 budget)
{
    ocrGuid_t block, template, edt;
    node *place;
    ocrDbCreate(&block, (void **)&place, sizeof(node), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    place->seed = seed;
    place->budget = budget;
    ocrDbRelease(block);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    ocrEdtTemplateCreate(&template, visit, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtTemplateDestroy(template);
    ocrAddDependence(block, edt, 0, DB_MODE_RW);
}

static ocrGuid_t visit(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    node *own = depv[0].ptr;
    for (int i = 0; i < WORK; i++)
        own->seed = next(own->seed);
    u64 left = own->budget - 1;
    for (u64 child = 0; left > 0; child++) {
        u64 share = child == 3 ? left : 1 + (own->seed >> 32) % left;
        plant(next(own->seed + child), share);
        left -= share;
    }
    ocrDbDestroy(depv[0].guid);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("PASSED\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    u64 wanted = ocrGetArgc(depv[0].ptr) > 1 ? strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 1000;
    ocrGuid_t template, end;
    ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE);
    ocrEdtTemplateCreate(&template, last, 0, 1);
    ocrEdtCreate(&end, template, 0, NULL, 1, &latch, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    plant(42, wanted);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    return NULL_GUID;
}
