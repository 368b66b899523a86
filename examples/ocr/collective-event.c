// with RACY: race
// Tasks contribute to the sum of a collective event, twice; whoever depends on a sum comes after all who contributed to
// it. With RACY one task notes its share after it has contributed.

#include <ocr.h>

#define TASKS 4
#define ROUNDS 2

static ocrGuid_t sums, contributor;
static double shares[ROUNDS][TASKS];

/* Contributes to the sum of a round; for the next round it comes after this one's sum. */
static ocrGuid_t contribute(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    u64 round = paramv[0], own = paramv[1];
    double share = (double)(own + 1);
    if (depv[0].ptr) {
        double noted = 0, sum = *(double *)depv[0].ptr;
        for (int other = 0; other < TASKS; other++)
            noted += shares[round - 1][other];
        if (noted != sum)
            ocrPrintf("%g, not %g\n", noted, sum);
        share = sum;
        if (round == ROUNDS && own == 0)
            ocrPrintf("%g\n", sum);
        if (round == ROUNDS)
            return NULL_GUID;
    }
    ocrGuid_t next;
    u64 params[2] = {round + 1, own};
    ocrEdtCreate(&next, contributor, 2, params, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependenceSlot(sums, (u32)own, next, 0, DB_MODE_RO);
#ifdef RACY
    ocrEventCollectiveSatisfySlot(sums, &share, (u32)own);
    shares[round][own] = share;
#else
    shares[round][own] = share;
    ocrEventCollectiveSatisfySlot(sums, &share, (u32)own);
#endif
    return NULL_GUID;
}

static ocrGuid_t start(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    for (u64 own = 0; own < TASKS; own++) {
        ocrGuid_t edt, nothing = NULL_GUID;
        u64 params[2] = {0, own};
        ocrEdtCreate(&edt, contributor, 2, params, 1, &nothing, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t template, first, end, all, nothing = NULL_GUID;
    ocrEventParams_t params;
    params.EVENT_COLLECTIVE.maxGen = 1;
    params.EVENT_COLLECTIVE.nbContribs = TASKS;
    params.EVENT_COLLECTIVE.nbContribsPd = TASKS;
    params.EVENT_COLLECTIVE.nbDatum = 1;
    params.EVENT_COLLECTIVE.arity = 2;
    params.EVENT_COLLECTIVE.op = REDOP_F8_ADD;
    params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
    params.EVENT_COLLECTIVE.reuseDbPerGen = false;
    ocrEventCreateParams(&sums, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params);
    ocrEdtTemplateCreate(&contributor, contribute, 2, 1);
    ocrEdtTemplateCreate(&template, start, 0, 1);
    ocrEdtCreate(&first, template, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &all);
    ocrEdtTemplateCreate(&template, last, 0, 1);
    ocrEdtCreate(&end, template, 0, NULL, 1, &all, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(nothing, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
