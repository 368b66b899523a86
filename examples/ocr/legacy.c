// with RACY: race
// A program with a main of its own starts tasks and waits for them. With RACY it looks at the result before.

#include <ocr.h>
#include <stdio.h>

static int total;

static ocrGuid_t work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    int *place;
    total += (int)paramv[0];
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = (int)paramv[0] + 1;
    ocrDbRelease(block);
    return block;
}

int main(int argc, char **argv)
{
    ocrConfig_t config;
    ocrGuid_t context, template, handle, block;
    u64 params[1] = {41}, size;
    void *result;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    ocrEdtTemplateCreate(&template, work, 1, 0);
    ocrLegacySpawnOCR(&handle, template, 1, params, 0, NULL, context);
#ifdef RACY
    printf("%d\n", total);
#endif
    ocrLegacyBlockProgress(handle, &block, &result, &size, LEGACY_PROP_NONE);
    printf("%d %d\n", total, *(int *)result);
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
