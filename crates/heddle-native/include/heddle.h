/* Tasks for C: what programs call that run their tasks with Heddle, or tell Heddle what another
 * runtime does. C99 and later, C++11 and later; gcc and clang.
 *
 * Link with -lheddle_native (`heddle cc` does). With -DHEDDLE_OFF everything becomes plain serial
 * code and no library is needed. */

#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>
#ifdef HEDDLE_OFF
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a task does; the value of a future; one iteration of a loop. */
typedef void (*heddle_function)(void *argument);
typedef void *(*heddle_computation)(void *argument);
typedef void (*heddle_iteration)(long index, void *argument);

/* A task with a value. */
typedef struct heddle_future heddle_future;

/* A task that another runtime executes. */
typedef struct heddle_task heddle_task;

/* A point in a task's life that others can wait for. 0 is none. */
typedef uint32_t heddle_token;

/* A lock; all zeroes is free. Not re-entrant. A pthread mutex will do as well. */
typedef struct heddle_lock {
    uint32_t state;
    uint32_t owner;
    uint32_t depth;
    uint32_t reserved;
} heddle_lock;

#define HEDDLE_LOCK_INIT {0, 0, 0, 0}

/* How another runtime holds a lock. */
enum heddle_mode { HEDDLE_EXCLUSIVE = 0, HEDDLE_SHARED = 1 };

/* A part of a group of memory. */
typedef struct heddle_part {
    const volatile void *address;
    size_t size;
} heddle_part;

#ifndef HEDDLE_OFF

/* ---- Tasks in the style of Habanero ---- */

/* Opens a finish; its end waits for every task created inside, and for theirs. */
void heddle_finish_begin(void);
void heddle_finish_end(void);

/* Creates a task in the innermost finish. `argument` must live until the task is over. */
void heddle_async(heddle_function function, void *argument);

/* Creates a task with a value. `get` waits for it, any number of times; `free` gives the handle up, once;
 * the task goes on. */
heddle_future *heddle_future_create(heddle_computation function, void *argument);
void *heddle_future_get(heddle_future *future);
void heddle_future_free(heddle_future *future);

/* At most one task is in an isolated section at a time. */
void heddle_isolated_begin(void);
void heddle_isolated_end(void);

/* Calls `function` for every index in first <= index < end, each call a task, and waits for all. */
void heddle_parallel_for(long first, long end, heddle_iteration function, void *argument);

/* ---- Tasks in the style of Cilk ---- */

/* Creates a child of the procedure; waits for all its children. The end of a task waits, too. */
void heddle_spawn(heddle_function function, void *argument);
void heddle_sync(void);

/* A procedure that is called, not spawned, and has children of its own. Its end waits for them. */
void heddle_procedure_begin(void);
void heddle_procedure_end(void);

/* ---- Locks ---- */

void heddle_lock_acquire(heddle_lock *lock);
int heddle_lock_try(heddle_lock *lock);
void heddle_lock_release(heddle_lock *lock);

/* ---- Atomicity ---- */

void heddle_atomic_range(const volatile void *address, size_t size);
void heddle_atomic_group(const heddle_part *parts, size_t count);
void heddle_guarded_group(const heddle_part *parts, size_t count);

/* What a task does in between is to be atomic. */
void heddle_atomic_begin(void);
void heddle_atomic_end(void);

/* A transaction ends here, and the next begins. */
void heddle_cut(void);

/* ---- For other runtimes: these only say what happens ---- */

/* The running task creates one, in the innermost finish. A thread begins to execute it, puts it aside,
 * goes on with it (`begin` again, on any thread), ends it. What follows `join` comes after its end. */
heddle_task *heddle_task_create(void);
void heddle_task_begin(heddle_task *task);
void heddle_task_suspend(heddle_task *task);
void heddle_task_end(heddle_task *task);
void heddle_task_join(heddle_task *task);
void heddle_task_free(heddle_task *task);

/* What came before the signal precedes what follows the wait. */
heddle_token heddle_signal(void);
void heddle_wait(heddle_token token);

/* After the lock at `address` is taken; before it is given back. `mode` is a heddle_mode. */
void heddle_acquire(const volatile void *address, int mode);
void heddle_release(const volatile void *address, int mode);

/* Accesses by code that is not instrumented. */
void heddle_read(const volatile void *address, size_t size);
void heddle_write(const volatile void *address, size_t size);

/* After memory comes from an allocator of the program's own; before it goes back. */
void heddle_alloc(const volatile void *address, size_t size);
void heddle_free(const volatile void *address, size_t size);

/* The thread's accesses in between are not checked. */
void heddle_ignore_begin(void);
void heddle_ignore_end(void);

/* ---- For heddle.hpp: `place` is the return address of the call to be named in reports ---- */

