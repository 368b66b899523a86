//! How OpenMP's runtime finds us, and what it calls: thin shims that convert and call.

use super::ompt::{
    Callback, Dependence, Endpoint, Event, Frame, GetTaskInfo, GetTaskMemory, Handle, Lookup,
    SetCallback, Size, StartTool, Status, Sync, Work, find, task_flag,
};
use super::region::Place;
use super::{lock, memory, reduction, region, sequence, task, work};
use crate::runtime::runtime;
use crate::thread::{attach, detach, enter, enter_alone, is_attached};
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Settings of the runtime under which a verdict does not depend on the number of threads or on timing:
/// reductions add up under a lock, a `taskloop` creates its tasks itself rather than by further tasks, and
/// `target nowait` tasks run on the threads of the team.
const SETTINGS: [(&CStr, &CStr); 3] = [
    (c"KMP_FORCE_REDUCTION", c"critical"),
    (c"KMP_TASKLOOP_MIN_TASKS", c"2000000000"),
    (c"LIBOMP_USE_HIDDEN_HELPER_TASK", c"0"),
];

/// Settings for what the runtime may choose and the user has not: more than one team in a league, as a
/// device would have, each with as many threads as a region has.
const CHOICES: [(&CStr, &CStr); 2] = [
    (c"OMP_NUM_TEAMS", c"2"),
    (c"OMP_TEAMS_THREAD_LIMIT", c"1024"),
];

static CHOSEN: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

static TOOL: StartTool = StartTool {
    initialize,
    finalize,
    data: 0,
};

/// The runtime asks for its tool, before it reads its settings.
#[unsafe(no_mangle)]
extern "C" fn ompt_start_tool(
    _version: c_uint,
    _name: *const c_char,
) -> Option<&'static StartTool> {
    runtime()?;
    crate::api::turns::refuse(
        "an OpenMP program cannot be explored yet, only tasks of heddle.h and OCR",
    );
    for (name, value) in SETTINGS {
        // SAFETY: both are C strings; the runtime is starting on this thread, before the program's own.
        unsafe { ::libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
    }
    for ((name, value), chosen) in CHOICES.iter().zip(&CHOSEN) {
        // SAFETY: as above.
        unsafe {
            chosen.store(::libc::getenv(name.as_ptr()).is_null(), Ordering::Relaxed);
            ::libc::setenv(name.as_ptr(), value.as_ptr(), 0);
        }
    }
    Some(&TOOL)
}

unsafe extern "C" fn initialize(lookup: Lookup, _device: c_int, _data: Handle) -> c_int {
    let chosen = CHOICES.iter().zip(&CHOSEN);
    let chosen = chosen.filter(|(_, chosen)| chosen.load(Ordering::Relaxed));
    for (name, _) in SETTINGS.iter().chain(chosen.map(|(choice, _)| choice)) {
        // SAFETY: a C string. The settings have been read; programs started by this one need them not.
        unsafe { ::libc::unsetenv(name.as_ptr()) };
    }
    let (Some(set), Some(info), Some(memory)) = (
        find(lookup, c"ompt_set_callback"),
        find(lookup, c"ompt_get_task_info"),
        find(lookup, c"ompt_get_task_memory"),
    ) else {
        return 0;
    };
    GET_TASK_INFO.store(info as usize, Ordering::Relaxed);
    // SAFETY: these functions have these types by the specification.
    let set = unsafe {
        memory::ask_with(std::mem::transmute::<Callback, GetTaskMemory>(memory));
        std::mem::transmute::<Callback, SetCallback>(set)
    };
    for (event, callback) in callbacks() {
        // SAFETY: each callback has the type its event asks for.
        unsafe { set(event as c_int, callback) };
    }
    1
}

unsafe extern "C" fn finalize(_data: Handle) {}

/// Any function as a callback.
macro_rules! callback {
    ($function:ident as $type:ty) => {{
        let typed: $type = $function;
        // SAFETY: the runtime calls it with the type that the event says.
        unsafe { std::mem::transmute::<$type, Callback>(typed) }
    }};
}

