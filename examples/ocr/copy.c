// with RACY: race
// ocrDbCopy creates a task that copies; its event carries the destination. With RACY the reader does not wait for it.

#include <ocr.h>

static ocrGuid_t block(int value)
{
    ocrGuid_t made;
    int *place;
    ocrDbCreate(&made, (void **)&place, 4 * sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (int i = 0; i < 4; i++)
        place[i] = value;
    ocrDbRelease(made);
    return made;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", ((int *)depv[0].ptr)[1]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t from = block(1), to = block(2), done, template, edt;
    ocrEdtTemplateCreate(&template, reader, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrDbCopy(to, 0, from, sizeof(int), 2 * sizeof(int), 0, &done);
#ifdef RACY
    ocrAddDependenceSlot(to, 0, edt, 0, DB_MODE_CONST);
#else
    ocrAddDependenceSlot(done, 0, edt, 0, DB_MODE_CONST);
#endif
    return NULL_GUID;
}
