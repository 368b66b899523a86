// with RACY: race
// Destroying a block is a write to all of it: whoever may still read it comes too late. With RACY the block is
// destroyed by a task that does not wait for the reader.

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

/* A data block of one number. */
static ocrGuid_t number(int value)
{
    ocrGuid_t block;
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = value;
    ocrDbRelease(block);
    return block;
}

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", *(int *)depv[0].ptr);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrDbDestroy(depv[0].guid);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block = number(1), done;
    ocrGuid_t end = create(last, 2, EDT_PROP_NONE, NULL);
    ocrGuid_t edt = create(reader, 1, EDT_PROP_NONE, &done);
    ocrAddDependence(block, edt, 0, DB_MODE_CONST);
#ifdef RACY
    ocrAddDependence(NULL_GUID, end, 1, DB_MODE_NULL);
#else
    ocrAddDependence(done, end, 1, DB_MODE_NULL);
#endif
    ocrAddDependence(block, end, 0, DB_MODE_RW);
    return NULL_GUID;
}
