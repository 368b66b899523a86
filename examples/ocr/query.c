// with RACY: race
// A task pauses the run to see which tasks could start, and which event another waits for. That orders nothing: with RACY
// it also looks at what one of those tasks writes.

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

static int number;
static ocrGuid_t ready, waiting;

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    number = 1;
    ocrEventSatisfy(ready, NULL_GUID);
    return NULL_GUID;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", number);
    ocrShutdown();
    return NULL_GUID;
}

/* How many identifiers the answer has. */
static u32 ask(ocrQueryType_t query, ocrGuid_t edt)
{
    ocrGuid_t *found, block;
    u32 size;
    block = ocrQuery(query, edt, (void **)&found, &size, 0);
    u32 count = size / sizeof(ocrGuid_t);
    for (u32 i = 0; i < count; i++)
        ocrAssert(!ocrGuidIsNull(found[i]));
    ocrDbDestroy(block);
    return count;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrEventCreate(&ready, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    waiting = create(reader, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(ready, waiting, 0, DB_MODE_NULL);
    u32 paused = ocrPause(true);
    ocrAssert(ask(OCR_QUERY_EVENTS, waiting) == 1);
    create(writer, 0, EDT_PROP_NONE, NULL);
    ask(OCR_QUERY_READY_EDTS, NULL_GUID);
    ask(OCR_QUERY_ALL_EDTS, NULL_GUID);
    ask(OCR_QUERY_LAST_SATISFIED_DB, waiting);
#ifdef RACY
    ocrPrintf("%d\n", number);
#endif
    ocrResume(paused);
    ocrAddDependence(NULL_GUID, waiting, 1, DB_MODE_NULL);
    return NULL_GUID;
}
