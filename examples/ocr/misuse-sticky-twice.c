// with RACY: misuse
// A sticky event is satisfied once. With RACY it is satisfied twice.

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

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t event;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrAddDependence(event, create(last, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
    ocrEventSatisfy(event, NULL_GUID);
#ifdef RACY
    ocrEventSatisfy(event, NULL_GUID);
#endif
    return NULL_GUID;
}
