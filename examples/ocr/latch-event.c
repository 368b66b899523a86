// with RACY: race
// A latch is satisfied when it was counted down as often as up; whoever waits for it comes after all who counted.
// With RACY it starts one too low, so that one task does not count.

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

static ocrGuid_t latch;

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    return NULL_GUID;
}

static ocrGuid_t bystander(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
#ifndef RACY
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
#endif
    return NULL_GUID;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr + *(int *)depv[1].ptr);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t first = number(1), second = number(2);
    ocrEventParams_t params;
#ifdef RACY
    params.EVENT_LATCH.counter = 1;
#else
    params.EVENT_LATCH.counter = 2;
#endif
    ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
    ocrGuid_t last = create(reader, 3, EDT_PROP_NONE, NULL);
    ocrAddDependence(latch, last, 2, DB_MODE_NULL);
    ocrAddDependence(first, last, 0, DB_MODE_CONST);
    ocrAddDependence(second, last, 1, DB_MODE_CONST);
    ocrAddDependence(first, create(writer, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    ocrAddDependence(second, create(bystander, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}
