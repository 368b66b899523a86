//! The tool interface of OpenMP as the runtime speaks it: numbers, layouts, the functions it offers.
//!
//! Named after chapter "OMPT Interface" of the OpenMP specification 5.2. Only what is used here.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::NonNull;

/// The word a task or region of the runtime carries for its tool.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(*mut *mut c_void);

impl Handle {
    /// Of no object.
    pub const NONE: Self = Self(std::ptr::null_mut());

    /// What was put there; none if nothing was, or if there is no such object.
    ///
    /// # Safety
    /// Everything ever put there is a `T`.
    pub unsafe fn get<T>(self) -> Option<NonNull<T>> {
        // SAFETY: a handle is null or points to the object's word, which lives as long as the object.
        let word = unsafe { self.0.as_ref() }?;
        NonNull::new(word.cast())
    }

    /// Puts something there.
    pub fn set<T>(self, what: Option<NonNull<T>>) {
        // SAFETY: as above; the word is the tool's to write.
        if let Some(word) = unsafe { self.0.as_mut() } {
            *word = what.map_or(std::ptr::null_mut(), |what| what.as_ptr().cast());
        }
    }

    /// Where the word is.
    pub fn address(self) -> usize {
        self.0 as usize
    }
}

/// Where a task entered and left the runtime.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The frame of the runtime that called the task's code.
    pub exit: usize,
    /// The frame of the runtime that the task called.
    pub enter: usize,
    exit_flags: c_int,
    enter_flags: c_int,
}

/// One item of a `depend` clause.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// The address, or an iteration number.
    pub variable: u64,
    /// One of [`dependence`].
    pub kind: c_int,
}

/// Whether something begins or ends there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endpoint {
    /// It begins.
    Begin,
    /// It ends.
    End,
}

impl Endpoint {
    /// From the runtime's number; none for what is both at once.
    pub fn new(number: c_int) -> Option<Self> {
        match number {
            1 => Some(Self::Begin),
            2 => Some(Self::End),
            _ => None,
        }
    }
}

/// What the runtime waits for in a synchronising region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// A barrier that the team goes on after.
    Barrier,
    /// The barrier at the end of a region.
    Join,
    /// `taskwait`.
    Taskwait,
    /// `taskgroup`.
    Taskgroup,
}

impl Sync {
    /// From the runtime's number; none for what is no wait of the program.
    pub fn new(number: c_int) -> Option<Self> {
        match number {
            1..=4 | 8 => Some(Self::Barrier),
            9 | 10 => Some(Self::Join),
            5 => Some(Self::Taskwait),
            6 => Some(Self::Taskgroup),
            _ => None,
        }
    }
}

/// Why a thread turns from one task to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The prior task is over, or was cancelled.
    Over,
    /// The prior task's body is over, its event is still to come.
    Detached,
    /// The event of the prior task has come.
    Fulfilled,
    /// The prior task goes on later.
    Suspended,
    /// A `taskwait depend` is over.
    Waited,
}

impl Status {
    /// From the runtime's number.
    pub fn new(number: c_int) -> Self {
        match number {
            1 | 3 => Self::Over,
            4 => Self::Detached,
            5 | 6 => Self::Fulfilled,
            8 => Self::Waited,
            _ => Self::Suspended,
        }
    }
}

/// Work that is shared out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// A loop whose iterations belong to their thread by rule.
    FixedLoop,
    /// A loop whose iterations go to whoever is free.
    FreeLoop,
    /// Sections.
    Sections,
    /// The body of a `single`, executed here.
    Single,
    /// A `taskloop`.
    Taskloop,
    /// What needs no attention.
    Other,
}

impl Work {
    /// From the runtime's number.
    pub fn new(number: c_int) -> Self {
        match number {
            1 | 10 => Self::FixedLoop,
            11..=13 => Self::FreeLoop,
            2 => Self::Sections,
            3 => Self::Single,
            7 => Self::Taskloop,
            _ => Self::Other,
        }
    }
}

/// Flags of a new task.
pub mod task_flag {
    use std::ffi::c_int;
    /// The first task of a thread, or of a team in a league.
    pub const INITIAL: c_int = 1;
    /// A `taskwait` with dependences, told as a task.
    pub const TASKWAIT: c_int = 0x10;
    /// It may go on on another thread.
    pub const UNTIED: c_int = 0x1000_0000;
    /// All its children are included.
    pub const FINAL: c_int = 0x2000_0000;
}

/// Kinds of dependences.
pub mod dependence {
    use std::ffi::c_int;
    /// `in`.
    pub const IN: c_int = 1;
    /// `mutexinoutset`.
    pub const MUTEXINOUTSET: c_int = 4;
    /// `doacross(source:)`.
    pub const SOURCE: c_int = 5;
    /// `doacross(sink:)`.
    pub const SINK: c_int = 6;
    /// `inoutset`.
    pub const INOUTSET: c_int = 7;
    /// `omp_all_memory` as `out`, then as `inout`.
    pub const ALL_MEMORY: [c_int; 2] = [34, 35];
}

/// Kinds of mutual exclusion.
pub mod mutex {
    use std::ffi::c_int;
    /// `omp_test_lock`, which does not wait.
    pub const TEST_LOCK: c_int = 2;
    /// `omp_test_nest_lock`.
    pub const TEST_NEST_LOCK: c_int = 4;
    /// `critical`.
    pub const CRITICAL: c_int = 5;
    /// `ordered`, which is rather an order.
    pub const ORDERED: c_int = 7;
}

/// Numbers of the callbacks.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the specification's own names")]
pub enum Event {
    ThreadBegin = 1,
    ThreadEnd = 2,
    ParallelBegin = 3,
    ParallelEnd = 4,
    TaskCreate = 5,
    TaskSchedule = 6,
    ImplicitTask = 7,
    SyncRegionWait = 16,
    MutexReleased = 17,
    Dependences = 18,
    Work = 20,
    SyncRegion = 23,
    MutexAcquired = 27,
    NestLock = 28,
    Reduction = 31,
    Dispatch = 32,
}

/// A callback of whatever signature.
pub type Callback = unsafe extern "C" fn();

/// Finds functions of the runtime by name.
pub type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Callback>;

/// `ompt_set_callback`.
pub type SetCallback = unsafe extern "C" fn(c_int, Callback) -> c_int;

/// `ompt_get_task_info`.
pub type GetTaskInfo = unsafe extern "C" fn(
    c_int,
    *mut c_int,
    *mut Handle,
    *mut *mut Frame,
    *mut Handle,
    *mut c_int,
) -> c_int;

/// `ompt_get_task_memory`.
pub type GetTaskMemory = unsafe extern "C" fn(*mut *mut c_void, *mut usize, c_int) -> c_int;

/// What `ompt_start_tool` answers.
#[repr(C)]
#[derive(Debug)]
pub struct StartTool {
    /// Called when the runtime is ready.
    pub initialize: unsafe extern "C" fn(Lookup, c_int, Handle) -> c_int,
    /// Called when it is done.
    pub finalize: unsafe extern "C" fn(Handle),
    /// The tool's word.
    pub data: u64,
}

/// The function of that name.
pub fn find(lookup: Lookup, name: &CStr) -> Option<Callback> {
    // SAFETY: the name is a C string; the runtime answers with a function or null.
    unsafe { lookup(name.as_ptr()) }
}

/// A team's size as the runtime tells it.
pub type Size = c_uint;
