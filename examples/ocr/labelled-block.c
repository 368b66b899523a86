// with RACY: race
// A task may depend on a labelled block before anybody has created it; from its creation on it is there, whatever is
// written into it later. So the task also waits for an event: with RACY, one that comes too early.

#include <ocr.h>

static ocrGuid_t range, written;

static ocrGuid_t label(void)
{
    ocrGuid_t guid;
    ocrGuidFromIndex(&guid, range, 3);
    return guid;
}

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block = label();
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC);
#ifdef RACY
    ocrEventSatisfy(written, NULL_GUID);
    *place = 1;
#else
    *place = 1;
    ocrEventSatisfy(written, NULL_GUID);
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
    ocrGuid_t template, edt;
    ocrGuidRangeCreate(&range, 8, GUID_USER_DB);
    ocrEventCreate(&written, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtTemplateCreate(&template, reader, 0, 2);
    ocrEdtCreate(&edt, template, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(label(), edt, 0, DB_MODE_CONST);
    ocrAddDependence(written, edt, 1, DB_MODE_NULL);
    ocrEdtTemplateCreate(&template, writer, 0, 0);
    ocrEdtCreate(&edt, template, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
