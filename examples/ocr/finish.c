// with RACY: race
// A finish EDT's output event comes after all tasks created in it, and those created in them. With RACY it is no
// finish EDT, and its output event comes when its own function returns.

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

static ocrGuid_t block;

static ocrGuid_t grandchild(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    *(int *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrAddDependence(block, create(grandchild, 1, EDT_PROP_NONE, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    create(child, 0, EDT_PROP_NONE, NULL);
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
    ocrGuid_t done;
    block = number(1);
#ifdef RACY
    ocrGuid_t top = create(root, 1, EDT_PROP_NONE, &done);
#else
    ocrGuid_t top = create(root, 1, EDT_PROP_FINISH, &done);
#endif
    ocrGuid_t last = create(reader, 2, EDT_PROP_NONE, NULL);
    ocrAddDependence(done, last, 1, DB_MODE_NULL);
    ocrAddDependence(block, last, 0, DB_MODE_CONST);
    ocrAddDependence(NULL_GUID, top, 0, DB_MODE_NULL);
    return NULL_GUID;
}