void heddle_async_at(heddle_function function, void *argument, void *place);
void heddle_spawn_at(heddle_function function, void *argument, void *place);
heddle_future *heddle_future_create_at(heddle_computation function, void *argument, void *place);
void heddle_finish_begin_at(void *place);
void *heddle_finish_end_failed(void);
int heddle_finish_fail(void *failure);
void heddle_atomic_range_at(const volatile void *address, size_t size, void *place);
void heddle_atomic_group_at(const heddle_part *parts, size_t count, void *place);
void *heddle_closure_new(size_t size);
void heddle_closure_free(void *closure, size_t size);

#else /* HEDDLE_OFF: the same in plain serial code */

struct heddle_future {
    void *value;
};

static inline void heddle_finish_begin(void) {}
static inline void heddle_finish_end(void) {}
static inline void heddle_async(heddle_function function, void *argument) { function(argument); }

static inline heddle_future *heddle_future_create(heddle_computation function, void *argument)
{
    heddle_future *future = (heddle_future *)malloc(sizeof(heddle_future));
    void *value = function(argument);
    if (!future)
        abort();
    future->value = value;
    return future;
}

static inline void *heddle_future_get(heddle_future *future) { return future->value; }
static inline void heddle_future_free(heddle_future *future) { free(future); }
static inline void heddle_isolated_begin(void) {}
static inline void heddle_isolated_end(void) {}

static inline void heddle_parallel_for(long first, long end, heddle_iteration function, void *argument)
{
    long index;
    for (index = first; index < end; index++)
        function(index, argument);
}

static inline void heddle_spawn(heddle_function function, void *argument) { function(argument); }
static inline void heddle_sync(void) {}
static inline void heddle_procedure_begin(void) {}
static inline void heddle_procedure_end(void) {}
static inline void heddle_lock_acquire(heddle_lock *lock) { lock->state = 1; }
static inline void heddle_lock_release(heddle_lock *lock) { lock->state = 0; }

static inline int heddle_lock_try(heddle_lock *lock)
{
    int was_free = lock->state == 0;
    lock->state = 1;
    return was_free;
}

static inline void heddle_atomic_range(const volatile void *address, size_t size) { (void)address, (void)size; }
static inline void heddle_atomic_group(const heddle_part *parts, size_t count) { (void)parts, (void)count; }
static inline void heddle_guarded_group(const heddle_part *parts, size_t count) { (void)parts, (void)count; }
static inline void heddle_atomic_begin(void) {}
static inline void heddle_atomic_end(void) {}
static inline void heddle_cut(void) {}
static inline heddle_task *heddle_task_create(void) { return NULL; }
static inline void heddle_task_begin(heddle_task *task) { (void)task; }
static inline void heddle_task_suspend(heddle_task *task) { (void)task; }
static inline void heddle_task_end(heddle_task *task) { (void)task; }
static inline void heddle_task_join(heddle_task *task) { (void)task; }
static inline void heddle_task_free(heddle_task *task) { (void)task; }
static inline heddle_token heddle_signal(void) { return 0; }
static inline void heddle_wait(heddle_token token) { (void)token; }
static inline void heddle_acquire(const volatile void *address, int mode) { (void)address, (void)mode; }
static inline void heddle_release(const volatile void *address, int mode) { (void)address, (void)mode; }
static inline void heddle_read(const volatile void *address, size_t size) { (void)address, (void)size; }
static inline void heddle_write(const volatile void *address, size_t size) { (void)address, (void)size; }
static inline void heddle_alloc(const volatile void *address, size_t size) { (void)address, (void)size; }
static inline void heddle_free(const volatile void *address, size_t size) { (void)address, (void)size; }
static inline void heddle_ignore_begin(void) {}
static inline void heddle_ignore_end(void) {}

#endif

static inline void heddle_lock_init(heddle_lock *lock)
{
    lock->state = lock->owner = lock->depth = lock->reserved = 0;
}

static inline void heddle_lock_destroy(heddle_lock *lock) { (void)lock; }

#ifdef __cplusplus
}
#endif

/* Each of these is to be accessed atomically: a variable; `count` elements from a pointer on, each for
 * itself; up to twelve variables together. */
#ifdef __cplusplus
/* In C++ a declaration, in a function as well as at namespace scope. */
struct heddle_declared_atomic_ {
    template <typename T> explicit heddle_declared_atomic_(T *variable)
    {
        heddle_atomic_range(variable, sizeof(T));
    }
};
#define HEDDLE_ATOMIC(variable) \
    const heddle_declared_atomic_ HEDDLE_JOIN_(heddle_atomic_, __COUNTER__)(&(variable))
#else
#define HEDDLE_ATOMIC(variable) heddle_atomic_range(&(variable), sizeof(variable))
#endif
/* The same for a variable at file or namespace scope: a declaration, which takes effect before `main`. */
#define HEDDLE_ATOMIC_GLOBAL(variable)                                              \
    HEDDLE_BEFORE_MAIN_(HEDDLE_JOIN_(heddle_atomic_global_, __COUNTER__),           \
                        heddle_atomic_range(&(variable), sizeof(variable)))
