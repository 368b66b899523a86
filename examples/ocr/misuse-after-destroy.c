// with RACY: misuse
// A task must not touch a block that it has destroyed. With RACY it does.

#include <ocr.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = 1;
#ifdef RACY
    ocrDbDestroy(block);
    ocrPrintf("%d\n", *place);
#else
    ocrPrintf("%d\n", *place);
    ocrDbDestroy(block);
#endif
    ocrShutdown();
    return NULL_GUID;
}
