// Tasks for C++11 and later, on top of heddle.h: finish, async, futures, isolated sections, locks,
// parallel loops, spawn and sync, with anything that can be called.
//
// With -DHEDDLE_OFF everything becomes plain serial code and no library is needed.

#ifndef HEDDLE_HPP
#define HEDDLE_HPP

#include "heddle.h"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace heddle {
namespace detail {

// Bookkeeping of this header's is no access of the program's; and it stays a function of its own, so that
// the place it was called from is known.
#if defined(__clang__)
#define HEDDLE_QUIET_ __attribute__((noinline, no_sanitize("thread")))
#elif defined(__GNUC__)
#define HEDDLE_QUIET_ __attribute__((noinline, no_sanitize_thread))
#else
#define HEDDLE_QUIET_
#endif

#define HEDDLE_HERE_ __builtin_extract_return_addr(__builtin_return_address(0))

#ifndef HEDDLE_OFF

// The accesses of the thread are not checked while this lives.
struct ignored {
    ignored() { heddle_ignore_begin(); }
    ~ignored() { heddle_ignore_end(); }
    ignored(const ignored &) = delete;
    ignored &operator=(const ignored &) = delete;
};

// Memory from the library: fresh each time.
HEDDLE_QUIET_ inline void *fresh(std::size_t size)
{
    void *block = heddle_closure_new(size);
    if (!block)
        throw std::bad_alloc();
    return block;
}

// A new object in such memory.
template <class T, class... Arguments>
HEDDLE_QUIET_ T *make(Arguments &&...arguments)
{
    static_assert(alignof(T) <= 16, "over-aligned objects cannot be captured by a task");
    void *block = fresh(sizeof(T));
    try {
        return new (block) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
        heddle_closure_free(block, sizeof(T));
        throw;
    }
}

template <class T>
HEDDLE_QUIET_ void destroy(T *object)
{
    object->~T();
    heddle_closure_free(object, sizeof(T));
}

// An exception leaves the running task: the finish around it will throw the first.
HEDDLE_QUIET_ inline void fail()
{
    ignored now;
    std::exception_ptr *failure = make<std::exception_ptr>(std::current_exception());
    switch (heddle_finish_fail(failure)) {
    case 0:
        std::terminate();
    case 2:
        destroy(failure);
    }
}

// Throws what a finish has kept.
HEDDLE_QUIET_ inline void rethrow(void *kept)
{
    if (!kept)
        return;
    std::exception_ptr failure;
    {
        ignored now;
        std::exception_ptr *box = static_cast<std::exception_ptr *>(kept);
        failure = *box;
        destroy(box);
    }
    std::rethrow_exception(failure);
}

template <class F>
HEDDLE_QUIET_ void run(void *closure)
{
    F *function = static_cast<F *>(closure);
    try {
        (*function)();
    } catch (...) {
        fail();
    }
    destroy(function);
}

// Closes a finish however its body is left.
struct finish_guard {
    bool is_open;
    explicit finish_guard(void *place) : is_open(true) { heddle_finish_begin_at(place); }
    void close()
    {
        is_open = false;
        rethrow(heddle_finish_end_failed());
    }
    ~finish_guard()
    {
        // The body's own exception is on its way; those of the tasks are lost.
        if (is_open)
            drop(heddle_finish_end_failed());
    }
    static void drop(void *kept)
    {
        if (kept)
            destroy(static_cast<std::exception_ptr *>(kept));
    }
    finish_guard(const finish_guard &) = delete;
    finish_guard &operator=(const finish_guard &) = delete;
};

template <class F>
HEDDLE_QUIET_ void finish_at(F &body, void *place)
{
    finish_guard guard(place);
    body();
    guard.close();
}

template <class F>
HEDDLE_QUIET_ void async_at(F &&function, void *place)
{
    typedef typename std::decay<F>::type Closure;
    heddle_async_at(&run<Closure>, make<Closure>(std::forward<F>(function)), place);
}

#else

template <class F>
void finish_at(F &body, void *)
{
    body();
}

template <class F>
void async_at(F &&function, void *)
{
    typename std::decay<F>::type closure(std::forward<F>(function));
    closure();
}

template <class T, class... Arguments>
T *make(Arguments &&...arguments)
{
    return new T(std::forward<Arguments>(arguments)...);
}

template <class T>
void destroy(T *object)
{
    delete object;
}

struct ignored {
    ignored() {}
    ~ignored() {}
};

#endif

// Where the value of a future is.
template <class T>
class slot {
public:
    typedef typename std::conditional<std::is_copy_constructible<T>::value, T, const T &>::type got;

