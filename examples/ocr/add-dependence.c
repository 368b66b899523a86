// with RACY: race
// What a task does before it adds a dependence precedes the start of the destination, although it was created by
// another task and before. With RACY it writes afterwards.

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

static int shared;
static ocrGuid_t last;

static ocrGuid_t helper(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
#ifdef RACY
    ocrAddDependence(NULL_GUID, last, 1, DB_MODE_NULL);
#endif
    shared = 1;
#ifndef RACY
    ocrAddDependence(NULL_GUID, last, 1, DB_MODE_NULL);
#endif
    return NULL_GUID;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", shared);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    last = create(reader, 2, EDT_PROP_NONE, NULL);
    create(helper, 0, EDT_PROP_NONE, NULL);
    ocrAddDependence(NULL_GUID, last, 0, DB_MODE_NULL);
    return NULL_GUID;
}
