/* The Open Community Runtime's C interface (versions 1.1 and 1.2), as Heddle executes and checks it.
 *
 * Compile with `heddle cc --ocr`. Names, types and values are those of the specification; all
 * extensions are declared, whether or not a program asks for them with ENABLE_EXTENSION_*. */
#ifndef HEDDLE_OCR_H
#define HEDDLE_OCR_H

#include <inttypes.h>
#include <stdarg.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;
typedef int8_t s8;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The version of the interface ---- */

#define OCR_MAJOR_VERSION 1
#define OCR_MINOR_VERSION 1
#define OCR_PATCH_VERSION 0
/* Of an argument that was an affinity in version 1.0 and is a hint since, the hint. */
#define PICK_1_1(hint, affinity) (hint)

/* ---- Identifiers ---- */

#define GUID_BIT_COUNT 64

/* Names an object of the run. */
typedef struct {
    intptr_t guid;
} ocrGuid_t;

#ifdef __cplusplus
#define NULL_GUID_INITIALIZER {0}
#define UNINITIALIZED_GUID_INITIALIZER {-2}
#define ERROR_GUID_INITIALIZER {-1}
#define NULL_GUID (ocrGuid_t NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID (ocrGuid_t UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID (ocrGuid_t ERROR_GUID_INITIALIZER)
#else
#define NULL_GUID_INITIALIZER {.guid = 0}
#define UNINITIALIZED_GUID_INITIALIZER {.guid = -2}
#define ERROR_GUID_INITIALIZER {.guid = -1}
#define NULL_GUID ((ocrGuid_t)NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID ((ocrGuid_t)UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID ((ocrGuid_t)ERROR_GUID_INITIALIZER)
#endif

static inline bool ocrGuidIsNull(ocrGuid_t guid) { return guid.guid == 0; }
static inline bool ocrGuidIsUninitialized(ocrGuid_t guid) { return guid.guid == -2; }
static inline bool ocrGuidIsError(ocrGuid_t guid) { return guid.guid == -1; }
static inline bool ocrGuidIsEq(ocrGuid_t one, ocrGuid_t other) { return one.guid == other.guid; }
static inline bool ocrGuidIsLt(ocrGuid_t one, ocrGuid_t other) { return one.guid < other.guid; }

/* The same under their older names. */
#define IS_GUID_NULL(guid) ocrGuidIsNull(guid)
#define IS_GUID_UNINITIALIZED(guid) ocrGuidIsUninitialized(guid)
#define IS_GUID_ERROR(guid) ocrGuidIsError(guid)
#define IS_GUID_EQUAL(one, other) ocrGuidIsEq((one), (other))
#define IS_GUID_LESS_THAN(one, other) ocrGuidIsLt((one), (other))
#define GUID_ASSIGN_VALUE(to, from) ((to) = (from))
#define GUID_SIZE(guid) (sizeof(guid) * 8)

/* For printing: a format and what to pass to it. */
#define GUIDF "0x%" PRIxPTR
#define GUIDA(guid_) ((guid_).guid)
#define GUIDSx GUIDF
#define GUIDLx GUIDF
#define GUIDFS(guid_) GUIDA(guid_)
#define GUIDFL(guid_) GUIDA(guid_)

/* Properties of a creation: the identifier passed in is a labelled one. */
#define GUID_PROP_NONE ((u16)0x0)
#define GUID_PROP_IS_LABELED ((u16)0x100)
#define GUID_PROP_CHECK ((u16)0x300)
#define GUID_PROP_BLOCK ((u16)0x500)

/* ---- Results ---- */

#define OCR_EPERM 1
#define OCR_ENOENT 2
#define OCR_EINTR 4
#define OCR_EIO 5
#define OCR_ENXIO 6
#define OCR_E2BIG 7
#define OCR_ENOEXEC 8
#define OCR_EAGAIN 11
#define OCR_ENOMEM 12
#define OCR_EACCES 13
#define OCR_EFAULT 14
#define OCR_EBUSY 16
#define OCR_ENODEV 19
#define OCR_EINVAL 22
#define OCR_ENOSPC 28
#define OCR_ESPIPE 29
#define OCR_EROFS 30
#define OCR_EDOM 33
#define OCR_ERANGE 34
#define OCR_ENOSYS 38
#define OCR_ENOTEMPTY 39
#define OCR_ENOTSUP 95
#define OCR_EGUIDEXISTS 100
#define OCR_EACQ 101
#define OCR_EPEND 102
#define OCR_ENOP 103
#define OCR_ECANCELED 125

