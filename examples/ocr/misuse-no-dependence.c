// with RACY: misuse
// A task may touch the blocks it depends on and those it creates. With RACY it gets at one by a pointer, which the
// runtime may have moved meanwhile.

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

static int *stray;

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
#ifdef RACY
    int *place = stray;
#else
    int *place = depv[0].ptr;
#endif
    ocrPrintf("%d\n", *place);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    ocrDbCreate(&block, (void **)&stray, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *stray = 1;
    ocrDbRelease(block);
#ifdef RACY
    ocrAddDependence(NULL_GUID, create(reader, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
#else
    ocrAddDependence(block, create(reader, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_CONST);
#endif
    return NULL_GUID;
}
