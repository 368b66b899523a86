// with RACY: race
// Memory outside of data blocks is checked as well. With RACY a task frees what another may still read.

#include <ocr.h>
#include <stdlib.h>

/* A task of this function with so many dependences. */
static ocrGuid_t create(ocrEdt_t function, u32 depc, u16 properties, ocrGuid_t *output)
{
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, function, 0, depc);
    ocrEdtCreate(&edt, template, 0, NULL, depc, NULL, properties, NULL_HINT, output);
    ocrEdtTemplateDestroy(template);
    return edt;
}

static int *numbers;

static ocrGuid_t reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrPrintf("%d\n", numbers[1]);
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    free(numbers);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t done;
    numbers = calloc(2, sizeof(int));
    ocrGuid_t end = create(last, 1, EDT_PROP_NONE, NULL);
    ocrGuid_t edt = create(reader, 1, EDT_PROP_NONE, &done);
#ifdef RACY
    ocrAddDependence(NULL_GUID, end, 0, DB_MODE_NULL);
#else
    ocrAddDependence(done, end, 0, DB_MODE_NULL);
#endif
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
