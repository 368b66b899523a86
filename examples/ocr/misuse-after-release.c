// with RACY: misuse
// A task must not touch a block that it has released. With RACY it does.

#include <ocr.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = 1;
#ifdef RACY
    ocrDbRelease(block);
    *place = 2;
#else
    *place = 2;
    ocrDbRelease(block);
#endif
    ocrShutdown();
    return NULL_GUID;
}