/* ---- Hints: kept, and without effect on what is found ---- */

typedef enum {
    OCR_HINT_UNDEF_T,
    OCR_HINT_EDT_T,
    OCR_HINT_DB_T,
    OCR_HINT_EVT_T,
    OCR_HINT_GROUP_T
} ocrHintType_t;

typedef enum {
    OCR_HINT_EDT_PROP_START,
    OCR_HINT_EDT_PRIORITY,
    OCR_HINT_EDT_SLOT_MAX_ACCESS,
    OCR_HINT_EDT_AFFINITY,
    OCR_HINT_EDT_SPAD_USAGE,
    OCR_HINT_EDT_DISPERSE,
    OCR_HINT_EDT_SPACE,
    OCR_HINT_EDT_TIME,
    OCR_HINT_EDT_STATS_HW_CYCLES,
    OCR_HINT_EDT_STATS_L1_HITS,
    OCR_HINT_EDT_STATS_L1_MISSES,
    OCR_HINT_EDT_STATS_FLOAT_OPS,
    OCR_HINT_EDT_SPAWNING,
    OCR_HINT_EDT_PROP_END,
    OCR_HINT_DB_PROP_START,
    OCR_HINT_DB_AFFINITY,
    OCR_HINT_DB_NEAR,
    OCR_HINT_DB_INTER,
    OCR_HINT_DB_FAR,
    OCR_HINT_DB_HIGHBW,
    OCR_HINT_DB_EAGER,
    OCR_HINT_DB_LAZY,
    OCR_HINT_DB_PROP_END,
    OCR_HINT_EVT_PROP_START,
    OCR_HINT_EVT_PROP_END,
    OCR_HINT_GROUP_PROP_START,
    OCR_HINT_GROUP_PROP_END
} ocrHintProp_t;

#define OCR_HINT_EDT_DISPERSE_FAR 0
#define OCR_HINT_EDT_DISPERSE_NEAR 1

typedef uint64_t ocrHintVal_t;

typedef struct {
    ocrHintType_t type;
    u64 propMask;
    u64 values[12];
} ocrHint_t;

#define NULL_HINT ((ocrHint_t *)0)

u8 ocrHintInit(ocrHint_t *hint, ocrHintType_t hintType);
u8 ocrSetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 value);
u8 ocrUnsetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp);
u8 ocrGetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 *value);
u8 ocrSetHint(ocrGuid_t guid, ocrHint_t *hint);
u8 ocrGetHint(ocrGuid_t guid, ocrHint_t *hint);

/* ---- Data blocks ---- */

typedef enum { NO_ALLOC = 0 } ocrInDbAllocator_t;

typedef enum {
    DB_MODE_NULL = 0x0,
    DB_MODE_CONST = 0x1,
    DB_MODE_RW = 0x2,
    DB_MODE_EW = 0x4,
    DB_MODE_RO = 0x8
} ocrDbAccessMode_t;

#define DB_DEFAULT_MODE ((ocrDbAccessMode_t)DB_MODE_RW)
#define DB_PROP_NONE ((u16)0x0)
#define DB_PROP_NO_ACQUIRE ((u16)0x10)
#define DB_PROP_SINGLE_ASSIGNMENT ((u16)0x20)
#define DB_PROP_NO_HINT ((u16)0x40)

u8 ocrDbCreate(ocrGuid_t *db, void **addr, u64 len, u16 flags, ocrHint_t *hint,
               ocrInDbAllocator_t allocator);
u8 ocrDbDestroy(ocrGuid_t db);
u8 ocrDbRelease(ocrGuid_t db);
u8 ocrDbGetSize(ocrGuid_t db, u64 *size);