fn callbacks() -> [(Event, Callback); 16] {
    type Pc = usize;
    [
        (
            Event::ThreadBegin,
            callback!(thread_begin as extern "C" fn(c_int, Handle)),
        ),
        (
            Event::ThreadEnd,
            callback!(thread_end as extern "C" fn(Handle)),
        ),
        (
            Event::ParallelBegin,
            callback!(
                parallel_begin as extern "C" fn(Handle, *const Frame, Handle, c_uint, c_int, Pc)
            ),
        ),
        (
            Event::ParallelEnd,
            callback!(parallel_end as extern "C" fn(Handle, Handle, c_int, Pc)),
        ),
        (
            Event::ImplicitTask,
            callback!(implicit_task as extern "C" fn(c_int, Handle, Handle, Size, c_uint, c_int)),
        ),
        (
            Event::TaskCreate,
            callback!(task_create as extern "C" fn(Handle, *const Frame, Handle, c_int, c_int, Pc)),
        ),
        (
            Event::TaskSchedule,
            callback!(task_schedule as extern "C" fn(Handle, c_int, Handle)),
        ),
        (
            Event::Dependences,
            callback!(dependences as extern "C" fn(Handle, *const Dependence, c_int)),
        ),
        (
            Event::SyncRegion,
            callback!(sync_region as extern "C" fn(c_int, c_int, Handle, Handle, Pc)),
        ),
        (
            Event::SyncRegionWait,
            callback!(sync_region_wait as extern "C" fn(c_int, c_int, Handle, Handle, Pc)),
        ),
        (
            Event::Reduction,
            callback!(reduce as extern "C" fn(c_int, c_int, Handle, Handle, Pc)),
        ),
        (
            Event::Work,
            callback!(work_region as extern "C" fn(c_int, c_int, Handle, Handle, u64, Pc)),
        ),
        (
            Event::Dispatch,
            callback!(dispatch as extern "C" fn(Handle, Handle, c_int, u64)),
        ),
        (
            Event::MutexAcquired,
            callback!(acquired as extern "C" fn(c_int, usize, Pc)),
        ),
        (
            Event::MutexReleased,
            callback!(released as extern "C" fn(c_int, usize, Pc)),
        ),
        (
            Event::NestLock,
            callback!(nest_lock as extern "C" fn(c_int, usize, Pc)),
        ),
    ]
}

/// A thread of the runtime stands nowhere until it joins a team.
extern "C" fn thread_begin(_kind: c_int, _thread: Handle) {
    if is_attached() {
        return;
    }
    if let Some(runtime) = runtime() {
        attach(runtime.engine.main_task());
        enter(|_, thread| thread.openmp.is_worker = true);
    }
}

extern "C" fn thread_end(_thread: Handle) {
    if enter(|_, thread| thread.openmp.is_worker) == Some(true) {
        detach();
    }
}

extern "C" fn parallel_begin(
    _creator: Handle,
    frame: *const Frame,
    region: Handle,
    _size: c_uint,
    _flags: c_int,
    pc: usize,
) {
    // SAFETY: null or the creator's frame.
    let frame = unsafe { frame.as_ref() };
    enter(|runtime, thread| region::begin(runtime, thread, frame, region, pc));
}

extern "C" fn parallel_end(region: Handle, _creator: Handle, _flags: c_int, _pc: usize) {
    enter(|runtime, thread| region::end(runtime, thread, region));
}

extern "C" fn implicit_task(
    endpoint: c_int,
    region: Handle,
    member: Handle,
    size: Size,
    index: c_uint,
    flags: c_int,
) {
    learn_frames();
    let place = match flags & task_flag::INITIAL {
        0 => Place::Thread(index),
        _ => Place::Team(index),
    };
    enter(|runtime, thread| match Endpoint::new(endpoint) {
        Some(Endpoint::Begin) => {
            region::member_begin(runtime, thread, region, member, size, place);
        }
        Some(Endpoint::End) => region::member_end(runtime, thread, member),
        None => {}
    });
}

extern "C" fn task_create(
    _creator: Handle,
    frame: *const Frame,
    new: Handle,
    flags: c_int,
    _has_dependences: c_int,
    pc: usize,
) {
    // SAFETY: null or the creator's frame.
    let frame = unsafe { frame.as_ref() };
    enter_alone(|runtime, thread| task::create(runtime, thread, frame, new, flags, pc));
}

extern "C" fn task_schedule(prior: Handle, status: c_int, next: Handle) {
    let status = Status::new(status);
    enter_alone(|runtime, thread| task::schedule(runtime, thread, prior, status, next));
}

extern "C" fn dependences(task: Handle, items: *const Dependence, count: c_int) {
    let Ok(count @ 1..) = usize::try_from(count) else {
        return;
    };
    // SAFETY: the runtime passes that many items.
    let items = unsafe { std::slice::from_raw_parts(items, count) };
    enter_alone(|runtime, thread| {
        if sequence::is_doacross(items) {
            sequence::doacross(runtime, thread, items);
        } else {
            task::depends(runtime, thread, task, items);
        }
    });
}

