// with RACY: race
// A once event orders what its satisfier did before those who depend on it. With RACY the writer satisfies it
// before it writes.

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
#ifdef RACY
    ocrEventSatisfy(event, NULL_GUID);
#endif
    *(int *)depv[0].ptr += 1;
#ifndef RACY
    ocrEventSatisfy(event, NULL_GUID);
#endif

    return NULL_GUID;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block = number(1);
    ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
    ocrGuid_t last = create(reader, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(event, last, 1, DB_MODE_NULL);
    ocrAddDependence(block, last, 0, DB_MODE_CONST);
    ocrAddDependence(block, create(writer, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}