    slot() : is_set(false) {}
    ~slot()
    {
        if (is_set)
            value()->~T();
    }
    slot(const slot &) = delete;
    slot &operator=(const slot &) = delete;

    template <class F>
    HEDDLE_QUIET_ void set(F &function)
    {
        new (static_cast<void *>(&storage)) T(function());
        is_set = true;
    }
    got get() const { return *const_cast<slot *>(this)->value(); }

private:
    HEDDLE_QUIET_ T *value() { return reinterpret_cast<T *>(&storage); }

    typename std::aligned_storage<sizeof(T), alignof(T)>::type storage;
    bool is_set;
};

template <class T>
class slot<T &> {
public:
    typedef T &got;

    slot() : target(nullptr) {}
    template <class F>
    HEDDLE_QUIET_ void set(F &function)
    {
        target = std::addressof(function());
    }
    HEDDLE_QUIET_ T &get() const { return *target; }

private:
    T *target;
};

template <>
class slot<void> {
public:
    typedef void got;

    template <class F>
    void set(F &function)
    {
        function();
    }
    void get() const {}
};

// What the task and the handles of a future share.
template <class T>
struct shared {
    std::atomic<unsigned> owners;
    heddle_future *task;
    slot<T> value;
    std::exception_ptr failure;

    HEDDLE_QUIET_ shared() : owners(2), task(nullptr) {}

    HEDDLE_QUIET_ void retain() { owners.fetch_add(1, std::memory_order_relaxed); }

    // Whoever comes last destroys the value. That it comes last is known by counting, not by order.
    HEDDLE_QUIET_ void release()
    {
        if (owners.fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        ignored now;
        heddle_future_free(task);
        destroy(this);
    }

    HEDDLE_QUIET_ void wait() const
    {
        heddle_future_get(task);
        if (failure)
            std::rethrow_exception(failure);
    }
};

template <class T, class F>
struct computation {
    F function;
    shared<T> *state;

    template <class G>
    computation(G &&function, shared<T> *state) : function(std::forward<G>(function)), state(state)
    {
    }

    HEDDLE_QUIET_ static void *run(void *closure)
    {
        computation *self = static_cast<computation *>(closure);
        shared<T> *state = self->state;
        try {
            state->value.set(self->function);
        } catch (...) {
            ignored now;
            state->failure = std::current_exception();
        }
        destroy(self);
        state->release();
        return nullptr;
    }
};

// The last index of a loop may be of another type than the first.
template <class First, class Last>
struct index {
    typedef typename std::decay<typename std::conditional<
        std::is_integral<First>::value && std::is_integral<Last>::value,
        typename std::common_type<First, Last>::type, First>::type>::type type;
};

template <class F, class Index>
struct turn {
    F *function;
    Index at;

    void operator()() { call(*function, here()); }

private:
    HEDDLE_QUIET_ Index here() const { return at; }
    static void call(F &function, Index at) { function(at); }
};

} // namespace detail

// Runs `body`, then waits for every task created inside it, and for theirs. Throws what the body threw,
// or the first exception that left one of the tasks.
template <class F>
HEDDLE_QUIET_ void finish(F &&body)
{
    detail::finish_at(body, HEDDLE_HERE_);
}

// Creates a task in the innermost finish. An exception that leaves it leaves the finish; without a finish
// the program is terminated.
template <class F>
HEDDLE_QUIET_ void async(F &&function)
{
    detail::async_at(std::forward<F>(function), HEDDLE_HERE_);
}

// The value of a task. Copies share it.
template <class T>
class future {
public:
    future() : state(nullptr) {}
    future(const future &other) : state(other.state)
    {
        if (state)
            state->retain();
    }
    future(future &&other) noexcept : state(other.state) { other.state = nullptr; }
    future &operator=(future other) noexcept
    {
        std::swap(state, other.state);
        return *this;
    }
    ~future()
    {
        if (state)
            state->release();
    }

    // Whether there is a task.
    bool valid() const { return state != nullptr; }

    // Waits for the task. Throws the exception that left it.
    void wait() const { state->wait(); }

    // Waits for the task and gives its value, as often as asked.
    typename detail::slot<T>::got get() const
    {
        detail::shared<T> *shared = state;
        shared->wait();
        return shared->value.get();
    }