/* Memory within a block: no block has an allocator. */
static inline u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void **addr) {
    (void)guid, (void)size;
    *addr = NULL;
    return OCR_EINVAL;
}
static inline u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64 *offset) {
    (void)guid, (void)size, (void)offset;
    return OCR_EINVAL;
}
static inline u8 ocrDbFree(ocrGuid_t guid, void *addr) {
    (void)guid, (void)addr;
    return OCR_EINVAL;
}
static inline u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset) {
    (void)guid, (void)offset;
    return OCR_EINVAL;
}

/* ---- Events ---- */

typedef enum {
    OCR_EVENT_ONCE_T = 1,
    OCR_EVENT_IDEM_T = 2,
    OCR_EVENT_STICKY_T = 3,
    OCR_EVENT_LATCH_T = 4,
    OCR_EVENT_COUNTED_T = 5,
    OCR_EVENT_CHANNEL_T = 6,
    OCR_EVENT_COLLECTIVE_T = 7,
    OCR_EVENT_T_MAX
} ocrEventTypes_t;

typedef enum {
    OCR_EVENT_LATCH_DECR_SLOT = 0,
    OCR_EVENT_LATCH_INCR_SLOT = 1
} ocrLatchEventSlot_t;

#define EVT_PROP_NONE ((u16)0x0)
#define EVT_PROP_TAKES_ARG ((u16)0x1)
#define EVENT_CHANNEL_UNBOUNDED ((u32)-1)

typedef struct {
    u64 counter;
} ocrEventLatchParams_t;

typedef struct {
    u64 nbDeps;
} ocrEventCounterParams_t;

typedef struct {
    u32 maxGen;
    u32 nbSat;
    u32 nbDeps;
} ocrEventChannelParams_t;

/* How a collective event combines values: their size in bytes, what they are, and the operator. */
typedef u16 redOp_t;
#define REDOP_BS1 0x1
#define REDOP_BS2 0x2
#define REDOP_BS4 0x4
#define REDOP_BS8 0x8
#define REDOP_UNSIGNED 0x0
#define REDOP_SIGNED 0x10
#define REDOP_INTEGER 0x0
#define REDOP_REAL 0x20
#define REDOP_ASSOCIATIVE 0x40
#define REDOP_COMMUTATIVE 0x80
#define REDOP_ADD 0x000
#define REDOP_MULT 0x100
#define REDOP_MIN 0x200
#define REDOP_MAX 0x300
#define REDOP_BITAND 0x400
#define REDOP_BITOR 0x500
#define REDOP_BITXOR 0x600
/* Those there are names for: real, unsigned or signed numbers of eight or four bytes. */
#define REDOP_F8_ADD (REDOP_BS8 | REDOP_SIGNED | REDOP_REAL | REDOP_ADD)
#define REDOP_F8_MULT (REDOP_BS8 | REDOP_SIGNED | REDOP_REAL | REDOP_MULT)
#define REDOP_F8_MIN (REDOP_BS8 | REDOP_SIGNED | REDOP_REAL | REDOP_MIN)
#define REDOP_F8_MAX (REDOP_BS8 | REDOP_SIGNED | REDOP_REAL | REDOP_MAX)
#define REDOP_U8_ADD (REDOP_BS8 | REDOP_ADD)
#define REDOP_U8_MULT (REDOP_BS8 | REDOP_MULT)
#define REDOP_U8_MIN (REDOP_BS8 | REDOP_MIN)
#define REDOP_U8_MAX (REDOP_BS8 | REDOP_MAX)
#define REDOP_U8_BITAND (REDOP_BS8 | REDOP_BITAND)
#define REDOP_U8_BITOR (REDOP_BS8 | REDOP_BITOR)
#define REDOP_U8_BITXOR (REDOP_BS8 | REDOP_BITXOR)
#define REDOP_S8_MIN (REDOP_BS8 | REDOP_SIGNED | REDOP_MIN)
#define REDOP_S8_MAX (REDOP_BS8 | REDOP_SIGNED | REDOP_MAX)
#define REDOP_F4_ADD (REDOP_BS4 | REDOP_SIGNED | REDOP_REAL | REDOP_ADD)
#define REDOP_F4_MULT (REDOP_BS4 | REDOP_SIGNED | REDOP_REAL | REDOP_MULT)
#define REDOP_F4_MIN (REDOP_BS4 | REDOP_SIGNED | REDOP_REAL | REDOP_MIN)
#define REDOP_F4_MAX (REDOP_BS4 | REDOP_SIGNED | REDOP_REAL | REDOP_MAX)
#define REDOP_U4_ADD (REDOP_BS4 | REDOP_ADD)
#define REDOP_U4_MULT (REDOP_BS4 | REDOP_MULT)
#define REDOP_U4_MIN (REDOP_BS4 | REDOP_MIN)
#define REDOP_U4_MAX (REDOP_BS4 | REDOP_MAX)
#define REDOP_U4_BITAND (REDOP_BS4 | REDOP_BITAND)
#define REDOP_U4_BITOR (REDOP_BS4 | REDOP_BITOR)
#define REDOP_U4_BITXOR (REDOP_BS4 | REDOP_BITXOR)
#define REDOP_S4_MIN (REDOP_BS4 | REDOP_SIGNED | REDOP_MIN)
#define REDOP_S4_MAX (REDOP_BS4 | REDOP_SIGNED | REDOP_MAX)

