// with RACY: race
// A counted event goes when it was satisfied and has as many dependences as it was created for. With RACY the task
// that reads does not wait for it.

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

static ocrGuid_t event;

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
    ocrEventSatisfy(event, depv[0].guid);
    return NULL_GUID;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block = number(1);
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 2}};
    ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params);
    ocrGuid_t last = create(reader, 1, EDT_PROP_NONE, NULL);
    ocrAddDependence(event, create(nothing, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
#ifdef RACY
    ocrAddDependence(block, last, 0, DB_MODE_CONST);
#else
    ocrAddDependence(event, last, 0, DB_MODE_CONST);
#endif
    ocrAddDependence(block, create(writer, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}
