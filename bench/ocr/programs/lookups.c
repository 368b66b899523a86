// Rounds of look-ups in a table that all read: in each a finish EDT with chains of three tasks, as RSBench and XSBench have.

#include <ocr.h>
#include <stdlib.h>

#define TABLE 65536
#define READS 400
#define ROUND 1024

static ocrGuid_t table_block, result_block;
static u64 wanted;

static u64 next(u64 seed) { return seed * 6364136223846793005u + 1442695040888963407u; }

static void create(ocrEdt_t function, u64 *params, u16 properties, ocrGuid_t *output, ocrGuid_t after)
{
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, function, 2, 2);
    ocrEdtCreate(&edt, template, 2, params, 2, NULL, properties, NULL_HINT, output);
    ocrEdtTemplateDestroy(template);
    ocrAddDependence(table_block, edt, 0, DB_MODE_CONST);
    if (output == NULL)
        ocrAddDependence(after, edt, 1, DB_MODE_NULL);
    else
        params[0] = (u64)edt.guid;
}

static ocrGuid_t look_up(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    const double *table = depv[0].ptr;
    u64 seed = paramv[0];
    double sum = 0;
    for (int i = 0; i < READS; i++) {
        seed = next(seed);
        sum += table[(seed >> 33) % TABLE] * table[(seed >> 20) % 64];
    }
    if (sum < 0)
        ocrPrintf("never\n");
    u64 params[2] = {seed, paramv[1] - 1};
    if (params[1] > 0)
        create(look_up, params, EDT_PROP_NONE, NULL, NULL_GUID);
    return NULL_GUID;
}

static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    for (u64 i = paramv[0]; i < paramv[0] + ROUND && i < wanted; i++) {
        u64 params[2] = {i + 1, 3};
        create(look_up, params, EDT_PROP_NONE, NULL, NULL_GUID);
    }
    return NULL_GUID;
}

static ocrGuid_t manager(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    if (paramv[0] >= wanted) {
        ocrPrintf("PASSED %lu look-ups\n", (unsigned long)wanted);
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t done, edt;
    u64 params[2] = {paramv[0], 0}, more[2] = {paramv[0] + ROUND, 0};
    create(round_of, params, EDT_PROP_FINISH, &done, NULL_GUID);
    edt.guid = (intptr_t)params[0];
    create(manager, more, EDT_PROP_NONE, NULL, done);
    ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    wanted = ocrGetArgc(depv[0].ptr) > 1 ? strtoul(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 1000;
    double *table;
    ocrDbCreate(&table_block, (void **)&table, TABLE * sizeof(double), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (int i = 0; i < TABLE; i++)
        table[i] = i;
    ocrDbRelease(table_block);
    u64 params[2] = {0, 0};
    create(manager, params, EDT_PROP_NONE, NULL, NULL_GUID);
    return NULL_GUID;
}
