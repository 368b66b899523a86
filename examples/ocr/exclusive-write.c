// with RACY: race
// A task that acquires a block for exclusive writing excludes all others that write to it, in either order: no race. With
// RACY two of them have read-write access, and do not exclude each other.

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

static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
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
    ocrGuid_t block = number(1), done[3], edt[3];
    ocrGuid_t last = create(reader, 4, EDT_PROP_NONE, NULL);
    for (int i = 0; i < 3; i++) {
        edt[i] = create(writer, 1, EDT_PROP_NONE, &done[i]);
        ocrAddDependence(done[i], last, 1 + i, DB_MODE_NULL);
    }
    ocrAddDependence(block, edt[0], 0, DB_MODE_EW);
#ifdef RACY
    ocrAddDependence(block, edt[1], 0, DB_MODE_RW);
#else
    ocrAddDependence(block, edt[1], 0, DB_MODE_EW);
#endif
    ocrAddDependence(block, edt[2], 0, DB_MODE_RW);
    ocrAddDependence(block, last, 0, DB_MODE_CONST);
    return NULL_GUID;
}
