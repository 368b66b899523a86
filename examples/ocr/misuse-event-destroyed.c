// with RACY: misuse
// A sticky event is destroyed when nobody needs it any more; with RACY, before it is satisfied.

#include <ocr.h>

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("done\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t template, edt, event, other;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEventCreate(&other, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtTemplateCreate(&template, reader, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL);
#ifdef RACY
    ocrEventDestroy(other);
#endif
    ocrEventSatisfy(other, NULL_GUID);
    ocrEventSatisfy(event, NULL_GUID);
#ifndef RACY
    ocrEventDestroy(other);
#endif
    return NULL_GUID;
}
