// with RACY: race
// A channel passes each satisfaction to one dependence, first come first served. With RACY the first block is
// written after it was sent.

#include <ocr.h>

/* A task of this function with so many dependences. */
static ocrGuid_t create(ocrEdt_t function, u32 depc, u16 properties, ocrGuid_t *output)
{
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, function, 0, depc);
    ocrEdtCreate(&edt, template, 0, NULL, depc, NULL, properties, NULL_HINT, output);
    ocrEdtTemplateDestroy(template);
    return edt;
}

/* A data block of one number. */
static ocrGuid_t number(int value)
{
    ocrGuid_t block;
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = value;
    ocrDbRelease(block);
    return block;
}

static ocrGuid_t channel;

static ocrGuid_t producer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
    ocrEventSatisfy(channel, depv[0].guid);
#ifdef RACY
    *(int *)depv[0].ptr += 1;
#endif
    *(int *)depv[1].ptr += 1;
    ocrEventSatisfy(channel, depv[1].guid);
    return NULL_GUID;
}

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t one = number(1), two = number(2), done;
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
    ocrGuid_t early = create(first, 1, EDT_PROP_NONE, &done), late = create(second, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(done, late, 1, DB_MODE_NULL);
    ocrAddDependence(channel, early, 0, DB_MODE_CONST);
    ocrAddDependence(channel, late, 0, DB_MODE_CONST);
    ocrGuid_t edt = create(producer, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(one, edt, 0, DB_MODE_RW);
    ocrAddDependence(two, edt, 1, DB_MODE_RW);
    return NULL_GUID;
}