/* COL_BROADCAST is refused with OCR_ENOTSUP. */
typedef enum { COL_REDUCE, COL_ALLREDUCE, COL_BROADCAST } collectiveType_t;

typedef struct {
    u32 maxGen;
    u32 nbContribs;
    u32 nbContribsPd;
    u16 nbDatum;
    u8 arity;
    redOp_t op;
    collectiveType_t type;
    bool reuseDbPerGen;
} ocrEventCollectiveParams_t;

typedef struct {
    union {
        ocrEventLatchParams_t EVENT_LATCH;
        ocrEventCounterParams_t EVENT_COUNTED;
        ocrEventChannelParams_t EVENT_CHANNEL;
        ocrEventCollectiveParams_t EVENT_COLLECTIVE;
    };
} ocrEventParams_t;

u8 ocrEventCreate(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties);
u8 ocrEventCreateParams(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties,
                        ocrEventParams_t *params);
u8 ocrEventDestroy(ocrGuid_t guid);
u8 ocrEventSatisfy(ocrGuid_t eventGuid, ocrGuid_t dataGuid);
u8 ocrEventSatisfySlot(ocrGuid_t eventGuid, ocrGuid_t dataGuid, u32 slot);
u8 ocrEventCollectiveSatisfySlot(ocrGuid_t eventGuid, void *dataPtr, u32 slot);

/* The same under their older names. */
#define OCR_EVENT_REDUCTION_T OCR_EVENT_COLLECTIVE_T
#define EVENT_REDUCTION EVENT_COLLECTIVE
#define GUID_USER_EVENT_REDUCTION GUID_USER_EVENT_COLLECTIVE
#define ocrEventReductionSatisfySlot(event, data, slot)                                            \
    ocrEventCollectiveSatisfySlot((event), (data), (slot))

/* ---- Tasks ---- */

/* What a task is told of one of its dependences. */
typedef struct {
    ocrGuid_t guid;
    void *ptr;
    ocrDbAccessMode_t mode;
} ocrEdtDep_t;

typedef ocrGuid_t (*ocrEdt_t)(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

#define EDT_PROP_NONE ((u16)0x0)
#define EDT_PROP_FINISH ((u16)0x1)
#define EDT_PROP_NO_HINT ((u16)0x2)
#define EDT_PROP_LONG ((u16)0x4)
#define EDT_PROP_OEVT_VALID ((u16)0x8)
#define EDT_PARAM_UNK ((u32)-1)
#define EDT_PARAM_DEF ((u32)-2)

u8 ocrEdtTemplateCreate_internal(ocrGuid_t *guid, ocrEdt_t funcPtr, u32 paramc, u32 depc,
                                 const char *funcName);
#define ocrEdtTemplateCreate(guid, funcPtr, paramc, depc)                                          \
    ocrEdtTemplateCreate_internal((guid), (funcPtr), (paramc), (depc), #funcPtr)
u8 ocrEdtTemplateDestroy(ocrGuid_t guid);
u8 ocrEdtCreate(ocrGuid_t *guid, ocrGuid_t templateGuid, u32 paramc, u64 *paramv, u32 depc,
                ocrGuid_t *depv, u16 properties, ocrHint_t *hint, ocrGuid_t *outputEvent);
u8 ocrEdtDestroy(ocrGuid_t guid);
u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode);

/* The same with a slot of the source: only collective events have more than one. */
u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sslot, ocrGuid_t destination, u32 dslot,
                        ocrDbAccessMode_t mode);

