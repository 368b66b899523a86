// with RACY: race
// As labelled.c, with a function that finds the identifier from two numbers: the tasks agree on a row and a column.
// With RACY the reader waits for another column, which was satisfied long ago.

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

static ocrGuid_t map;

static ocrGuid_t find(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple)
{
    start.guid += (intptr_t)(skip * (u64)(tuple[0] * params[0] + tuple[1]));
    return start;
}

static ocrGuid_t labelled(s64 column)
{
    ocrGuid_t event;
    s64 tuple[2] = {1, column};
    ocrGuidFromLabel(&event, map, tuple);
    return event;
}

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
    ocrGuid_t event = labelled(1);
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_NONE);
    ocrEventSatisfy(event, NULL_GUID);
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
    s64 columns = 2;
    ocrGuidMapCreate(&map, 1, find, &columns, 4, GUID_USER_EVENT_STICKY);
    ocrGuid_t ready = labelled(0);
    ocrEventCreate(&ready, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_NONE);
    ocrEventSatisfy(ready, NULL_GUID);
    ocrGuid_t last = create(reader, 2, EDT_PROP_NONE, NULL);
#ifdef RACY
    ocrAddDependence(labelled(0), last, 1, DB_MODE_NULL);
#else
    ocrAddDependence(labelled(1), last, 1, DB_MODE_NULL);
#endif
    ocrAddDependence(block, last, 0, DB_MODE_CONST);
    ocrAddDependence(block, create(writer, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}
