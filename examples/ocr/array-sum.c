// with RACY: race
// Sums the two halves of an array in two tasks and adds them up in a third, which waits for the output events of
// both (Listing 2.1 of the thesis). With RACY both put their sums into the same place.

#include <ocr.h>

#define LEN 1000

static ocrGuid_t partial_sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const int *array = depv[0].ptr;
    int *sums = depv[1].ptr;
    u64 half = paramv[0];
#ifdef RACY
    u64 place = 0;
#else
    u64 place = half;
#endif
    int sum = 0;
    for (u64 i = half * LEN / 2; i < (half + 1) * LEN / 2; i++)
        sum += array[i];
    sums[place] = sum;
    return NULL_GUID;
}

static ocrGuid_t output(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const int *sums = depv[0].ptr;
    ocrPrintf("the sum is %d\n", sums[0] + sums[1]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t array_block, sums_block;
    int *array, *sums;
    ocrDbCreate(&array_block, (void **)&array, LEN * sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    ocrDbCreate(&sums_block, (void **)&sums, 2 * sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (int i = 0; i < LEN; i++)
        array[i] = i;
    sums[0] = sums[1] = 0;
    ocrDbRelease(array_block);
    ocrDbRelease(sums_block);

    ocrGuid_t partial_template, output_template, sink;
    ocrEdtTemplateCreate(&partial_template, partial_sum, 1, 2);
    ocrEdtTemplateCreate(&output_template, output, 0, 3);
    ocrEdtCreate(&sink, output_template, 0, NULL, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(sums_block, sink, 0, DB_MODE_CONST);
    for (u64 half = 0; half < 2; half++) {
        ocrGuid_t edt, done;
        ocrEdtCreate(&edt, partial_template, 1, &half, 2, NULL, EDT_PROP_NONE, NULL_HINT, &done);
        ocrAddDependence(done, sink, 1 + half, DB_MODE_NULL);
        ocrAddDependence(array_block, edt, 0, DB_MODE_CONST);
        ocrAddDependence(sums_block, edt, 1, DB_MODE_RW);
    }
    return NULL_GUID;
}