/* The task that ocrDbCopy creates. */
static inline ocrGuid_t heddleOcrCopy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    memmove((char *)depv[1].ptr + paramv[0], (char *)depv[0].ptr + paramv[1], (size_t)paramv[2]);
    return depv[1].guid;
}

/* Copies when the source is there; the event carries the destination when it is done. */
static inline u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source,
                           u64 sourceOffset, u64 size, u64 copyType, ocrGuid_t *completionEvt) {
    ocrGuid_t copy, edt;
    u64 params[3] = {destinationOffset, sourceOffset, size};
    (void)copyType;
    ocrEdtTemplateCreate_internal(&copy, heddleOcrCopy, 3, 2, "ocrDbCopy");
    u8 result = ocrEdtCreate(&edt, copy, 3, params, 2, NULL, EDT_PROP_NONE, NULL_HINT, completionEvt);
    ocrEdtTemplateDestroy(copy);
    if (result == 0)
        result = ocrAddDependence(destination, edt, 1, DB_MODE_RW);
    return result == 0 ? ocrAddDependence(source, edt, 0, DB_MODE_CONST) : result;
}

/* ---- The run ---- */

void ocrShutdown(void);
void ocrAbort(u8 errorCode);
u64 ocrGetArgc(void *dbPtr);
char *ocrGetArgv(void *dbPtr, u64 count);
#define getArgc(dbPtr) ocrGetArgc(dbPtr)
#define getArgv(dbPtr, count) ocrGetArgv((dbPtr), (count))

__attribute__((format(printf, 1, 2))) static inline u32 ocrPrintf(const char *fmt, ...) {
    va_list arguments;
    va_start(arguments, fmt);
    int written = vprintf(fmt, arguments);
    va_end(arguments);
    return written < 0 ? 0 : (u32)written;
}

__attribute__((format(printf, 3, 4))) static inline u32 ocrSnprintf(char *buf, u32 size,
                                                                    const char *fmt, ...) {
    va_list arguments;
    va_start(arguments, fmt);
    int written = vsnprintf(buf, size, fmt, arguments);
    va_end(arguments);
    return written < 0 ? 0 : (u32)written;
}

#define PRINTF ocrPrintf
#define SNPRINTF ocrSnprintf

void _ocrAssert(bool val, const char *str, const char *file, u32 line);
#define ocrAssert(condition) _ocrAssert((condition) != 0, #condition, __FILE__, __LINE__)
#ifndef ASSERT
#define ASSERT(condition) ocrAssert(condition)
#endif
#ifndef VERIFY
#define VERIFY(cond, format, ...)                                                                  \
    do {                                                                                           \
        ocrPrintf((cond) ? "PASSED @ '%s:%d' " format : "FAILURE @ '%s:%d' " format, __FILE__,     \
                  __LINE__, ##__VA_ARGS__);                                                        \
    } while (0)
#endif

/* ---- Affinities: there is one place ---- */

typedef enum {
    AFFINITY_CURRENT,
    AFFINITY_PD,
    AFFINITY_PD_MASTER,
    AFFINITY_SIM,
    AFFINITY_GUID
} ocrAffinityKind;

u8 ocrAffinityCount(ocrAffinityKind kind, u64 *count);
u8 ocrAffinityGet(ocrAffinityKind kind, u64 *count, ocrGuid_t *affinities);
u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 idx, ocrGuid_t *affinity);
u8 ocrAffinityGetCurrent(ocrGuid_t *affinity);
u8 ocrAffinityQuery(ocrGuid_t guid, u64 *count, ocrGuid_t *affinities);
u64 ocrAffinityToHintValue(ocrGuid_t affinity);

/* ---- Labelled identifiers ---- */

typedef enum {
    GUID_USER_NONE = 0,
    GUID_USER_DB = 2,
    GUID_USER_EDT = 3,
    GUID_USER_EDT_TEMPLATE = 4,
    GUID_USER_EVENT_ONCE = 17,
    GUID_USER_EVENT_COUNTED = 18,
    GUID_USER_EVENT_IDEM = 19,
    GUID_USER_EVENT_STICKY = 21,
    GUID_USER_EVENT_LATCH = 22,
    GUID_USER_EVENT_CHANNEL = 23,
    GUID_USER_EVENT_COLLECTIVE = 24
} ocrGuidUserKind;