extern "C" fn sync_region(kind: c_int, endpoint: c_int, _region: Handle, task: Handle, pc: usize) {
    let (Some(sync), Some(endpoint)) = (Sync::new(kind), Endpoint::new(endpoint)) else {
        return;
    };
    match (sync, endpoint) {
        (Sync::Barrier, _) => {
            enter(|runtime, thread| region::barrier(runtime, thread, endpoint));
        }
        (Sync::Join, _) => {
            enter(|runtime, thread| region::last_barrier(runtime, thread, endpoint));
        }
        (Sync::Taskwait, Endpoint::Begin) => {}
        (Sync::Taskwait, Endpoint::End) => {
            enter_alone(|runtime, thread| task::taskwait(runtime, thread, task));
        }
        (Sync::Taskgroup, Endpoint::Begin) => {
            enter(|runtime, thread| task::group_begin(runtime, thread, pc));
        }
        (Sync::Taskgroup, Endpoint::End) => group_end(pc),
    }
}

/// What the group has reduced is written outside `enter`, like any access.
fn group_end(pc: usize) {
    let reduced = enter(task::group_end);
    if let Some(items) = reduced.filter(|items| !items.is_empty()) {
        reduction::group_over(&items, pc);
    }
}

/// Between the end of its wait and the end of a task group the runtime combines partial results.
extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _region: Handle,
    _task: Handle,
    _pc: usize,
) {
    if Sync::new(kind) == Some(Sync::Taskgroup) && Endpoint::new(endpoint) == Some(Endpoint::End) {
        enter(|_, thread| task::group_waited(thread));
    }
}

extern "C" fn reduce(_kind: c_int, endpoint: c_int, _region: Handle, _task: Handle, _pc: usize) {
    if let Some(endpoint) = Endpoint::new(endpoint) {
        enter(|runtime, thread| reduction::combine(runtime, thread, endpoint));
    }
}

extern "C" fn work_region(
    kind: c_int,
    endpoint: c_int,
    _region: Handle,
    _task: Handle,
    _count: u64,
    pc: usize,
) {
    if let Some(endpoint) = Endpoint::new(endpoint) {
        enter(|runtime, thread| work::work(runtime, thread, Work::new(kind), endpoint, pc));
    }
}

extern "C" fn dispatch(_region: Handle, _task: Handle, kind: c_int, _instance: u64) {
    const CHUNK_OF_LOOP: c_int = 3;
    if kind == CHUNK_OF_LOOP {
        enter(work::chunk);
    }
}

extern "C" fn acquired(kind: c_int, address: usize, pc: usize) {
    enter(|runtime, thread| lock::acquired(runtime, thread, kind, address, pc));
}

extern "C" fn released(_kind: c_int, address: usize, _pc: usize) {
    enter(|runtime, thread| lock::released(runtime, thread, address));
}

extern "C" fn nest_lock(endpoint: c_int, address: usize, _pc: usize) {
    if let Some(endpoint) = Endpoint::new(endpoint) {
        enter(|runtime, thread| lock::nested(runtime, thread, endpoint, address));
    }
}

static GET_TASK_INFO: AtomicUsize = AtomicUsize::new(0);
/// Distance from a task's frame to its word; 0 while it is not known.
static FRAME_DISTANCE: AtomicUsize = AtomicUsize::new(0);

/// Learns where a task's frame stands, from the first task there is: asking for each is dear.
fn learn_frames() {
    let get = GET_TASK_INFO.load(Ordering::Relaxed);
    if get == 0 || FRAME_DISTANCE.load(Ordering::Relaxed) != 0 {
        return;
    }
    let (mut flags, mut number) = (0, 0);
    let (mut task, mut region) = (Handle::NONE, Handle::NONE);
    let mut frame = std::ptr::null_mut();
    // SAFETY: the function has this type by the specification, and writes what it is told to.
    let known = unsafe {
        let get = std::mem::transmute::<usize, GetTaskInfo>(get);
        get(
            0,
            &mut flags,
            &mut task,
            &mut frame,
            &mut region,
            &mut number,
        )
    };
    let distance = task.address().wrapping_sub(frame as usize);
    const FARTHEST: usize = 1 << 10;
    if known != 0 && !frame.is_null() && distance < FARTHEST {
        FRAME_DISTANCE.store(distance, Ordering::Relaxed);
    }
}

/// Where the frame of a task stands; none if that is not known.
pub(super) fn frame_address(task: Handle) -> Option<usize> {
    match FRAME_DISTANCE.load(Ordering::Relaxed) {
        0 => None,
        distance => Some(task.address() - distance),
    }
}
