// with RACY: misuse
// Every slot of a task must be satisfied. With RACY nobody satisfies the second.

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
    ocrGuid_t edt = create(last, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    ocrAddDependence(event, edt, 1, DB_MODE_NULL);
#ifndef RACY
    ocrEventSatisfy(event, NULL_GUID);
#endif
    return NULL_GUID;
}
