// with RACY: race
// A task that waits for another by its output event, keeps identifiers in its own storage and asks for its place.
// With RACY it reads what the other writes before it has waited.

#include <ocr.h>

static int result;

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    result = 42;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t template, edt, done, here;
    u64 places;
    ocrAffinityCount(AFFINITY_PD, &places);
    ocrAffinityGetCurrent(&here);
    ocrEdtTemplateCreate(&template, worker, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &done);
    ocrElsUserSet(0, done);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
#ifdef RACY
    ocrPrintf("%d\n", result);
#endif
    ocrWait(ocrElsUserGet(0));
    ocrPrintf("%d at %lu\n", result, (unsigned long)places);
    ocrShutdown();
    return NULL_GUID;
}
