// with RACY: race
// A task may return an event: its output event is satisfied when that is, with what that carries. With RACY the event is
// satisfied before the block it carries is written.

#include <ocr.h>

static ocrGuid_t later;

/* A task of this function without parameters and with so many dependences. */
static ocrGuid_t create(ocrEdt_t function, u32 depc, ocrGuid_t *output)
{
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, function, 0, depc);
    ocrEdtCreate(&edt, template, 0, NULL, depc, NULL, EDT_PROP_NONE, NULL_HINT, output);
    ocrEdtTemplateDestroy(template);
    return edt;
}

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
#ifdef RACY
    ocrEventSatisfy(later, block);
    *place = 1;
#else
    *place = 1;
    ocrEventSatisfy(later, block);
#endif
    return NULL_GUID;
}

static ocrGuid_t promise(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    create(writer, 0, NULL);
    return later;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t promised;
    ocrEventCreate(&later, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrGuid_t first = create(promise, 1, &promised);
    ocrAddDependence(promised, create(reader, 1, NULL), 0, DB_MODE_CONST);
    ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