    explicit future(detail::shared<T> *state) : state(state) {}

private:
    detail::shared<T> *state;
};

// Creates a task with a value in the innermost finish.
template <class F>
HEDDLE_QUIET_ auto async_future(F &&function)
    -> future<decltype(std::declval<typename std::decay<F>::type &>()())>
{
    typedef typename std::decay<F>::type Function;
    typedef decltype(std::declval<Function &>()()) Value;
    typedef detail::computation<Value, Function> Closure;
    detail::shared<Value> *state = detail::make<detail::shared<Value>>();
    Closure *closure = detail::make<Closure>(std::forward<F>(function), state);
#ifdef HEDDLE_OFF
    state->task = heddle_future_create(&Closure::run, closure);
#else
    state->task = heddle_future_create_at(&Closure::run, closure, HEDDLE_HERE_);
#endif
    return future<Value>(state);
}

namespace detail {

struct isolated_guard {
    isolated_guard() { heddle_isolated_begin(); }
    ~isolated_guard() { heddle_isolated_end(); }
    isolated_guard(const isolated_guard &) = delete;
    isolated_guard &operator=(const isolated_guard &) = delete;
};

struct atomic_guard {
    atomic_guard() { heddle_atomic_begin(); }
    ~atomic_guard() { heddle_atomic_end(); }
    atomic_guard(const atomic_guard &) = delete;
    atomic_guard &operator=(const atomic_guard &) = delete;
};

} // namespace detail

// Runs `body` while no other task is in an isolated section.
template <class F>
auto isolated(F &&body) -> decltype(body())
{
    detail::isolated_guard guard;
    return body();
}

// A lock, for std::lock_guard and the like.
class mutex {
public:
    constexpr mutex() noexcept : raw HEDDLE_LOCK_INIT {}
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    void lock() { heddle_lock_acquire(&raw); }
    bool try_lock() { return heddle_lock_try(&raw) != 0; }
    void unlock() { heddle_lock_release(&raw); }

private:
    heddle_lock raw;
};

// Calls `function` for every index in first <= index < last, each call a task, and waits for all.
template <class First, class Last, class F>
HEDDLE_QUIET_ void parallel_for(First first, Last last, F &&function)
{
    typedef typename detail::index<First, Last>::type Index;
    typedef typename std::remove_reference<F>::type Function;
    void *place = HEDDLE_HERE_;
    Index end = static_cast<Index>(last);
    auto body = [&] {
        for (Index at = static_cast<Index>(first); at < end; ++at)
            detail::async_at(detail::turn<Function, Index>{std::addressof(function), at}, place);
    };
    detail::finish_at(body, place);
}

// Creates a child of the procedure.
template <class F>
HEDDLE_QUIET_ void spawn(F &&function)
{
#ifdef HEDDLE_OFF
    detail::async_at(std::forward<F>(function), nullptr);
#else
    typedef typename std::decay<F>::type Closure;
    heddle_spawn_at(&detail::run<Closure>, detail::make<Closure>(std::forward<F>(function)),
                    HEDDLE_HERE_);
#endif
}

// Waits for the procedure's children.
inline void sync()
{
    heddle_sync();
}

// A transaction ends here, and the next begins. Inlined without a line of its own, so that reports name the
// caller's.
#if defined(__clang__)
inline __attribute__((always_inline, nodebug)) void cut()
#else
inline __attribute__((always_inline, artificial)) void cut()
#endif
{
    heddle_cut();
}

// A procedure with children of its own; waits for them where it ends.
class procedure {
public:
    procedure() { heddle_procedure_begin(); }
    ~procedure() { heddle_procedure_end(); }
    procedure(const procedure &) = delete;
    procedure &operator=(const procedure &) = delete;

    template <class F>
    HEDDLE_QUIET_ void spawn(F &&function)
    {
#ifdef HEDDLE_OFF
        detail::async_at(std::forward<F>(function), nullptr);
#else
        typedef typename std::decay<F>::type Closure;
        heddle_spawn_at(&detail::run<Closure>, detail::make<Closure>(std::forward<F>(function)),
                        HEDDLE_HERE_);
#endif
    }
    void sync() { heddle_sync(); }
};

// Each of these variables is to be accessed atomically.
template <class T>
HEDDLE_QUIET_ void atomic(T &variable)
{
#ifdef HEDDLE_OFF
    (void)variable;
#else
    heddle_atomic_range_at(std::addressof(variable), sizeof(T), HEDDLE_HERE_);
#endif
}

// These variables together are to be accessed atomically.
template <class... T>
HEDDLE_QUIET_ void atomic_group(T &...variables)
{
    const heddle_part parts[] = {{std::addressof(variables), sizeof(T)}...};
#ifdef HEDDLE_OFF
    (void)parts;
#else
    heddle_atomic_group_at(parts, sizeof...(T), HEDDLE_HERE_);
#endif
}

// Runs `body`, which is to be atomic.
template <class F>
auto atomic_block(F &&body) -> decltype(body())
{
    detail::atomic_guard guard;
    return body();
}

} // namespace heddle

#endif