#define HEDDLE_BEFORE_MAIN_(name, call)                                             \
    __attribute__((constructor)) static void name(void) { call; }                   \
    struct heddle_semicolon_
#define HEDDLE_JOIN_(a, b) HEDDLE_JOINED_(a, b)
#define HEDDLE_JOINED_(a, b) a##b
/* These variables are one value behind a lock: what one section of the lock saw of them must not be changed by others
 * before a later section of the same thread changes them. A container is as good as its own variable. */
#ifdef __cplusplus
/* In C++ a declaration, in a function as well as at namespace scope. */
struct heddle_declared_guarded_ {
    template <typename... T> explicit heddle_declared_guarded_(size_t, T &...variables)
    {
        const heddle_part parts[] = {{&reinterpret_cast<const volatile char &>(variables), sizeof(T)}...};
        heddle_guarded_group(parts, sizeof...(T));
    }
};
#define HEDDLE_GUARDED_BY(lock, ...) \
    const heddle_declared_guarded_ HEDDLE_JOIN_(heddle_guarded_, __COUNTER__)(sizeof(lock), __VA_ARGS__)
#else
#define HEDDLE_GUARDED_BY(lock, ...)                                      \
    do {                                                                  \
        const heddle_part heddle_parts[] = {HEDDLE_PARTS_(__VA_ARGS__)};  \
        (void)sizeof(lock);                                               \
        heddle_guarded_group(heddle_parts,                                \
                             sizeof heddle_parts / sizeof *heddle_parts); \
    } while (0)
#endif
/* The same for variables at file scope, in C. */
#define HEDDLE_GUARDED_BY_GLOBAL(lock, ...)                                \
    HEDDLE_BEFORE_MAIN_(HEDDLE_JOIN_(heddle_guarded_global_, __COUNTER__), \
                        HEDDLE_GUARDED_BY(lock, __VA_ARGS__))
#define HEDDLE_ATOMIC_RANGE(pointer, count) \
    heddle_atomic_range((pointer), (size_t)(count) * sizeof *(pointer))
#define HEDDLE_ATOMIC_GROUP(...)                                          \
    do {                                                                  \
        const heddle_part heddle_parts[] = {HEDDLE_PARTS_(__VA_ARGS__)};  \
        heddle_atomic_group(heddle_parts,                                 \
                            sizeof heddle_parts / sizeof *heddle_parts);  \
    } while (0)

#define HEDDLE_PARTS_(...)                                                                        \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_12_, HEDDLE_11_, HEDDLE_10_, HEDDLE_9_, HEDDLE_8_, HEDDLE_7_, \
                 HEDDLE_6_, HEDDLE_5_, HEDDLE_4_, HEDDLE_3_, HEDDLE_2_, HEDDLE_1_, HEDDLE_0_)     \
    (__VA_ARGS__)
#define HEDDLE_PICK_(a, b, c, d, e, f, g, h, i, j, k, l, picked, ...) picked
#define HEDDLE_1_(a) {&(a), sizeof(a)}
#define HEDDLE_2_(a, ...) HEDDLE_1_(a), HEDDLE_1_(__VA_ARGS__)
#define HEDDLE_3_(a, ...) HEDDLE_1_(a), HEDDLE_2_(__VA_ARGS__)
#define HEDDLE_4_(a, ...) HEDDLE_1_(a), HEDDLE_3_(__VA_ARGS__)
#define HEDDLE_5_(a, ...) HEDDLE_1_(a), HEDDLE_4_(__VA_ARGS__)
#define HEDDLE_6_(a, ...) HEDDLE_1_(a), HEDDLE_5_(__VA_ARGS__)
#define HEDDLE_7_(a, ...) HEDDLE_1_(a), HEDDLE_6_(__VA_ARGS__)
#define HEDDLE_8_(a, ...) HEDDLE_1_(a), HEDDLE_7_(__VA_ARGS__)
#define HEDDLE_9_(a, ...) HEDDLE_1_(a), HEDDLE_8_(__VA_ARGS__)
#define HEDDLE_10_(a, ...) HEDDLE_1_(a), HEDDLE_9_(__VA_ARGS__)
#define HEDDLE_11_(a, ...) HEDDLE_1_(a), HEDDLE_10_(__VA_ARGS__)
#define HEDDLE_12_(a, ...) HEDDLE_1_(a), HEDDLE_11_(__VA_ARGS__)

/* A transaction ends here, and the next begins; not with `heddle cc --cuts=none`. */
#ifdef HEDDLE_NO_CUTS
#define heddle_cut() ((void)0)
#endif
#define HEDDLE_CUT() heddle_cut()

/* Cilk's words. */
#define HEDDLE_SPAWN(function, argument) heddle_spawn((function), (argument))
#define HEDDLE_SYNC heddle_sync()

#endif