u8 ocrGuidRangeCreate(ocrGuid_t *rangeGuid, u64 numberGuid, ocrGuidUserKind kind);
u8 ocrGuidRangeDestroy(ocrGuid_t rangeGuid);
u8 ocrGuidMapDestroy(ocrGuid_t mapGuid);
u8 ocrGuidFromIndex(ocrGuid_t *outGuid, ocrGuid_t rangeGuid, u64 idx);
u8 ocrGetGuidKind(ocrGuidUserKind *outKind, ocrGuid_t guid);

/* Ranges whose identifiers a function of the program's finds, from a tuple of numbers. */
typedef ocrGuid_t (*heddleOcrMap_t)(ocrGuid_t startGuid, u64 skipGuid, s64 *params, s64 *tuple);
u8 heddleOcrMapCreate(ocrGuid_t *mapGuid, heddleOcrMap_t mapFunc, u32 numParams, s64 *params);
static inline u8 ocrGuidMapCreate(ocrGuid_t *mapGuid, u32 numParams, heddleOcrMap_t mapFunc,
                                  s64 *params, u64 numberGuid, ocrGuidUserKind kind) {
    (void)numberGuid, (void)kind;
    return heddleOcrMapCreate(mapGuid, mapFunc, numParams, params);
}
u8 ocrGuidFromLabel(ocrGuid_t *outGuid, ocrGuid_t mapGuid, s64 *tuple);

/* ---- What the running task knows of itself ---- */

ocrGuid_t ocrElsUserGet(u8 offset);
void ocrElsUserSet(u8 offset, ocrGuid_t data);
u8 ocrCurrentEdtGet(ocrGuid_t *curEdt);
u8 ocrCurrentEdtOutputGet(ocrGuid_t *outputEvent);
u64 ocrNbWorkers(void);
void ocrCurrentWorkerGuid(ocrGuid_t *guid);
u8 ocrInformLegacyCodeBlocking(void);

/* ---- A look at the run from inside ---- */

typedef enum {
    OCR_QUERY_READY_EDTS,
    OCR_QUERY_EVENTS,
    OCR_QUERY_LAST_SATISFIED_DB,
    OCR_QUERY_ALL_EDTS
} ocrQueryType_t;

/* Other workers start no task until ocrResume gets what ocrPause returned. */
u32 ocrPause(bool isBlocking);
void ocrResume(u32 flag);
/* A data block with identifiers, which the caller destroys. */
ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void **result, u32 *size, u8 flags);

/* ---- Programs with a main of their own ---- */

#define LEGACY_PROP_NONE ((u16)0x0)
#define LEGACY_PROP_WAIT_FOR_CREATE ((u16)0x1)
#define LEGACY_PROP_WAIT_IF_CREATED ((u16)0x2)
#define LEGACY_PROP_CHECK ((u16)0x4)
#define LEGACY_BLOCK_PROGRESS_5_ARGS 1

typedef struct _ocrConfig_t {
    int userArgc;
    char **userArgv;
    const char *iniFile;
} ocrConfig_t;

void ocrParseArgs(int argc, const char *argv[], ocrConfig_t *ocrConfig);
void ocrLegacyInit(ocrGuid_t *legacyContext, ocrConfig_t *ocrConfig);
u8 ocrLegacyFinalize(ocrGuid_t legacyContext, bool runUntilShutdown);
u8 ocrLegacySpawnOCR(ocrGuid_t *handle, ocrGuid_t finishEdtTemplate, u64 paramc, u64 *paramv,
                     u64 depc, ocrGuid_t *depv, ocrGuid_t legacyContext);
u8 ocrLegacyBlockProgress(ocrGuid_t handle, ocrGuid_t *guid, void **result, u64 *size,
                          u16 properties);
bool ocrLegacyIsChannelReady(ocrGuid_t evtHandle);
ocrGuid_t ocrWait(ocrGuid_t outputEvent);

#ifdef __cplusplus
}
#endif

#endif
